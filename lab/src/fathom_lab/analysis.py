"""What can be concluded from a run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from fathom_lab import words
from fathom_lab.answer import answer
from fathom_lab.experiment import AGAIN, Experiment, Measure, Point
from fathom_lab.records import Launch
from fathom_lab.rows import Analysis, Failure, Interval, Row, Verdict
from fathom_lab.stats import multiple
from fathom_lab.stats.comparison import Comparison, compare, compare_exactly
from fathom_lab.stats.effect import LEVEL, rounds_needed
from fathom_lab.stats.interval import Bounds, relative_precision
from fathom_lab.stats.modes import modes

_AUTOCORRELATION = 0.3  # above it neighbouring rounds resemble each other
_LEAST_FOR_AUTOCORRELATION = 6  # rounds

Launches = Mapping[tuple[Point, str], Mapping[int, Launch]]  # by place and round, those that gave numbers


def analyze(
    experiment: Experiment, launches: Sequence[Launch], missing: Mapping[str, str], complete: bool
) -> Analysis:
    """The unit is the round: one launch of each contender, one value a launch, the median of its repetitions.

    A verdict is the sign test's over rounds, corrected by Holm over all rows of a measure; the interval is the same
    test turned round, for one row alone. Exact measures are compared as they are. Rounds of warm-up count only when
    they failed. The same launches give the same analysis.
    """
    launches = sorted(launches, key=lambda launch: (launch.round, launch.order))
    counted = _by_place(launches)
    failures = _failures(experiment, launches)
    again = [row for measure in experiment.measures for row in _rows(experiment, measure, (AGAIN,), counted, failures)]
    others = [one.name for one in experiment.contenders if one.name != experiment.baseline]
    rows = [row for measure in experiment.measures for row in _rows(experiment, measure, others, counted, failures)]
    found = Analysis(
        experiment=experiment,
        rows=[_beside_again(row, again, experiment.plan.tolerance) for row in rows],
        again=again,
        failures=failures,
        missing=missing,
        rounds=len({launch.round for launch in launches if launch.round >= 0}),
        complete=complete,
        answer="",
    )
    return dataclasses.replace(found, answer=answer(found))


def verdict(measure: Measure, compared: Comparison, p_value: float, tolerance: float) -> Verdict:
    """The p-value is the corrected one."""
    near = compared.bounds is not None and _within(compared.bounds, tolerance) and not measure.exact
    if p_value >= LEVEL:
        equal = measure.exact and not any(compared.differences)
        return Verdict.SAME if near or equal else Verdict.UNKNOWN
    if near:
        return Verdict.SAME
    less = compared.direction() < 0
    return Verdict.FASTER if less == (measure.better == "less") else Verdict.SLOWER


def _within(bounds: Bounds, tolerance: float) -> bool:
    low, high, _ = bounds
    return 1.0 / (1.0 + tolerance) <= low and high <= 1.0 + tolerance


def _by_place(launches: Sequence[Launch]) -> Launches:
    places: dict[tuple[Point, str], dict[int, Launch]] = {}
    for launch in launches:
        if launch.round >= 0 and not launch.failure:
            places.setdefault((launch.point, launch.contender), {})[launch.round] = launch
    return places


def _failures(experiment: Experiment, launches: Sequence[Launch]) -> list[Failure]:
    """In warm-up, too: who fails there again and again is not started any more, and must not just disappear."""
    places: dict[tuple[Point, str], list[Launch]] = {}
    for launch in launches:
        places.setdefault((launch.point, launch.contender), []).append(launch)
    failures = []
    for point in _points(experiment, places):
        for name in experiment.names():
            tried = places.get((point, name), [])
            failed = [launch for launch in tried if launch.failure]
            if failed:
                first = failed[0]
                failures.append(Failure(name, point, len(failed), len(tried), first.failure, first.output))
    return failures


def _points(experiment: Experiment, places: Iterable[tuple[Point, str]]) -> list[Point]:
    """Of the launches, in the experiment's order: rounds are in random order."""
    order = {point: index for index, point in enumerate(experiment.points())}
    return sorted({point for point, _ in places}, key=lambda point: order.get(point, len(order)))


@dataclasses.dataclass(frozen=True)
class _Pairing:
    """A row that does not know the others yet."""

    measure: Measure
    point: Point
    contender: str
    launches: Sequence[Launch]  # by round
    baseline_launches: Sequence[Launch]
    values: tuple[float, ...]
    baseline_values: tuple[float, ...]
    compared: Comparison


def _rows(
    experiment: Experiment, measure: Measure, contenders: Sequence[str], counted: Launches, failures: Sequence[Failure]
) -> list[Row]:
    pairings = [
        pairing
        for point in _points(experiment, counted)
        for name in contenders
        if (pairing := _pair(experiment.baseline, measure, point, name, counted)) is not None
    ]
    p_values = [one.compared.p_value for one in pairings]
    corrected = p_values if measure.exact else multiple.holm(p_values)
    return [
        _row(experiment, pairing, p_value, len(pairings), failures) for pairing, p_value in zip(pairings, corrected)
    ]


def _pair(baseline: str, measure: Measure, point: Point, contender: str, counted: Launches) -> _Pairing | None:
    """None if there is no round in which both have a value."""
    mine, its = counted.get((point, contender), {}), counted.get((point, baseline), {})
    rounds = [
        number
        for number in sorted(mine.keys() & its.keys())
        if _repetitions(mine[number], measure) and _repetitions(its[number], measure)
    ]
    if not rounds:
        return None
    launches, baseline_launches = [mine[number] for number in rounds], [its[number] for number in rounds]
    values = tuple(_value(launch, measure) for launch in launches)
    baseline_values = tuple(_value(launch, measure) for launch in baseline_launches)
    compared = (compare_exactly if measure.exact else compare)(values, baseline_values)
    return _Pairing(measure, point, contender, launches, baseline_launches, values, baseline_values, compared)


def _repetitions(launch: Launch, measure: Measure) -> list[float]:
    return [one[measure.name] for one in launch.repetitions if measure.name in one]


def _value(launch: Launch, measure: Measure) -> float:
    return float(np.median(_repetitions(launch, measure)))


def _row(experiment: Experiment, pairing: _Pairing, p_value: float, rows: int, failures: Sequence[Failure]) -> Row:
    measure, compared, tolerance = pairing.measure, pairing.compared, experiment.plan.tolerance
    row = Row(
        measure=measure,
        point=pairing.point,
        contender=pairing.contender,
        baseline=experiment.baseline,
        rounds=len(pairing.values),
        value=float(np.median(pairing.values)),
        baseline_value=float(np.median(pairing.baseline_values)),
        ratio=compared.ratio,
        interval=Interval(*compared.bounds) if compared.bounds else None,
        p_value=p_value,
        verdict=verdict(measure, compared, p_value, tolerance),
        smallest_visible=0.0 if measure.exact else compared.smallest_visible(LEVEL / rows),
        values=pairing.values,
        baseline_values=pairing.baseline_values,
        modes=() if measure.exact else modes(pairing.values, tolerance),
        spread_within=_spread_within(pairing),
        spread_between=_spread(pairing.values),
        autocorrelation=_autocorrelation(compared.differences),
        why=_why(pairing),
        notes=(),
    )
    return dataclasses.replace(row, notes=tuple(_notes(row, compared, rows, tolerance, failures)))


def _spread(values: Sequence[float]) -> float:
    """The distance between the quartiles, relative to the median."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return float((high - low) / abs(middle)) if middle else math.nan


def _spread_within(pairing: _Pairing) -> float:
    repetitions = [_repetitions(launch, pairing.measure) for launch in pairing.launches]
    spreads = [_spread(values) for values in repetitions if len(values) > 1]
    return float(np.median(spreads)) if spreads else math.nan


def _autocorrelation(differences: Sequence[float]) -> float:
    """Of neighbours."""
    around = np.asarray(differences) - np.mean(differences)
    if len(around) < _LEAST_FOR_AUTOCORRELATION or not np.any(around):
        return math.nan
    return float(np.sum(around[1:] * around[:-1]) / np.sum(around**2))


def _why(pairing: _Pairing) -> dict[str, tuple[float, float]]:
    mine, its = _medians(pairing.launches), _medians(pairing.baseline_launches)
    return {probe: (value, its[probe]) for probe, value in mine.items() if probe in its}


def _medians(launches: Sequence[Launch]) -> dict[str, float]:
    probes = dict.fromkeys(probe for launch in launches for probe in launch.why)
    return {
        probe: float(np.median([launch.why[probe] for launch in launches if probe in launch.why])) for probe in probes
    }


def _notes(
    row: Row, compared: Comparison, rows: int, tolerance: float, failures: Sequence[Failure]
) -> Iterator[str]:
    yield from _about_failures(row, failures)
    if row.measure.exact:
        yield from _about_exactness(row)
        return
    yield from _about_significance(row, compared, rows, tolerance)
    yield from _about_values(row, compared, tolerance)


def _about_failures(row: Row, failures: Sequence[Failure]) -> Iterator[str]:
    for one in failures:
        if one.point == row.point and one.contender in (row.contender, row.baseline):
            yield f"{one.contender} failed in {one.launches} of {one.of} launches: those rounds are left out"


def _about_exactness(row: Row) -> Iterator[str]:
    for name, values in ((row.contender, row.values), (row.baseline, row.baseline_values)):
        if min(values) != max(values):
            yield (
                f"{words.measure(row.measure)} of {name} is said to be the same in each launch, but lies between "
                f"{words.quantity(min(values), row.measure)} and {words.quantity(max(values), row.measure)}"
            )


def _about_significance(row: Row, compared: Comparison, rows: int, tolerance: float) -> Iterator[str]:
    needed = rounds_needed(rows)
    if row.rounds < needed:
        among = f" for one of {rows} rows" if rows > 1 else ""
        yield f"too few rounds to show a difference: {row.rounds}; at least {needed} are needed{among}"
    elif compared.p_value < LEVEL <= row.p_value:
        yield f"alone this would be a difference (p = {compared.p_value:.2g}), but one of {rows} rows can be by chance"
    if row.verdict is Verdict.SAME and row.p_value < LEVEL:
        yield f"the difference is real, but the whole interval lies within the tolerance of {words.percent(tolerance)}"


def _about_values(row: Row, compared: Comparison, tolerance: float) -> Iterator[str]:
    if not compared.logarithmic and any(compared.differences):
        yield "some values are 0: compared by differences, not by ratios"
    for name, heaps in ((row.contender, row.modes), (row.baseline, modes(row.baseline_values, tolerance))):
        if heaps:
            around = words.listed([words.quantity(one, row.measure) for one in heaps])
            yield f"the values of {name} fall into two heaps, around {around}: their median says little"
    if row.autocorrelation > _AUTOCORRELATION:
        yield (
            f"neighbouring rounds resemble each other (autocorrelation {row.autocorrelation:.2f}): something changes "
            "more slowly than rounds do"
        )


def _beside_again(row: Row, again: Sequence[Row], tolerance: float) -> Row:
    """With what the machine showed at this point where there was nothing to show."""
    same = [one for one in again if one.measure == row.measure and one.point == row.point]
    note = _about_again(same[0], row.rounds, tolerance) if same else "the baseline was not compared with itself here"
    return dataclasses.replace(row, notes=(*row.notes, note)) if note else row


def _about_again(again: Row, rounds: int, tolerance: float) -> str:
    beside = f"{again.baseline} beside itself"
    if again.verdict in (Verdict.FASTER, Verdict.SLOWER):
        factor = words.ratio(again.ratio)
        return f"{beside} came out as a difference here, by a factor of {factor}: do not trust this row"
    if again.measure.exact:
        return f"{beside} was not the same in all rounds" if again.values != again.baseline_values else ""
    if again.interval is None:
        return f"{beside} was compared in {again.rounds} of {rounds} rounds only" if again.rounds < rounds else ""
    precision = relative_precision(again.interval.low, again.interval.high)
    if math.isinf(precision):
        return f"how far {beside} differs is not known here"
    if precision > tolerance:
        known = words.percent(precision)
        return f"{beside} is known only within {known} here, the tolerance is {words.percent(tolerance)}"
    return ""
