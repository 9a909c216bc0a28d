"""Options and arguments of commands, and their checks."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fathom_lab.experiment import Experiment
    from fathom_lab.run_folder import Settings

# As experiment.MOST_ROUNDS and MOST_SECONDS, which are not imported for help.
MOST_ROUNDS = 10_000
_MOST_SECONDS = 7 * 24 * 3600.0
_MOST_SEED = 2**63 - 1
_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)  # of a run
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)


class Seconds(click.FloatRange):
    """More than 0, and at most a week."""

    def __init__(self) -> None:
        super().__init__(0, _MOST_SECONDS, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        seconds = float(super().convert(value, param, context))
        if math.isnan(seconds):  # which no comparison with the range refuses
            self.fail(f"{value} is not a number of seconds.", param, context)
        return seconds


class _Budget(Seconds):
    """A time such as 90, 90s, 10min or 2h."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        text = str(value)
        unit = next((one for one in _UNITS if text.endswith(one)), "")
        try:
            return super().convert(float(text.removesuffix(unit)) * _UNITS.get(unit, 1.0), param, context)
        except ValueError:
            self.fail(f"{text} is not a time, such as 90s, 10min or 2h.", param, context)


@dataclasses.dataclass(frozen=True)
class Size:
    """The options of `run`, `ab` and `gate`: how much to measure, and where to put the results."""

    full: bool
    rounds: int | None
    budget: float | None
    duet: bool | None
    launch_timeout: float | None
    pin: tuple[int, ...]
    nice: int
    counters: bool
    seed: int
    into: Path
    no_build: bool

    def settings(self, root: Path) -> Settings:
        from fathom_lab.run_folder import Settings

        return Settings(self.seed, str(root), cpus=self.pin, nice=self.nice, counters=self.counters)

    def load(self, file: Path, **changes: Any) -> Experiment:
        """Loads the experiment in the requested size."""
        from fathom_lab import experiment, session

        if not self.full and not experiment.load(file).has_smoke_size():
            click.echo(f"note: {file.name} has no [smoke] section: --smoke runs the full plan", err=True)
        return session.load(file, smoke=not self.full, rounds=self.rounds, budget=self.budget, duet=self.duet,
                            timeout=self.launch_timeout, **changes)


def size_options(command: Any) -> Any:
    """Passes the options of Size to the command as `size`."""
    options = (
        click.option("--full/--smoke", default=True, show_default=True,
                     help="Run the experiment's full plan, or the short one of its [smoke] section to check that it "
                     "works."),
        click.option("--rounds", type=click.IntRange(1, MOST_ROUNDS), metavar="N",
                     help="Number of launches of each contender (default: the plan's)."),
        click.option("--budget", type=_Budget(), metavar="TIME",
                     help="Go on until each question is decided, but no longer than TIME for each experiment, such as "
                     "90s, 10min or 2h; --rounds is then the most (default: the plan's)."),
        click.option("--duet", is_flag=True, default=None,
                     help="Run the contender and the baseline at once, each on a processor of its own, for noisy "
                     "machines; requires two contenders."),
        click.option("--launch-timeout", type=Seconds(), metavar="SECONDS",
                     help="Time limit for each launch (default: the plan's, or 300)."),
        click.option("--pin", metavar="CPUS", callback=lambda *given: _cpus(given[2]),
                     help="Run contenders on these processors only, such as 2,3 or 0-3 (default: all)."),
        click.option("--nice", type=click.IntRange(-20, 19), default=0, show_default=True, metavar="N",
                     help="Add N to the nice value of contenders, as nice(1) does. Negative values need root."),
        click.option("--counters", is_flag=True,
                     help="Also count instructions, cycles, and cache and branch misses, if the kernel permits."),
        click.option("--seed", type=click.IntRange(0, _MOST_SEED), metavar="N",
                     callback=lambda *given: secrets.randbelow(2**31) if given[2] is None else given[2],
                     help="Seed of the random order (default: random; recorded with the run)."),
        click.option("--into", type=NEW_FOLDER, default=Path("runs"),
                     show_default=True, metavar="DIR", help="Create the run's folder in DIR."),
        click.option("--no-build", is_flag=True, help="Skip the experiment's build commands."),
    )

    @functools.wraps(command)
    def sized(*arguments: Any, **given: Any) -> Any:
        size = Size(**{field.name: given.pop(field.name) for field in dataclasses.fields(Size)})
        return command(*arguments, size=size, **given)

    return functools.reduce(lambda made, option: option(made), reversed(options), sized)


def writable(page: Path | None) -> Path | None:
    """Checked before the first round, not after the last. Raises BadParameter."""
    if page is not None and not os.access(page.absolute().parent, os.W_OK):
        raise click.BadParameter(f"cannot write {page}: {page.absolute().parent} is not a writable folder")
    return page


def fraction(tolerance: float | None) -> float | None:
    """Checks the tolerance. Raises BadParameter."""
    if tolerance is not None and not 0 < tolerance < 1:
        raise click.BadParameter(f"the tolerance must be a fraction, such as 0.03 for 3 %, not {tolerance:g}")
    return tolerance


def parameter_values(texts: Sequence[str]) -> dict[str, list[str]]:
    """Parses arguments such as tree=/srv and threads=1,2. Raises BadParameter."""
    parameters = {}
    for text in texts:
        name, sign, values = text.partition("=")
        if not name or not sign or not all(values.split(",")):
            raise click.BadParameter(f"{text} is not of the form NAME=VALUE,..., such as threads=1,2")
        parameters[name] = values.split(",")
    return parameters


def _cpus(text: str | None) -> tuple[int, ...]:
    """Parses a list such as 0,2-3. Raises BadParameter."""
    if text is None:
        return ()
    usable = os.sched_getaffinity(0)
    cpus: set[int] = set()
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            # One more than the last usable processor is enough to see that the range contains others.
            cpus.update(range(int(first), min(int(last or first), max(usable) + 1) + 1))
    except ValueError:
        raise click.BadParameter(f"{text} is not a list of processors, such as 0,2-3") from None
    if not cpus or not cpus <= usable:
        raise click.BadParameter(f"{text}: the available processors are {', '.join(map(str, sorted(usable)))}")
    return tuple(sorted(cpus))
