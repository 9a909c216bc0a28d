"""Children of a process that were not followed, grouped by what started them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from fathom_leaks.frame import Frame, Stack
from fathom_leaks.ownership import is_c_library


@dataclass(frozen=True)
class Child:
    """A child that was not followed."""

    call: str     # the function that started it; fork: it was followed until it became another program
    command: str  # what it became; "": unknown
    stack: Stack  # of that call

    @property
    def may_allocate(self) -> bool:
        """Whether it may have allocated or freed blocks in its parent's memory. Children that the C library itself
        starts do not."""
        return self.call == "vfork"


@dataclass(frozen=True)
class Unfollowed:
    """Children with the same command, started at the same place."""

    call: str
    command: str
    frames: tuple[Frame, ...]  # from the caller of that function on
    whole: bool
    children: int

    def as_json(self) -> dict[str, Any]:
        return {"children": self.children, "call": self.call, "command": self.command or None,
                "stack": [frame.as_json() for frame in self.frames]}


def group_children(children: list[Child]) -> list[Unfollowed]:
    """In the order in which they were first started."""
    counts = Counter((child.call, child.command, _callers(child.stack), child.stack.whole) for child in children)
    return [Unfollowed(*what, count) for what, count in counts.items()]


def _callers(stack: Stack) -> tuple[Frame, ...]:
    frames = stack.frames
    first = next((at for at, frame in enumerate(frames) if not is_c_library(frame.module)), len(frames))
    return frames[first:]
