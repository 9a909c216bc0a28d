"""The command `fathom-lab`. It imports its modules when they are used, so that help does not wait for scipy."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import math
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

# As experiment.MOST_ROUNDS and MOST_SECONDS, which are not imported for help.
_MOST_ROUNDS = 10_000
_MOST_SECONDS = 7 * 24 * 3600.0
_MOST_COMPARISONS = 100_000
_MOST_SEED = 2**63 - 1

_GO_VARIABLES = ("GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG")
_EXIT_CODES = "Exit codes: 0 success, 1 a contender failed, 2 invalid usage or nothing could run, 130 interrupted."


class _Sentence(click.ClickException):
    exit_code = _WRONG


class _Seconds(click.FloatRange):
    """More than 0, and at most a week."""

    def __init__(self) -> None:
        super().__init__(0, _MOST_SECONDS, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        seconds = float(super().convert(value, param, context))
        if math.isnan(seconds):  # which no comparison with the range refuses
            self.fail(f"{value} is not a number of seconds.", param, context)
        return seconds


class _Commands(click.Group):
    """Turns errors that a user can fix into one sentence, and Ctrl-C into its exit code."""

    def list_commands(self, context: click.Context) -> list[str]:
        """In the order in which users need them, not alphabetically."""
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
    """Compare programs and benchmarks in one run, and say what can be concluded.

    Each round runs every contender once, in random order, so that a slow minute slows all of them equally. All raw
    samples of a run are kept in a folder: first run, then show or report.
    """


def _size_options(command: Any) -> Any:
    """Options of `run`, `ab` and `gate`: how much to measure, and where to put the results."""
    options = (
        click.option("--full/--smoke", default=True, show_default=True,
                     help="Run the experiment's full plan, or the short one of its [smoke] section to check that it "
                     "works."),
        click.option("--rounds", type=click.IntRange(1, _MOST_ROUNDS), metavar="N",
                     help="Number of launches of each contender (default: the plan's)."),
        click.option("--launch-timeout", type=_Seconds(), metavar="SECONDS",
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
        click.option("--into", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"),
                     show_default=True, metavar="DIR", help="Create the run's folder in DIR."),
        click.option("--no-build", is_flag=True, help="Skip the experiment's build commands."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@main.command(epilog=_EXIT_CODES)
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--all", "every", is_flag=True, help="Run all experiments of the project (lab/experiments).")
@_size_options
@click.option("--only", metavar="CONTENDER,...", help="Measure only these contenders and the baseline.")
@click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE,...", callback=lambda *given: _given(given[2]),
              help="Override the values of a parameter, such as tree=/srv or threads=1,2. Repeatable.")
@click.option("--profile", "profiles", multiple=True, type=click.Choice(["cpu", "memory", "trace"]),
              help="After the rounds, also write a profile of each contender: Go's benchmarks their own, others cpu "
              "by perf. Repeatable.")
@click.option("--resume", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
              help="Continue an interrupted run, with its settings.")
@click.option("--force", is_flag=True,
              help="With --resume: continue even if the programs have changed since the first rounds.")
@click.option("--report", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.html",
              callback=lambda *given: _writable(given[2]), help="Also write an HTML report, as `report` does.")
@click.pass_context
def run(context: click.Context, experiments: tuple[str, ...], every: bool, full: bool, rounds: int | None,
        launch_timeout: float | None, pin: tuple[int, ...], nice: int, counters: bool, seed: int, into: Path,
        no_build: bool, only: str | None, parameters: dict[str, list[str]], profiles: tuple[str, ...],
        resume: Path | None, force: bool, page: Path | None) -> None:
    """Run experiments and print the conclusions.

    EXPERIMENT is a file, or a name that `list` shows.

    Ctrl-C discards the current round and keeps the earlier ones; `run --resume FOLDER` continues from there.
    """
    from fathom_lab import session

    if resume is not None:
        _only_with_resume(context)
        _resume(resume, no_build, force, page)
    if force:
        raise click.UsageError("--force requires --resume FOLDER.")
    files = session.all_files() if every else [session.find(name) for name in experiments]
    if every and not files:
        raise LabError(session.NO_PROJECT)
    if not files or (every and experiments):
        raise click.UsageError("Specify experiments, --all, or --resume FOLDER.")
    chosen = only.split(",") if only else ()
    loaded = [_load(file, full, only=chosen, parameters=parameters, rounds=rounds, timeout=launch_timeout)
              for file in files]
    folder = _planned(files, loaded, into, profiles, seed=seed, cpus=pin, nice=nice, counters=counters)
    _measure(folder, not no_build, page)


@main.command("list")
def list_experiments() -> None:
    """List the project's experiments with their questions."""
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
    """Print the conclusions of a run."""
    from fathom_lab.run_folder import RunFolder

    _exit(_show(RunFolder(folder)))


@main.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True,
                type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.html",
              callback=lambda *given: _writable(given[2]),
              help="Write the page to this file (default: report.html in FOLDER).")
@click.option("--markdown", is_flag=True, help="Print Markdown tables for a pull request instead.")
@click.option("--document", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE.md",
              help="Instead, rewrite the tables in FILE.md between <!-- lab NAME --> and <!-- /lab -->; the table of "
              "`lab goals` shows all goals. Accepts several folders.")
def report(folders: tuple[Path, ...], output: Path | None, markdown: bool, document: Path | None) -> None:
    """Write a self-contained HTML page."""
    from fathom_lab.run_folder import RunFolder

    if sum((output is not None, markdown, document is not None)) > 1:
        raise click.UsageError("--output, --markdown and --document are mutually exclusive.")
    if len(folders) > 1 and document is None:
        raise click.UsageError("Several folders require --document.")
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
            click.echo(f"not changed: {name}, for which {who} no results", err=True)
    else:
        _write_page(kept, output or folders[0] / "report.html")


@main.command(epilog=_EXIT_CODES)
@click.argument("first", metavar="REV1")
@click.argument("second", metavar="REV2")
@click.argument("experiment", metavar="EXPERIMENT")
@_size_options
@click.option("--contender", "contenders", multiple=True, metavar="NAME",
              help="Compare this contender of the experiment (default: the baseline). Repeatable.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Create the two checkouts in DIR (default: in the run's folder).")
@click.option("--keep", is_flag=True, help="Keep the checkouts afterwards.")
def ab(first: str, second: str, experiment: str, full: bool, rounds: int | None, launch_timeout: float | None,
       pin: tuple[int, ...], nice: int, counters: bool, seed: int, into: Path, no_build: bool,
       contenders: tuple[str, ...], cache: Path | None, keep: bool) -> None:
    """Compare two git revisions, built side by side. The revision `.` is the working tree."""
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


@main.command(epilog="Exit codes: 0 pass, 1 regression, 2 invalid usage, 3 the machine is too noisy or the baseline "
                     "cannot run, 4 undecided with --strict, 130 interrupted.")
@click.argument("experiment", metavar="EXPERIMENT")
@_size_options
@click.option("--against", metavar="REV", help="Compare the working tree with this git revision, as `ab REV .` does "
              "(default: compare the experiment's contenders with its baseline).")
@click.option("--contender", "contenders", multiple=True, metavar="NAME",
              help="With --against: compare this contender of the experiment (default: the baseline). Repeatable.")
@click.option("--tolerance", type=float, metavar="FRACTION", callback=lambda *given: _fraction(given[2]),
              help="Largest difference that does not matter; 0.03 means 3 % (default: the experiment's).")
@click.option("--strict", is_flag=True, help="Also fail if the result is undecided.")
@click.option("--history", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Append the outcome to this file (JSON lines), and show earlier outcomes on this machine.")
def gate(experiment: str, full: bool, rounds: int | None, launch_timeout: float | None, pin: tuple[int, ...], nice: int,
         counters: bool, seed: int, into: Path, no_build: bool, against: str | None, contenders: tuple[str, ...],
         tolerance: float | None, strict: bool, history: Path | None) -> None:
    """Fail if a change is certainly slower, for CI. A result that looks worse is measured a second time."""
    from fathom_lab import gate as gates
    from fathom_lab import revisions, session

    if contenders and against is None:
        raise click.UsageError("--contender requires --against REV.")
    file = session.find(experiment)
    one = _load(file, full, rounds=rounds, timeout=launch_timeout)
    placed: dict[str, Any] = {"seed": seed, "cpus": pin, "nice": nice, "counters": counters}
    labels = (against or "", revisions.CHECKOUT)
    compared = [one] if against is None else _compared(one, contenders, labels)
    tolerance = tolerance or one.plan.tolerance
    for each in compared:
        gates.check(each, tolerance)
    with contextlib.ExitStack() as stack:
        stack.enter_context(session.interruptible())
        if against is None:
            folder = _planned([file], [one], into, **placed)
            stack.enter_context(_folder_printed(folder))
            if not no_build:
                _build(folder)
        else:
            folder = stack.enter_context(_side_by_side(
                file, one, compared, labels, into, None, False, not no_build, **placed))
        code = _gate(folder, tolerance, strict, history, _command_line())
    _exit(code)


@main.command("import", epilog=_EXIT_CODES)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option("--baseline", default="", metavar="NAME", help="Contender to use as the baseline (default: the first).")
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"), show_default=True,
              metavar="DIR", help="Create the run's folder in DIR.")
def import_results(files: tuple[Path, ...], baseline: str, into: Path) -> None:
    """Import the results of other tools.

    FILE is JSON of Google Benchmark or hyperfine, the output of go test -bench, or criterion's folder. With several
    files, the others are compared with the first; with one, its benchmarks are compared with each other.
    """
    from fathom_lab import imports
    from fathom_lab.run_folder import RunFolder, Settings

    found = imports.load(files, baseline)
    # The files may have been measured on another machine and with another commit.
    facts = {"imported": [str(file) for file in files], "imported_on": datetime.date.today().isoformat()}
    folder = RunFolder.create(into, {**facts, "host": "imported", "lab": __version__})
    folder.add(found.experiment, Settings(seed=0, root=str(Path.cwd()), complete=True))
    folder.append(found.experiment.name, sorted(found.launches, key=lambda launch: launch.round))
    folder.note(found.lost)
    code = _show(folder)
    click.echo(folder.path)
    _exit(code)


@main.command(epilog="Exit codes: 0 consistent with the promised rate, 1 too many false alarms, 2 it could not run, "
                     "130 interrupted.")
@click.option("--comparisons", type=click.IntRange(1, _MOST_COMPARISONS), default=100, show_default=True, metavar="N",
              help="Number of comparisons of a program with itself.")
@click.option("--rounds", type=click.IntRange(1, _MOST_ROUNDS), default=20, show_default=True, metavar="N",
              help="Rounds in each comparison.")
@click.option("--seconds", type=_Seconds(), default=600.0, show_default=True,
              metavar="SECONDS", help="Start no comparison after this time.")
def calibrate(comparisons: int, rounds: int, seconds: float) -> None:
    """Measure the rate of false alarms on this machine."""
    from fathom_lab import calibrate as calibration
    from fathom_lab import progress, session

    with session.interruptible(), progress.counted("comparing a program with itself") as on_progress:
        found = calibration.calibrate(comparisons, rounds, seconds, on_progress=on_progress)
    click.echo(found.sentence())
    _exit(0 if found.holds() else _FAILED)


@main.command(epilog="Exit codes: 0 nothing disturbs measurements, 1 something does, 2 invalid usage or a setting "
                     "could not be changed.")
@click.option("--apply", is_flag=True, help="Change the settings that can be changed and restored (as root).")
@click.option("--undo", is_flag=True, help="Restore the settings that --apply changed (as root).")
@click.option("--json", is_flag=True, help="Print JSON.")
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Keep the old values in FILE (default: ~/.local/state/fathom-lab/doctor.json).")
def doctor(apply: bool, undo: bool, json: bool, state: Path | None) -> None:
    """Report what disturbs measurements here, and how to fix it. Without --apply it changes nothing."""
    from fathom_lab import doctor as examination

    _exit(examination.command(apply, undo, json, state, click.get_text_stream("stdout")))


def _only_with_resume(context: click.Context) -> None:
    from click.core import ParameterSource

    given = {name for name in context.params if context.get_parameter_source(name) == ParameterSource.COMMANDLINE}
    if context.params["experiments"] or given - {"experiments", "resume", "no_build", "force", "page"}:
        raise click.UsageError(
            "--resume uses the run's settings: only --no-build, --force and --report can be combined with it.")


def _resume(path: Path, no_build: bool, force: bool, page: Path | None) -> NoReturn:
    from fathom_lab import environment, session
    from fathom_lab.run_folder import RunFolder

    folder = RunFolder(path)
    with folder.locked():
        if not _left(folder):
            click.echo(f"{path} is complete: nothing to resume")
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

    with session.interruptible(), folder.locked(), _folder_printed(folder):
        if build:
            _build(folder)
        code = _rounds(folder, force)
        if fresh and code == _WRONG and not any(folder.launches(name) for name in folder.names()):
            shutil.rmtree(folder.path)  # nothing was measured
            _exit(code)
        click.echo(folder.path)
    if page is not None:
        _write_page(folder, page)
    _exit(code)


def _build(folder: RunFolder) -> None:
    """Builds what the incomplete experiments need."""
    from fathom_lab import session

    left = [folder.experiment(name) for name in _left(folder)]
    if any(one.build for one in left):
        _say("building")
        session.build(left, Path(folder.settings(left[0].name).root), folder.path / "build.log")


def _left(folder: RunFolder) -> list[str]:
    """The experiments whose rounds are not complete."""
    return [name for name in folder.names() if not folder.settings(name).complete]


@contextlib.contextmanager
def _folder_printed(folder: RunFolder) -> Iterator[None]:
    """Prints the folder on Ctrl-C, so that users can find the results of the rounds so far."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(folder.path)
        names = folder.names()
        resumable = names and not any(folder.settings(name).revisions for name in names)
        resume = f"; to continue: fathom-lab run --resume {folder.path}" if resumable else ""
        click.echo(f"interrupted{resume}", err=True)
        _exit(_INTERRUPTED)


def _rounds(folder: RunFolder, force: bool = False) -> int:
    """Runs the remaining rounds and shows the results. An experiment that cannot run does not stop the others."""
    from fathom_lab import profiles, progress, runner, session

    errors: dict[str, LabError] = {}
    profiled: list[str] = []
    left = _left(folder)
    try:
        with progress.shown() as on_progress:
            for name in left:
                try:
                    session.remember_programs(folder, name, force)
                    session.run(folder, name, on_progress=on_progress)
                    if kinds := folder.settings(name).profiles:
                        profiled += profiles.told(profiles.record(folder, name, kinds))
                except LabError as error:
                    errors[name] = error
    except KeyboardInterrupt:
        _show(folder, errors)
        raise
    code = _show(folder, errors)
    for line in profiled:
        click.echo(line)
    for why in errors.values():
        click.echo(f"skipped: {why}", err=True)
    only_missing = all(isinstance(one, runner.NothingToCompare) for one in errors.values())
    return code if only_missing and len(errors) < max(len(left), 1) else _WRONG


def _show(folder: RunFolder, errors: Collection[str] = ()) -> int:
    """Shows the results. The caller reports the errors of the experiments in `errors`."""
    from fathom_lab import environment, session, terminal

    analyses = session.analyses(folder)
    terminal.show(analyses, _console())
    shown = {one.experiment.name for one in analyses} | set(errors)
    for name in folder.names():
        if name not in shown:
            click.echo(f"{name}: no complete round yet")
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
        raise LabError(f"{folder.path} has no complete round yet")
    return analyses


def _write_page(folder: RunFolder, page: Path) -> None:
    from fathom_lab.report import html

    launches = {name: folder.launches(name) for name in folder.names()}
    html.write(_finished(folder), folder.environment(), page, launches)
    click.echo(page)


def _planned(files: Sequence[Path], experiments: Sequence[Experiment], into: Path, profiles: Sequence[str] = (),
             **placed: Any) -> RunFolder:
    """Creates a folder with everything except the rounds."""
    from fathom_lab import session
    from fathom_lab.run_folder import Settings

    roots = sorted({session.project(file) for file in files})
    if len(roots) > 1:
        raise LabError(f"the experiments belong to different projects: {', '.join(map(str, roots))}; run them apart")
    folder = _new_folder(into, roots[0], experiments, **placed)
    for file, one in zip(files, experiments):
        settings = Settings(root=str(roots[0]), source=str(file.absolute()), profiles=tuple(dict.fromkeys(profiles)),
                            **placed)
        folder.add(one, settings, file.read_bytes())
    return folder


def _compared(one: Experiment, contenders: Sequence[str], labels: tuple[str, str]) -> list[Experiment]:
    """One experiment for each contender; only the baseline if `contenders` is empty."""
    from fathom_lab import revisions

    compared = [revisions.compared(one, name, labels) for name in contenders or (one.baseline,)]
    if len(compared) == 1:
        return compared
    return [dataclasses.replace(each, name=f"{one.name}-{number}") for number, each in enumerate(compared, 1)]


@contextlib.contextmanager
def _side_by_side(file: Path, one: Experiment, compared: Sequence[Experiment], labels: tuple[str, str], into: Path,
                  cache: Path | None, keep: bool, build: bool, **placed: Any) -> Iterator[RunFolder]:
    """Creates a folder with everything except the rounds, and the two checkouts, which last as long as the block."""
    from fathom_lab import environment, revisions, session
    from fathom_lab.run_folder import Settings

    root = session.project(file)
    revisions.check(root, labels)
    folder = _new_folder(into, root, [one], **placed)
    with _folder_printed(folder), revisions.checkouts(root, labels, cache or folder.path / "checkouts", keep) as roots:
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
    """Returns the worst exit code of the folder's experiments."""
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
    # The gate judges missing contenders.
    with contextlib.suppress(runner.NothingToCompare), progress.shown() as on_progress:
        session.run(folder, name, on_progress=on_progress)
    return session.analysis(folder, name)


def _once_more(folder: RunFolder, name: str) -> RunFolder:
    """Creates a second run of the same experiment, in another order."""
    from fathom_lab.run_folder import RunFolder

    settings = folder.settings(name)
    second = RunFolder.create(folder.path.parent, folder.environment())
    second.update_environment({"experiments": []})
    click.echo(f"second run, for confirmation: {second.path}")
    second.add(folder.experiment(name), dataclasses.replace(settings, seed=settings.seed + 1, complete=False))
    return second


def _new_folder(into: Path, root: Path, experiments: Sequence[Experiment], seed: int, cpus: Sequence[int], nice: int,
                counters: bool) -> RunFolder:
    """Checks all options first, so that a mistake does not cost a build."""
    from fathom_lab import counters as processor
    from fathom_lab import environment, runner, templates
    from fathom_lab.run_folder import RunFolder

    for one in experiments:
        runner.all_options(one, dict.fromkeys(one.names(), root), cpus)
        templates.fill(one.build, {"root": root}, f"{one.name}: build")
    names = [one.name for one in experiments]
    if len(set(names)) < len(names):
        raise LabError("two of the experiments have the same name: run them separately")
    _check_priority(nice)
    if counters and (reason := processor.unavailable()):
        click.echo(f"note: the processor's counters are {reason}", err=True)
    return RunFolder.create(into, {**environment.collect(root), "command": _command_line(), "seed": seed})


def _command_line() -> str:
    """The command line of this run, with the variables that change what Go's contenders do."""
    variables = [f"{name}={shlex.quote(os.environ[name])}" for name in _GO_VARIABLES if os.environ.get(name)]
    return " ".join([*variables, shlex.join(["fathom-lab", *sys.argv[1:]])])


def _load(file: Path, full: bool, **changes: Any) -> Experiment:
    """Loads the experiment in the requested size."""
    from fathom_lab import experiment, session

    if not full and not experiment.load(file).has_smoke_size():
        click.echo(f"note: {file.name} has no [smoke] section: --smoke runs the full plan", err=True)
    return session.load(file, smoke=not full, **changes)


def _writable(page: Path | None) -> Path | None:
    """Checked before the first round, not after the last. Raises BadParameter."""
    if page is not None and not os.access(page.absolute().parent, os.W_OK):
        raise click.BadParameter(f"cannot write {page}: {page.absolute().parent} is not a writable folder")
    return page


def _fraction(tolerance: float | None) -> float | None:
    """Checks the tolerance. Raises BadParameter."""
    if tolerance is not None and not 0 < tolerance < 1:
        raise click.BadParameter(f"the tolerance must be a fraction, such as 0.03 for 3 %, not {tolerance:g}")
    return tolerance


def _given(texts: Sequence[str]) -> dict[str, list[str]]:
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


def _check_priority(nice: int) -> None:
    command = [sys.executable, "-c", f"import os; os.nice({nice})"]
    if nice < 0 and subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        raise LabError(f"--nice {nice} is not permitted: run as root, or omit it")


def _say(text: str) -> None:
    """Prints only if stderr is a terminal."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def _exit(code: int) -> NoReturn:
    click.get_current_context().exit(code)
