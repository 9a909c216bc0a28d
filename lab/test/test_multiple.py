import numpy as np
import pytest

from fathom_lab.stats.multiple import holm


def test_holm_multiplies_the_smallest_by_the_number_of_rows_and_the_next_by_one_less():
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])


def test_holm_leaves_a_single_p_value_as_it_is():
    assert holm([0.03]) == [0.03]


def test_no_adjusted_p_value_is_above_one_or_below_its_own():
    p = np.random.default_rng(1).random(50)
    adjusted = holm(p.tolist())
    assert max(adjusted) <= 1.0
    assert np.all(np.asarray(adjusted) >= p)


def test_the_order_of_the_p_values_stays():
    p = np.random.default_rng(2).random(20)
    shuffled = np.random.default_rng(3).permutation(20)
    assert holm(p[shuffled].tolist()) == pytest.approx(np.asarray(holm(p.tolist()))[shuffled])


def test_no_rows_are_not_an_error():
    assert holm([]) == []


def test_among_twenty_rows_without_a_difference_holm_finds_one_in_five_percent_of_the_runs():
    p = np.random.default_rng(5).random((2000, 20))
    alone = np.mean([min(row) < 0.05 for row in p])
    corrected = np.mean([min(holm(row)) < 0.05 for row in p])
    assert alone > 0.6
    assert corrected == pytest.approx(0.05, abs=0.015)
