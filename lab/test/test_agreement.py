"""Contenders must agree with the baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom_lab import agreement, formatting
from fathom_lab.analysis import analyze
from fathom_lab.experiment import Experiment
from fathom_lab.records import Launch
from fathom_lab.rows import Deviation
from made_analysis import made_analysis, made_experiment
from running_fakes import Processes, described, finished, new_folder, processes, run

__all__ = ["processes"]


def agreeing(rule: Any, **table: Any) -> Experiment:
    contenders = [{"name": name, "driver": "command", "command": ["true"], "agree": {"bytes": rule}}
                  for name in ("fathom", "du")]
    return made_experiment(baseline="fathom", contender=contenders, **table)


def launch(contender: str, found: float | None, number: int = 0, point: Any = ()) -> Launch:
    values = {"time": 1.0} if found is None else {"time": 1.0, "bytes": found}
    return Launch(number, 0, contender, point, 0.0, (values,))


def failure(rule: Any, mine: float | None, its: float | None = 1000.0) -> str:
    checked = agreement.checked(agreeing(rule), [launch("fathom", its), launch("du", mine)])
    assert not checked[0].failure
    assert bool(checked[1].repetitions) == (not checked[1].failure)
    return checked[1].failure


@pytest.mark.parametrize(("rule", "holds", "breaks"), [
    ("exactly", 1000, 1001),
    ("at least", 1001, 999),
    ("at most", 999, 1001),
    (0.01, 1010, 989),
])
def test_a_contender_that_disagrees_fails(rule: Any, holds: float, breaks: float) -> None:
    assert failure(rule, holds) == ""
    assert failure(rule, breaks) == f"it found {formatting.number(breaks)} bytes, fathom 1,000"


def test_numbers_that_are_only_shown_may_deviate() -> None:
    assert failure("shown", 3.0) == ""


def test_a_number_that_is_missing_is_a_failure() -> None:
    assert failure("exactly", None) == "it did not report bytes"
    assert failure("exactly", 1.0, None) == "fathom did not report bytes, with which it must agree"


def test_each_point_has_its_own_baseline() -> None:
    one = agreeing("exactly", parameters={"tree": ["a", "b"]})
    a, b = ((("tree", name),) for name in "ab")
    launches = [launch("fathom", 1, point=a), launch("fathom", 2, point=b), launch("du", 2, point=b)]
    checked = agreement.checked(one, launches)
    assert not any(each.failure for each in checked)


def test_without_a_successful_baseline_there_are_no_disagreements() -> None:
    gone = Launch(0, 0, "fathom", (), 0.0, (), failure="it exited with 3")
    assert not agreement.checked(agreeing("exactly"), [gone, launch("du", 5.0)])[1].failure


def test_a_disagreement_is_shown_by_name_and_gives_no_number(processes: Processes, tmp_path: Path) -> None:
    """Through a whole run: the fake driver's only number is the time."""
    contenders = [{"name": name, "driver": "fake", "is": name, "agree": {"time": "exactly"}}
                  for name in ("fathom", "du")]
    one = described(("fathom", "du"), contender=contenders)
    processes.behaviour = lambda name: finished("2.0" if name == "du" else "1.0")
    folder = new_folder(tmp_path, one)
    run(folder, one)
    found = analyze(one, folder.launches(one.name), {}, True)
    assert [(each.contender, each.reason) for each in found.failures] == [("du", "it found 2 time, fathom 1")]
    assert not found.rows and "du (it found 2 time, fathom 1)" in found.answer


def test_deviations_are_medians_over_rounds() -> None:
    launches = [launch(name, 1000 + more * (name == "du"), number)
                for number, more in enumerate((0, 10, 500)) for name in ("fathom", "du")]
    found = agreement.deviations(agreeing("shown"), [*launches, launch("du", 9000, -1), launch("fathom", 1, -1)])
    assert [(one.contender, one.number) for one in found] == [("du", "bytes")]
    assert found[0].relative == pytest.approx(0.01)


def test_deviations_of_a_number_are_on_one_line() -> None:
    one = made_analysis()
    shown = [Deviation("du", (), "disk_bytes", 0.0), Deviation("gdu", (), "disk_bytes", -0.0004)]
    lines = formatting.deviations(type(one)(**{**one.__dict__, "deviations": shown}))
    assert lines == ["disk bytes relative to mutex: du the same, gdu -0.04 %"]
