"""Reasons to give no verdict although the numbers alone would give one: data that they omit contradicts it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np

from fathom_lab import formatting
from fathom_lab.experiment import Experiment, Measure, Point
from fathom_lab.rows import Failure, Verdict
from fathom_lab.stats.comparison import Comparison

_SEQUENTIAL = (
    "contenders were measured one after the other, so a machine that became slower in the meantime looks like a slower "
    "contender"
)


@dataclasses.dataclass(frozen=True)
class Circumstances:
    """Facts about a row other than its numbers."""

    measure: Measure
    point: Point
    contender: str
    baseline: str
    lost: int  # rounds in which only the baseline has a value
    baseline_lost: int  # rounds in which only the contender has a value
    clusters: bool  # whether the values of either form two clusters
    carried: float  # log ratio: difference of baseline launches right after the contender; 0: none is known


def interleaved(experiment: Experiment) -> bool:
    """Whether the contenders were interleaved. False for imported results: see imports/."""
    return all(one.driver != "imported" for one in experiment.contenders)


def veto(verdict: Verdict, around: Circumstances, compared: Comparison, values: Sequence[float],
         baseline_values: Sequence[float], tolerance: float, failures: Sequence[Failure]) -> str:
    """Why there is no verdict; empty if the verdict may stand."""
    reasons = (
        _by_failures(verdict, around, failures),
        _by_the_mean(verdict, around, compared, values, baseline_values, tolerance),
        _by_carry_over(verdict, around, compared, tolerance),
    )
    return "" if verdict is Verdict.UNKNOWN else next(filter(None, reasons), "")


def sequential(experiment: Experiment) -> str:
    return "" if interleaved(experiment) else _SEQUENTIAL


def mean_contradicts(excess: Sequence[float], clusters: bool) -> bool:
    """Whether the mean contradicts a median of at most 0: it exceeds 0 by more than its own error."""
    return float(np.mean(excess)) > (0.0 if clusters else _error_of_the_mean(excess))


def _error_of_the_mean(values: Sequence[float]) -> float:
    """The standard error of the mean, estimated with ddof = 1. 0 for a single value."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def failed(one: Failure) -> str:
    return f"{one.contender} failed in {one.launches} of {formatting.several(one.of, 'launch', 'launches')}"


def without_value(contender: str, lost: int) -> str:
    return f"{contender} has no value in {formatting.several(lost, 'round')}"


def _by_failures(verdict: Verdict, around: Circumstances, failures: Sequence[Failure]) -> str:
    """A contender that fails or times out in slow launches looks fast in the remaining ones."""
    suspects = []
    if around.lost and verdict is not Verdict.SLOWER:
        suspects.append((around.contender, around.lost))
    if around.baseline_lost and verdict is not Verdict.FASTER:
        suspects.append((around.baseline, around.baseline_lost))
    for name, lost in suspects:
        reason = next((failed(one) for one in failures if (one.contender, one.point) == (name, around.point)), "")
        reason = reason or without_value(name, lost)
        return f"{reason}, and the remaining launches may flatter it"
    return ""


def _by_the_mean(verdict: Verdict, around: Circumstances, compared: Comparison, values: Sequence[float],
                 baseline_values: Sequence[float], tolerance: float) -> str:
    """The median shows what usually happens, the mean the cost of all rounds together. With two clusters, the mean must
    not contradict the verdict; otherwise it must not contradict it by more than its own error: the longer the tail,
    the less the median represents."""
    more = (np.asarray(values) - np.asarray(baseline_values)).tolist()
    mean, error = float(np.mean(more)), _error_of_the_mean(more)
    errors = 2.0 if verdict is Verdict.SAME else 1.0
    if not around.clusters and abs(mean) <= errors * error:
        return ""
    relative = mean / abs(float(np.mean(baseline_values))) if np.mean(baseline_values) else math.inf
    if verdict is Verdict.SAME:
        contradicts = abs(relative) > tolerance
    else:
        contradicts = mean * compared.direction() < 0.0
    if not contradicts or not math.isfinite(relative):
        return ""
    change = formatting.percent(abs(relative))
    return (f"the median describes most rounds, but on average {around.contender} has {change} "
            f"{'more' if relative > 0.0 else 'less'} than {around.baseline}")


def _by_carry_over(verdict: Verdict, around: Circumstances, compared: Comparison, tolerance: float) -> str:
    """The whole interval must lie beyond the after-effect."""
    if not around.carried or compared.bounds is None or not compared.logarithmic:
        return ""
    own = math.log(min(compared.bounds[:2], key=lambda end: abs(math.log(end))))
    if verdict is Verdict.SAME:
        doubtful = abs(around.carried) > math.log1p(tolerance)
    else:
        doubtful = own * around.carried < 0.0 and abs(own) <= abs(around.carried)
    return f"{carried_over(around)}, which is as large as its own difference" if doubtful else ""


def carried_over(around: Circumstances) -> str:
    """The after-effect in words: a complete note, or the beginning of a sentence."""
    change = formatting.percent(abs(math.expm1(around.carried)))
    if around.measure.unit == "s":
        how = "slower" if around.carried > 0.0 else "faster"
    else:
        how = f"{'higher' if around.carried > 0.0 else 'lower'} in {formatting.measure(around.measure)}"
    return f"launches of {around.baseline} right after {around.contender} were about {change} {how}"


def notes(around: Circumstances, vetoed: str) -> Iterator[str]:
    if vetoed:
        yield f"no verdict: {vetoed}"
    elif around.carried:
        yield carried_over(around)
