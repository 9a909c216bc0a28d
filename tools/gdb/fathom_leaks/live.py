"""Follows the allocator of a program that a user debugs by hand.

A session by hand has its own settings, breakpoints and steps, so this changes none of them: it follows one process, and
stops it only before it becomes another program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gdb

from fathom_leaks.allocator import find_allocator
from fathom_leaks.calls import LEAVERS
from fathom_leaks.leave import Leave
from fathom_leaks.machine import how_it_ended, program_of
from fathom_leaks.options import Options
from fathom_leaks.output import CannotRun
from fathom_leaks.recorder import Recorder
from fathom_leaks.trace import TraceWriter, create_trace

_ARCHITECTURE = "i386:x86-64"


class Live:
    """A recording of one process, from `begin` to `end` or to the end of the process."""

    def __init__(self, inferior: gdb.Inferior, trace: str, options: Options) -> None:
        """Begins. Raises CannotRun."""
        _check_followable(inferior)
        allocator = find_allocator(inferior)
        if allocator is None:
            raise CannotRun("malloc is not loaded yet, or the program is stripped and statically linked; let it run to "
                            "main first (start)")
        self.path = trace
        self.allocator = allocator.path
        self.running = True
        self._inferior = inferior.num
        self._pid = inferior.pid
        create_trace(trace, options)
        self._trace = TraceWriter(trace)
        self._recorder = Recorder(options, self._trace)
        self._process = self._recorder.add_process(inferior.num, inferior.pid, program_of(inferior), "run").number
        self._trace.write("allocator", self._process, allocator.path)
        self._trace.write("begin", self._process)
        self._recorder.follow(allocator.functions)
        self._leaves = [Leave(name, allocator.functions[name]) for name in LEAVERS if name in allocator.functions]
        self._handlers: list[tuple[Any, Callable[[Any], None]]] = [
            (gdb.events.exited, self._on_exit), (gdb.events.stop, self._on_stop),
            (gdb.events.new_objfile, self._on_objfiles), (gdb.events.clear_objfiles, self._on_objfiles)]
        for event, handler in self._handlers:
            event.connect(handler)

    def check(self) -> None:
        """GDB does not report that a process was killed or detached."""
        if self.running and (self._inferior, self._pid) not in ((each.num, each.pid) for each in gdb.inferiors()):
            self._finish("left", 0)

    def end(self) -> None:
        self._finish("left", 0, by_command=True)

    def note_failure(self) -> None:
        if self.running:
            self._write_failure()

    def _write_failure(self) -> None:
        if self._recorder.failure:
            self._trace.write("note", "the recorder failed, so the figures may be wrong: " + self._recorder.failure)
            self._recorder.failure = ""

    def _finish(self, how: str, code: int, by_command: bool = False) -> None:
        """Lets go of the program first: the trace may be on a full disk, and writing then fails."""
        self.running = False
        for event, handler in self._handlers:
            event.disconnect(handler)
        self._recorder.unfollow()
        for leave in self._leaves:
            if leave.is_valid():
                leave.delete()
        try:
            self._write_end(how, code, by_command)
        except OSError as error:
            gdb.write(f"fathom-leaks: cannot write the end of the recording to {self.path}: {error.strerror}\n")

    def _write_end(self, how: str, code: int, by_command: bool) -> None:
        try:
            if by_command:
                self._trace.write("pause", self._process)
            self._write_failure()
            self._recorder.end_process(self._inferior, how, code)
        finally:
            self._trace.close()

    def _on_exit(self, event: gdb.ExitedEvent) -> None:
        if event.inferior.num == self._inferior:
            self._finish(*how_it_ended(event))

    def _on_stop(self, _event: gdb.StopEvent) -> None:
        if any(leave.was_hit for leave in self._leaves):
            self._finish("exec", 0)
            gdb.write("fathom-leaks: the program is about to become another one, so the recording ended here\n")

    def _on_objfiles(self, _event: Any) -> None:
        self._recorder.stacks.forget()


def _check_followable(inferior: gdb.Inferior) -> None:
    if inferior.pid == 0:
        raise CannotRun("no program runs: start one first (start, run or attach)")
    connection = inferior.connection
    if connection is None or connection.type != "native":
        raise CannotRun("only a process on this machine can be followed, not a core file or a remote target")
    if inferior.architecture().name() != _ARCHITECTURE:
        raise CannotRun("only x86-64 is supported")
