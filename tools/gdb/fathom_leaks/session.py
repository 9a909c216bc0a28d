"""Runs a program under GDB with the recorder: the loop that handles GDB's stops."""

from __future__ import annotations

import contextlib
import re

import gdb

from fathom_leaks.allocator import find_allocator
from fathom_leaks.calls import LEAVERS, PRCTL
from fathom_leaks.leave import Leave
from fathom_leaks.machine import SYSTEM_CALL, bytes_at, how_it_ended, program_of, register, system_call
from fathom_leaks.options import Options
from fathom_leaks.parent import SET_DEATH_SIGNAL
from fathom_leaks.recorder import Recorder, Return
from fathom_leaks.starter import STARTERS, Starter, Starts, command
from fathom_leaks.trace import TraceWriter, read_trace

_SETTINGS = (
    "pagination off", "confirm off", "width 0", "print thread-events off", "print inferior-events off",
    "breakpoint pending on", "detach-on-fork off", "follow-fork-mode parent", "schedule-multiple on",
    "auto-solib-add on", "stop-on-solib-events 1",
)

_MOST_INSTRUCTIONS_OF_EXEC = 64
_MOST_OF_AN_ERROR = 200


class Session:
    """`trace`: a file that begins with `options`."""

    def __init__(self, trace: str, options: Options) -> None:
        self._options = options
        self._trace = TraceWriter(trace)
        self._recorder = Recorder(options, self._trace)
        self._exec_catch = self._fork_catch = self._vfork_catch = 0
        self._functions: dict[str, int] = {}
        self._leaves: list[Leave] = []
        self._starters: list[Starter] = []
        self._starts = Starts()
        self._fork = (-1, -1)                         # the last: the number of the parent, and the stack of its call
        self._forks: dict[int, tuple[int, int]] = {}  # by inferior of the child
        self._armed = False
        self._begin: gdb.Breakpoint | None = None
        self._pause: gdb.Breakpoint | None = None

    def run(self) -> None:
        for setting in _SETTINGS:
            gdb.execute(f"set {setting}")
        gdb.execute("handle all nostop noprint pass", to_string=True)
        gdb.execute("handle SIGINT nostop noprint pass", to_string=True)  # "all" does not include SIGINT and SIGTRAP
        self._exec_catch, self._fork_catch, self._vfork_catch = (_catch(event) for event in ("exec", "fork", "vfork"))
        gdb.events.exited.connect(self._on_exit)
        gdb.events.new_inferior.connect(self._on_new_inferior)
        gdb.events.new_objfile.connect(lambda event: self._recorder.stacks.forget())
        gdb.events.clear_objfiles.connect(lambda event: self._recorder.stacks.forget())
        gdb.events.breakpoint_modified.connect(_on_new_locations)
        if not self._start():
            return
        try:
            # GDB takes its programs with it from here on, and detaches from them only where they are to go on.
            system_call(PRCTL, SET_DEATH_SIGNAL, 0)
            self._arm()
            while self._resume():
                self._after_stop()
        except Exception as error:  # the programs must continue despite internal errors; the report shows them
            self._let_go(error)
        if self._recorder.failure:
            self._trace.write("note", "the recorder failed, so the figures may be wrong: " +
                              self._recorder.failure)

    def _start(self) -> bool:
        try:
            gdb.execute("starti", to_string=True)
        except gdb.error as error:
            self._trace.write("note", f"cannot start: {error}")
            return False
        inferior = gdb.selected_inferior()
        if inferior.pid == 0:
            return False
        self._recorder.add_process(inferior.num, inferior.pid, program_of(inferior), "run")
        return True

    def _let_go(self, error: Exception) -> None:
        self._unfollow()  # a remaining breakpoint would kill them
        for inferior in gdb.inferiors():
            if inferior.pid != 0:
                with contextlib.suppress(OSError):  # the error may be that the trace cannot be written
                    self._recorder.end_process(inferior.num, "left", 0)
                gdb.execute(f"detach inferiors {inferior.num}", to_string=True)
        with contextlib.suppress(OSError):
            self._trace.write("note", "GDB cannot follow the program any further and has detached from it: " +
                              " ".join(str(error).split())[:_MOST_OF_AN_ERROR])

    # The loop.

    def _resume(self) -> bool:
        """Lets all programs run until a stop needs handling. Returns False if none is left."""
        running = [inferior for inferior in gdb.inferiors() if inferior.pid != 0]
        if not running:
            return False
        if gdb.selected_inferior().pid == 0:
            _select(running[0])
        gdb.execute("continue", to_string=True)
        return True

    def _after_stop(self) -> None:
        inferior = gdb.selected_inferior()
        if inferior.pid == 0:
            self._drop_ended()
            return
        if any(leave.was_hit for leave in self._leaves):
            self._before_exec(inferior)
        elif self._stopped_at(self._exec_catch):
            self._after_exec(inferior)
        elif self._stopped_at(self._fork_catch):
            self._before_fork()
        elif self._stopped_at(self._vfork_catch):
            self._before_vfork()
        elif self._begin is not None and self._stopped_at(self._begin.number):
            self._after_begin()
        elif self._pause is not None and self._stopped_at(self._pause.number):
            self._after_pause()
        if not self._armed:
            self._arm()

    def _stopped_at(self, number: int) -> bool:
        info = gdb.execute("info program", to_string=True)
        return re.search(rf"breakpoint {number}\b", info) is not None

    def _drop_ended(self) -> None:
        """Removes the programs that have ended, of which one is selected, and selects one that runs. The selected one
        is left to the next time: GDB removes others only, and reads registers if the selected one runs."""
        running = [inferior for inferior in gdb.inferiors() if inferior.pid != 0]
        if not running:
            return
        selected = gdb.selected_inferior().num
        for inferior in gdb.inferiors():
            if inferior.pid == 0 and inferior.num != selected:
                gdb.execute(f"remove-inferiors {inferior.num}", to_string=True)
        _select(running[0])

    # Events of programs.

    def _arm(self) -> None:
        inferior = gdb.selected_inferior()
        allocator = find_allocator(inferior)
        process = self._recorder.process()
        if allocator is None or process is None:
            return
        self._armed = True
        gdb.execute("set stop-on-solib-events 0")
        self._trace.write("allocator", process.number, allocator.path)
        self._functions = allocator.functions
        if self._options.stop_at:
            self._pause = gdb.Breakpoint(self._options.stop_at)
        if self._options.start_at:
            self._begin = gdb.Breakpoint(self._options.start_at)
        self._follow(not self._options.start_at)

    def _after_begin(self) -> None:
        if not self._recorder.following:
            process = self._recorder.process()
            self._trace.write("begin", process.number if process else -1)
            self._recorder.follow(self._functions)
        if self._begin is not None:
            self._begin.delete()
            self._begin = None

    def _after_pause(self) -> None:
        process = self._recorder.process()
        self._trace.write("pause", process.number if process else -1)
        self._recorder.unfollow()
        if self._pause is not None:
            self._pause.delete()
            self._pause = None

    def _before_fork(self) -> None:
        process = self._recorder.process()
        self._fork = (process.number if process else -1, self._recorder.stacks.take())
        gdb.execute("set detach-on-fork off")

    def _before_vfork(self) -> None:
        """A child of vfork shares this memory until it becomes another program. It is not followed: GDB would have to
        stop its parent, which cannot stop before that."""
        process = self._recorder.process()
        if process is not None:
            self._trace.write("child", process.number, *self._starts.take(), self._recorder.stacks.take())
        gdb.execute("set detach-on-fork on")

    def _before_exec(self, inferior: gdb.Inferior) -> None:
        """Handles a program that is about to become another one. GDB sets breakpoints at the same addresses in all
        programs, so it cannot follow two different ones. It would also set them in the new program before reporting
        it, and fail, so they must be removed now."""
        function = next(leave.name for leave in self._leaves if leave.was_hit)
        for leave in self._leaves:
            leave.was_hit = False
        if self._recorder.followed > 1:
            self._leave_behind(inferior, command(function))
            return
        following = self._recorder.following
        self._unfollow()  # the new program has other code at these addresses
        if self._step_over_system_call():
            self._after_exec(inferior)
        else:
            self._follow(following)

    def _leave_behind(self, inferior: gdb.Inferior, becomes: str) -> None:
        parent, stack = self._forks.pop(inferior.num, (-1, -1))
        if parent >= 0:
            self._trace.write("child", parent, "fork", becomes, stack)
        else:
            self._trace.write("note", f"process {inferior.pid} becomes another program, which is not followed because "
                              "its children are")
        self._recorder.end_process(inferior.num, "exec", 0)
        gdb.execute(f"detach inferiors {inferior.num}", to_string=True)
        self._drop_ended()

    def _step_over_system_call(self) -> bool:
        """Steps from the first instruction of the exec function. Returns whether the exec succeeded."""
        for _ in range(_MOST_INSTRUCTIONS_OF_EXEC):
            gdb.execute("stepi", to_string=True)
            if gdb.selected_inferior().pid == 0:
                return False
            if self._stopped_at(self._exec_catch):
                return True
            if bytes_at(register("$pc") - 2, 2) == SYSTEM_CALL:
                return False
        return False

    def _after_exec(self, inferior: gdb.Inferior) -> None:
        self._recorder.stacks.forget()
        self._recorder.end_process(inferior.num, "exec", 0)
        self._armed = False
        gdb.execute("set stop-on-solib-events 1")
        self._recorder.add_process(inferior.num, inferior.pid, program_of(inferior), "exec")

    def _follow(self, allocator: bool) -> None:
        self._leaves = [Leave(name, self._functions[name]) for name in LEAVERS if name in self._functions]
        self._starters = [Starter(self._starts, name, self._functions[name]) for name in STARTERS
                          if name in self._functions]
        if allocator:
            self._recorder.follow(self._functions)

    def _unfollow(self) -> None:
        self._recorder.unfollow()
        for point in (*self._leaves, *self._starters):
            point.delete()
        self._leaves.clear()
        self._starters.clear()

    def _on_exit(self, event: gdb.ExitedEvent) -> None:
        self._forks.pop(event.inferior.num, None)
        self._recorder.end_process(event.inferior.num, *how_it_ended(event))

    def _on_new_inferior(self, event: gdb.NewInferiorEvent) -> None:
        parent = gdb.selected_inferior()
        if parent.num == event.inferior.num or parent.pid == 0:
            return
        self._forks[event.inferior.num] = self._fork
        self._recorder.add_process(event.inferior.num, event.inferior.pid, program_of(parent), "fork", parent.num)


def _select(inferior: gdb.Inferior) -> None:
    """Unlike the command `inferior`, this reads no registers: the process may have ended since GDB stopped the others,
    and GDB reports that only after the next resumption."""
    inferior.threads()[0].switch()


def _on_new_locations(point: gdb.Breakpoint) -> None:
    if isinstance(point, Return) and point.enabled:
        point.keep_out_of_others()


def _catch(event: str) -> int:
    gdb.execute(f"catch {event}", to_string=True)
    return int(gdb.parse_and_eval("$bpnum"))


def run(trace: str, wrapper: str) -> None:
    """The entry point in GDB, called by the launcher. `trace`: a file with the options; `wrapper`: the command that
    becomes the program."""
    options, _ = read_trace(trace)
    gdb.execute(f"set exec-wrapper {wrapper}")
    Session(trace, options).run()
