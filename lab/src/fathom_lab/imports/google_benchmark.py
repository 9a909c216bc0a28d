"""Imports JSON of Google Benchmark: --benchmark_out, with repetitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fathom_lab.drivers import google_benchmark
from fathom_lab.errors import LabError, NoResult
from fathom_lab.imports.source import Sample, Source


def knows(table: Any) -> bool:
    return isinstance(table, dict) and "context" in table and "benchmarks" in table


def read(table: Any, path: Path) -> Source:
    try:
        report = google_benchmark.parse(json.dumps(table).encode())
    except NoResult as error:
        raise LabError(f"{path} cannot be read: {error}") from error
    cases: dict[str, list[Sample]] = {}
    for row in report.rows:
        if row.get("run_type", "iteration") == "iteration":
            name = str(row.get("run_name", row.get("name")))
            cases.setdefault(name, []).append(_sample(row, report.thread_time()))
    if report.rows and not cases:
        raise LabError(f"{path} contains only means: create it with --benchmark_report_aggregates_only=false")
    return Source(cases, one_process=True)


def _sample(row: Any, thread_time: str) -> Sample:
    try:
        return Sample(google_benchmark.values(row, thread_time))
    except NoResult as error:
        return Sample(failure=str(error))
