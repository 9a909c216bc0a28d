import numpy as np
import pytest

from fathom_lab.stats import noise
from fathom_lab.stats.modes import modes

ONE_CLUSTER = {
    "normal": lambda rng, count: rng.normal(1.0, 0.02, count),
    "uniform": lambda rng, count: rng.uniform(1.0, 1.1, count),
    "log-normal": lambda rng, count: rng.lognormal(0.0, 0.3, count),
    "exponential": lambda rng, count: 1.0 + rng.exponential(0.1, count),
    "spikes": lambda rng, count: noise.spikes(rng, (1, count, 1)).ravel(),
    "ramp": lambda rng, count: noise.ramp(rng, (1, count, 1)).ravel(),
    "drift": lambda rng, count: noise.drift(rng, (1, count, 1)).ravel(),
}


@pytest.mark.parametrize("kind", ONE_CLUSTER)
@pytest.mark.parametrize("count", [10, 20, 40])
def test_one_cluster_is_rarely_mistaken_for_two(kind, count):
    rng = np.random.default_rng(1)
    false = np.mean([bool(modes(ONE_CLUSTER[kind](rng, count))) for _ in range(500)])
    assert false <= 0.02


@pytest.mark.parametrize("kind", ["normal", "log-normal", "exponential", "spikes"])
def test_tables_of_twenty_rows_with_one_cluster_each_rarely_have_a_note(kind):
    """A row has two series, here with 20 values each. A rule of our own before the dip test had a note in 6 to 69 % of
    these tables."""
    rng = np.random.default_rng(3)
    series = [bool(modes(ONE_CLUSTER[kind](rng, 20))) for _ in range(100 * 40)]
    assert np.mean(np.reshape(series, (100, 40)).any(axis=1)) <= 0.1


@pytest.mark.parametrize("count, least", [(10, 0.25), (20, 0.7), (40, 0.95)])
def test_two_clusters_that_lie_apart_are_found(count, least):
    rng = np.random.default_rng(2)
    found = [modes(_two_clusters(rng, count)) for _ in range(300)]
    assert np.mean([bool(one) for one in found]) >= least


def _two_clusters(rng, count):
    return rng.normal(1.0, 0.01, count) * np.where(rng.random(count) < 0.5, 1.1, 1.0)


def test_the_modes_are_the_medians_of_the_clusters():
    assert modes([1.0, 1.01, 1.02, 1.03, 1.04, 2.0, 2.01, 2.02, 2.03, 2.04]) == pytest.approx((1.02, 2.02))


def test_a_single_outlier_is_not_a_cluster():
    assert modes([1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 5.0]) == ()


def test_clusters_within_the_tolerance_are_one():
    pages = [4096.0 * 1000] * 5 + [4096.0 * 1001] * 5
    assert modes(pages) != ()
    assert modes(pages, apart=0.03) == ()


def test_zeros_are_not_an_error():
    assert modes([0.0] * 10) == ()
    assert modes([0.0] * 5 + [3.0] * 5, apart=0.03) == (0.0, 3.0)
