"""Stealing: which tasks are asked to hand back before their budgets are spent, because others could run.

Work stealing with large steps: a budget can be long, so that tasks cost little beside it, and work is still divided as
soon as somebody has none. What a task costs beside its scan is measured, because it differs between an idle machine and
a busy one by a factor of ten: a task that has just begun would cost more than it brings.

Pure: no clock, no threads.
"""

from __future__ import annotations

from collections.abc import Mapping

_WORTH = 1.5  # a task is asked when it has run for so many times what it costs
_USUAL_COST = 0.1  # seconds, until something is measured


class Stealing:
    def __init__(self) -> None:
        self._cost = _USUAL_COST
        self._tasks = 1
        self._asked: set[str] = set()

    def finished(self, elapsed: float, scanning: float) -> None:
        """A task has ended after so many seconds, so many of which it scanned."""
        self._tasks += 1
        self._cost += (max(0.0, elapsed - scanning) - self._cost) / self._tasks

    def ask(self, idle: int, running: Mapping[str, float], now: float) -> list[str]:
        """The tasks to ask now, one for each idle slot. `running` says when each task was started, the oldest first:
        it has probably met the most directories that others can take."""
        self._asked &= running.keys()
        old = [key for key, started in running.items()
               if key not in self._asked and now - started >= _WORTH * self._cost]
        chosen = old[:max(0, idle - len(self._asked))]
        self._asked.update(chosen)
        return chosen
