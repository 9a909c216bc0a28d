"""Correction for multiple comparisons: of twenty rows without any difference, about one shows one at 5 %."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p-values adjusted by Holm's method. If those below 0.05 are called differences, even one of these calls
    is wrong in at most 5 % of the runs, however the rows depend on each other."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted.tolist()
