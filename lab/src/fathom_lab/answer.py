"""The sentence that a reader sees first, and those that must not be overlooked after it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from fathom_lab import words
from fathom_lab.experiment import AGAIN, Measure, Point
from fathom_lab.rows import Analysis, Row, Verdict


def answer(analysis: Analysis) -> str:
    """By the first measure: it is what the experiment asks."""
    rows = [row for row in analysis.rows if row.measure == analysis.experiment.primary()]
    sentences = [_comparison(analysis, rows), _doubt(analysis), _absent(analysis, rows)]
    if not analysis.complete:
        planned = analysis.experiment.plan.rounds
        sentences.append(f"The run was interrupted after {analysis.rounds} of {planned} rounds.")
    return " ".join(sentence for sentence in sentences if sentence)


def _comparison(analysis: Analysis, rows: Sequence[Row]) -> str:
    if not rows:
        return f"Nothing could be compared with {analysis.experiment.baseline}."
    return _about_one(rows[0]) if len(rows) == 1 else _about_many(rows)


def _about_one(row: Row) -> str:
    names, place = f"{row.contender} and {row.baseline}", _at(row.point)
    if row.verdict in (Verdict.FASTER, Verdict.SLOWER):
        return f"{row.contender} {_claim(row)}."
    if row.verdict is Verdict.SAME:
        return f"{names} show no difference in {words.measure(row.measure)} that matters{place}{_ratio_reach(row)}."
    measure = words.measure(row.measure)
    return f"Whether {names} differ in {measure} cannot be told{place}{_ratio_reach(row)}: {_power(row)}."


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
    tally = f"of {len(rows)} comparisons {words.listed(counts)}"
    faster = [row for row in rows if row.verdict is Verdict.FASTER]
    slower = [row for row in rows if row.verdict is Verdict.SLOWER]
    if faster:
        best = max(faster, key=_gain)
        return f"{best.contender} {_claim(best)}{', the largest gain' if len(faster) > 1 else ''}; {tally}."
    if slower:
        next_best = max(slower, key=_gain)
        least = ", the smallest loss" if len(slower) > 1 else ""
        closest = f"{next_best.contender} {_claim(next_best)}{least}"
        return f"Nothing is shown to be {better} than {baseline}: {closest}; {tally}."
    if all(row.verdict is Verdict.SAME for row in rows):
        return f"None of {len(rows)} comparisons with {baseline} shows a difference that matters."
    return f"Nothing is shown to be {better} or {worse} than {baseline}; {tally}."


def _gain(row: Row) -> float:
    """How often better; without a ratio the contender is the only one with none: no gain is larger."""
    if math.isnan(row.ratio) or row.ratio == 0.0:
        return math.inf
    return 1.0 / row.ratio if row.measure.better == "less" else row.ratio


def _claim(row: Row) -> str:
    """With where and how sure: is 2.1 times as fast as mutex at threads=2 (1.9 to 2.4)."""
    measure, baseline = row.measure, row.baseline
    if math.isnan(row.ratio):
        more = "more" if row.value > row.baseline_value else "less"
        # "more allocations (3 beside 0)" needs no unit.
        of_its_own = dataclasses.replace(measure, unit="") if measure.unit == measure.name else measure
        values = f"({words.quantity(row.value, of_its_own)} beside {words.quantity(row.baseline_value, of_its_own)})"
        return f"has {more} {words.measure(measure)} than {baseline}{_at(row.point)} {values}"
    if _is_time(measure) and 0.0 < row.ratio < 1.0:
        return f"is {_times(row, inverse=True)} as fast as {baseline}{_at(row.point)}{_reach(row, inverse=True)}"
    if _is_time(measure):
        return f"takes {_times(row)} as long as {baseline}{_at(row.point)}{_reach(row)}"
    if measure.unit == "per_second":
        return f"is {_times(row)} as fast as {baseline}{_at(row.point)}{_reach(row)}"
    verb = "needs" if measure.better == "less" else "reaches"
    return f"{verb} {_times(row)} the {words.measure(measure)} of {baseline}{_at(row.point)}{_reach(row)}"


def _is_time(measure: Measure) -> bool:
    return measure.unit == "s" and measure.better == "less"


def _words(measure: Measure) -> tuple[str, str]:
    if _is_time(measure) or measure.unit == "per_second":
        return "faster", "slower"
    return f"better in {words.measure(measure)}", "worse"


def _times(row: Row, inverse: bool = False) -> str:
    return f"{_number(1.0 / row.ratio if inverse else row.ratio, row)} times"


def _reach(row: Row, inverse: bool = False) -> str:
    if row.interval is None or row.interval.low == row.interval.high:
        return ""
    low, high = row.interval.low, row.interval.high
    if inverse:
        low, high = 1.0 / high, 1.0 / low if low > 0.0 else math.inf
    return f" ({_number(low, row)} to {_number(high, row)})"


def _ratio_reach(row: Row) -> str:
    reach = _reach(row)
    return f"{reach[:2]}ratio {reach[2:]}" if reach else ""


def _number(value: float, row: Row) -> str:
    """Near 1 the third decimal counts."""
    return f"{value:.3f}" if 0.9 < row.ratio < 1.1 else f"{value:.3g}"


def _power(row: Row) -> str:
    if row.measure.exact:
        return "rounds disagree"
    if row.interval is None or math.isinf(row.smallest_visible):
        return f"{row.rounds} {'round is' if row.rounds == 1 else 'rounds are'} too few"
    return f"an effect of {words.percent(row.smallest_visible)} would have been seen"


def _at(point: Point) -> str:
    return f" at {words.point(point)}" if point else ""


def _doubt(analysis: Analysis) -> str:
    """The machine showed a difference where there is none."""
    primary = analysis.experiment.primary()
    different = [
        row for row in analysis.again if row.measure == primary and row.verdict in (Verdict.FASTER, Verdict.SLOWER)
    ]
    if not different:
        return ""
    place = f",{_at(different[0].point)}" if different[0].point else ""
    more = f" and at {len(different) - 1} more" if len(different) > 1 else ""
    return f"Beware: {different[0].baseline} beside itself came out as different, too{place}{more}."


def _absent(analysis: Analysis, rows: Sequence[Row]) -> str:
    """Contenders without a single number, by name."""
    seen = {row.contender for row in rows} | ({analysis.experiment.baseline} if rows else set())
    reasons = {one.contender: one.reason for one in reversed(analysis.failures)} | dict(analysis.missing)
    told = [f"{name} ({reason})" for name, reason in reasons.items() if name not in seen | {AGAIN}]
    return f"Without numbers: {'; '.join(told)}." if told else ""
