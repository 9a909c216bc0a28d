"""Rounds that go on until each question is decided, or until a budget is spent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fathom_lab import runner
from fathom_lab.analysis import analyze, undecided
from fathom_lab.experiment import Point
from fathom_lab.records import Launch
from fathom_lab.report import failures
from fathom_lab.rows import Verdict
from running_fakes import Processes, described, finished, new_folder, processes, run
from test_analysis import launched, made, noisy
from test_veto import carrying

__all__ = ["processes"]

BUDGET = {"plan": {"budget": 600}}


def open_points(one, value, rounds):
    return undecided(one, launched(one, value, rounds=rounds), {})


def test_clear_answers_take_six_rounds():
    one = made(**BUDGET)
    assert open_points(one, noisy({"ring": 0.7}), 5) == {()}
    assert open_points(one, noisy({"ring": 0.7}), 6) == set()


def test_equal_programs_are_decided_too():
    one = made(**BUDGET)
    assert open_points(one, noisy({}, 0.05), 8) == {()}
    assert open_points(one, noisy({}, 0.01), 20) == set()
    assert analyze(one, launched(one, noisy({}, 0.01), rounds=20), {}, True).rows[0].verdict is Verdict.SAME


def test_only_points_with_an_open_question_go_on():
    one = made(parameters={"threads": [1, 2]}, **BUDGET)

    def value(name, point, number, measure):
        unclear = 1.0 + 0.2 * (number % 2) if point["threads"] == 2 else 2.0
        return unclear if name == "ring" else 1.1

    assert open_points(one, value, 12) == {(("threads", 2),)}


def test_only_the_first_measure_is_a_question():
    one = made(measures=["time", "wall"], **BUDGET)

    def value(name, point, number, measure):
        return 1.0 if name != "ring" else 2.0 if measure == "time" else 1.0 + 0.2 * (number % 2)

    assert open_points(one, value, 6) == set()


def test_a_goal_is_a_question_if_more_rounds_may_decide_it():
    def goal(at_most):
        return made(goal=[{"contender": "ring", "at_most": at_most, "of": "mutex"}], **BUDGET)

    near, far = noisy({"ring": 0.7}, 0.02), noisy({"ring": 0.7}, 0.02)
    assert open_points(goal(0.701), near, 6) == {()}
    assert open_points(goal(0.9), far, 6) == set()


def test_a_lone_baseline_is_compared_with_itself():
    one = made(("mutex",), **BUDGET)
    assert open_points(one, noisy({}, 0.3), 8) == {()}
    assert open_points(one, noisy({}, 0.001), 8) == set()


def test_an_exact_count_needs_six_rounds_too():
    one = made(measures=["allocations"], **BUDGET)
    assert open_points(one, lambda *_: 3.0, 5) == {()}
    assert open_points(one, lambda *_: 3.0, 6) == set()


def test_the_intervals_of_a_run_with_a_budget_hold_after_each_round():
    """The same values, looked at once: narrower."""
    value = noisy({"ring": 1.02}, 0.02)
    launches = launched(made(), value, rounds=40)
    fixed, budget = (analyze(one, launches, {}, True).rows[0] for one in (made(), made(**BUDGET)))
    assert budget.interval.low < fixed.interval.low and fixed.interval.high < budget.interval.high
    assert budget.p_value > fixed.p_value


def test_the_answer_says_that_the_budget_ended():
    one = made(**BUDGET)
    found = analyze(one, launched(one, noisy({}, 0.3), rounds=9), {}, True)
    assert found.answer.endswith("The budget of 10 min 0 s ended after 9 rounds.")
    found = analyze(one, launched(one, noisy({"ring": 3.0}, 0.3), rounds=9), {}, True)
    assert "budget" not in found.answer
    all_rounds = made(plan={"budget": 600, "rounds": 9})
    assert "budget" not in analyze(all_rounds, launched(one, noisy({}, 0.3), rounds=9), {}, True).answer
    found = analyze(one, launched(one, noisy({}, 0.3), rounds=9), {}, False)
    assert found.answer.endswith("The run was interrupted after 9 rounds.")


def test_runs_that_end_when_they_are_decided_rarely_call_equal_contenders_different():
    """Through the analysis of the product: three contenders, at most 40 rounds."""
    one = made(("mutex", "b", "c"), **BUDGET)
    alarms = 0
    for seed in range(25):
        launches = launched(one, noisy({}, 0.02, seed), rounds=40)
        for rounds in range(6, 41):
            seen = [launch for launch in launches if launch.round < rounds]
            if not undecided(one, seen, {}):
                break
        alarms += any(row.verdict is not Verdict.SAME for row in analyze(one, seen, {}, True).rows
                      if row.verdict is not Verdict.UNKNOWN)
    assert alarms <= 3


def test_a_contender_that_failed_now_and_then_at_a_decided_point_was_not_given_up():
    one = made(parameters={"threads": [1, 2]}, **BUDGET)
    places = {1: 8, 2: 30}  # rounds
    launches = [launch for launch in launched(one, noisy({"ring": 2.0}), rounds=30)
                if launch.round < places[dict(launch.point)["threads"]]]
    broken = [Launch(launch.round, 0, "ring", launch.point, 0.0, (), failure="it crashed")
              if launch.contender == "ring" and launch.round in (1, 3, 5) else launch for launch in launches]
    found = analyze(one, broken, {}, True)
    assert [failures.sentence(found, failure) for failure in found.failures] == [
        "ring at threads 1 failed in 3 of 8 launches: it crashed",
        "ring at threads 2 failed in 3 of 30 launches: it crashed"]


class Machine:
    """A clock that each launch moves on by one second."""

    def __init__(self, processes: Processes, monkeypatch: pytest.MonkeyPatch):
        self.now = 0.0
        self.values: dict[str, float] = {}
        processes.behaviour = self.launch
        monkeypatch.setattr("fathom_lab.runner.time.monotonic", lambda: self.now)

    def launch(self, name: str):
        self.now += 1.0
        return finished(str(self.values.get(name, 1.0)))


@pytest.fixture
def machine(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(processes, monkeypatch)


def rounds_of(launches: Sequence[Launch]) -> list[int]:
    return sorted({launch.round for launch in launches})


def test_rounds_end_when_nothing_is_open(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"budget": 1000, "rounds": 50})
    folder = new_folder(tmp_path, one)
    run(folder, one, undecided=lambda launches: {()} if max(rounds_of(launches)) < 7 else set())
    assert rounds_of(folder.launches(one.name)) == list(range(8))
    assert folder.settings(one.name).complete


def test_points_that_are_decided_do_not_take_part_anymore(machine: Machine, tmp_path: Path) -> None:
    one = described(parameters={"threads": [1, 2]}, plan={"budget": 1000, "rounds": 5})
    first: Point = (("threads", 1),)
    folder = new_folder(tmp_path, one)
    run(folder, one, undecided=lambda launches: {first, (("threads", 2),)} if len(launches) < 12 else {first})
    launches = folder.launches(one.name)
    assert rounds_of([launch for launch in launches if launch.point != first]) == [0, 1]
    assert rounds_of([launch for launch in launches if launch.point == first]) == [0, 1, 2, 3, 4]


def test_rounds_end_with_the_budget_of_which_warm_up_is_a_part(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"budget": 10, "rounds": 50, "warmup_rounds": 1})
    folder = new_folder(tmp_path, one)
    run(folder, one, undecided=lambda launches: {()})
    assert rounds_of(folder.launches(one.name)) == [-1, 0, 1, 2]  # three seconds each
    assert folder.settings(one.name).complete


def test_one_round_is_measured_however_small_the_budget_is(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"budget": 1, "warmup_rounds": 2})
    folder = new_folder(tmp_path, one)
    run(folder, one, undecided=lambda launches: {()})
    assert rounds_of(folder.launches(one.name)) == [-2, -1, 0]


def test_a_resumed_run_has_the_whole_budget_again(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"budget": 10, "rounds": 50})
    folder = new_folder(tmp_path, one)

    def interrupted(launches: Sequence[Launch]) -> set[Point]:
        if len(launches) == 6:
            raise KeyboardInterrupt
        return {()}

    with pytest.raises(KeyboardInterrupt):
        run(folder, one, undecided=interrupted)
    assert not folder.settings(one.name).complete
    run(folder, one, undecided=lambda launches: {()})
    assert rounds_of(folder.launches(one.name)) == [0, 1, 2, 3, 4, 5]


def test_a_run_that_was_decided_when_it_was_interrupted_needs_no_round(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"budget": 10, "rounds": 3})
    folder = new_folder(tmp_path, one)
    run(folder, one, undecided=lambda launches: {()})
    launched_before = machine.now
    folder.change(one.name, complete=False)
    run(folder, one, undecided=lambda launches: set())
    assert machine.now == launched_before
    assert folder.settings(one.name).complete


def test_the_progress_counts_the_launches_that_the_budget_allows(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"budget": 30, "rounds": 50})
    steps: list[runner.Step] = []
    run(new_folder(tmp_path, one), one, undecided=lambda launches: {()}, on_progress=steps.append)
    assert [step.total for step in steps[3:]] == [30] * 27


def test_without_a_budget_nobody_looks(machine: Machine, tmp_path: Path) -> None:
    one = described(plan={"rounds": 7})
    folder = new_folder(tmp_path, one)
    run(folder, one, undecided=lambda launches: pytest.fail("the values were looked at before the last round"))
    assert rounds_of(folder.launches(one.name)) == list(range(7))


def test_a_residue_is_found_before_it_decides():
    """Equal programs, but launches right after ring are 5 % slower; rounds end with the first verdict."""
    faster = 0
    for seed in range(15):
        for rounds in range(6, 41):
            row = carrying(0.05, 1.0, seed, rounds=rounds, budget=600).rows[0]
            if row.verdict is not Verdict.UNKNOWN:
                break
        faster += row.verdict is Verdict.FASTER
    assert faster <= 1
