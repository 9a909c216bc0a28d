"""A picture of ratios: a line for each contender, with a dot for each round. Very many dots become one embedded PNG,
because each would cost a hundred bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fathom_lab import formatting
from fathom_lab.experiment import AGAIN, Measure
from fathom_lab.imports.source import is_imported
from fathom_lab.report.pictures.scales import kind, ratio_ticks
from fathom_lab.report.pictures.svg import (
    BAND,
    BOLD,
    FONT,
    INK,
    LETTER,
    MUTED,
    PAGE,
    PIXEL,
    SERIES,
    Picture,
    shortened,
    svg,
)
from fathom_lab.rows import Analysis, Row, Verdict

_VERDICTS = {
    Verdict.FASTER: SERIES[0], Verdict.SLOWER: SERIES[1], Verdict.SAME: MUTED, Verdict.UNKNOWN: MUTED,
}
_DOTS = 600  # more become a PNG
_ROWS = 40  # maximum number of rows in a picture of ratios


def ratios(analysis: Analysis, every: Sequence[Row], width: int, prefix: str) -> Picture | None:
    primary = analysis.experiment.primary()
    rows = [row for row in every if _drawable(row)]
    again = [row for row in analysis.again if row.measure == primary and _drawable(row)]
    if not rows:
        return None
    shown = rows[:_ROWS]
    lines = list(_lines(shown, again))
    space = 42
    height = space * len(lines) + 74
    figure = Figure(figsize=(width * PIXEL, height * PIXEL))
    column = min(max(map(_label_width, lines)), width // 2)
    inner = width - column - 32
    axes = figure.add_axes((8 / width, 44 / height, inner / width, 1 - 70 / height))
    dots = sum(len(row.values) for row in lines if isinstance(row, Row))
    _ratio_scale(axes, [row for row in lines if isinstance(row, Row)], inner, primary)
    tolerance = analysis.experiment.plan.tolerance
    axes.axvspan(1 / (1 + tolerance), 1 + tolerance, color=BAND, linewidth=0, zorder=0)
    axes.axvline(1, color=MUTED, linewidth=1.2, zorder=1)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    for index, line in enumerate(lines):
        if isinstance(line, Row):
            _ratio_line(axes, index, line, column, rasterized=dots > _DOTS)
        else:
            _label(axes, index + 0.2, shortened(line, int(column / BOLD)), color=MUTED, weight="bold")
    left_out = f" The first {_ROWS} of {len(rows)} rows." if len(rows) > len(shown) else ""
    if len(every) > len(rows):
        left_out += f" {len(every) - len(rows)} of {len(every)} rows cannot be drawn: see the table."
    dot = "a value relative to the baseline's with the same number" if is_imported(analysis.experiment) else "a round"
    caption = (
        f"{kind(primary)} relative to {shown[0].baseline}, on a logarithmic scale. A dot is {dot}, the bar the "
        f"interval, the diamond the median. Differences within the grey band do not matter.{left_out}"
    )
    return Picture(svg(figure, prefix), _ratios_in_words(shown), caption)


def _lines(rows: Sequence[Row], again: Sequence[Row]) -> Iterator[Row | str]:
    """The rows grouped by point, each group with its point as a heading if there are several, and the A/A row last."""
    points = list(dict.fromkeys(row.point for row in rows))
    for point in points:
        if len(points) > 1:
            yield formatting.point(point)
        yield from (row for row in rows if row.point == point)
        yield from (row for row in again if row.point == point)


def _ratio_scale(axes: Axes, rows: Sequence[Row], width: int, measure: Measure) -> None:
    values = [1.0] + [value for row in rows for value in (*_by_round(row), row.ratio, *_bounds(row))]
    low, high = math.log(min(values)), math.log(max(values))
    margin = max(0.06 * (high - low), 0.01)
    low, high = math.exp(low - margin), math.exp(high + margin)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(ratio_ticks(low, high, at_most=max(3, width // 90))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    less, more = ("less", "more") if measure.unit not in ("s", "per_second") else ("faster", "slower")
    if measure.better == "more":
        less, more = ("slower", "faster") if measure.unit in ("s", "per_second") else ("worse: less", "better: more")
    elif less == "less":
        less, more = "better: less", "worse: more"
    middle = axes.get_xaxis_transform()
    room = width * math.log(1 / low) / math.log(high / low)  # left of 1
    for text, side, shift in ((f"← {less}", "right", -8), (f"{more} →", "left", 8)):
        if side == "right" and room < len(text) * LETTER:
            continue
        axes.annotate(text, (1, 1), xycoords=middle, xytext=(shift, 6), textcoords="offset points", ha=side,
                      color=MUTED, fontsize=FONT - 1, annotation_clip=False)


def _result(row: Row) -> str:
    verdict = "" if row.contender == AGAIN else formatting.verdict(row.verdict, row.measure)
    return f"{formatting.ratio(row.ratio)}  {verdict}".rstrip()


def _label_width(line: Row | str) -> int:
    """The width of a label in pixels."""
    if isinstance(line, str):
        return math.ceil(len(line) * BOLD)
    return math.ceil(max(len(formatting.contender(line.contender, line.baseline)) * LETTER, len(_result(line)) * BOLD))


def _ratio_line(axes: Axes, index: int, row: Row, column: int, rasterized: bool) -> None:
    """Draws a row. Its label is beside the axis, where it cannot be mistaken for a position."""
    again = row.contender == AGAIN
    color = MUTED if again else _VERDICTS[row.verdict]
    name = formatting.contender(row.contender, row.baseline)
    _label(axes, index - 0.2, shortened(name, int(column / LETTER)), color=MUTED if again else INK)
    _label(axes, index + 0.2, _result(row), color=color, weight="normal" if again else "bold")
    ratios = _by_round(row)
    heights = [index + 0.05 * ((place * 7) % 5 - 2) for place in range(len(ratios))]  # spread the dots
    axes.plot(ratios, heights, linestyle="none", marker="o", markersize=5, alpha=0.45, color=color,
              markeredgewidth=0, rasterized=rasterized, clip_on=False)
    if row.interval:
        axes.plot(_bounds(row), [index] * 2, color=color, linewidth=3.5, solid_capstyle="butt", alpha=0.9)
    axes.plot([row.ratio], [index], marker="D", markersize=8.5, color=color, markeredgecolor=PAGE,
              markeredgewidth=1.4, clip_on=False)


def _label(axes: Axes, y: float, text: str, **style: Any) -> None:
    """Draws a label in the column to the right of the axis."""
    axes.annotate(text, (1, y), xycoords=axes.get_yaxis_transform(), xytext=(16, 0), textcoords="offset points",
                  ha="left", va="center", annotation_clip=False, **style)


def _tick(value: float) -> str:
    return f"{value:,.6g}" if value >= 1e-4 else f"{value:.0e}"


def _by_round(row: Row) -> list[float]:
    if len(row.values) != len(row.baseline_values):
        return []
    pairs = zip(row.values, row.baseline_values)
    return [value / other for value, other in pairs if value > 0 and other > 0 and math.isfinite(value / other)]


def _bounds(row: Row) -> list[float]:
    """The bounds of the interval; empty if a logarithmic axis cannot show them."""
    bounds = [row.interval.low, row.interval.high] if row.interval else []
    return bounds if all(math.isfinite(bound) and bound > 0 for bound in bounds) else []


def _drawable(row: Row) -> bool:
    return math.isfinite(row.ratio) and row.ratio > 0 and (row.interval is None or bool(_bounds(row)))


def _ratios_in_words(rows: Sequence[Row]) -> str:
    parts = []
    for row in rows:
        at = f" at {formatting.point(row.point)}" if row.point else ""
        parts.append(f"{row.contender}{at}: {formatting.effect(row)}, {formatting.verdict(row.verdict, row.measure)}")
    return f"Compared with {rows[0].baseline}: {'; '.join(parts)}"
