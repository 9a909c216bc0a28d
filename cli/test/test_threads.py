"""fathom threads: what it reports about real programs, and that it stays out of their way."""

import csv
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import schemas
from conftest import FATHOM, PATIENCE, as_nobody, environment, let_nobody_through, run, sentence_of, until
from test_trace import Trace, check

# A program with threads of known behaviour; its source says what its arguments mean.
PROGRAM = str(pathlib.Path(FATHOM).with_name("named_threads"))


def threads(*words, **options):
    return run("threads", *words, **options)


def reported(*words, **options):
    """The report as JSON. The program's own output is ignored."""
    ran = threads("--format", "json", *words, **options)
    return json.loads(ran.stderr)


def allows_records():
    return threads("--records", "always", "--", "true").returncode == 0


# Which names samples alone see depends on when they are taken: without records, threads live longer.
NAPPING = "naps:100" if allows_records() else "naps:1000"
NAPS = [f"sleeper:{NAPPING}"]


@pytest.fixture(name="needs_records")
def _needs_records():
    if not allows_records():
        pytest.skip("the kernel refuses perf_event_open")


def row(report, kind):
    return next(row for row in report["rows"] if row["row"] == kind)


def switches(figures):
    return figures["voluntary_switches"] + figures["involuntary_switches"]


# ---- The command is not disturbed


def test_the_report_is_on_standard_error_and_the_output_is_the_programs():
    ran = threads("--", "sh", "-c", "echo out; echo err >&2; cat", input=b"in", stdin=None)
    assert (ran.returncode, ran.stdout) == (0, b"out\nin")
    assert ran.stderr.startswith(b"err\nsh ended with exit code 0 after ")


@pytest.mark.parametrize("code", [0, 1, 2, 77, 255])
def test_the_exit_code_is_the_programs(code):
    assert threads("--", PROGRAM, f"exit:{code}").returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_signal_that_ends_the_program_is_in_the_exit_code_and_the_report(number):
    ran = threads("--", "sh", "-c", f"kill -{int(number)} $$")
    assert ran.returncode == 128 + number
    assert f"sh was ended by signal {int(number)} after ".encode() in ran.stderr


def test_a_program_that_is_not_found_or_cannot_be_run_has_the_exit_codes_of_a_shell(tmp_path):
    missing = threads("--", str(tmp_path / "missing"))
    assert (missing.returncode, missing.stdout) == (127, b"")
    assert re.fullmatch(rb"fathom: cannot run [^\n]*missing: No such file or directory\n", missing.stderr)
    (tmp_path / "plain").write_text("text")
    assert threads("--", str(tmp_path / "plain")).returncode == 126
    assert threads("--", str(tmp_path)).returncode == 126


def test_a_hostile_command_is_escaped():
    ran = threads("--", "\x1b[2J\n")
    assert ran.returncode == 127
    assert b"\x1b" not in ran.stderr and ran.stderr.count(b"\n") == 1


def test_arguments_reach_the_program_unchanged():
    ran = threads("--", "printf", "%s|", "", "--each", "a b", "--", "*")
    assert ran.stdout == b"|--each|a b|--|*|"


@pytest.mark.parametrize("ignored", [False, True])
def test_the_program_handles_closed_pipes_as_without_fathom(ignored):
    action = signal.SIG_IGN if ignored else signal.SIG_DFL
    ran = threads("--", "grep", "SigIgn", "/proc/self/status",
                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
    assert bool(int(ran.stdout.split()[1], 16) >> (signal.SIGPIPE - 1) & 1) == ignored


def test_the_program_has_no_signals_blocked():
    ran = threads("--", "grep", "SigBlk", "/proc/self/status")
    assert int(ran.stdout.split()[1], 16) == 0


def test_the_program_inherits_no_descriptors():
    ran = threads("--trace", "/dev/null", "--", "ls", "/proc/self/fd")
    assert ran.stdout.split() == [b"0", b"1", b"2", b"3"]  # the last one is the listing itself


# ---- Signals

ENDS_AT_A_SIGNAL = 'trap "echo caught; exit 9" INT TERM HUP; echo ready; while :; do sleep 0.01; done'


def started(*words, **options):
    """Starts the command, and returns when its program runs."""
    options.setdefault("stdin", subprocess.DEVNULL)
    process = subprocess.Popen([FATHOM, "threads", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment(), **options)
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_reaches_the_program_and_the_report_is_printed(number):
    process = started("--", "sh", "-c", ENDS_AT_A_SIGNAL)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (9, b"caught\n")
    assert b"sh ended with exit code 9 after " in err


def test_a_program_may_ignore_a_signal():
    process = started("--", "sh", "-c", 'trap "" TERM; echo ready; read line; exit 4', stdin=subprocess.PIPE)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)  # ends its standard input
    assert process.returncode == 4


def test_signals_that_are_ignored_stay_ignored():
    process = started("--", "sh", "-c", "echo ready; while :; do grep SigIgn /proc/self/status; sleep 0.01; done",
                      preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    assert int(process.stdout.readline().split()[1], 16) & 1 == 1
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM


# ---- What is reported


@pytest.mark.parametrize("words", [
    ["--", PROGRAM, *NAPS, "exit:3"], ["--records", "never", "--", PROGRAM, *NAPS, "brief:ends:5"],
    ["--by", "thread", "--top", "1", "--", PROGRAM, *NAPS, "worker:spins:20"], ["--by", "name", "--", PROGRAM, "fork"],
    ["--", "sh", "-c", "kill -9 $$", b"\xff"], ["--", PROGRAM, b"\xff:" + NAPPING.encode()]], ids=str)
def test_json_matches_its_schema(words):
    report = reported("--interval", "1", *words)
    schemas.assert_described(report, "fathom.threads/1")
    assert NAPS[0] not in words or any(thread["samples"] for thread in report["threads"])
    report["rows"][0]["row"] = "unknown"
    assert not schemas.is_valid(report)


def test_threads_are_reported_by_name():
    report = reported("--interval", "1", "--", PROGRAM, *NAPS, "worker:spins:20", "worker:spins:20", "exit:3")
    assert report["schema"] == "fathom.threads/1"
    assert (report["exit_code"], report["signal"]) == (3, None)
    assert report["command"][1:] == [*NAPS, "worker:spins:20", "worker:spins:20", "exit:3"]
    names = {row["name"]: row for row in report["rows"] if row["row"] == "threads"}
    assert set(names) == {"named_threads", "sleeper", "worker"}
    assert names["worker"]["threads"] == 2
    assert row(report, "all")["threads"] == 4
    assert row(report, "all")["processor"] >= 0.04
    assert switches(row(report, "all")) >= 90


def test_records_have_the_switches_and_the_time_of_every_thread(needs_records):
    report = reported("--interval", "60000", "--", PROGRAM, *NAPS, "brief:ends:50", "worker:spins:20")
    assert report["records"] and report["why_no_records"] is None and report["lost_records"] == 0
    names = {row["name"]: row for row in report["rows"] if row["row"] == "threads"}
    assert names["brief"]["threads"] == 50 and switches(names["brief"]) >= 45
    assert switches(names["sleeper"]) >= 90
    # Of the 20 ms, a few that no record has are in the rest.
    assert names["worker"]["processor"] >= 0.01
    assert names["worker"]["processor"] + row(report, "rest")["processor"] >= 0.02
    assert switches(row(report, "rest")) <= 10


def test_what_samples_miss_is_in_the_rest():
    report = reported("--records", "never", "--interval", "60000", "--", PROGRAM, "brief:ends:50")
    assert not report["records"] and report["why_no_records"] == "not requested"
    assert switches(row(report, "rest")) >= 40


@pytest.mark.parametrize("records", ["never", "auto"])
def test_the_total_is_what_the_kernel_charged(records):
    ran = threads("--records", records, "--format", "json", "--", PROGRAM, *NAPS, "fork", "brief:ends:20")
    report = json.loads(ran.stderr)
    own = int(ran.stdout.split()[-2]) + int(ran.stdout.split()[-1])
    total = switches(row(report, "all"))
    assert own <= total <= own + 10  # some follow, when the program ends
    assert total == sum(switches(row) for row in report["rows"] if row["row"] != "all")


def test_each_thread_is_in_the_report():
    report = reported("--interval", "1", "--", PROGRAM, *NAPS)
    assert [thread["name"] for thread in report["threads"]] == ["named_threads", "sleeper"]
    main, sleeper = report["threads"]
    assert main["thread"] == main["process"] == sleeper["process"] == report["process"]
    assert main["ended"] and sleeper["ended"]
    assert 0 <= main["began"] <= sleeper["began"] <= sleeper["until"] <= report["seconds"]


def test_samples_ascend():
    report = reported("--interval", "1", "--", PROGRAM, *NAPS)
    for thread in report["threads"]:
        samples = thread["samples"]
        assert len(samples) >= 1
        for earlier, later in itertools.pairwise(samples):
            assert earlier["at"] < later["at"]
            assert switches(earlier) <= switches(later)
        assert switches(samples[-1]) <= switches(thread)


def test_processes_that_the_program_starts_are_included():
    report = reported("--interval", "1", "--", PROGRAM, "fork", *NAPS)
    assert {"named_threads", "child", "sleeper"} == {thread["name"] for thread in report["threads"]}
    assert len({thread["process"] for thread in report["threads"]}) == 2
    alone = reported("--interval", "1", "--no-children", "--", PROGRAM, "fork", *NAPS)
    assert {thread["name"] for thread in alone["threads"]} == {"named_threads"}
    assert switches(row(alone, "rest")) >= 90


def test_a_process_that_outlives_the_program_is_mentioned(tmp_path):
    file = tmp_path / "running"
    file.touch()
    ran = threads("--", "sh", "-c", f'"{PROGRAM}" while:"{file}" >/dev/null 2>&1 &')
    file.unlink()
    assert b"1 process started by it still runs." in ran.stderr


def test_csv_has_a_row_for_each_name_the_rest_and_all():
    ran = threads("--format", "csv", "-o", "-", "--interval", "1", "--", PROGRAM, *NAPS, stdout=subprocess.PIPE)
    table = list(csv.DictReader(io.StringIO(ran.stdout.decode().split("\n", 1)[1])))
    assert [line["row"] for line in table][-2:] == ["rest", "all"]
    assert {line["name"] for line in table} == {"named_threads", "sleeper", ""}
    assert list(table[0])[:3] == ["row", "threads", "processor"]


def test_csv_of_slices_has_their_times():
    ran = threads("--format", "csv", "--slices", "2", "--interval", "1", "--", PROGRAM, *NAPS)
    table = list(csv.DictReader(io.StringIO(ran.stderr.decode())))
    times = sorted({(float(line["from"]), float(line["to"])) for line in table})
    assert len(times) == 3
    assert times[0][0] == times[1][0] == 0 and times[0][1] == times[2][0]


def test_text_has_columns_and_says_where_the_figures_come_from():
    ran = threads("--records", "never", "--", PROGRAM, *NAPS)
    lines = ran.stderr.decode().splitlines()
    heading = next(line for line in lines if line.endswith("  name"))
    assert re.split("  +", heading.strip()) == ["threads", "processor", "user", "system", "kept waiting", "asleep",
                                                "waits", "preempted", "migrations", "name"]
    assert next(line for line in lines if line.endswith("  (all)"))
    assert re.search(r"^From \d+ samples? of /proc\. The row \(rest\) has ", lines[-1])


def test_text_says_that_records_were_read(needs_records):
    last = threads("--", "true").stderr.decode().splitlines()[-1]
    assert re.fullmatch(r"From the kernel's records of all context switches, and \d+ samples? of /proc\.", last)


def test_slices_have_tables_of_their_own():
    text = threads("--slices", "3", "--", PROGRAM, *NAPS).stderr.decode()
    assert len(re.findall(r"^Threads from .* to .*$", text, re.M)) == 3
    assert re.search(r"^Threads, whole time$", text, re.M)


def test_rows_of_threads_have_process_and_thread():
    text = threads("--by", "thread", "--interval", "1", "--", PROGRAM, *NAPS).stderr.decode()
    assert re.search(r"^ +process +thread +processor ", text, re.M)
    assert re.search(r"^ +(\d+) +(?!\1)\d+ .* sleeper$", text, re.M)


def test_a_pool_of_threads_is_one_row():
    words = ["--interval", "1", "--", PROGRAM, f"pool-1:{NAPPING}", f"pool-2:{NAPPING}"]
    names = {row["name"]: row.get("threads") for row in reported(*words)["rows"]}
    assert names["pool-*"] == 2
    names = {row["name"]: row.get("threads") for row in reported("--by", "name", *words)["rows"]}
    assert names["pool-1"] == names["pool-2"] == 1


def test_top_sums_up_the_others():
    text = threads("--top", "1", "--interval", "1", "--", PROGRAM, *NAPS, "worker:spins:200").stderr.decode()
    assert re.search(r"^ +1 .* worker\n +2 .* \(others\)$", text, re.M)


def test_plain_has_one_fact_per_line():
    text = threads("--plain", "--", "true").stderr.decode()
    assert "name: true\n" in text.lower()


def test_a_hostile_name_is_escaped():
    hostile = "\x1b[2J\nx"
    text = threads("--interval", "1", "--", PROGRAM, f"{hostile}:{NAPPING}").stderr.decode()
    assert r"\x1b[2J\nx" in text and "\x1b" not in text
    names = {thread["name"] for thread in reported("--interval", "1", "--", PROGRAM, f"{hostile}:{NAPPING}")["threads"]}
    assert hostile in names


def test_a_name_may_contain_blanks_and_parentheses():
    report = reported("--interval", "1", "--", PROGRAM, f"a) b (c:{NAPPING}")
    assert "a) b (c" in {thread["name"] for thread in report["threads"]}


def test_a_name_that_is_not_utf8_has_its_bytes():
    report = reported("--interval", "1", "--", PROGRAM, b"\xff:" + NAPPING.encode())
    assert "/w==" in {thread.get("name_b64") for thread in report["threads"]}


# ---- Files


def test_the_report_can_go_to_a_file(tmp_path):
    ran = threads("-o", str(tmp_path / "report"), "--", "echo", "hello")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"hello\n", b"")
    assert "echo ended with exit code 0" in (tmp_path / "report").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["-o", "--trace"])
def test_a_file_that_cannot_be_written_is_refused_before_the_program_runs(option, tmp_path):
    ran = threads(option, str(tmp_path / "missing" / "file"), "--", "touch", str(tmp_path / "ran"))
    assert ran.returncode == 2
    assert not (tmp_path / "ran").exists()


def test_a_report_that_cannot_be_written_is_an_error():
    assert threads("-o", "/dev/full", "--", "true").returncode == 1
    assert threads("-o", "/dev/full", "--", "false").returncode == 1
    assert threads("-o", "/dev/full", "--", PROGRAM, "exit:7").returncode == 7


def test_report_and_trace_need_two_files(tmp_path):
    assert sentence_of(threads("-o", str(tmp_path / "a"), "--trace", str(tmp_path / "a"), "--", "true")) == (
        "options '--output' and '--trace' name the same file")


def test_the_trace_has_a_track_for_each_thread(tmp_path):
    file = tmp_path / "trace.json"
    ran = threads("--interval", "1", "--trace", str(file), "--", PROGRAM, *NAPS, "fork", f"worker:{NAPPING}")
    assert ran.returncode == 0
    trace = Trace(file)
    check(trace)
    assert set(trace.names.values()) == {"named_threads", "sleeper", "child", "worker"}
    assert len(trace.spans("alive")) == 4
    counters = {event["name"] for event in trace.of_phase("C")}
    assert "worker: processor, % of one" in counters and "sleeper: waits per s" in counters


def test_a_trace_of_samples_alone_has_counters(tmp_path):
    file = tmp_path / "trace.json"
    ran = threads("--records", "never", "--interval", "1", "--trace", str(file), "--", PROGRAM, *NAPS)
    assert ran.returncode == 0
    trace = Trace(file)
    check(trace)
    assert {event["name"] for event in trace.of_phase("X")} == {"alive"}
    assert "named_threads: processor, % of one" in {event["name"] for event in trace.of_phase("C")}


def test_the_trace_shows_when_threads_ran(needs_records, tmp_path):
    file = tmp_path / "trace.json"
    assert threads("--trace", str(file), "--", PROGRAM, *NAPS).returncode == 0
    trace = Trace(file)
    sleeper = next(track for track, name in trace.names.items() if name == "sleeper")
    assert len([span for span in trace.spans("runs") if span["tid"] == sleeper]) >= 90


# ---- Without privileges


def test_it_needs_no_root(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("all the other tests have run without root")
    let_nobody_through(tmp_path)
    ran = threads("--format", "json", "--", PROGRAM, *NAPS, **as_nobody())
    assert ran.returncode == 0
    assert switches(row(json.loads(ran.stderr), "all")) >= 90


def refused(*words, log):
    """Runs the command where the kernel refuses perf_event_open."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    strace = ["strace", "-f", "-o", log, "-e", "trace=perf_event_open", "-e", "inject=perf_event_open:error=EPERM"]
    ran = subprocess.run([*strace, FATHOM, "threads", *words], env=environment(), capture_output=True,
                         timeout=PATIENCE, check=False)
    if not log.exists() or b"ptrace" in ran.stderr:
        pytest.skip("strace does not work here")
    return ran


def test_without_records_the_report_says_why(tmp_path):
    ran = refused("--", PROGRAM, *NAPS, log=tmp_path / "log")
    assert ran.returncode == 0
    reason = b"perf_event_open: Operation not permitted"
    assert b"; the kernel refused its records of context switches: " + reason in ran.stderr
    assert b" (all)\n" in ran.stderr


def test_required_records_that_the_kernel_refuses_are_an_error_before_the_program_runs(tmp_path):
    ran = refused("--records", "always", "--", "touch", str(tmp_path / "ran"), log=tmp_path / "log")
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"fathom: the kernel refuses its records of context switches: perf_event_open: ")
    assert not (tmp_path / "ran").exists()


# ---- Running processes


@pytest.fixture(name="running")
def _running(tmp_path):
    """A process with a thread that ends when the file is removed."""
    file = tmp_path / "running"
    file.touch()
    process = subprocess.Popen([PROGRAM, "sleeper:naps:100000000", f"while:{file}", "kill:9"],
                               stdout=subprocess.DEVNULL)
    tasks = pathlib.Path(f"/proc/{process.pid}/task")
    until(lambda: "sleeper\n" in [name.read_text(encoding="ascii") for name in tasks.glob("*/comm")])
    yield process
    process.kill()
    process.wait()


def test_a_running_process_is_recorded_for_a_time(running):
    report = reported("--pid", str(running.pid), "--for", "1s")
    assert report["process"] == running.pid and "exit_code" not in report
    assert report["seconds"] >= 1
    assert {thread["name"] for thread in report["threads"]} == {"named_threads", "sleeper"}
    assert not report["records"]


def test_json_about_a_running_process_matches_its_schema(running):
    schemas.assert_described(reported("--pid", str(running.pid), "--for", "1s"), "fathom.threads/1")


def test_a_running_process_is_recorded_until_it_ends(running, tmp_path):
    process = subprocess.Popen([FATHOM, "threads", "--pid", str(running.pid)], stderr=subprocess.PIPE,
                               env=environment())
    until(lambda: "fathom" in pathlib.Path(f"/proc/{process.pid}/comm").read_text(encoding="ascii"))
    (tmp_path / "running").unlink()
    err = process.communicate(timeout=PATIENCE)[1]
    if b"No such process" in err:
        pytest.skip("the process ended before the recording began")
    assert process.returncode == 0
    assert f"Process {running.pid} for ".encode() in err


def test_ctrl_c_ends_the_recording_of_a_running_process(running):
    process = subprocess.Popen([FATHOM, "threads", "--pid", str(running.pid)], stderr=subprocess.PIPE,
                               env=environment())
    # Blocked, so the recording has begun: the 2nd signal.
    until(lambda: blocked(process.pid) & 2)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0
    assert b"sleeper" in err
    assert running.poll() is None


def blocked(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"^SigBlk:\s*(\w+)$", status, re.M)[1], 16)


def test_a_process_that_does_not_exist_is_refused():
    assert sentence_of(threads("--pid", "4194304")) == "cannot record the process 4194304: No such process"


# ---- Usage


@pytest.mark.parametrize("words", [
    [], ["--"], ["true"], ["--interval", "0", "--", "true"], ["--interval", "60001", "--", "true"],
    ["--slices", "1", "--", "true"], ["--sort", "size", "--", "true"], ["--by", "process", "--", "true"],
    ["--records", "maybe", "--", "true"],
    ["--pid", "0"], ["--pid", "x"], ["--pid", "1", "--", "true"], ["--for", "1s", "--", "true"],
    ["--for", "10", "--pid", "1"], ["--trace", "", "--", "true"], ["--top", "0", "--", "true"]], ids=" ".join)
def test_wrong_usage_is_refused_in_one_sentence(words):
    assert sentence_of(threads(*words))


def test_the_help_names_the_command():
    assert b"Usage: fathom threads [OPTION...] -- CMD [ARG...]\n" in threads("--help").stdout
    assert b"fathom threads --by thread" in threads("-h").stdout
