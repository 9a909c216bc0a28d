"""Budget: how much of a scan one task does before it hands the rest back."""

from __future__ import annotations

import dataclasses
import math
import re

from fathom_fleet.errors import FleetError

_SHORTEST = 0.01  # seconds
_FEW_BATCHES = 4
_MOST_BATCHES = 256
# Times the budget if no other task can run, but not beyond so many seconds: at the end of each part, the threads of a
# task wait for the last of them.
_ALONE = 6
_LONGEST_ALONE = 60.0


@dataclasses.dataclass(frozen=True)
class Budget:
    """A time in seconds, or a number of entries; the other one is 0."""

    seconds: float = 0.0
    entries: int = 0

    @staticmethod
    def parse(text: str) -> Budget:
        """`2s`, `250ms` or `100000` entries. Raises FleetError."""
        if time := re.fullmatch(r"(\d{1,9})(s|ms)", text):
            seconds = int(time[1]) / (1000 if time[2] == "ms" else 1)
            if _SHORTEST <= seconds <= 3600:
                return Budget(seconds=seconds)
        elif re.fullmatch(r"\d{1,15}", text) and int(text) > 0:
            return Budget(entries=int(text))
        raise FleetError(f"option '--budget' takes a time from 10ms to 3600s, or a number of entries, not '{text}'")

    def __str__(self) -> str:
        if self.entries:
            return str(self.entries)
        return f"{self.seconds:.0f}s" if float(self.seconds).is_integer() else f"{1000 * self.seconds:.0f}ms"


@dataclasses.dataclass(frozen=True)
class Slice:
    """What one task is told."""

    budget: Budget
    batches: int  # into at most so many parts, the rest is divided


def slice_for(budget: Budget, slots: int, waiting: int, running: int) -> Slice:
    """The slice of the next task. `slots` tasks can run at once; `running` do, and `waiting` parts wait besides it.

    It divides the rest into as many parts as are needed, and not many more: parts with little work cost more than they
    do.
    """
    if slots <= 1:
        return Slice(_alone(budget), 1)
    needed = math.ceil((slots - waiting) / (running + 1))
    return Slice(budget, min(_MOST_BATCHES, max(_FEW_BATCHES, needed)))


def _alone(budget: Budget) -> Budget:
    if budget.entries:
        return Budget(entries=_ALONE * budget.entries)
    return Budget(seconds=max(budget.seconds, min(_LONGEST_ALONE, _ALONE * budget.seconds)))
