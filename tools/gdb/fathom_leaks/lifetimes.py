"""The blocks of a process over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fathom_leaks.heap import Block, Process


class Life(NamedTuple):
    """`end`: None if the block was not freed. A block that a child inherited begins with the child."""

    block: Block
    begin: int
    end: int | None

    def at(self, time: int) -> bool:
        return self.begin <= time and (self.end is None or time < self.end)


def lives(process: Process) -> list[Life]:
    """In the order in which they begin."""
    return sorted(_unordered(process), key=lambda life: (life.begin, life.block.address))


def _unordered(process: Process) -> Iterator[Life]:
    for lifetime in process.lifetimes:
        yield Life(lifetime.block, max(lifetime.block.time, process.began), lifetime.end)
    for block in process.alive():
        yield Life(block, max(block.time, process.began), None)


def live_bytes(all_lives: list[Life]) -> list[tuple[int, int]]:
    """The bytes of live blocks after each time at which they change."""
    changes: dict[int, int] = {}
    for block, begin, end in all_lives:
        changes[begin] = changes.get(begin, 0) + block.size
        if end is not None:
            changes[end] = changes.get(end, 0) - block.size
    total = 0
    steps = []
    for time in sorted(changes):
        total += changes[time]
        steps.append((time, total))
    return steps
