"""Confidence interval of the median."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fathom_lab.stats.effect import Chance, may_disagree, once

Bounds = tuple[float, float, float]  # low, high, confidence


def median_interval(values: Sequence[float], confidence: float = 0.95, chance: Chance = once) -> Bounds | None:
    """Returns two of the sorted values that contain the true median with at least that confidence, and the confidence,
    exactly for once(). None if there are too few values: fewer than 6 for 95 %. With anytime.chance() the intervals
    after all rounds hold together.

    The number of values below the true median is binomial whatever their distribution, so nothing is assumed about
    it. The interval is the inversion of the sign test: 0 lies outside if and only if sign_test() is below 1 -
    confidence.
    """
    outside = may_disagree(len(values), 1.0 - confidence, chance)  # values outside of it, at either end, less one
    if outside < 0:
        return None
    ordered = sorted(values)
    return float(ordered[outside]), float(ordered[-1 - outside]), 1.0 - chance(outside, len(values))


def relative_precision(low: float, high: float) -> float:
    """How far an interval of ratios extends from its geometric middle: 0.02 for 2 %. Infinite if it includes 0."""
    return math.sqrt(high / low) - 1.0 if 0.0 < low <= high < math.inf else math.inf
