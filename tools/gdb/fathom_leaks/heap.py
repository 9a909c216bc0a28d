"""Replays a trace: which blocks each process had when it ended, which frees were invalid, and, if wanted, how long each
block lived. Times are those of the trace: microseconds since the recording began."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fathom_leaks.children import Child
from fathom_leaks.frame import NO_STACK, Frame, Stack
from fathom_leaks.ownership import cut, is_librarys_own, is_without_program, without_nonsense
from fathom_leaks.trace import damaged

REALLOCATING = ("realloc", "reallocarray")


@dataclass(frozen=True)
class Block:
    address: int
    size: int
    call: str        # the function that allocated it
    thread: int
    stack: Stack     # of the call that gave it its current size
    moves: int       # number of reallocs
    inherited: bool  # allocated by the parent before a fork
    time: int        # of the call that gave it its current size


@dataclass(frozen=True)
class Freed:
    block: Block
    stack: Stack


@dataclass(frozen=True)
class Lifetime:
    block: Block
    end: int  # when it was freed, or moved by a realloc


@dataclass(frozen=True)
class Mapping:
    """A part of the address space that holds blocks, as the kernel named it at that time."""

    time: int
    low: int
    high: int
    name: str  # "": anonymous


@dataclass(frozen=True)
class BadFree:
    """An invalid free. `kind` is "double", or "foreign" for an address that malloc did not return."""

    kind: str
    address: int
    call: str  # "free" or "realloc"
    thread: int
    stack: Stack
    freed: Freed | None  # if double: the block and its first free


@dataclass
class Process:
    number: int
    pid: int
    program: str
    started: str
    parent: int | None
    began: int
    until: int  # when it ended, or the last time in the trace
    allocator: str = ""
    live: dict[int, Block] = field(default_factory=dict)
    freed: dict[int, Freed] = field(default_factory=dict)
    moving: dict[tuple[int, int], Block] = field(default_factory=dict)  # by thread and address: blocks in a realloc
    bad_frees: list[BadFree] = field(default_factory=list)
    paused: bool = False  # it reached the end of what was to be recorded
    allocations: int = 0
    frees: int = 0
    ended: str = ""  # "": the trace ends before the process
    code: int = 0
    bytes: int = 0       # in live blocks
    peak_bytes: int = 0  # the most at any time
    peak_time: int = 0   # when that was first reached
    mappings: list[Mapping] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)  # that were not followed
    shared: bool = False    # with code of the program in a child that was not followed
    unknown_frees: int = 0  # of addresses that such a child may have got from malloc
    lifetimes: list[Lifetime] = field(default_factory=list)  # of blocks that ended, if wanted

    def alive(self) -> list[Block]:
        """The blocks at the end, inherited ones included."""
        return [*self.live.values(), *self.moving.values()]

    def leaked(self) -> list[Block]:
        """The blocks that were never freed, without the C library's own."""
        return [block for block in self._never_freed() if not is_librarys_own(block.stack)]

    def librarys_own(self) -> list[Block]:
        return [block for block in self._never_freed() if is_librarys_own(block.stack)]

    def _never_freed(self) -> list[Block]:
        return [block for block in self.alive() if not block.inherited]


class Heap:
    """`knows_all`: the trace has every allocation, so an unknown address was not returned by malloc. `depth`: how many
    frames of each stack to use; 0: all. `with_lifetimes`: keep those of blocks that ended, too."""

    def __init__(self, knows_all: bool = True, depth: int = 0, with_lifetimes: bool = False) -> None:
        self.processes: list[Process] = []
        self.notes: list[str] = []
        self.begun = False
        self.paused = False
        self._knows_all = knows_all
        self._depth = depth
        self._with_lifetimes = with_lifetimes
        self._now = 0
        self._by_number: dict[int, Process] = {}
        self._frames: dict[int, Frame] = {}
        self._stacks: dict[int, Stack] = {-1: NO_STACK}

    def replay(self, records: Iterable[list[Any]], path: str = "the trace") -> None:
        """Raises BadTrace if a record names a process, frame or stack that no record before it has."""
        handlers: dict[str, Callable[..., None]] = {
            "process": self._process, "allocator": self._allocator, "region": self._region, "frame": self._frame,
            "stack": self._stack, "alloc": self._alloc, "free": self._free, "move": self._move, "moved": self._moved,
            "begin": self._begin, "pause": self._pause, "end": self._end, "child": self._child,
            "note": self.notes.append}
        for line, (kind, time, *fields) in enumerate(records, 2):
            self._now = time
            try:
                handlers[kind](*fields)
            except KeyError as error:
                raise damaged(path, line) from error
        for process in self.processes:
            if not process.ended:
                process.until = self._now

    def _process(self, number: int, pid: int, program: str, started: str, parent: int | None) -> None:
        process = Process(number, pid, program, started, parent, self._now, self._now)
        origin = self._by_number.get(parent) if parent is not None else None
        if origin is not None:
            process.allocator = origin.allocator
            process.live = {address: _inherited(block) for address, block in origin.live.items()}
            process.freed = dict(origin.freed)
            process.shared = origin.shared
            process.mappings = list(origin.mappings)
            self._count(process, sum(block.size for block in origin.live.values()))
        self._by_number[number] = process
        self.processes.append(process)

    def _allocator(self, number: int, path: str) -> None:
        self._by_number[number].allocator = path

    def _region(self, number: int, low: int, high: int, name: str) -> None:
        self._by_number[number].mappings.append(Mapping(self._now, low, high, name))

    def _frame(self, number: int, function: str | None, file: str | None, line: int, module: str | None, offset: int,
               exports: list[str]) -> None:
        self._frames[number] = Frame(function, file, line, module, offset, tuple(exports))

    def _stack(self, number: int, frames: list[int], whole: bool, entered: list[str],
               runtime: list[str]) -> None:
        stack = Stack(tuple(self._frames[frame] for frame in frames), whole, tuple(entered), tuple(runtime))
        self._stacks[number] = without_nonsense(cut(stack, self._depth) if self._depth else stack)

    def _alloc(self, number: int, thread: int, call: str, size: int, address: int, stack: int) -> None:
        process = self._by_number[number]
        process.allocations += 1
        self._add(process, Block(address, size, call, thread, self._stacks[stack], int(call in REALLOCATING), False,
                                 self._now))

    def _add(self, process: Process, block: Block) -> None:
        process.freed.pop(block.address, None)
        replaced = process.live.get(block.address)
        if replaced is not None:
            self._drop(process, replaced)
        process.live[block.address] = block
        self._count(process, block.size)

    def _drop(self, process: Process, block: Block) -> None:
        """A block has ended."""
        self._count(process, -block.size)
        if self._with_lifetimes:
            process.lifetimes.append(Lifetime(block, self._now))

    def _count(self, process: Process, change: int) -> None:
        process.bytes += change
        if process.bytes > process.peak_bytes:
            process.peak_bytes = process.bytes
            process.peak_time = self._now

    def _free(self, number: int, thread: int, address: int, stack: int) -> None:
        process = self._by_number[number]
        block = process.live.pop(address, None)
        if block is None:
            self._add_bad_free(process, "free", thread, address, self._stacks[stack])
            return
        process.frees += 1
        process.freed[address] = Freed(block, self._stacks[stack])
        self._drop(process, block)

    def _add_bad_free(self, process: Process, call: str, thread: int, address: int, stack: Stack) -> None:
        if is_without_program(stack):
            return  # a thread that ends returns its cache of freed blocks
        freed = process.freed.get(address)
        if freed is not None:
            process.bad_frees.append(BadFree("double", address, call, thread, stack, freed))
        elif self._knows_all and process.shared:
            process.unknown_frees += 1
        elif self._knows_all:
            process.bad_frees.append(BadFree("foreign", address, call, thread, stack, None))

    def _move(self, number: int, thread: int, address: int, _size: int, stack: int) -> None:
        """A realloc begins. Until it ends, another thread may get the block's address."""
        process = self._by_number[number]
        block = process.live.pop(address, None)
        if block is None:
            self._add_bad_free(process, "realloc", thread, address, self._stacks[stack])
            return
        process.moving[thread, address] = block

    def _moved(self, number: int, thread: int, call: str, address: int, size: int, to: int, stack: int) -> None:
        process = self._by_number[number]
        block = process.moving.pop((thread, address), None)
        if to == 0 and size > 0:
            if block is not None:  # realloc failed, so the block remains
                process.live[address] = block
            return
        if block is not None:
            self._drop(process, block)
        if block is not None and to != address and address not in process.live:
            process.freed[address] = Freed(block, self._stacks[stack])
        if to == 0:
            process.frees += 1
            return
        process.allocations += block is None
        moves, inherited = (block.moves + 1, block.inherited) if block is not None else (1, False)
        self._add(process, Block(to, size, call, thread, self._stacks[stack], moves, inherited, self._now))

    def _begin(self, _number: int) -> None:
        self.begun = True

    def _pause(self, number: int) -> None:
        self.paused = True
        if number in self._by_number:
            self._by_number[number].paused = True

    def _child(self, number: int, call: str, command: str, stack: int) -> None:
        process = self._by_number[number]
        child = Child(call, command, self._stacks[stack])
        process.children.append(child)
        if child.may_allocate:
            process.shared = True
            process.freed.clear()  # it may have got these addresses again

    def _end(self, number: int, how: str, code: int) -> None:
        process = self._by_number[number]
        process.ended = how
        process.code = code
        process.until = self._now


def _inherited(block: Block) -> Block:
    return dataclasses.replace(block, inherited=True)
