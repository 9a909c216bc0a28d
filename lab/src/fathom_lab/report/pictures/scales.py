"""Ticks and labels of axes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from fathom_lab import formatting
from fathom_lab.experiment import Measure
from fathom_lab.report.pictures.svg import LETTER


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


def thinned(places: Sequence[float], axes: Axes, width: float) -> list[float]:
    """Drops places whose labels would touch their neighbours."""
    transform = axes.transScale
    ends = [float(transform.transform((place, 1))[0]) for place in (places[0], places[-1])]
    scale = width / ((ends[1] - ends[0]) or 1.0)
    kept: list[float] = []
    taken = -math.inf
    for place in places:
        middle = (float(transform.transform((place, 1))[0]) - ends[0]) * scale
        half = len(f"{place:,.6g}") * LETTER / 2 + 3
        if middle - half >= taken:
            kept.append(place)
            taken = middle + half
    return kept


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


def plain_quantity(value: float, measure: Measure) -> str:
    """Formats a quantity for an axis, without trailing zeros: 1.5 ms instead of 1.50 ms."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", lambda match: match[1].rstrip("."), formatting.quantity(value, measure))


def kind(measure: Measure) -> str:
    name = formatting.measure(measure)
    return name[:1].upper() + name[1:]
