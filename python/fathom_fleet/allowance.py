"""Allowance: the operations per second of --max-ops, shared by the tasks that run.

The sum of what running tasks were granted never exceeds the limit.
"""

from __future__ import annotations


class Allowance:
    """`most` is the limit in operations per second; None: there is none."""

    def __init__(self, most: int | None) -> None:
        self._free = most
        self._granted: dict[str, int] = {}

    def may_start(self) -> bool:
        return self._free is None or self._free >= 1

    def grant(self, task: str, tasks: int) -> int | None:
        """What a task may do that starts now as the first of `tasks`, which then share the rest. None: as much as
        it likes.

        Requires may_start().
        """
        if self._free is None:
            return None
        share = max(1, self._free // max(1, tasks))
        self._free -= share
        self._granted[task] = share
        return share

    def release(self, task: str) -> None:
        """The task has ended. No change if nothing was granted to it."""
        if self._free is not None:
            self._free += self._granted.pop(task, 0)
