"""Contenders that failed or did not run, and numbers that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from fathom_lab import formatting
from fathom_lab.experiment import AGAIN, Point
from fathom_lab.gate.outcome import GateRow, Outcome
from fathom_lab.rows import Analysis, Failure


def absent(analysis: Analysis) -> Iterator[GateRow]:
    """Contenders of the new side that lack expected numbers, and a baseline that lacks some of its own."""
    experiment = analysis.experiment
    for name, reason in analysis.missing.items():
        if name not in (experiment.baseline, AGAIN):
            too = _baseline_too(experiment.baseline, analysis.missing.get(experiment.baseline, ""))
            outcome = Outcome.UNUSABLE if too else Outcome.REGRESS
            yield GateRow(name, (), "", outcome, f"did not run: {reason}{too}")
    for one in analysis.failures:
        yield _failed(analysis, one)
    yield from _disappeared(analysis, {(one.contender, one.point) for one in analysis.failures})


def _failed(analysis: Analysis, failure: Failure) -> GateRow:
    """A contender that fails no more often than the baseline is not a regression. If the baseline fails, the results
    cannot be trusted."""
    baseline = analysis.experiment.baseline
    reason = f"failed in {failure.launches} of {formatting.several(failure.of, 'launch', 'launches')}: {failure.reason}"
    if failure.contender in (baseline, AGAIN):
        name = formatting.contender(failure.contender, baseline)
        return GateRow(name, failure.point, "", Outcome.UNUSABLE, f"{reason}; the baseline must run")
    theirs = [one for one in analysis.failures if one.contender == baseline and one.point == failure.point]
    too = _baseline_too(baseline, theirs[0].reason) if theirs else ""
    as_often = any(one.launches * failure.of >= failure.launches * one.of for one in theirs)
    return GateRow(
        failure.contender, failure.point, "", Outcome.UNUSABLE if as_often else Outcome.REGRESS, f"{reason}{too}"
    )


def _baseline_too(baseline: str, reason: str) -> str:
    return f"; so did {baseline}, the baseline: {reason}" if reason else ""


def _disappeared(analysis: Analysis, failed: set[tuple[str, Point]]) -> Iterator[GateRow]:
    experiment = analysis.experiment
    there = {(row.contender, row.point, row.measure.name) for row in (*analysis.rows, *analysis.again)}
    for point in experiment.points():
        if not experiment.takes_part(experiment.baseline, point):
            continue
        others = [one.name for one in experiment.contenders if one.name != experiment.baseline]
        expected = [name for name in others if experiment.takes_part(name, point) and name not in analysis.missing]
        for name in expected:
            if (name, point) not in failed:
                for measure in experiment.measures:
                    if (name, point, measure.name) not in there:
                        yield _gone(analysis, name, point, measure.name)


def _gone(analysis: Analysis, name: str, point: Point, measure: str) -> GateRow:
    baseline = analysis.experiment.baseline
    shown = measure.replace("_", " ")
    if baseline in analysis.missing:
        reason = f"{baseline} did not run: {analysis.missing[baseline]}"
        return GateRow(name, point, shown, Outcome.UNUSABLE, reason)
    if any(one.contender == baseline and one.point == point and one.launches == one.of for one in analysis.failures):
        return GateRow(name, point, shown, Outcome.UNUSABLE, f"{baseline} failed, so there is nothing to compare with")
    if not analysis.complete:
        return GateRow(name, point, shown, Outcome.UNDECIDED, "the run was interrupted before it had a number")
    measured = {row.measure.name for row in analysis.again if row.point == point}
    if measured and measure not in measured:
        return GateRow(name, point, shown, Outcome.UNUSABLE, f"{baseline} has no number either")
    return GateRow(name, point, shown, Outcome.REGRESS, "has no number, and no failure explains it")
