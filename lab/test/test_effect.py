import math

import numpy as np
import pytest
from scipy import stats

from fathom_lab.stats.effect import (
    LEVEL,
    detectable_effect,
    false_alarm_rate,
    rounds_needed,
    sign_test,
)


def test_the_p_value_is_that_of_the_binomial_test():
    rng = np.random.default_rng(1)
    for count in range(1, 50):
        values = rng.normal(0.3, 1.0, count)
        below = int(np.sum(values < 0.0))
        assert sign_test(values.tolist()) == pytest.approx(stats.binomtest(below, count, 0.5).pvalue)


def test_equal_values_are_not_a_difference():
    assert sign_test([0.0] * 20) == 1.0


def test_ties_count_against_a_difference():
    assert sign_test([1.0] * 8 + [0.0] * 2) == sign_test([1.0] * 8 + [-1.0] * 2)


def test_ten_rounds_that_agree_have_the_smallest_p_value():
    assert sign_test([0.1] * 10) == 2 / 1024


@pytest.mark.parametrize("rows", [1, 2, 5, 25, 26, 100, 1000])
def test_the_needed_rounds_suffice_and_one_less_does_not(rows):
    rounds = rounds_needed(rows)
    assert rows * sign_test([0.1] * rounds) < LEVEL
    assert rows * sign_test([0.1] * (rounds - 1)) >= LEVEL


def test_wilcoxon_would_call_spikes_of_one_side_a_difference_and_the_sign_test_does_not():
    """The reason for the sign test: the median ratio is 1 here."""
    rng = np.random.default_rng(2)
    true_median = np.median(_with_spikes(rng, (500_000,)))
    rows = _with_spikes(rng, (500, 100)) - true_median
    by_sign = np.mean([sign_test(row) < LEVEL for row in rows])
    by_wilcoxon = np.mean([stats.wilcoxon(row).pvalue < LEVEL for row in rows])
    assert by_sign < 0.08 < by_wilcoxon


def _with_spikes(rng, shape):
    """Log ratios of a contender that is interrupted in a fifth of its launches to a baseline that is not."""
    return rng.normal(0.0, 0.014, shape) + np.log1p((rng.random(shape) < 0.2) * rng.exponential(0.3, shape))


def test_five_rounds_can_show_no_effect():
    assert detectable_effect([0.01, -0.01, 0.02, 0.0, -0.02]) == math.inf


def test_without_noise_every_effect_is_visible():
    assert detectable_effect([0.1] * 10) == 0.0


def test_more_noise_hides_larger_effects_and_more_rows_do_too():
    logs = np.random.default_rng(3).normal(0.0, 0.02, 20)
    assert detectable_effect((2 * logs).tolist()) == pytest.approx(2 * detectable_effect(logs.tolist()))
    assert detectable_effect(logs.tolist(), LEVEL / 10) > detectable_effect(logs.tolist())


def test_the_effect_itself_does_not_change_what_is_visible():
    logs = np.random.default_rng(4).normal(0.0, 0.02, 15)
    assert detectable_effect((logs + 0.5).tolist()) == pytest.approx(detectable_effect(logs.tolist()))


def test_what_is_visible_does_not_depend_on_who_is_the_baseline():
    logs = np.random.default_rng(6).exponential(0.1, 15)
    assert detectable_effect((-logs).tolist()) == pytest.approx(detectable_effect(logs.tolist()))


@pytest.mark.parametrize("rounds, level", [(20, LEVEL), (20, LEVEL / 8), (40, LEVEL)])
def test_an_effect_of_the_size_called_visible_is_found_in_about_four_of_five_runs(rounds, level):
    rng = np.random.default_rng(5)
    claimed = np.median([detectable_effect(row, level) for row in rng.normal(0.0, 0.03, (300, rounds))])
    found = np.mean([sign_test(row) < level for row in rng.normal(claimed, 0.03, (2000, rounds))])
    assert 0.72 < found < 0.9


def test_the_rate_of_false_alarms_is_known_exactly():
    assert false_alarm_rate(10) == pytest.approx(22 / 1024)
    assert false_alarm_rate(20) == pytest.approx(0.0414, abs=1e-4)
    assert false_alarm_rate(5) == 0.0
    assert all(false_alarm_rate(rounds) < LEVEL for rounds in range(1, 200))
