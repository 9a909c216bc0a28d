"""What an analysis says: rows, each a contender beside the baseline, with a verdict."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence

from fathom_lab.experiment import Experiment, Measure, Point


class Verdict(enum.Enum):
    """Of a contender beside the baseline. For other measures than times: better and worse."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference"  # that matters: the whole interval lies within the tolerance
    UNKNOWN = "cannot tell"


@dataclasses.dataclass(frozen=True)
class Interval:
    low: float
    high: float
    confidence: float  # that it holds the true median


@dataclasses.dataclass(frozen=True)
class Row:
    """A contender beside the baseline at one point, by one measure. Ratios are contender / baseline."""

    measure: Measure
    point: Point
    contender: str
    baseline: str
    rounds: int  # in which both have a value
    value: float  # the contender's median over rounds, in the measure's unit
    baseline_value: float
    ratio: float  # median over rounds
    interval: Interval | None  # None: too few rounds for one
    p_value: float  # of no difference, corrected for the number of rows
    verdict: Verdict
    smallest_visible: float  # the effect that these rounds would have shown, 0.02 for 2 %; inf: none
    values: tuple[float, ...]  # the contender's, by round
    baseline_values: tuple[float, ...]
    modes: tuple[float, ...]  # of the contender's values, where they fall into several heaps; else empty
    spread_within: float  # between repetitions of a launch, relative; nan with one
    spread_between: float  # between rounds
    autocorrelation: float  # of the log ratios of neighbouring rounds; nan: too few
    why: Mapping[str, tuple[float, float]]  # medians: contender, baseline
    notes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Failure:
    contender: str
    point: Point
    launches: int  # that failed
    of: int
    reason: str  # the first
    output: str


@dataclasses.dataclass(frozen=True)
class Analysis:
    experiment: Experiment
    rows: Sequence[Row]  # without those of the baseline once more
    again: Sequence[Row]  # these: what looks like a difference and is none
    failures: Sequence[Failure]
    missing: Mapping[str, str]  # contenders that could not take part, and why
    rounds: int
    complete: bool  # False: it was interrupted
    answer: str  # a sentence
