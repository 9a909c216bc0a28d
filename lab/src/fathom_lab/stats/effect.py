"""Is there a difference, and how large would it have to be to be seen?

The test is the sign test, of one value a round: in how many rounds was the contender slower? If both are the same
program, either order is equally likely in each round, because the order of launches is random: that holds under drift,
spikes, neighbours and bias of a process alike, and also if neighbouring rounds resemble each other. It does not hold if
a contender leaves something behind for who comes next (carry_over.py), nor if launches that failed are left out.

Wilcoxon's signed-rank test sees smaller effects in white noise (3 % in noise of 2 %, 10 rounds: 82 % against 55 %), but
fewer where some launches are interrupted (10 rounds: 49 % against 74 %; 20: 83 % against 99 %), and these are what
machines do. And it asks for more than the median: a contender with the same median ratio but spikes of its own is
called different in 16 % of the runs at 100 rounds. The sign test also fits the interval that is shown: both come from
the same ranks, so they never contradict each other.

What it sees of a true 3 %, one row alone, simulated (noise.py has the models):

    rounds   white   drift   neighbour   spikes   ramp   bias of each launch
        10    55 %    82 %        86 %     74 %   99 %                  43 %
        20    93 %   100 %       100 %     99 %  100 %                  88 %

It cannot come closer to 5 % of false alarms than 2.1 % with 10 rounds and 4.1 % with 20, as it counts rounds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

LEVEL = 0.05  # of false alarms that are accepted


def sign_test(differences: Sequence[float]) -> float:
    """Two-sided exact p-value that their median is 0. A difference of 0 speaks against either side, so that the test
    agrees with median_interval(), and ties cannot make a difference."""
    values = np.asarray(differences, dtype=float)
    against = int(min(np.sum(values <= 0.0), np.sum(values >= 0.0)))
    return _p_value(against, len(values))


@functools.cache
def _p_value(against: int, rounds: int) -> float:
    return min(1.0, 2.0 * float(stats.binom.cdf(against, rounds, 0.5)))


def rounds_needed(rows: int, level: float = LEVEL) -> int:
    """Rounds that can show a difference at all in one of so many rows, corrected by Holm."""
    return math.floor(math.log2(2.0 * rows / level)) + 1


def false_alarm_rate(rounds: int, level: float = LEVEL) -> float:
    """Of the test at that level, exactly: it counts rounds, so it cannot come closer to the level from below."""
    allowed = _may_disagree(rounds, level)
    return _p_value(allowed, rounds) if allowed >= 0 else 0.0


def smallest_visible(differences: Sequence[float], level: float = LEVEL, power: float = 0.8) -> float:
    """The true effect, as a log ratio, that so many rounds with such a spread would have shown with that probability.
    Infinite if they could have shown none.

    The sign test at that level lets a certain number of rounds disagree. From it follows how likely a single round may
    disagree for the test to succeed with the power (the binomial distribution, exactly). The effect is what moves the
    log ratios so far that only such a part of them is left on the other side: a quantile of their distances from their
    median, on both sides together, as they would be symmetric without an effect. For a row among others the level is
    divided by the number of rows: Holm's first and hardest step. About the tolerance it says nothing: an effect below
    it is seen, too, but said not to matter.
    """
    count = len(differences)
    allowed = _may_disagree(count, level)
    if allowed < 0:
        return math.inf
    share = float(stats.beta.ppf(power, count - allowed, allowed + 1))  # of rounds that agree
    distances = np.asarray(differences, dtype=float) - np.median(differences)
    both = np.concatenate([distances, -distances])
    return max(0.0, float(np.quantile(both, share, method="weibull")))


@functools.cache
def _may_disagree(rounds: int, level: float) -> int:
    """Rounds of so many; -1: even all of them together are too few."""
    return sum(_p_value(against, rounds) < level for against in range(rounds // 2)) - 1
