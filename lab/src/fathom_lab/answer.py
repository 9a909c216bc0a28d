"""The sentence that a reader sees first, and the warnings that must follow it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from fathom_lab import formatting, veto
from fathom_lab.experiment import AGAIN, Measure, Point
from fathom_lab.rows import Analysis, Interval, Row, Verdict

_LISTED = 3  # items that a sentence lists; it only counts the others
_COUNTS = frozenset({"allocations", "allocated_bytes"})


def answer(analysis: Analysis) -> str:
    """The answer by the first measure, which is the one that the experiment asks about."""
    rows = [row for row in analysis.rows if row.measure == analysis.experiment.primary()]
    sentences = [
        _comparison(analysis, rows),
        _vetoed(rows),
        _failed(analysis, rows),
        _worse_counts(analysis),
        _baseline_warning(analysis),
        _absent(analysis, rows),
    ]
    sentences.append(_ended_early(analysis, rows))
    return " ".join(sentence for sentence in sentences if sentence)


def _ended_early(analysis: Analysis, rows: Sequence[Row]) -> str:
    """How the rounds ended, if there was no answer before."""
    plan = analysis.experiment.plan
    if not analysis.complete:
        of = "" if plan.budget else f" of {plan.rounds}"
        return f"The run was interrupted after {analysis.rounds}{of} rounds."
    undecided = any(row.verdict is Verdict.UNKNOWN for row in rows)
    if plan.budget and undecided and analysis.rounds < plan.rounds:
        rounds = formatting.several(analysis.rounds, "round")
        return f"The budget of {formatting.seconds(plan.budget)} ended after {rounds}."
    return ""


def _comparison(analysis: Analysis, rows: Sequence[Row]) -> str:
    if not rows:
        return f"Nothing could be compared with {analysis.experiment.baseline}."
    return _about_one(rows[0]) if len(rows) == 1 else _about_many(rows)


def _about_one(row: Row) -> str:
    names, place = f"{row.contender} and {row.baseline}", _at(row.point)
    if row.verdict in (Verdict.FASTER, Verdict.SLOWER):
        return f"{row.contender} {_claim(row)}{_clusters(row)}."
    if row.verdict is Verdict.SAME:
        measure = formatting.measure(row.measure)
        return f"{names} show no difference in {measure} that matters{place}{_ratio_reach(row)}{_clusters(row)}."
    measure = formatting.measure(row.measure)
    return f"Whether {names} differ in {measure} is undecided{place}{_ratio_reach(row)}: {_power(row)}."


def _about_many(rows: Sequence[Row]) -> str:
    better, worse = _words(rows[0].measure)
    baseline = rows[0].baseline
    counts = [
        f"{count} {word}"
        for verdict, word in (
            (Verdict.FASTER, better),
            (Verdict.SLOWER, worse),
            (Verdict.SAME, "without a difference that matters"),
            (Verdict.UNKNOWN, "undecided"),
        )
        if (count := sum(row.verdict is verdict for row in rows))
    ]
    tally = f"of {len(rows)} comparisons {formatting.listed(counts)}"
    faster = [row for row in rows if row.verdict is Verdict.FASTER]
    slower = [row for row in rows if row.verdict is Verdict.SLOWER]
    if faster:
        best = max(faster, key=_gain)
        largest = ", the largest gain" if len(faster) > 1 else ""
        return f"{best.contender} {_claim(best)}{largest}{_clusters(best)}; {tally}."
    if slower:
        next_best = max(slower, key=_gain)
        least = ", the smallest loss" if len(slower) > 1 else ""
        closest = f"{next_best.contender} {_claim(next_best)}{least}{_clusters(next_best)}"
        return f"Nothing is shown to be {better} than {baseline}: {closest}; {tally}."
    if all(row.verdict is Verdict.SAME for row in rows):
        return f"None of {len(rows)} comparisons with {baseline} shows a difference that matters."
    return f"Nothing is shown to be {better} or {worse} than {baseline}; {tally}."


def _gain(row: Row) -> float:
    """How many times better the contender is. Infinite without a ratio: then only one of the two values is 0."""
    if math.isnan(row.ratio) or row.ratio == 0.0:
        return math.inf
    return 1.0 / row.ratio if row.measure.better == "less" else row.ratio


def _claim(row: Row) -> str:
    """A claim with its point and interval, such as "is 2.1 times as fast as mutex at threads=2 (1.9 to 2.4)"."""
    measure, baseline = row.measure, row.baseline
    if math.isnan(row.ratio):
        more = "more" if row.value > row.baseline_value else "less"
        # "more allocations (3, against 0)" needs no unit.
        of_its_own = attrs.evolve(measure, unit="") if measure.unit == measure.name else measure
        mine, its = (formatting.quantity(value, of_its_own) for value in (row.value, row.baseline_value))
        values = f"({mine}, against {its})"
        return f"has {more} {formatting.measure(measure)} than {baseline}{_at(row.point)} {values}"
    if _is_time(measure) and 0.0 < row.ratio < 1.0:
        return f"is {_times(row, inverse=True)} as fast as {baseline}{_at(row.point)}{_reach(row, inverse=True)}"
    if _is_time(measure):
        return f"takes {_times(row)} as long as {baseline}{_at(row.point)}{_reach(row)}"
    if measure.unit == "per_second":
        return f"is {_times(row)} as fast as {baseline}{_at(row.point)}{_reach(row)}"
    verb = "needs" if measure.better == "less" else "reaches"
    return f"{verb} {_times(row)} the {formatting.measure(measure)} of {baseline}{_at(row.point)}{_reach(row)}"


def _is_time(measure: Measure) -> bool:
    return measure.unit == "s" and measure.better == "less"


def _words(measure: Measure) -> tuple[str, str]:
    if _is_time(measure) or measure.unit == "per_second":
        return "faster", "slower"
    return f"better in {formatting.measure(measure)}", "worse"


def _times(row: Row, inverse: bool = False) -> str:
    value = 1.0 / row.ratio if inverse else row.ratio
    near = 0.9 < row.ratio < 1.1
    varies = row.interval is not None and row.interval.low != row.interval.high
    return f"{formatting.ratio(value) if varies else f'{value:.3f}' if near else f'{value:.3g}'} times"


def _reach(row: Row, inverse: bool = False) -> str:
    """The interval, which is empty for values that do not vary."""
    found = row.interval
    if found is None or found.low == found.high:
        return ""
    if inverse:
        found = Interval(1.0 / found.high, 1.0 / found.low if found.low > 0.0 else math.inf, found.confidence)
    return f" ({formatting.interval(found)})"


def _ratio_reach(row: Row) -> str:
    """The ratio and its interval, for a row without a claim."""
    if row.interval is None or row.interval.low == row.interval.high:
        return f" (ratio {formatting.ratio(row.ratio)})" if row.vetoed and math.isfinite(row.ratio) else ""
    return f" (ratio {formatting.interval(row.interval)})"


def _clusters(row: Row) -> str:
    """Describes two clusters of values: a median between them must not stand alone."""
    parts = []
    for name, clusters in ((row.contender, row.modes), (row.baseline, row.baseline_modes)):
        if clusters:
            around = formatting.listed([formatting.quantity(one, row.measure) for one in clusters])
            parts.append(f"the values of {name} form two clusters, around {around}")
    return f", but {formatting.listed(parts)}" if parts else ""


def _power(row: Row) -> str:
    """Why the row is undecided, and which effect would have been seen."""
    if row.vetoed:
        return f"{row.vetoed}{_clusters(row)}"
    clusters = _clusters(row)
    if clusters:
        return clusters.removeprefix(", but ")
    if row.interval is None or math.isinf(row.detectable_effect):
        return f"{row.rounds} {'round is' if row.rounds == 1 else 'rounds are'} too few"
    if row.detectable_effect >= 1.0:
        return f"only a factor of {1.0 + row.detectable_effect:.2g} would have been seen"
    return f"an effect of {formatting.percent(row.detectable_effect)} would have been seen"


def _at(point: Point) -> str:
    return f" at {formatting.point(point)}" if point else ""


def _vetoed(rows: Sequence[Row]) -> str:
    """Why rows have no verdict, if there are several rows. For a single row _power() says it."""
    reasons: dict[str, list[str]] = {}
    for row in rows if len(rows) > 1 else ():
        if row.vetoed:
            reasons.setdefault(row.vetoed, []).append(f"{row.contender}{_at(row.point)}")
    parts = [f"No verdict on {_some(names)}: {reason}." for reason, names in list(reasons.items())[:_LISTED]]
    left = sum(len(names) for names in list(reasons.values())[_LISTED:])
    return " ".join([*parts, f"Nor on {left} more, for similar reasons."] if left else parts)


def _failed(analysis: Analysis, rows: Sequence[Row]) -> str:
    """Failures of contenders that have numbers nevertheless. _absent() reports the other contenders."""
    seen = {(row.contender, row.point) for row in rows} | {(row.baseline, row.point) for row in rows}
    seen |= {(row.contender, row.point) for row in analysis.again}
    vetoed = " ".join(row.vetoed for row in rows)
    failed = [one for one in analysis.failures if (one.contender, one.point) in seen]
    parts = [
        f"{veto.failed(one)}{_at(one.point)} ({one.reason})" for one in failed if veto.failed(one) not in vetoed
    ]
    return f"Warning: {_some(parts)}." if parts else ""


def _some(parts: Sequence[str]) -> str:
    left = len(parts) - _LISTED
    return formatting.listed([*parts[:_LISTED], f"{left} more"] if left > 0 else parts)


def _worse_counts(analysis: Analysis) -> str:
    """Counts other than the first measure that got worse: a new allocation must not be visible only in a table."""
    worse: dict[str, list[str]] = {}
    for row in analysis.rows:
        counted = row.measure.exact or row.measure.name in _COUNTS
        if counted and row.measure != analysis.experiment.primary() and row.verdict is Verdict.SLOWER:
            worse.setdefault(row.contender, []).append(formatting.measure(row.measure))
    parts = [
        f"{name} is worse in {formatting.listed(list(dict.fromkeys(measures)))}" for name, measures in worse.items()
    ]
    return f"{_some(parts)}." if parts else ""


def _baseline_warning(analysis: Analysis) -> str:
    """A warning if the baseline differs from itself on this machine."""
    primary = analysis.experiment.primary()
    different = [
        row for row in analysis.again if row.measure == primary and row.verdict in (Verdict.FASTER, Verdict.SLOWER)
    ]
    if not different:
        return ""
    place = f",{_at(different[0].point)}" if different[0].point else ""
    more = f" and at {len(different) - 1} more" if len(different) > 1 else ""
    return f"Warning: {different[0].baseline} also differs from itself{place}{more}."


def _absent(analysis: Analysis, rows: Sequence[Row]) -> str:
    """The contenders without any numbers, and why."""
    seen = {row.contender for row in rows} | ({analysis.experiment.baseline} if rows else set())
    reasons = {one.contender: one.reason for one in reversed(analysis.failures)} | dict(analysis.missing)
    parts = [f"{name} ({reason})" for name, reason in reasons.items() if name not in seen | {AGAIN}]
    return f"No numbers: {'; '.join(parts)}." if parts else ""
