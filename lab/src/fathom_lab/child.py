"""A process that waits before its exec until it is told to go, and takes along what it started when it ends.

Its peak of memory must be its own. Linux counts into it what the process had before exec, so a child that the lab
forks begins with the lab's size: hundreds of megabytes once numpy is loaded, and vfork is no better. So a shell of less
than one megabyte forks it and ends; as the lab is made the next reaper, the orphan becomes the lab's own child, with
all figures that wait4 gives.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import glob
import os
import resource
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from fathom_lab.errors import LabError, NoResult

_PR_SET_CHILD_SUBREAPER = 36

# The inner shell says who it is, ends the outer one, and waits for a line. Standard input is a socket to the lab. It
# takes its note of the folder back: the length of a path in the environment would move the program's stack.
_SCRIPT = """(
read -r pid rest </proc/self/stat && echo "$pid" >&0
kill -KILL $$
unset PWD OLDPWD
read -r go && exec "$@" </dev/null
); :"""


# Ends the process and the group that it was told of last, once the lab's end of its standard input is gone: nobody else
# would, if the lab is killed by SIGKILL. PR_SET_PDEATHSIG would have to be set by the process itself.
_GUARD = "while read -r one; do last=$one; done; kill -KILL $last"


@dataclasses.dataclass(frozen=True)
class Used:
    """By the process and the children that it waited for."""

    user: float  # seconds
    system: float
    peak_memory: int  # bytes
    raw: resource.struct_rusage


class Child:
    """Use as a context: however that is left, nothing of the child is left behind."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path | None, stdout: int, stderr: int
    ):
        _check(command[0], environment, folder or Path())
        self._reaped = False
        _guard()
        self._before = _own_children()
        _reap_orphans(True)
        ours, theirs = socket.socketpair()
        with theirs:
            shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "sh", *command],
                env=environment,
                cwd=folder,
                stdin=theirs.fileno(),
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        self._group = shell.pid
        self._line = ours
        self.pid = 0
        self.pidfd = -1
        try:
            self._meet(shell)
        except BaseException:
            self.close()
            raise

    def _meet(self, shell: subprocess.Popen[bytes]) -> None:
        answer = self._line.recv(32)
        shell.wait()
        if not answer.strip().isdigit():
            raise NoResult("the shell that starts programs did not answer")
        self.pid = int(answer)
        self.pidfd = os.pidfd_open(self.pid)
        self._spent = _run_time(self.pid)
        _tell_guard(f"{self.pid} -{self._group}")

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def place(self, cpus: frozenset[int] | None, nice: int) -> None:
        """On these processors only, and with a nice value that is higher by `nice` than the lab's own."""
        try:
            if cpus is not None:
                os.sched_setaffinity(self.pid, cpus)
        except OSError as error:
            listed = ", ".join(map(str, sorted(cpus or ())))
            raise LabError(f"the processors {listed} cannot be had here: {error.strerror}") from error
        try:
            if nice:
                os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, self.pid) + nice)
        except OSError as error:
            raise LabError(f"--nice {nice} cannot be had: {error.strerror}; below 0 it needs root") from error

    def go(self) -> None:
        self._line.send(b"\n")
        self._line.close()

    def signal(self, number: signal.Signals) -> None:
        """To it and all of its process group. Until the child is reaped no other group can have that number.

        A child that took a session of its own is in no group of ours, so it is asked by itself, too.
        """
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)
        if self.pidfd >= 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self.pidfd, number)

    def reap(self) -> tuple[int, Used]:
        """Exit code (negative: the signal) of a child that has ended, and what it used. Ends what it left behind."""
        self.signal(signal.SIGKILL)
        _, status, used = os.wait4(self.pid, 0)
        self._reaped = True
        return os.waitstatus_to_exitcode(status), self._used(used)

    def _used(self, raw: resource.struct_rusage) -> Used:
        """Without what the shell took before exec: their sum is exact, how it divides is not."""
        total = raw.ru_utime + raw.ru_stime
        own = max(total - self._spent, 0.0) / total if total else 0.0
        return Used(raw.ru_utime * own, raw.ru_stime * own, raw.ru_maxrss * 1024, raw)

    def close(self) -> None:
        self._line.close()
        if not self._reaped:
            self.signal(signal.SIGKILL)
        if self.pid and not self._reaped:
            os.waitpid(self.pid, 0)
            self._reaped = True
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1
        _tell_guard("")
        self._end_orphans()
        _reap_orphans(False)

    def _end_orphans(self) -> None:
        """Processes that it left behind are the lab's children now, also those that took a session of their own."""
        while orphans := _own_children() - self._before:
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
            for orphan in orphans:
                os.waitpid(orphan, 0)


@functools.cache
def _guard() -> int:
    """Where it reads. One for the life of the lab, in a session of its own, so that Ctrl-C does not reach it."""
    theirs, ours = os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, theirs, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    os.posix_spawn("/bin/sh", ["sh", "-c", _GUARD], {}, file_actions=actions, setsid=True)
    os.close(theirs)
    return ours


def _tell_guard(whom: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # somebody has ended it
        os.write(_guard(), f"{whom}\n".encode())


def _check(program: str, environment: Mapping[str, str], folder: Path) -> None:
    """The shell would only say 127."""
    if not folder.is_dir():
        raise NoResult(f"there is no folder {folder}")
    if "/" not in program:
        if shutil.which(program, path=environment.get("PATH", os.defpath)) is None:
            raise NoResult(f"{program} is not installed")
        return
    path = folder / program
    if not path.is_file():
        raise NoResult(f"there is no program {program}")
    if not os.access(path, os.X_OK):
        raise NoResult(f"{program} is not executable")


def _own_children() -> set[int]:
    """Of all threads of the lab. Empty where the kernel does not list them."""
    found: set[int] = set()
    for name in glob.glob("/proc/self/task/*/children"):
        with open(name, encoding="ascii") as file:
            found.update(map(int, file.read().split()))
    return found


def _reap_orphans(on: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) != 0:
        raise LabError("this system does not let the lab adopt processes: it is too old, or no Linux")


def _run_time(pid: int) -> float:
    """Seconds on a processor so far; 0 where the kernel does not say."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
