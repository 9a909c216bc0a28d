"""`fathom-lab history`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom_lab.cli import arguments, output
from fathom_lab.errors import LabError

if TYPE_CHECKING:
    from fathom_lab.history.series import Series
    from fathom_lab.run_folder import RunFolder


@click.command()
@click.argument("folders", nargs=-1, type=arguments.FOLDER, metavar="[FOLDER]...")
@click.option("--experiment", metavar="NAME", help="Show only this experiment.")
@click.option("--contender", metavar="NAME", help="Show only this contender.")
@click.option("--measure", metavar="NAME", help="Show this measure (default: the first of each experiment).")
@click.option("--absolute", is_flag=True, help="Show values of the machine of the last run instead of ratios to the "
              "baseline in the same run.")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="List the last N commits; those of changes are always listed.")
@click.option("-o", "--output", "chart", type=arguments.NEW_FILE, metavar="FILE",
              callback=lambda *given: arguments.writable(given[2]), help="Also write a chart: FILE.html, or FILE.png.")
def history(folders: tuple[Path, ...], experiment: str | None, contender: str | None, measure: str | None,
            absolute: bool, last: int, chart: Path | None) -> None:
    """Show how a measure changed over commits, and which commits changed it.

    FOLDER is that of a run, or one that contains some (default: runs). Values are ratios to the baseline if there is
    another contender. Runs of uncommitted changes do not count. At least 8 commits are needed to find a change.
    """
    from fathom_lab.history import line, series, text

    if chart is not None and chart.suffix not in (".html", ".png"):
        raise click.UsageError(f"--output {chart}: the name must end in .html or .png.")
    collected = series.collect(_runs(folders or (Path("runs"),)), absolute)
    chosen = [one for one in collected.series if (experiment or one.experiment.name) == one.experiment.name
              and (contender or one.contender) == one.contender
              and (measure or one.experiment.primary().name) == one.measure.name]
    if not chosen:
        available = _available(collected.series)
        raise LabError("; ".join(["no run of a commit has such values", *available, *collected.notes]))
    root = collected.root if Path(collected.root).is_dir() else "."
    lines = [line.line(one, root) for one in chosen]
    text.show(lines, last, output.console())
    for note in (*collected.notes, *(() if all(one.ratio for one in chosen) else (series.ABSOLUTE,))):
        click.echo(note)
    if chart is not None:
        from fathom_lab.report import history as charts

        charts.write(lines, chart)
        click.echo(chart)


def _available(series: Sequence[Series]) -> list[str]:
    """What --experiment, --contender and --measure may be."""
    named = {"experiments": [one.experiment.name for one in series], "contenders": [one.contender for one in series],
             "measures": [one.measure.name for one in series]}
    return [f"{name} are {', '.join(dict.fromkeys(found))}" for name, found in named.items() if found]


def _runs(folders: tuple[Path, ...]) -> list[RunFolder]:
    from fathom_lab.run_folder import RunFolder

    found = [one.parent for folder in folders
             for one in sorted([*folder.glob("environment.json"), *folder.glob("*/environment.json")])]
    if not found:
        raise LabError(f"there is no run in {', '.join(map(str, folders))}; name the folders of runs")
    return [RunFolder(one) for one in found]
