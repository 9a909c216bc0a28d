"""The steps around the rounds: finds experiments, builds them, and reads runs back."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from fathom_lab import environment, experiment, runner, templates
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN, BESIDE_AGAIN, Experiment
from fathom_lab.run_folder import RunFolder, Settings
from fathom_lab.runner import Step

if TYPE_CHECKING:
    from fathom_lab.experiment import Point
    from fathom_lab.records import Launch
    from fathom_lab.rows import Analysis

NO_PROJECT = ("no folder lab/experiments here or above; change to the project's folder, or write a first experiment "
              "with fathom-lab init")
_LOG_TAIL = 15  # lines to show of a failed build


def find(name: str) -> Path:
    """The file of an experiment: a path, or a name in the project's lab/experiments."""
    path = Path(name)
    if path.suffix == ".toml" or path.exists():
        return path.absolute()
    listed = {one.stem: one for one in all_files()}
    if name not in listed:
        raise LabError(f"there is no experiment {name}: {_suggestion(name, list(listed))}")
    return listed[name]


def _suggestion(name: str, known: Sequence[str]) -> str:
    if Path(f"{name}.toml").exists():
        return f"did you mean the file ./{name}.toml?"
    if not known:
        return NO_PROJECT
    guess = difflib.get_close_matches(name, known, 1)
    return f"{f'did you mean {guess[0]}? ' if guess else ''}there are {', '.join(known)}"


def all_files() -> list[Path]:
    """The files lab/experiments/*.toml of the project around the current folder, or of the lab's own project."""
    here = Path.cwd()
    for parent in (here, *here.parents, Path(__file__).resolve().parents[3]):
        folder = parent / "lab" / "experiments"
        if folder.is_dir():
            return sorted(folder.glob("*.toml"))
    return []


def project(file: Path) -> Path:
    """The folder that {root} stands for: the nearest folder above the file that is a git checkout.

    Without git, as in an unpacked archive, it is the outermost folder above that has a CMakeLists.txt, go.mod or
    pyproject.toml; without those, the folder that has the file in its lab/experiments, or the file's own folder.
    """
    parents = file.absolute().parents
    for parent in parents:
        if (parent / ".git").exists():
            return parent
    built = [one for one in parents for name in ("CMakeLists.txt", "go.mod", "pyproject.toml") if (one / name).exists()]
    return built[-1] if built else parents[2 if parents[0].parts[-2:] == ("lab", "experiments") else 0]


def build(experiments: Sequence[Experiment], root: Path, log: Path) -> None:
    """Runs the build commands in the project's folder, each distinct command once. Raises LabError if one fails."""
    commands = list(dict.fromkeys(command for one in experiments for command in one.build))
    if not commands:
        return
    with open(log, "ab") as output:
        for command in commands:
            filled = templates.fill(command, {"root": str(root)}, "build")
            output.write(f"$ {shlex.join(filled)}\n".encode())
            output.flush()
            _build(filled, root, log, output)


def _build(command: list[str], root: Path, log: Path, output: Any) -> None:
    try:
        code = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                              check=False).returncode
    except OSError as error:
        raise LabError(f"{shlex.join(command)} cannot be started in {root}: {error.strerror}") from error
    if code:
        end = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_TAIL:])
        raise LabError(f"{shlex.join(command)} failed in {root} with exit code {code}; see {log}, which ends:\n{end}")


def run(
    folder: RunFolder,
    name: str,
    *,
    on_progress: Callable[[Step], None] = lambda step: None,
    undecided: Callable[[Analysis], Collection[Point]] | None = None,
) -> None:
    """Runs the remaining rounds of an experiment, with the settings in the folder. With a budget, `undecided` says at
    which points more rounds are needed; by default those whose questions are open."""
    from fathom_lab import analysis

    def left(launches: Sequence[Launch]) -> Collection[Point]:
        missing = folder.settings(name).missing
        if undecided is None:
            return analysis.undecided(one, launches, missing)
        return undecided(analysis.analyze(one, launches, missing, False))

    settings = folder.settings(name)
    one = folder.experiment(name)
    before = environment.processor_time()
    runner.run(
        one,
        folder,
        seed=settings.seed,
        cpus=settings.cpus or None,
        nice=settings.nice,
        counters=settings.counters,
        on_progress=on_progress,
        undecided=left,
    )
    folder.update_environment(environment.after(before))


def remember_programs(folder: RunFolder, name: str, force: bool = False) -> list[str]:
    """Records the programs to measure. Returns notes about programs that have changed since the run began.

    Without `force`, a changed program that has launches raises LabError.
    """
    one = folder.experiment(name)
    roots = folder.settings(name).roots_of(one)
    files = runner.programs(one, roots)
    now = {contender: environment.program(file) for contender, file in files.items() if os.access(file, os.R_OK)}
    for contender in one.contenders:
        if contender.version and contender.name in now:
            now[contender.name]["version"] = environment.version(contender.version, roots[contender.name])
    programs = folder.environment().get("programs", {})
    changed = _changed(programs.get(name, {}), now) if folder.launches(name) else []
    if changed and not force:
        raise LabError(
            f"{name}: the program of {', '.join(changed)} has changed since the run began, and results of both would "
            "be mixed: start a new run, or use --force"
        )
    notes = [f"{name}: the program of {one} has changed since the run began" for one in changed]
    folder.update_environment({"programs": {**programs, name: now}})
    folder.note(notes)
    return notes


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The contenders whose program has a different content. A different path does not matter."""
    return [one for one in now if one in before and before[one].get("sha256") != now[one].get("sha256")
            if one not in (AGAIN, BESIDE_AGAIN)]


def check_unchanged(folder: RunFolder, name: str) -> Settings:
    """Raises LabError if the run cannot be resumed."""
    settings = folder.settings(name)
    if settings.revisions:
        raise LabError(f"{folder.path} compares revisions and cannot be resumed: its checkouts are gone; start anew")
    source = Path(settings.source)
    if settings.source and source.exists() and source.read_bytes() != folder.toml(name):
        raise LabError(f"{source} has changed since {folder.path} began; start a new run")
    return settings


def analyses(folder: RunFolder) -> list[Analysis]:
    """The analyses of all experiments that have a round, or that failed before the first."""
    begun = [name for name in folder.names() if any(one.round >= 0 or one.failure for one in folder.launches(name))]
    return [analysis(folder, name) for name in begun]


def analysis(folder: RunFolder, name: str) -> Analysis:
    from fathom_lab.analysis import analyze

    settings = folder.settings(name)
    return analyze(folder.experiment(name), folder.launches(name), settings.missing, settings.complete)


def with_plan(one: Experiment, **changes: Any) -> Experiment:
    """The experiment with changes of its plan; None leaves a value as it is. A budget without a number of rounds lifts
    the plan's limit."""
    chosen = {key: value for key, value in changes.items() if value is not None}
    if "budget" in chosen:
        chosen = {"rounds": experiment.MOST_ROUNDS, **chosen}
    return dataclasses.replace(one, plan=attrs.evolve(one.plan, **chosen))


def load(
    path: Path,
    *,
    smoke: bool = False,
    only: Sequence[str] = (),
    parameters: Mapping[str, Sequence[str]] | None = None,
    **plan: Any,
) -> Experiment:
    one = experiment.load(path)
    one = one.in_smoke_size() if smoke else one
    for name, values in (parameters or {}).items():
        one = one.at(name, values)
    return with_plan(one.only(only) if only else one, **plan)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does, so that cleanup runs."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)}
    for one, handler in before.items():
        if handler == signal.SIG_DFL:
            signal.signal(one, interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def new_folder(into: Path, experiments: Sequence[Experiment], settings: Settings, command: str = "") -> RunFolder:
    """Creates the folder of a run that will measure these experiments, which the caller adds. Checks all options first,
    so that a mistake does not cost a build. Raises LabError."""
    root = Path(settings.root)
    for one in experiments:
        runner.all_options(one, dict.fromkeys(one.names(), root), settings.cpus)
        templates.fill(one.build, {"root": root}, f"{one.name}: build")
    names = [one.name for one in experiments]
    if len(set(names)) < len(names):
        raise LabError("two of the experiments have the same name: run them separately")
    _check_priority(settings.nice)
    facts = {**environment.collect(root), "command": command, "seed": settings.seed}
    return RunFolder.create(into, facts)


def _check_priority(nice: int) -> None:
    command = [sys.executable, "-c", f"import os; os.nice({nice})"]
    if nice < 0 and subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        raise LabError(f"--nice {nice} is not permitted: run as root, or omit it")
