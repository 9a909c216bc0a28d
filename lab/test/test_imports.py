"""Imports of recorded results of other tools."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fathom_lab import imports
from fathom_lab.errors import LabError
from fathom_lab.imports import Imported

RECORDED = Path(__file__).parent / "recorded"


def recorded(*names: str, baseline: str = "") -> Imported:
    return imports.load([RECORDED / name for name in names], baseline)


def times(imported: Imported, contender: str) -> list[float]:
    return [one.repetitions[0]["time"] for one in imported.launches if one.contender == contender and one.repetitions]


def test_commands_of_hyperfine_are_contenders() -> None:
    imported = recorded("hyperfine.json", baseline="sh -c :")
    table = json.loads((RECORDED / "hyperfine.json").read_text())["results"]
    assert [one.name for one in imported.experiment.contenders] == ["true", "sh -c :", "false"]
    assert imported.experiment.baseline == "sh -c :"
    assert times(imported, "true") == table[0]["times"]


def test_names_cannot_control_the_terminal(tmp_path: Path) -> None:
    table = json.loads((RECORDED / "hyperfine.json").read_text())
    table["results"][0]["command"] = "a \x1b[31m\nb"
    (tmp_path / "file.json").write_text(json.dumps(table))
    imported = imports.load([tmp_path / "file.json"])
    assert imported.experiment.contenders[0].name == "a \\x1b[31m\\nb"


def test_runs_of_hyperfine_that_failed_are_failures() -> None:
    imported = recorded("hyperfine.json")
    failed = [one for one in imported.launches if one.contender == "false"]
    assert len(failed) == 6 and all(one.failure == "it exited with 1" and not one.repetitions for one in failed)


def test_commands_of_hyperfine_that_are_the_same_differ_by_their_parameters(tmp_path: Path) -> None:
    one = {"command": "sleep", "times": [1.0], "exit_codes": [0]}
    table = {"results": [{**one, "parameters": {"t": "1"}}, {**one, "parameters": {"t": "2"}}]}
    (tmp_path / "x.json").write_text(json.dumps(table))
    names = [one.name for one in imports.load([tmp_path / "x.json"]).experiment.contenders]
    assert names == ["sleep t=1", "sleep t=2"]


def test_hyperfine_without_single_times_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps({"results": [{"command": "true", "mean": 1.0}]}))
    with pytest.raises(LabError, match="has no individual times"):
        imports.load([tmp_path / "x.json"])


def test_benchmarks_of_one_go_file_are_contenders() -> None:
    imported = recorded("go_test.txt")
    names = [one.name for one in imported.experiment.contenders]
    assert names == ["BenchmarkTick_Atomic_Direct", "BenchmarkTick_TSC_Direct"]
    assert [one.name for one in imported.experiment.measures] == ["time", "allocations", "allocated_bytes"]
    assert len(times(imported, names[0])) == 3


def test_two_files_are_contenders_at_each_benchmark(tmp_path: Path) -> None:
    shutil.copy(RECORDED / "go_test.txt", tmp_path / "old.txt")
    lines = (RECORDED / "go_test.txt").read_text().splitlines(keepends=True)
    (tmp_path / "new.txt").write_text("".join(line for line in lines if "Atomic" not in line))
    imported = imports.load([tmp_path / "old.txt", tmp_path / "new.txt"])
    assert imported.experiment.baseline == "old"
    assert imported.experiment.parameters == {"benchmark": ("BenchmarkTick_Atomic_Direct", "BenchmarkTick_TSC_Direct")}
    atomic, tsc = imported.experiment.points()
    assert not imported.experiment.takes_part("new", atomic)
    assert imported.experiment.takes_part("new", tsc) and imported.experiment.takes_part("old", atomic)
    assert {(one.round, one.order) for one in imported.launches if one.point == tsc and one.contender == "new"} == {
        (0, 1), (1, 1), (2, 1)
    }


def test_go_benchmarks_of_two_packages_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("pkg: a\nBenchmarkX-2 10 1 ns/op\npkg: b\nBenchmarkX-2 10 2 ns/op\n")
    imported = imports.load([tmp_path / "x.txt"])
    assert [one.name for one in imported.experiment.contenders] == ["a.BenchmarkX", "b.BenchmarkX"]


def test_google_benchmark_cases_are_contenders_without_their_means() -> None:
    imported = recorded("google_benchmark_1.7.1_threads.json")
    one, two = (contender.name for contender in imported.experiment.contenders)
    assert (one, two) == ("wait/iterations:50/real_time/threads:1", "wait/iterations:50/real_time/threads:2")
    assert len(times(imported, one)) == len(times(imported, two)) == 2


def test_times_with_threads_of_an_old_library_are_converted() -> None:
    imported = recorded("google_benchmark_1.7.1_threads.json")
    assert min(times(imported, "wait/iterations:50/real_time/threads:2")) > 200e-6


def test_google_benchmark_rows_that_failed_are_failures() -> None:
    imported = recorded("google_benchmark_1.7.1.json", "google_benchmark_1.7.1_fails.json")
    reasons = {one.failure for one in imported.launches if one.contender.endswith("fails")}
    assert reasons == {"it says: the pool is closed"}


def test_a_processor_time_that_is_not_a_number_is_a_failure(tmp_path: Path) -> None:
    rows = [{"name": name, "run_name": name, "run_type": "iteration", "real_time": 1.0, "time_unit": "ns",
             "cpu_time": float("nan") if name == "b" else 1.0} for name in "abb"]
    (tmp_path / "x.json").write_text(json.dumps({"context": {}, "benchmarks": rows}))
    launches = imports.load([tmp_path / "x.json"]).launches
    assert [one.failure for one in launches if one.contender == "b"] == ["it reported nan as cpu_time"] * 2
    assert all(json.loads(one.to_json()) for one in launches)


def test_a_file_that_breaks_off_says_where(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"context": {},\n "benchmarks": [')
    with pytest.raises(LabError, match="it is not valid JSON: .*line 2 column"):
        imports.load([tmp_path / "x.json"])


def test_a_google_benchmark_file_with_nothing_but_means_is_reported(tmp_path: Path) -> None:
    table = json.loads((RECORDED / "google_benchmark_1.7.1.json").read_text())
    table["benchmarks"] = [row for row in table["benchmarks"] if row["run_type"] == "aggregate"]
    (tmp_path / "x.json").write_text(json.dumps(table))
    with pytest.raises(LabError, match="contains only means"):
        imports.load([tmp_path / "x.json"])


def test_criterions_folder_holds_times_of_one_iteration() -> None:
    imported = recorded("criterion")
    table = json.loads((RECORDED / "criterion/sums/sum/100/new/sample.json").read_text())
    expected = [time / count * 1e-9 for time, count in zip(table["times"], table["iters"])]
    assert [one.name for one in imported.experiment.contenders] == ["sums/sum/100", "sums/xor/100"]
    assert times(imported, "sums/sum/100") == pytest.approx(expected)


def test_a_folder_of_something_else_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="contains no criterion results"):
        imports.load([tmp_path])


@pytest.mark.parametrize("text", ["", "hello", "{}", "[1]", "null", '{"results": [1]}', "BenchmarkX"])
def test_a_file_of_something_else_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(LabError, match="x is not in a known format"):
        imports.load([tmp_path / "x"])


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="cannot be read: No such file"):
        imports.load([tmp_path / "gone.json"])


def test_one_benchmark_alone_cannot_be_compared() -> None:
    with pytest.raises(LabError, match="there is only .*, and nothing to compare it with"):
        recorded("google_benchmark_1.7.1.json")


def test_a_baseline_that_is_not_there_is_reported() -> None:
    with pytest.raises(LabError, match="the baseline C is not one of true, sh -c :, false"):
        recorded("hyperfine.json", baseline="C")


def test_lost_information_is_reported() -> None:
    assert any("one after the other" in sentence for sentence in recorded("hyperfine.json").lost)
    assert not any("one process" in sentence for sentence in recorded("hyperfine.json").lost)
    assert any("one process" in sentence for sentence in recorded("go_test.txt").lost)
    assert "one after the other" in recorded("go_test.txt").experiment.about


def test_records_can_be_written_down() -> None:
    for one in recorded("hyperfine.json").launches:
        assert type(one).from_json(one.to_json()) == one
