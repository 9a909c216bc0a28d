"""`fathom-lab ab`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom_lab.cli import arguments, output, rounds
from fathom_lab.cli.arguments import Size


@click.command(epilog=output.EXIT_CODES)
@click.argument("first", metavar="REV1")
@click.argument("second", metavar="REV2")
@click.argument("experiment", metavar="EXPERIMENT")
@arguments.size_options
@click.option("--contender", "contenders", multiple=True, metavar="NAME",
              help="Compare this contender of the experiment (default: the baseline). Repeatable.")
@click.option("--cache", type=arguments.NEW_FOLDER, metavar="DIR",
              help="Create the two checkouts in DIR (default: in the run's folder).")
@click.option("--keep", is_flag=True, help="Keep the checkouts afterwards.")
def ab(first: str, second: str, experiment: str, size: Size, contenders: tuple[str, ...], cache: Path | None,
       keep: bool) -> None:
    """Compare two git revisions, built side by side. The revision `.` is the working tree."""
    from fathom_lab import session

    file = session.find(experiment)
    one = size.load(file)
    labels = (first, second)
    compared = rounds.compared(one, contenders, labels)
    with session.interruptible(), rounds.side_by_side(file, one, compared, labels, size, cache, keep) as folder:
        code = rounds.run(folder)
        click.echo(folder.path)
    output.end(code)
