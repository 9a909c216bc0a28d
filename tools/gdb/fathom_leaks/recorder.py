"""Follows the allocator of the programs that GDB runs, and writes its calls to a trace.

Each function of the allocator has a breakpoint, and each call has one where it returns, until it returns. A hit of the
latter counts only if its thread is in such a call and its stack pointer is at the same place, because other code may
pass there. Of functions that call each other (realloc calls malloc), only the outermost counts.

A breakpoint that stayed after the return would change what the program maps there next: GDB sets breakpoints again,
whatever is at their address, and learns of unmapped code too late or never. Until the return, the code must be there.

GDB may report a hit twice: if it had stopped all threads, it lets a thread hit the breakpoint again instead of
stepping over it. So a call, including a free, counts once until it returns: two frees of one block from one place
are two calls.

GDB's manual forbids to change breakpoints in `stop`, but a real stop would take longer, and end the `next` or `finish`
of a user. To set and to disable them there works (tested with GDB 13 and 16). A breakpoint that was hit is deleted
only at the next call, because GDB still uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gdb

from fathom_leaks.calls import ARGUMENT_REGISTERS, FREE, GIVERS, RESULT_REGISTER, STACK_REGISTER, WORD, Call
from fathom_leaks.machine import register, selected_thread, word_at
from fathom_leaks.mappings import Mappings
from fathom_leaks.options import Options
from fathom_leaks.stacks import Stacks
from fathom_leaks.trace import TraceWriter


@dataclass
class Pending:
    """A call that has not returned yet."""

    call: Call
    arguments: list[int]
    stack_pointer: int  # at the entry: the location of the return address
    returns_to: int
    stack: int
    point: Return


@dataclass
class Process:
    """The state of one running program."""

    number: int
    inferior: int
    mappings: Mappings
    pending: dict[int, Pending] = field(default_factory=dict)  # by thread
    sampled: set[int] = field(default_factory=set)             # followed blocks that exist, when sampling


class Recorder:
    def __init__(self, options: Options, trace: TraceWriter) -> None:
        self.options = options
        self.trace = trace
        self.stacks = Stacks(trace, options.depth)
        self.failure = ""  # the first internal error
        self._points: list[Point] = []
        self._done: list[Point] = []  # disabled, to be deleted
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
            process.sampled = set(origin.sampled)
        self._processes[inferior] = process
        self.trace.write("process", process.number, pid, program, started, origin.number if origin else None)
        return process

    def end_process(self, inferior: int, how: str, code: int) -> None:
        process = self._processes.pop(inferior, None)
        if process is not None:
            self._drop_calls(process)
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

    def unfollow(self) -> None:
        for process in self._processes.values():
            self._drop_calls(process)
        _delete(self._done)
        _delete(self._points)

    def _drop_calls(self, process: Process) -> None:
        for thread in list(process.pending):
            self._drop_call(process, thread)

    def _drop_call(self, process: Process, thread: int) -> None:
        """Removes the breakpoint where the thread's call returns; GDB may be at it."""
        pending = process.pending.pop(thread, None)
        if pending is not None and pending.point.is_valid():
            pending.point.enabled = False
            self._done.append(pending.point)

    @property
    def following(self) -> bool:
        return bool(self._points)

    # Breakpoint hits.

    def entered(self, call: Call) -> None:
        process = self.process()
        arguments = [register(name) for name in ARGUMENT_REGISTERS[:call.arguments]]
        if process is None or not self._is_outermost(process, call, arguments):
            return
        size, old = call.size(arguments), call.old(arguments) if call.old else 0
        if not self._chooses(process, size, old):
            return
        thread, stack = self._begin_call(process, call, arguments)
        if old:
            self.trace.write("move", process.number, thread, old, size, stack)
            process.sampled.discard(old)

    def released(self) -> None:
        process = self.process()
        address = register(ARGUMENT_REGISTERS[0])
        if process is None or address == 0 or not self._is_outermost(process, FREE, [address]):
            return
        if not self.options.follows_all and address not in process.sampled:
            return
        thread, stack = self._begin_call(process, FREE, [address])
        self.trace.write("free", process.number, thread, address, stack)
        process.sampled.discard(address)

    def returned(self) -> None:
        process = self.process()
        if process is None:
            return
        thread = selected_thread()
        pending = process.pending.get(thread)
        if pending is None or register(STACK_REGISTER) != pending.stack_pointer + WORD:
            return
        self._drop_call(process, thread)
        if pending.call is not FREE:
            self._write_result(process, thread, pending, _result(pending))

    def _is_outermost(self, process: Process, call: Call, arguments: list[int]) -> bool:
        """Whether the call that the selected thread begins is in no other. Drops one that it left without returning."""
        outer = process.pending.get(selected_thread())
        if outer is None:
            return True
        if self._is_in(outer, call, arguments):
            return False
        self._drop_call(process, selected_thread())
        self._write_result(process, selected_thread(), outer, 0)  # what realloc was to move has stayed
        return True

    def _is_in(self, outer: Pending, call: Call, arguments: list[int]) -> bool:
        """Whether a call that begins now is in the other one, or is that one, reported again. A return address may
        still be in memory after its function was left by longjmp or an exception."""
        stack_pointer = register(STACK_REGISTER)
        if stack_pointer > outer.stack_pointer or not _holds(outer.stack_pointer, outer.returns_to):
            return False
        if stack_pointer == outer.stack_pointer and call is outer.call:
            return arguments == outer.arguments
        return self.stacks.contains(outer.stack_pointer)

    def _begin_call(self, process: Process, call: Call, arguments: list[int]) -> tuple[int, int]:
        """The thread and the number of its stack."""
        _delete(self._done)
        thread, stack_pointer, stack = selected_thread(), register(STACK_REGISTER), self.stacks.take()
        returns_to = word_at(stack_pointer)
        point = Return(self, returns_to)
        process.pending[thread] = Pending(call, arguments, stack_pointer, returns_to, stack, point)
        return thread, stack

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

    def _write_result(self, process: Process, thread: int, pending: Pending, result: int) -> None:
        call = pending.call
        old = call.old(pending.arguments) if call.old else 0
        size = call.size(pending.arguments)
        if result:
            process.mappings.add(gdb.selected_inferior().pid, result)
        if old:
            self.trace.write("moved", process.number, thread, call.name, old, size, result, pending.stack)
        elif result:
            self.trace.write("alloc", process.number, thread, call.name, size, result, pending.stack)
        block = result or (old if size > 0 else 0)  # a realloc that fails leaves the block where it is
        if block and not self.options.follows_all:
            process.sampled.add(block)


class Point(gdb.Breakpoint):
    """A breakpoint that records a call and continues."""

    def __init__(self, recorder: Recorder, address: int) -> None:
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self._recorder = recorder

    def hit(self) -> None:
        raise NotImplementedError

    def stop(self) -> bool:
        try:
            self.hit()
        except Exception as error:  # the program must continue despite internal errors; the report shows them
            if not self._recorder.failure:
                self._recorder.failure = repr(error)
        return False


class Entry(Point):
    def __init__(self, recorder: Recorder, call: Call, address: int) -> None:
        super().__init__(recorder, address)
        self._call = call

    def hit(self) -> None:
        self._recorder.entered(self._call)


class Return(Point):
    """Belongs to the selected program. GDB also sets each breakpoint in programs that are forked or load a library
    while it exists; they may have anything at its address."""

    def __init__(self, recorder: Recorder, address: int) -> None:
        super().__init__(recorder, address)
        self._inferior = gdb.selected_inferior().num

    def keep_out_of_others(self) -> None:
        """Its own program comes first: GDB 13 confuses locations of one address and may have disabled that one."""
        for own in (True, False):
            for location in self.locations:
                if (self._inferior in location.thread_groups) == own and location.enabled != own:
                    location.enabled = own

    def hit(self) -> None:
        self._recorder.returned()


class Release(Point):
    def hit(self) -> None:
        self._recorder.released()


def _delete(points: list[Point]) -> None:
    for point in points:
        if point.is_valid():
            point.delete()
    points.clear()


def _result(pending: Pending) -> int:
    """The block that the call returns; 0: none."""
    result = register(RESULT_REGISTER)
    if pending.call.through_pointer:
        return word_at(pending.arguments[0]) if result & 0xFFFFFFFF == 0 else 0
    return result


def _holds(address: int, word: int) -> bool:
    try:
        return word_at(address) == word
    except gdb.MemoryError:
        return False
