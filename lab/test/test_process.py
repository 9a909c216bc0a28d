"""Running one process, however it ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy  # makes this process large, as the lab is
import pytest

from fathom_lab import child, process
from fathom_lab.errors import LabError, NoResult
from fathom_lab.process import RESULTS, Finished, Invocation

_LARGE = numpy.ones(64 << 20, dtype=numpy.uint8)


def shell(script: str, timeout: float = 60, **changes: object) -> Finished:
    return process.run(Invocation(("/bin/sh", "-c", script), **changes), timeout)  # type: ignore[arg-type]


def hanging(*command: str) -> Finished:
    """Runs a process that prints that it is ready, and hangs then. If it was not ready in time, it gets more time."""
    for timeout in (1, 10, 60):
        finished = process.run(Invocation(command), timeout)
        if finished.output:
            break
    assert finished.output == b"ready\n" and finished.timed_out
    return finished


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_in(path: Path) -> int:
    return int(path.read_text())


def test_output_and_errors_are_kept_apart() -> None:
    finished = shell("echo out; echo err >&2; exit 3")
    assert (finished.output, finished.errors, finished.exit_code) == (b"out\n", b"err\n", 3)
    assert finished.wall > 0 and not finished.timed_out


def test_peak_memory_is_that_of_the_process_and_not_the_labs() -> None:
    assert _LARGE.nbytes == 64 << 20
    assert 0 < process.run(Invocation(("/bin/true",)), 60).peak_memory < 8 << 20


def test_peak_memory_shows_what_the_process_takes() -> None:
    finished = process.run(Invocation((sys.executable, "-c", "bytearray(48 << 20).count(1)")), 60)
    assert 48 << 20 <= finished.peak_memory < 96 << 20


def test_time_on_the_processor_is_user_and_system_time() -> None:
    program = "import resource\nwhile resource.getrusage(resource.RUSAGE_SELF).ru_utime < 0.05: pass"
    finished = process.run(Invocation((sys.executable, "-c", program)), 60)
    assert finished.user >= 0.05
    assert finished.system >= 0


def test_time_of_children_that_it_waited_for_counts() -> None:
    finished = shell(f"{sys.executable} -c 'sum(range(2_000_000))'; :")
    assert finished.user > 0.001


def test_nothing_stands_in_its_standard_input() -> None:
    assert shell("cat; readlink /proc/self/fd/0").output == b"/dev/null\n"


def test_it_has_a_session_of_its_own() -> None:
    script = "import os; print(os.getsid(0) == os.getpgrp() != int(os.environ['OUTER']))"
    finished = process.run(
        Invocation((sys.executable, "-c", script), {"OUTER": str(os.getsid(0))}), 60
    )
    assert finished.output == b"True\n"


def test_signals_do_what_they_do_in_a_shell() -> None:
    script = "import signal; print([signal.getsignal(one) == signal.SIG_IGN for one in (2, 3, 15)])"
    assert process.run(Invocation((sys.executable, "-c", script)), 60).output == b"[False, False, False]\n"


def test_only_the_standard_files_are_open() -> None:
    assert shell("ls /proc/self/fd | wc -l").output.split() == [b"4"]  # the fourth is the folder that ls lists


def test_environment_is_the_labs_with_a_stable_language() -> None:
    finished = shell('echo "$LC_ALL $MORE $HOME"', environment={"MORE": "more"})
    assert finished.output.decode() == f"C.UTF-8 more {os.environ.get('HOME', '')}\n"


def test_it_starts_in_the_folder(tmp_path: Path) -> None:
    assert shell("pwd -P", folder=tmp_path).output.decode().strip() == str(tmp_path.resolve())


def test_a_program_is_looked_for_from_its_folder(tmp_path: Path) -> None:
    program = tmp_path / "here"
    program.write_text("#!/bin/sh\necho found\n")
    program.chmod(0o755)
    assert process.run(Invocation(("./here",), folder=tmp_path), 60).output == b"found\n"


def test_arguments_arrive_as_they_are() -> None:
    arguments = ("a b", "$HOME", "*", "", "'\"", "\n", "-e", "ä")
    finished = process.run(Invocation((sys.executable, "-c", "import sys; print(sys.argv[1:])", *arguments)), 60)
    assert finished.output.decode() == f"{list(arguments)}\n"


def test_a_program_that_is_not_installed_is_named() -> None:
    with pytest.raises(NoResult, match="no-such-program is not installed"):
        process.run(Invocation(("no-such-program",)), 60)


def test_a_program_that_has_disappeared_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoResult, match="the program ./gone does not exist"):
        process.run(Invocation(("./gone",), folder=tmp_path), 60)


def test_a_file_that_is_not_a_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    with pytest.raises(NoResult, match="./text is not executable"):
        process.run(Invocation(("./text",), folder=tmp_path), 60)


def test_a_folder_that_has_disappeared_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoResult, match="the folder .* does not exist"):
        shell(":", folder=tmp_path / "gone")


def test_a_crash_is_reported_by_its_signal() -> None:
    finished = shell("kill -SEGV $$")
    assert finished.exit_code == -signal.SIGSEGV
    assert finished.ending() == "it was killed by SIGSEGV"


def test_a_process_that_hangs_is_ended() -> None:
    assert hanging("sh", "-c", "echo ready; sleep 1000").ending() == "it did not end in time"


def test_a_process_that_hangs_may_say_goodbye() -> None:
    script = ("import signal, sys; signal.signal(15, lambda *_: sys.exit('goodbye')); "
              "print('ready', flush=True); signal.pause()")
    assert hanging(sys.executable, "-c", script).errors == b"goodbye\n"


def test_a_process_that_ignores_requests_to_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.05)
    finished = hanging("sh", "-c", "trap '' TERM; echo ready; while :; do read -r line </dev/null; done")
    assert finished.exit_code == -signal.SIGKILL


def test_children_of_a_process_that_hangs_are_ended_too(tmp_path: Path) -> None:
    hanging("sh", "-c", f"sleep 1000 & echo $! >{tmp_path}/pid; echo ready; wait")
    assert not is_running(pid_in(tmp_path / "pid"))


def test_a_child_left_behind_with_the_pipe_open_is_not_waited_for(tmp_path: Path) -> None:
    finished = shell(f"sleep 1000 & echo $! >{tmp_path}/pid; echo done")
    assert (finished.output, finished.timed_out) == (b"done\n", False)
    assert not is_running(pid_in(tmp_path / "pid"))


def test_a_child_that_took_a_session_of_its_own_is_ended_too(tmp_path: Path) -> None:
    shell(f"setsid sh -c 'echo $$ >{tmp_path}/pid; sleep 1000' & while ! [ -s {tmp_path}/pid ]; do :; done")
    assert not is_running(pid_in(tmp_path / "pid"))


def test_a_process_that_hangs_in_a_session_of_its_own_is_ended() -> None:
    finished = process.run(Invocation(("setsid", "sleep", "1000")), 1)
    assert finished.timed_out and finished.exit_code == -signal.SIGTERM


def test_a_process_in_a_session_of_its_own_that_ignores_requests_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.05)
    finished = hanging("setsid", "sh", "-c", "trap '' TERM; echo ready; while :; do read x </dev/null; done")
    assert finished.exit_code == -signal.SIGKILL


def test_output_that_nobody_wants_goes_to_a_pipe_all_the_same() -> None:
    """Some programs do less work with /dev/null: grep stops at the first match."""
    assert shell("readlink /proc/self/fd/1 >&2", keeps_output=False).errors.startswith(b"pipe:")
    assert shell("head -c 1000000 /dev/zero", keeps_output=False).output == b""


def test_the_length_of_the_folder_s_path_does_not_move_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv("OLDPWD", "/")
    long = tmp_path / ("long" * 30)
    long.mkdir()
    script = "import os; print(sum(map(len, os.environ.values())), 'PWD' in os.environ)"
    outputs = {process.run(Invocation((sys.executable, "-c", script), folder=one), 60).output
               for one in (tmp_path, long)}
    assert len(outputs) == 1 and outputs.pop().endswith(b" False\n")


def test_the_summary_is_one_short_line_without_control_characters() -> None:
    words = shell("printf '\\033[2J%0500d\\n' 1 >&2; exit 1").summary_line()
    assert words.startswith("\\x1b[2J000") and words.isprintable() and len(words) == 80


def test_much_output_on_both_pipes_does_not_stop_it() -> None:
    script = "import os\nfor _ in range(300): os.write(1, b'o' * 10000); os.write(2, b'e' * 10000)"
    finished = process.run(Invocation((sys.executable, "-c", script)), 60)
    assert len(finished.output) == 3_000_000 and len(finished.errors) == process._ERRORS_KEPT


def test_of_errors_the_end_is_kept() -> None:
    finished = shell("yes | head -c 100000 >&2; echo last >&2")
    assert finished.errors.endswith(b"y\nlast\n") and finished.summary_line() == "last"


def test_why_it_gave_up_stands_before_its_stacks() -> None:
    finished = shell("printf 'panic: no ring\\n\\ngoroutine 1:\\n\\tmain.go:3\\n' >&2; exit 2")
    assert finished.summary_line() == "panic: no ring"


def test_a_contender_that_prints_too_much_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "OUTPUT_LIMIT", 1 << 20)
    with pytest.raises(NoResult, match="printed more than 1 MiB"):
        shell("yes")


def test_output_that_nobody_wants_is_not_kept() -> None:
    assert shell("echo lost; echo kept >&2", keeps_output=False).output == b""


def test_results_come_from_a_file_of_their_own() -> None:
    finished = process.run(Invocation(("/bin/sh", "-c", 'echo noise; echo data >"$1"; echo "$1"', "sh", RESULTS)), 60)
    assert finished.results == b"data\n"
    assert not Path(finished.output.split()[1].decode()).exists()


def test_what_prepares_runs_before(tmp_path: Path) -> None:
    finished = shell("cat made", folder=tmp_path, prepare=("/bin/sh", "-c", "echo ready >made"))
    assert finished.output == b"ready\n"


def test_what_cannot_prepare_leaves_no_result() -> None:
    with pytest.raises(NoResult, match="prepare: it exited with 1: the disk is full"):
        shell("echo never", prepare=("/bin/sh", "-c", "echo the disk is full >&2; exit 1"))


def test_it_runs_on_the_processors_that_were_asked_for() -> None:
    cpu = min(os.sched_getaffinity(0))
    script = "import os; print(sorted(os.sched_getaffinity(0)))"
    finished = process.run(Invocation((sys.executable, "-c", script)), 60, cpus=[cpu])
    assert finished.output.decode() == f"[{cpu}]\n"


@pytest.mark.parametrize("own", [0, 4])
def test_its_nice_value_is_added_to_the_labs(own: int) -> None:
    """Like nice(1), with the maximum 19."""
    outer = os.getpriority(os.PRIO_PROCESS, 0) + own
    script = "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"
    run = f"process.run(process.Invocation((sys.executable, '-c', {script!r})), 60, nice=3)"
    lab = f"import os, sys; from fathom_lab import process; os.nice({own}); print({run}.output.decode())"
    source = str(Path(process.__file__).parents[1])
    output = subprocess.check_output([sys.executable, "-c", lab], env={**os.environ, "PYTHONPATH": source})
    assert int(output) == min(min(outer, 19) + 3, 19)


def test_processors_that_are_not_there_are_named() -> None:
    with pytest.raises(LabError, match="cannot use the processors 1000"):
        process.run(Invocation(("/bin/true",)), 60, cpus=frozenset({1000}))


# This script is interrupted when it is ready, and again because it does not end then.
TWICE = "trap 'echo ready >ready' TERM; echo $$ >pid; echo ready >ready; while :; do read -r x </dev/null; done"


@pytest.fixture(name="interrupt")
def fixture_interrupt(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """A function that runs a script, and presses Ctrl-C whenever that writes to the FIFO `ready`."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)

    def press() -> None:
        while ready.read_text(encoding="ascii") == "ready\n":
            os.kill(os.getpid(), signal.SIGINT)

    def interrupt(script: str, *, watch: bool = True) -> None:
        with pytest.raises(KeyboardInterrupt):
            process.run(Invocation(("/bin/sh", "-c", script), folder=tmp_path), 1000, watch=watch)

    thread = threading.Thread(target=press)
    thread.start()
    yield interrupt
    ready.write_text("over\n", encoding="ascii")
    thread.join()


def test_an_interrupt_ends_the_process_and_is_passed_on(
    tmp_path: Path, interrupt: Callable[..., None]
) -> None:
    interrupt("echo $$ >pid; echo ready >ready; sleep 1000")
    assert not is_running(pid_in(tmp_path / "pid"))


@pytest.mark.parametrize("around", ["exec", "exec setsid", "", "setsid -w"])
def test_an_interrupted_process_may_clean_up(
    tmp_path: Path, interrupt: Callable[..., None], around: str
) -> None:
    (tmp_path / "clean").write_text("trap 'echo once >>cleaned; exit' TERM\necho ready >ready\nsleep 1000 & wait\n")
    interrupt(f"{around} sh clean; :")
    assert (tmp_path / "cleaned").read_text() == "once\n"


def test_a_descendant_in_a_session_of_its_own_may_clean_up(tmp_path: Path) -> None:
    (tmp_path / "clean").write_text("trap 'echo once >>cleaned; exit' TERM\necho >ready\nsleep 1000 & wait\n")
    shell("mkfifo ready; setsid sh clean & read line <ready", folder=tmp_path)
    assert (tmp_path / "cleaned").read_text() == "once\n"


@pytest.mark.parametrize("around", ["exec", "setsid"])
def test_an_interrupted_process_that_does_not_end_is_killed(
    tmp_path: Path, interrupt: Callable[..., None], monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    monkeypatch.setattr(child, "GRACE", 0.05)
    script = "trap '' TERM; echo $$ >pid; echo ready >ready; while :; do read -r line </dev/null; done"
    interrupt(f'{around} sh -c "{script.replace("$", chr(92) + "$")}"')
    assert not is_running(pid_in(tmp_path / "pid"))


def test_a_second_interrupt_does_not_wait_for_the_process(
    tmp_path: Path, interrupt: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "GRACE", 1000)
    interrupt(TWICE)
    assert not is_running(pid_in(tmp_path / "pid"))


@pytest.mark.parametrize("around", ["", "setsid "])
def test_a_running_contender_does_not_outlive_a_killed_lab(tmp_path: Path, around: str) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    script = f"exec {around}sh -c 'echo $$ >{ready}; exec sleep 1000'"
    code = f"from fathom_lab import process; process.run(process.Invocation(('sh', '-c', {script!r})), 1000)"
    source = str(Path(process.__file__).parents[1])
    with subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": source}) as lab:
        left = os.pidfd_open(int(ready.read_text()))
        lab.kill()
    assert select.select([left], [], [], 60)[0]
    os.close(left)


def test_nothing_is_left_open() -> None:
    shell(":")  # starts what lives as long as the lab
    before = set(os.listdir("/proc/self/fd"))
    for script in ("echo x", "exit 1"):
        shell(script)
    with pytest.raises(NoResult):
        process.run(Invocation(("no-such-program",)), 60)
    assert set(os.listdir("/proc/self/fd")) == before
