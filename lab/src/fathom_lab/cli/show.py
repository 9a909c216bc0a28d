"""`fathom-lab show`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom_lab.cli import arguments, output


@click.command(epilog=output.EXIT_CODES)
@click.argument("folder", type=arguments.FOLDER)
@click.option("--json", is_flag=True, help="Print JSON.")
def show(folder: Path, json: bool) -> None:
    """Print the conclusions of a run."""
    from fathom_lab.run_folder import RunFolder

    kept = RunFolder(folder)
    output.end(output.show_json(kept) if json else output.show(kept))
