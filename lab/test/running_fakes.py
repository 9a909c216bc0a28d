"""A fake driver and fake processes, to test rounds without starting programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom_lab import drivers, experiment, process, runner
from fathom_lab.errors import LabError, NoResult
from fathom_lab.experiment import Experiment
from fathom_lab.process import Finished, Invocation
from fathom_lab.run_folder import RunFolder, Settings

Behaviour = Callable[[str], Finished]


def finished(output: str = "1.0", **changes: Any) -> Finished:
    facts = {"exit_code": 0, "timed_out": False, "wall": 1.0, "user": 0.5, "system": 0.1, "peak_memory": 1 << 20,
             "output": output.encode(), "errors": b"", "diagnostics": {"page_faults": 3.0}}
    return Finished(**{**facts, **changes})


class FakeDriver:
    """The option `is` is the contender's name; its output is the times, separated by commas."""

    def check(self, options: Mapping[str, Any]) -> None:
        if set(options) - {"is", "absent", "more"}:
            raise LabError(f"unknown options: {options}")

    def missing(self, options: Mapping[str, Any]) -> str:
        return str(options.get("absent", ""))

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        return Invocation((options["is"], str(repetitions)))

    def read(self, options: Mapping[str, Any], done: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        if done.exit_code:
            raise NoResult(f"{options['is']} ended with {done.exit_code}")
        return [{"time": float(one)} for one in done.output.decode().split(",")]


class Processes:
    """The started processes, in order, and their behaviour."""

    def __init__(self) -> None:
        self.started: list[Invocation] = []
        self.placed: list[tuple[Any, int, bool]] = []
        self.behaviour: Behaviour = lambda name: finished()

    def run(
        self, invocation: Invocation, timeout: float, *, cpus: Any = None, nice: int = 0, counters: bool = False
    ) -> Finished:
        self.started.append(invocation)
        self.placed.append((cpus, nice, counters))
        return self.behaviour(invocation.command[0])

    def names(self) -> list[str]:
        return [one.command[0] for one in self.started]


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    fake = Processes()
    monkeypatch.setattr(process, "run", fake.run, raising=False)
    monkeypatch.setattr(drivers, "driver", lambda name: FakeDriver())
    return fake


def described(names: Sequence[str] = ("old", "new"), **table: Any) -> Experiment:
    """Contenders that print their names; the first is the baseline."""
    contenders = [{"name": name, "driver": "fake", "is": name} for name in names]
    plan = {"rounds": 3, "warmup_rounds": 0, **table.pop("plan", {})}
    whole = {"question": "Which?", "baseline": names[0], "contender": contenders, "plan": plan, **table}
    return experiment.parse(whole, "which")


def new_folder(into: Path, one: Experiment, seed: int = 1) -> RunFolder:
    folder = RunFolder.create(into, {"host": "here", "commit": "0123456789abcdef"})
    folder.add(one, Settings(seed, str(into)))
    return folder


def run(folder: RunFolder, one: Experiment, seed: int = 1, **more: Any) -> None:
    runner.run(one, folder, seed=seed, **more)
