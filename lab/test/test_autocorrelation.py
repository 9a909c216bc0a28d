import math

import numpy as np
import pytest

from fathom_lab.stats.autocorrelation import autocorrelation, p_value
from fathom_lab.stats.multiple import holm


def walks(rng, count, rounds):
    return rng.normal(size=(count, rounds)).cumsum(axis=1)


def test_values_in_order_are_correlated():
    assert autocorrelation(list(range(20))) == pytest.approx(0.85)
    assert p_value(list(range(20))) == 1 / 1000


def test_values_that_alternate_are_not_called_correlated():
    assert autocorrelation([0.0, 1.0] * 10) == pytest.approx(-0.95)
    assert p_value([0.0, 1.0] * 10) > 0.99


@pytest.mark.parametrize("values", [[], [1.0] * 5, [1.0, 2.0, 3.0, 4.0, 5.0], [2.0] * 30])
def test_too_few_or_equal_values_have_no_autocorrelation(values):
    assert math.isnan(autocorrelation(values)) if values else True
    assert p_value(values or [1.0]) == 1.0


@pytest.mark.parametrize("rounds", [6, 10, 20])
def test_the_rate_of_false_notes_is_the_promised_one(rounds):
    rng = np.random.default_rng(1)
    assert np.mean([p_value(one) < 0.05 for one in rng.normal(size=(600, rounds))]) == pytest.approx(0.05, abs=0.025)


@pytest.mark.parametrize("rounds, least", [(10, 0.45), (20, 0.9)])
def test_values_that_wander_are_found(rounds, least):
    found = [p_value(one) < 0.05 for one in walks(np.random.default_rng(2), 100, rounds)]
    assert np.mean(found) >= least


def test_of_twenty_rows_those_that_wander_are_found():
    rng = np.random.default_rng(3)
    rows = [*walks(rng, 3, 40), *rng.normal(size=(17, 40))]
    assert [index for index, one in enumerate(holm([p_value(row) for row in rows])) if one < 0.05] == [0, 1, 2]
