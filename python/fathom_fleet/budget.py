"""Budget: how much of a scan one task does before it hands the rest back."""

from __future__ import annotations

import dataclasses
import re

from fathom_fleet.errors import FleetError

_SHORTER = 8  # the part of a budget while there is too little work for all
_BATCHES = 8
_MOST_BATCHES = 64
_ALONE = 5  # times the budget if nobody waits for work: each part costs a process and two files


@dataclasses.dataclass(frozen=True)
class Budget:
    """A time in seconds, or a number of entries; the other one is 0."""

    seconds: float = 0.0
    entries: int = 0

    @staticmethod
    def parse(text: str) -> Budget:
        """`2s`, `0.25s`, `1m` or `100000` entries. Raises FleetError."""
        if time := re.fullmatch(r"(\d+(?:\.\d+)?)(s|m)", text):
            seconds = float(time[1]) * (60 if time[2] == "m" else 1)
            if 0.01 <= seconds <= 3600:
                return Budget(seconds=seconds)
        elif re.fullmatch(r"\d{1,15}", text) and int(text) > 0:
            return Budget(entries=int(text))
        raise FleetError(f"option '--budget' takes a time from 0.01s to 60m, or a number of entries, not '{text}'")

    def __str__(self) -> str:
        return str(self.entries) if self.entries else f"{self.seconds:g}s"

    def times(self, factor: float) -> Budget:
        if self.entries:
            return Budget(entries=max(1, round(self.entries * factor)))
        return Budget(seconds=self.seconds * factor)


@dataclasses.dataclass(frozen=True)
class Slice:
    """What one task is told."""

    budget: Budget
    batches: int  # into at most so many parts, the rest is divided


def slice_for(budget: Budget, slots: int, waiting: int) -> Slice:
    """The slice of the next task, of `slots` tasks that can run at once, with `waiting` parts besides.

    While the queue is shorter than the workers, short tasks that split into more parts bring work to all of them soon.
    """
    if slots <= 1:
        return Slice(budget.times(_ALONE), _BATCHES)
    if waiting < slots:
        return Slice(budget.times(1 / _SHORTER), min(_MOST_BATCHES, max(_BATCHES, 2 * slots)))
    return Slice(budget, _BATCHES)
