"""Pictures of an analysis as SVG for an HTML page.

Colours are the page's CSS variables, so that they follow its dark or light theme; text is text in the page's font.
Very many dots become one embedded PNG, because each would cost a hundred bytes.
"""

from __future__ import annotations

import dataclasses
import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from fathom_lab import words
from fathom_lab.experiment import AGAIN, Measure, Point
from fathom_lab.imports.source import is_imported
from fathom_lab.rows import Analysis, Row, Verdict
from fathom_lab.stats.interval import median_interval

# Placeholders for the page's variables in the output of matplotlib. They are close to the real colours, because a PNG
# keeps them.
_THEME = {
    "#1c2021": "--ink", "#6b7471": "--muted", "#c9cecb": "--line", "#e9ecea": "--band", "#fffffe": "--page",
    "#0072b1": "--series-1", "#d55e01": "--series-2", "#009e72": "--series-3", "#cc79a6": "--series-4",
    "#e69f01": "--series-5", "#56b4e8": "--series-6", "#8a6d3c": "--series-7",
}
_INK, _MUTED, _LINE, _BAND, _PAGE, *_SERIES = _THEME
_MARKERS = "osD^vPX*"
_VERDICTS = {
    Verdict.FASTER: _SERIES[0], Verdict.SLOWER: _SERIES[1], Verdict.SAME: _MUTED, Verdict.UNKNOWN: _MUTED,
}
_DOTS = 600  # more become a PNG
_ROWS = 40  # maximum number of rows in a picture of ratios
_PANELS = 6  # maximum number of panels with curves
_LETTER = 7.4  # pixels: upper estimate of the width of a letter at 13 pixels
_BOLD = 8.4
_FONT = 13
_PIXEL = 1 / 72  # inches: one pixel is one point of matplotlib

_STYLE: dict[str, Any] = {
    "font.size": _FONT, "text.color": _INK, "axes.labelcolor": _MUTED, "axes.edgecolor": _LINE,
    "xtick.color": _LINE, "ytick.color": _LINE, "xtick.labelcolor": _MUTED, "ytick.labelcolor": _MUTED,
    "axes.linewidth": 1.0, "axes.spines.top": False, "axes.spines.right": False,
    "svg.fonttype": "none", "text.parse_math": False, "figure.facecolor": "none", "axes.facecolor": "none",
    "savefig.dpi": 144,
}


@dataclasses.dataclass(frozen=True)
class Picture:
    svg: str
    about: str  # a description for screen readers
    caption: str


def picture(analysis: Analysis, width: int, prefix: str = "") -> Picture | None:
    """The picture that suits the data, with the given width in pixels: curves along a numeric parameter, otherwise
    ratios. None without data. The prefix makes the ids of a page's pictures unique."""
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters missing in matplotlib's font; the page's font has them
        along = _parameter(analysis)
        return _curves(analysis, along, width, prefix) if along else _ratios(analysis, width, prefix)


def _parameter(analysis: Analysis) -> str:
    """The numeric parameter with the most values, if it has at least three."""
    found: dict[str, set[Any]] = {}
    for row in _primary(analysis):
        for name, value in row.point:
            found.setdefault(name, set()).add(value)
    numeric = {name: values for name, values in found.items() if len(values) >= 3 and all(map(_is_number, values))}
    return max(numeric, key=lambda name: len(numeric[name]), default="")


def _primary(analysis: Analysis) -> list[Row]:
    return [row for row in analysis.rows if row.measure == analysis.experiment.primary()]


# Ratios: a line for each contender, with a dot for each round.


def _ratios(analysis: Analysis, width: int, prefix: str) -> Picture | None:
    primary = analysis.experiment.primary()
    every = _primary(analysis)
    rows = [row for row in every if _drawable(row)]
    again = [row for row in analysis.again if row.measure == primary and _drawable(row)]
    if not rows:
        return None
    shown = rows[:_ROWS]
    lines = list(_lines(shown, again))
    space = 42
    height = space * len(lines) + 74
    figure = Figure(figsize=(width * _PIXEL, height * _PIXEL))
    column = min(max(map(_label_width, lines)), width // 2)
    inner = width - column - 32
    axes = figure.add_axes((8 / width, 44 / height, inner / width, 1 - 70 / height))
    dots = sum(len(row.values) for row in lines if isinstance(row, Row))
    _ratio_scale(axes, [row for row in lines if isinstance(row, Row)], inner, primary)
    tolerance = analysis.experiment.plan.tolerance
    axes.axvspan(1 / (1 + tolerance), 1 + tolerance, color=_BAND, linewidth=0, zorder=0)
    axes.axvline(1, color=_MUTED, linewidth=1.2, zorder=1)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    for index, line in enumerate(lines):
        if isinstance(line, Row):
            _ratio_line(axes, index, line, column, rasterized=dots > _DOTS)
        else:
            _label(axes, index + 0.2, _shortened(line, int(column / _BOLD)), color=_MUTED, weight="bold")
    left_out = f" The first {_ROWS} of {len(rows)} rows." if len(rows) > len(shown) else ""
    if len(every) > len(rows):
        left_out += f" {len(every) - len(rows)} of {len(every)} rows cannot be drawn: see the table."
    dot = "a value relative to the baseline's with the same number" if is_imported(analysis.experiment) else "a round"
    caption = (
        f"{_kind(primary)} relative to {shown[0].baseline}, on a logarithmic scale. A dot is {dot}, the bar the "
        f"interval, the diamond the median. Differences within the grey band do not matter.{left_out}"
    )
    return Picture(_svg(figure, prefix), _ratios_in_words(shown), caption)


def _lines(rows: Sequence[Row], again: Sequence[Row]) -> Iterator[Row | str]:
    """The rows grouped by point, each group with its point as a heading if there are several, and the A/A row last."""
    points = list(dict.fromkeys(row.point for row in rows))
    for point in points:
        if len(points) > 1:
            yield words.point(point)
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
        if side == "right" and room < len(text) * _LETTER:
            continue
        axes.annotate(text, (1, 1), xycoords=middle, xytext=(shift, 6), textcoords="offset points", ha=side,
                      color=_MUTED, fontsize=_FONT - 1, annotation_clip=False)


def _result(row: Row) -> str:
    verdict = "" if row.contender == AGAIN else words.verdict(row.verdict, row.measure)
    return f"{words.ratio(row.ratio)}  {verdict}".rstrip()


def _label_width(line: Row | str) -> int:
    """The width of a label in pixels."""
    if isinstance(line, str):
        return math.ceil(len(line) * _BOLD)
    return math.ceil(max(len(words.contender(line.contender, line.baseline)) * _LETTER, len(_result(line)) * _BOLD))


def _ratio_line(axes: Axes, index: int, row: Row, column: int, rasterized: bool) -> None:
    """Draws a row. Its label is beside the axis, where it cannot be mistaken for a position."""
    again = row.contender == AGAIN
    color = _MUTED if again else _VERDICTS[row.verdict]
    name = words.contender(row.contender, row.baseline)
    _label(axes, index - 0.2, _shortened(name, int(column / _LETTER)), color=_MUTED if again else _INK)
    _label(axes, index + 0.2, _result(row), color=color, weight="normal" if again else "bold")
    ratios = _by_round(row)
    heights = [index + 0.05 * ((place * 7) % 5 - 2) for place in range(len(ratios))]  # spread the dots
    axes.plot(ratios, heights, linestyle="none", marker="o", markersize=5, alpha=0.45, color=color,
              markeredgewidth=0, rasterized=rasterized, clip_on=False)
    if row.interval:
        axes.plot(_bounds(row), [index] * 2, color=color, linewidth=3.5, solid_capstyle="butt", alpha=0.9)
    axes.plot([row.ratio], [index], marker="D", markersize=8.5, color=color, markeredgecolor=_PAGE,
              markeredgewidth=1.4, clip_on=False)


def _label(axes: Axes, y: float, text: str, **style: Any) -> None:
    """Draws a label in the column to the right of the axis."""
    axes.annotate(text, (1, y), xycoords=axes.get_yaxis_transform(), xytext=(16, 0), textcoords="offset points",
                  ha="left", va="center", annotation_clip=False, **style)


def ratio_ticks(low: float, high: float, at_most: int) -> list[float]:
    """Round numbers for a logarithmic axis, including 1 if it is in range."""
    if high / low < 4:
        return [tick for tick in MaxNLocator(at_most - 1, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
                if low <= tick <= high]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        ticks = [digit * 10.0**decade for decade in decades for digit in digits]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= at_most:
            return ticks
    step = math.ceil(len(ticks) / at_most)
    start = ticks.index(1.0) % step if 1.0 in ticks else 0
    return ticks[start::step]


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
        at = f" at {words.point(row.point)}" if row.point else ""
        parts.append(f"{row.contender}{at}: {words.effect(row)}, {words.verdict(row.verdict, row.measure)}")
    return f"Compared with {rows[0].baseline}: {'; '.join(parts)}"


# Curves: the value along a parameter, a curve for each contender.


@dataclasses.dataclass(frozen=True)
class _Curve:
    contender: str
    places: list[float]
    values: list[float]
    lows: list[float]
    highs: list[float]
    bounded: list[bool]  # False: too few rounds for an interval


def _curves(analysis: Analysis, along: str, width: int, prefix: str) -> Picture | None:
    panels: dict[Point, dict[str, list[tuple[float, tuple[float, ...], float]]]] = {}
    for row in _primary(analysis):
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
    figure = Figure(figsize=(width * _PIXEL, height * _PIXEL))
    names = [one.name for one in analysis.experiment.contenders]
    log_values = _wide([value for _, curves in drawn for curve in curves for value in curve.values])
    for index, (point, curves) in enumerate(drawn):
        line, column = divmod(index, columns)
        _panel(figure, (column * width / columns, height - (line + 1) * each, width / columns, each),
               (width, height), analysis, along, point, curves, names, log_values)
    primary = analysis.experiment.primary()
    more = len(panels) > _PANELS
    left_out = f" The first {_PANELS} of {len(panels)} combinations of the other parameters." if more else ""
    caption = (f"{_kind(primary)}{', on a logarithmic scale' if log_values else ''}: {_about_bands(drawn)}. "
               f"{'Less' if primary.better == 'less' else 'More'} is better.{left_out}")
    return Picture(_svg(figure, prefix), _curves_in_words(drawn, along, primary), caption)


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
        known = [median_interval(values) for _, values, _ in points]
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
    letters = min(longest, max(8, int(width * 0.32 / _BOLD)))
    inner = (left + 70, bottom + 48, width - 70 - letters * _BOLD - 20, height - 48 - (34 if point else 30))
    axes = figure.add_axes((inner[0] / size[0], inner[1] / size[1], inner[2] / size[0], inner[3] / size[1]))
    places = sorted({place for curve in curves for place in curve.places})
    log_places = places[0] > 0 and places[-1] / places[0] >= 8
    if log_places:
        axes.set_xscale("log")
    if log_values:
        axes.set_yscale("log")
    for curve in curves:
        index = names.index(curve.contender)
        color, marker = _SERIES[index % len(_SERIES)], _MARKERS[index % len(_MARKERS)]
        axes.fill_between(curve.places, curve.lows, curve.highs, color=color, alpha=0.18, linewidth=0)
        axes.plot(curve.places, curve.values, color=color, marker=marker, markersize=6, linewidth=2,
                  markeredgewidth=0, linestyle="-" if index < len(_SERIES) else "--")
    _curve_scales(axes, along, places, log_values, analysis.experiment.primary(), inner)
    _direct_labels(axes, curves, names, letters, inner[3])
    if point:
        axes.set_title(_shortened(words.point(point), int(width / _LETTER) - 4), loc="left", fontsize=_FONT,
                       color=_INK, pad=10)


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
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _plain_quantity(value, measure)))
    axes.xaxis.set_major_locator(FixedLocator(_thinned(places, axes, inner[2])))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.set_xlabel(_shortened(along, 40), fontsize=_FONT)
    axes.grid(axis="y", color=_LINE, linewidth=0.7)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0, pad=6)
    axes.set_axisbelow(True)


def _thinned(places: Sequence[float], axes: Axes, width: float) -> list[float]:
    """Drops places whose labels would touch their neighbours."""
    transform = axes.transScale
    ends = [float(transform.transform((place, 1))[0]) for place in (places[0], places[-1])]
    scale = width / ((ends[1] - ends[0]) or 1.0)
    kept: list[float] = []
    taken = -math.inf
    for place in places:
        middle = (float(transform.transform((place, 1))[0]) - ends[0]) * scale
        half = len(f"{place:,.6g}") * _LETTER / 2 + 3
        if middle - half >= taken:
            kept.append(place)
            taken = middle + half
    return kept


def _direct_labels(axes: Axes, curves: Sequence[_Curve], names: Sequence[str], letters: int, height: float) -> None:
    """Puts names beside the ends of the curves, moved apart where they would touch."""
    low, high = axes.transScale.transform([(1, bound) for bound in axes.get_ylim()])[:, 1]
    last = axes.transScale.transform([(1, curve.values[-1]) for curve in curves])[:, 1]
    ends = ((last - low) / (high - low) * height).tolist()
    order = sorted(range(len(curves)), key=ends.__getitem__)
    for index, place in zip(order, spread_apart([ends[index] for index in order], _FONT + 3.0)):
        name = curves[index].contender
        axes.annotate(_shortened(name, letters), (1, 0), xycoords="axes fraction", xytext=(14, place),
                      textcoords="offset points", va="center", color=_SERIES[names.index(name) % len(_SERIES)],
                      weight="bold", annotation_clip=False)


def spread_apart(places: Sequence[float], distance: float) -> list[float]:
    """Moves sorted places as little as necessary so that each has the given distance from its neighbours: places that
    would touch form a group around their common middle."""
    groups: list[list[float]] = []  # sums and numbers of places
    for place in places:
        groups.append([place, 1.0])
        while len(groups) > 1 and _top(groups[-2], distance) + distance > _bottom(groups[-1], distance):
            last = groups.pop()
            groups[-1] = [groups[-1][0] + last[0], groups[-1][1] + last[1]]
    return [_bottom(group, distance) + distance * place for group in groups for place in range(int(group[1]))]


def _bottom(group: list[float], distance: float) -> float:
    return group[0] / group[1] - distance * (group[1] - 1) / 2


def _top(group: list[float], distance: float) -> float:
    return group[0] / group[1] + distance * (group[1] - 1) / 2


def _curves_in_words(drawn: Sequence[tuple[Point, Sequence[_Curve]]], along: str, measure: Measure) -> str:
    parts = []
    for point, curves in drawn:
        for curve in curves:
            at = f" ({words.point(point)})" if point else ""
            first, last = (words.quantity(curve.values[end], measure) for end in (0, -1))
            parts.append(f"{curve.contender}{at}: {first} at {along} {curve.places[0]:,.6g}, "
                         f"{last} at {curve.places[-1]:,.6g}")
    return "; ".join(parts)


# Both.


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _kind(measure: Measure) -> str:
    name = words.measure(measure)
    return name[:1].upper() + name[1:]


def _plain_quantity(value: float, measure: Measure) -> str:
    """Formats a quantity for an axis, without trailing zeros: 1.5 ms instead of 1.50 ms."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", lambda match: match[1].rstrip("."), words.quantity(value, measure))


def _shortened(text: str, letters: int) -> str:
    """Shortens the text, and replaces characters that XML and fonts cannot represent."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return shown if len(shown) <= letters else shown[: max(letters - 1, 1)] + "…"


def _svg(figure: Figure, prefix: str) -> str:
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "fathom-lab"}):  # makes the output reproducible
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _for_a_page(file.getvalue(), prefix)


def _for_a_page(svg: str, prefix: str) -> str:
    """Adapts an SVG file to the page: removes its header and metadata, uses the page's colours, and makes ids unique.
    """
    svg = svg[svg.index("<svg"):]
    for size in ("width", "height"):
        svg = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    tags = re.compile(r"<[^>]*>")
    svg = tags.sub(lambda match: _tag(match[0], prefix), svg)
    return re.sub(r">\s+<", "><", svg)


def _tag(tag: str, prefix: str) -> str:
    """Changes one tag. Text of users is outside of tags and stays unchanged."""
    tag = re.sub(r'( id="|url\(#|href="#)', lambda match: match[1] + prefix, tag)
    tag = re.sub(r"font: [^;\"]*", _font, tag)
    tag = re.sub(r"font-family: [^;\"]*(; )?", "", tag)
    for color, variable in _THEME.items():
        tag = tag.replace(color, f"var({variable})")
    return tag


def _font(match: re.Match[str]) -> str:
    """Replaces the `font` of older versions of matplotlib: keeps size and weight, drops the family."""
    size = re.search(r"[\d.]+px", match[0])
    weight = "; font-weight: 700" if re.search("bold|[67]00", match[0]) else ""
    return f"font-size: {size[0] if size else f'{_FONT}px'}{weight}"
