"""Does a contender leave something behind that its successor pays for: dirty pages, heat, a full cache?

Within a round nobody follows itself. What c leaves behind slows the baseline now and then, and never c, so c looks
faster than it is; the baseline beside itself shows nothing, since it follows c as often. But the launches of the
baseline, both of them, can be told apart by who ran before them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from fathom_lab.stats.effect import LEVEL
from fathom_lab.stats.multiple import holm

_LEAST = 3  # launches after a contender


@dataclasses.dataclass(frozen=True)
class Placed:
    """A launch of the baseline, or of the baseline once more."""

    residual: float  # the logarithm of its value, without what its round had in common
    after: str  # who ran before it in its round; empty: nobody


def carry_over(launches: Sequence[Placed], contenders: Sequence[str]) -> Mapping[str, float]:
    """By how much launches of the baseline differ right after a contender, as a log ratio, for those contenders after
    which they do: the rank test of Mann and Whitney, corrected by Holm over the contenders."""
    found: dict[str, tuple[float, float]] = {}
    for name in contenders:
        after = [one.residual for one in launches if one.after == name]
        others = [one.residual for one in launches if one.after != name]
        if len(after) >= _LEAST and len(others) >= _LEAST:
            p_value = float(stats.mannwhitneyu(after, others).pvalue)
            found[name] = p_value, float(np.median(after) - np.median(others))
    corrected = holm([p_value for p_value, _ in found.values()])
    return {name: found[name][1] for name, p_value in zip(found, corrected) if p_value < LEVEL and found[name][1]}


def residuals(rounds: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Of the values by contender, round by round: how far each lies from its own median, without what its round has in
    common, be it drift or a neighbour. Empty for rounds with a value that has no logarithm."""
    names = dict.fromkeys(name for values in rounds for name in values)
    medians = {name: float(np.median([values[name] for values in rounds if name in values])) for name in names}
    found: list[dict[str, float]] = []
    for values in rounds:
        if any(value <= 0.0 or medians[name] <= 0.0 for name, value in values.items()):
            found.append({})
            continue
        logs = {name: math.log(value / medians[name]) for name, value in values.items()}
        middle = float(np.median(list(logs.values()))) if logs else 0.0
        found.append({name: log - middle for name, log in logs.items()})
    return found
