"""Drivers: how a kind of program is started, and how its numbers are read. One small module each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from fathom_lab.errors import LabError
from fathom_lab.process import Finished, Invocation


class Driver(Protocol):
    """Options are a contender's, with {PARAMETER} already replaced by its value."""

    def check(self, options: Mapping[str, Any]) -> None:
        """Raises LabError with a sentence for options that are missing, unknown or of the wrong kind."""

    def missing(self, options: Mapping[str, Any]) -> str:
        """Why the contender cannot take part here, "hyperfine is not installed" say; empty if it can."""

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        """What to start for that many measurements, those that will be dropped included."""

    def read(self, options: Mapping[str, Any], finished: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        """The values of each measurement, in their order: exactly as many. Raises NoResult."""


def driver(name: str) -> Driver:
    from fathom_lab.drivers import command, go_test, google_benchmark

    drivers: dict[str, Driver] = {
        "command": command.Command(),
        "google-benchmark": google_benchmark.GoogleBenchmark(),
        "go-test": go_test.GoTest(),
    }
    if name not in drivers:
        raise LabError(f"there is no driver {name}; there are {', '.join(drivers)}")
    return drivers[name]
