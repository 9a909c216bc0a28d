"""Analysis: turns the launches of a run into rows with verdicts."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fathom_lab import agreement, formatting, goal_results, veto
from fathom_lab.answer import answer
from fathom_lab.experiment import AGAIN, BESIDE_AGAIN, Experiment, Measure, Point
from fathom_lab.records import Launch
from fathom_lab.rows import Analysis, Failure, GoalResult, Interval, Row, Verdict
from fathom_lab.stats import anytime, autocorrelation, multiple
from fathom_lab.stats.carry_over import Placed, carry_over, residuals
from fathom_lab.stats.comparison import Comparison, compare, compare_exactly
from fathom_lab.stats.effect import LEVEL, Chance, once, rounds_needed
from fathom_lab.stats.interval import Bounds, relative_precision
from fathom_lab.stats.modes import modes
from fathom_lab.veto import Circumstances

Launches = Mapping[tuple[Point, str], Mapping[int, Launch]]  # successful launches by place and round


def analyze(
    experiment: Experiment, launches: Sequence[Launch], missing: Mapping[str, str], complete: bool
) -> Analysis:
    """The unit is the round: one launch of each contender, and one value per launch, the median of its repetitions.

    A verdict comes from the sign test over rounds, with Bonferroni's correction over all rows of a measure, and
    `interval` is the inversion of that test: a row differs if and only if its interval excludes 1. (Holm's correction
    rejects a little more, but no simple interval agrees with it.) Counts that are the same in all rounds are compared
    directly. Warm-up rounds count only if they failed. The same launches give the same analysis.
    """
    run = _run_of(experiment, launches)
    again = [row for measure in experiment.measures for row in _rows(run, measure, (AGAIN,))]
    rows = [row for measure in experiment.measures for row in _rows(run, measure, _others(experiment))]
    found = Analysis(
        experiment=experiment,
        rows=[_beside_again(row, again, experiment.plan.tolerance) for row in rows],
        again=again,
        failures=run.failures,
        missing=missing,
        rounds=len({launch.round for launch in launches if launch.round >= 0}),
        complete=complete,
        answer="",
        goals=_goals(run, missing),
        deviations=agreement.deviations(experiment, launches),
    )
    return dataclasses.replace(found, answer=answer(found))


def undecided(experiment: Experiment, launches: Sequence[Launch], missing: Mapping[str, str]) -> set[Point]:
    """The points at which a question is open after these rounds: a row of the first measure without a verdict, or a
    goal whose limit lies within its interval. All points in the first six rounds.

    Without other contenders the question is whether the baseline differs from itself. Valid after each round only for
    an experiment with a budget.
    """
    points = set(experiment.points())
    if len({launch.round for launch in launches if launch.round >= 0}) < rounds_needed(1, chance=chance_of(experiment)):
        return points
    run = _run_of(experiment, launches)
    primary = experiment.primary()
    rows = _rows(run, primary, _others(experiment)) or _rows(run, primary, (AGAIN,))
    goals = [one for one in _goals(run, missing) if goal_results.needs_rounds(one)]
    if any(one.goal.of_where for one in goals):
        return points  # it compares two points
    return {row.point for row in rows if row.verdict is Verdict.UNKNOWN} | {one.point for one in goals}


def verdict(
    measure: Measure, compared: Comparison, p_value: float, tolerance: float, rows: int = 1, exact: bool = False
) -> Verdict:
    """The p-value is corrected for this number of rows, and so is the interval."""
    bounds = compared.interval(LEVEL / rows)
    if not exact and bounds is not None and _within(bounds, tolerance):
        return Verdict.SAME
    if p_value >= LEVEL:
        return Verdict.SAME if exact and not any(compared.differences) else Verdict.UNKNOWN
    less = compared.direction() < 0
    return Verdict.FASTER if less == (measure.better == "less") else Verdict.SLOWER


def _within(bounds: Bounds, tolerance: float) -> bool:
    low, high, _ = bounds
    return 1.0 / (1.0 + tolerance) <= low and high <= 1.0 + tolerance


@dataclasses.dataclass(frozen=True)
class _Run:
    """The inputs of rows."""

    experiment: Experiment
    counted: Launches
    failures: Sequence[Failure]
    before: Mapping[tuple[Point, str, int], str]  # the contender before a launch, at its point and in its round


def _run_of(experiment: Experiment, launches: Sequence[Launch]) -> _Run:
    launches = sorted(launches, key=lambda launch: (launch.round, launch.order))
    return _Run(experiment, _by_place(launches), _failures(experiment, launches), _before(launches))


def _others(experiment: Experiment) -> list[str]:
    return [one.name for one in experiment.contenders if one.name != experiment.baseline]


def chance_of(experiment: Experiment) -> Chance:
    """The test of this experiment. With a budget it is repeated after each round."""
    return anytime.chance if experiment.plan.budget else once


def _goals(run: _Run, missing: Mapping[str, str]) -> list[GoalResult]:
    one = run.experiment
    carried = {measure: _carried(run, measure) for measure in one.measures
               if any(goal.measure == measure.name for goal in one.goals)}
    return goal_results.decide(goal_results.Evidence(one, run.counted, run.failures, missing, carried, chance_of(one)))


def _before(launches: Sequence[Launch]) -> dict[tuple[Point, str, int], str]:
    """The predecessor of each launch, in the order of the launches. It may have failed: it has an after-effect
    nevertheless."""
    last: dict[tuple[Point, int], str] = {}
    found = {}
    for launch in launches:
        place = (launch.point, launch.round)
        found[launch.point, launch.contender, launch.round] = last.get(place, "")
        last[place] = launch.contender
    return found


def _by_place(launches: Sequence[Launch]) -> Launches:
    places: dict[tuple[Point, str], dict[int, Launch]] = {}
    for launch in launches:
        if launch.round >= 0 and not launch.failure:
            places.setdefault((launch.point, launch.contender), {})[launch.round] = launch
    return places


def _failures(experiment: Experiment, launches: Sequence[Launch]) -> list[Failure]:
    """Includes warm-up: a contender that keeps failing there is not started anymore and must not disappear silently."""
    places: dict[tuple[Point, str], list[Launch]] = {}
    for launch in launches:
        name = AGAIN if launch.contender == BESIDE_AGAIN else launch.contender
        places.setdefault((launch.point, name), []).append(launch)
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
    """The points of the launches in the experiment's order; the rounds are in random order."""
    order = {point: index for index, point in enumerate(experiment.points())}
    return sorted({point for point, _ in places}, key=lambda point: order.get(point, len(order)))


@dataclasses.dataclass(frozen=True)
class _Pairing:
    """A row before the correction for the number of rows."""

    measure: Measure
    point: Point
    contender: str
    launches: Sequence[Launch]  # by round
    baseline_launches: Sequence[Launch]
    values: tuple[float, ...]
    baseline_values: tuple[float, ...]
    lost: int  # rounds in which only the baseline has a value
    baseline_lost: int
    exact: bool
    compared: Comparison


def _rows(run: _Run, measure: Measure, contenders: Sequence[str]) -> list[Row]:
    points = _points(run.experiment, run.counted)
    found = [_pair(run, measure, point, name) for point in points for name in contenders]
    pairings = [one for one in found if one is not None]
    tested = max(sum(not one.exact for one in pairings), 1)
    carried = _carried(run, measure)
    correlated = multiple.holm(_autocorrelations([one.compared.differences for one in pairings]))
    return [
        _row(run, pairing, tested, carried.get((pairing.point, pairing.contender), 0.0), p_value < LEVEL)
        for pairing, p_value in zip(pairings, correlated)
    ]


def _autocorrelations(rows: Sequence[Sequence[float]]) -> list[float]:
    """The p-value of each row. Only where it is the smallest that a few random orders can give, there are more of them:
    so many that it is below the level after the correction for all rows, up to 500."""
    orders = min(int(2 * len(rows) / LEVEL), 20_000)
    least = 1 / (autocorrelation.LEAST_ORDERS + 1)
    values = [autocorrelation.p_value(row) for row in rows]
    if orders <= autocorrelation.LEAST_ORDERS:
        return values
    return [value if value > least else autocorrelation.p_value(row, orders) for value, row in zip(values, rows)]


def _pair(run: _Run, measure: Measure, point: Point, contender: str) -> _Pairing | None:
    """Returns None if there is no round in which both have a value."""
    beside = BESIDE_AGAIN if contender == AGAIN and run.experiment.plan.duet else run.experiment.baseline
    mine, its = (_with(run, measure, point, name) for name in (contender, beside))
    rounds = sorted(mine.keys() & its.keys())
    if not rounds:
        return None
    launches, baseline_launches = [mine[number] for number in rounds], [its[number] for number in rounds]
    values = tuple(_value(launch, measure) for launch in launches)
    baseline_values = tuple(_value(launch, measure) for launch in baseline_launches)
    again = [_value(launch, measure) for launch in _with(run, measure, point, AGAIN).values()]
    exact = measure.exact and len({*values}) == len({*baseline_values, *again}) == 1
    compared = compare_exactly(values, baseline_values) if exact else compare(
        values, baseline_values, chance_of(run.experiment))
    lost, baseline_lost = len(its.keys() - mine.keys()), len(mine.keys() - its.keys())
    return _Pairing(
        measure, point, contender, launches, baseline_launches, values, baseline_values, lost, baseline_lost, exact,
        compared,
    )


def _with(run: _Run, measure: Measure, point: Point, contender: str) -> dict[int, Launch]:
    """The contender's launches that have a value, by round."""
    launches = run.counted.get((point, contender), {})
    return {number: launch for number, launch in launches.items() if _repetitions(launch, measure)}


def _repetitions(launch: Launch, measure: Measure) -> list[float]:
    return [one[measure.name] for one in launch.repetitions if measure.name in one]


def _value(launch: Launch, measure: Measure) -> float:
    return statistics.median(_repetitions(launch, measure))


def _carried(run: _Run, measure: Measure) -> Mapping[tuple[Point, str], float]:
    """By point and contender: the difference of launches of the baseline directly after it. None in a duet, in which
    both follow the same launches."""
    if run.experiment.plan.duet:
        return {}
    placed = {point: _placed(run, measure, point) for point in _points(run.experiment, run.counted)}
    return carry_over(placed, _others(run.experiment))


def _placed(run: _Run, measure: Measure, point: Point) -> list[Placed]:
    names = run.experiment.names()
    by_name = {name: _with(run, measure, point, name) for name in names}
    rounds = sorted({number for launches in by_name.values() for number in launches})
    values = [
        {name: _value(by_name[name][number], measure) for name in names if number in by_name[name]}
        for number in rounds
    ]
    same = (run.experiment.baseline, AGAIN)
    return [
        Placed(left[name], run.before[point, name, number])
        for number, left in zip(rounds, residuals(values))
        for name in same
        if name in left
    ]


def _row(run: _Run, pairing: _Pairing, rows: int, carried: float, correlated: bool) -> Row:
    """`rows` is the number of rows that the test is corrected for."""
    measure, compared, tolerance = pairing.measure, pairing.compared, run.experiment.plan.tolerance
    p_value = compared.p_value if pairing.exact else min(1.0, rows * compared.p_value)
    clusters = () if pairing.exact else modes(pairing.values, tolerance)
    baseline_clusters = () if pairing.exact else modes(pairing.baseline_values, tolerance)
    ruled = verdict(measure, compared, p_value, tolerance, rows, pairing.exact)
    around = Circumstances(
        measure, pairing.point, pairing.contender, run.experiment.baseline, pairing.lost, pairing.baseline_lost,
        bool(clusters or baseline_clusters), carried,
    )
    vetoed = "" if pairing.contender == AGAIN else veto.veto(  # the comparison with itself must keep its warning
        ruled, around, compared, pairing.values, pairing.baseline_values, tolerance, run.failures
    )
    bounds = compared.bounds if pairing.exact else compared.interval(LEVEL / rows)
    detectable = math.inf if clusters or baseline_clusters else compared.detectable_effect(LEVEL / rows)
    row = Row(
        measure=measure,
        point=pairing.point,
        contender=pairing.contender,
        baseline=run.experiment.baseline,
        rounds=len(pairing.values),
        value=statistics.median(pairing.values),
        baseline_value=statistics.median(pairing.baseline_values),
        ratio=compared.ratio,
        interval=Interval(*bounds) if bounds else None,
        p_value=p_value,
        verdict=Verdict.UNKNOWN if vetoed else ruled,
        detectable_effect=0.0 if pairing.exact else detectable,
        values=pairing.values,
        baseline_values=pairing.baseline_values,
        modes=clusters,
        autocorrelation=autocorrelation.autocorrelation(compared.differences),
        diagnostics=_diagnostics(pairing),
        notes=(),
        alone=Interval(*compared.bounds) if compared.bounds else None,
        exact=pairing.exact,
        vetoed=vetoed,
        baseline_modes=baseline_clusters,
        reported=len(_with(run, measure, pairing.point, pairing.contender)),
        launches=len(run.counted.get((pairing.point, pairing.contender), {})),
        baseline_reported=len(_with(run, measure, pairing.point, run.experiment.baseline)),
        baseline_launches=len(run.counted.get((pairing.point, run.experiment.baseline), {})),
    )
    if sequential := veto.sequential(run.experiment):
        return _only_a_ratio(row, sequential)
    noted = (*_notes(row, compared, rows, tolerance, correlated, run.failures), *veto.notes(around, vetoed))
    return dataclasses.replace(row, notes=noted)


def _only_a_ratio(row: Row, reason: str) -> Row:
    """Drops test and interval: for values that were not measured in rounds, the n-th values are unrelated, so neither
    means anything."""
    ratio = row.value / row.baseline_value if row.baseline_value else math.nan
    return dataclasses.replace(
        row, ratio=ratio, interval=None, alone=None, p_value=1.0, verdict=Verdict.UNKNOWN, detectable_effect=math.inf,
        autocorrelation=math.nan, vetoed=reason, notes=(f"no verdict: {reason}",),
    )


def _diagnostics(pairing: _Pairing) -> dict[str, tuple[float, float]]:
    mine, its = _medians(pairing.launches), _medians(pairing.baseline_launches)
    return {probe: (value, its[probe]) for probe, value in mine.items() if probe in its}


def _medians(launches: Sequence[Launch]) -> dict[str, float]:
    probes = dict.fromkeys(probe for launch in launches for probe in launch.why)
    return {
        probe: statistics.median(launch.why[probe] for launch in launches if probe in launch.why) for probe in probes
    }


def _notes(
    row: Row, compared: Comparison, rows: int, tolerance: float, correlated: bool, failures: Sequence[Failure]
) -> Iterator[str]:
    yield from _about_failures(row, failures)
    yield from _about_reports(row)
    if row.exact:
        return
    if row.measure.exact:
        yield from _about_exactness(row)
    yield from _about_significance(row, compared, rows, tolerance)
    yield from _about_values(row, compared)
    if correlated:
        yield (
            f"consecutive rounds are correlated (autocorrelation {row.autocorrelation:.2f}): conditions on the machine "
            "change slowly"
        )


def _about_failures(row: Row, failures: Sequence[Failure]) -> Iterator[str]:
    for one in failures:
        if one.point == row.point and one.contender in (row.contender, row.baseline):
            yield f"{veto.failed(one)}: those rounds are excluded"


def _about_reports(row: Row) -> Iterator[str]:
    for name, reported, launches in (
        (row.contender, row.reported, row.launches), (row.baseline, row.baseline_reported, row.baseline_launches)
    ):
        if reported < launches:
            of = formatting.several(launches, "launch", "launches")
            yield f"{name} reported {formatting.measure(row.measure)} in only {reported} of {of}"


def _about_exactness(row: Row) -> Iterator[str]:
    """A count that varies is not exact: it is compared as times are."""
    for name, values in ((row.contender, row.values), (row.baseline, row.baseline_values)):
        if min(values) != max(values):
            yield (
                f"{formatting.measure(row.measure)} of {name} is declared exact, but varies between "
                f"{formatting.quantity(min(values), row.measure)} and {formatting.quantity(max(values), row.measure)}: "
                "compared as times are"
            )


def _about_significance(row: Row, compared: Comparison, rows: int, tolerance: float) -> Iterator[str]:
    needed = rounds_needed(rows, chance=compared.chance)
    if row.rounds < needed:
        among = f" for one of {rows} rows" if rows > 1 else ""
        yield f"too few rounds to show a difference: {row.rounds}, at least {needed} are needed{among}"
    elif compared.p_value < LEVEL <= row.p_value:
        yield f"significant alone (p = {compared.p_value:.2g}), but not as one of {rows} rows"
    if row.verdict is Verdict.SAME and row.p_value < LEVEL:
        known = formatting.percent(tolerance)
        yield f"the difference is significant, but the interval lies within the tolerance of {known}"


def _about_values(row: Row, compared: Comparison) -> Iterator[str]:
    if not compared.logarithmic and any(compared.differences):
        yield "some values are 0: compared by differences instead of ratios"
    for name, clusters in ((row.contender, row.modes), (row.baseline, row.baseline_modes)):
        if clusters:
            around = formatting.listed([formatting.quantity(one, row.measure) for one in clusters])
            yield f"the values of {name} form two clusters, around {around}: their median says little"


def _beside_again(row: Row, again: Sequence[Row], tolerance: float) -> Row:
    """Adds a note about the comparison of the baseline with itself at this point."""
    same = [one for one in again if one.measure == row.measure and one.point == row.point]
    note = _about_again(same[0], row.rounds, tolerance) if same else "the baseline was not compared with itself here"
    return dataclasses.replace(row, notes=(*row.notes, note)) if note else row


def _about_again(again: Row, rounds: int, tolerance: float) -> str:
    beside = f"{again.baseline} compared with itself"
    if again.verdict in (Verdict.FASTER, Verdict.SLOWER):
        factor = formatting.ratio(again.ratio)
        return f"{beside} shows a difference here, by a factor of {factor}: do not trust this row"
    if again.exact:
        return ""
    if again.alone is None:
        return f"{beside} has values in only {again.rounds} of {rounds} rounds" if again.rounds < rounds else ""
    precision = relative_precision(again.alone.low, again.alone.high)
    if math.isinf(precision):
        return f"the precision of {beside} is not known here"
    if precision > tolerance:
        known = formatting.percent(precision)
        return f"{beside} is known only within {known} here; the tolerance is {formatting.percent(tolerance)}"
    return ""
