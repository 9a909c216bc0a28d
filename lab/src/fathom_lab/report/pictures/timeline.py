"""A picture of a history: a dot for each commit, a line for each part without a change."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from fathom_lab.history.line import Line
from fathom_lab.report.pictures.scales import plain_quantity
from fathom_lab.report.pictures.svg import FONT, LETTER, LINE, MUTED, PIXEL, SERIES, Picture, shortened, svg

_HEIGHT = 300


def timeline(line: Line, width: int, prefix: str) -> Picture:
    figure = Figure(figsize=(width * PIXEL, _HEIGHT * PIXEL))
    _draw(figure, line, (0, 1), width)
    caption = ("A dot is a commit, the median of its runs; a line is the median of the commits between two changes. "
               f"{'Less' if line.series.measure.better == 'less' else 'More'} is better.")
    changes = "; ".join(f"{line.effect(one)} {line.origin(one)}" for one in line.changes)
    return Picture(svg(figure, prefix), f"{line.name()}: {line.summary()}{f': {changes}' if changes else ''}", caption)


def stacked(lines: Sequence[Line], width: int) -> Figure:
    """All lines in one figure, for a file that is not a page."""
    figure = Figure(figsize=(width * PIXEL, _HEIGHT * len(lines) * PIXEL), facecolor="white")
    for index, line in enumerate(reversed(lines)):
        axes = _draw(figure, line, (index / len(lines), 1 / len(lines)), width)
        axes.set_title(shortened(line.name(), int(width / LETTER)), loc="left", fontsize=FONT, pad=24)
    return figure


def _draw(figure: Figure, line: Line, band: tuple[float, float], width: int) -> Axes:
    """Draws into a band of the figure, which begins at a height and has one."""
    bottom, height = band
    axes = figure.add_axes((80 / width, bottom + height * 50 / _HEIGHT, 1 - 100 / width, height * (1 - 110 / _HEIGHT)))
    axes.plot(range(len(line.values)), line.values, linestyle="none", marker="o", markersize=5, color=SERIES[0],
              alpha=0.6, markeredgewidth=0, clip_on=False)
    ends = [0, *(one.index for one in line.changes), len(line.values)]
    for start, end in itertools.pairwise(ends):
        middle = statistics.median(line.values[start:end])
        axes.plot([start - 0.4, end - 0.6], [middle] * 2, color=SERIES[0], linewidth=2)
    for change in line.changes:
        color = MUTED if not line.matters(change) else SERIES[1] if line.worse(change) else SERIES[2]
        axes.axvline(change.index - 0.5, color=color, linewidth=1.2, linestyle="--")
        left = change.index < len(line.values) / 2
        axes.annotate(f"{line.effect(change)}: {line.commits[change.index].short()}", (change.index - 0.5, 1),
                      xycoords=axes.get_xaxis_transform(), xytext=(4 if left else -4, 4), textcoords="offset points",
                      ha="left" if left else "right", color=color, fontsize=FONT - 2, annotation_clip=False)
    _scales(axes, line, width)
    return axes


def _scales(axes: Axes, line: Line, width: int) -> None:
    low, high = min(line.values), max(line.values)
    room = (high - low) * 0.08 or abs(high) * 0.03 or 1
    axes.set_ylim(low - room, high + room)
    axes.set_xlim(-0.6, len(line.values) - 0.4)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(
        lambda value, _: f"{value:.6g}" if line.series.ratio else plain_quantity(value, line.series.measure)))
    step = max(1, -(-len(line.commits) // max(2, width // 110)))
    places = range(0, len(line.commits), step)
    axes.xaxis.set_major_locator(FixedLocator(list(places)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: line.commits[int(place)].short()))
    axes.grid(axis="y", color=LINE, linewidth=0.7)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0, pad=6)
    axes.set_axisbelow(True)
