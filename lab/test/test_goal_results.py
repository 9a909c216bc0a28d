"""Decisions about goals: each test has first the goal and then the measured values."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from fathom_lab import experiment, goal_results
from fathom_lab.analysis import analyze
from fathom_lab.experiment import Experiment
from fathom_lab.records import Launch
from fathom_lab.rows import GoalResult, GoalState

Value = Callable[[int], float | None]  # by round; None: the launch failed

ROUNDS = 10


def asking(
    *goals: Mapping[str, Any], contenders: Sequence[str] = ("fathom", "pdu", "dust"), **table: Any
) -> Experiment:
    return experiment.parse({
        "question": "Which?", "baseline": contenders[0], "goal": list(goals),
        "contender": [{"name": name, "driver": "command", "command": ["true"]} for name in contenders],
        "measures": ["time", "peak_memory", {"name": "failed", "exact": True}], **table,
    }, "asking")


def launched(
    one: Experiment, values: Mapping[str, float | Value], rounds: int = ROUNDS, **numbers: float
) -> list[Launch]:
    """Launches of each given contender at each point; all report `numbers`."""
    found = []
    for number in range(rounds):
        for point in one.points():
            for order, name in enumerate(one.names()):
                wanted = values.get("fathom" if name == "again" else name)
                value = wanted(number) if callable(wanted) else wanted
                if value is not None:
                    measured = {"time": value, "peak_memory": value, "failed": value, **numbers}
                    found.append(Launch(number, order, name, point, 0.0, (measured,)))
                elif wanted is not None:
                    found.append(Launch(number, order, name, point, 0.0, (), failure="it exited with 3"))
    return found


def results(one: Experiment, values: Mapping[str, float | Value], missing: Mapping[str, str] | None = None,
            rounds: int = ROUNDS, **numbers: float) -> list[GoalResult]:
    return list(analyze(one, launched(one, values, rounds, **numbers), missing or {}, True).goals)


def around(value: float, spread: float = 0.1) -> Value:
    """Values alternately below and above."""
    return lambda number: value * (1 + spread * (1 if number % 2 else -1))


RATIO = {"at_most": 0.75, "of": "pdu"}


@pytest.mark.parametrize(("mine", "expected"), [
    (0.5, GoalState.MET), (0.75, GoalState.MET), (0.9, GoalState.MISSED), (around(0.75), GoalState.OPEN)])
def test_the_whole_interval_decides(mine: float | Value, expected: GoalState) -> None:
    found, = results(asking(RATIO), {"fathom": mine, "pdu": 1.0})
    assert found.state is expected
    assert (found.reason == goal_results.WITHIN) == (expected is GoalState.OPEN)


@pytest.mark.parametrize(("mine", "expected"), [
    (13.0, GoalState.MET), (11.0, GoalState.MISSED), (around(12.0), GoalState.OPEN)])
def test_at_least_is_the_other_way_round(mine: float | Value, expected: GoalState) -> None:
    found, = results(asking({"at_least": 12, "of": "pdu"}), {"fathom": mine, "pdu": 1.0})
    assert found.state is expected


def test_ratios_are_taken_within_rounds() -> None:
    """A machine that is alternately slow and fast does not make a goal open."""
    slow = lambda factor: lambda number: factor * (1 + number)  # noqa: E731
    found, = results(asking(RATIO), {"fathom": slow(0.7), "pdu": slow(1.0)})
    assert found.state is GoalState.MET and found.figure == pytest.approx(0.7)


def test_without_another_contender_the_limit_is_absolute() -> None:
    one = asking({"at_most": "2.5 ns"}, {"at_most": "2.5 ns", "contender": "pdu"})
    assert [each.state for each in results(one, {"fathom": 2.4e-9, "pdu": 3.5e-9})] == [GoalState.MET, GoalState.MISSED]


def test_a_limit_may_be_one_of_the_difference() -> None:
    one = asking({"at_most": "5 ns", "above": "pdu"})
    found, = results(one, {"fathom": 18e-9, "pdu": 15e-9})
    assert found.state is GoalState.MET and found.figure == pytest.approx(3e-9)
    assert results(one, {"fathom": 21e-9, "pdu": 15e-9})[0].state is GoalState.MISSED


def test_a_limit_may_grow_with_a_counted_number() -> None:
    one = asking({"measure": "peak_memory", "at_most": "1 MiB", "plus": {"entries": 100}})
    met, = results(one, {"fathom": 2**20 + 900.0}, entries=10)
    missed, = results(one, {"fathom": 2**20 + 900.0}, entries=8)
    assert (met.state, met.limit, missed.state) == (GoalState.MET, 2**20 + 1000, GoalState.MISSED)
    assert goal_results.text(one, met) == (
        "met: peak memory of fathom at most 1.00 MiB and 100 B for each of entries: 1.00 MiB (1.00 MiB to 1.00 MiB), "
        "limit 1.00 MiB")
    unknown, = results(one, {"fathom": 5.0})
    assert (unknown.state, unknown.reason) == (GoalState.OPEN, "neither fathom nor fathom reported entries")


def test_of_several_the_best_median_counts_and_not_the_best_of_each_round() -> None:
    lucky: Value = lambda number: 0.1 if number == 3 else 9.0  # noqa: E731
    found, = results(asking({"at_most": 1, "of": ["pdu", "dust"]}), {"fathom": 1.0, "pdu": 2.0, "dust": lucky})
    assert (found.state, found.beside, found.figure) == (GoalState.MET, "pdu", 0.5)
    assert goal_results.figure(found) == "0.500 x pdu"


def test_absent_contenders_of_several_are_reported() -> None:
    found, = results(asking({"at_most": 1, "of": ["pdu", "dust"]}), {"fathom": 1.0, "pdu": 2.0},
                     {"dust": "dust is not installed"})
    assert (found.state, found.reason) == (GoalState.MET, "without dust")


def test_the_other_may_be_at_another_point() -> None:
    one = asking({"at_most": 3, "of": "fathom", "where": {"thieves": 8}, "of_where": {"thieves": 0}},
                 parameters={"thieves": [0, 8]})
    launches = [Launch(number, 0, "fathom", (("thieves", thieves),), 0.0, ({"time": 1.0 + thieves},))
                for number in range(ROUNDS) for thieves in (0, 8)]
    found, = analyze(one, launches, {}, True).goals
    assert (found.state, found.figure, found.point) == (GoalState.MISSED, 9.0, (("thieves", 8),))
    assert goal_results.sentence(one, one.goals[0]) == "time of fathom at thieves 8 at most 3.00 x fathom at thieves 0"


def test_a_goal_without_a_place_is_about_each_point() -> None:
    found = results(asking(RATIO, parameters={"size": [1, 2]}), {"fathom": 0.5, "pdu": 1.0})
    assert [each.point for each in found] == [(("size", 1),), (("size", 2),)]


def test_a_count_that_never_varies_needs_no_interval() -> None:
    one = asking({"measure": "failed", "at_most": 0})
    assert results(one, {"fathom": 0.0}, rounds=1)[0].state is GoalState.MET
    assert results(one, {"fathom": 1.0}, rounds=1)[0].state is GoalState.MISSED


def test_a_place_that_the_goal_names_is_reported_once() -> None:
    one = asking({**RATIO, "where": {"size": 2}}, parameters={"size": [1, 2], "threads": [4]})
    found, = results(one, {"fathom": 0.5, "pdu": 1.0})
    assert goal_results.text(one, found).startswith("met: time of fathom at size 2 at most 0.75 x pdu at threads 4: ")


# Open


def reason(goal: Mapping[str, Any], values: Mapping[str, float | Value], **arguments: Any) -> str:
    found, = results(asking(goal), values, **arguments)
    assert found.state is GoalState.OPEN
    return found.reason


def test_too_few_rounds_leave_a_goal_open() -> None:
    assert reason(RATIO, {"fathom": 0.1, "pdu": 1.0}, rounds=5) == "5 rounds, at least 6 are needed"


def test_a_contender_that_is_not_installed_leaves_a_goal_open() -> None:
    missing = {"pdu": "pdu is not installed"}
    assert reason(RATIO, {"fathom": 0.1}, missing=missing) == "pdu did not run: pdu is not installed"


def test_a_contender_that_always_failed_leaves_a_goal_open() -> None:
    values: dict[str, float | Value] = {"fathom": 0.1, "pdu": lambda number: None}
    assert reason(RATIO, values) == "pdu failed in 10 of 10 launches: it exited with 3"


def test_failures_do_not_make_a_contender_better() -> None:
    """A failure that does not flatter the contender does not matter."""
    once: Value = lambda number: None if number == 0 else 0.1  # noqa: E731
    message = "failed in 1 of 10 launches, and the remaining launches may flatter it"
    assert reason(RATIO, {"fathom": once, "pdu": 1.0}) == f"fathom {message}"
    assert reason(RATIO, {"fathom": 1.0, "pdu": once}) == f"pdu {message}"
    assert results(asking(RATIO), {"fathom": 0.01, "pdu": once})[0].state is GoalState.MET


@pytest.mark.parametrize(("better", "limit", "met", "flattered"), [
    ("less", {"at_most": 2}, 1.0, "fathom"), ("less", {"at_least": 2}, 4.0, "pdu"),
    ("more", {"at_most": 2}, 1.0, "pdu"), ("more", {"at_least": 2}, 4.0, "fathom")])
@pytest.mark.parametrize("relation", ["of", "above"])
def test_a_goal_is_not_met_by_a_contender_that_looks_good_because_it_failed(
    better: str, limit: Mapping[str, float], met: float, flattered: str, relation: str
) -> None:
    one = asking({**limit, relation: "pdu", "measure": "speed"}, measures=[{"name": "speed", "better": better}])
    for failing, expected in (("fathom", flattered == "fathom"), ("pdu", flattered == "pdu")):
        found, = analyze(one, _with_failures(one, failing, {"fathom": met, "pdu": 1.0}), {}, True).goals
        assert found.reason.startswith(f"{failing} failed in 10 of 20 launches") == expected
        assert (found.state is GoalState.OPEN) == expected


@pytest.mark.parametrize(("limit", "flattered"), [({"at_most": 2}, "fathom"), ({"at_least": 0.5}, "pdu")])
@pytest.mark.parametrize("relation", ["of", "above"])
def test_a_goal_is_not_met_by_a_contender_that_looks_good_because_it_does_not_report_a_number(
    limit: Mapping[str, float], flattered: str, relation: str
) -> None:
    one = asking({**limit, relation: "pdu", "measure": "peak_memory"})
    for silent in ("fathom", "pdu"):
        launches = [Launch(number, 0, name, (), 0.0, ({"time": 1.0} if name == silent and number >= 7
                                                      else {"time": 1.0, "peak_memory": value},))
                    for number in range(20) for name, value in (("fathom", 2.0), ("pdu", 1.0))]
        found, = analyze(one, launches, {}, True).goals
        if silent == flattered:
            assert (found.state, found.reason) == (
                GoalState.OPEN, f"{silent} has no value in 13 rounds, and the remaining launches may flatter it")
        else:
            assert (found.state, found.reason) == (GoalState.MET, "")


def test_a_number_that_is_missing_at_another_point_does_not_matter() -> None:
    one = asking({"at_most": 2, "of": "fathom", "measure": "peak_memory", "where": {"size": 8},
                  "of_where": {"size": 1}}, parameters={"size": [1, 2, 8]})
    for silent, state in ((1, GoalState.MET), (2, GoalState.MET), (8, GoalState.OPEN)):
        launches = [Launch(number, 0, "fathom", (("size", size),), 0.0, ({"time": 1.0} if size == silent and number > 7
                                                                         else {"time": 1.0, "peak_memory": 1.0},))
                    for number in range(20) for size in (1, 2, 8)]
        assert analyze(one, launches, {}, True).goals[0].state is state


@pytest.mark.parametrize(("better", "limit", "figure", "flattered"), [
    ("less", {"at_most": 2}, 1.0, True), ("less", {"at_most": 2}, 4.0, False),
    ("less", {"at_least": 2}, 1.0, True), ("less", {"at_least": 2}, 4.0, False),
    ("more", {"at_most": 2}, 4.0, True), ("more", {"at_least": 2}, 1.0, False)])
def test_failures_leave_an_absolute_goal_open_only_if_they_may_decide_it(
    better: str, limit: Mapping[str, float], figure: float, flattered: bool
) -> None:
    one = asking({**limit, "measure": "speed"}, measures=[{"name": "speed", "better": better}])
    found, = analyze(one, _with_failures(one, "fathom", {"fathom": figure, "pdu": 1.0}), {}, True).goals
    assert (found.state is GoalState.OPEN) == flattered


def _with_failures(one: Experiment, failing: str, speeds: Mapping[str, float]) -> list[Launch]:
    """Every other launch of `failing` fails."""
    return [Launch(number, 0, name, (), 0.0, (), failure="it exited with 3") if name == failing and number % 2
            else Launch(number, 0, name, (), 0.0, ({"speed": speeds[name]},))
            for number in range(20) for name in speeds]


def test_the_mean_must_not_say_the_opposite() -> None:
    heavy: Value = lambda number: 100.0 if number in (5, 9, 15) else 0.7 + 0.001 * number  # noqa: E731
    assert reason(RATIO, {"fathom": heavy, "pdu": lambda number: 1.0 + 0.001 * number}, rounds=20) == (
        "the mean of all rounds contradicts the median")


def test_after_effects_do_not_make_a_contender_better() -> None:
    one = asking({"at_most": 0.75, "of": "fathom", "contender": "pdu"}, contenders=("fathom", "pdu"))
    dice = random.Random(4)
    launches = []
    for number in range(60):
        order = ["fathom", "pdu", "again"]
        dice.shuffle(order)
        for place, name in enumerate(order):
            after = place > 0 and order[place - 1] == "pdu"
            value = (0.74 if name == "pdu" else 1.0) * (1.3 if after else 1.0) * dice.lognormvariate(0.0, 0.002)
            launches.append(Launch(number, place, name, (), 0.0, ({"time": value},)))
    found, = analyze(one, launches, {}, True).goals
    assert found.interval is not None and found.interval.high <= 0.75
    assert found.state is GoalState.OPEN and found.reason.startswith("launches right after pdu differ by about 3")


def test_a_figure_of_something_smaller_does_not_count() -> None:
    one = {**RATIO, "given": {"entries": 400_000}}
    assert reason(one, {"fathom": 0.1, "pdu": 1.0}, entries=6153) == (
        "measured with 6,153 entries; the goal requires at least 400,000")
    assert results(asking(one), {"fathom": 0.1, "pdu": 1.0}, entries=400_000)[0].state is GoalState.MET
    shown, = results(asking(one), {"fathom": 0.1, "pdu": 1.0}, entries=6153)
    assert goal_results.figure(shown) == "0.100"


def test_a_ratio_to_nothing_is_undefined() -> None:
    assert reason({"measure": "failed", **RATIO}, {"fathom": 1.0, "pdu": 0.0}) == "a ratio to 0 is not defined"


# In words


@pytest.mark.parametrize(("goal", "expected"), [
    (RATIO, "time of fathom at most 0.75 x pdu"),
    ({"at_least": 12, "of": "pdu"}, "time of fathom at least 12 x pdu"),
    ({"at_most": 1, "of": ["pdu", "dust"]}, "time of fathom at most 1.00 x the fastest of pdu and dust"),
    ({"at_most": 1, "of": ["a", "b", "c", "d"]}, "time of fathom at most 1.00 x the fastest of 4 others"),
    ({"at_most": 1, "of": ["pdu", "dust"], "measure": "peak_memory"},
     "peak memory of fathom at most 1.00 x the best of pdu and dust"),
    ({"at_most": "5 ns", "above": "pdu"}, "time of fathom at most 5.00 ns more than pdu"),
    ({"at_most": 0, "plus": {"entries": "2 us"}}, "time of fathom at most 2.00 µs for each of entries"),
    ({"at_most": "2.5 ns", "says": "quick"}, "quick"),
])
def test_a_goal_is_a_sentence(goal: dict[str, Any], expected: str) -> None:
    one = asking(goal, contenders=("fathom", "pdu", "dust", "a", "b", "c", "d"))
    assert goal_results.sentence(one, one.goals[0]) == expected


def test_how_it_stands_is_on_one_line() -> None:
    one = asking({**RATIO, "conditions": "two processors"}, parameters={"size": [512]})
    found, = results(one, {"fathom": 0.5, "pdu": 1.0})
    assert goal_results.text(one, found) == (
        "met: time of fathom at most 0.75 x pdu at size 512; two processors: 0.500 (0.500 to 0.500)")
