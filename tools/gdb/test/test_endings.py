"""However a program ends, the report covers everything so far."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import LEAKS, leaks_of, run_command
from fathom_leaks.signals import receivers

_ONE = {("malloc", "leak"): [(40, 1)]}


@pytest.mark.parametrize("way, code",
                         [("return", 3), ("exit", 4), ("_exit", 5), ("quick_exit", 6), ("pthread_exit", 0)])
def test_the_exit_code_of_the_program_is_in_the_report(build, leaks, way, code):
    run = leaks([build("endings.c"), way])
    assert run.code == 1
    assert run.process()["ended"] == {"how": "exit", "code": code, "signal": None}
    assert leaks_of(run.process()) == _ONE


@pytest.mark.parametrize("way, name", [("abort", "SIGABRT"), ("crash", "SIGSEGV")])
def test_a_crash_keeps_the_findings_so_far(build, leaks, way, name):
    run = leaks([build("endings.c"), way])
    assert run.code == 1
    assert run.process()["ended"] == {"how": "signal", "code": None, "signal": name}
    assert leaks_of(run.process()) == _ONE


def test_an_end_by_a_signal_is_a_failure(build, leaks):
    run = leaks([build("endings.c"), "free and crash"])
    assert run.report["leaked"]["blocks"] == 0
    assert run.code == 1
    done = run_command("--", build("endings.c"), "free and crash")
    assert "nothing found, but" in done.stderr.splitlines()[0]
    assert "killed by SIGSEGV" in done.stderr.splitlines()[0]


def test_a_program_is_followed_through_exec(build, leaks):
    run = leaks([build("endings.c"), "exec"])
    first, second = run.report["processes"]
    assert first["ended"]["how"] == "exec"
    assert (second["started"], second["ended"]["code"]) == ("exec", 3)
    assert leaks_of(first) == leaks_of(second) == _ONE


def test_an_exec_that_fails_changes_nothing(build, leaks):
    run = leaks([build("endings.c"), "failed exec"])
    assert run.process()["ended"]["code"] == 7
    assert leaks_of(run.process()) == {("malloc", "leak"): [(40, 1), (40, 1)]} or \
        leaks_of(run.process()) == {("malloc", "leak"): [(80, 2)]}


@pytest.mark.parametrize("way", ["fexecve", "execveat", "syscall"])
def test_a_program_is_followed_through_rare_forms_of_exec(build, leaks, way):
    run = leaks([build("execs.c"), way])
    first, second = run.report["processes"]
    assert (first["ended"]["how"], second["started"], second["ended"]["code"]) == ("exec", "exec", 3)
    assert leaks_of(first) == _ONE
    assert leaks_of(second) == {}


@pytest.mark.parametrize("way", ["fexecve", "execveat", "syscall"])
def test_a_child_that_calls_exec_in_rare_forms_is_not_disturbed(build, leaks, way):
    run = leaks([build("execs.c"), way, "child"])
    assert (run.code, run.process()["ended"]["code"]) == (1, 4)
    assert leaks_of(run.process()) == _ONE


@pytest.mark.parametrize("who", [[], ["child"]])
def test_an_inline_exec_ends_the_following_but_not_the_program(build, tmp_path, who):
    output = tmp_path / "report.json"
    with subprocess.Popen([LEAKS, "--json", "-o", output, "--", build("execs.c"), "no function", *who],
                          stdout=subprocess.PIPE, text=True) as command:
        told, _ = command.communicate(timeout=60)  # until the program has ended, too, and its output with it
        assert command.returncode == 2
    assert told == ("became another\nits child returned 3\n" if who else "became another\n")
    report = json.loads(output.read_text())
    assert any("has detached from it" in note for note in report["notes"])
    assert {process["ended"]["how"] for process in report["processes"]} == {"left"}
    assert leaks_of(report["processes"][0]) == _ONE


def test_children_that_call_exec_are_not_disturbed(build, leaks):
    run = leaks([build("children.c")])
    assert run.process()["ended"]["code"] == 0
    assert leaks_of(run.process()) == {("malloc", "main"): [(15, 1)]}
    assert run.process("fork")["ended"]["how"] == "exec"
    assert run.report["bad_frees"] == 0


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 1)])
def test_a_signal_to_the_group_ends_the_program_and_keeps_the_findings(build, tmp_path, number, code):
    output = tmp_path / "report.json"
    with subprocess.Popen([LEAKS, "--json", "-o", output, "--", build("endings.c"), "wait"],
                          stdout=subprocess.PIPE, start_new_session=True) as command:
        assert command.stdout.readline() == b"waits\n"
        os.killpg(command.pid, number)  # as a terminal does for Ctrl-C
        assert command.wait(timeout=60) == code
    process, = json.loads(output.read_text())["processes"]
    assert process["ended"]["signal"] == signal.Signals(number).name
    assert leaks_of(process) == _ONE


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 1), (signal.SIGHUP, 1),
                                          (signal.SIGQUIT, 1)])
def test_a_signal_to_the_command_alone_is_handed_on_to_the_program(build, tmp_path, number, code):
    output = tmp_path / "report.json"
    with started([LEAKS, "--json", "-o", output, "--", build("endings.c"), "wait"]) as command:
        assert command.stdout.readline() == b"waits\n"
        command.send_signal(number)
        assert command.wait(timeout=60) == code
    process, = json.loads(output.read_text())["processes"]
    assert process["ended"]["signal"] == number.name
    assert leaks_of(process) == _ONE


@pytest.mark.parametrize("option", ["-o", "--map"])
def test_after_a_signal_the_command_does_not_wait_for_a_reader_of_a_pipe(build, tmp_path, option):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with started([LEAKS, option, pipe, "--", build("endings.c"), "wait"], stderr=subprocess.PIPE) as command:
        assert command.stdout.readline() == b"waits\n"
        command.send_signal(signal.SIGTERM)
        _, told = command.communicate(timeout=60)
    assert command.returncode == 2
    assert told.endswith(f"fathom leaks: cannot write {pipe}: no program reads from this pipe\n".encode())


def test_after_a_signal_a_waiting_reader_of_a_pipe_gets_the_report(build, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    with started([LEAKS, "-o", pipe, "--", build("endings.c"), "wait"]) as command, open(reader) as report:
        assert command.stdout.readline() == b"waits\n"
        command.send_signal(signal.SIGTERM)
        assert command.wait(timeout=60) == 1
        assert "40 bytes in 1 block never freed" in report.readline()


def test_a_signal_to_the_command_alone_reaches_what_ctrl_c_would_reach(build, tmp_path):
    """A program that waits in system() ignores SIGINT; its shell, which is not followed, does not."""
    output = tmp_path / "report.json"
    with started([LEAKS, "--json", "-o", output, "--", build("endings.c"), "system"],
                 stdin=subprocess.PIPE) as command:
        assert command.stdout.readline() == b"waits\n"
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=60) == 1
    process, = json.loads(output.read_text())["processes"]
    assert process["ended"] == {"how": "exit", "code": signal.SIGINT, "signal": None}


def test_parents_get_a_signal_before_their_children():
    """Otherwise the end of the child would make a parent that waits for it sensitive to the signal."""
    with subprocess.Popen(["sh", "-c", "sh -c 'echo $$; echo $PPID; read end; :'; :"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as outer:
        inner, parent = int(outer.stdout.readline()), int(outer.stdout.readline())
        assert parent == outer.pid
        for programs in ([], [inner, outer.pid], [outer.pid, inner]):
            among = [pid for pid in receivers(os.getpid(), programs) if pid in (inner, outer.pid)]
            assert among == [outer.pid, inner]
        assert receivers(inner, [outer.pid]) == [outer.pid]


def test_a_signal_of_the_program_to_its_group_is_not_handed_on_again(build, leaks):
    run = leaks([build("endings.c"), "signal the group"], start_new_session=True)
    assert (run.process()["ended"]["code"], run.code) == (1, 1)  # how often it got it


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 2)])
def test_a_signal_before_the_program_begins_ends_the_command(tmp_path, number, code):
    with never_begins(tmp_path) as (command, gdb):
        command.send_signal(number)
        assert command.wait(timeout=60) == code
        assert ends(gdb)
        assert command.stderr.read() == f"fathom leaks: ended by {number.name} before the program began\n".encode()


def test_gdb_and_the_program_end_if_the_command_is_killed(build, tmp_path):
    with started([LEAKS, "-o", tmp_path / "report", "--", build("endings.c"), "wait"]) as command:
        assert command.stdout.readline() == b"waits\n"
        gdb, = children(command.pid)
        program, = children(gdb)
        watched = [os.pidfd_open(pid) for pid in (gdb, program)]
        command.kill()
        ended = [ends(each) for each in watched]
        for each in watched:
            kill(each)
    assert ended == [True, True]


def test_gdb_ends_if_the_command_is_killed_before_the_program_begins(tmp_path):
    with never_begins(tmp_path) as (command, gdb):
        command.kill()
        assert ends(gdb)


def test_a_program_does_not_begin_if_its_gdb_has_ended(tmp_path):
    """It would run on its own. GDB starts programs through this script."""
    setting = tmp_path / "setting"
    setting.write_text(json.dumps({"group": os.getpgrp(), "descriptors": [], "arguments": [], "blocked": [],
                                   "environment": {}}))
    done = subprocess.run([sys.executable, "-ISB", LEAKS.parent / "fathom_leaks" / "begin.py", setting, "/bin/echo"],
                          capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, b"", b"")


def test_the_program_does_not_end_with_its_parent_by_itself(build, leaks):
    """What the command sets up for the beginning is not left to the program."""
    assert leaks([build("endings.c"), "death signal"]).process()["ended"]["code"] == 0


@contextlib.contextmanager
def never_begins(folder):
    """The command with a GDB that never starts the program."""
    gdb = folder / "gdb"
    os.mkfifo(folder / "told")
    os.mkfifo(folder / "waits")
    gdb.write_text(f"#!/bin/sh\necho $$ >{folder}/told\nread nothing <{folder}/waits\n")
    gdb.chmod(0o755)
    with started([LEAKS, "--gdb", gdb, "--", "true"], stderr=subprocess.PIPE) as command:
        gdb = os.pidfd_open(int((folder / "told").read_text()))
        try:
            yield command, gdb
        finally:
            kill(gdb)


@contextlib.contextmanager
def started(arguments, **how):
    """A command that a test which fails does not leave behind."""
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, **how) as command:
        try:
            yield command
        finally:
            command.kill()


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def kill(process):
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(process, signal.SIGKILL)


def ends(process):
    """Waits for the end of a process, of which this is a descriptor."""
    return bool(select.select([process], [], [], 60)[0])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT])
def test_an_ignored_signal_stays_ignored(number):
    """As with nohup, and for background processes of a shell."""
    def ignored(start):
        done = subprocess.run([LEAKS, "--", "grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True,
                              check=False, timeout=60, preexec_fn=start)
        return bool(int(done.stdout.split()[1], 16) & 1 << (number - 1))

    assert ignored(lambda: signal.signal(number, signal.SIG_IGN))
    assert not ignored(lambda: signal.signal(number, signal.SIG_DFL))


def test_the_trace_of_a_killed_gdb_is_readable(build, tmp_path):
    """The trace is written while the program runs."""
    from fathom_leaks.replay import replay

    trace = tmp_path / "trace"
    with subprocess.Popen([LEAKS, "--trace", trace, "-o", tmp_path / "report", "--", build("endings.c"), "wait"],
                          stdout=subprocess.PIPE) as command:
        assert command.stdout.readline() == b"waits\n"
        found, = replay(str(trace), with_own=False).processes
        command.terminate()
    assert leaks_of(found.as_json()) == _ONE
    assert found.as_json()["ended"]["how"] is None


def test_processes_that_are_killed_together_are_both_followed_to_their_end(build, leaks):
    run = leaks([build("ends_together.c"), "killed"])
    assert (run.code, run.report["notes"]) == (1, [])
    for started, size in (("run", 10), ("fork", 20)):
        assert run.process(started)["ended"]["signal"] == "SIGKILL"
        assert leaks_of(run.process(started)) == {("malloc", "main"): [(size, 1)]}


def test_a_parent_that_returns_right_after_its_child_is_followed_to_its_end(build, leaks):
    for _ in range(4):  # GDB may or may not see both ends at once
        run = leaks([build("ends_together.c")])
        assert (run.code, run.report["notes"]) == (1, [])
        assert (run.process()["ended"]["code"], run.process("fork")["ended"]["code"]) == (4, 3)
        assert leaks_of(run.process()) == {("malloc", "main"): [(10, 1)]}
