"""Records which parts of the address space hold a program's blocks."""

from __future__ import annotations

import bisect

from fathom_leaks.modules import read_maps
from fathom_leaks.trace import TraceWriter


class Mappings:
    """The mappings of one process that hold blocks, as far as they are in the trace. They are read again only for a
    block outside of the known ones: the heap has grown, or there is another one."""

    def __init__(self, trace: TraceWriter, process: int, parent: Mappings | None = None) -> None:
        self._trace = trace
        self._process = process
        self._known: list[tuple[int, int]] = list(parent._known) if parent is not None else []  # by address

    def add(self, pid: int, address: int) -> None:
        """A block was allocated there."""
        at = bisect.bisect_right(self._known, address, key=lambda ends: ends[0]) - 1
        if at >= 0 and address < self._known[at][1]:
            return
        try:
            maps = read_maps(pid)
        except OSError:  # the process was killed
            return
        for low, high, name in maps:
            if low <= address < high:
                others = [each for each in self._known if each[1] <= low or high <= each[0]]
                self._known = sorted([*others, (low, high)])
                self._trace.write("region", self._process, low, high, name)
