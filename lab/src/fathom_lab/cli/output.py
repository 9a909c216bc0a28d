"""What commands print, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from fathom_lab import whole_file
from fathom_lab.errors import LabError

if TYPE_CHECKING:
    from rich.console import Console

    from fathom_lab.rows import Analysis
    from fathom_lab.run_folder import RunFolder

FAILED = 1
WRONG = 2
INTERRUPTED = 130
EXIT_CODES = "Exit codes: 0 success, 1 a contender failed, 2 invalid usage, or nothing could run or be printed, "\
             "130 interrupted."


def show(folder: RunFolder, errors: Collection[str] = ()) -> int:
    """Shows the results. The caller reports the errors of the experiments in `errors`."""
    from fathom_lab import environment, session, terminal

    analyses = session.analyses(folder)
    terminal.show(analyses, console())
    shown = {one.experiment.name for one in analyses} | set(errors)
    for name in folder.names():
        if name not in shown:
            click.echo(f"{name}: no complete round yet")
    facts = folder.environment()
    for line in environment.in_short(facts) if analyses else ():
        console().print(line, style="dim", markup=False)
    for note in facts.get("notes", []):
        click.echo(f"note: {note}")
    return _code(analyses)


def show_json(folder: RunFolder) -> int:
    """Shows the same as JSON."""
    from fathom_lab import session
    from fathom_lab.report import conclusions

    analyses = session.analyses(folder)
    shown = {one.experiment.name for one in analyses}
    unfinished = [name for name in folder.names() if name not in shown]
    click.echo(conclusions.text(analyses, unfinished, folder.environment()), nl=False)
    return _code(analyses)


def _code(analyses: Sequence[Analysis]) -> int:
    return FAILED if any(one.failures for one in analyses) else 0


def finished(folder: RunFolder) -> list[Analysis]:
    from fathom_lab import session

    analyses = session.analyses(folder)
    if not analyses:
        raise LabError(f"{folder.path} has no complete round yet")
    return analyses


def write_page(folder: RunFolder, page: Path) -> None:
    from fathom_lab.report import html

    launches = {name: folder.launches(name) for name in folder.names()}
    html.write(finished(folder), folder.environment(), page, launches)
    click.echo(page)


def write(file: Path, text: str) -> None:
    """Raises LabError if the file cannot be written."""
    try:
        whole_file.write(file, text)
    except OSError as error:
        raise LabError(f"{file} cannot be written: {error.strerror}") from error


def say(text: str) -> None:
    """Prints only if stderr is a terminal."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


def console() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def end(code: int) -> NoReturn:
    click.get_current_context().exit(code)
