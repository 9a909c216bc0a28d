"""A picture of values along a numeric parameter: a curve for each contender."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from fathom_lab import formatting
from fathom_lab.analysis import chance_of
from fathom_lab.experiment import Measure, Point
from fathom_lab.report.pictures.scales import kind, plain_quantity, ratio_ticks, spread_apart, thinned
from fathom_lab.report.pictures.svg import BOLD, FONT, INK, LETTER, LINE, PIXEL, SERIES, Picture, shortened, svg
from fathom_lab.rows import Analysis, Row
from fathom_lab.stats.interval import median_interval

_MARKERS = "osD^vPX*"
_PANELS = 6  # maximum number of panels with curves


@dataclasses.dataclass(frozen=True)
class _Curve:
    contender: str
    places: list[float]
    values: list[float]
    lows: list[float]
    highs: list[float]
    bounded: list[bool]  # False: too few rounds for an interval


def curves_along(
    along: str, analysis: Analysis, rows: Sequence[Row], width: int, prefix: str
) -> Picture | None:
    panels: dict[Point, dict[str, list[tuple[float, tuple[float, ...], float]]]] = {}
    for row in rows:
        rest = tuple(one for one in row.point if one[0] != along)
        panel = panels.setdefault(rest, {})
        place = float(dict(row.point)[along])
        for name, values, value in ((row.baseline, row.baseline_values, row.baseline_value),
                                    (row.contender, row.values, row.value)):
            curve = panel.setdefault(name, [])
            if math.isfinite(value) and all(place != other for other, _, _ in curve):
                curve.append((place, values, value))
    drawn = [(point, _ordered(panel, analysis)) for point, panel in panels.items()][:_PANELS]
    drawn = [(point, curves) for point, curves in drawn if curves]
    if not drawn:
        return None
    columns = 2 if width >= 600 and len(drawn) > 1 else 1
    lines = math.ceil(len(drawn) / columns)
    each = 320 if columns == 1 else 270
    height = each * lines
    figure = Figure(figsize=(width * PIXEL, height * PIXEL))
    names = [one.name for one in analysis.experiment.contenders]
    log_values = _wide([value for _, curves in drawn for curve in curves for value in curve.values])
    for index, (point, curves) in enumerate(drawn):
        line, column = divmod(index, columns)
        _panel(figure, (column * width / columns, height - (line + 1) * each, width / columns, each),
               (width, height), analysis, along, point, curves, names, log_values)
    primary = analysis.experiment.primary()
    more = len(panels) > _PANELS
    left_out = f" The first {_PANELS} of {len(panels)} combinations of the other parameters." if more else ""
    caption = (f"{kind(primary)}{', on a logarithmic scale' if log_values else ''}: {_about_bands(drawn)}. "
               f"{'Less' if primary.better == 'less' else 'More'} is better.{left_out}")
    return Picture(svg(figure, prefix), _curves_in_words(drawn, along, primary), caption)


def _about_bands(drawn: Sequence[tuple[Point, Sequence[_Curve]]]) -> str:
    bounded = [known for _, curves in drawn for curve in curves for known in curve.bounded]
    if not any(bounded):
        return "medians, with too few rounds for an interval"
    where = "" if all(bounded) else "; where it is missing, there were too few rounds"
    return f"medians with their confidence interval of at least 95 %{where}"


def _ordered(panel: dict[str, list[tuple[float, tuple[float, ...], float]]], analysis: Analysis) -> list[_Curve]:
    curves = []
    for one in analysis.experiment.contenders:
        points = sorted(panel.get(one.name, []), key=lambda point: point[0])
        if not points:
            continue
        known = [median_interval(values, chance=chance_of(analysis.experiment)) for _, values, _ in points]
        bounds = [bound or (value, value, 0.0) for bound, (_, _, value) in zip(known, points)]
        curves.append(_Curve(one.name, [point[0] for point in points], [point[2] for point in points],
                             [bound[0] for bound in bounds], [bound[1] for bound in bounds],
                             [bound is not None for bound in known]))
    return curves


def _wide(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) > 6


def _panel(figure: Figure, box: tuple[float, float, float, float], size: tuple[float, float], analysis: Analysis,
           along: str, point: Point, curves: Sequence[_Curve], names: Sequence[str], log_values: bool) -> None:
    left, bottom, width, height = box
    longest = max(len(curve.contender) for curve in curves)
    letters = min(longest, max(8, int(width * 0.32 / BOLD)))
    inner = (left + 70, bottom + 48, width - 70 - letters * BOLD - 20, height - 48 - (34 if point else 30))
    axes = figure.add_axes((inner[0] / size[0], inner[1] / size[1], inner[2] / size[0], inner[3] / size[1]))
    places = sorted({place for curve in curves for place in curve.places})
    log_places = places[0] > 0 and places[-1] / places[0] >= 8
    if log_places:
        axes.set_xscale("log")
    if log_values:
        axes.set_yscale("log")
    for curve in curves:
        index = names.index(curve.contender)
        color, marker = SERIES[index % len(SERIES)], _MARKERS[index % len(_MARKERS)]
        axes.fill_between(curve.places, curve.lows, curve.highs, color=color, alpha=0.18, linewidth=0)
        axes.plot(curve.places, curve.values, color=color, marker=marker, markersize=6, linewidth=2,
                  markeredgewidth=0, linestyle="-" if index < len(SERIES) else "--")
    _curve_scales(axes, along, places, log_values, analysis.experiment.primary(), inner)
    _direct_labels(axes, curves, names, letters, inner[3])
    if point:
        axes.set_title(shortened(formatting.point(point), int(width / LETTER) - 4), loc="left", fontsize=FONT,
                       color=INK, pad=10)


def _curve_scales(axes: Axes, along: str, places: Sequence[float], log_values: bool, measure: Measure,
                  inner: tuple[float, float, float, float]) -> None:
    low, high = axes.get_ylim()
    if not log_values:
        axes.set_ylim(min(0.0, low), high)
        axes.yaxis.set_major_locator(MaxNLocator(5))
    else:
        axes.yaxis.set_major_locator(FixedLocator(ratio_ticks(low, high, at_most=7)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(low, high)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain_quantity(value, measure)))
    axes.xaxis.set_major_locator(FixedLocator(thinned(places, axes, inner[2])))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.set_xlabel(shortened(along, 40), fontsize=FONT)
    axes.grid(axis="y", color=LINE, linewidth=0.7)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0, pad=6)
    axes.set_axisbelow(True)


def _direct_labels(axes: Axes, curves: Sequence[_Curve], names: Sequence[str], letters: int, height: float) -> None:
    """Puts names beside the ends of the curves, moved apart where they would touch."""
    low, high = axes.transScale.transform([(1, bound) for bound in axes.get_ylim()])[:, 1]
    last = axes.transScale.transform([(1, curve.values[-1]) for curve in curves])[:, 1]
    ends = ((last - low) / (high - low) * height).tolist()
    order = sorted(range(len(curves)), key=ends.__getitem__)
    for index, place in zip(order, spread_apart([ends[index] for index in order], FONT + 3.0)):
        name = curves[index].contender
        axes.annotate(shortened(name, letters), (1, 0), xycoords="axes fraction", xytext=(14, place),
                      textcoords="offset points", va="center", color=SERIES[names.index(name) % len(SERIES)],
                      weight="bold", annotation_clip=False)


def _curves_in_words(drawn: Sequence[tuple[Point, Sequence[_Curve]]], along: str, measure: Measure) -> str:
    parts = []
    for point, curves in drawn:
        for curve in curves:
            at = f" ({formatting.point(point)})" if point else ""
            first, last = (formatting.quantity(curve.values[end], measure) for end in (0, -1))
            parts.append(f"{curve.contender}{at}: {first} at {along} {curve.places[0]:,.6g}, "
                         f"{last} at {curve.places[-1]:,.6g}")
    return "; ".join(parts)
