"""`fathom-lab import`."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from fathom_lab import __version__
from fathom_lab.cli import arguments, output


@click.command("import", epilog=output.EXIT_CODES)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option("--baseline", default="", metavar="NAME", help="Contender to use as the baseline (default: the first).")
@click.option("--into", type=arguments.NEW_FOLDER, default=Path("runs"), show_default=True,
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
    code = output.show(folder)
    click.echo(folder.path)
    output.end(code)
