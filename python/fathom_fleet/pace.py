"""Pace: how many tasks may run at once.

A filesystem whose server is saturated answers each task more slowly, the more tasks ask it. So when tasks have become
much slower than they were, Pace lowers the number (multiplicative decrease); if that makes those that remain faster, it
was the right thing to do, and if not, something else made them slow, such as colder or odder directories, and the old
number is restored. Otherwise the number grows by one at a time.

Pure: no clock, no threads.
"""

from __future__ import annotations

_SLOWER = 0.5  # of the best rate of a task: then fewer tasks may be better
_FASTER = 1.15  # a gain of this factor shows that fewer tasks are better
_FEWER = 0.7
_SHORTEST = 0.1  # seconds; the rate of a shorter task means little
_FEWEST_TASKS = 8  # in a window, so that one odd directory does not decide


class Pace:
    """`most` is the number of tasks that the workers can run; it may change."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._best = 0.0  # entries per second of one task, in the best window
        self._tried: tuple[float, float] | None = None  # limit and rate before the last decrease
        self._entries = 0
        self._seconds = 0.0
        self._tasks = 0

    @property
    def limit(self) -> int:
        """So many tasks may run at once, at least 1."""
        return max(1, min(self._most, int(self._limit)))

    def resize(self, most: int) -> None:
        """Workers came or went."""
        if most > self._most:
            self._limit += most - self._most
        self._most = most
        self._limit = max(1.0, min(self._limit, float(most)))

    def finished(self, entries: int, seconds: float, running: int) -> None:
        """A task has ended that looked at so many entries in so many seconds, while `running` tasks ran, itself
        included."""
        if seconds < _SHORTEST or entries == 0:
            return
        # Only a full house shows what the limit does, but the first tasks, which run alone, show what is possible.
        if self._best > 0.0 and running < 0.8 * self.limit:
            return
        self._entries += entries
        self._seconds += seconds
        self._tasks += 1
        if self._best == 0.0 or self._tasks >= max(_FEWEST_TASKS, self.limit):
            self._judge(self._entries / self._seconds)
            self._entries, self._seconds, self._tasks = 0, 0.0, 0

    def _judge(self, rate: float) -> None:
        if self._tried is not None:
            limit, before = self._tried
            self._tried = None
            if rate < _FASTER * before:
                self._limit = min(limit, float(self._most))
                self._best = rate
                return
        if rate < _SLOWER * self._best and self.limit > 1:
            self._tried = (self._limit, rate)
            self._limit = max(1.0, self._limit * _FEWER)
            return
        self._best = max(self._best, rate)
        self._limit = min(float(self._most), self._limit + 1.0)
