"""Shows an analysis on a terminal, narrow or wide: first the answer, then the rows."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fathom_lab import formatting, goal_results
from fathom_lab.imports.source import is_imported, ratio_heading
from fathom_lab.report import failures
from fathom_lab.rows import Analysis, GoalState, Row, Verdict

_ENDLESS = 10_000  # columns: room for a table of any width
_STYLES = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.SAME: "", Verdict.UNKNOWN: "yellow"}
_GOAL_STYLES = {GoalState.MET: "green", GoalState.MISSED: "red", GoalState.OPEN: "yellow"}


def show(analyses: Sequence[Analysis], console: Console) -> None:
    for number, analysis in enumerate(analyses):
        if number:
            console.print()
        console.print(_whole(analysis, console), highlight=False)


def _whole(analysis: Analysis, console: Console) -> RenderableType:
    parts: list[RenderableType] = [Text(analysis.answer, style="bold"), Text(_about(analysis), style="dim")]
    for name, reason in analysis.missing.items():
        parts.append(Text(f"{name} did not run: {reason}", style="yellow"))
    parts += [Text(failures.sentence(analysis, one), style="red") for one in analysis.failures]
    rows = [*analysis.rows, *analysis.again]
    if rows:
        table, notes = _table(rows, ratio_heading(analysis.experiment).replace(" ", "\n", 1))
        parts += [Text(), Group(table, *notes) if _fits(table, console) else _list(rows)]
    parts += [Text(one, style="dim") for one in formatting.deviations(analysis)]
    if analysis.goals:
        parts += [Text(), *(Text(f"goal {goal_results.text(analysis.experiment, one)}", style=_GOAL_STYLES[one.state])
                            for one in analysis.goals)]
    return Group(*parts)


def _fits(table: Table, console: Console) -> bool:
    """Whether the table fits without breaking words."""
    return Measurement.get(console, console.options.update(max_width=_ENDLESS), table).maximum <= console.width


def _about(analysis: Analysis) -> str:
    state = "" if analysis.complete else ", interrupted"
    if stopped := failures.stopped(analysis):
        state = f", {stopped}"
    if len(analysis.experiment.contenders) == 1:
        state += "; only the baseline"
    if is_imported(analysis.experiment):
        return f"{analysis.experiment.name}: {formatting.several(analysis.rounds, 'value')} of each"
    return f"{analysis.experiment.name}: {formatting.several(analysis.rounds, 'round')}{state}"


def _table(rows: Sequence[Row], ratio: str) -> tuple[Table, list[Text]]:
    """The table, and its notes as footnotes: in a cell they would make a column too wide."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("contender", overflow="fold")
    table.add_column("at" if any(row.point for row in rows) else "", overflow="fold")
    table.add_column("measure", overflow="fold")
    for name in ("median", "baseline", ratio, "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    table.add_column("visible from", justify="right", no_wrap=True)
    notes = list(dict.fromkeys(note for row in rows for note in row.notes))
    for row in rows:
        verdict = _verdict(row)
        verdict.append("".join(f" [{notes.index(note) + 1}]" for note in row.notes), style="dim")
        table.add_row(
            _name(row),
            formatting.point(row.point),
            formatting.measure(row.measure),
            formatting.quantity(row.value, row.measure),
            formatting.quantity(row.baseline_value, row.measure),
            formatting.ratio(row.ratio),
            formatting.interval(row.interval),
            verdict,
            formatting.percent(row.detectable_effect),
        )
    return table, [Text(f"[{number}] {note}", style="dim") for number, note in enumerate(notes, 1)]


def _list(rows: Sequence[Row]) -> Group:
    """The rows as a list: a heading for each, with its facts below."""
    parts: list[RenderableType] = []
    for row in rows:
        head = _name(row)
        head.stylize("bold")
        where = ", ".join(filter(None, (formatting.point(row.point), formatting.measure(row.measure))))
        head.append(f"  {where}", style="dim")
        parts += [head, Padding(Group(*_lines(row)), (0, 0, 0, 2))]
    return Group(*parts)


def _lines(row: Row) -> list[Text]:
    baseline = formatting.quantity(row.baseline_value, row.measure)
    lines = [_verdict(row), Text(f"{formatting.quantity(row.value, row.measure)}, {row.baseline} {baseline}")]
    lines.append(Text(f"ratio {formatting.ratio(row.ratio)}, {formatting.interval(row.interval)}"))
    lines.append(Text(f"visible from {formatting.percent(row.detectable_effect)}", style="dim"))
    return lines + [Text(note, style="dim") for note in row.notes]


def _name(row: Row) -> Text:
    return Text(formatting.contender(row.contender, row.baseline))


def _verdict(row: Row) -> Text:
    return Text(formatting.verdict(row.verdict, row.measure), style=_STYLES[row.verdict])
