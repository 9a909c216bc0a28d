"""Bins blocks that are too many to draw: a grid of time and addresses, whose cells know what fills them.

The work grows with the blocks and with the cells, not with their product. A block adds its share to the rows where it
begins and takes it away from those where it ends, and the same in each row with columns; the sums are made once, at
the end. Shares are integers, so that what was added and taken away leaves nothing.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

COLUMNS = 800
ROWS = 400
LEVELS = 8         # of how full a cell is
_WHOLE = 1 << 40   # the share of a block that fills a row, or a cell for the whole time of its column


class Item(NamedTuple):
    """A block with its two colours: by site and by size."""

    low: int
    high: int
    begin: int
    end: int
    site: int
    size: int


class Run(NamedTuple):
    """Equal cells. `site` and `size` are those with the most bytes, `level` of LEVELS is how full the cells are."""

    low: int
    high: int
    begin: int
    end: int
    site: int
    size: int
    level: int


class _Changes:
    """How a row differs from the one before it, for blocks of one colour."""

    def __init__(self) -> None:
        self.steps = [0] * (COLUMNS + 1)  # added from that column on
        self.parts = [0] * COLUMNS        # added in that column only

    def add(self, share: int, first: float, last: float) -> None:
        """A block from one column to another, which it fills in part."""
        begin = min(int(first), COLUMNS - 1)
        end = min(int(last), COLUMNS - 1)
        if begin == end:
            self.parts[begin] += int(share * (last - first))
            return
        self.parts[begin] += int(share * (begin + 1 - first))
        self.parts[end] += int(share * (last - end))
        self.steps[begin + 1] += share
        self.steps[end] -= share


_Colour = tuple[int, int]  # site, size
_Cell = tuple[int, int, int]  # site, size, level; level 0: empty


def bins(items: Iterable[Item], segments: Sequence[tuple[int, int]], begin: int, end: int) -> list[Run]:
    """`segments`: the parts of the address space that hold the items, by address; each item is in one of them."""
    rows = list(_rows(segments))
    lows = [low for low, _ in rows]
    width = max(end - begin, 1) / COLUMNS
    changes: list[dict[_Colour, _Changes]] = [defaultdict(_Changes) for _ in range(len(rows) + 1)]
    for item in items:
        first, last = (item.begin - begin) / width, (item.end - begin) / width
        for row, after, share in _shares(item, rows, lows):
            changes[row][item.site, item.size].add(share, first, last)
            changes[after][item.site, item.size].add(-share, first, last)
    return list(_runs(rows, changes, begin, width))


def _rows(segments: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Divides the segments into rows: one for each, and the rest of ROWS by size."""
    total = sum(high - low for low, high in segments)
    rest = max(0, ROWS - len(segments))
    for low, high in segments:
        count = min(1 + (high - low) * rest // total, high - low)
        edges = [low + (high - low) * number // count for number in range(count + 1)]
        yield from pairwise(edges)


def _shares(item: Item, rows: Sequence[tuple[int, int]], lows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Ranges of rows, and how much of each row of a range the block fills."""
    first = bisect.bisect_right(lows, item.low) - 1
    last = bisect.bisect_right(lows, item.high - 1) - 1
    for row in {first, last}:
        low, high = rows[row]
        yield row, row + 1, _WHOLE * (min(high, item.high) - max(low, item.low)) // (high - low)
    if first + 1 < last:
        yield first + 1, last, _WHOLE


def _runs(rows: Sequence[tuple[int, int]], changes: Sequence[dict[_Colour, _Changes]], begin: int,
          width: float) -> Iterator[Run]:
    sums: dict[_Colour, _Changes] = defaultdict(_Changes)
    cells: list[_Cell] = []
    pending: list[Run] = []  # of the rows above, which go on if the next row is equal
    for (low, high), changed in zip(rows, changes):
        for colour, change in changed.items():
            total = sums[colour]
            total.steps = list(map(int.__add__, total.steps, change.steps))
            total.parts = list(map(int.__add__, total.parts, change.parts))
        before, cells = cells, list(_cells(sums)) if changed else cells
        if pending and pending[0].high == low and cells == before:
            pending = [run._replace(high=high) for run in pending]
        else:
            yield from pending
            pending = list(_row_runs(low, high, cells, begin, width))
    yield from pending


def _cells(sums: dict[_Colour, _Changes]) -> Iterator[_Cell]:
    colours = sorted(sums)
    columns = zip(*(map(int.__add__, accumulate(sums[colour].steps), sums[colour].parts) for colour in colours))
    for shares in columns:
        full = sum(shares)
        if full <= 0:
            yield 0, 0, 0
            continue
        by_site: dict[int, int] = {}
        by_size: dict[int, int] = {}
        for (site, size), share in zip(colours, shares):
            by_site[site] = by_site.get(site, 0) + share
            by_size[size] = by_size.get(size, 0) + share
        yield (max(by_site, key=by_site.__getitem__), max(by_size, key=by_size.__getitem__),
               min(LEVELS, 1 + full * LEVELS // (_WHOLE + 1)))


def _row_runs(low: int, high: int, cells: Sequence[_Cell], begin: int, width: float) -> Iterator[Run]:
    column = 0
    for (site, size, level), equal in groupby(cells):
        after = column + sum(1 for _ in equal)
        if level:
            yield Run(low, high, begin + round(column * width), begin + round(after * width), site, size, level)
        column = after
