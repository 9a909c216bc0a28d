"""Driver for one benchmark of a Go test binary.

    driver = "go-test"
    binary = "build/lab/queue.test"
    benchmark = "BenchmarkRing/burst"  # without the -N that Go adds for GOMAXPROCS

The experiment's build commands build the binary:

    build = [["go", "-C", "go", "test", "-c", "-o", "../build/lab/queue.test", "./queue"]]
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from fathom_lab import schema
from fathom_lab.drivers.options import Options, check_ended_well, check_time
from fathom_lab.drivers.profiling import Profiling
from fathom_lab.errors import NoResult
from fathom_lab.process import Finished, Invocation
from fathom_lab.schema import InvalidValue, Text, doc, filled

# By Go's unit: the measure, and the factor to its unit.
_UNITS = {
    "ns/op": ("time", 1e-9),
    "B/op": ("allocated_bytes", 1.0),
    "allocs/op": ("allocations", 1.0),
    "MB/s": ("bytes_per_second", 1e6),
}

# By the kind of a profile: Go's flag, the ending of the file, and the tool that shows it.
_PROFILES = {
    "cpu": ("cpuprofile", ".cpu.pprof", "pprof"),
    "memory": ("memprofile", ".memory.pprof", "pprof"),
    "trace": ("trace", ".trace", "trace"),
}

_MOST_PROCESSORS = 65_536

# A name, the number of iterations, and pairs of value and unit.
_LINE = re.compile(r"^(Benchmark\S*)[ \t]+[0-9]+((?:[ \t]+\S+[ \t]+\S+)+)[ \t]*$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Measurement:
    name: str  # with the -N that Go adds
    values: Mapping[str, float]


def _benchmark(value: Any) -> str:
    """Spaces become underscores, as in Go."""
    if not isinstance(value, str) or not value.startswith("Benchmark"):
        raise InvalidValue(f"must start with Benchmark, as in Go, not {value!r}")
    return value.replace(" ", "_")


def _benchtime(value: Any) -> str:
    """Converts seconds to Go's format."""
    text = str(value)
    if re.fullmatch(r"[0-9]*\.?[0-9]+", text):
        text += "s"
    if isinstance(value, bool) or (text and not re.fullmatch(r"[0-9.]+(ns|us|µs|ms|s|m|h|x)", text)):
        raise InvalidValue(f'must be a number of seconds or a string like "100x", not {value!r}')
    return text


def _cpu(value: Any) -> int:
    """Parses the number of processors; the value of a parameter is a string."""
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > _MOST_PROCESSORS:
        raise InvalidValue(f"must be a number of processors, at most {_MOST_PROCESSORS}, not {value!r}")
    return int(text)


@attrs.frozen(kw_only=True)
class GoOptions(Options):
    binary: Text = attrs.field(validator=filled, metadata=doc("the test binary, which `go test -c` writes"))
    benchmark: str = attrs.field(metadata=doc(
        "its full name, without the -N that Go adds for GOMAXPROCS", kind="a string", read=_benchmark))
    benchtime: str = attrs.field(default="", metadata=doc(
        "how long, or how often, each measurement runs it", kind='a number of seconds, or a string such as "100x"',
        default="1 s, Go's", read=_benchtime))
    cpu: int = attrs.field(default=0, metadata=doc(
        "GOMAXPROCS", kind=f"a whole number, at most {_MOST_PROCESSORS:,}", default="Go's", read=_cpu))
    arguments: tuple[Text, ...] = attrs.field(default=(), metadata=doc("further arguments of the binary"))


class GoTest:
    def check(self, options: Mapping[str, Any]) -> None:
        schema.read(GoOptions, options)

    def missing(self, options: Mapping[str, Any]) -> str:
        chosen = schema.read(GoOptions, options)
        return chosen.missing(chosen.binary)

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        chosen = schema.read(GoOptions, options)
        command = [
            chosen.binary,
            "-test.run=^$",
            f"-test.bench={_filter(chosen.benchmark)}",
            f"-test.count={repetitions}",
            "-test.benchmem",
            "-test.timeout=0",
        ]
        if chosen.benchtime:
            command.append(f"-test.benchtime={chosen.benchtime}")
        if chosen.cpu:
            command.append(f"-test.cpu={chosen.cpu}")
        return Invocation((*command, *chosen.arguments), chosen.environment, chosen.place())

    def read(self, options: Mapping[str, Any], finished: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        chosen = schema.read(GoOptions, options)
        check_ended_well(finished)
        found = list(parse(finished.output.decode(errors="replace")))
        _check_one(sorted({one.name for one in found}), chosen.benchmark)
        if len(found) != repetitions:
            raise NoResult(f"it reported {len(found)} measurements of {chosen.benchmark}, expected {repetitions}")
        return [one.values for one in found]

    def profiling(self, options: Mapping[str, Any], kind: str, stem: Path) -> Profiling:
        flag, ending, tool = _PROFILES[kind]
        invocation = self.invocation(options, 1)
        binary, *flags = invocation.command
        file = stem.with_name(f"{stem.name}{ending}")
        command = (binary, f"-test.{flag}={file}", *flags)
        shown = ("go", "tool", tool, *((binary,) if tool == "pprof" else ()), str(file))
        return Profiling(dataclasses.replace(invocation, command=command), file, shown)


def parse(output: str) -> Iterator[Measurement]:
    """Yields the result of each line that has one. Raises NoResult for invalid numbers."""
    for match in _LINE.finditer(output):
        words = match[2].split()
        yield Measurement(match[1], _values(match[1], list(zip(words[::2], words[1::2]))))


def bare(name: str) -> str:
    """The name without the -N that Go adds unless GOMAXPROCS is 1."""
    return re.sub(r"-[0-9]+$", "", name)


def _values(name: str, pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    values = {}
    for text, unit in pairs:
        measure, factor = _UNITS.get(unit, (unit, 1.0))
        try:
            value = float(text) * factor
        except ValueError:
            raise NoResult(f"{name}: {text!r} {unit} is not a number") from None
        if not math.isfinite(value):
            raise NoResult(f"{name} reported {text} {unit}")
        values[measure] = check_time(value, "time") if measure == "time" else value
    return values


def _check_one(names: Sequence[str], wanted: str) -> None:
    """Checks that the one requested benchmark ran. A name may itself end with a number, so both forms are accepted."""
    if not names:
        raise NoResult(f"it reported no result for {wanted}: it has no such benchmark, or skips it")
    if len(names) > 1 or wanted not in (names[0], bare(names[0])):
        raise NoResult(f"it ran {', '.join(names)} instead of {wanted}")


def _filter(benchmark: str) -> str:
    """The -test.bench pattern: Go matches each level of the name separately and unanchored."""
    return "/".join(f"^{re.escape(level)}$" for level in benchmark.split("/"))
