"""What the map of a process shows: its blocks over time, or bins if they are too many, and the parts of the address
space that hold them."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from fathom_leaks.bins import COLUMNS, Item, bins
from fathom_leaks.fragmentation import Figures, figures
from fathom_leaks.heap import Process
from fathom_leaks.lifetimes import Life, live_bytes, lives
from fathom_leaks.regions import Region, Regions
from fathom_leaks.sites import Origins

SIZES = (32, 128, 512, 4096, 32768, 131072)  # the most bytes of each class of sizes but the last

_MOST_BLOCKS = 30_000
_MOST_SEGMENTS = 64
_LEAST_GAP = 1 << 16  # between two segments
_LEAST_SHARE = 16     # a gap is left out if it is larger than the used addresses divided by this


class Segment(NamedTuple):
    """A part of a region that blocks used at some time."""

    region: int
    low: int
    high: int


class Picture:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.lives = lives(process)
        self.began = self.lives[0].begin if self.lives else process.began
        regions = Regions(process, [life.block for life in self.lives])
        self.regions: list[Region] = regions.all
        self._members: list[list[Life]] = [[] for _ in self.regions]
        for life in self.lives:
            self._members[regions.at(life.block.address)].append(life)
        self.binned = len(self.lives) > _MOST_BLOCKS
        segments = [Segment(number, low, high)
                    for number, (region, members) in enumerate(zip(self.regions, self._members))
                    for low, high in _segments(members, region.lent)]
        self.segments = _fewer(segments) if self.binned else segments

    def figures(self, time: int) -> list[Figures]:
        """Of each region at that time."""
        return [figures(region, (life.block for life in members if life.at(time)), time)
                for region, members in zip(self.regions, self._members)]

    def as_json(self, origins: Origins) -> dict[str, Any]:
        process = self.process
        live = _thinned(live_bytes(self.lives), self.began, process.until)
        return {"name": process.program, "pid": process.pid, "began": self.began, "until": process.until,
                "peak": {"time": process.peak_time, "bytes": process.peak_bytes},
                "regions": [region.name for region in self.regions], "segments": self.segments,
                "live": {"time": [time for time, _ in live], "bytes": [size for _, size in live]},
                **(self._bins(origins) if self.binned else self._blocks(origins))}

    def _blocks(self, origins: Origins) -> dict[str, Any]:
        return {"blocks": [
            (block.address, block.size, begin, end, origins.number(block), block.thread)
            for block, begin, end in self.lives]}

    def _bins(self, origins: Origins) -> dict[str, Any]:
        until = self.process.until
        items = (Item(block.address, block.address + max(block.size, 1), begin, until if end is None else end,
                      origins.colour(origins.number(block)), size_class(block.size))
                 for block, begin, end in self.lives)
        order = sorted((segment.low, segment.high) for segment in self.segments)
        return {"bins": bins(items, order, self.began, until)}


def size_class(size: int) -> int:
    return bisect.bisect_left(SIZES, size)


def _segments(members: Iterable[Life], lent: bool) -> list[tuple[int, int]]:
    """The used addresses, with gaps that are small or, in a region of many, not among the largest."""
    used: list[tuple[int, int]] = []
    for low, high in sorted((life.block.address, life.block.address + max(life.block.size, 1)) for life in members):
        if used and low - used[-1][1] < _LEAST_GAP:
            used[-1] = (used[-1][0], max(used[-1][1], high))
        else:
            used.append((low, high))
    if lent:
        return used
    gaps = sorted((after[0] - before[1] for before, after in pairwise(used)), reverse=True)
    least = sum(high - low for low, high in used) // _LEAST_SHARE
    if len(gaps) >= _MOST_SEGMENTS:
        least = max(least, gaps[_MOST_SEGMENTS - 1])
    joined = used[:1]
    for low, high in used[1:]:
        if low - joined[-1][1] <= least:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def _fewer(segments: Iterable[Segment]) -> list[Segment]:
    """Joins those with the smallest gaps, so that a grid has room for all: no more than _MOST_SEGMENTS remain. Segments
    of different regions, or with another region between them, stay apart, so many regions may leave more."""
    order = sorted(segments, key=lambda segment: segment.low)
    gaps = sorted((after.low - before.high for before, after in pairwise(order) if before.region == after.region),
                  reverse=True)
    borders = max(0, len(order) - 1 - len(gaps))
    kept = max(0, _MOST_SEGMENTS - 1 - borders)
    if len(gaps) <= kept:
        return sorted(order)
    joined = order[:1]
    for segment in order[1:]:
        last = joined[-1]
        if segment.region == last.region and segment.low - last.high <= gaps[kept]:
            joined[-1] = last._replace(high=max(last.high, segment.high))
        else:
            joined.append(segment)
    return sorted(joined)


def _thinned(steps: Sequence[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """The steps, or if they are many, the highest in each of many equal parts of the time."""
    if len(steps) <= 2 * COLUMNS:
        return list(steps)
    width = max(end - begin, 1) / COLUMNS
    highest: dict[int, tuple[int, int]] = {}
    before = 0
    for time, size in steps:
        column = int((time - begin) / width)
        if column not in highest:
            highest[column] = (time, max(before, size))
        elif size > highest[column][1]:
            highest[column] = (time, size)
        before = size
    return list(highest.values())
