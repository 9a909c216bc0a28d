import numpy as np
import pytest
from scipy import stats

from fathom_lab.stats.effect import sign_test
from fathom_lab.stats.interval import median_interval, relative_precision


def test_five_values_are_too_few_for_an_interval():
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None


@pytest.mark.parametrize(
    "count, ranks, confidence",
    [(6, (1, 6), 0.96875), (10, (2, 9), 0.978515625), (20, (6, 15), 0.9586105346679688), (30, (10, 21), 0.957226)],
)
def test_the_bounds_are_the_values_at_the_ranks_of_the_sign_test(count, ranks, confidence):
    values = list(np.random.default_rng(1).permutation(np.arange(1.0, count + 1)))
    low, high, exactly = median_interval(values)
    assert (low, high) == ranks
    assert exactly == pytest.approx(confidence, abs=1e-6)


@pytest.mark.parametrize("count", range(6, 60))
def test_the_interval_is_the_narrowest_that_the_binomial_distribution_allows(count):
    low, high, exactly = median_interval(list(range(count)))
    rank = int(low) + 1
    assert high == count - rank
    assert exactly == pytest.approx(1 - stats.binomtest(rank - 1, count, 0.5).pvalue)
    assert exactly >= 0.95
    assert 1 - stats.binomtest(rank, count, 0.5).pvalue < 0.95


def test_the_interval_holds_the_median_of_a_skewed_distribution_as_often_as_promised():
    rng = np.random.default_rng(2)
    samples = rng.exponential(1.0, (4000, 10))
    intervals = [median_interval(list(sample)) for sample in samples]
    held = np.mean([low <= np.log(2) <= high for low, high, _ in intervals])
    assert held == pytest.approx(intervals[0][2], abs=0.01)


def test_zero_lies_outside_if_and_only_if_the_test_finds_a_difference():
    rng = np.random.default_rng(3)
    found = set()
    for _ in range(500):
        count = int(rng.integers(6, 45))
        values = np.round(rng.normal(rng.choice([0.0, 0.5]), 1.0, count), 1).tolist()  # with ties, and with zeros
        low, high, _ = median_interval(values)
        outside = low > 0.0 or high < 0.0
        assert outside == (sign_test(values) < 0.05)
        found.add(outside)
    assert found == {True, False}


def test_precision_is_how_far_an_interval_reaches_from_its_middle():
    assert relative_precision(1 / 1.03, 1.03) == pytest.approx(0.03)
    assert relative_precision(2.0, 2.0) == 0.0
    assert relative_precision(0.0, 1.0) == float("inf")
