"""Change points of a series: the places from which on its values have another distribution.

The E-Divisive method with a permutation test: D. S. Matteson and N. A. James, "A nonparametric approach for multiple
change point analysis of multivariate data", Journal of the American Statistical Association 109 (2014), as used for
performance tests by D. Daly et al., "The use of change point detection to identify software performance regressions in
a continuous integration system", ICPE 2020. It assumes no distribution, and finds changes of the variance, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.05  # of a false alarm in a series without a change: parts are searched only after a change was found
LEAST = 3  # values on each side, so that a single outlier is not a change
FEWEST = 8  # values; with fewer, no order of them is rare enough
_PERMUTATIONS = 999


def change_points(values: Sequence[float] | NDArray[np.float64]) -> list[int]:
    """The indices of the first values after each change, sorted. The same values give the same answer. The time is
    quadratic: about a second for 200 values."""
    dice = np.random.default_rng(0)
    found: list[int] = []
    left = [(0, len(values))]
    while left:
        start, end = left.pop()
        split = _split(np.asarray(values[start:end], dtype=float), dice)
        if split:
            found.append(start + split)
            left += [(start, start + split), (start + split, end)]
    return sorted(found)


def _split(values: NDArray[np.float64], dice: np.random.Generator) -> int:
    """The size of the first part; 0 if there is no change."""
    if len(values) < FEWEST or np.ptp(values) == 0:
        return 0
    distances = np.abs(values[:, None] - values[None, :])
    pairs = _Pairs(len(values))
    statistics = pairs.statistics(distances)
    best = int(np.argmax(statistics))
    as_large = 1
    for _ in range(_PERMUTATIONS):
        order = dice.permutation(len(values))
        # A difference by rounding is not a difference.
        as_large += pairs.statistics(distances[np.ix_(order, order)]).max() >= statistics[best] * (1 - 1e-9)
        if as_large >= LEVEL * (_PERMUTATIONS + 1):
            return 0
    return int(pairs.split[best])


class _Pairs:
    """All pairs of a first part, which begins the series, and a second one, which follows it and need not reach the
    end: otherwise, a change that is taken back later would hide."""

    def __init__(self, count: int):
        split, end = np.triu_indices(count + 1, LEAST)
        kept = split >= LEAST
        self.split, self.end = split[kept], end[kept]
        self._sizes = (self.split, self.end - self.split)

    def statistics(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scaled energy distance of each pair."""
        sums = np.zeros((len(distances) + 1, len(distances) + 1))
        sums[1:, 1:] = distances.cumsum(0).cumsum(1)
        first, second = self._sizes
        inside_first = sums[self.split, self.split]
        between = sums[self.split, self.end] - inside_first
        inside_second = sums[self.end, self.end] - inside_first - 2 * between
        energy: NDArray[np.float64] = (2 * between / (first * second) - inside_first / (first * (first - 1))
                                       - inside_second / (second * (second - 1)))
        return first * second / self.end * energy
