"""Imports the output of `hyperfine --export-json`. Each value comes from a process of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom_lab.errors import LabError
from fathom_lab.imports.source import Sample, Source


def knows(table: Any) -> bool:
    return isinstance(table, dict) and isinstance(table.get("results"), list) and all(
        isinstance(one, dict) and "command" in one for one in table["results"]
    )


def read(table: Any, path: Path) -> Source:
    """Reads the results. hyperfine stores only means of user and system time, which are not samples, so they are
    ignored."""
    cases: dict[str, Sequence[Sample]] = {}
    for result in table["results"]:
        name = _name(result)
        if name in cases:
            raise LabError(f"{path} has two results named {name}: use hyperfine -n to name them")
        cases[name] = _samples(result, f"{path}: {name}")
    return Source(cases, one_process=False)


def _name(result: Mapping[str, Any]) -> str:
    """The command, followed by the parameters that it does not contain."""
    command = str(result["command"])
    parameters = result.get("parameters") or {}
    more = [f"{key}={value}" for key, value in parameters.items() if str(value) not in command]
    return " ".join([command, *more])


def _samples(result: Mapping[str, Any], where: str) -> list[Sample]:
    times = result.get("times")
    if not isinstance(times, list):
        raise LabError(f"{where} has no individual times, only means")
    codes = result.get("exit_codes") or [0] * len(times)
    memory = result.get("memory_usage_byte") or [None] * len(times)
    if len(codes) != len(times) or len(memory) != len(times):
        raise LabError(f"{where}: the numbers of times, exit codes and memory values differ")
    return [_sample(time, code, peak) for time, code, peak in zip(times, codes, memory)]


def _sample(time: Any, code: int | None, peak: Any) -> Sample:
    if code is None:
        return Sample(failure="it was killed by a signal")
    if code != 0:
        return Sample(failure=f"it exited with {code}")
    if not isinstance(time, (int, float)) or not math.isfinite(time) or time <= 0:
        return Sample(failure=f"it took {time} s")
    memory = {"peak_memory": float(peak)} if isinstance(peak, (int, float)) else {}
    return Sample({"time": float(time), **memory})
