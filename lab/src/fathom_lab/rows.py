"""The results of an analysis: rows, each of which compares a contender with the baseline and has a verdict."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence

from fathom_lab.experiment import Experiment, Measure, Point
from fathom_lab.goal import Goal


class Verdict(enum.Enum):
    """Of a contender compared with the baseline. For measures other than times it means better or worse."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference"  # the whole interval lies within the tolerance
    UNKNOWN = "cannot tell"


@dataclasses.dataclass(frozen=True)
class Interval:
    low: float
    high: float
    confidence: float  # probability that it contains the true median


@dataclasses.dataclass(frozen=True)
class Row:
    """A contender compared with the baseline at one point, by one measure. Ratios are contender / baseline."""

    measure: Measure
    point: Point
    contender: str
    baseline: str
    rounds: int  # in which both have a value
    value: float  # the contender's median over rounds, in the measure's unit
    baseline_value: float
    ratio: float  # median over rounds
    interval: Interval | None  # holds for all rows of the measure together; None: too few rounds
    p_value: float  # of no difference, corrected for the number of rows; 1 if there must be no verdict
    verdict: Verdict
    detectable_effect: float  # the effect that these rounds would have shown, 0.02 for 2 %; inf: none, or unknown
    values: tuple[float, ...]  # the contender's, by round
    baseline_values: tuple[float, ...]
    modes: tuple[float, ...]  # centres of the clusters of the contender's values; empty if there is one cluster
    autocorrelation: float  # of the log ratios of consecutive rounds; nan: too few rounds
    diagnostics: Mapping[str, tuple[float, float]]  # medians of diagnostics: contender, baseline
    notes: tuple[str, ...]
    alone: Interval | None = None  # the narrower interval that holds for this row only; None: too few rounds
    exact: bool = False  # a count that was the same in all rounds, including those of the baseline's second copy
    vetoed: str = ""  # why there is no verdict though the numbers alone would give one
    baseline_modes: tuple[float, ...] = ()
    reported: int = 0  # successful launches of the contender that have this measure
    launches: int = 0  # successful launches of the contender
    baseline_reported: int = 0
    baseline_launches: int = 0


@dataclasses.dataclass(frozen=True)
class Failure:
    contender: str
    point: Point
    launches: int  # failed launches
    of: int  # all launches
    reason: str  # of the first failure
    output: str


@dataclasses.dataclass(frozen=True)
class Deviation:
    """How far a number of a contender differs from the baseline's: see agreement.py."""

    contender: str
    point: Point
    number: str
    relative: float  # 0.01: 1 % more


class GoalState(enum.Enum):
    """The state of a goal."""

    MET = "met"
    MISSED = "missed"
    OPEN = "open"


@dataclasses.dataclass(frozen=True)
class GoalResult:
    """The state of a goal at one point."""

    goal: Goal
    measure: Measure
    point: Point
    state: GoalState
    figure: float = math.nan  # median over rounds of the goal's ratio, difference or value
    interval: Interval | None = None
    limit: float = math.nan  # including `plus`
    beside: str = ""  # the contender of the goal's `of` to which the ratio is
    reason: str = ""  # why it is open, or a note for readers


@dataclasses.dataclass(frozen=True)
class Analysis:
    experiment: Experiment
    rows: Sequence[Row]  # without those of the baseline's second copy
    again: Sequence[Row]  # the baseline compared with itself: every difference here is noise
    failures: Sequence[Failure]
    missing: Mapping[str, str]  # contenders that could not run, and why
    rounds: int
    complete: bool  # False: it was interrupted
    answer: str  # a sentence
    goals: Sequence[GoalResult] = ()
    deviations: Sequence[Deviation] = ()
