"""The regions of the address space that hold a process's blocks: the heap, the arenas of threads, mapped blocks."""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fathom_leaks.heap import Block, Mapping, Process
from fathom_leaks.ownership import is_c_library

_ARENA = 1 << 26  # glibc aligns the memory of an arena to it
_PAGE = 1 << 12
_MAPPED = "mapped blocks"


@dataclass(frozen=True)
class Region:
    """`lent`: the allocator has the kernel map each block here, and unmap it when it is freed, so the address space
    between blocks is not free memory."""

    name: str
    lent: bool
    low: int  # the lowest address of a block; below it are the allocator's own data
    mappings: tuple[Mapping, ...]

    def high(self, time: int) -> int:
        """The end of what was mapped until then."""
        return max((mapping.high for mapping in self.mappings if mapping.time <= time), default=self.low)


class Regions:
    def __init__(self, process: Process, blocks: Iterable[Block]) -> None:
        """`blocks`: all that the process ever had."""
        extents = sorted((block.address, block.address + max(block.size, 1)) for block in blocks)
        parts = _overlapping(process.mappings)
        parts = _overlapping(sorted([*process.mappings, *_unmapped(extents, parts, process.began)], key=_low))
        firsts = [_first(extents, part) for part in parts]
        used = [(part, first) for part, first in zip(parts, firsts) if first is not None]
        names = [_name(process.allocator, part[-1].name, part[0].low) for part, _ in used]
        self.all: list[Region] = [Region(name, False, first, tuple(part))
                                  for (part, first), name in zip(used, names) if name != _MAPPED]
        mapped = [(part, first) for (part, first), name in zip(used, names) if name == _MAPPED]
        if mapped:
            together = tuple(mapping for part, _ in mapped for mapping in part)
            self.all.append(Region(_MAPPED, True, mapped[0][1], together))
        self._ends = sorted((mapping.low, number) for number, region in enumerate(self.all)
                            for mapping in region.mappings)

    def at(self, address: int) -> int:
        """The number of the region of a block."""
        return self._ends[bisect.bisect_right(self._ends, (address, len(self.all))) - 1][1]


def _low(mapping: Mapping) -> int:
    return mapping.low


def _overlapping(mappings: Iterable[Mapping]) -> list[list[Mapping]]:
    """Mappings that overlap are one part of the address space, which has grown."""
    parts: list[list[Mapping]] = []
    high = 0
    for mapping in sorted(mappings, key=lambda mapping: (mapping.low, mapping.time)):
        if parts and mapping.low < high:
            parts[-1].append(mapping)
        else:
            parts.append([mapping])
        high = max(high, mapping.high)
    return parts


def _unmapped(extents: Sequence[tuple[int, int]], parts: Sequence[Sequence[Mapping]], began: int) -> list[Mapping]:
    """The pages of blocks whose mappings are not in the trace, as if they had always been mapped."""
    lows = [part[0].low for part in parts]
    highs = [max(mapping.high for mapping in part) for part in parts]
    found: list[Mapping] = []
    for low, high in extents:
        at = bisect.bisect_right(lows, low) - 1
        if at >= 0 and low < highs[at]:
            continue
        first, last = low & -_PAGE, (high + _PAGE - 1) & -_PAGE
        if found and first <= found[-1].high:
            found[-1] = Mapping(began, found[-1].low, max(found[-1].high, last), "")
        else:
            found.append(Mapping(began, first, last, ""))
    return found


def _first(extents: Sequence[tuple[int, int]], part: Sequence[Mapping]) -> int | None:
    """The lowest address of a block in that part."""
    at = bisect.bisect_left(extents, (part[0].low, 0))
    high = max(mapping.high for mapping in part)
    return extents[at][0] if at < len(extents) and extents[at][0] < high else None


def _name(allocator: str, mapped: str, low: int) -> str:
    if mapped == "[heap]":
        return "heap"
    if is_c_library(allocator) and not mapped:
        return f"arena at {low:#x}" if low % _ARENA == 0 else _MAPPED
    return f"{os.path.basename(mapped) or 'mapping'} at {low:#x}"
