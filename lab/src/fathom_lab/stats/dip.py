"""Hartigan's dip test: whether values come from more than one cluster.

J. A. Hartigan and P. M. Hartigan, The Dip Test of Unimodality, Annals of Statistics 13 (1985), pages 70-84. The dip is
the greatest distance between the empirical distribution and the unimodal distribution closest to it. Of all unimodal
distributions the uniform one has the largest dips, so the test compares with its dips and raises fewer false alarms for
values with a peak. Debian 12 has the test for R only; test_dip.py compares this one with another implementation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

# By number of values: the dip, times the root of that number, which 1 % of uniform samples exceed. Of 200,000 samples
# for each number, 20,000 above 200. test_dip.py repeats this with fewer.
_CRITICAL = {
    10: 0.5045, 12: 0.5145, 15: 0.5249, 20: 0.5417, 25: 0.5496, 30: 0.5561, 40: 0.5663, 50: 0.5728,
    70: 0.5821, 100: 0.5916, 200: 0.6056, 500: 0.6133, 1000: 0.6220, 5000: 0.6304,
}  # fmt: skip


def several_modes(values: Sequence[float]) -> bool:
    """Reports whether the values have more than one mode, at a level of 1 %. Always False for fewer than 10 values."""
    count = len(values)
    if count < min(_CRITICAL):
        return False
    critical = float(np.interp(count, list(_CRITICAL), list(_CRITICAL.values())))
    return bool(dip(values) * count**0.5 > critical)


def dip(values: Sequence[float]) -> float:
    """The dip of one value or more: from 1 / 2n to 1 / 4.

    A unimodal distribution is convex below its mode and concave above. Between bounds for the mode, which come closer
    in each step, the closest one is the greatest convex function below the data and the least concave one above. All
    heights are counts, so the dip is half of the largest distance, divided by the number of values.
    """
    points, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    upto: Array = np.cumsum(counts).astype(np.float64)
    below: Array = upto - counts
    low, high, largest = 0, len(points) - 1, 1.0
    while low < high:
        here = slice(low, high + 1)
        convex, concave = _convex_knots(points[here], below[here]), _convex_knots(points[here], -upto[here])
        under = np.interp(points[here], points[here][convex], below[here][convex])
        over = np.interp(points[here], points[here][concave], upto[here][concave])
        knots = np.union1d(convex, concave)
        widest = knots[np.argmax((over - under)[knots])]
        if over[widest] - under[widest] <= largest:
            break
        first = int(convex[convex <= widest][-1])
        last = int(concave[concave >= widest][0])
        left = float(np.max((upto[here] - under)[:first], initial=1.0))
        right = float(np.max((over - below[here])[last + 1 :], initial=1.0))
        largest = max(largest, left, right)
        if (first, last) == (0, high - low):
            break
        low, high = low + first, low + last
    return largest / (2.0 * len(values))


def _convex_knots(x: Array, y: Array) -> Indices:
    """The indices of the points at which the greatest convex function below all points touches them."""
    kept: list[int] = []
    xs, ys = x.tolist(), y.tolist()  # an element of an array takes several times as long to read
    for index in range(len(xs)):
        while len(kept) > 1 and _is_above(xs, ys, kept[-2], kept[-1], index):
            kept.pop()
        kept.append(index)
    return np.asarray(kept)


def _is_above(x: list[float], y: list[float], left: int, middle: int, right: int) -> bool:
    """Whether the point in the middle lies on or above the line between the others."""
    return (y[middle] - y[left]) * (x[right] - x[middle]) >= (y[right] - y[middle]) * (x[middle] - x[left])
