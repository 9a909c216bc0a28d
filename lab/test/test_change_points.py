from __future__ import annotations

import numpy as np
import pytest

from fathom_lab.stats.change_points import FEWEST, change_points


def white(seed: int, count: int, deviation: float = 0.01) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, deviation, count)


def test_a_step_is_found_where_it_is() -> None:
    assert change_points([*white(1, 10), *(white(2, 10) + 0.05)]) == [10]


def test_two_steps_are_found_and_a_return_is_one() -> None:
    assert change_points([*white(1, 10), *(white(2, 10) + 0.1), *white(3, 10)]) == [10, 20]


def test_a_single_outlier_is_not_a_change() -> None:
    values = white(1, 20)
    values[[0, 9, 19]] += [0.5, 0.5, 0.5]
    assert change_points(values) == []


def test_constant_values_and_too_few_values_have_no_change() -> None:
    assert change_points([1.0] * 20) == change_points([]) == change_points([1.0]) == []
    assert change_points([1.0] * 3 + [2.0] * 4) == []
    assert change_points([1.0] * 4 + [2.0] * 4) == [4] and FEWEST == 8


def test_the_same_values_give_the_same_answer() -> None:
    values = [*white(5, 12), *(white(6, 8) + 0.012)]
    assert change_points(values) == change_points(values)


@pytest.mark.parametrize("heavy", [False, True], ids=["white noise", "heavy tails"])
def test_a_series_without_a_change_seldom_has_one(heavy: bool) -> None:
    """At most 5 % are promised: 150 series, of which more than 14 have one with a probability below 1 %."""
    dice = np.random.default_rng(1)
    series = [dice.standard_t(2, 14) if heavy else dice.normal(0, 1, 14) for _ in range(150)]
    assert sum(bool(change_points(one)) for one in series) <= 14


def test_a_change_of_three_times_the_noise_is_nearly_always_found() -> None:
    found = [change_points([*white(seed, 10), *(white(1000 + seed, 10) + 0.03)]) for seed in range(40)]
    assert sum(any(abs(place - 10) <= 1 for place in places) for places in found) >= 36
