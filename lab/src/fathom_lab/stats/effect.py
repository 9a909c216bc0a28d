"""The sign test, and the smallest effect that it would have shown.

The test uses one value per round: in how many rounds was the contender slower? If both are the same program, either
order is equally likely in each round, because the order of launches is random. That holds under drift, spikes, load
of other guests and bias of a process, and if consecutive rounds are correlated. It does not hold if a contender has
an after-effect on its successor (carry_over.py), or if failed launches are excluded.

Wilcoxon's signed-rank test sees smaller effects in white noise (3 % in noise of 2 %, 10 rounds: 82 % against 55 %),
but fewer if some launches are interrupted (10 rounds: 49 % against 74 %; 20: 83 % against 99 %), which is typical of
real machines. It also tests more than the median: it calls a contender with the same median ratio but its own spikes
different in 16 % of the runs at 100 rounds. The sign test also matches the interval that is shown: both come from
the same ranks, so they never contradict each other.

The power for a true effect of 3 %, one row alone, simulated (noise.py has the models):

    rounds   white   drift   neighbour   spikes   ramp   bias of each launch
        10    55 %    82 %        86 %     74 %   99 %                  43 %
        20    93 %   100 %       100 %     99 %  100 %                  88 %

Since it counts rounds, its rate of false alarms stays below the nominal 5 %: 2.1 % with 10 rounds and 4.1 % with 20.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

LEVEL = 0.05  # accepted rate of false alarms

# The p-value if so many rounds speak against the direction of the others: once() or anytime.chance().
Chance = Callable[[int, int], float]


@functools.cache
def once(against: int, rounds: int) -> float:
    """The p-value of the two-sided exact sign test of a number of rounds that was fixed in advance."""
    return min(1.0, 2.0 * float(stats.binom.cdf(against, rounds, 0.5)))


def sign_test(differences: Sequence[float], chance: Chance = once) -> float:
    """Returns the p-value of the hypothesis that the median is 0. A difference of 0 counts against both sides, so that
    the test agrees with median_interval(), and ties cannot create a difference."""
    values = np.asarray(differences, dtype=float)
    against = int(min(np.sum(values <= 0.0), np.sum(values >= 0.0)))
    return chance(against, len(values))


def rounds_needed(rows: int, level: float = LEVEL, chance: Chance = once) -> int:
    """The minimum number of rounds that can show a difference in one of `rows` rows."""
    return next(rounds for rounds in itertools.count(1) if chance(0, rounds) * rows < level)


@functools.cache
def may_disagree(rounds: int, level: float, chance: Chance = once) -> int:
    """The number of rounds that may disagree; -1: even unanimous rounds are too few."""
    return bisect.bisect_left(range((rounds + 1) // 2), level, key=lambda against: chance(against, rounds)) - 1


def false_alarm_rate(rounds: int, level: float = LEVEL) -> float:
    """The exact rate of false alarms of the test at that level, which is lower because the test counts rounds."""
    allowed = may_disagree(rounds, level)
    return once(allowed, rounds) if allowed >= 0 else 0.0


def detectable_effect(
    differences: Sequence[float], level: float = LEVEL, power: float = 0.8, chance: Chance = once
) -> float:
    """The true effect, as a log ratio, that this many rounds with this spread would have shown with the given power.
    Infinite if they could not have shown any.

    The sign test at a level lets a certain number of rounds disagree. From that follows the largest probability of
    disagreement of a single round with which the test still succeeds with the power (binomial distribution,
    exactly). The effect shifts the log ratios so far that only that share of them remains on the other side: a
    quantile of their distances from their median, on both sides together, assuming symmetry without an effect. For
    one of several rows, the level is divided by the number of rows. The tolerance plays no role: a smaller effect is
    seen, too, but reported as not mattering. With anytime.chance() it is the effect that the test of these rounds alone
    would have shown, without the chances that earlier rounds had.
    """
    count = len(differences)
    allowed = may_disagree(count, level, chance)
    if allowed < 0:
        return math.inf
    share = float(stats.beta.ppf(power, count - allowed, allowed + 1))  # the share of rounds that must agree
    distances = np.asarray(differences, dtype=float) - np.median(differences)
    both = np.concatenate([distances, -distances])
    return max(0.0, float(np.quantile(both, share, method="weibull")))
