"""Whether contenders found what the baseline found: numbers that both print.

    [[contender]]
    name = "du"
    numbers = ["^(?P<disk_bytes>[0-9]+)"]
    agree = { disk_bytes = "exactly" }

"exactly", "at least", "at most" and a fraction such as 0.01, which is within 1 %, are rules: a contender that breaks
one has failed in that launch. "shown" is not a rule: how far the contender is off stands beside its figures.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable, Mapping, Sequence

from fathom_lab import words
from fathom_lab.experiment import Experiment, Point
from fathom_lab.records import Launch
from fathom_lab.rows import Deviation


def checked(experiment: Experiment, launches: Sequence[Launch]) -> list[Launch]:
    """Those of a round. One that disagrees with the baseline at its point becomes a failure."""
    baseline = {one.point: one for one in launches if one.contender == experiment.baseline and not one.failure}
    return [_checked(experiment, one, baseline.get(one.point)) for one in launches]


def deviations(experiment: Experiment, launches: Iterable[Launch]) -> list[Deviation]:
    """By contender, point and number: the median over rounds of what was found, relative to what the baseline found."""
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
    """Nobody has to agree with itself."""
    named = next((one for one in experiment.contenders if one.name == contender), None)
    return named.agree if named and named.name != experiment.baseline else {}


def _checked(experiment: Experiment, launch: Launch, baseline: Launch | None) -> Launch:
    if launch.failure or baseline is None:
        return launch
    for number, rule in _agree(experiment, launch.contender).items():
        told = _disagreement(number, rule, _values(launch, number), _values(baseline, number), experiment.baseline)
        if told:
            return dataclasses.replace(launch, failure=told, repetitions=())
    return launch


def _values(launch: Launch, number: str) -> tuple[float, ...]:
    return tuple(one[number] for one in launch.repetitions if number in one)


def _disagreement(number: str, rule: str | float, mine: Sequence[float], its: Sequence[float], baseline: str) -> str:
    name = number.replace("_", " ")
    if not mine or not its:
        return f"{baseline} did not report {name}, which it must agree with" if mine else f"it did not report {name}"
    holds = all(_holds(rule, one, other) for one, other in zip(mine, its))
    return "" if holds else f"it found {words.number(mine[0])} {name}, {baseline} {words.number(its[0])}"


def _holds(rule: str | float, mine: float, its: float) -> bool:
    if isinstance(rule, float):
        return abs(mine - its) <= rule * abs(its)
    return {"exactly": mine == its, "at least": mine >= its, "at most": mine <= its}.get(rule, True)
