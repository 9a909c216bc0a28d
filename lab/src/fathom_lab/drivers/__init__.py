"""Drivers start one kind of program each and read its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from fathom_lab.drivers.profiling import Profiling
from fathom_lab.errors import LabError
from fathom_lab.process import Finished, Invocation


class Driver(Protocol):
    """Options are those of a contender, with {PARAMETER} already replaced by its value."""

    def check(self, options: Mapping[str, Any]) -> None:
        """Raises LabError for options that are missing, unknown or of the wrong type."""

    def missing(self, options: Mapping[str, Any]) -> str:
        """Why the contender cannot run here, such as "hyperfine is not installed"; empty if it can."""

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        """What to start for this many measurements, including those that will be dropped."""

    def read(self, options: Mapping[str, Any], finished: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        """The values of each measurement, in order: exactly `repetitions` of them. Raises NoResult."""

    def profiling(self, options: Mapping[str, Any], kind: str, stem: Path) -> Profiling:
        """What to start for one of profiling.KINDS. The file's name is the stem with an ending. Raises NotProfiled."""


def driver(name: str) -> Driver:
    from fathom_lab.drivers import command, go_test, google_benchmark

    drivers: dict[str, Driver] = {
        "command": command.Command(),
        "google-benchmark": google_benchmark.GoogleBenchmark(),
        "go-test": go_test.GoTest(),
    }
    if name not in drivers:
        raise LabError(f"unknown driver {name}; the drivers are {', '.join(drivers)}")
    return drivers[name]
