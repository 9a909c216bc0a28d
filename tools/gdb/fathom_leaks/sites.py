"""Names the places in a program that allocate blocks: their tags on the map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fathom_leaks.findings import called
from fathom_leaks.frame import Frame, Stack
from fathom_leaks.heap import Block
from fathom_leaks.ownership import is_runtime

COLOURS = 7  # sites that have one of their own; the others share the next

_LIBRARY_NAMES = ("std::", "__gnu_cxx::", "operator new")
_LIBRARY_FILES = "/include/c++/"


class Site(NamedTuple):
    function: str
    place: str  # FILE:LINE, or MODULE+OFFSET


def site_of(stack: Stack, call: str) -> Site:
    """The innermost function that is not the C library's or the C++ library's, whose templates are compiled into the
    program. If there is none, the caller of the function that allocates."""
    call, frames = called(stack, call)
    chosen = next((frame for frame in frames if not _is_librarys(frame)), frames[0] if frames else None)
    if chosen is None:
        return Site(call, "")
    return Site(chosen.name, chosen.place) if chosen.name != "?" else Site(chosen.place, "")


def _is_librarys(frame: Frame) -> bool:
    return (is_runtime(frame.module) or frame.name.startswith(_LIBRARY_NAMES) or
            (frame.file is not None and _LIBRARY_FILES in frame.file))


class Origin(NamedTuple):
    """What a block was allocated by."""

    call: str
    frames: tuple[Frame, ...]
    site: Site


class Origins:
    """Numbers the origins of blocks, and the colours of their sites: those that requested the most bytes first."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.all: list[Origin] = []
        self._known: dict[tuple[int, str], int] = {}  # by the identity of the stack
        numbers: dict[Origin, int] = {}
        requested: dict[Site, int] = {}
        for block in blocks:
            key = (id(block.stack), block.call)
            number = self._known.get(key)
            if number is None:
                origin = Origin(*called(block.stack, block.call), site_of(block.stack, block.call))
                number = self._known[key] = numbers.setdefault(origin, len(numbers))
                if number == len(self.all):
                    self.all.append(origin)
            site = self.all[number].site
            requested[site] = requested.get(site, 0) + block.size
        self.sites = sorted(requested, key=lambda site: (-requested[site], site))
        self._colours = {site: min(number, COLOURS) for number, site in enumerate(self.sites)}

    def number(self, block: Block) -> int:
        return self._known[id(block.stack), block.call]

    def colour(self, number: int) -> int:
        """Of an origin: COLOURS if its site has none of its own."""
        return self._colours[self.all[number].site]
