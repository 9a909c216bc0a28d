"""After-effects: whether a contender leaves something behind that slows its successor, such as dirty pages, heat or a
full cache.

Within a round no contender follows itself. An after-effect of c sometimes slows the baseline but never c, so c looks
faster than it is. The baseline compared with itself does not show this, since both copies follow c equally often.
However, launches of both copies of the baseline can be grouped by their predecessor and compared.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from scipy import stats

from fathom_lab.stats.effect import LEVEL
from fathom_lab.stats.multiple import holm

Place = TypeVar("Place")  # where contenders are compared

_LEAST = 3  # minimum number of launches after a contender


@dataclasses.dataclass(frozen=True)
class Placed:
    """A launch of the baseline or of its second copy."""

    residual: float  # the logarithm of its value, without the common factor of its round
    after: str  # its predecessor in the round; empty: none


def carry_over(launches: Mapping[Place, Sequence[Placed]], contenders: Iterable[str]) -> dict[tuple[Place, str], float]:
    """The difference of baseline launches right after a contender, as a log ratio, for each place and contender with a
    significant after-effect: the Mann-Whitney rank test, with Holm's correction over the whole table, which is all
    contenders at all places."""
    found: dict[tuple[Place, str], tuple[float, float]] = {}
    for place, name in itertools.product(launches, contenders):
        after = [one.residual for one in launches[place] if one.after == name]
        others = [one.residual for one in launches[place] if one.after != name]
        if len(after) >= _LEAST and len(others) >= _LEAST:
            p_value = float(stats.mannwhitneyu(after, others).pvalue)
            found[place, name] = p_value, statistics.median(after) - statistics.median(others)
    corrected = holm([p_value for p_value, _ in found.values()])
    return {row: found[row][1] for row, p_value in zip(found, corrected) if p_value < LEVEL and found[row][1]}


def residuals(rounds: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """By round and contender: the log ratio of each value to its contender's median, without the common factor of the
    round, such as drift or the load of another guest. Empty for rounds with a value that has no logarithm."""
    names = dict.fromkeys(name for values in rounds for name in values)
    medians = {name: statistics.median([values[name] for values in rounds if name in values]) for name in names}
    found: list[dict[str, float]] = []
    for values in rounds:
        if any(value <= 0.0 or medians[name] <= 0.0 for name, value in values.items()):
            found.append({})
            continue
        logs = {name: math.log(value / medians[name]) for name, value in values.items()}
        middle = statistics.median(logs.values()) if logs else 0.0
        found.append({name: log - middle for name, log in logs.items()})
    return found
