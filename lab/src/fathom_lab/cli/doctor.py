"""`fathom-lab doctor`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom_lab.cli import arguments, output


@click.command(epilog="Exit codes: 0 nothing disturbs measurements, 1 something does, 2 invalid usage or a setting "
                     "could not be changed.")
@click.option("--apply", is_flag=True, help="Change the settings that can be changed and restored (as root).")
@click.option("--undo", is_flag=True, help="Restore the settings that --apply changed (as root).")
@click.option("--json", is_flag=True, help="Print JSON.")
@click.option("--state", type=arguments.NEW_FILE, metavar="FILE",
              help="Keep the old values in FILE (default: ~/.local/state/fathom-lab/doctor.json).")
def doctor(apply: bool, undo: bool, json: bool, state: Path | None) -> None:
    """Report what disturbs measurements here, and how to fix it. Without --apply it changes nothing."""
    from fathom_lab import doctor as examination

    output.end(examination.command(apply, undo, json, state, click.get_text_stream("stdout")))
