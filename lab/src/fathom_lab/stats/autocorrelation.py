"""Whether consecutive rounds resemble each other, because conditions on the machine change slowly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_LEAST = 6  # minimum number of values: fewer have too few orders
LEAST_ORDERS = 999  # random orders to compare with
_SEED = 1  # the same values always give the same answer


def autocorrelation(values: Sequence[float]) -> float:
    """The correlation of each value with the next, from -1 to 1; NaN for fewer than 6 values or equal ones."""
    around = np.asarray(values) - np.mean(values)
    if len(around) < _LEAST or not np.any(around):
        return math.nan
    return float(_products(around) / np.sum(around**2))


def p_value(values: Sequence[float], orders: int = LEAST_ORDERS) -> float:
    """The probability of so large an autocorrelation if the values were in random order: a permutation test, which
    assumes nothing about their distribution (Good, Permutation Tests, 2000). 1 for a NaN autocorrelation.

    The smallest value is 1 / (orders + 1). Negative autocorrelation counts as none.
    """
    if math.isnan(autocorrelation(values)):
        return 1.0
    around = np.asarray(values) - np.mean(values)
    rng = np.random.default_rng(_SEED)
    others = _products(rng.permuted(np.tile(around, (orders, 1)), axis=1))
    tolerance = 1e-9 * float(np.sum(around**2))  # of sums in another order
    return float(1 + np.sum(others >= _products(around) - tolerance)) / (orders + 1)


def _products(around: Array) -> Array:
    """The sum of the products of neighbours, in each row."""
    return np.asarray(np.sum(around[..., 1:] * around[..., :-1], axis=-1))
