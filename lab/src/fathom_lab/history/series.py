"""Series: the values of one contender and one measure, by commit."""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fathom_lab import environment, formatting
from fathom_lab.errors import LabError
from fathom_lab.experiment import Experiment, Measure, Point
from fathom_lab.gate.history import machine
from fathom_lab.records import Launch
from fathom_lab.run_folder import RunFolder

ABSOLUTE = ("note: values of different runs also differ because the machine does; if the baseline is a program that "
            "stays the same, such as the last release, ratios to it do not")


@dataclasses.dataclass(frozen=True)
class Value:
    """A median of a run."""

    commit: str
    machine: str
    value: float  # median over rounds, or of the ratios to the baseline within rounds
    options: Mapping[str, Any]  # the contender's


@dataclasses.dataclass(frozen=True)
class Series:
    """`values` are in the order in which the runs began."""

    experiment: Experiment  # of the last run
    contender: str
    measure: Measure
    point: Point
    ratio: bool  # to the baseline
    values: Sequence[Value]


@dataclasses.dataclass(frozen=True)
class Collected:
    series: Sequence[Series]
    root: str  # the project's folder in the last run, which may be that of another machine
    notes: Sequence[str]  # about runs that do not count


def collect(folders: Sequence[RunFolder], absolute: bool = False) -> Collected:
    """The series of all runs of a commit: ratios to the baseline, unless it is the only contender, or `absolute`.
    Absolute values are only those of the machine of the last run. A damaged folder does not cost the others."""
    found: dict[tuple[str, str, str, Point, bool], Series] = {}
    left_out: dict[str, int] = {}
    root = ""
    for folder in sorted(folders, key=_began):
        try:
            reason = _unusable(folder)
            of_run = [] if reason else list(_of_run(folder, absolute))
        except LabError as error:
            reason, of_run = f"that cannot be read: {error}", []
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        for series in of_run:
            root = folder.settings(series.experiment.name).root
            key = (series.experiment.name, series.contender, series.measure.name, series.point, series.ratio)
            before = found[key].values if key in found else ()
            found[key] = dataclasses.replace(series, values=(*before, *series.values))
    notes = [f"not shown: {formatting.several(count, 'run')} {reason}" for reason, count in left_out.items()]
    return Collected([one if one.ratio else _of_last_machine(one) for one in found.values()], root, notes)


def _began(folder: RunFolder) -> str:
    try:
        return str(folder.environment().get("began", ""))
    except LabError:
        return ""


def _of_last_machine(series: Series) -> Series:
    last = series.values[-1].machine
    return dataclasses.replace(series, values=[one for one in series.values if one.machine == last])


def _unusable(folder: RunFolder) -> str:
    """Why the run is not one of a commit; empty if it is."""
    facts = folder.environment()
    if facts.get("commit", environment.UNKNOWN) == environment.UNKNOWN:
        return "without a commit"
    if any(folder.settings(name).revisions for name in folder.names()):
        return "with two revisions"
    return "of uncommitted changes" if facts.get("dirty") else ""


def _of_run(folder: RunFolder, absolute: bool) -> Iterator[Series]:
    facts = folder.environment()
    for name in folder.names():
        one, launches = folder.experiment(name), folder.launches(name)
        ratio = not absolute and len(one.contenders) > 1
        for point, measure, contender in itertools.product(one.points(), one.measures, one.contenders):
            values = _by_round(launches, point, contender.name, measure)
            if ratio:
                baseline = _by_round(launches, point, one.baseline, measure)
                values = {number: value / baseline[number] for number, value in values.items() if baseline.get(number)}
            if values and not (ratio and contender.name == one.baseline):
                median = statistics.median(values.values())
                value = Value(str(facts["commit"]), machine(facts), median, contender.options)
                yield Series(one, contender.name, measure, point, ratio, (value,))


def _by_round(launches: Sequence[Launch], point: Point, contender: str, measure: Measure) -> dict[int, float]:
    """The contender's value in each round: the median of its repetitions."""
    found = {}
    for launch in launches:
        if launch.round >= 0 and not launch.failure and (launch.point, launch.contender) == (point, contender):
            values = [one[measure.name] for one in launch.repetitions if measure.name in one]
            if values and math.isfinite(statistics.median(values)):
                found[launch.round] = statistics.median(values)
    return found
