"""`fathom-lab run`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from fathom_lab.cli import arguments, output, rounds
from fathom_lab.cli.arguments import Size
from fathom_lab.errors import LabError

if TYPE_CHECKING:
    from fathom_lab.run_folder import RunFolder


@click.command(epilog=output.EXIT_CODES)
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--all", "every", is_flag=True, help="Run all experiments of the project (lab/experiments).")
@arguments.size_options
@click.option("--only", metavar="CONTENDER,...", help="Measure only these contenders and the baseline.")
@click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE,...",
              callback=lambda *given: arguments.parameter_values(given[2]),
              help="Override the values of a parameter, such as tree=/srv or threads=1,2. Repeatable.")
@click.option("--profile", "profiles", multiple=True, type=click.Choice(["cpu", "memory", "trace"]),
              help="After the rounds, also write a profile of each contender: Go's benchmarks their own, others cpu "
              "by perf. Repeatable.")
@click.option("--resume", type=arguments.FOLDER, metavar="FOLDER",
              help="Continue an interrupted run, with its settings.")
@click.option("--force", is_flag=True,
              help="With --resume: continue even if the programs have changed since the first rounds.")
@click.option("--report", "page", type=arguments.NEW_FILE, metavar="FILE.html",
              callback=lambda *given: arguments.writable(given[2]), help="Also write an HTML report, as `report` does.")
@click.pass_context
def run(context: click.Context, experiments: tuple[str, ...], every: bool, size: Size, only: str | None,
        parameters: dict[str, list[str]], profiles: tuple[str, ...], resume: Path | None, force: bool,
        page: Path | None) -> None:
    """Run experiments and print the conclusions.

    EXPERIMENT is a file, or a name that `list` shows.

    Ctrl-C discards the current round and keeps the earlier ones; `run --resume FOLDER` continues from there.
    """
    from fathom_lab import session

    if resume is not None:
        _only_with_resume(context)
        _resume(resume, size.no_build, force, page)
    if force:
        raise click.UsageError("--force requires --resume FOLDER.")
    files = session.all_files() if every else [session.find(name) for name in experiments]
    if every and not files:
        raise LabError(session.NO_PROJECT)
    if not files or (every and experiments):
        raise click.UsageError("Specify experiments, --all, or --resume FOLDER.")
    chosen = only.split(",") if only else ()
    loaded = [size.load(file, only=chosen, parameters=parameters) for file in files]
    _measure(rounds.planned(files, loaded, size, profiles), not size.no_build, page)


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
        if not rounds.unfinished(folder):
            click.echo(f"{path} is complete: nothing to resume")
        else:
            roots = {session.check_unchanged(folder, name).root for name in folder.names()}
            before = folder.environment()
            folder.note(note for root in roots
                        for note in environment.differences(before, environment.collect(Path(root))))
        _measure(folder, not no_build, page, force, fresh=False)


def _measure(folder: RunFolder, build: bool, page: Path | None, force: bool = False, fresh: bool = True) -> NoReturn:
    from fathom_lab import session

    with session.interruptible(), folder.locked(), rounds.folder_printed(folder):
        if build:
            rounds.build(folder)
        code = rounds.run(folder, force)
        if fresh and code == output.WRONG and not any(folder.launches(name) for name in folder.names()):
            shutil.rmtree(folder.path)  # nothing was measured
            output.end(code)
        click.echo(folder.path)
    if page is not None:
        output.write_page(folder, page)
    output.end(code)
