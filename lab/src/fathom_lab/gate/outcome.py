"""What a gate says about a row, and about a run."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Sequence

from fathom_lab import formatting
from fathom_lab.experiment import Point
from fathom_lab.rows import Row


class Outcome(enum.Enum):
    REGRESS = "regress"
    UNUSABLE = "environment unusable"
    UNDECIDED = "undecided"
    IMPROVE = "improve"
    PASS = "pass"


_CODES = {Outcome.REGRESS: 1, Outcome.UNUSABLE: 3, Outcome.UNDECIDED: 0, Outcome.IMPROVE: 0, Outcome.PASS: 0}
_UNDECIDED_STRICT = 4  # 2 is invalid usage, as in all commands
_WORST_FIRST = (1, 3, _UNDECIDED_STRICT, 0)


@dataclasses.dataclass(frozen=True)
class GateRow:
    contender: str
    point: Point
    measure: str  # empty: the row is about the contender as a whole
    outcome: Outcome
    reason: str
    row: Row | None = None
    to_confirm: bool = False  # a second run may change the outcome

    def name(self) -> str:
        at = f" at {formatting.point(self.point)}" if self.point else ""
        return f"{self.contender}{at}{f', {self.measure}' if self.measure else ''}"


@dataclasses.dataclass(frozen=True)
class GateResult:
    experiment: str
    rows: Sequence[GateRow]  # the worst first
    outcome: Outcome  # the worst
    exit_code: int  # 0 pass, 1 regress, 3 environment unusable, 4 undecided and strict
    tolerance: float

    @property
    def needs_confirmation(self) -> bool:
        return any(row.to_confirm for row in self.rows)


def exit_code(outcome: Outcome, strict: bool) -> int:
    return _UNDECIDED_STRICT if strict and outcome is Outcome.UNDECIDED else _CODES[outcome]


def worst(codes: Iterable[int]) -> int:
    """The worst exit code of several experiments."""
    return min(codes, key=_WORST_FIRST.index)
