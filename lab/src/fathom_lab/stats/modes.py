"""Detects values that form two clusters, for which the median is a value that hardly any of them have."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_LEAST = 8  # minimum number of values: with fewer, any three can look like a cluster
_SHARE = 0.2  # minimum share of values in a cluster: fewer are outliers
_WIDE = 2.5  # minimum gap, relative to the mean distance of values from the middle of their cluster


def modes(values: Sequence[float], apart: float = 0.0) -> tuple[float, ...]:
    """Returns the medians of the two clusters, the lower first; empty if there is one cluster, if there are too few
    values, or if the medians differ by less than the fraction `apart` of the lower one.

    The widest gap that leaves a fifth of the values on either side separates two clusters if it is much wider than
    the clusters themselves. The threshold was found by simulation: values of one cluster (normal, uniform,
    log-normal, exponential, drifting or spiked) are mistaken for two in 0 to 5 % of the cases, depending on their
    kind and number. Two clusters 10 % apart, each 1 % wide, are found in 83 % of the cases with 10 values, and
    always with 20.
    """
    count = len(values)
    side = max(3, math.ceil(count * _SHARE))
    if count < _LEAST:
        return ()
    ordered = np.sort(np.asarray(values, dtype=float))
    cuts = np.arange(side, count - side + 1)
    gaps = ordered[cuts] - ordered[cuts - 1]
    cut = int(cuts[np.argmax(gaps)])
    low, high = ordered[:cut], ordered[cut:]
    middles = float(np.median(low)), float(np.median(high))
    distance = np.mean(np.concatenate([np.abs(low - middles[0]), np.abs(high - middles[1])]))
    far = middles[1] - middles[0] > apart * abs(middles[0])
    return middles if far and np.max(gaps) > max(_WIDE, 64.0 / count) * distance else ()
