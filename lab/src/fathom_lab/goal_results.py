"""Decides the goals of an experiment: met, missed or open.

The figure of a goal is a median over rounds, with the same interval as every median (stats/interval.py). The goal is
met if the whole interval lies within the limit, missed if all of it lies beyond, and otherwise open. It is also open
if numbers are missing, if data that they omit contradicts them (veto.py), or if the measured input was smaller
than the goal requires.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fathom_lab import formatting, veto
from fathom_lab.experiment import Experiment, Measure, Point
from fathom_lab.goal import Goal
from fathom_lab.records import Launch
from fathom_lab.rows import Failure, GoalResult, GoalState, Interval
from fathom_lab.stats.effect import Chance
from fathom_lab.stats.interval import median_interval
from fathom_lab.stats.modes import modes

Launches = Mapping[tuple[Point, str], Mapping[int, Launch]]  # successful launches by place and round
Carried = Mapping[Measure, Mapping[tuple[Point, str], float]]  # by measure, then by point and contender: carry_over.py

_LEAST_ROUNDS = 6  # minimum for an interval
WITHIN = "the limit lies within the interval"


@dataclasses.dataclass(frozen=True)
class Evidence:
    """The data by which goals are decided."""

    experiment: Experiment
    launches: Launches
    failures: Sequence[Failure]
    missing: Mapping[str, str]
    carried: Carried
    chance: Chance


class _Open(Exception):
    """The goal is open; the message is the reason."""


@dataclasses.dataclass(frozen=True)
class _Figures:
    """The figures of a goal, by round."""

    values: Sequence[float]  # the values to which the limit applies
    excess: Sequence[float]  # over the limit, in the measure's unit
    beside: str
    exact: bool
    clusters: bool
    note: str


def decide(evidence: Evidence) -> list[GoalResult]:
    """The result of each goal at each of its points, in the experiment's order."""
    return [_result(evidence, goal, point) for goal, point in places(evidence.experiment)]


def places(experiment: Experiment) -> Iterator[tuple[Goal, Point]]:
    for goal in experiment.goals:
        for point in experiment.points():
            here = all(dict(point)[key] == value for key, value in goal.where.items())
            if here and experiment.takes_part(goal.contender, point):
                yield goal, point


def needs_rounds(one: GoalResult) -> bool:
    """Whether the goal is open, and more rounds may decide it."""
    too_few = one.interval is None and not math.isnan(one.figure)
    return one.state is GoalState.OPEN and (too_few or one.reason == WITHIN)


def unknown(experiment: Experiment, goal: Goal, point: Point, reason: str) -> GoalResult:
    return GoalResult(goal, measure_of(experiment, goal), point, GoalState.OPEN, reason=reason)


def measure_of(experiment: Experiment, goal: Goal) -> Measure:
    return next(one for one in experiment.measures if one.name == goal.measure)


def _result(evidence: Evidence, goal: Goal, point: Point) -> GoalResult:
    found = unknown(evidence.experiment, goal, point, "")
    try:
        limit = goal.limit + sum(each * _number(evidence, goal, point, name) for name, each in goal.plus.items())
        figures = _figures(evidence, goal, point, limit)
        too_small = _too_small(evidence, goal, point)
    except _Open as reason:
        return dataclasses.replace(found, reason=str(reason))
    interval = _interval(figures, evidence.chance)
    found = dataclasses.replace(found, figure=float(np.median(figures.values)), interval=interval, limit=limit,
                                beside=figures.beside, reason=figures.note)
    if interval is None:
        few = f"{formatting.several(len(figures.values), 'round')}, at least {_LEAST_ROUNDS} are needed"
        return dataclasses.replace(found, reason=few)
    state = _ruled(goal, limit, interval.low, interval.high)
    against = too_small or _against(evidence, goal, found, figures, state)
    if state is GoalState.OPEN or against:
        return dataclasses.replace(found, state=GoalState.OPEN, reason=against or WITHIN)
    return dataclasses.replace(found, state=state)


def _too_small(evidence: Evidence, goal: Goal, point: Point) -> str:
    for name, least in goal.given.items():
        if (number := _number(evidence, goal, point, name)) < least:
            about = f"the goal requires at least {formatting.number(least)}"
            return f"measured with {formatting.number(number)} {_spaced(name)}; {about}"
    return ""


def _ruled(goal: Goal, limit: float, low: float, high: float) -> GoalState:
    if goal.upper:
        return GoalState.MET if high <= limit else GoalState.MISSED if low > limit else GoalState.OPEN
    return GoalState.MET if low >= limit else GoalState.MISSED if high < limit else GoalState.OPEN


def _interval(figures: _Figures, chance: Chance) -> Interval | None:
    if figures.exact:
        return Interval(figures.values[0], figures.values[0], 1.0)
    bounds = median_interval(figures.values, chance=chance)
    return Interval(*bounds) if bounds else None


def _figures(evidence: Evidence, goal: Goal, point: Point, limit: float) -> _Figures:
    measure = measure_of(evidence.experiment, goal)
    mine = _by_round(evidence, measure, point, goal.contender)
    if not mine:
        raise _Open(_no_numbers(evidence, point, goal.contender))
    beside, its, note = _reference(evidence, goal, measure, point)
    rounds = sorted(mine.keys() & its.keys()) if beside else sorted(mine)
    if not rounds:
        raise _Open(f"{goal.contender} and {beside} have no round in common")
    values, others = [mine[number] for number in rounds], [its[number] for number in rounds if beside]
    tolerance = evidence.experiment.plan.tolerance
    return _Figures(
        values=_compared(goal, values, others),
        excess=[one - limit * other for one, other in zip(values, others)] if goal.of else
               [one - limit for one in _compared(goal, values, others)],
        beside=beside,
        exact=measure.exact and len(set(values)) == 1 and len(set(others)) <= 1,
        clusters=not measure.exact and bool(modes(values, tolerance) or (others and modes(others, tolerance))),
        note=note,
    )


def _compared(goal: Goal, values: Sequence[float], others: Sequence[float]) -> list[float]:
    if goal.above:
        return [one - other for one, other in zip(values, others)]
    if not goal.of:
        return list(values)
    if not all(others):
        raise _Open("a ratio to 0 is not defined")
    return [one / other for one, other in zip(values, others)]


def _reference(evidence: Evidence, goal: Goal, measure: Measure, point: Point) -> tuple[str, Mapping[int, float], str]:
    """The contender to compare with, its values by round, and a note about missing contenders. Of several contenders it
    is the one with the best median: the best value of each round would favour luck."""
    names = (goal.above,) if goal.above else goal.of
    there = _there(goal, point)
    taking = [one for one in names if evidence.experiment.takes_part(one, there)]
    found = {name: _by_round(evidence, measure, there, name) for name in taking}
    present = [name for name in taking if found[name]]
    if not names:
        return "", {}, ""
    if not present:
        reasons = [_no_numbers(evidence, there, name) for name in taking] or ["it is skipped here"]
        raise _Open("; ".join(dict.fromkeys(reasons)))
    sign = 1.0 if measure.better == "less" else -1.0
    best = min(present, key=lambda name: sign * float(np.median(list(found[name].values()))))
    absent = [name for name in taking if name not in present]
    return best, found[best], f"without {formatting.listed(absent)}" if absent else ""


def _there(goal: Goal, point: Point) -> Point:
    """Where the others of a goal at this point are measured."""
    return tuple((key, goal.of_where.get(key, value)) for key, value in point)


def _by_round(evidence: Evidence, measure: Measure, point: Point, contender: str) -> dict[int, float]:
    return _numbers(evidence.launches.get((point, contender), {}), measure.name)


def _numbers(launches: Mapping[int, Launch], name: str) -> dict[int, float]:
    """The median of each launch that has the number."""
    return {number: float(np.median([one[name] for one in launch.repetitions if name in one]))
            for number, launch in launches.items() if any(name in one for one in launch.repetitions)}


def _number(evidence: Evidence, goal: Goal, point: Point, name: str) -> float:
    """A number that describes the input, as reported by the contender or else by the baseline."""
    for who in (goal.contender, evidence.experiment.baseline):
        if found := _numbers(evidence.launches.get((point, who), {}), name):
            return float(np.median(list(found.values())))
    if not evidence.launches.get((point, goal.contender)):
        raise _Open(_no_numbers(evidence, point, goal.contender))
    raise _Open(f"neither {goal.contender} nor {evidence.experiment.baseline} reported {_spaced(name)}")


def _no_numbers(evidence: Evidence, point: Point, contender: str) -> str:
    if contender in evidence.missing:
        return f"{contender} did not run: {evidence.missing[contender]}"
    failure = next((one for one in evidence.failures if (one.contender, one.point) == (contender, point)), None)
    return f"{veto.failed(failure)}: {failure.reason}" if failure else f"{contender} has no number here"


def _against(evidence: Evidence, goal: Goal, found: GoalResult, figures: _Figures, state: GoalState) -> str:
    """Why the interval alone does not decide the goal; empty if it does."""
    if state is GoalState.OPEN or found.interval is None:
        return ""
    flattered, place = _flattered(goal, found, state)
    reason = next((veto.failed(one) for one in evidence.failures if one.contender == flattered
                 and (one.point == found.point or goal.of_where)), "")
    launches = evidence.launches.get((place, flattered), {})
    if lost := len(launches) - len(_numbers(launches, found.measure.name)):
        reason = reason or veto.without_value(flattered, lost)
    if reason:
        return f"{reason}, and the remaining launches may flatter it"
    within = 1 if (state is GoalState.MET) == goal.upper else -1  # the sign that the excess must not have
    if veto.mean_contradicts([within * one for one in figures.excess], figures.clusters):
        return "the mean of all rounds contradicts the median"
    return _by_carry_over(evidence, goal, found, state) if goal.of and not goal.of_where else ""


def _flattered(goal: Goal, found: GoalResult, state: GoalState) -> tuple[str, Point]:
    """The contender whose good figures lead to this state, and where it was measured; empty if it is none. At least 12
    times the time of another is met if the other one is good."""
    met = state is GoalState.MET
    mine = met == (goal.upper == (found.measure.better == "less"))
    return (goal.contender, found.point) if mine else (found.beside, _there(goal, found.point))


def _by_carry_over(evidence: Evidence, goal: Goal, found: GoalResult, state: GoalState) -> str:
    """A contender with an after-effect that slows its successors looks better compared with them than it is: the
    decision must also hold without the after-effect."""
    carried = evidence.carried.get(found.measure, {})
    own = carried.get((found.point, goal.contender), 0.0)
    net = own - carried.get((found.point, found.beside), 0.0)
    if found.interval is None or not net:
        return ""
    low, high = found.interval.low * math.exp(min(net, 0.0)), found.interval.high * math.exp(max(net, 0.0))
    if _ruled(goal, found.limit, low, high) is state:
        return ""
    who = goal.contender if own else found.beside
    change = formatting.percent(abs(math.expm1(net)))
    return f"launches right after {who} differ by about {change}, which is as large as the distance to the limit"


def _spaced(name: str) -> str:
    return name.replace("_", " ")


# --- In words ---


def sentence(experiment: Experiment, goal: Goal) -> str:
    """The goal in words, such as "wall of fathom at most 1.10 x floor"."""
    if goal.says:
        return goal.says
    measure = measure_of(experiment, goal)
    bound = "at most" if goal.upper else "at least"
    return f"{formatting.measure(measure)} of {goal.contender}{_at(goal.where)} {bound} {_limit(goal, measure)}"


def _limit(goal: Goal, measure: Measure) -> str:
    if goal.of:
        there = f" at{_at(goal.of_where).removeprefix(' at')}" if goal.of_where else ""
        return f"{_factor(goal.limit)} x {_best(goal, measure)}{there}"
    added = [f"{formatting.quantity(each, measure)} for each of {_spaced(name)}" for name, each in goal.plus.items()]
    base = [formatting.quantity(goal.limit, measure)] if goal.limit or not added else []
    return f"{' and '.join([*base, *added])}{f' more than {goal.above}' if goal.above else ''}"


def _best(goal: Goal, measure: Measure) -> str:
    if len(goal.of) == 1:
        return goal.of[0]
    best = "the fastest of" if measure.unit in ("s", "per_second") else "the best of"
    return f"{best} {formatting.listed(goal.of) if len(goal.of) == 2 else f'{len(goal.of)} others'}"


def _at(where: Mapping[str, object]) -> str:
    return f" at {formatting.point(tuple(where.items()))}" if where else ""


def _factor(value: float) -> str:
    return f"{value:.2f}" if 0.1 <= value < 10 else f"{value:.3g}"


def figure(one: GoalResult) -> str:
    """The figure, such as "1.05 x pdu" or "3.48 ns"; empty if there is none."""
    if math.isnan(one.figure):
        return ""
    text = formatting.ratio(one.figure) if one.goal.of else formatting.quantity(one.figure, one.measure)
    return f"{text} x {one.beside}" if len(one.goal.of) > 1 else text


def interval(one: GoalResult) -> str:
    """The interval in words; empty for a count that did not vary."""
    if one.interval is None or one.interval.confidence == 1.0:
        return ""
    if one.goal.of:
        return formatting.interval(one.interval)
    low, high = (formatting.quantity(end, one.measure) for end in (one.interval.low, one.interval.high))
    return f"{low} to {high}"


def text(experiment: Experiment, one: GoalResult) -> str:
    """The result on one line, such as "met: per op of fathom at most 4.00 ns: 3.48 ns (3.40 to 3.60)"."""
    place = _at({name: value for name, value in one.point if name not in one.goal.where})
    found = figure(one) + (f" ({interval(one)})" if interval(one) else "")
    limited = one.goal.plus and not math.isnan(one.limit)
    limit = f", limit {formatting.quantity(one.limit, one.measure)}" if limited else ""
    conditions = f"; {one.goal.conditions}" if one.goal.conditions else ""
    parts = (f"{sentence(experiment, one.goal)}{place}{conditions}", f"{found}{limit}", one.reason)
    return f"{one.state.value}: {': '.join(part for part in parts if part)}"
