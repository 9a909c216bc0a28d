"""The sign test for rounds that go on until there is an answer.

A test that is repeated after each round finds a difference in equal programs sooner or later: the exact sign test at
5 % does in 23 % of the runs within 100 rounds (test_anytime.py). This one may be repeated after each round, and the
rounds may end for any reason, such as an answer or a spent budget: in at most 5 % of the runs it ever finds a
difference that does not exist.

The test bets on the next sign. If both signs are equally likely, no strategy multiplies its capital by 20 with a
probability above 1 / 20 (Ville's inequality, 1939). For each q, one player stakes the share 2q - 1 of the capital on
"greater", which multiplies it by 2q or by 2 - 2q. The test uses the mean capital of all players, weighted by the
distribution Beta(1/4, 1/4): most of its weight is near 0 and 1, so six rounds that agree multiply the capital by 20.1.
Robbins (1970) introduced such mixtures.

The medians against which the capital is below 20 form an interval, and with a probability of 95 % all intervals of a
run contain the true median (Howard and Ramdas, Sequential Estimation of Quantiles with Applications to A/B Testing and
Best-Arm Identification, Bernoulli 28, 2022; Waudby-Smith and Ramdas, Estimating Means of Bounded Random Variables by
Betting, JRSS B 86, 2024).
"""

from __future__ import annotations

import math

_WEIGHT = 0.25  # the parameter of Beta: the largest with which six rounds that agree are enough


def chance(against: int, rounds: int) -> float:
    """The p-value of the hypothesis that the median is 0, if so many rounds speak against the direction of the others:
    1 / capital. It may be computed after each round."""
    if 2 * against > rounds:
        return 1.0
    log_capital = rounds * math.log(2.0) + _log_beta(against, rounds - against) - _log_beta(0, 0)
    return min(1.0, math.exp(-log_capital))


def _log_beta(first: int, second: int) -> float:
    """The logarithm of the beta function of both, each plus the weight."""
    one, other = first + _WEIGHT, second + _WEIGHT
    return math.lgamma(one) + math.lgamma(other) - math.lgamma(one + other)
