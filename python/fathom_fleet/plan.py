"""Plan: which parts of a scan are committed, running, waiting or given up.

A pure state machine: it starts nothing, reads no files and no clock, so that tests can put it through any schedule.
Times are seconds on any clock that does not go back.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools

from fathom_fleet.part import ROOT, Child, Part

_FIRST_DELAY = 1.0  # seconds before a failed part is tried again; doubles with each failure
_LONGEST_DELAY = 60.0


@dataclasses.dataclass(frozen=True)
class Work:
    """A part to be made. `rest` is empty for the first part, which begins at the roots."""

    id: str
    rest: str = ""
    entries: int = 1  # known to be in it; how much is below them is not known

    @staticmethod
    def of(child: Child) -> Work:
        return Work(child.id, child.rest, child.entries)


class Plan:
    """Begins with the first part. Each part is counted once, however often it is reported.

    `failures`: so many failed attempts give a part up.
    """

    def __init__(self, failures: int = 4) -> None:
        self.entries = 0
        self.disk_bytes = 0  # about: see Part
        self.errors = 0
        self.done: set[str] = set()
        self.running: dict[str, Work] = {}
        self.given_up: dict[str, str] = {}  # and why
        self._most_failures = failures
        self._known = {ROOT}
        self._failures: dict[str, int] = {}
        # What may start now, the largest first, because it will leave most work over for others; and what may start
        # later, by time. Both may hold parts that no longer wait.
        self._waiting: set[str] = set()
        self._ready: list[tuple[int, int, Work]] = []
        self._delayed: list[tuple[float, int, Work]] = []
        self._order = itertools.count()
        self._add(Work(ROOT))

    @property
    def finished(self) -> bool:
        return not (self.running or self._waiting)

    @property
    def waiting(self) -> int:
        """Parts that are not running, whether they may start now or later."""
        return len(self._waiting)

    def ready(self, now: float) -> int:
        """Parts that may start now."""
        while self._delayed and self._delayed[0][0] <= now:
            work = heapq.heappop(self._delayed)[2]
            if work.id in self._waiting:
                self._push(work)
        return len(self._waiting) - sum(row[2].id in self._waiting for row in self._delayed)

    def next_attempt(self) -> float | None:
        """When the next failed part may start again, if one waits for that."""
        return self._delayed[0][0] if self._delayed else None

    def start(self, now: float) -> Work | None:
        """Moves a part from waiting to running. None if none may start now."""
        if not self.ready(now):
            return None
        while True:
            work = heapq.heappop(self._ready)[2]
            if work.id in self._waiting:
                break
        self._waiting.remove(work.id)
        self.running[work.id] = work
        return work

    def commit(self, part: Part) -> bool:
        """Counts the part and adds what it left over. False, and no change, if it is counted already.

        Any known part may be committed, even one that waits or was given up: an attempt whose reply was lost may have
        made it.
        """
        if part.id in self.done or part.id not in self._known:
            return False
        self.done.add(part.id)
        self.running.pop(part.id, None)
        self.given_up.pop(part.id, None)
        self._waiting.discard(part.id)
        self._failures.pop(part.id, None)
        self.entries += part.entries
        self.disk_bytes += part.disk_bytes
        self.errors += part.errors
        for child in part.children:
            if child.id not in self._known:
                self._known.add(child.id)
                self._add(Work.of(child))
        return True

    def fail(self, part_id: str, why: str, now: float) -> bool:
        """An attempt failed. Returns whether there will be another one. No change if the part is not running."""
        work = self.running.pop(part_id, None)
        if work is None:
            return part_id in self._waiting
        failures = self._failures[part_id] = self._failures.get(part_id, 0) + 1
        if failures >= self._most_failures:
            self.given_up[part_id] = why
            return False
        delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** (failures - 1))
        self._waiting.add(work.id)
        heapq.heappush(self._delayed, (now + delay, next(self._order), work))
        return True

    def attempt(self, part_id: str) -> int:
        """The number of the attempt that runs or comes next, from 1."""
        return self._failures.get(part_id, 0) + 1

    def _add(self, work: Work) -> None:
        self._waiting.add(work.id)
        self._push(work)

    def _push(self, work: Work) -> None:
        heapq.heappush(self._ready, (-work.entries, next(self._order), work))
