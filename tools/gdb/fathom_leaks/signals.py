"""Waits for GDB, and hands on the signals that only this process gets.

Ctrl-C reaches all processes in front of a terminal, and the program decides what it means. A signal that another
process sends may reach only this process; the programs then get it from here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Sequence

from fathom_leaks.output import CannotRun
from fathom_leaks.parent import end_with_parent
from fathom_leaks.replay import CANNOT_RUN, INTERRUPTED

_HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_BY_KERNEL = 0x80  # SI_KERNEL, the code of a signal that a terminal sends

# The programs that run, or None if none has begun yet.
Running = Callable[[], Sequence[int] | None]


class Ended(CannotRun):
    """A signal came before a program began."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name} before the program began")
        self.code = INTERRUPTED if number == signal.SIGINT else CANNOT_RUN


class Signals:
    """Blocks them from the beginning, so that none is lost or ends GDB. Signals that are ignored here, as with nohup
    or in a shell's background, stay ignored in the program, too."""

    def __init__(self) -> None:
        self.came = False
        self._own = os.getpid()
        self._handed_on = {number for number in _HANDED_ON if signal.getsignal(number) != signal.SIG_IGN}
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, self._handed_on | {signal.SIGCHLD})

    def in_gdb(self) -> None:
        """Runs in the process that becomes GDB."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before | self._handed_on)
        end_with_parent(self._own)

    def wait(self, gdb: subprocess.Popen[bytes], running: Running) -> int:
        """Waits for GDB, and kills it if a signal comes before a program has begun. Returns that signal, or 0."""
        ended_by = 0
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it were ignored, there would be none
        while gdb.poll() is None:
            told = signal.sigwaitinfo(self._handed_on | {signal.SIGCHLD})
            if told.si_signo == signal.SIGCHLD:
                continue
            self.came = True
            programs = running()
            if programs is None:
                gdb.kill()
                ended_by = told.si_signo
            elif told.si_code != _BY_KERNEL:
                _send(told, receivers(gdb.pid, programs))
        return ended_by

    def restore(self) -> None:
        """Signals that came too late to be handed on are dropped: the report is about to be written."""
        while signal.sigtimedwait(self._handed_on, 0) is not None:
            self.came = True
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)


def _send(told: signal.struct_siginfo, pids: Sequence[int]) -> None:
    if told.si_pid in pids:
        return  # a program has sent it to the whole group
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, told.si_signo)


def receivers(ancestor: int, programs: Sequence[int]) -> list[int]:
    """The programs, and the descendants of GDB, the ancestor, that Ctrl-C would reach: those in this process group, or
    in the one that newer versions of GDB make for the program. Parents come first: one that waits in system() ignores
    SIGINT only until its child has ended."""
    children: dict[int, list[int]] = {}
    group_of: dict[int, int] = {}
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            _state, parent, group = file.read().rpartition(")")[2].split()[:3]
            children.setdefault(int(parent), []).append(pid)
            group_of[pid] = int(group)
    found = [ancestor]
    for pid in found:  # grows
        found += children.get(pid, [])
    groups = {os.getpgrp(), *(pid for pid in children.get(ancestor, []) if group_of[pid] == pid)}
    reached = [pid for pid in found[1:] if group_of[pid] in groups or pid in programs]
    return reached + [pid for pid in programs if pid not in found]
