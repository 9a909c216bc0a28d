"""`fathom-lab report`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom_lab.cli import arguments, output


@click.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=arguments.FOLDER)
@click.option("-o", "--output", "page", type=arguments.NEW_FILE, metavar="FILE.html",
              callback=lambda *given: arguments.writable(given[2]),
              help="Write the page to this file (default: report.html in FOLDER).")
@click.option("--markdown", is_flag=True, help="Print Markdown tables for a pull request instead.")
@click.option("--document", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE.md",
              help="Instead, rewrite the tables in FILE.md between <!-- lab NAME --> and <!-- /lab -->; the table of "
              "`lab goals` shows all goals. Accepts several folders.")
def report(folders: tuple[Path, ...], page: Path | None, markdown: bool, document: Path | None) -> None:
    """Write a self-contained HTML page."""
    from fathom_lab.run_folder import RunFolder

    if sum((page is not None, markdown, document is not None)) > 1:
        raise click.UsageError("--output, --markdown and --document are mutually exclusive.")
    if len(folders) > 1 and document is None:
        raise click.UsageError("Several folders require --document.")
    kept = RunFolder(folders[0])
    if markdown:
        from fathom_lab.report import markdown as tables

        click.echo(tables.text(output.finished(kept), kept.environment()))
    elif document is not None:
        from fathom_lab import experiment, session
        from fathom_lab.report import document as documents

        runs = [documents.Run(output.finished(one), one.environment()) for one in map(RunFolder, folders)]
        names, without = documents.write(document, runs, [experiment.load(file) for file in session.all_files()])
        for name in names:
            click.echo(name)
        for name in without:
            who = f"{folders[0]} has" if len(folders) == 1 else "these runs have"
            click.echo(f"not changed: {name}, for which {who} no results", err=True)
    else:
        output.write_page(kept, page or folders[0] / "report.html")
