"""The records of a run: one line of JSON for each launch, written when its round ends."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from fathom_lab.experiment import Point


@dataclasses.dataclass(frozen=True)
class Launch:
    """One process of one contender."""

    round: int  # from 0; negative: warm-up, which the analysis ignores
    order: int  # position within its round and point, from 0
    contender: str
    point: Point
    began: float  # seconds since the epoch
    repetitions: tuple[Mapping[str, float], ...]  # values by name of measure, in seconds, bytes or plain numbers
    why: Mapping[str, float] = dataclasses.field(default_factory=dict)  # diagnostics.py; the file's name for it
    failure: str = ""  # why there are no repetitions
    output: str = ""  # of a failed launch: the end of its output

    def to_json(self) -> str:
        return json.dumps({**dataclasses.asdict(self), "point": dict(self.point)}, allow_nan=False)

    @staticmethod
    def from_json(line: str) -> Launch:
        """Parses a line. Raises ValueError, KeyError or TypeError for an invalid one, such as a torn line."""
        table: dict[str, Any] = json.loads(line)
        point = tuple(table.pop("point").items())
        return Launch(**{**table, "point": point, "repetitions": tuple(table["repetitions"])})
