"""The promise of the test that may be repeated after each round. Its probabilities are computed exactly."""

import numpy as np
import pytest

from fathom_lab.stats import anytime
from fathom_lab.stats.effect import LEVEL, may_disagree, once, rounds_needed, sign_test
from fathom_lab.stats.interval import median_interval


def ever_significant(chance, rounds, level=LEVEL, slower=0.5):
    """The probability of a significant difference after some round, if each is slower with the given probability."""
    ways = np.ones(1)  # the probability of no difference yet, by number of slower rounds
    for number in range(1, rounds + 1):
        ways = np.append((1.0 - slower) * ways, 0.0) + np.append(0.0, slower * ways)
        count = np.arange(number + 1)
        ways[np.minimum(count, number - count) <= may_disagree(number, level, chance)] = 0.0
    return 1.0 - ways.sum()


@pytest.mark.parametrize("rows", [1, 2, 20])
def test_equal_programs_ever_differ_in_at_most_five_percent_of_the_runs(rows):
    assert 0.01 / rows < ever_significant(anytime.chance, 2000, LEVEL / rows) < LEVEL / rows


def test_the_test_for_a_fixed_number_of_rounds_must_not_be_repeated():
    assert ever_significant(anytime.chance, 500) == pytest.approx(0.045, abs=0.001)
    assert ever_significant(once, 100) == pytest.approx(0.227, abs=0.001)


@pytest.mark.parametrize("weight, unanimous, white, close", [
    (0.25, 6, (74.0, 96.9, 100.0), (21.0, 38.1, 82.8)),
    (0.5, 7, (74.3, 98.1, 100.0), (19.7, 42.1, 86.1)),
    (1.0, 8, (73.5, 98.3, 100.0), (18.3, 43.4, 88.8)),
])
def test_weights_near_the_ends_decide_clear_cases_early(monkeypatch, weight, unanimous, white, close):
    """The table of decision 21: the share of runs that find a difference within 20, 40 and 100 rounds."""
    monkeypatch.setattr(anytime, "_WEIGHT", weight)

    def chance(against, rounds):  # not in the cache
        return anytime.chance(against, rounds)

    assert rounds_needed(1, chance=chance) == unanimous
    for slower, found in ((0.852, white), (0.7, close)):
        shares = [100.0 * ever_significant(chance, rounds, slower=slower) for rounds in (20, 40, 100)]
        assert shares == pytest.approx(found, abs=0.06)


@pytest.mark.parametrize("rows, rounds", [(1, 6), (2, 8), (3, 8), (20, 11)])
def test_unanimous_rounds_suffice_early(rows, rounds):
    assert rounds_needed(rows, chance=anytime.chance) == rounds
    assert sign_test([0.1] * rounds, anytime.chance) * rows < LEVEL
    assert sign_test([0.1] * (rounds - 1), anytime.chance) * rows >= LEVEL


def test_zero_lies_outside_the_interval_if_and_only_if_the_test_finds_a_difference():
    rng = np.random.default_rng(1)
    found = set()
    for _ in range(300):
        values = np.round(rng.normal(rng.choice([0.0, 0.5]), 1.0, int(rng.integers(6, 60))), 1).tolist()
        low, high, confidence = median_interval(values, chance=anytime.chance)
        assert confidence >= 0.95
        assert (low > 0.0 or high < 0.0) == (sign_test(values, anytime.chance) < LEVEL)
        found.add(low > 0.0 or high < 0.0)
    assert found == {True, False}


def test_all_intervals_of_a_run_hold_the_true_median_together():
    rng = np.random.default_rng(2)
    missed = 0
    for values in rng.exponential(1.0, (200, 80)):
        bounds = [median_interval(values[:rounds].tolist(), chance=anytime.chance) for rounds in range(6, 81)]
        missed += not all(low <= np.log(2) <= high for low, high, _ in bounds)
    assert missed / 200 <= 0.07


def test_rounds_that_are_equal_never_show_a_difference():
    assert sign_test([0.0] * 1000, anytime.chance) == 1.0
