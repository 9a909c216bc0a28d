"""The commands in a session of GDB by hand."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess

import pytest

import schemas
from conftest import LEAKS, functions, run_command

SCRIPT = LEAKS.parent / "leaks.py"


@pytest.fixture
def session(tmp_path):
    """Gives commands to GDB, one after the other, and returns what it prints."""
    def run(program, *commands, arguments=(), script=SCRIPT, **how):
        given = [word for command in (f"source {script}", *commands) for word in ("-ex", command)]
        settings = ["-iex", "set debuginfod enabled off", "-iex", "set width 0"]
        done = subprocess.run([os.environ.get("FATHOM_GDB", "gdb"), "-nx", "-batch", *settings, *given, "--args",
                               program, *arguments], text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120, cwd=tmp_path, **how)
        return done.stdout

    return run


def reports(text):
    """The text reports in the output."""
    return re.findall(r"(?m)^fathom leaks: (.*)$", text)


def json_of(tmp_path, name="report"):
    return json.loads((tmp_path / name).read_text(encoding="utf-8"))


def test_what_is_allocated_after_begin_is_reported_while_the_program_is_stopped(build, session, tmp_path):
    session(build("marks.c"), "break phase_begins", "break phase_ends", "run", "fathom-leaks begin", "continue",
            "fathom-leaks report --json -o report", "continue")
    report = json_of(tmp_path)
    process, = report["processes"]
    assert {leak["bytes"] for leak in process["leaks"]} == {33}
    assert process["ended"]["how"] is None
    assert report["bad_frees"] == 0  # of a block from before `begin`
    assert "followed from fathom-leaks begin on" in report["notes"][0]


def test_json_matches_its_schema(build, session, tmp_path):
    session(build("marks.c"), "break phase_begins", "break phase_ends", "run", "fathom-leaks begin", "continue",
            "fathom-leaks report --json -o report", "continue")
    schemas.assert_described(json_of(tmp_path), "fathom.leaks/1")


def test_a_report_can_be_made_again_and_again(build, session):
    out = session(build("marks.c"), "break main", "run", "fathom-leaks begin", "fathom-leaks report", "next", "next",
                  "fathom-leaks report", "break phase_ends", "continue", "fathom-leaks report", "continue",
                  "fathom-leaks report")
    assert reports(out) == ["nothing found", "11 bytes in 1 block not freed so far",
                            "33 bytes in 1 block not freed so far", "44 bytes in 1 block never freed"]


def test_after_end_the_program_is_not_followed(build, session):
    out = session(build("marks.c"), "break main", "run", "maint info breakpoints", "fathom-leaks begin", "next", "next",
                  "maint info breakpoints", "fathom-leaks end", "maint info breakpoints", "continue",
                  "fathom-leaks report")
    assert reports(out) == ["11 bytes in 1 block never freed"]
    assert "followed until fathom-leaks end" in out
    assert "still running when the recording ended" in out
    before, during, after = (re.findall(r"(?m)^-?\d+ .*(0x\w+)", listed) for listed in out.split("Num     Type")[1:])
    assert before == after
    assert len(during) > len(before) + 8


def test_a_recording_can_begin_again(build, session):
    out = session(build("marks.c"), "break phase_begins", "break phase_ends", "break main", "run", "fathom-leaks begin",
                  "continue", "fathom-leaks end", "fathom-leaks begin", "continue", "fathom-leaks report")
    assert reports(out) == ["33 bytes in 1 block not freed so far"]


@pytest.mark.parametrize("steps", [["next"] * 12, ["step"] * 12, ["next", "step", "finish", "until", "next", "finish"]])
def test_steps_stop_where_they_would_without_a_recording(build, session, steps):
    def stops(*before):
        out = session(build("marks.c"), "break main", "run", *before, *steps)
        return re.findall(r"(?m)^(\d+)\t", out), re.findall(r"(?m)^Run till exit", out)

    assert stops("fathom-leaks begin") == stops()
    assert len(stops()[0]) > 3


def test_all_threads_are_followed(build, session, tmp_path):
    session(build("threads.cc"), "break main", "run", "fathom-leaks begin", "continue",
            "fathom-leaks report --json -o report")
    process, = json_of(tmp_path)["processes"]
    assert [(leak["bytes"], leak["blocks"], len(leak["threads"])) for leak in process["leaks"]] == [(288, 12, 4)]
    assert process["ended"] == {"how": "exit", "code": 0, "signal": None}


def test_a_double_free_is_reported_when_the_program_has_crashed(build, session, tmp_path):
    session(build("bad_frees.c"), "break main", "run", "fathom-leaks begin", "continue",
            "fathom-leaks report --json -o report", arguments=["double"])
    bad, = json_of(tmp_path)["processes"][0]["bad_frees"]
    assert (bad["kind"], functions(bad["stack"])) == ("double", ["release_again", "main"])


@pytest.mark.parametrize("way, how", [
    ("exit", {"how": "exit", "code": 4, "signal": None}), ("free and crash", {"how": "signal", "code": None,
                                                                             "signal": "SIGSEGV"})])
def test_the_report_says_how_the_program_ended(build, session, tmp_path, way, how):
    session(build("endings.c"), "break main", "run", "fathom-leaks begin", "continue", "continue",
            "fathom-leaks report --json -o report", arguments=[way])
    assert json_of(tmp_path)["processes"][0]["ended"] == how


@pytest.mark.parametrize("command", ["kill", "detach"])
def test_a_program_that_gdb_lets_go_can_be_run_and_recorded_again(build, session, command):
    out = session(build("marks.c"), "break main", "run", "fathom-leaks begin", "next", "next", command,
                  "fathom-leaks report", "run", "next", "next", "fathom-leaks begin", "break phase_ends", "continue",
                  "fathom-leaks report")
    assert reports(out) == ["11 bytes in 1 block never freed", "33 bytes in 1 block not freed so far"]
    assert "GDB lost this process before it ended" in out
    assert "Cannot" not in out


def test_the_program_stops_before_it_becomes_another_and_then_runs_on(build, session):
    out = session(build("endings.c"), "break main", "run", "fathom-leaks begin", "delete", "continue",
                  "fathom-leaks report", "continue", arguments=["exec"])
    assert "the program is about to become another one, so the recording ended here" in out
    assert reports(out) == ["40 bytes in 1 block never freed"]
    assert "exited with code 03" in out
    assert "Cannot" not in out


@pytest.mark.parametrize("mode, leak", [("parent", 1001), ("child", 77)])
def test_one_process_is_followed_through_a_fork(build, session, tmp_path, mode, leak):
    session(build("forks.c"), f"set follow-fork-mode {mode}", "break main", "run", "fathom-leaks begin", "continue",
            "fathom-leaks report --json -o report")
    process, = json_of(tmp_path)["processes"]
    assert {each["bytes"] for each in process["leaks"]} == {leak}


def test_a_library_that_is_loaded_where_another_one_was_runs_unchanged(build, session, tmp_path):
    plugin, other = (build(name, "-shared", "-fPIC") for name in ("plugin.c", "other_plugin.c"))
    session(build("unloads.c"), "break main", "run", "fathom-leaks begin", "continue",
            "fathom-leaks report --json -o report", arguments=[plugin, other])
    process, = json_of(tmp_path)["processes"]
    assert process["ended"] == {"how": "exit", "code": 0, "signal": None}
    assert [leak["bytes"] for leak in process["leaks"]] == [61]


def test_a_running_process_can_be_followed_from_then_on(build, session):
    program = build("endings.c")
    with subprocess.Popen([program, "wait"], stdout=subprocess.PIPE) as waiting:
        assert waiting.stdout.readline() == b"waits\n"
        out = session(program, f"attach {waiting.pid}", "fathom-leaks begin", "call (void*)malloc(55)",
                      "fathom-leaks report", "detach")
        waiting.send_signal(signal.SIGTERM)
        waiting.wait(timeout=60)
    if "ptrace" in out:
        pytest.skip("the kernel refuses to attach")
    assert reports(out) == ["55 bytes in 1 block not freed so far"]


def test_the_trace_and_the_map_are_those_of_the_command(build, session, tmp_path):
    session(build("marks.c"), "break main", "run", "fathom-leaks begin --trace kept", "continue",
            "fathom-leaks report -o live --map live.html")
    done = run_command("--from", "kept", "-o", "read", "--map", "read.html", cwd=tmp_path, env=dict(os.environ))
    assert done.returncode == 1
    for kind in ("", ".html"):
        assert (tmp_path / f"read{kind}").read_text() == (tmp_path / f"live{kind}").read_text()
    assert "unknown" in (tmp_path / "read.html").read_text()


def test_options_of_begin_and_of_report(build, session, tmp_path):
    session(build("many.c"), "break main", "run", "fathom-leaks begin --sample 10 --depth 2", "continue",
            "fathom-leaks report --json -o report", "fathom-leaks report --json -o short --depth 1",
            arguments=["100"])
    report = json_of(tmp_path)
    assert report["sampling"] == {"every": 10, "bytes": 0}
    assert {len(leak["stack"]) for leak in report["processes"][0]["leaks"]} <= {1}
    assert json_of(tmp_path, "short")["processes"][0]["leaks"] == report["processes"][0]["leaks"]


def test_a_temporary_trace_is_removed_when_gdb_ends(build, session, tmp_path):
    session(build("marks.c"), "break main", "run", "fathom-leaks begin", "continue", "fathom-leaks report",
            env=dict(os.environ, TMPDIR=str(tmp_path)))
    assert list(tmp_path.glob("fathom-leaks-*")) == []


@pytest.mark.parametrize("commands, sentence", [
    (["fathom-leaks begin"], "fathom-leaks begin: no program runs: start one first (start, run or attach)"),
    (["fathom-leaks report"], "fathom-leaks report: nothing was recorded; begin with: fathom-leaks begin"),
    (["fathom-leaks end"], "fathom-leaks end: nothing was recorded"),
    (["fathom-leaks stop"], "fathom-leaks: there is no command 'stop'; see: help fathom-leaks"),
    (["starti", "fathom-leaks begin"], "malloc is not loaded yet"),
    (["break main", "run", "fathom-leaks begin", "fathom-leaks begin"],
     "fathom-leaks begin: a recording is running; end it with: fathom-leaks end"),
    (["break main", "run", "fathom-leaks begin", "fathom-leaks end", "fathom-leaks end"],
     "fathom-leaks end: the recording has ended already"),
    (["fathom-leaks begin --depth 0"], "fathom-leaks begin: argument --depth: '0' is not a positive integer"),
    (["fathom-leaks begin --json"], "fathom-leaks begin: unrecognized arguments: --json"),
    (["fathom-leaks report --trace x"], "fathom-leaks report: unrecognized arguments: --trace x"),
    (["fathom-leaks end now"], "fathom-leaks end: unrecognized arguments: now"),
    (["break main", "run", "fathom-leaks begin --trace /nowhere/trace"], "cannot write /nowhere/trace: No such file"),
    (["break main", "run", "fathom-leaks begin --trace /dev/null"], "it must be a regular file"),
    (["break main", "run", "fathom-leaks begin", "fathom-leaks report -o /nowhere/report"],
     "fathom-leaks report: cannot write /nowhere/report: No such file"),
    (["break main", "run", "fathom-leaks begin --trace x", "fathom-leaks report -o x"],
     "the report and the trace cannot both be x"),
])
def test_errors_have_a_message_and_leave_gdb_running(build, session, commands, sentence):
    out = session(build("marks.c"), *commands, "echo still here\\n")
    assert sentence in out
    assert "still here" in out
    assert "Traceback" not in out


@pytest.mark.parametrize("ends", ["fathom-leaks end", "kill", "continue"])
def test_a_recording_ends_even_if_its_end_cannot_be_written(build, session, ends):
    fill_disk = ('python import os; [os.dup2(os.open("/dev/full", os.O_WRONLY), int(name)) for name in '
                 'os.listdir("/proc/self/fd") if os.path.realpath("/proc/self/fd/" + name).endswith("/kept")]')
    out = session(build("marks.c"), "break main", "run", "maint info breakpoints", "fathom-leaks begin --trace kept",
                  "next", "next", fill_disk, ends, "maint info breakpoints", "fathom-leaks end", "fathom-leaks report",
                  "run", "fathom-leaks begin", "next", "next", "fathom-leaks report")
    assert re.findall(r"(?m)^fathom-leaks: (cannot write the end of the recording) to /.*/kept: No space left",
                      out) == ["cannot write the end of the recording"]
    assert "fathom-leaks end: the recording has ended already" in out
    assert reports(out) == ["11 bytes in 1 block not freed so far"] * 2
    assert "Traceback" not in out and "Python Exception" not in out
    before, after = (len(re.findall(r"(?m)^-?\d+ .*(0x\w+)", listed)) for listed in out.split("Num     Type")[1:])
    assert after <= before


def test_a_core_file_cannot_be_followed(build, session, tmp_path):
    out = session(build("marks.c"), "break main", "run", "generate-core-file core", "kill", "core-file core",
                  "fathom-leaks begin")
    if not (tmp_path / "core").exists():
        pytest.skip("GDB writes no core file here")
    assert "only a process on this machine can be followed" in out


def test_gdb_shows_help_and_completes_options(session, build):
    out = session(build("marks.c"), "help fathom-leaks", "help fathom-leaks begin", "help fathom-leaks report",
                  "complete fathom-leaks ", "complete fathom-leaks report --a", "complete fathom-leaks begin --s")
    assert "Find memory that the program does not free" in out
    for command in ("begin", "report", "end"):
        assert f"fathom-leaks {command} -- " in out
        assert f"\nfathom-leaks {command}\n" in out
    assert "usage: fathom-leaks begin [--depth N]" in out
    assert "fragmentation of the heap" in out
    assert out.strip().splitlines()[-4:] == [
        "fathom-leaks report --all", "fathom-leaks report --all-leaks", "fathom-leaks begin --sample",
        "fathom-leaks begin --sample-bytes"]


def test_the_commands_can_be_loaded_twice(build, session):
    out = session(build("marks.c"), f"source {SCRIPT}", "break main", "run", "fathom-leaks begin", "next", "next",
                  "fathom-leaks report")
    assert reports(out) == ["11 bytes in 1 block not freed so far"]
