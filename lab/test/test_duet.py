"""Two contenders at once, each on a processor of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fathom_lab import process, runner
from fathom_lab.analysis import analyze
from fathom_lab.duet import Duet, Outcome, Part
from fathom_lab.errors import LabError, NoResult
from fathom_lab.experiment import AGAIN, BESIDE_AGAIN, Experiment
from fathom_lab.process import Finished, Invocation
from fathom_lab.records import Launch
from fathom_lab.rows import Verdict
from running_fakes import Processes, described, finished, new_folder, processes, run
from test_analysis import made

__all__ = ["processes"]

two_processors = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a duet needs two processors")


class FakeDuet:
    """Runs the fake processes one after the other."""

    parts: list[Sequence[Part]]

    def __enter__(self) -> FakeDuet:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, parts: Sequence[Part]) -> list[Outcome]:
        self.parts.append(parts)
        return [self._run(part) for part in parts]

    def _run(self, part: Part) -> Outcome:
        try:
            return process.run(part.invocation, part.timeout, cpus=(part.cpu,), nice=part.nice, counters=part.counters)
        except (NoResult, OSError) as error:
            return error


@pytest.fixture
def parts(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Part]]:
    """All that was run together."""
    monkeypatch.setattr(FakeDuet, "parts", [], raising=False)
    monkeypatch.setattr(runner, "Duet", FakeDuet)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 8})
    return FakeDuet.parts


def duet(rounds: int = 8, **table: Any) -> Experiment:
    return described(plan={"rounds": rounds, "duet": True}, **table)


def launches_of(tmp_path: Path, one: Experiment) -> list[Launch]:
    folder = new_folder(tmp_path, one)
    run(folder, one)
    return folder.launches(one.name)


def test_each_round_has_two_duets_one_of_which_is_the_baseline_with_itself(
    parts: list[Sequence[Part]], tmp_path: Path
) -> None:
    launches = launches_of(tmp_path, duet(rounds=3))
    assert sorted(sorted(part.invocation.command[0] for part in pair) for pair in parts) == [
        *[["new", "old"]] * 3, *[["old", "old"]] * 3]
    for number in range(3):
        names = [launch.contender for launch in launches if launch.round == number]
        assert {frozenset(names[:2]), frozenset(names[2:])} == {
            frozenset(("old", "new")), frozenset((AGAIN, BESIDE_AGAIN))}


def test_which_contender_gets_which_processor_is_drawn(parts: list[Sequence[Part]], tmp_path: Path) -> None:
    launches_of(tmp_path, duet(rounds=40))
    assert {tuple(part.cpu for part in pair) for pair in parts} == {(3, 5)}
    first = [pair[0].invocation.command[0] for pair in parts if {one.invocation.command[0] for one in pair} != {"old"}]
    assert 10 < first.count("new") < 30


def test_the_points_of_a_duet_are_apart(parts: list[Sequence[Part]], tmp_path: Path) -> None:
    launches = launches_of(tmp_path, duet(rounds=2, parameters={"threads": [1, 2]}))
    for number in range(2):
        points = [launch.point for launch in launches if launch.round == number]
        assert points[0] == points[1] == points[2] == points[3] != points[4]


def test_a_contender_that_failed_three_times_leaves_the_baseline_alone(
    processes: Processes, parts: list[Sequence[Part]], tmp_path: Path
) -> None:
    processes.behaviour = lambda name: finished(exit_code=int(name == "new"))
    launches = launches_of(tmp_path, duet(rounds=5))
    assert [launch.round for launch in launches if launch.contender == "new"] == [0, 1, 2]
    assert [launch.round for launch in launches if launch.contender == "old"] == [0, 1, 2, 3, 4]
    assert len(parts[-1]) + len(parts[-2]) == 3


@pytest.mark.parametrize("one, cpus, message", [
    (duet(contender=[{"name": name, "driver": "fake", "is": name} for name in ("old", "new", "other")]), None,
     "which: a duet compares two contenders, and there are 3 contenders: choose one"),
    (duet(contender=[{"name": "old", "driver": "fake", "is": "old"}]), None, "there are 1 contender"),
    (duet(), (3,), "which: a duet needs two processors, and the lab may use only one: measure without a duet"),
    (duet(contender=[{"name": "old", "driver": "fake", "is": "old"},
                     {"name": "new", "driver": "fake", "is": "new{processors}"}]), None,
     "a duet gives each contender one processor, and {processors} asks for all"),
])
def test_a_duet_that_is_impossible_or_means_nothing_is_refused(
    parts: list[Sequence[Part]], tmp_path: Path, one: Experiment, cpus: tuple[int, ...] | None, message: str
) -> None:
    with pytest.raises(LabError) as refused:
        run(new_folder(tmp_path, one), one, cpus=cpus)
    assert message in str(refused.value)
    assert parts == []


def simulated(shared: float, own: float, effect: float, seed: int) -> list[Launch]:
    """Twenty rounds. Each duet is disturbed as a whole by `shared`, and each launch by `own`."""
    rng = np.random.default_rng(seed)
    launches = []
    for number in range(20):
        for order, pair in enumerate((("mutex", "ring"), (AGAIN, BESIDE_AGAIN))):
            common = rng.lognormal(0.0, shared)
            for name in pair:
                value = common * rng.lognormal(0.0, own) * (1.0 + effect * (name == "ring"))
                launches.append(Launch(number, 2 * order, name, (), 0.0, ({"time": float(value)},)))
    return launches


def test_what_disturbs_both_cancels_also_when_the_baseline_is_compared_with_itself():
    one = made(plan={"rounds": 20, "duet": True})
    found = analyze(one, simulated(0.5, 0.005, 0.05, 1), {}, True)
    assert found.rows[0].verdict is Verdict.SLOWER
    assert found.again[0].verdict is Verdict.SAME
    assert not any("compared with itself" in note for note in found.rows[0].notes)


def test_duets_of_equal_programs_rarely_differ():
    one = made(plan={"rounds": 20, "duet": True})
    rows = [analyze(one, simulated(0.5, 0.01, 0.0, seed), {}, True).rows[0] for seed in range(100)]
    assert sum(row.verdict in (Verdict.FASTER, Verdict.SLOWER) for row in rows) <= 5


def test_a_failure_beside_again_is_one_of_again():
    one = made(plan={"rounds": 20, "duet": True})
    launches = [Launch(one.round, one.order, one.contender, (), 0.0, (), failure="it crashed")
                if one.contender == BESIDE_AGAIN and one.round < 2 else one for one in simulated(0.1, 0.01, 0.0, 1)]
    assert [(failure.contender, failure.launches) for failure in analyze(one, launches, {}, True).failures] == [
        (AGAIN, 2)]


def python(script: str) -> Invocation:
    return Invocation((sys.executable, "-I", "-S", "-c", script))


@two_processors
def test_real_processes_run_at_once_each_on_its_processor(tmp_path: Path) -> None:
    """Each writes a file and waits for the other's, which one after the other would never end."""
    script = ("import os, sys; open(sys.argv[1], 'w').close()\nwhile not os.path.exists(sys.argv[2]): pass\n"
              "print(os.sched_getaffinity(0))")
    first, second = sorted(os.sched_getaffinity(0))[:2]
    ways = [(str(tmp_path / one), str(tmp_path / other)) for one, other in (("a", "b"), ("b", "a"))]
    with Duet() as players:
        outcomes = players.run([
            Part(Invocation((sys.executable, "-I", "-S", "-c", script, *way)), 60.0, cpu, 0, False)
            for way, cpu in zip(ways, (first, second))])
    assert [one.output.decode().strip() for one in outcomes if isinstance(one, Finished)] == [
        f"{{{first}}}", f"{{{second}}}"]


@two_processors
def test_a_program_that_cannot_start_does_not_stop_the_other() -> None:
    first, second = sorted(os.sched_getaffinity(0))[:2]
    with Duet() as players:
        for _ in range(2):
            missing, there = players.run([Part(Invocation(("no-such-program",)), 60.0, first, 0, False),
                                          Part(python("print(7)"), 60.0, second, 0, False)])
            assert isinstance(missing, NoResult) and "no-such-program is not installed" in str(missing)
            assert isinstance(there, Finished) and there.output == b"7\n"


@two_processors
def test_a_duet_that_ends_early_leaves_no_process(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    script = f"import os, signal\nwith open({str(pid)!r}, 'w') as file: file.write(str(os.getpid()))\nsignal.pause()"
    first, second = sorted(os.sched_getaffinity(0))[:2]
    with Duet() as players:
        for player, part in zip(players._players, (Part(python(script), 60.0, first, 0, False),
                                                   Part(python("pass"), 60.0, second, 0, False))):
            player.line.send(part)
        for player in players._players:
            player.line.recv()
            player.line.send(None)
        running = int(pid.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(running, 0)


@two_processors
def test_a_killed_process_of_the_duet_is_one_sentence() -> None:
    with Duet() as players:
        players._players[0]._process.kill()
        players._players[0]._process.join()
        with pytest.raises(LabError, match="a process of the duet was killed: continue with run --resume"):
            players.run([Part(python("pass"), 60.0, 0, 0, False), Part(python("pass"), 60.0, 0, 0, False)])
