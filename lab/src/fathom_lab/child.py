"""A child process that waits before its exec until go(), and whose descendants end with it.

Its peak memory must be its own. Linux includes the memory that a process had before exec, so a process forked by the
lab would start with the lab's size: hundreds of megabytes once numpy is loaded; vfork does not help. Therefore a
shell of less than one megabyte forks it and ends. The lab makes itself a subreaper, so the orphan becomes its own
child, and wait4 returns all its figures.
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
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from fathom_lab.errors import LabError, NoResult
from fathom_lab.signals import Signals

GRACE = 2.0  # seconds between SIGTERM and SIGKILL

_PR_SET_CHILD_SUBREAPER = 36

# The inner shell reports its pid, kills the outer one, and waits for a line. Standard input is a socket to the lab. The
# script unsets the folder's variables, because the length of a path in the environment would move the program's stack.
_SCRIPT = """(
read -r pid rest </proc/self/stat && echo "$pid" >&0
kill -KILL $$
unset PWD OLDPWD
read -r go && exec "$@" </dev/null
); :"""


# Kills the process and the group that it was last given when the lab's end of its standard input closes: if the lab is
# killed by SIGKILL, no other process would. PR_SET_PDEATHSIG would have to be set by the process itself.
_GUARD = "while read -r one; do last=$one; done; kill -KILL $last"


@dataclasses.dataclass(frozen=True)
class Used:
    """Resources used by the process and the children that it waited for."""

    user: float  # seconds
    system: float
    peak_memory: int  # bytes
    raw: resource.struct_rusage


class Child:
    """A context manager: on every exit, it ends all processes of the child, which may clean up for GRACE seconds."""

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
        self._socket = ours
        self.pid = 0
        self.pidfd = -1
        self.signals = Signals()
        try:
            self._receive_pid(shell)
        except BaseException:
            self.close()
            raise

    def _receive_pid(self, shell: subprocess.Popen[bytes]) -> None:
        answer = self._socket.recv(32)
        shell.wait()
        if not answer.strip().isdigit():
            raise NoResult("the shell that starts programs did not respond")
        self.pid = int(answer)
        self.pidfd = os.pidfd_open(self.pid)
        self._spent = _run_time(self.pid)
        _notify_guard(f"{self.pid} -{self._group}")

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def place(self, cpus: frozenset[int] | None, nice: int) -> None:
        """Restricts the process to these processors and adds `nice` to the lab's own nice value."""
        try:
            if cpus is not None:
                os.sched_setaffinity(self.pid, cpus)
        except OSError as error:
            listed = ", ".join(map(str, sorted(cpus or ())))
            raise LabError(f"cannot use the processors {listed}: {error.strerror}") from error
        try:
            if nice:
                os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, self.pid) + nice)
        except OSError as error:
            raise LabError(f"cannot apply --nice {nice}: {error.strerror}; negative values need root") from error

    def go(self) -> None:
        self._socket.send(b"\n")
        self._socket.close()

    def signal(self, number: signal.Signals) -> None:
        """Signals the process and its process group. The group's number cannot be reused before the child is reaped.

        The child may have left the group for a session of its own.
        """
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)
        if self.pidfd >= 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(self.pid) != self._group:
                    signal.pidfd_send_signal(self.pidfd, number)

    def reap(self) -> tuple[int, Used]:
        """Returns the exit code (negative: the signal) of an ended child and the resources it used, and kills its
        descendants."""
        self.signal(signal.SIGKILL)
        _, status, used = os.wait4(self.pid, 0)
        self._reaped = True
        return os.waitstatus_to_exitcode(status), self._used(used)

    def _used(self, raw: resource.struct_rusage) -> Used:
        """Subtracts the shell's time before exec. The sum of user and system time is exact, the split between them is
        not."""
        total = raw.ru_utime + raw.ru_stime
        own = max(total - self._spent, 0.0) / total if total else 0.0
        return Used(raw.ru_utime * own, raw.ru_stime * own, raw.ru_maxrss * 1024, raw)

    def close(self) -> None:
        self._socket.close()
        try:
            self._ask_to_end()
        finally:  # also if Ctrl-C is pressed again
            self.signals.close()
            self._kill()

    def _ask_to_end(self) -> None:
        """Terminates and reaps the child, and then its remaining descendants, which are now the lab's children, even in
        other sessions. Gives up after GRACE seconds."""
        deadline = time.monotonic() + GRACE
        if self.pid and not self._reaped:
            self.signal(signal.SIGTERM)
            if not _ends(self.pid, deadline, self.signals):
                return
            self._reaped = True
        while orphans := _own_children() - self._before:
            for orphan in orphans:
                if os.getpgid(orphan) != self._group:  # the group was signalled
                    os.kill(orphan, signal.SIGTERM)
            for orphan in orphans:
                if not _ends(orphan, deadline, self.signals):
                    return

    def _kill(self) -> None:
        if not self._reaped:
            self.signal(signal.SIGKILL)
        if self.pid and not self._reaped:
            os.waitpid(self.pid, 0)
            self._reaped = True
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1
        _notify_guard("")
        while orphans := _own_children() - self._before:
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
            for orphan in orphans:
                os.waitpid(orphan, 0)
        _reap_orphans(False)


def _ends(pid: int, deadline: float, signals: Signals) -> bool:
    """Whether this child of the lab ends until then. Reaps it if so."""
    pidfd = os.pidfd_open(pid)
    try:
        if not signals.wait(pidfd, deadline):
            return False
    finally:
        os.close(pidfd)
    os.waitpid(pid, 0)
    return True


@functools.cache
def _guard() -> int:
    """Starts the guard and returns the pipe that it reads. One guard serves for the lifetime of the lab, in a session
    of its own so that Ctrl-C does not reach it."""
    theirs, ours = os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, theirs, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    os.posix_spawn("/bin/sh", ["sh", "-c", _GUARD], {}, file_actions=actions, setsid=True)
    os.close(theirs)
    return ours


def _notify_guard(whom: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # the guard was killed
        os.write(_guard(), f"{whom}\n".encode())


def _check(program: str, environment: Mapping[str, str], folder: Path) -> None:
    """Reports why a program cannot start. The shell would only exit with 127."""
    if not folder.is_dir():
        raise NoResult(f"the folder {folder} does not exist")
    if "/" not in program:
        if shutil.which(program, path=environment.get("PATH", os.defpath)) is None:
            raise NoResult(f"{program} is not installed")
        return
    path = folder / program
    if not path.is_file():
        raise NoResult(f"the program {program} does not exist")
    if not os.access(path, os.X_OK):
        raise NoResult(f"{program} is not executable")


def _own_children() -> set[int]:
    """The children of all threads of the lab. Empty if the kernel does not list them."""
    found: set[int] = set()
    for name in glob.glob("/proc/self/task/*/children"):
        with open(name, encoding="ascii") as file:
            found.update(map(int, file.read().split()))
    return found


def _reap_orphans(on: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) != 0:
        raise LabError("this system does not support child subreapers: the lab needs Linux 3.4 or later")


def _run_time(pid: int) -> float:
    """CPU time in seconds so far; 0 if the kernel does not report it."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
