import numpy as np
import pytest

from fathom_lab.stats.dip import _CRITICAL, dip, several_modes


@pytest.mark.parametrize("values, counts", [
    ([1, 2, 4, 7, 11, 11.5, 12, 12.5, 20], 1.8),
    ([0] * 5 + [1] * 5, 5.0),
    ([0] * 10 + [1] * 5, 5.0),
    ([0] * 5 + [1] + [2] * 5, 5.0),
    ([0, 1, 1, 1, 1, 1, 1, 2], 1.0),
    ([0, 1, 2, 3, 3, 3, 3], 1.0),
    ([-2] * 3 + [-1] * 10 + [0] * 7 + [1] * 8 + [2] * 10 + [3] * 3, 10.0),
    ([-4, -3, -3, -2, -2, 0, 0, 0, 1, 3, 3, 3, 4], 3.0),
])
def test_the_dip_is_that_of_other_implementations(values, counts):
    """The figures of diptest 0.12 for Python, a port of the package of R, times twice the number of values."""
    assert dip(values) * 2 * len(values) == pytest.approx(counts)
    assert dip([-one for one in values]) == pytest.approx(dip(values))


def test_the_dip_depends_on_neither_scale_nor_order():
    values = np.random.default_rng(1).normal(size=50)
    assert dip((1e-9 * values[::-1]).tolist()) == pytest.approx(dip(values.tolist()))


def test_equal_values_have_the_smallest_dip():
    assert dip([3.0] * 10) == 1 / 20
    assert not several_modes([3.0] * 10)


@pytest.mark.parametrize("count", [10, 20, 50])
def test_one_percent_of_uniform_samples_exceed_the_critical_dip(count):
    rng = np.random.default_rng(2)
    dips = [dip(rng.random(count)) for _ in range(3000)]
    assert np.quantile(dips, 0.99) * count**0.5 == pytest.approx(_CRITICAL[count], rel=0.03)


def test_nine_values_are_too_few():
    assert not several_modes([1.0] * 5 + [2.0] * 4)
    assert several_modes([1.0] * 5 + [2.0] * 5)
