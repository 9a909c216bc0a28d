"""Measures the rate of false alarms on this machine: compares a program with itself many times and counts the
differences."""

from __future__ import annotations

import dataclasses
import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy import stats

from fathom_lab import experiment, formatting, runner
from fathom_lab.analysis import analyze
from fathom_lab.errors import LabError
from fathom_lab.experiment import Experiment
from fathom_lab.records import Launch
from fathom_lab.rows import Analysis
from fathom_lab.run_folder import RunFolder, Settings
from fathom_lab.stats.effect import LEVEL, false_alarm_rate, rounds_needed

# Most of the time is the start of the interpreter: a few milliseconds of CPU time and page faults, the same each time.
_WORK = "sum(number * number for number in range(50_000))"

Source = Callable[[Experiment, int], Sequence[Launch]]  # runs the experiment with the given seed


@dataclasses.dataclass(frozen=True)
class Calibration:
    comparisons: int  # of a program with itself
    rounds: int  # in each comparison
    alarms: int  # comparisons whose p-value indicates a difference
    expected: float  # exact rate of alarms of the test: at most the nominal 0.05, less with few rounds
    detectable_effect: float  # median over comparisons of the smallest visible effect
    seconds: float
    interrupted: bool = False

    @property
    def rate(self) -> float:
        return self.alarms / self.comparisons

    def interval(self) -> tuple[float, float]:
        """Contains the true rate with at least 95 % confidence (Clopper and Pearson)."""
        found = stats.binomtest(self.alarms, self.comparisons).proportion_ci(0.95, "exact")
        return float(found.low), float(found.high)

    def holds(self) -> bool:
        """Whether the number of alarms is consistent with the nominal rate. If not, do not trust verdicts from this
        machine. True proves little: this few comparisons cannot distinguish the nominal rate from interval()[1]."""
        return self.interval()[0] <= LEVEL

    def sentence(self) -> str:
        low, high = (100.0 * one for one in self.interval())
        found = (
            f"{self.alarms} of {formatting.several(self.comparisons, 'comparison')} of a program with itself found a "
            f"difference: {100.0 * self.rate:.1f} % ({low:.1f} to {high:.1f} %); the expected rate is "
            f"{100.0 * self.expected:.1f} % with {self.rounds} rounds, and at most {100.0 * LEVEL:.0f} % is promised"
        )
        if not self.holds():
            return f"{found}. That is more than chance explains: do not trust verdicts from this machine."
        seen = (
            f"an effect of {formatting.percent(self.detectable_effect)} would have been seen in the median comparison"
            if math.isfinite(self.detectable_effect) else "the effect that would have been seen is not known"
        )
        return (
            f"{found}. This is consistent with the promise, but so few comparisons are also consistent with a rate "
            f"of up to {high:.0f} %; {seen}."
        )


def calibrate(
    comparisons: int = 50,
    rounds: int = 20,
    seconds: float = 600.0,
    launches: Source | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Calibration:
    """Ends after the given number of comparisons, or after the comparison that is running when the given time has
    passed. KeyboardInterrupt ends it with the comparisons that are complete, if there are any.

    Everything is as in any other run: the same runner, processes, rounds in random order, and analysis.
    """
    if comparisons < 1 or rounds < rounds_needed(1):
        raise LabError(f"calibrate needs at least one comparison and {rounds_needed(1)} rounds")
    began = time.monotonic()
    source = launches or _in_processes
    found: list[Analysis] = []
    interrupted = False
    try:
        while len(found) < comparisons and (not found or time.monotonic() - began < seconds):
            on_progress(len(found), comparisons)
            found.append(_compared(_experiment(rounds), source, seed=len(found)))
    except KeyboardInterrupt:
        if not found:
            raise
        interrupted = True
    rows = [one.again[0] for one in found]
    return Calibration(
        comparisons=len(rows),
        rounds=rounds,
        alarms=sum(row.p_value < LEVEL for row in rows),
        expected=false_alarm_rate(rounds),
        detectable_effect=float(np.median([row.detectable_effect for row in rows])),
        seconds=time.monotonic() - began,
        interrupted=interrupted,
    )


def _experiment(rounds: int) -> Experiment:
    """One contender, which the lab also compares with itself."""
    command = [sys.executable, "-I", "-S", "-c", _WORK]
    return experiment.parse(
        {
            "question": "Does a program differ from itself?",
            "baseline": "work",
            "contender": [{"name": "work", "driver": "command", "command": command}],
            "measures": ["wall"],
            "plan": {"rounds": rounds, "timeout": 60.0},
        },
        "calibrate",
    )


def _compared(one: Experiment, source: Source, seed: int) -> Analysis:
    found = analyze(one, source(one, seed), {}, True)
    if not found.again:
        reason = found.failures[0].reason if found.failures else "there were no launches"
        raise LabError(f"calibrate could not run {one.baseline}: {reason}")
    return found


def _in_processes(one: Experiment, seed: int) -> list[Launch]:
    with tempfile.TemporaryDirectory(prefix="fathom-lab-") as scratch:
        folder = RunFolder.create(Path(scratch), {})
        folder.add(one, Settings(seed=seed, root=scratch))
        runner.run(one, folder, seed=seed)
        return folder.launches(one.name)
