"""Compares two contenders with one value per round each."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

import numpy as np

from fathom_lab.stats import effect
from fathom_lab.stats.effect import Chance, once
from fathom_lab.stats.interval import Bounds, median_interval


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Ratios are contender / baseline."""

    differences: tuple[float, ...]  # by round: of logarithms, or of values if some are not positive
    logarithmic: bool
    ratio: float  # nan: not defined
    bounds: Bounds | None  # of the ratio; None: too few rounds, or no ratio
    p_value: float  # of no difference, for this comparison alone
    scale: float  # the divisor that makes a difference of values relative; 0: none
    chance: Chance = once

    def direction(self) -> int:
        """1: the contender has more, -1: less."""
        return int(np.sign(statistics.median(self.differences)))

    def interval(self, level: float) -> Bounds | None:
        """The interval of the ratio, with a confidence of at least 1 - level."""
        bounds = median_interval(self.differences, 1.0 - level, self.chance)
        return _of_ratios(bounds, self.logarithmic, self.scale) if bounds and not math.isnan(self.ratio) else None

    def detectable_effect(self, level: float) -> float:
        """The true effect that would have been seen, relative: 0.02 for 2 %. See effect.detectable_effect().

        It is at least the distance from the median to the farther end of the interval of that level: an effect that
        the interval cannot exclude was not seen. For skewed values that is the larger of the two.
        """
        detectable = max(effect.detectable_effect(self.differences, level, chance=self.chance), self._reach(level))
        if self.logarithmic:
            return math.expm1(detectable)
        return detectable / self.scale if self.scale > 0.0 else (math.inf if detectable > 0.0 else 0.0)

    def _reach(self, level: float) -> float:
        """The distance from the median of the differences to the farther end of their interval."""
        bounds = median_interval(self.differences, 1.0 - level, self.chance)
        middle = statistics.median(self.differences)
        return max(bounds[1] - middle, middle - bounds[0]) if bounds else math.inf


def compare(contender: Sequence[float], baseline: Sequence[float], chance: Chance = once) -> Comparison:
    """Compares the logarithms of the ratios, so that twice as fast and half as fast are equally far from equal. With
    anytime.chance() as `chance` it may be repeated after each round.

    If a value is 0, as counts may be, it compares differences, and the ratio is derived from the median difference
    relative to the baseline's median.
    """
    mine, its = np.asarray(contender, dtype=float), np.asarray(baseline, dtype=float)
    logarithmic = bool(np.all(mine > 0.0) and np.all(its > 0.0))
    differences: list[float] = (np.log(mine) - np.log(its) if logarithmic else mine - its).tolist()
    scale = statistics.median(its.tolist())
    bounds = median_interval(differences, chance=chance)
    ratio = _ratio(statistics.median(differences), logarithmic, scale)
    return Comparison(
        differences=tuple(differences),
        logarithmic=logarithmic,
        ratio=ratio,
        bounds=_of_ratios(bounds, logarithmic, scale) if bounds and not math.isnan(ratio) else None,
        p_value=effect.sign_test(differences, chance),
        scale=scale,
        chance=chance,
    )


def compare_exactly(contender: Sequence[float], baseline: Sequence[float]) -> Comparison:
    """Compares counts that are the same in each launch: a difference is one if all rounds show it, without any chance.
    The p-value is 0, or 1 if rounds disagree or show no difference; the bounds are the extremes of the rounds."""
    found = compare(contender, baseline)
    signs = {int(np.sign(one)) for one in found.differences}
    ends = (min(found.differences), max(found.differences), 1.0)
    return dataclasses.replace(
        found,
        bounds=None if math.isnan(found.ratio) else _of_ratios(ends, found.logarithmic, found.scale),
        p_value=0.0 if signs in ({1}, {-1}) else 1.0,
    )


def _ratio(difference: float, logarithmic: bool, scale: float) -> float:
    if logarithmic:
        return math.exp(difference)
    if scale > 0.0:
        return max(0.0, 1.0 + difference / scale)
    return 1.0 if difference == 0.0 else math.nan


def _of_ratios(bounds: Bounds, logarithmic: bool, scale: float) -> Bounds | None:
    low, high = (_ratio(one, logarithmic, scale) for one in bounds[:2])
    return None if math.isnan(low) or math.isnan(high) else (low, high, bounds[2])
