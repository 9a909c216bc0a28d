"""The findings of a replayed trace: leaks grouped by stack, and bad frees."""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass
from typing import Any

from fathom_leaks.children import Unfollowed, group_children
from fathom_leaks.frame import Frame, Stack
from fathom_leaks.heap import BadFree, Block, Heap, Process

_OPERATOR_NEW = "operator new"
_ARRAY_NEW = "_Znam"  # the mangled name of operator new[]


@dataclass(frozen=True)
class Group:
    """Blocks allocated by one function with the same stack."""

    call: str  # as in the program's source: malloc, operator new[]
    frames: tuple[Frame, ...]  # without that function
    whole: bool
    blocks: tuple[Block, ...]

    @property
    def bytes(self) -> int:
        return sum(block.size for block in self.blocks)

    def sizes(self) -> list[tuple[int, int]]:
        """Sizes and the number of blocks of each, the largest first."""
        return sorted(Counter(block.size for block in self.blocks).items(), reverse=True)

    def as_json(self) -> dict[str, Any]:
        return {"bytes": self.bytes, "blocks": len(self.blocks), "call": self.call,
                "sizes": [{"size": size, "blocks": count} for size, count in self.sizes()],
                "reallocs": max(block.moves for block in self.blocks),
                "threads": sorted({block.thread for block in self.blocks}),
                "allocated_us": {"first": min(block.time for block in self.blocks),
                                 "last": max(block.time for block in self.blocks)},
                "stack_whole": self.whole, "stack": [frame.as_json() for frame in self.frames]}


def called(stack: Stack, call: str) -> tuple[str, tuple[Frame, ...]]:
    """The outermost function that allocates, and the stack of its caller."""
    frames = stack.frames[1:]
    while frames and frames[0].name.startswith(_OPERATOR_NEW):
        call = frames[0].name.partition("(")[0]
        frames = frames[1:]
    if call == _OPERATOR_NEW and any(name.startswith(_ARRAY_NEW) for name in stack.runtime):
        call += "[]"  # operator new[] jumps to operator new
    return call, frames


def group(blocks: list[Block]) -> list[Group]:
    """Groups blocks by stack, those with the most bytes first."""
    together: dict[tuple[str, tuple[Frame, ...], bool], list[Block]] = {}
    for block in blocks:
        call, frames = called(block.stack, block.call)
        together.setdefault((call, frames, block.stack.whole), []).append(block)
    groups = [Group(call, frames, whole, tuple(members)) for (call, frames, whole), members in together.items()]
    return sorted(groups, key=lambda g: (-g.bytes, -len(g.blocks), g.call))


@dataclass(frozen=True)
class ProcessFindings:
    process: Process
    leaks: tuple[Group, ...]
    own: tuple[Block, ...]  # excluded: the C library's
    unfollowed: tuple[Unfollowed, ...]

    @property
    def bytes(self) -> int:
        return sum(leak.bytes for leak in self.leaks)

    @property
    def blocks(self) -> int:
        return sum(len(leak.blocks) for leak in self.leaks)

    @property
    def ended(self) -> str:
        """How the process ended, in words."""
        process = self.process
        if process.ended == "exit":
            return f"exit code {process.code}"
        if process.ended == "signal":
            return f"killed by {signal_name(process.code)}"
        if process.ended == "exec":
            return "became another program"
        if process.ended == "left":
            return "still running when the recording ended" if process.paused else \
                "GDB lost this process before it ended"
        return "still running when the trace ended"

    def as_json(self) -> dict[str, Any]:
        process = self.process
        return {"process": process.number, "pid": process.pid, "program": process.program,
                "allocator": process.allocator or None,
                "started": process.started, "parent": process.parent,
                "ended": {"how": process.ended or None,
                          "code": process.code if process.ended == "exit" else None,
                          "signal": signal_name(process.code) if process.ended == "signal" else None},
                "began_us": process.began, "until_us": process.until,
                "allocations": process.allocations, "frees": process.frees,
                "peak": {"bytes": process.peak_bytes, "time_us": process.peak_time},
                "leaked": {"bytes": self.bytes, "blocks": self.blocks},
                "left_out": {"bytes": sum(block.size for block in self.own), "blocks": len(self.own)},
                "leaks": [leak.as_json() for leak in self.leaks],
                "bad_frees": [_bad_free_json(bad) for bad in process.bad_frees],
                "unknown_frees": process.unknown_frees,
                "not_followed": [unfollowed.as_json() for unfollowed in self.unfollowed]}


def findings(heap: Heap, with_own: bool) -> list[ProcessFindings]:
    result = []
    for process in heap.processes:
        own = process.librarys_own()
        leaked = process.leaked() + (own if with_own else [])
        result.append(ProcessFindings(process, tuple(group(leaked)), () if with_own else tuple(own),
                                      tuple(group_children(process.children))))
    return result


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _bad_free_json(bad: BadFree) -> dict[str, Any]:
    freed = bad.freed
    return {"kind": bad.kind, "call": bad.call, "address": bad.address, "thread": bad.thread,
            "stack": _stack_json(bad.stack),
            "freed_before": None if freed is None else _stack_json(freed.stack),
            "allocated": None if freed is None else {
                "size": freed.block.size, "call": called(freed.block.stack, freed.block.call)[0],
                "stack": [frame.as_json() for frame in called(freed.block.stack, freed.block.call)[1]]}}


def _stack_json(stack: Stack) -> list[dict[str, Any]]:
    return [frame.as_json() for frame in stack.frames[1:]]
