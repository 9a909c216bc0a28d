"""Rows with numbers: exact counts, and times with their interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fathom_lab import formatting
from fathom_lab.gate.outcome import GateRow, Outcome
from fathom_lab.rows import Analysis, Interval, Row, Verdict
from fathom_lab.stats.effect import rounds_needed


def judged(analysis: Analysis, second: Analysis | None, row: Row, tolerance: float) -> GateRow:
    def make(outcome: Outcome, reason: str, to_confirm: bool = False) -> GateRow:
        return GateRow(row.contender, row.point, formatting.measure(row.measure), outcome, reason, row, to_confirm)

    if row.reported < row.launches or row.baseline_reported < row.baseline_launches:
        return make(*_half_reported(row))
    if row.exact:
        return make(*_exact(row))
    if row.alone is None:
        return make(*_without_interval(row, second))
    suspected = _timed(row, tolerance)
    reach = f"ratio {formatting.ratio(row.ratio)}, {formatting.interval(row.alone)}"
    if row.vetoed:
        return make(Outcome.UNDECIDED, f"{reach}, but {row.vetoed}")
    trouble = _noise(analysis, row, tolerance)
    if trouble and suspected is Outcome.IMPROVE:
        return make(Outcome.PASS, f"{reach}; {trouble}")
    if trouble and suspected is not Outcome.PASS:
        return make(Outcome.UNUSABLE, f"{reach}, but {trouble}")
    if suspected is Outcome.UNDECIDED:
        return make(suspected, f"{reach}: may or may not be more than {formatting.percent(tolerance)} worse")
    if suspected is Outcome.PASS:
        return make(suspected, reach)
    if second is None:
        return make(_unconfirmed(suspected), f"{reach}, not confirmed yet", True)
    again = _same(second.rows, row)
    if again is None or again.alone is None:
        return make(_unconfirmed(suspected), f"{reach}; the second run has no interval to confirm it")
    if again.vetoed:
        return make(_unconfirmed(suspected), f"{reach}, but in the second run {again.vetoed}")
    trouble = _noise(second, again, tolerance)
    if trouble and suspected is Outcome.REGRESS and _timed(again, tolerance) is suspected:
        return make(Outcome.UNUSABLE, f"{reach}, but in the second run {trouble}")
    then = f"{formatting.ratio(again.ratio)}, {formatting.interval(again.alone)}"
    if _timed(again, tolerance) is suspected:
        return make(suspected, f"{reach}; confirmed: {then}")
    return make(_unconfirmed(suspected), f"{reach}, not confirmed by the second run: {then}")


def _unconfirmed(suspected: Outcome) -> Outcome:
    """An unconfirmed improvement passes; an unconfirmed regression is undecided."""
    return Outcome.UNDECIDED if suspected is Outcome.REGRESS else Outcome.PASS


def _without_interval(row: Row, second: Analysis | None) -> tuple[Outcome, str, bool]:
    """A row in which one count is 0 has no ratio: its verdict needs confirmation instead."""
    if row.verdict is not Verdict.SLOWER:
        enough = row.verdict in (Verdict.SAME, Verdict.FASTER)
        few = f"too few rounds for an interval: {row.rounds}" if row.rounds < rounds_needed(1) else "there is no ratio"
        return Outcome.PASS if enough else Outcome.UNDECIDED, row.vetoed or few, False
    now, before = (formatting.quantity(value, row.measure) for value in (row.value, row.baseline_value))
    reason = f"{now}, was {before}"
    again = _same(second.rows, row) if second is not None else None
    if again is not None and again.verdict is Verdict.SLOWER:
        return Outcome.REGRESS, f"{reason}; confirmed", False
    return Outcome.UNDECIDED, f"{reason}, not confirmed{'' if second is not None else ' yet'}", second is None


def _half_reported(row: Row) -> tuple[Outcome, str]:
    """A number that only some launches report does not count, however good it looks."""
    missed, baseline_missed = 1 - row.reported / row.launches, 1 - row.baseline_reported / row.baseline_launches
    if missed > baseline_missed:
        launches = formatting.several(row.launches, "launch", "launches")
        return Outcome.REGRESS, f"reported in {row.reported} of {launches}"
    of = formatting.several(row.baseline_launches, "launch", "launches")
    return Outcome.UNUSABLE, f"{row.baseline}, the baseline, reported it in {row.baseline_reported} of {of}"


def _exact(row: Row) -> tuple[Outcome, str]:
    """Judges counts that were the same in all rounds."""
    new, old = row.value, row.baseline_value
    reason = f"{formatting.quantity(new, row.measure)}, was {formatting.quantity(old, row.measure)}"
    if new == old:
        return Outcome.PASS, reason
    return (Outcome.REGRESS if (new > old) == (row.measure.better == "less") else Outcome.IMPROVE), reason


def _timed(row: Row, tolerance: float) -> Outcome:
    """Judges a time by its interval alone."""
    low, high = _cost(row.alone, row.measure.better)
    if low > 1 + tolerance:
        return Outcome.REGRESS
    if high < 1 / (1 + tolerance):
        return Outcome.IMPROVE
    return Outcome.PASS if high < 1 + tolerance else Outcome.UNDECIDED


def _cost(interval: Interval | None, better: str) -> tuple[float, float]:
    """The interval as a cost: above 1 is worse, whether less or more of the measure is better."""
    if interval is None:
        return -math.inf, math.inf
    if better == "less":
        return interval.low, interval.high
    return _inverse(interval.high), _inverse(interval.low)


def _inverse(value: float) -> float:
    return 1 / value if value > 0 else math.inf


def _noise(analysis: Analysis, row: Row, tolerance: float) -> str:
    """Why the row cannot be distinguished from noise, if it cannot: the baseline compared with itself is less precise
    than the tolerance, and the row does not lie beyond that."""
    again = next((one for one in analysis.again if one.point == row.point and one.measure == row.measure), None)
    if again is None or again.alone is None:
        return "the baseline compared with itself (A/A) has no interval"
    low, high = again.alone.low, again.alone.high
    half = (high - low) / 2
    differs = low > 1 + tolerance or high < 1 / (1 + tolerance)
    margin = max(high - 1, _inverse(low) - 1) if differs else half
    if margin < tolerance or _timed(row, margin) in (Outcome.REGRESS, Outcome.IMPROVE):
        return ""
    shown = f"the baseline compared with itself (A/A) is {formatting.interval(again.alone)}"
    if differs:
        return f"{shown}: the same program differs from itself"
    return f"{shown}: too noisy for {formatting.percent(tolerance)}; use a quieter machine or more rounds"


def _same(rows: Sequence[Row], as_in: Row) -> Row | None:
    wanted = (as_in.contender, as_in.point, as_in.measure)
    return next((row for row in rows if (row.contender, row.point, row.measure) == wanted), None)
