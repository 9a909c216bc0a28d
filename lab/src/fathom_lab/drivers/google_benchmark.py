"""Driver for one case of a Google Benchmark executable.

    driver = "google-benchmark"
    program = "build/release/bin/bench_rt"
    benchmark = "rt/spsc/items/fathom/manual_time"  # the full name, as --benchmark_list_tests prints it

For cases with several threads, the library before 1.9.0 reports the wall time divided by the number of threads;
later versions report the wall time. The driver always returns the wall time of one iteration of one thread. If the
library was built without its version, thread_time says what it reports.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import attrs

from fathom_lab import schema
from fathom_lab.drivers.options import Options, check_ended_well, check_time
from fathom_lab.drivers.profiling import Profiling, with_perf
from fathom_lab.errors import NoResult
from fathom_lab.experiment import MOST_SECONDS
from fathom_lab.process import RESULTS, Finished, Invocation
from fathom_lab.schema import InvalidValue, OneOf, Text, doc, filled

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

# The numeric fields of a row that are not counters; all other numeric fields are counters.
_FIELDS = frozenset(
    "family_index per_family_instance_index repetitions repetition_index threads iterations real_time cpu_time".split()
)


def _min_time(value: Any) -> str:
    """Formats it as a plain number, which all versions accept; "0.05s" and "100x" need 1.8.0."""
    text = str(value).strip().removesuffix("s")
    if text == "" or re.fullmatch(r"[1-9][0-9]*x", text):
        return text
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if isinstance(value, bool) or not 0 < seconds <= MOST_SECONDS:
        raise InvalidValue(f"must be a number of seconds, at most {MOST_SECONDS:g}, not {value!r}")
    return f"{seconds:.9f}".rstrip("0").rstrip(".")


@attrs.frozen(kw_only=True)
class GoogleOptions(Options):
    program: Text = attrs.field(validator=filled, metadata=doc("the executable"))
    benchmark: Text = attrs.field(validator=filled, metadata=doc(
        "the full name of one case, as --benchmark_list_tests prints it"))
    min_time: str = attrs.field(default="", metadata=doc(
        "how long each measurement runs it", kind=f"a number of seconds, at most {MOST_SECONDS:,g}",
        default="the library's", read=_min_time))
    arguments: tuple[Text, ...] = attrs.field(default=(), metadata=doc("further arguments of the program"))
    thread_time: str = attrs.field(default="", validator=OneOf(("", "divided", "wall")), metadata=doc(
        "what a library without its version reports as the time of cases with threads: that of all threads divided by "
        "their number (before 1.9.0), or the wall time", default="by the library's version"))


class GoogleBenchmark:
    def check(self, options: Mapping[str, Any]) -> None:
        schema.read(GoogleOptions, options)

    def missing(self, options: Mapping[str, Any]) -> str:
        chosen = schema.read(GoogleOptions, options)
        return chosen.missing(chosen.program)

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        """The report goes to a file, because programs print other text, too."""
        chosen = schema.read(GoogleOptions, options)
        command = [
            chosen.program,
            f"--benchmark_filter=^{escaped(chosen.benchmark)}$",
            f"--benchmark_repetitions={repetitions}",
            "--benchmark_report_aggregates_only=false",
            f"--benchmark_out={RESULTS}",
            "--benchmark_out_format=json",
        ]
        if chosen.min_time:
            command.append(f"--benchmark_min_time={chosen.min_time}")
        return Invocation((*command, *chosen.arguments), chosen.environment, chosen.place())

    def read(self, options: Mapping[str, Any], finished: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        chosen = schema.read(GoogleOptions, options)
        check_ended_well(finished)
        if not finished.results.strip() and b"Failed to match any benchmarks" in finished.errors + finished.output:
            raise NoResult(_absent(chosen.benchmark))
        report = parse(finished.results)
        rows = [row for row in report.rows if row.get("run_type", "iteration") == "iteration"]
        _check_one_case(rows, chosen.benchmark)
        if len(rows) != repetitions:
            raise NoResult(f"it reported {len(rows)} measurements of {chosen.benchmark}, expected {repetitions}")
        return [values(row, chosen.thread_time or report.thread_time()) for row in rows]

    def profiling(self, options: Mapping[str, Any], kind: str, stem: Path) -> Profiling:
        return with_perf(self.invocation(options, 1), kind, stem)


@dataclasses.dataclass(frozen=True)
class Report:
    """The library's report: facts about the machine, and rows."""

    context: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]

    def thread_time(self) -> str:
        """How the library reports the time of cases with threads; empty if its version is unknown.

        It has reported its version since 1.8.4, so a report without a version is from an older one. Built without
        git, it says v0.0.0. Between 1.8 and 1.9 the suffix identifies the commit, but not whether it is before the
        change.
        """
        version = self.context.get("library_version")
        if version is None:
            return "divided"
        match = re.match(r"v?(\d+)\.(\d+)", str(version))
        numbers = (int(match[1]), int(match[2])) if match else (0, 0)
        if numbers >= (1, 9):
            return "wall"
        released = re.fullmatch(r"v?[\d.]+", str(version)) is not None
        return "divided" if released and numbers > (0, 0) else ""



def parse(text: bytes) -> Report:
    """Parses a report. Raises NoResult if it is not one."""
    if not text.strip():
        raise NoResult("it wrote no report: is it a Google Benchmark executable?")
    try:
        table = json.loads(text)
        context, rows = table["context"], table["benchmarks"]
    except (ValueError, LookupError, TypeError) as error:
        raise NoResult("its report is not Google Benchmark JSON") from error
    if not isinstance(context, dict) or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise NoResult("its report is not Google Benchmark JSON")
    return Report(context, rows)


def values(row: Mapping[str, Any], thread_time: str) -> dict[str, float]:
    """The values of one measurement. Raises NoResult if it failed or has no time."""
    if row.get("error_occurred"):
        raise NoResult(f"it says: {row.get('error_message', 'an error occurred')}")
    if row.get("skipped"):
        raise NoResult(f"it was skipped: {row.get('skip_message', 'no reason given')}")
    unit = _UNITS.get(row.get("time_unit", "ns"))
    real, cpu = row.get("real_time"), row.get("cpu_time")
    if unit is None or not _is_number(real) or not _is_number(cpu):
        raise NoResult(f"{row.get('name')} has no times")
    if not math.isfinite(cpu):
        raise NoResult(f"it reported {cpu} as cpu_time")
    found = {
        "time": check_time(real * unit * _threads_factor(row, thread_time), "time"),
        "cpu_time": max(cpu, 0.0) * unit,
    }
    counters = {key: value for key, value in row.items() if key not in _FIELDS and _is_number(value)}
    for key, value in counters.items():
        if not math.isfinite(value):
            raise NoResult(f"it reported {value} as {key}")
    return {**counters, **found}


def escaped(name: str) -> str:
    """Escapes a name for POSIX extended and C++ regular expressions: these are the only escapes that both support."""
    return re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", name)


def _threads_factor(row: Mapping[str, Any], thread_time: str) -> int:
    threads = row.get("threads", 1)
    if threads == 1 or thread_time == "wall":
        return 1
    if thread_time == "divided":
        return int(threads)
    raise NoResult(
        "its library does not report its version, so its time with several threads is ambiguous: "
        'set thread_time to "divided" (before 1.9.0) or "wall"'
    )


def _check_one_case(rows: Iterable[Mapping[str, Any]], wanted: str) -> None:
    names = sorted({str(row.get("run_name", row.get("name"))) for row in rows})
    if not names:
        raise NoResult(_absent(wanted))
    if names != [wanted]:
        raise NoResult(f"it ran {', '.join(names)} instead of {wanted}")


def _absent(wanted: str) -> str:
    return f"it has no benchmark {wanted}: --benchmark_list_tests lists its benchmarks"


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
