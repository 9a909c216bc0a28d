"""The conclusions of a run as JSON: the fields of rows.py under their names, and the run's environment."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fathom_lab.experiment import Experiment, Measure
from fathom_lab.goal import Goal
from fathom_lab.rows import Analysis


def text(analyses: Sequence[Analysis], unfinished: Collection[str], environment: Mapping[str, Any]) -> str:
    """`unfinished`: the experiments without a complete round."""
    table = {"experiments": analyses, "unfinished": unfinished, "environment": environment}
    return json.dumps(_plain(table), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Numbers that JSON does not have are null."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Goal):
        return _plain(value.table())
    if dataclasses.is_dataclass(value):
        table: dict[str, Any] = {}
        for field in dataclasses.fields(value):
            table |= _named(field.name, getattr(value, field.name))
        return table
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def _named(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Experiment):
        return {"experiment": value.name, "question": value.question, "baseline": value.baseline}
    if isinstance(value, Measure):
        return {"measure": value.name, "unit": value.unit, "better": value.better}
    return {name: _plain(dict(value) if name == "point" else value)}
