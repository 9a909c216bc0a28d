"""Follows the allocator of the programs that GDB runs, and writes its calls to a trace.

Each function of the allocator has a breakpoint, and so has each return address, from the first call that returns
there. A hit of the latter counts only if its thread is in such a call and its stack pointer is at the same place,
because other code may pass there. Of functions that call each other (realloc calls malloc), only the outermost
counts.

GDB may report a hit twice: if it had stopped all threads, it lets a thread hit the breakpoint again instead of
stepping over it. So a call, including a free, counts once until it returns: two frees of one block from one place
are two calls.

GDB calls a breakpoint's `stop` while the other threads run, and its manual forbids to set breakpoints there; when new
ones are needed, `stop` returns True, and the session's loop sets them. In a session by hand there is no such loop, and
a stop would end the user's `next` or `finish`; there they are set at once, which works (tested with GDB 13).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gdb

from fathom_leaks.calls import ARGUMENT_REGISTERS, FREE, GIVERS, RESULT_REGISTER, STACK_REGISTER, WORD, Call
from fathom_leaks.machine import register, word_at
from fathom_leaks.mappings import Mappings
from fathom_leaks.modules import read_maps
from fathom_leaks.options import Options
from fathom_leaks.stacks import Stacks
from fathom_leaks.trace import TraceWriter


@dataclass
class Pending:
    """A call that has not returned yet."""

    call: Call
    arguments: list[int]
    stack_pointer: int  # at the entry: the location of the return address
    stack: int          # -1: not sampled


@dataclass
class Process:
    """The state of one running program."""

    number: int
    inferior: int
    mappings: Mappings
    sites: set[int] = field(default_factory=set)               # return addresses with a breakpoint
    pending: dict[int, Pending] = field(default_factory=dict)  # by thread
    sampled: set[int] = field(default_factory=set)             # followed blocks, when sampling


class Recorder:
    """`at_once`: sets breakpoints where calls return without a stop."""

    def __init__(self, options: Options, trace: TraceWriter, at_once: bool = False) -> None:
        self.options = options
        self.trace = trace
        self.stacks = Stacks(trace, options.depth)
        self.new_sites: set[int] = set()  # of the selected process: return addresses without a breakpoint yet
        self.failure = ""                 # the first internal error
        self._at_once = at_once
        self._points: list[gdb.Breakpoint] = []
        self._processes: dict[int, Process] = {}
        self._numbers = 0
        self._calls = 0
        self._bytes = 0

    # Programs.

    def add_process(self, inferior: int, pid: int, program: str, started: str, parent: int | None = None) -> Process:
        """A program has started in this inferior; `parent` is the inferior of which it is a fork."""
        origin = self._processes.get(parent) if parent is not None else None
        mappings = Mappings(self.trace, self._numbers, origin.mappings if origin is not None else None)
        process = Process(self._numbers, inferior, mappings)
        self._numbers += 1
        if origin is not None:
            process.sites = set(origin.sites)
            process.sampled = set(origin.sampled)
        self._processes[inferior] = process
        self.trace.write("process", process.number, pid, program, started, origin.number if origin else None)
        return process

    def end_process(self, inferior: int, how: str, code: int) -> None:
        process = self._processes.pop(inferior, None)
        if process is not None:
            self.trace.write("end", process.number, how, code)

    def process(self) -> Process | None:
        return self._processes.get(gdb.selected_inferior().num)

    @property
    def followed(self) -> int:
        return len(self._processes)

    # Breakpoints.

    def follow(self, functions: dict[str, int]) -> None:
        seen: set[int] = set()
        for call in GIVERS:
            address = functions.get(call.name)
            if address is not None and address not in seen:  # glibc's memalign is its aligned_alloc
                self._points.append(Entry(self, call, address))
                seen.add(address)
        if FREE.name in functions:
            self._points.append(Release(self, functions[FREE.name]))

    def follow_new_sites(self) -> None:
        """GDB sets these breakpoints in the selected program only, and in its later children."""
        process = self.process()
        if process is not None:
            self._points += [Return(self, address) for address in self.new_sites - process.sites]
            process.sites |= self.new_sites
        self.new_sites.clear()

    def forget_unloaded(self) -> None:
        """The selected program may have unmapped a library, and has not continued since. Breakpoints there would change
        the code that is mapped there next, and GDB could not set them in a forked child. Processes that still have the
        library get them back with their next call."""
        process = self.process()
        if process is None or not process.sites:
            return
        try:
            maps = read_maps(gdb.selected_inferior().pid)
        except OSError:  # the process was killed
            return
        gone = {site for site in process.sites if not any(low <= site < high for low, high, _ in maps)}
        for point in self._points:
            if isinstance(point, Return) and point.address in gone:
                point.delete()
        self._points = [point for point in self._points if point.is_valid()]
        for each in self._processes.values():
            each.sites -= gone

    def unfollow(self) -> None:
        for point in self._points:
            if point.is_valid():
                point.delete()
        self._points.clear()
        self.new_sites.clear()
        for process in self._processes.values():
            process.sites.clear()
            process.pending.clear()

    @property
    def following(self) -> bool:
        return bool(self._points)

    # Breakpoint hits. Each function returns whether GDB must stop.

    def entered(self, call: Call) -> bool:
        process = self.process()
        if process is None:
            return False
        thread = gdb.selected_thread().ptid[1]
        stack_pointer = register(STACK_REGISTER)
        outer = process.pending.get(thread)
        if outer is not None and stack_pointer <= outer.stack_pointer:
            return False
        arguments = [register(name) for name in ARGUMENT_REGISTERS[:call.arguments]]
        old = call.old(arguments) if call.old else 0
        chosen = self._chooses(process, call.size(arguments), old)
        pending = Pending(call, arguments, stack_pointer, self.stacks.take() if chosen else -1)
        if not chosen:
            process.pending.pop(thread, None)
            return False
        process.pending[thread] = pending
        if old:
            self.trace.write("move", process.number, thread, old, call.size(arguments), pending.stack)
        return self._awaits_return(process, stack_pointer)

    def _awaits_return(self, process: Process, stack_pointer: int) -> bool:
        """Whether GDB must stop to set a breakpoint at the return address of this call."""
        site = word_at(stack_pointer)
        if site in process.sites:
            return False
        self.new_sites.add(site)
        if self._at_once:
            self.follow_new_sites()
        return not self._at_once

    def returned(self) -> bool:
        process = self.process()
        if process is None:
            return False
        thread = gdb.selected_thread().ptid[1]
        pending = process.pending.get(thread)
        if pending is None or register(STACK_REGISTER) != pending.stack_pointer + WORD:
            return False
        del process.pending[thread]
        if pending.call is not FREE:
            self._write_result(process, thread, pending)
        return False

    def released(self) -> bool:
        process = self.process()
        if process is None:
            return False
        address = register(ARGUMENT_REGISTERS[0])
        if address == 0:
            return False
        thread = gdb.selected_thread().ptid[1]
        stack_pointer = register(STACK_REGISTER)
        outer = process.pending.get(thread)
        if outer is not None and stack_pointer <= outer.stack_pointer:
            return False
        if not self.options.follows_all and address not in process.sampled:
            return False
        stack = self.stacks.take()
        process.pending[thread] = Pending(FREE, [address], stack_pointer, stack)
        self.trace.write("free", process.number, thread, address, stack)
        return self._awaits_return(process, stack_pointer)

    def _chooses(self, process: Process, size: int, old: int) -> bool:
        if self.options.follows_all or old in process.sampled:
            return True
        if old:
            return False
        self._calls += 1
        self._bytes += size
        if self.options.sample_bytes > 0:
            if self._bytes < self.options.sample_bytes:
                return False
            self._bytes %= self.options.sample_bytes
            return True
        return self._calls % self.options.sample == 0

    def _write_result(self, process: Process, thread: int, pending: Pending) -> None:
        call = pending.call
        result = register(RESULT_REGISTER)
        if call.through_pointer:
            result = word_at(pending.arguments[0]) if result & 0xFFFFFFFF == 0 else 0
        old = call.old(pending.arguments) if call.old else 0
        size = call.size(pending.arguments)
        if result:
            process.mappings.add(gdb.selected_inferior().pid, result)
        if old:
            self.trace.write("moved", process.number, thread, call.name, old, size, result, pending.stack)
        elif result:
            self.trace.write("alloc", process.number, thread, call.name, size, result, pending.stack)
        if result and not self.options.follows_all:
            process.sampled.add(result)


class Point(gdb.Breakpoint):
    """A breakpoint that records a call and continues."""

    def __init__(self, recorder: Recorder, address: int) -> None:
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self._recorder = recorder

    def hit(self) -> bool:
        raise NotImplementedError

    def stop(self) -> bool:
        try:
            return self.hit()
        except Exception as error:  # the program must continue despite internal errors; the report shows them
            if not self._recorder.failure:
                self._recorder.failure = repr(error)
            return False


class Entry(Point):
    def __init__(self, recorder: Recorder, call: Call, address: int) -> None:
        super().__init__(recorder, address)
        self._call = call

    def hit(self) -> bool:
        return self._recorder.entered(self._call)


class Return(Point):
    def __init__(self, recorder: Recorder, address: int) -> None:
        super().__init__(recorder, address)
        self.address = address

    def hit(self) -> bool:
        return self._recorder.returned()


class Release(Point):
    def hit(self) -> bool:
        return self._recorder.released()
