"""Confidence interval of the median."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

Bounds = tuple[float, float, float]  # low, high, confidence


def median_interval(values: Sequence[float], confidence: float = 0.95) -> Bounds | None:
    """Returns two of the sorted values that contain the true median with at least that confidence, and the exact
    confidence. None if there are too few values: fewer than 6 for 95 %.

    The number of values below the true median is binomial whatever their distribution, so nothing is assumed about
    it. The interval is the inversion of the sign test: 0 lies outside if and only if sign_test() is below 1 -
    confidence.
    """
    rank = _rank(len(values), confidence)
    if rank == 0:
        return None
    ordered = sorted(values)
    exactly = 1.0 - 2.0 * float(stats.binom.cdf(rank - 1, len(values), 0.5))
    return float(ordered[rank - 1]), float(ordered[-rank]), exactly


@functools.cache
def _rank(count: int, confidence: float) -> int:
    """The rank, from 1, of the value from either end that is the bound; 0 if not even the extremes suffice."""
    ranks = np.arange(1, count // 2 + 1)
    return int(np.sum(2.0 * stats.binom.cdf(ranks - 1, count, 0.5) <= 1.0 - confidence + 1e-12))


def relative_precision(low: float, high: float) -> float:
    """How far an interval of ratios extends from its geometric middle: 0.02 for 2 %. Infinite if it includes 0."""
    return math.sqrt(high / low) - 1.0 if 0.0 < low <= high < math.inf else math.inf
