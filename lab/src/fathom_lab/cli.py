"""The command `fathom-lab`. Its parts are loaded only when they are used: help must not wait for scipy."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from fathom_lab import __version__
from fathom_lab.errors import LabError

if TYPE_CHECKING:
    from rich.console import Console

    from fathom_lab.experiment import Experiment
    from fathom_lab.rows import Analysis
    from fathom_lab.run_folder import RunFolder

_FAILED = 1
_WRONG = 2
_INTERRUPTED = 130

_EXIT_CODES = "Exit codes: 0 done, 1 a contender failed, 2 wrong usage or nothing could run, 130 interrupted."


class _Sentence(click.ClickException):
    exit_code = _WRONG


class _Commands(click.Group):
    """Turns what a user can mend into a sentence, and Ctrl-C into its exit code."""

    def list_commands(self, context: click.Context) -> list[str]:
        """In the order in which they are needed, not by the alphabet."""
        return list(self.commands)

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except LabError as error:
            raise _Sentence(str(error)) from error
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            context.exit(_INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
             epilog=_EXIT_CODES)
@click.version_option(__version__, prog_name="fathom-lab")
def main() -> None:
    """Compares programs and benchmarks in one run, and says what can be concluded.

    Contenders are started in turn, in random order, again and again, so that a slow minute slows all of them. Every
    raw sample is kept in a folder of its own: run, then show or report.
    """


def _size_options(command: Any) -> Any:
    """How much is measured, and where it is put: of `run` and `ab`."""
    options = (
        click.option("--full/--smoke", default=True, show_default=True,
                     help="The plan as the experiment has it, or the small one of its [smoke]: does everything work?"),
        click.option("--rounds", type=click.IntRange(1), metavar="N",
                     help="Launches of each contender, instead of the plan's."),
        click.option("--launch-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
                     help="What a launch may take at most, instead of the plan's (300 unless it says otherwise)."),
        click.option("--pin", metavar="CPUS", callback=lambda *given: _cpus(given[2]),
                     help="Processors that contenders may use, such as 2,3 or 0-3 (default: all)."),
        click.option("--nice", type=click.IntRange(-20, 19), default=0, show_default=True, metavar="N",
                     help="Added to the nice value of the contenders, as nice(1) does; below 0 needs root."),
        click.option("--counters", is_flag=True,
                     help="Also count instructions, cycles and misses, where the kernel lets."),
        click.option("--seed", type=click.IntRange(0), metavar="N",
                     callback=lambda *given: secrets.randbelow(2**31) if given[2] is None else given[2],
                     help="Of the random order (default: another each time; it is kept)."),
        click.option("--into", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"),
                     show_default=True, metavar="DIR", help="Where the run's folder is made."),
        click.option("--no-build", is_flag=True, help="Leave the experiment's build commands out."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@main.command(epilog=_EXIT_CODES)
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--all", "every", is_flag=True, help="All of the project's lab/experiments.")
@_size_options
@click.option("--only", metavar="CONTENDER,...", help="These contenders and the baseline.")
@click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE,...", callback=lambda *given: _given(given[2]),
              help="Other values of a parameter, such as tree=/srv or threads=1,2; may be given several times.")
@click.option("--resume", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
              help="Go on with an interrupted run, with its settings.")
@click.option("--force", is_flag=True, help="With --resume: also with programs that are not those of the first rounds.")
@click.option("--report", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.html",
              callback=lambda *given: _writable(given[2]), help="Also write the page that `report` writes.")
@click.pass_context
def run(context: click.Context, experiments: tuple[str, ...], every: bool, full: bool, rounds: int | None,
        launch_timeout: float | None, pin: tuple[int, ...], nice: int, counters: bool, seed: int, into: Path,
        no_build: bool, only: str | None, parameters: dict[str, list[str]], resume: Path | None, force: bool,
        page: Path | None) -> None:
    """Measure, and say what can be concluded.

    EXPERIMENT is a file, or a name that `list` shows.

    Ctrl-C drops the round that runs and keeps those before; `run --resume FOLDER` goes on from there.
    """
    from fathom_lab import session

    if resume is not None:
        _only_with_resume(context)
        _resume(resume, no_build, force, page)
    if force:
        raise click.UsageError("--force is for --resume FOLDER.")
    files = session.all_files() if every else [session.find(name) for name in experiments]
    if every and not files:
        raise LabError(session.NO_PROJECT)
    if not files or (every and experiments):
        raise click.UsageError("Give experiments, or --all, or --resume FOLDER.")
    chosen = only.split(",") if only else ()
    loaded = [_load(file, full, only=chosen, parameters=parameters, rounds=rounds, timeout=launch_timeout)
              for file in files]
    _measure(_planned(files, loaded, into, seed=seed, cpus=pin, nice=nice, counters=counters), not no_build, page)


@main.command("list")
def list_experiments() -> None:
    """Show the project's experiments and the questions that they answer."""
    from rich.table import Table
    from rich.text import Text

    from fathom_lab import experiment, session

    files = session.all_files()
    if not files:
        raise LabError(session.NO_PROJECT)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold", ratio=1)
    for file in files:
        try:
            question = Text(experiment.load(file).question)
        except LabError as error:
            question = Text(str(error), style="red")
        table.add_row(Text(file.stem, style="bold"), question)
    _console().print(table)


@main.command(epilog=_EXIT_CODES)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def show(folder: Path) -> None:
    """Print what can be concluded from a run."""
    from fathom_lab.run_folder import RunFolder

    _exit(_show(RunFolder(folder)))


@main.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True,
                type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.html",
              callback=lambda *given: _writable(given[2]),
              help="Where the page is written (default: report.html in FOLDER).")
@click.option("--markdown", is_flag=True, help="Print tables for a pull request instead.")
@click.option("--document", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE.md",
              help="Write the tables anew that stand between <!-- lab NAME --> and <!-- /lab --> in it instead; "
              "`lab goals` is that of all goals. Several folders may be given.")
def report(folders: tuple[Path, ...], output: Path | None, markdown: bool, document: Path | None) -> None:
    """Write one HTML page that needs no network."""
    from fathom_lab.run_folder import RunFolder

    if sum((output is not None, markdown, document is not None)) > 1:
        raise click.UsageError("Only one of --output, --markdown and --document can be given.")
    if len(folders) > 1 and document is None:
        raise click.UsageError("Several folders are for --document.")
    kept = RunFolder(folders[0])
    if markdown:
        from fathom_lab.report import markdown as tables

        click.echo(tables.text(_finished(kept), kept.environment()))
    elif document is not None:
        from fathom_lab import experiment, session
        from fathom_lab.report import document as documents

        runs = [documents.Run(_finished(one), one.environment()) for one in map(RunFolder, folders)]
        names, without = documents.write(document, runs, [experiment.load(file) for file in session.all_files()])
        for name in names:
            click.echo(name)
        for name in without:
            who = f"{folders[0]} has" if len(folders) == 1 else "these runs have"
            click.echo(f"left as it was: {name}, of which {who} no results", err=True)
    else:
        _write_page(kept, output or folders[0] / "report.html")


@main.command(epilog=_EXIT_CODES)
@click.argument("first", metavar="REV1")
@click.argument("second", metavar="REV2")
@click.argument("experiment", metavar="EXPERIMENT")
@_size_options
@click.option("--contender", "contenders", multiple=True, metavar="NAME",
              help="Which of the experiment's (default: the baseline); may be given several times.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Where the two checkouts are made (default: in the run's folder).")
@click.option("--keep", is_flag=True, help="Keep the checkouts.")
def ab(first: str, second: str, experiment: str, full: bool, rounds: int | None, launch_timeout: float | None,
       pin: tuple[int, ...], nice: int, counters: bool, seed: int, into: Path, no_build: bool,
       contenders: tuple[str, ...], cache: Path | None, keep: bool) -> None:
    """Compare two git revisions, built side by side. A revision of `.` is the checkout as it is."""
    from fathom_lab import session

    file = session.find(experiment)
    one = _load(file, full, rounds=rounds, timeout=launch_timeout)
    planned = _compared(one, contenders, (first, second))
    placed = {"seed": seed, "cpus": pin, "nice": nice, "counters": counters}
    with session.interruptible(), _side_by_side(
        file, one, planned, (first, second), into, cache, keep, not no_build, **placed
    ) as folder:
        code = _rounds(folder)
        click.echo(folder.path)
    _exit(code)


@main.command(epilog="Exit codes: 0 pass, 1 regress, 2 wrong usage, 3 the machine is too noisy or the baseline cannot "
                     "run, 4 undecided with --strict, 130 interrupted.")
@click.argument("experiment", metavar="EXPERIMENT")
@_size_options
@click.option("--against", metavar="REV", help="Compare the checkout with this git revision, as `ab REV .` does "
              "(default: the experiment's contenders with its baseline).")
@click.option("--contender", "contenders", multiple=True, metavar="NAME",
              help="Which of the experiment's is compared with --against (default: the baseline).")
@click.option("--tolerance", type=float, metavar="FRACTION", callback=lambda *given: _fraction(given[2]),
              help="What does not matter, 0.03 for 3 % (default: the experiment's).")
@click.option("--strict", is_flag=True, help="Let what cannot be told fail, too.")
@click.option("--history", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Add the outcome to this file (JSON lines), and show what it was before on this machine.")
def gate(experiment: str, full: bool, rounds: int | None, launch_timeout: float | None, pin: tuple[int, ...], nice: int,
         counters: bool, seed: int, into: Path, no_build: bool, against: str | None, contenders: tuple[str, ...],
         tolerance: float | None, strict: bool, history: Path | None) -> None:
    """Stop a pull request that is surely slower. What looks worse is measured twice."""
    from fathom_lab import gate as gates
    from fathom_lab import revisions, session

    if contenders and against is None:
        raise click.UsageError("--contender is for --against REV.")
    file = session.find(experiment)
    one = _load(file, full, rounds=rounds, timeout=launch_timeout)
    placed = {"seed": seed, "cpus": pin, "nice": nice, "counters": counters}
    labels = (against or "", revisions.CHECKOUT)
    compared = [one] if against is None else _compared(one, contenders, labels)
    tolerance = tolerance or one.plan.tolerance
    for each in compared:
        gates.check(each, tolerance)
    with contextlib.ExitStack() as stack:
        stack.enter_context(session.interruptible())
        if against is None:
            folder = _planned([file], [one], into, **placed)
            stack.enter_context(_told_where(folder))
            if not no_build:
                _build(folder)
        else:
            folder = stack.enter_context(_side_by_side(
                file, one, compared, labels, into, None, False, not no_build, **placed))
        code = _gate(folder, tolerance, strict, history, _command_line())
    _exit(code)


@main.command("import", epilog=_EXIT_CODES)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option("--baseline", default="", metavar="NAME", help="Of a contender (default: the first).")
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"), show_default=True,
              metavar="DIR", help="Where the folder is made.")
def import_results(files: tuple[Path, ...], baseline: str, into: Path) -> None:
    """Look at what other tools have measured.

    FILE is JSON of Google Benchmark or hyperfine, the output of go test -bench, or criterion's folder. Several files
    are compared with the first; of a single one, its benchmarks with each other.
    """
    from fathom_lab import imports
    from fathom_lab.run_folder import RunFolder, Settings

    found = imports.load(files, baseline)
    # Where the files were measured is not known: this machine and this commit have nothing to do with them.
    facts = {"imported": [str(file) for file in files], "imported_on": datetime.date.today().isoformat()}
    folder = RunFolder.create(into, {**facts, "host": "imported", "lab": __version__})
    folder.add(found.experiment, Settings(seed=0, root=str(Path.cwd()), complete=True))
    folder.append(found.experiment.name, sorted(found.launches, key=lambda launch: launch.round))
    folder.note(found.lost)
    code = _show(folder)
    click.echo(folder.path)
    _exit(code)


@main.command(epilog="Exit codes: 0 nothing speaks against the promise, 1 it is broken, 2 it could not run, "
                     "130 interrupted.")
@click.option("--comparisons", type=click.IntRange(1), default=100, show_default=True, metavar="N",
              help="How often a program is compared with itself.")
@click.option("--rounds", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="Of each comparison.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=600.0, show_default=True,
              metavar="SECONDS", help="No comparison begins after so long.")
def calibrate(comparisons: int, rounds: int, seconds: float) -> None:
    """Find out how often the lab sees a difference on this machine where there is none."""
    from fathom_lab import calibrate as calibration
    from fathom_lab import progress, session

    with session.interruptible(), progress.counted("comparing a program with itself") as on_progress:
        found = calibration.calibrate(comparisons, rounds, seconds, on_progress=on_progress)
    click.echo(found.sentence())
    _exit(0 if found.holds() else _FAILED)


@main.command(epilog="Exit codes: 0 nothing disturbs, 1 something does, 2 wrong usage or something could not be "
                     "changed.")
@click.option("--apply", is_flag=True, help="Set what can be set and taken back (as root).")
@click.option("--undo", is_flag=True, help="Take back what --apply has set (as root).")
@click.option("--json", is_flag=True, help="For programs.")
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the old values are kept (default: ~/.local/state/fathom-lab/doctor.json).")
def doctor(apply: bool, undo: bool, json: bool, state: Path | None) -> None:
    """Say what on this machine disturbs measurements, and how to mend it. Without --apply it changes nothing."""
    from fathom_lab import doctor as examination

    _exit(examination.command(apply, undo, json, state, click.get_text_stream("stdout")))


def _only_with_resume(context: click.Context) -> None:
    from click.core import ParameterSource

    given = {name for name in context.params if context.get_parameter_source(name) == ParameterSource.COMMANDLINE}
    if context.params["experiments"] or given - {"experiments", "resume", "no_build", "force", "page"}:
        raise click.UsageError(
            "--resume takes the run's settings: only --no-build, --force and --report can be given with it.")


def _resume(path: Path, no_build: bool, force: bool, page: Path | None) -> NoReturn:
    from fathom_lab import environment, session
    from fathom_lab.run_folder import RunFolder

    folder = RunFolder(path)
    with folder.locked():
        if not _left(folder):
            click.echo(f"nothing was left of {path}: all its rounds are there")
        else:
            roots = {session.check_unchanged(folder, name).root for name in folder.names()}
            before = folder.environment()
            folder.note(note for root in roots
                        for note in environment.differences(before, environment.collect(Path(root))))
        _measure(folder, not no_build, page, force, fresh=False)


def _measure(
    folder: RunFolder, build: bool, page: Path | None, force: bool = False, fresh: bool = True
) -> NoReturn:
    from fathom_lab import session

    with session.interruptible(), folder.locked(), _told_where(folder):
        if build:
            _build(folder)
        code = _rounds(folder, force)
        if fresh and code == _WRONG and not any(folder.launches(name) for name in folder.names()):
            shutil.rmtree(folder.path)  # nothing was measured: it would only be in the way
            _exit(code)
        click.echo(folder.path)
    if page is not None:
        _write_page(folder, page)
    _exit(code)


def _build(folder: RunFolder) -> None:
    """What the experiments need that are left."""
    from fathom_lab import session

    left = [folder.experiment(name) for name in _left(folder)]
    if any(one.build for one in left):
        _say("building")
        session.build(left, Path(folder.settings(left[0].name).root), folder.path / "build.log")


def _left(folder: RunFolder) -> list[str]:
    """Experiments that have not all their rounds yet."""
    return [name for name in folder.names() if not folder.settings(name).complete]


@contextlib.contextmanager
def _told_where(folder: RunFolder) -> Iterator[None]:
    """However often Ctrl-C is pressed: what was measured must be found again."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(folder.path)
        names = folder.names()
        resumable = names and not any(folder.settings(name).revisions for name in names)
        click.echo(f"interrupted{f'; fathom-lab run --resume {folder.path} goes on' if resumable else ''}", err=True)
        _exit(_INTERRUPTED)


def _rounds(folder: RunFolder, force: bool = False) -> int:
    """All rounds that are left, and what they say. One experiment that cannot run does not stop the others."""
    from fathom_lab import progress, runner, session

    errors: dict[str, LabError] = {}
    left = _left(folder)
    try:
        with progress.shown() as on_progress:
            for name in left:
                try:
                    session.remember_programs(folder, name, force)
                    session.run(folder, name, on_progress=on_progress)
                except LabError as error:
                    errors[name] = error
    except KeyboardInterrupt:
        _show(folder, errors)
        raise
    code = _show(folder, errors)
    for left_out in errors.values():
        click.echo(f"left out: {left_out}", err=True)
    tolerable = all(isinstance(one, runner.Nobody) for one in errors.values()) and len(errors) < max(len(left), 1)
    return code if tolerable else _WRONG


def _show(folder: RunFolder, errors: Collection[str] = ()) -> int:
    """Of experiments with errors, these are said by somebody else."""
    from fathom_lab import environment, session, terminal

    analyses = session.analyses(folder)
    terminal.show(analyses, _console())
    shown = {one.experiment.name for one in analyses} | set(errors)
    for name in folder.names():
        if name not in shown:
            click.echo(f"{name}: no round is finished yet")
    facts = folder.environment()
    for line in environment.in_short(facts) if analyses else ():
        _console().print(line, style="dim", markup=False)
    for note in facts.get("notes", []):
        click.echo(f"note: {note}")
    return _FAILED if any(one.failures for one in analyses) else 0


def _finished(folder: RunFolder) -> list[Analysis]:
    from fathom_lab import session

    analyses = session.analyses(folder)
    if not analyses:
        raise LabError(f"{folder.path} has no finished round yet")
    return analyses


def _write_page(folder: RunFolder, page: Path) -> None:
    from fathom_lab.report import html

    launches = {name: folder.launches(name) for name in folder.names()}
    html.write(_finished(folder), folder.environment(), page, launches)
    click.echo(page)


def _planned(files: Sequence[Path], experiments: Sequence[Experiment], into: Path, **placed: Any) -> RunFolder:
    """A new folder with everything but the rounds."""
    from fathom_lab import session
    from fathom_lab.run_folder import Settings

    roots = sorted({session.project(file) for file in files})
    if len(roots) > 1:
        raise LabError(f"the experiments belong to different projects: {', '.join(map(str, roots))}; run them apart")
    folder = _new_folder(into, roots[0], experiments, **placed)
    for file, one in zip(files, experiments):
        folder.add(one, Settings(root=str(roots[0]), source=str(file.absolute()), **placed), file.read_bytes())
    return folder


def _compared(one: Experiment, contenders: Sequence[str], labels: tuple[str, str]) -> list[Experiment]:
    """One experiment for each contender, the first for the baseline of a choice that is empty."""
    from fathom_lab import revisions

    compared = [revisions.compared(one, name, labels) for name in contenders or (one.baseline,)]
    if len(compared) == 1:
        return compared
    return [dataclasses.replace(each, name=f"{one.name}-{number}") for number, each in enumerate(compared, 1)]


@contextlib.contextmanager
def _side_by_side(file: Path, one: Experiment, compared: Sequence[Experiment], labels: tuple[str, str], into: Path,
                  cache: Path | None, keep: bool, build: bool, **placed: Any) -> Iterator[RunFolder]:
    """A new folder with everything but the rounds, and the two checkouts for as long as the block lasts."""
    from fathom_lab import environment, revisions, session
    from fathom_lab.run_folder import Settings

    root = session.project(file)
    revisions.check(root, labels)
    folder = _new_folder(into, root, [one], **placed)
    with _told_where(folder), revisions.checkouts(root, labels, cache or folder.path / "checkouts", keep) as roots:
        for label, checkout in zip(labels, roots):
            if build and one.build:
                _say(f"building {label}")
                _build_revision(one, label, checkout, folder.path / "build.log")
        commits = [environment.commit(path) for path in roots]
        folder.update_environment({"revisions": dict(zip(labels, commits))})
        for each in compared:
            theirs = {contender.name: str(path) for contender, path in zip(each.contenders, roots)}
            folder.add(each, Settings(root=str(root), revisions=labels, roots=theirs, **placed), file.read_bytes())
        yield folder


def _build_revision(one: Experiment, label: str, checkout: Path, log: Path) -> None:
    from fathom_lab import session

    try:
        session.build([one], checkout, log)
    except LabError as error:
        raise LabError(f"{label} cannot be built: {error}") from error


def _gate(folder: RunFolder, tolerance: float, strict: bool, history: Path | None, command: str) -> int:
    """The worst exit code of the folder's experiments."""
    from fathom_lab import gate as gates

    def judge(name: str) -> int:
        return gates.gate_command(
            _analyzed(folder, name),
            lambda: _analyzed(_once_more(folder, name), name),
            environment=folder.environment(),
            tolerance=tolerance,
            strict=strict,
            history=history,
            command=command,
            say=click.echo,
        )

    codes = [judge(name) for name in folder.names()]
    click.echo(folder.path)
    return gates.worst(codes)


def _analyzed(folder: RunFolder, name: str) -> Analysis:
    from fathom_lab import progress, runner, session

    session.remember_programs(folder, name)
    with contextlib.suppress(runner.Nobody), progress.shown() as on_progress:  # who is missing is for the gate to judge
        session.run(folder, name, on_progress=on_progress)
    return session.analysis(folder, name)


def _once_more(folder: RunFolder, name: str) -> RunFolder:
    """A second run of the same, in another order."""
    from fathom_lab.run_folder import RunFolder

    settings = folder.settings(name)
    second = RunFolder.create(folder.path.parent, folder.environment())
    second.update_environment({"experiments": []})
    click.echo(f"the second run, to confirm it: {second.path}")
    second.add(folder.experiment(name), dataclasses.replace(settings, seed=settings.seed + 1, complete=False))
    return second


def _new_folder(into: Path, root: Path, experiments: Sequence[Experiment], seed: int, cpus: Sequence[int], nice: int,
                counters: bool) -> RunFolder:
    """After a look at all options: a mistake should not cost a build first."""
    from fathom_lab import counters as processor
    from fathom_lab import environment, runner, templates
    from fathom_lab.run_folder import RunFolder

    for one in experiments:
        runner.all_options(one, dict.fromkeys(one.names(), root), cpus)
        templates.fill(one.build, {"root": root}, f"{one.name}: build")
    names = [one.name for one in experiments]
    if len(set(names)) < len(names):
        raise LabError("two of the experiments have the same name: run them apart")
    _check_priority(nice)
    if counters and (reason := processor.unavailable()):
        click.echo(f"note: the processor's counters are {reason}", err=True)
    return RunFolder.create(into, {**environment.collect(root), "command": _command_line(), "seed": seed})


def _command_line() -> str:
    """What does the same again."""
    return shlex.join(["fathom-lab", *sys.argv[1:]])


def _load(file: Path, full: bool, **changes: Any) -> Experiment:
    """In the size that was asked for."""
    from fathom_lab import experiment, session

    if not full and not experiment.load(file).has_smoke_size():
        click.echo(f"note: {file.name} has no [smoke]: --smoke runs its whole plan", err=True)
    return session.load(file, smoke=not full, **changes)


def _writable(page: Path | None) -> Path | None:
    """Asked before the first round, not after the last. Raises BadParameter."""
    if page is not None and not os.access(page.absolute().parent, os.W_OK):
        raise click.BadParameter(f"{page} cannot be written: there is no folder {page.absolute().parent} to write to")
    return page


def _fraction(tolerance: float | None) -> float | None:
    """Raises BadParameter."""
    if tolerance is not None and not 0 < tolerance < 1:
        raise click.BadParameter(f"the tolerance is a fraction: 0.03 for 3 %; not {tolerance:g}")
    return tolerance


def _given(texts: Sequence[str]) -> dict[str, list[str]]:
    """Of tree=/srv and threads=1,2. Raises BadParameter."""
    parameters = {}
    for text in texts:
        name, sign, values = text.partition("=")
        if not name or not sign or not all(values.split(",")):
            raise click.BadParameter(f"{text} is no NAME=VALUE,..., such as threads=1,2")
        parameters[name] = values.split(",")
    return parameters


def _cpus(text: str | None) -> tuple[int, ...]:
    """Of 0,2-3. Raises BadParameter."""
    if text is None:
        return ()
    cpus: set[int] = set()
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus.update(range(int(first), int(last or first) + 1))
    except ValueError:
        raise click.BadParameter(f"{text} is no list of processors, such as 0,2-3") from None
    usable = os.sched_getaffinity(0)
    if not cpus or not cpus <= usable:
        raise click.BadParameter(f"{text}: the processors that may be used are {', '.join(map(str, sorted(usable)))}")
    return tuple(sorted(cpus))


def _check_priority(nice: int) -> None:
    command = [sys.executable, "-c", f"import os; os.nice({nice})"]
    if nice < 0 and subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        raise LabError(f"--nice {nice} is not allowed here: become root, or leave it out")


def _say(text: str) -> None:
    """Only to somebody who is there."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def _exit(code: int) -> NoReturn:
    click.get_current_context().exit(code)
