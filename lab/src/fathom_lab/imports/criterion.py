"""Imports the results of criterion.rs from target/criterion: NAME/new/sample.json of each benchmark, with its
benchmark.json.

A value is the time of a sample divided by its iterations.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from fathom_lab.errors import LabError
from fathom_lab.imports.source import Sample, Source


def read(folder: Path) -> Source:
    """Reads the newest run of each benchmark below the folder."""
    cases = {}
    for path in sorted(folder.rglob("new/sample.json")):
        cases[_name(path)] = _samples(_table(path), path)
    if not cases:
        raise LabError(f"{folder} contains no criterion results (new/sample.json)")
    return Source(cases, one_process=True)


def _table(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise LabError(f"{path} is not valid JSON: {error}") from error


def _name(path: Path) -> str:
    beside = path.with_name("benchmark.json")
    table = _table(beside)
    name = table.get("full_id") if isinstance(table, dict) else None
    if not isinstance(name, str):
        raise LabError(f"{beside} does not contain the name of the benchmark")
    return name


def _samples(table: Any, path: Path) -> list[Sample]:
    try:
        pairs = list(zip(table["times"], table["iters"], strict=True))
        values = [time / iterations * 1e-9 for time, iterations in pairs]
    except (LookupError, TypeError, ValueError, ZeroDivisionError) as error:
        raise LabError(f"{path} is not a criterion sample") from error
    return [_sample(value) for value in values]


def _sample(seconds: float) -> Sample:
    if not math.isfinite(seconds) or seconds <= 0:
        return Sample(failure=f"it took {seconds} s")
    return Sample({"time": seconds})
