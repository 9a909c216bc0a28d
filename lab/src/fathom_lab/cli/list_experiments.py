"""`fathom-lab list`."""

from __future__ import annotations

import click

from fathom_lab.cli import output
from fathom_lab.errors import LabError


@click.command("list")
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
    output.console().print(table)
