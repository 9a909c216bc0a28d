"""What a run writes down: one line of JSON for each launch, as soon as its round is over."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from fathom_lab.experiment import Point


@dataclasses.dataclass(frozen=True)
class Launch:
    """One process of one contender."""

    round: int  # from 0; negative: warm-up, which no analysis looks at
    order: int  # in its round and point, from 0
    contender: str
    point: Point
    began: float  # seconds since the epoch
    repetitions: tuple[Mapping[str, float], ...]  # values by name of measure, in seconds, bytes or plain numbers
    why: Mapping[str, float] = dataclasses.field(default_factory=dict)  # what may explain them: see why.py
    failure: str = ""  # why there are no repetitions
    output: str = ""  # of a failed one, the end of what it printed

    def to_json(self) -> str:
        return json.dumps({**dataclasses.asdict(self), "point": dict(self.point)}, allow_nan=False)

    @staticmethod
    def from_json(line: str) -> Launch:
        """Raises ValueError, KeyError or TypeError for what is none, a torn line say."""
        table: dict[str, Any] = json.loads(line)
        point = tuple(table.pop("point").items())
        return Launch(**{**table, "point": point, "repetitions": tuple(table["repetitions"])})
