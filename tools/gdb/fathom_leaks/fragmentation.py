"""How much of a region is free at a time, and in how large pieces.

A gap is the address space between two live blocks, or after the last one up to the end of what is mapped. A gap of up
to 32 bytes is not free: it is the allocator's header and the rounding of the block before it. External fragmentation
is 1 - largest gap / all gaps: 0 if all free memory is in one piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fathom_leaks.heap import Block
from fathom_leaks.regions import Region

_OVERHEAD = 32  # a block of glibc takes at least 32 bytes, 8 of which are its header


@dataclass(frozen=True)
class Figures:
    """Of one region at one time; or sums, of several. `extent`: 0 if every block has a mapping of its own."""

    live: int
    blocks: int
    extent: int
    free: int
    largest: int  # the largest gap

    @property
    def fragmentation(self) -> float | None:
        """None if nothing is free."""
        return 1 - self.largest / self.free if self.free else None


def figures(region: Region, blocks: Iterable[Block], time: int) -> Figures:
    """`blocks`: those alive in the region at that time."""
    extents = sorted((block.address, block.address + block.size) for block in blocks)
    live = sum(high - low for low, high in extents)
    if region.lent:
        return Figures(live, len(extents), 0, 0, 0)
    high = max(region.high(time), max((high for _, high in extents), default=region.low))
    gaps = []
    end = region.low
    for low, after in [*extents, (high, high)]:
        if low - end > _OVERHEAD:
            gaps.append(low - end)
        end = max(end, after)
    return Figures(live, len(extents), high - region.low, sum(gaps), max(gaps, default=0))


def together(parts: Iterable[Figures]) -> Figures:
    """The sums, and the largest of all gaps."""
    of = list(parts)
    return Figures(sum(part.live for part in of), sum(part.blocks for part in of), sum(part.extent for part in of),
                   sum(part.free for part in of), max((part.largest for part in of), default=0))
