"""The gate for pull requests: fails if anything is certainly worse than the baseline.

The baseline is the old side; the other contenders are the new side, measured in the same run. For each row:

- Exact counts come first: a difference is a regression or an improvement, without statistics. A count that varies
from round to round on either side is judged as a time.
- A contender that failed, or lacks an expected number, even in a single launch, is a regression.
- A time is a regression if its whole interval lies beyond the tolerance and beyond the difference between the
baseline and itself (A/A), in this run and in a second, independent run in fresh processes.
- A row passes if its whole interval lies below the tolerance; otherwise it is undecided.
- If the baseline failed, or its noise could explain the difference, the environment is unusable.

Intervals are those of single rows. The second run compensates for the number of rows: a row without a true
difference would have to exceed the tolerance with its whole interval twice, in the same direction.

Numbers of earlier runs are never compared with: the history is only shown, and only for this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fathom_lab import formatting
from fathom_lab.errors import LabError
from fathom_lab.experiment import Experiment, Point
from fathom_lab.gate import absence, comparison, text
from fathom_lab.gate import history as past
from fathom_lab.gate.outcome import GateResult, GateRow, Outcome, exit_code, worst
from fathom_lab.rows import Analysis
from fathom_lab.stats.effect import rounds_needed

__all__ = ["GateResult", "GateRow", "Outcome", "check", "exit_code", "gate", "gate_command", "undecided", "worst"]

TOLERANCE = 0.03


def check(experiment: Experiment, tolerance: float) -> None:
    """Checks the experiment before anything is measured. Raises LabError for one that could never decide."""
    name, rounds, needed = experiment.name, experiment.plan.rounds, rounds_needed(1)
    _check_tolerance(tolerance)
    if len(experiment.contenders) < 2:
        raise LabError(
            f"{name} has only its baseline, {experiment.baseline}, and nothing to compare with it; add a contender, "
            "or compare the baseline with a git revision by --against"
        )
    if rounds < needed and not all(one.exact for one in experiment.measures):
        few = formatting.several(rounds, "round")
        raise LabError(f"{name}: {few} cannot decide anything, at least {needed} are needed: try --rounds 20")


def _check_tolerance(tolerance: float) -> None:
    if not 0 < tolerance < 1:
        raise LabError(f"the tolerance must be a fraction, such as 0.03 for 3 %, not {tolerance:g}")


def gate(
    analysis: Analysis, second: Analysis | None = None, *, tolerance: float = TOLERANCE, strict: bool = False
) -> GateResult:
    """Judges a run. `second` is the analysis of a second run; without it, rows that need confirmation are undecided."""
    _check_tolerance(tolerance)
    rows = list(absence.absent(analysis))
    if second is not None:
        rows += [row for row in absence.absent(second) if row.name() not in {one.name() for one in rows}]
    rows += [comparison.judged(analysis, second, row, tolerance) for row in analysis.rows]
    if not rows:
        rows = [GateRow(analysis.experiment.name, (), "", Outcome.UNUSABLE, "nothing could be compared")]
    order = list(Outcome)
    rows.sort(key=lambda one: (order.index(one.outcome), one.row is not None and not one.row.measure.exact))
    outcome = rows[0].outcome
    return GateResult(analysis.experiment.name, rows, outcome, exit_code(outcome, strict), tolerance)


def undecided(analysis: Analysis, tolerance: float) -> set[Point]:
    """The points at which more rounds may change the outcome: those with a row that is undecided, or too noisy. All
    points in the first six rounds. For an experiment with a budget, after each round."""
    if analysis.rounds < rounds_needed(1):
        return set(analysis.experiment.points())
    rows = gate(analysis, tolerance=tolerance).rows
    return {one.point for one in rows if one.row is not None and not one.to_confirm
            and one.outcome in (Outcome.UNDECIDED, Outcome.UNUSABLE)}


def gate_command(
    analysis: Analysis,
    confirm: Callable[[], Analysis],
    *,
    environment: Mapping[str, Any],
    tolerance: float = TOLERANCE,
    strict: bool = False,
    history: Path | None = None,
    command: str = "",
    say: Callable[[str], None] = print,
) -> GateResult:
    """Runs the gate and says its result. `confirm` measures a second time in fresh processes; it is called only
    if a row needs confirmation. `command` reproduces this gate."""
    result = gate(analysis, tolerance=tolerance, strict=strict)
    if result.needs_confirmation:
        result = gate(analysis, confirm(), tolerance=tolerance, strict=strict)
    shown = ""
    if history is not None:
        shown = past.trend(history, result, environment)
        past.remember(history, result, environment)
    say(text.text(result, command, shown))
    return result
