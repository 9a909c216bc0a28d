"""Drivers with recorded output of real programs, and with the programs themselves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom_lab import drivers, process
from fathom_lab.drivers import google_benchmark
from fathom_lab.errors import LabError, NoResult
from fathom_lab.process import Finished

RECORDED = Path(__file__).parent / "recorded"
ROOT = Path(__file__).parents[2]

Values = Sequence[Mapping[str, float]]
Program = Callable[[str], str]

GOOGLE = {"program": "./bench", "benchmark": "rt/deque/thieves/fathom/1/real_time"}
THREADS = {"program": "./bench", "benchmark": "wait/iterations:50/real_time/threads:2"}
GO = {"binary": "./tick.test", "benchmark": "BenchmarkTick_TSC_Direct"}


def finished(**changes: Any) -> Finished:
    return Finished(**{"exit_code": 0, "timed_out": False, "wall": 2.0, "user": 1.0, "system": 0.5, "peak_memory": 4096,
                       "output": b"", "errors": b"", "diagnostics": {}, **changes})


def launched(name: str, options: Mapping[str, Any], repetitions: int = 1, timeout: float = 60) -> Values:
    """Runs a driver as the runner does."""
    driver = drivers.driver(name)
    driver.check(options)
    return driver.read(options, process.run(driver.invocation(options, repetitions), timeout), repetitions)


def read_google(file: str, options: Mapping[str, Any], repetitions: int) -> Values:
    results = (RECORDED / file).read_bytes()
    return drivers.driver("google-benchmark").read(options, finished(results=results), repetitions)


def read_report(report: Any, **more: Any) -> Values:
    options = {"program": "./bench", "benchmark": "case", **more}
    return drivers.driver("google-benchmark").read(options, finished(results=json.dumps(report).encode()), 1)


def report(*, version: str | None = None, **row: Any) -> dict[str, Any]:
    base = {"name": "case", "run_name": "case", "run_type": "iteration", "threads": 1, "iterations": 10,
            "real_time": 2.0, "cpu_time": 1.0, "time_unit": "us"}
    context = {} if version is None else {"library_version": version}
    return {"context": context, "benchmarks": [{**base, **row}]}


def read_go(output: str, benchmark: str, repetitions: int = 1) -> Values:
    options = {"binary": "./x.test", "benchmark": benchmark}
    return drivers.driver("go-test").read(options, finished(output=output.encode()), repetitions)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    def make(script: str) -> str:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return make


# All drivers


def test_an_unknown_driver_is_reported_with_the_known_ones() -> None:
    with pytest.raises(LabError, match="unknown driver perl; the drivers are command, google-benchmark, go-test"):
        drivers.driver("perl")


@pytest.mark.parametrize(
    ("name", "options"), [("command", {"command": ["true"]}), ("google-benchmark", GOOGLE), ("go-test", GO)]
)
def test_valid_options_are_accepted(name: str, options: dict[str, Any]) -> None:
    drivers.driver(name).check({**options, "environment": {"A": "1"}, "folder": "build"})


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("command", {}, "command is missing"),
        ("command", {"command": []}, "command must be a list of strings"),
        ("command", {"command": "du -s"}, "command must be a list of strings, or a string with shell = true"),
        ("command", {"command": ["du"], "shell": True}, "with shell = true command must be a string"),
        ("command", {"command": ["du"], "comand": 1}, "unknown: comand"),
        ("command", {"command": ["du"], "check": "("}, "check is not a valid regular expression"),
        ("command", {"command": ["du"], "exit_codes": []}, "exit_codes must be a non-empty list of numbers"),
        ("command", {"command": ["du"], "numbers": "[0-9]+"}, "has no named group"),
        ("command", {"command": ["du"], "numbers": "(?P<time>.*)"}, "the name time is reserved"),
        ("command", {"command": ["du"], "environment": ["A=1"]}, "environment must be a table"),
        ("google-benchmark", {"program": "./bench"}, "benchmark is missing"),
        ("google-benchmark", {**GOOGLE, "min_time": "soon"}, "min_time must be a number of seconds"),
        ("google-benchmark", {**GOOGLE, "min_time": 0}, "min_time must be a number of seconds"),
        ("google-benchmark", {**GOOGLE, "min_time": 1e300}, "min_time must be a number of seconds, at most 604800"),
        ("google-benchmark", {**GOOGLE, "thread_time": "cpu"}, 'thread_time must be "divided" or "wall"'),
        ("google-benchmark", {**GOOGLE, "filter": "x"}, "unknown: filter"),
        ("go-test", {"binary": "./x.test"}, "benchmark is missing"),
        ("go-test", {**GO, "benchmark": "Tick"}, "benchmark must start with Benchmark"),
        ("go-test", {**GO, "benchtime": "long"}, "benchtime must be a number of seconds"),
        ("go-test", {**GO, "cpu": "all"}, "cpu must be a number of processors"),
        ("go-test", {**GO, "cpu": 65_537}, "cpu must be a number of processors, at most 65536, not 65537"),
        ("go-test", {**GO, "cpu": "9" * 5000}, "cpu must be a number of processors, at most 65536"),
        ("go-test", {**GO, "package": "./tick"}, "unknown: package"),
    ],
)
def test_invalid_options_are_reported(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(LabError, match=message.replace("(", r"\(")):
        drivers.driver(name).check(options)


@pytest.mark.parametrize(("name", "key"), [("google-benchmark", "program"), ("go-test", "binary")])
def test_a_program_that_was_not_built_is_missing(name: str, key: str, tmp_path: Path) -> None:
    options = {"benchmark": "BenchmarkX", key: str(tmp_path / "gone")}
    assert drivers.driver(name).missing(options) == f"the program {tmp_path / 'gone'} does not exist"


def test_a_missing_input_folder_is_reported_before_anything_runs(tmp_path: Path) -> None:
    command = drivers.driver("command")
    options = {"command": ["true"], "needs": ["sh", f"{tmp_path}/tree"]}
    assert command.missing(options) == f"{tmp_path}/tree does not exist"
    (tmp_path / "tree").mkdir()
    assert command.missing(options) == ""


def test_an_unwritable_file_is_a_reason_not_to_run(tmp_path: Path) -> None:
    command = drivers.driver("command")
    options = {"command": ["true"], "writes": [f"{tmp_path}/drop_caches"]}
    assert command.missing(options) == f"{tmp_path}/drop_caches is not writable here"
    (tmp_path / "drop_caches").touch()
    assert command.missing(options) == ""


def test_numbers_of_one_name_are_added() -> None:
    """jdupes prints the numbers of copies and of sets; their sum is the number of files."""
    patterns = ["^(?P<files>[0-9]+) duplicate files .in (?P<groups>[0-9]+) sets", "in (?P<files>[0-9]+) sets"]
    done = finished(output=b"1,5 \n5 duplicate files (in 3 sets)\n")
    assert drivers.driver("command").read({"command": ["jdupes"], "numbers": patterns}, done, 1)[0]["files"] == 8


def test_an_unknown_option_is_answered_with_a_suggestion() -> None:
    with pytest.raises(LabError, match=r"unknown: chek \(did you mean check\?\); known are .*command"):
        drivers.driver("command").check({"command": ["true"], "chek": "x"})


def test_unexpected_output_is_quoted_briefly() -> None:
    with pytest.raises(NoResult) as caught:
        launched("command", {"command": ["printf", "\\033[31m%0300d", "1"], "check": "^OK"})
    assert len(str(caught.value)) < 100 and str(caught.value).isprintable()


def test_whether_a_program_below_the_project_is_there_shows_when_it_starts() -> None:
    assert drivers.driver("google-benchmark").missing({**GOOGLE, "program": "build/no/such/thing"}) == ""


# command


def test_a_command_reports_what_it_used() -> None:
    values = drivers.driver("command").read({"command": ["du"]}, finished(), 1)
    assert values == [{"time": 2.0, "wall": 2.0, "user": 1.0, "system": 0.5, "cpu": 1.5, "peak_memory": 4096.0}]


def test_a_command_runs() -> None:
    [values] = launched("command", {"command": ["sh", "-c", "echo 12 files"], "check": "^[0-9]+ files$"})
    assert values["time"] == values["wall"] > 0 and values["peak_memory"] > 0


def test_a_command_line_for_the_shell_runs(tmp_path: Path) -> None:
    options = {"command": "cat < in | tr a b", "shell": True, "folder": str(tmp_path), "check": "^bb$",
               "prepare": "echo aa > in"}
    assert len(launched("command", options)) == 1


def test_a_command_that_does_something_else_does_not_win() -> None:
    with pytest.raises(NoResult, match="its output does not match '\\^done': it begins with 'no such tree'"):
        launched("command", {"command": ["echo", "no such tree"], "check": "^done"})


def test_a_command_that_prints_nothing_does_not_win() -> None:
    with pytest.raises(NoResult, match="it printed nothing"):
        launched("command", {"command": ["true"], "check": "^done"})


def test_numbers_come_out_of_the_output() -> None:
    options = {"command": ["echo", "sent 1,200 in 3e-2"], "numbers": ["sent (?P<sent>[0-9,]+)", "in (?P<delay>\\S+)"]}
    [values] = launched("command", options)
    assert (values["sent"], values["delay"]) == (1200, 0.03)


@pytest.mark.parametrize("printed", ["sent: many", "sent: nan", "sent: inf"])
def test_invalid_numbers_are_not_results(printed: str) -> None:
    with pytest.raises(NoResult, match="it printed '?(many|nan|inf)'? as sent"):
        launched("command", {"command": ["echo", printed], "numbers": "sent: (?P<sent>.*)"})


def test_missing_numbers_are_not_results() -> None:
    with pytest.raises(NoResult, match="does not match"):
        launched("command", {"command": ["echo", "x"], "numbers": ["sent (?P<sent>[0-9]+)"]})


def test_a_command_that_exits_with_another_code_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it exited with 3: the disk is full"):
        launched("command", {"command": "echo the disk is full >&2; exit 3", "shell": True})


def test_another_exit_code_can_be_accepted() -> None:
    assert launched("command", {"command": ["false"], "exit_codes": [1]})


def test_a_command_that_crashes_is_reported_by_its_signal() -> None:
    with pytest.raises(NoResult, match="it was killed by SIGABRT"):
        launched("command", {"command": "kill -ABRT $$", "shell": True, "exit_codes": [0, 134]})


def test_a_command_that_hangs_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it did not end in time"):
        launched("command", {"command": ["sleep", "1000"]}, timeout=0.1)


def test_missing_requirements_of_a_command_are_named() -> None:
    options = {"command": ["true"], "needs": ["sh", "no-such-tool"]}
    assert drivers.driver("command").missing(options) == "no-such-tool is not installed"
    assert drivers.driver("command").missing({"command": ["no-such-tool"]}) == "no-such-tool is not installed"
    assert drivers.driver("command").missing({"command": ["true"]}) == ""


def test_a_command_is_measured_once_in_a_launch() -> None:
    with pytest.raises(LabError, match="measured once per launch, not 5 times"):
        drivers.driver("command").invocation({"command": ["true"]}, 5)


# google-benchmark


def test_google_benchmark_times_are_seconds() -> None:
    values = read_google("google_benchmark_1.7.1.json", GOOGLE, 3)
    rows = [row for row in json.loads((RECORDED / "google_benchmark_1.7.1.json").read_text())["benchmarks"]
            if row["run_type"] == "iteration"]
    assert [one["time"] for one in values] == pytest.approx([row["real_time"] * 1e-9 for row in rows])
    assert [one["cpu_time"] for one in values] == pytest.approx([row["cpu_time"] * 1e-9 for row in rows])


def test_google_benchmark_counters_are_measures() -> None:
    for values in read_google("google_benchmark_1.7.1.json", GOOGLE, 3):
        assert set(values) == {"time", "cpu_time", "items_per_second", "owner_cpu_ns/op", "per_op", "stolen"}


@pytest.mark.parametrize(("unit", "seconds"), [("ns", 2e-9), ("us", 2e-6), ("ms", 2e-3), ("s", 2.0)])
def test_google_benchmark_units_are_converted(unit: str, seconds: float) -> None:
    assert read_report(report(time_unit=unit))[0]["time"] == pytest.approx(seconds)


@pytest.mark.parametrize("version", ["1.7.1", "1.9.5"])
def test_two_threads_that_sleep_take_as_long_as_one(version: str) -> None:
    """The recorded program sleeps 200 us, so a correct time is not less; 1.7.1 divides by the number of threads."""
    file = f"google_benchmark_{version}_threads.json"
    raw = [row["real_time"] for row in json.loads((RECORDED / file).read_text())["benchmarks"] if row["threads"] == 2]
    rows = json.loads((RECORDED / file).read_text())
    rows["benchmarks"] = [row for row in rows["benchmarks"] if row["threads"] == 2]
    done = finished(results=json.dumps(rows).encode())
    values = drivers.driver("google-benchmark").read(THREADS, done, 2)
    assert all(one["time"] > 200e-6 for one in values)
    assert (min(raw) < 200_000) == (version == "1.7.1")


@pytest.mark.parametrize(
    ("version", "factor"),
    [(None, 4), ("v1.8.4", 4), ("1.8.5", 4), ("v1.9.0", 1), ("1.9.5", 1), ("v2.0", 1), ("v1.10.0-3", 1)],
)
def test_time_with_threads_depends_on_the_librarys_version(version: str | None, factor: int) -> None:
    assert read_report(report(version=version, threads=4))[0]["time"] == pytest.approx(2e-6 * factor)


@pytest.mark.parametrize("version", ["", "v0.0.0", "HEAD-HASH-NOTFOUND", "v1.8.5-14-gdeadbeef"])
def test_times_with_threads_of_an_unknown_version_need_a_declaration(version: str) -> None:
    with pytest.raises(NoResult, match="does not report its version"):
        read_report(report(version=version, threads=4))
    assert read_report(report(version=version, threads=4), thread_time="wall")[0]["time"] == pytest.approx(2e-6)
    assert read_report(report(version=version, threads=4), thread_time="divided")[0]["time"] == pytest.approx(8e-6)
    assert read_report(report(version=version))[0]["time"] == pytest.approx(2e-6)


def test_a_google_benchmark_that_says_error_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it says: the pool is closed"):
        read_google("google_benchmark_1.7.1_fails.json", {**GOOGLE, "benchmark": "fails"}, 2)


def test_a_google_benchmark_that_was_skipped_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it was skipped: no io_uring"):
        read_report(report(skipped=True, skip_message="no io_uring"))


def test_a_counter_that_is_not_a_number_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it reported nan as depth"):
        read_google("google_benchmark_1.7.1_nan.json", {**GOOGLE, "benchmark": "nan_counter/iterations:10"}, 2)


@pytest.mark.parametrize("time", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_google_benchmark_time_is_not_a_result(time: float) -> None:
    with pytest.raises(NoResult, match="it reported .* s as time"):
        read_report(report(real_time=time))


@pytest.mark.parametrize("row", [{"real_time": "2"}, {"cpu_time": None}, {"time_unit": "h"}])
def test_a_google_benchmark_row_without_times_is_not_a_result(row: dict[str, Any]) -> None:
    with pytest.raises(NoResult, match="case has no times"):
        read_report(report(**row))


@pytest.mark.parametrize(
    "text", [b"[]", b"{}", b'{"context": 1, "benchmarks": []}', b"Segmentation fault", b"\xff\x00", b"{"]
)
def test_a_google_benchmark_report_that_is_garbage_is_not_a_result(text: bytes) -> None:
    with pytest.raises(NoResult, match="its report is not Google Benchmark JSON"):
        drivers.driver("google-benchmark").read(GOOGLE, finished(results=text), 1)


def test_a_google_benchmark_that_ran_another_case_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it ran rt/deque/thieves/fathom/1/real_time instead of rt/deque"):
        read_google("google_benchmark_1.7.1.json", {**GOOGLE, "benchmark": "rt/deque"}, 3)


def test_a_google_benchmark_with_too_few_measurements_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it reported 3 measurements of .*, expected 4"):
        read_google("google_benchmark_1.7.1.json", GOOGLE, 4)


@pytest.mark.parametrize(
    ("given", "passed"),
    [("0.05", "0.05"), ("0.05s", "0.05"), (0.05, "0.05"), (1e-05, "0.00001"), ("100x", "100x"), (2, "2")],
)
def test_min_time_is_formatted_for_all_versions(given: Any, passed: str) -> None:
    command = drivers.driver("google-benchmark").invocation({**GOOGLE, "min_time": given}, 1).command
    assert f"--benchmark_min_time={passed}" in command


def test_the_filter_means_the_name_and_nothing_else() -> None:
    assert google_benchmark.escaped("a.b<c+>/threads:2[x]{1}|^$") == r"a\.b<c\+>/threads:2\[x\]\{1\}\|\^\$"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo hello", "it wrote no report"),
        ("for a; do case $a in --benchmark_out=*) echo rubbish >${a#*=};; esac; done", "its report is not Google"),
        ("kill -SEGV $$", "it was killed by SIGSEGV"),
        ("echo unknown flag >&2; exit 2", "it exited with 2: unknown flag"),
        ("while :; do :; done", "it did not end in time"),
    ],
)
def test_a_program_that_is_not_a_google_benchmark_is_not_a_result(program: Program, script: str, reason: str) -> None:
    with pytest.raises(NoResult, match=reason):
        launched("google-benchmark", {**GOOGLE, "program": program(script)}, timeout=0.1 if "while" in script else 60)


def test_a_program_that_disappeared_is_not_a_result(program: Program) -> None:
    path = program("echo")
    assert drivers.driver("google-benchmark").missing({**GOOGLE, "program": path}) == ""
    os.unlink(path)
    with pytest.raises(NoResult, match="the program .* does not exist"):
        launched("google-benchmark", {**GOOGLE, "program": path})


def real_benchmark() -> str:
    path = Path(os.environ.get("FATHOM_BENCH", ROOT / "build/release/bin/bench_rt"))
    if not path.is_file():
        pytest.skip(f"there is no {path.name}: scripts/build bench makes it, or FATHOM_BENCH names it")
    return str(path)


def test_the_real_google_benchmark_runs_one_case() -> None:
    options = {"program": real_benchmark(), "benchmark": GOOGLE["benchmark"], "min_time": "0.001s"}
    values = launched("google-benchmark", options, 3)
    assert len(values) == 3 and all(one["items_per_second"] > 0 for one in values)


def test_the_real_google_benchmark_lacks_a_case() -> None:
    options = {"program": real_benchmark(), "benchmark": "rt/deque/thieves/fathom/1"}
    with pytest.raises(NoResult, match="it has no benchmark rt/deque/thieves/fathom/1:"):
        launched("google-benchmark", options)


# go-test


def recorded(file: str, benchmark: str) -> str:
    """The header, and the lines of one benchmark."""
    lines = (RECORDED / file).read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("Benchmark") or line.startswith(benchmark)) + "\n"


def test_go_times_are_seconds() -> None:
    values = read_go(recorded("go_test.txt", GO["benchmark"]), GO["benchmark"], 3)
    assert len(values) == 3
    for one in values:
        assert set(one) == {"time", "allocated_bytes", "allocations"} and 1e-9 < one["time"] < 1e-6


def test_go_reports_bandwidth_and_metrics_of_its_own() -> None:
    values = read_go(recorded("go_test_sub.txt", "BenchmarkCopy/1_MiB"), "BenchmarkCopy/1_MiB", 2)
    assert [one["lines/op"] for one in values] == [16384, 16384]
    for one in values:
        assert one["bytes_per_second"] == pytest.approx((1 << 20) / one["time"], rel=1e-3)


def test_a_go_name_may_end_with_a_number() -> None:
    output = recorded("go_test_sub.txt", "BenchmarkCopy/small-16")
    assert len(read_go(output, "BenchmarkCopy/small-16", 2)) == 2
    assert len(read_go(output.replace("small-16-2", "small-16"), "BenchmarkCopy/small-16", 2)) == 2
    with pytest.raises(NoResult, match="instead of BenchmarkCopy/small"):
        read_go(output, "BenchmarkCopy/small", 2)


def test_a_go_program_that_ran_more_than_one_benchmark_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it ran BenchmarkTick_Atomic_Direct-2, BenchmarkTick_TSC_Direct-2 instead"):
        read_go((RECORDED / "go_test.txt").read_text(), GO["benchmark"], 6)


def test_go_filters_each_level_by_its_whole_name() -> None:
    options = {**GO, "benchmark": "BenchmarkCopy/1 MiB", "benchtime": 0.5, "cpu": "2", "arguments": ["-v"]}
    command = drivers.driver("go-test").invocation(options, 5).command
    assert "-test.bench=^BenchmarkCopy$/^1_MiB$" in command
    assert {"-test.run=^$", "-test.count=5", "-test.benchtime=0.5s", "-test.cpu=2", "-test.benchmem"} <= set(command)
    assert command[-1] == "-v"


@pytest.mark.parametrize("time", ["NaN", "0", "-3", "+Inf", "fast"])
def test_an_impossible_go_time_is_not_a_result(time: str) -> None:
    with pytest.raises(NoResult, match="as time|reported|is not a number"):
        read_go(f"BenchmarkX-2 \t 100\t {time} ns/op\n", "BenchmarkX")


@pytest.mark.parametrize("output", ["", "PASS\n", "\x00\xff garbage", "BenchmarkX-2\nnoise\n", "BenchmarkX-2 100\n"])
def test_go_output_without_a_result_is_not_a_result(output: str) -> None:
    with pytest.raises(NoResult, match="it reported no result for BenchmarkX"):
        read_go(output, "BenchmarkX")


def test_a_go_result_that_is_torn_is_not_a_result() -> None:
    with pytest.raises(NoResult, match="it reported 1 measurements of BenchmarkX, expected 2"):
        read_go("BenchmarkX-2 \t 100\t 3.1 ns/op\nBenchmarkX-2 \t 100\t noise\n", "BenchmarkX", 2)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo '--- FAIL: BenchmarkX'; exit 1", "it exited with 1: --- FAIL: BenchmarkX"),
        ("kill -KILL $$", "it was killed by SIGKILL"),
        ("sleep 1000", "it did not end in time"),
        ("echo hello", "it reported no result for BenchmarkTick_TSC_Direct"),
    ],
)
def test_a_program_that_is_not_a_go_test_is_not_a_result(program: Program, script: str, reason: str) -> None:
    with pytest.raises(NoResult, match=reason):
        launched("go-test", {**GO, "binary": program(script)}, timeout=0.2 if "sleep" in script else 60)


@pytest.fixture(scope="module")
def go_binary(tmp_path_factory: pytest.TempPathFactory) -> str:
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not Path(go).is_file():
        pytest.skip("Go is not installed")
    folder = tmp_path_factory.mktemp("go")
    (folder / "go.mod").write_text("module example.org/sum\n\ngo 1.18\n")
    (folder / "sum_test.go").write_text(
        """package sum

import "testing"

func BenchmarkSum(b *testing.B) {
	for _, name := range []string{"up-1", "up-12", "a (b) [c]"} {
		b.Run(name, func(b *testing.B) {
			kept := []byte{}
			for i := 0; i < b.N; i++ {
				kept = make([]byte, 100+i%2)
			}
			b.ReportMetric(float64(len(kept)), "kept")
		})
	}
}

func BenchmarkFails(b *testing.B) { b.Fatal("broken") }
"""
    )
    settings = {**os.environ, "GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"}
    built = subprocess.run([go, "test", "-c", "-o", "sum.test", "."], cwd=folder, env=settings, capture_output=True,
                           check=False)
    if built.returncode:
        pytest.skip(f"Go cannot build here: {built.stderr.decode()[-300:]}")
    return str(folder / "sum.test")


@pytest.mark.parametrize("name", ["up-1", "up-12", "a (b) [c]"])
@pytest.mark.parametrize("cpu", [1, 2])
def test_the_real_go_runs_one_benchmark(go_binary: str, name: str, cpu: int) -> None:
    options = {"binary": go_binary, "benchmark": f"BenchmarkSum/{name}", "benchtime": "10x", "cpu": cpu}
    values = launched("go-test", options, 2)
    assert len(values) == 2 and all(100 <= one["kept"] <= 101 and one["time"] > 0 for one in values)


def test_the_real_go_says_what_is_wrong(go_binary: str) -> None:
    with pytest.raises(NoResult, match="it exited with 1: FAIL"):
        launched("go-test", {"binary": go_binary, "benchmark": "BenchmarkFails", "benchtime": "1x"})
    with pytest.raises(NoResult, match="it reported no result for BenchmarkGone"):
        launched("go-test", {"binary": go_binary, "benchmark": "BenchmarkGone", "benchtime": "1x"})
