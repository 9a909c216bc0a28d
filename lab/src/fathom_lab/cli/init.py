"""`fathom-lab init`."""

from __future__ import annotations

import click


@click.command()
@click.argument("commands", nargs=-1, required=True, metavar="COMMAND...")
@click.option("--name", metavar="NAME", help="Name of the experiment (default: made from the programs).")
def init(commands: tuple[str, ...], name: str | None) -> None:
    """Write a first experiment to lab/experiments, from command lines to compare.

    Each COMMAND is one argument, such as 'sort --parallel=2 words.txt'. The first one is the baseline. With only one,
    revisions of it can be compared: `ab REV1 REV2 NAME`, `gate NAME --against main`.
    """
    from fathom_lab import first_experiment

    file = first_experiment.write(commands, name)
    click.echo(file)
    if len(commands) == 1:
        click.echo(f"to compare it with another revision, run: fathom-lab ab HEAD . {file.stem}")
    else:
        click.echo(f"to run it: fathom-lab run {file.stem}")
