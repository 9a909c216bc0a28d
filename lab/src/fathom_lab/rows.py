"""What an analysis says: rows, each a contender beside the baseline, with a verdict."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence

from fathom_lab.experiment import Experiment, Measure, Point
from fathom_lab.goal import Goal


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
    interval: Interval | None  # of this row alone; None: too few rounds for one
    p_value: float  # of no difference, corrected for the number of rows; 1 where no verdict may be given
    verdict: Verdict
    smallest_visible: float  # the effect that these rounds would have shown, 0.02 for 2 %; inf: none, or not known
    values: tuple[float, ...]  # the contender's, by round
    baseline_values: tuple[float, ...]
    modes: tuple[float, ...]  # of the contender's values, where they fall into several heaps; else empty
    autocorrelation: float  # of the log ratios of neighbouring rounds; nan: too few
    why: Mapping[str, tuple[float, float]]  # medians: contender, baseline
    notes: tuple[str, ...]
    joint: Interval | None = None  # holds for all rows of the measure together; None: too few rounds for so many rows
    exact: bool = False  # a count that was the same in all rounds, also in those of the baseline beside itself
    refused: str = ""  # why there is no verdict though the numbers alone would give one
    baseline_modes: tuple[float, ...] = ()
    reported: int = 0  # successful launches of the contender that have this measure
    launches: int = 0  # all that were successful
    baseline_reported: int = 0
    baseline_launches: int = 0


@dataclasses.dataclass(frozen=True)
class Failure:
    contender: str
    point: Point
    launches: int  # that failed
    of: int
    reason: str  # the first
    output: str


@dataclasses.dataclass(frozen=True)
class Deviation:
    """How far a contender is off what the baseline found: see agreement.py."""

    contender: str
    point: Point
    number: str
    relative: float  # 0.01: 1 % more


class Stand(enum.Enum):
    """Of a goal."""

    MET = "met"
    MISSED = "missed"
    OPEN = "open"


@dataclasses.dataclass(frozen=True)
class Standing:
    """How a goal stands at one point."""

    goal: Goal
    measure: Measure
    point: Point
    stand: Stand
    figure: float = math.nan  # median over rounds, of what the goal is about: a ratio, a difference or a value
    interval: Interval | None = None
    limit: float = math.nan  # with what `plus` adds
    beside: str = ""  # which of the goal's `of` the ratio is to
    why: str = ""  # it is open; else what a reader should know


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
    goals: Sequence[Standing] = ()
    deviations: Sequence[Deviation] = ()
