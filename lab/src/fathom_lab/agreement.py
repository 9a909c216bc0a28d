"""Checks that contenders print the same numbers as the baseline.

    [[contender]]
    name = "du"
    numbers = ["^(?P<disk_bytes>[0-9]+)"]
    agree = { disk_bytes = "exactly" }

The rules are "exactly", "at least", "at most", and a fraction such as 0.01, which means within 1 %. A contender that
breaks a rule has failed in that launch. "shown" is not a rule: the deviation is shown next to the contender's
figures.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable, Mapping, Sequence

from fathom_lab import formatting
from fathom_lab.experiment import Experiment, Point
from fathom_lab.records import Launch
from fathom_lab.rows import Deviation


def checked(experiment: Experiment, launches: Sequence[Launch]) -> list[Launch]:
    """Returns the launches of a round. A launch that disagrees with the baseline at its point becomes a failure."""
    baseline = {one.point: one for one in launches if one.contender == experiment.baseline and not one.failure}
    return [_checked(experiment, one, baseline.get(one.point)) for one in launches]


def deviations(experiment: Experiment, launches: Iterable[Launch]) -> list[Deviation]:
    """The deviations by contender, point and number: the median over rounds of the number relative to the baseline's.
    """
    counted = [one for one in launches if one.round >= 0 and not one.failure]
    baseline = {(one.round, one.point): one for one in counted if one.contender == experiment.baseline}
    found: dict[tuple[str, Point, str], list[float]] = {}
    for one in counted:
        beside = baseline.get((one.round, one.point))
        for number in _agree(experiment, one.contender) if beside else ():
            mine, its = _values(one, number), _values(beside, number) if beside else ()
            if mine and its and its[0]:
                found.setdefault((one.contender, one.point, number), []).append(mine[0] / its[0] - 1.0)
    order = {one.name: index for index, one in enumerate(experiment.contenders)}
    places = sorted(found, key=lambda place: order[place[0]])
    return [Deviation(*place, statistics.median(found[place])) for place in places]


def _agree(experiment: Experiment, contender: str) -> Mapping[str, str | float]:
    """The rules of a contender; none for the baseline itself."""
    named = next((one for one in experiment.contenders if one.name == contender), None)
    return named.agree if named and named.name != experiment.baseline else {}


def _checked(experiment: Experiment, launch: Launch, baseline: Launch | None) -> Launch:
    if launch.failure or baseline is None:
        return launch
    for number, rule in _agree(experiment, launch.contender).items():
        failure = _disagreement(number, rule, _values(launch, number), _values(baseline, number), experiment.baseline)
        if failure:
            return dataclasses.replace(launch, failure=failure, repetitions=())
    return launch


def _values(launch: Launch, number: str) -> tuple[float, ...]:
    return tuple(one[number] for one in launch.repetitions if number in one)


def _disagreement(number: str, rule: str | float, mine: Sequence[float], its: Sequence[float], baseline: str) -> str:
    name = number.replace("_", " ")
    if not mine or not its:
        return f"{baseline} did not report {name}, with which it must agree" if mine else f"it did not report {name}"
    holds = all(_holds(rule, one, other) for one, other in zip(mine, its))
    return "" if holds else f"it found {formatting.number(mine[0])} {name}, {baseline} {formatting.number(its[0])}"


def _holds(rule: str | float, mine: float, its: float) -> bool:
    if isinstance(rule, float):
        return abs(mine - its) <= rule * abs(its)
    return {"exactly": mine == its, "at least": mine >= its, "at most": mine <= its}.get(rule, True)
