from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

import attrs
import pytest

from fathom_lab import runner
from fathom_lab.errors import LabError, NoResult
from fathom_lab.experiment import Experiment
from fathom_lab.process import Finished
from fathom_lab.records import Launch
from fathom_lab.run_folder import RunFolder
from running_fakes import Processes, described, finished, new_folder, processes, run

__all__ = ["processes"]


def launches_of(tmp_path: Path, one: Experiment, seed: int = 1) -> list[Launch]:
    folder = new_folder(tmp_path, one)
    run(folder, one, seed)
    return folder.launches(one.name)


def order(launches: list[Launch]) -> list[tuple[int, object, str]]:
    return [(one.round, one.point, one.contender) for one in launches]


def test_each_round_launches_everyone_once_at_each_point(processes: Processes, tmp_path: Path) -> None:
    one = described(parameters={"threads": [1, 2]})
    launches = launches_of(tmp_path, one)
    everyone = {(point, name) for point in one.points() for name in ("old", "new", "again")}
    for number in range(3):
        round_ = [(launch.point, launch.contender) for launch in launches if launch.round == number]
        assert len(round_) == 6 and set(round_) == everyone
    assert {launch.round for launch in launches} == {0, 1, 2}


def test_the_order_is_random_yet_the_same_for_the_same_seed(processes: Processes, tmp_path: Path) -> None:
    one = described(parameters={"threads": [1, 2, 4]}, plan={"rounds": 8})
    first, second = launches_of(tmp_path, one, seed=7), launches_of(tmp_path, one, seed=7)
    other = launches_of(tmp_path, one, seed=8)
    assert order(first) == order(second) != order(other)
    rounds = {tuple(order([launch])[0][1:] for launch in first if launch.round == number) for number in range(8)}
    assert len(rounds) > 1


def test_every_contender_is_first_about_equally_often(processes: Processes, tmp_path: Path) -> None:
    launches = launches_of(tmp_path, described(plan={"rounds": 300}))
    first = [launch.contender for launch in launches if launch.order == 0]
    assert all(70 < first.count(name) < 130 for name in ("old", "new", "again"))


def test_points_come_in_every_order_too(processes: Processes, tmp_path: Path) -> None:
    launches = launches_of(tmp_path, described(parameters={"threads": [1, 2, 4]}, plan={"rounds": 20}))
    firsts = {next(launch.point for launch in launches if launch.round == number) for number in range(20)}
    assert len(firsts) == 3


def test_contenders_of_a_point_are_next_to_each_other(processes: Processes, tmp_path: Path) -> None:
    launches = launches_of(tmp_path, described(parameters={"threads": [1, 2, 4]}))
    for number in range(3):
        points = [launch.point for launch in launches if launch.round == number]
        assert len(list(itertools.groupby(points))) == 3
        assert [launch.order for launch in launches if launch.round == number] == [0, 1, 2] * 3


def test_the_baseline_takes_part_again_as_the_same_program(processes: Processes, tmp_path: Path) -> None:
    launches = launches_of(tmp_path, described(plan={"rounds": 1}))
    assert sorted(processes.names()) == ["new", "old", "old"]
    assert sorted(launch.contender for launch in launches) == ["again", "new", "old"]


def test_warm_up_rounds_have_negative_numbers(processes: Processes, tmp_path: Path) -> None:
    launches = launches_of(tmp_path, described(plan={"rounds": 2, "warmup_rounds": 2}))
    assert [number for number, _ in itertools.groupby(launch.round for launch in launches)] == [-2, -1, 0, 1]


def test_repetitions_of_warm_up_are_measured_and_dropped(processes: Processes, tmp_path: Path) -> None:
    processes.behaviour = lambda name: finished("9,8,1,2,3")
    launches = launches_of(tmp_path, described(plan={"rounds": 1, "warmup": 2, "repetitions": 3}))
    assert processes.started[0].command[1] == "5"
    assert launches[0].repetitions == ({"time": 1.0}, {"time": 2.0}, {"time": 3.0})


def test_parameters_and_the_project_are_filled_in_everywhere(processes: Processes) -> None:
    contender = {"name": "old", "driver": "fake", "is": "{root}/{threads}", "more": [{"x": "{share} {{y}}"}]}
    one = described(parameters={"threads": [4], "share": [0.5]}, contender=[contender])
    options = runner.all_options(one, {"old": Path("/project"), "again": Path("/project")})
    expected = {"is": "/project/4", "more": [{"x": "0.5 {y}"}]}
    assert list(options.values()) == [expected, expected]


@pytest.mark.parametrize("text", ["{thraeds}", "{", "a}", "{}", "awk '{print}'"])
def test_an_unknown_name_is_refused_before_anything_runs(processes: Processes, tmp_path: Path, text: str) -> None:
    contenders = [{"name": "old", "driver": "fake", "is": "old"}, {"name": "new", "driver": "fake", "is": text}]
    one = described(parameters={"threads": [1]}, contender=contenders)
    with pytest.raises(LabError, match="which: new: .*; available: {threads}, {root}"):
        launches_of(tmp_path, one)
    assert processes.started == []


def test_wrong_options_are_refused_before_anything_runs_and_by_name(processes: Processes, tmp_path: Path) -> None:
    contenders = [{"name": "old", "driver": "fake", "is": "old"}, {"name": "new", "driver": "fake", "wrong": 1}]
    with pytest.raises(LabError, match="which: new: unknown options"):
        launches_of(tmp_path, described(contender=contenders))
    assert processes.started == []


def test_a_contender_that_is_skipped_at_a_point_is_not_started_there(processes: Processes, tmp_path: Path) -> None:
    one = described(parameters={"threads": [1, 2]}, skip=[{"contender": "new", "threads": 2}])
    launches = launches_of(tmp_path, one)
    assert {dict(launch.point)["threads"] for launch in launches if launch.contender == "new"} == {1}
    assert {dict(launch.point)["threads"] for launch in launches if launch.contender == "again"} == {1, 2}


def test_a_missing_contender_does_not_run_and_the_run_says_why(processes: Processes, tmp_path: Path) -> None:
    one = described(("old", "new", "gone"))
    one = dataclasses.replace(one, contenders=tuple(
        attrs.evolve(c, options={**c.options, "absent": "gone is not installed"}) if c.name == "gone" else c
        for c in one.contenders))
    folder = new_folder(tmp_path, one)
    run(folder, one)
    assert "gone" not in processes.names()
    assert folder.settings(one.name).missing == {"gone": "gone is not installed"}


@pytest.mark.parametrize("absent, message", [("old", "the baseline old cannot run: it is not here"),
                                             ("new", "nothing to compare with old: new: it is not here")])
def test_without_anybody_to_compare_nothing_runs(
    processes: Processes, tmp_path: Path, absent: str, message: str
) -> None:
    contenders = [{"name": name, "driver": "fake", "is": name, "absent": "it is not here" if name == absent else ""}
                  for name in ("old", "new")]
    with pytest.raises(LabError, match=message):
        launches_of(tmp_path, described(contender=contenders))
    assert processes.started == []


def failing(name: str, behaviour: Finished | Exception):
    def act(started: str) -> Finished:
        if started != name:
            return finished()
        if isinstance(behaviour, Exception):
            raise behaviour
        return behaviour

    return act


@pytest.mark.parametrize("behaviour, reason", [
    (finished(exit_code=3), "new ended with 3"),
    (finished(timed_out=True, exit_code=-9), "it did not finish within 300 s"),
    (finished("no number"), "its output could not be read: ValueError"),
    (finished("1,2"), "it reported 2 measurements, expected 1"),
    (finished("nan"), "it reported nan as time"),
    (FileNotFoundError(2, "No such file or directory"), "new cannot be started: No such file or directory"),
])
def test_a_contender_that_gives_no_number_fails_by_name(
    processes: Processes, tmp_path: Path, behaviour: Finished | Exception, reason: str
) -> None:
    processes.behaviour = failing("new", behaviour)
    launches = launches_of(tmp_path, described(plan={"rounds": 1}))
    failed = [launch for launch in launches if launch.failure]
    assert [launch.contender for launch in failed] == ["new"]
    assert failed[0].failure.startswith(reason) and failed[0].repetitions == ()


def test_a_measure_that_is_not_reported_is_a_failure(processes: Processes, tmp_path: Path) -> None:
    launches = launches_of(tmp_path, described(measures=["wall"], plan={"rounds": 1}))
    assert {launch.failure for launch in launches} == {"it did not report wall"}


def test_of_a_failed_launch_the_end_of_the_output_is_kept(processes: Processes, tmp_path: Path) -> None:
    processes.behaviour = failing("new", finished("x" * 9000 + "out", exit_code=1, errors=b"went wrong\xff"))
    launches = launches_of(tmp_path, described(plan={"rounds": 1}))
    output = next(launch.output for launch in launches if launch.failure)
    assert output.endswith("out\nwent wrong\N{REPLACEMENT CHARACTER}") and len(output) == 4000


def test_a_contender_that_failed_three_times_is_not_started_again_there(processes: Processes, tmp_path: Path) -> None:
    processes.behaviour = failing("new", finished(exit_code=1))
    launches = launches_of(tmp_path, described(plan={"rounds": 6}))
    assert [launch.round for launch in launches if launch.contender == "new"] == [0, 1, 2]
    assert [launch.round for launch in launches if launch.contender == "old"] == [0, 1, 2, 3, 4, 5]


def test_a_contender_that_fails_occasionally_is_not_given_up(processes: Processes, tmp_path: Path) -> None:
    results = itertools.cycle([finished(exit_code=1), finished(exit_code=1), finished()])
    processes.behaviour = lambda name: next(results) if name == "new" else finished()
    launches = launches_of(tmp_path, described(plan={"rounds": 9}))
    assert sum(launch.contender == "new" for launch in launches) == 9


def test_without_the_baseline_the_others_are_not_started_either(processes: Processes, tmp_path: Path) -> None:
    processes.behaviour = failing("old", finished(exit_code=1))
    one = described(plan={"rounds": 6})
    folder = new_folder(tmp_path, one)
    run(folder, one)
    assert max(launch.round for launch in folder.launches(one.name)) == 2
    assert folder.settings(one.name).complete


class Crash(BaseException):
    pass


def crash_at(processes: Processes, launch: int) -> None:
    def act(name: str) -> Finished:
        if len(processes.started) == launch:
            raise Crash
        return finished()

    processes.behaviour = act


def test_a_crash_keeps_whole_rounds_and_resuming_repeats_none(processes: Processes, tmp_path: Path) -> None:
    one = described(parameters={"threads": [1, 2]}, plan={"rounds": 5})
    whole = launches_of(tmp_path, one, seed=3)
    processes.started.clear()
    folder = new_folder(tmp_path, one, seed=3)
    crash_at(processes, 15)  # the third of the third round
    with pytest.raises(Crash):
        run(folder, one, seed=3)
    assert {launch.round for launch in folder.launches(one.name)} == {0, 1}
    assert not folder.settings(one.name).complete
    processes.behaviour = lambda name: finished()
    run(folder, one, seed=3)
    assert order(folder.launches(one.name)) == order(whole)
    assert folder.settings(one.name).complete


def test_caches_are_warmed_again_when_a_run_goes_on(processes: Processes, tmp_path: Path) -> None:
    one = described(plan={"rounds": 3, "warmup_rounds": 1})
    folder = new_folder(tmp_path, one)
    crash_at(processes, 8)
    with pytest.raises(Crash):
        run(folder, one)
    processes.behaviour = lambda name: finished()
    run(folder, one)
    rounds = [number for number, _ in itertools.groupby(launch.round for launch in folder.launches(one.name))]
    assert rounds == [-1, 0, -2, 1, 2]
    before = len(processes.started)
    run(folder, one)
    assert len(processes.started) == before  # nothing is left to run


def test_resuming_cuts_a_torn_round(processes: Processes, tmp_path: Path) -> None:
    one = described(plan={"rounds": 2})
    folder = new_folder(tmp_path, one)
    crash_at(processes, 4)
    with pytest.raises(Crash):
        run(folder, one)
    file = folder.path / "which.launches.jsonl"
    lines = file.read_text().splitlines()
    file.write_text(file.read_text() + lines[0] + "\n" + lines[1][:20])
    processes.behaviour = lambda name: finished()
    run(folder, one)
    assert [launch.round for launch in folder.launches(one.name)] == [0, 0, 0, 1, 1, 1]


def test_a_contender_that_was_given_up_is_started_again_by_a_resumed_run(processes: Processes, tmp_path: Path) -> None:
    one = described(plan={"rounds": 8})
    folder = new_folder(tmp_path, one)
    starts = []

    def act(name: str) -> Finished:
        starts.append(name)
        if len(starts) == 12:
            raise Crash
        return finished(exit_code=int(name == "new"))

    processes.behaviour = act
    with pytest.raises(Crash):
        run(folder, one)
    processes.behaviour = lambda name: finished()
    run(folder, one)
    assert [launch.round for launch in folder.launches(one.name) if launch.contender == "new"] == [0, 1, 2, 4, 5, 6, 7]


def test_the_number_of_usable_processors_can_be_an_option(processes: Processes, tmp_path: Path) -> None:
    contender = {"name": "old", "driver": "fake", "is": "{processors}"}
    one = described(contender=[contender])
    roots = {"old": tmp_path, "again": tmp_path}
    for cpus, wanted in ((None, str(len(os.sched_getaffinity(0)))), ([0, 1, 5], "3")):
        assert {options["is"] for options in runner.all_options(one, roots, cpus).values()} == {wanted}


def test_what_a_contender_prints_does_not_fill_the_report(processes: Processes, tmp_path: Path) -> None:
    processes.behaviour = failing("new", NoResult("it ended: \x1b[31m" + "x" * 1000 + "\n"))
    launches = launches_of(tmp_path, described(plan={"rounds": 1}))
    reason = next(launch.failure for launch in launches if launch.failure)
    assert len(reason) == 200 and reason.isprintable() and reason.startswith("it ended: \\x1b[31mxx")


def test_a_folder_that_another_process_writes_to_is_refused(processes: Processes, tmp_path: Path) -> None:
    one = described()
    folder = new_folder(tmp_path, one)
    with RunFolder(folder.path).locked(), pytest.raises(LabError, match="another fathom-lab is writing to"):
        run(folder, one)
    assert processes.started == [] and folder.launches(one.name) == []
    run(folder, one)
    assert len(folder.launches(one.name)) == 9


def test_progress_counts_launches(processes: Processes, tmp_path: Path) -> None:
    one = described(plan={"rounds": 2, "warmup_rounds": 1})
    steps: list[runner.Step] = []
    run(new_folder(tmp_path, one), one, on_progress=steps.append)
    assert [step.done for step in steps] == list(range(9))
    assert {step.total for step in steps} == {9}
    assert [step.contender for step in steps[3:6]] == [
        launch.contender for launch in launches_of(tmp_path, one) if launch.round == 0]


def test_where_and_how_contenders_run_is_passed_on(processes: Processes, tmp_path: Path) -> None:
    one = described(plan={"rounds": 1})
    run(new_folder(tmp_path, one), one, cpus=(1,), nice=5, counters=True)
    assert set(processes.placed) == {((1,), 5, True)}
    assert {invocation.folder for invocation in processes.started} == {tmp_path}


def test_what_may_explain_a_result_is_recorded(processes: Processes, tmp_path: Path) -> None:
    processes.behaviour = lambda name: finished(diagnostics={"page_faults": 3.0, "steal": float("nan")})
    launches = launches_of(tmp_path, described(plan={"rounds": 1}))
    assert launches[0].why == {"page_faults": 3.0}
