"""Outcomes of earlier gates in a file. They are only shown, and only for this machine: no outcome depends on them."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom_lab import formatting
from fathom_lab.errors import LabError
from fathom_lab.gate.outcome import GateResult, GateRow

_TREND = 8  # earlier gates to show


def machine(environment: Mapping[str, Any]) -> str:
    """Identifies the machine: only figures of the same machine belong to one trend."""
    keys = ("host", "processor", "processors_online", "kernel")
    return " | ".join(str(environment.get(key, "unknown")) for key in keys)


def remember(file: Path, result: GateResult, environment: Mapping[str, Any]) -> None:
    """Appends the result to the history as a line of JSON."""
    rows = [{
        "contender": one.contender, "point": dict(one.point), "measure": one.measure, "outcome": one.outcome.value,
        "ratio": _finite(one.row.ratio) if one.row else None, "value": _finite(one.row.value) if one.row else None,
    } for one in result.rows]
    line = {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(environment), "commit": environment.get("commit", "unknown"),
        "experiment": result.experiment, "outcome": result.outcome.value, "tolerance": result.tolerance, "rows": rows,
    }
    try:
        torn = file.exists() and file.read_bytes()[-1:] not in (b"", b"\n")
        with open(file, "a", encoding="utf-8") as history:
            history.write(("\n" if torn else "") + json.dumps(line, allow_nan=False, default=str) + "\n")
    except OSError as error:
        raise LabError(f"the history {file} cannot be written: {error.strerror}") from error


def trend(file: Path, result: GateResult, environment: Mapping[str, Any]) -> str:
    """The ratios of earlier gates on this machine, by row. For information only: no outcome depends on them."""
    past = [one for one in _past(file) if one.get("experiment") == result.experiment]
    here = [one for one in past if one.get("machine") == machine(environment)]
    others = len(past) - len(here)
    lines = []
    for row in result.rows:
        ratios = [_ratio_then(one, row) for one in here]
        shown = [formatting.ratio(ratio) for ratio in ratios if ratio is not None][-_TREND:]
        if shown and row.row is not None:
            lines.append(f"  {row.name()}: {' '.join(shown)}, now {formatting.ratio(row.row.ratio)}")
    if lines:
        lines.insert(0, "ratios of earlier gates on this machine:")
    if others:
        lines.append(f"not shown: {formatting.several(others, 'gate')} on other machines in {file}")
    return "\n".join(lines)


def _past(file: Path) -> Iterator[dict[str, Any]]:
    """The complete lines of the history; the last line may be torn."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
    except OSError as error:
        raise LabError(f"the history {file} cannot be read: {error.strerror}") from error
    for line in lines:
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict) and isinstance(one.get("rows"), list):
            yield one


def _ratio_then(one: Mapping[str, Any], row: GateRow) -> float | None:
    for then in one["rows"]:
        if isinstance(then, dict) and (then.get("contender"), then.get("point"), then.get("measure")) == (
            row.contender, json.loads(json.dumps(dict(row.point), default=str)), row.measure
        ):
            ratio = then.get("ratio")
            return float(ratio) if isinstance(ratio, (int, float)) else None
    return None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
