"""Shows a history on a terminal: the changes, then a table of commits."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fathom_lab.history.line import Line


def show(lines: Sequence[Line], last: int, console: Console) -> None:
    """Commits are listed for series that changed, and for a single series: the last ones, and those of changes."""
    for line in lines:
        console.print(Text(f"{line.name()}: {line.summary()}", style="bold"))
        for change in line.changes:
            style = "dim" if not line.matters(change) else "red" if line.worse(change) else "green"
            console.print(Text(f"  {line.effect(change)} {line.origin(change)}", style=style))
        if line.changes or len(lines) == 1:
            console.print(_table(line, last))


def _table(line: Line, last: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("commit", "date"):
        table.add_column(name, no_wrap=True)
    table.add_column("ratio" if line.series.ratio else "median", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    changes = {change.index: change for change in line.changes}
    for index, (commit, value) in enumerate(zip(line.commits, line.values)):
        if index >= len(line.values) - last or index in changes:
            effect = f"{line.effect(changes[index])}: " if index in changes else ""
            table.add_row(commit.short(), commit.date, line.shown(value), Text(f"{effect}{commit.subject}"))
    return table
