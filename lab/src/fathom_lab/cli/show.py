"""`fathom-lab show`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom_lab.cli import arguments, output


@click.command(epilog=output.EXIT_CODES)
@click.argument("folder", type=arguments.FOLDER)
def show(folder: Path) -> None:
    """Print the conclusions of a run."""
    from fathom_lab.run_folder import RunFolder

    output.end(output.show(RunFolder(folder)))
