"""Compares programs and benchmarks in one run, and says what can be concluded.

    import fathom_lab

    experiment = fathom_lab.load("lab/experiments/sort.toml")
    folder = fathom_lab.run(experiment, into="runs")
    for analysis in fathom_lab.analyze(folder):
        print(analysis.answer)

Data flows one way: experiment -> run (raw samples on disk) -> analysis (rows with verdicts) -> report or gate. Errors
that a user can fix are LabError, with one sentence. Nothing here prints. The types of results are in `experiment`,
`run_folder` and `rows`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fathom_lab.errors import LabError

if TYPE_CHECKING:
    from fathom_lab.experiment import Experiment
    from fathom_lab.rows import Analysis
    from fathom_lab.run_folder import RunFolder
    from fathom_lab.runner import Step

__all__ = ["LabError", "analyze", "load", "run"]
__version__ = "1.0.0"

# The functions import modules when they are called, so that the command's help does not wait for scipy.


def load(
    file: str | os.PathLike[str],
    *,
    smoke: bool = False,
    only: Sequence[str] = (),
    parameters: Mapping[str, Sequence[str]] | None = None,
    rounds: int | None = None,
    budget: float | None = None,
    duet: bool | None = None,
    timeout: float | None = None,
) -> Experiment:
    """Reads an experiment, by the path of its file or its name in the project's lab/experiments, in the short size of
    its [smoke] table if requested.

    `only` these contenders and the baseline take part (all by default), `parameters` have other values, as strings, and
    the plan has another number of `rounds` (1 to 10,000), another `budget` and `timeout` of a launch (seconds, up to a
    week), or is a `duet`. Raises LabError for a file that cannot be read or used, and for names and values that the
    experiment cannot have.
    """
    from fathom_lab import session

    return session.load(session.find(os.fspath(file)), smoke=smoke, only=only, parameters=parameters, rounds=rounds,
                        budget=budget, duet=duet, timeout=timeout)


def run(
    experiment: Experiment,
    *,
    root: str | os.PathLike[str] = ".",
    into: str | os.PathLike[str] = "runs",
    seed: int | None = None,
    cpus: Sequence[int] = (),
    nice: int = 0,
    counters: bool = False,
    build: bool = True,
    on_progress: Callable[[Step], None] = lambda step: None,
) -> RunFolder:
    """Measures an experiment and returns the folder with every launch; it is complete unless an exception ended it.

    `root` is the project's folder, where contenders are started and the value of {root}; `into` is where the run's
    folder is created. `seed` of the random order is random by default and is recorded. `cpus` are the processors that
    contenders may use (all by default), `nice` is added to their nice value (-20 to 19; negative values need root), and
    `counters` also counts instructions, cycles and misses. `build` runs the experiment's build commands first.

    Calls on_progress before each launch, in this thread. Raises LabError if the experiment cannot run here, and leaves
    no folder if that is known before the build. A contender that fails is a result, not an error. On any other
    exception, such as KeyboardInterrupt, complete rounds are kept. Use the main thread, one run at a time: concurrent
    measurements disturb each other.
    """
    from fathom_lab import session
    from fathom_lab.run_folder import Settings

    chosen = secrets.randbelow(2**31) if seed is None else seed
    settings = Settings(chosen, str(Path(root).absolute()), cpus=tuple(cpus), nice=nice, counters=counters)
    folder = session.new_folder(Path(into), [experiment], settings)
    folder.add(experiment, settings)
    with folder.locked():
        if build:
            session.build([experiment], Path(settings.root), folder.path / "build.log")
        session.remember_programs(folder, experiment.name)
        session.run(folder, experiment.name, on_progress=on_progress)
    return folder


def analyze(folder: RunFolder | str | os.PathLike[str]) -> list[Analysis]:
    """The results of a run, one for each of its experiments that has a round or a failure; the same launches give the
    same results. Raises LabError if the folder is not a run, or is damaged."""
    from fathom_lab import session
    from fathom_lab.run_folder import RunFolder

    return session.analyses(folder if isinstance(folder, RunFolder) else RunFolder(Path(folder)))
