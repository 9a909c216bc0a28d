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

import dataclasses
import datetime
import enum
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom_lab import words
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN, Experiment, Point
from fathom_lab.rows import Analysis, Failure, Interval, Row, Verdict
from fathom_lab.stats.effect import rounds_needed

TOLERANCE = 0.03
_TREND = 8  # earlier gates to show


class Outcome(enum.Enum):
    REGRESS = "regress"
    UNUSABLE = "environment unusable"
    UNDECIDED = "undecided"
    IMPROVE = "improve"
    PASS = "pass"


_CODES = {Outcome.REGRESS: 1, Outcome.UNUSABLE: 3, Outcome.UNDECIDED: 0, Outcome.IMPROVE: 0, Outcome.PASS: 0}
_UNDECIDED_STRICT = 4  # 2 is invalid usage, as in all commands
_WORST_FIRST = (1, 3, _UNDECIDED_STRICT, 0)


@dataclasses.dataclass(frozen=True)
class GateRow:
    contender: str
    point: Point
    measure: str  # empty: the row is about the contender as a whole
    outcome: Outcome
    why: str
    row: Row | None = None
    to_confirm: bool = False  # a second run may change the outcome

    def name(self) -> str:
        at = f" at {words.point(self.point)}" if self.point else ""
        return f"{self.contender}{at}{f', {self.measure}' if self.measure else ''}"


@dataclasses.dataclass(frozen=True)
class GateResult:
    experiment: str
    rows: Sequence[GateRow]  # the worst first
    outcome: Outcome  # the worst
    exit_code: int  # 0 pass, 1 regress, 3 environment unusable, 4 undecided and strict
    tolerance: float

    @property
    def needs_confirmation(self) -> bool:
        return any(row.to_confirm for row in self.rows)


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
        few = words.several(rounds, "round")
        raise LabError(f"{name}: {few} cannot decide anything, at least {needed} are needed: try --rounds 20")


def worst(codes: Iterable[int]) -> int:
    """The worst exit code of several experiments."""
    return min(codes, key=_WORST_FIRST.index)


def _check_tolerance(tolerance: float) -> None:
    if not 0 < tolerance < 1:
        raise LabError(f"the tolerance must be a fraction, such as 0.03 for 3 %, not {tolerance:g}")


def gate(
    analysis: Analysis, second: Analysis | None = None, *, tolerance: float = TOLERANCE, strict: bool = False
) -> GateResult:
    """Judges a run. `second` is the analysis of a second run; without it, rows that need confirmation are undecided."""
    _check_tolerance(tolerance)
    rows = list(_absent(analysis))
    if second is not None:
        rows += [row for row in _absent(second) if row.name() not in {one.name() for one in rows}]
    rows += [_judged(analysis, second, row, tolerance) for row in analysis.rows]
    if not rows:
        rows = [GateRow(analysis.experiment.name, (), "", Outcome.UNUSABLE, "nothing could be compared")]
    order = list(Outcome)
    rows.sort(key=lambda one: (order.index(one.outcome), one.row is not None and not one.row.measure.exact))
    outcome = rows[0].outcome
    code = _UNDECIDED_STRICT if strict and outcome is Outcome.UNDECIDED else _CODES[outcome]
    return GateResult(analysis.experiment.name, rows, outcome, code, tolerance)


# Missing contenders and numbers.


def _absent(analysis: Analysis) -> Iterator[GateRow]:
    """Contenders of the new side that lack expected numbers, and a baseline that lacks some of its own."""
    experiment = analysis.experiment
    for name, reason in analysis.missing.items():
        if name not in (experiment.baseline, AGAIN):
            too = _too(experiment.baseline, analysis.missing.get(experiment.baseline, ""))
            outcome = Outcome.UNUSABLE if too else Outcome.REGRESS
            yield GateRow(name, (), "", outcome, f"did not run: {reason}{too}")
    for one in analysis.failures:
        yield _failed(analysis, one)
    yield from _disappeared(analysis, {(one.contender, one.point) for one in analysis.failures})


def _failed(analysis: Analysis, failure: Failure) -> GateRow:
    """A contender that fails no more often than the baseline is not a regression. If the baseline fails, the results
    cannot be trusted."""
    baseline = analysis.experiment.baseline
    why = f"failed in {failure.launches} of {words.several(failure.of, 'launch', 'launches')}: {failure.reason}"
    if failure.contender in (baseline, AGAIN):
        name = words.contender(failure.contender, baseline)
        return GateRow(name, failure.point, "", Outcome.UNUSABLE, f"{why}; the baseline must run")
    theirs = [one for one in analysis.failures if one.contender == baseline and one.point == failure.point]
    too = _too(baseline, theirs[0].reason) if theirs else ""
    as_often = any(one.launches * failure.of >= failure.launches * one.of for one in theirs)
    return GateRow(
        failure.contender, failure.point, "", Outcome.UNUSABLE if as_often else Outcome.REGRESS, f"{why}{too}"
    )


def _too(baseline: str, reason: str) -> str:
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
        why = f"{baseline} did not run: {analysis.missing[baseline]}"
        return GateRow(name, point, shown, Outcome.UNUSABLE, why)
    if any(one.contender == baseline and one.point == point and one.launches == one.of for one in analysis.failures):
        return GateRow(name, point, shown, Outcome.UNUSABLE, f"{baseline} failed, so there is nothing to compare with")
    if not analysis.complete:
        return GateRow(name, point, shown, Outcome.UNDECIDED, "the run was interrupted before it had a number")
    measured = {row.measure.name for row in analysis.again if row.point == point}
    if measured and measure not in measured:
        return GateRow(name, point, shown, Outcome.UNUSABLE, f"{baseline} has no number either")
    return GateRow(name, point, shown, Outcome.REGRESS, "has no number, and no failure explains it")


# Rows with numbers.


def _judged(analysis: Analysis, second: Analysis | None, row: Row, tolerance: float) -> GateRow:
    def make(outcome: Outcome, why: str, to_confirm: bool = False) -> GateRow:
        return GateRow(row.contender, row.point, words.measure(row.measure), outcome, why, row, to_confirm)

    if row.reported < row.launches or row.baseline_reported < row.baseline_launches:
        return make(*_half_reported(row))
    if row.exact:
        return make(*_exact(row))
    if row.interval is None:
        return make(*_without_interval(row, second))
    suspected = _timed(row, tolerance)
    reach = f"ratio {words.ratio(row.ratio)}, {words.interval(row.interval)}"
    if row.refused:
        return make(Outcome.UNDECIDED, f"{reach}, but {row.refused}")
    trouble = _noise(analysis, row, tolerance)
    if trouble and suspected is Outcome.IMPROVE:
        return make(Outcome.PASS, f"{reach}; {trouble}")
    if trouble and suspected is not Outcome.PASS:
        return make(Outcome.UNUSABLE, f"{reach}, but {trouble}")
    if suspected is Outcome.UNDECIDED:
        return make(suspected, f"{reach}: may or may not be more than {words.percent(tolerance)} worse")
    if suspected is Outcome.PASS:
        return make(suspected, reach)
    if second is None:
        return make(_unconfirmed(suspected), f"{reach}, not confirmed yet", True)
    again = _same(second.rows, row)
    if again is None or again.interval is None:
        return make(_unconfirmed(suspected), f"{reach}; the second run has no interval to confirm it")
    if again.refused:
        return make(_unconfirmed(suspected), f"{reach}, but in the second run {again.refused}")
    trouble = _noise(second, again, tolerance)
    if trouble and suspected is Outcome.REGRESS and _timed(again, tolerance) is suspected:
        return make(Outcome.UNUSABLE, f"{reach}, but in the second run {trouble}")
    then = f"{words.ratio(again.ratio)}, {words.interval(again.interval)}"
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
        return Outcome.PASS if enough else Outcome.UNDECIDED, row.refused or few, False
    why = f"{words.quantity(row.value, row.measure)}, was {words.quantity(row.baseline_value, row.measure)}"
    again = _same(second.rows, row) if second is not None else None
    if again is not None and again.verdict is Verdict.SLOWER:
        return Outcome.REGRESS, f"{why}; confirmed", False
    return Outcome.UNDECIDED, f"{why}, not confirmed{'' if second is not None else ' yet'}", second is None


def _half_reported(row: Row) -> tuple[Outcome, str]:
    """A number that only some launches report does not count, however good it looks."""
    missed, baseline_missed = 1 - row.reported / row.launches, 1 - row.baseline_reported / row.baseline_launches
    if missed > baseline_missed:
        return Outcome.REGRESS, f"reported in {row.reported} of {words.several(row.launches, 'launch', 'launches')}"
    of = words.several(row.baseline_launches, "launch", "launches")
    return Outcome.UNUSABLE, f"{row.baseline}, the baseline, reported it in {row.baseline_reported} of {of}"


def _exact(row: Row) -> tuple[Outcome, str]:
    """Judges counts that were the same in all rounds."""
    new, old = row.value, row.baseline_value
    why = f"{words.quantity(new, row.measure)}, was {words.quantity(old, row.measure)}"
    if new == old:
        return Outcome.PASS, why
    return (Outcome.REGRESS if (new > old) == (row.measure.better == "less") else Outcome.IMPROVE), why


def _timed(row: Row, tolerance: float) -> Outcome:
    """Judges a time by its interval alone."""
    low, high = _cost(row.interval, row.measure.better)
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
    if again is None or again.interval is None:
        return "the baseline compared with itself (A/A) has no interval"
    low, high = again.interval.low, again.interval.high
    half = (high - low) / 2
    differs = low > 1 + tolerance or high < 1 / (1 + tolerance)
    margin = max(high - 1, _inverse(low) - 1) if differs else half
    if margin < tolerance or _timed(row, margin) in (Outcome.REGRESS, Outcome.IMPROVE):
        return ""
    shown = f"the baseline compared with itself (A/A) is {words.interval(again.interval)}"
    if differs:
        return f"{shown}: the same program differs from itself"
    return f"{shown}: too noisy for {words.percent(tolerance)}; use a quieter machine or more rounds"


def _same(rows: Sequence[Row], as_in: Row) -> Row | None:
    wanted = (as_in.contender, as_in.point, as_in.measure)
    return next((row for row in rows if (row.contender, row.point, row.measure) == wanted), None)


# Output.


def text(result: GateResult, command: str = "", trend: str = "") -> str:
    """The result as text: first rows that fail the gate, then undecided ones; rows that pass are only counted."""
    counts = [f"{sum(row.outcome is outcome for row in result.rows)} {outcome.value}" for outcome in Outcome
              if any(row.outcome is outcome for row in result.rows)]
    lines = [f"{result.outcome.value.upper()}: {result.experiment}: {', '.join(counts)}; "
             f"tolerance {words.percent(result.tolerance)}"]
    listed = [row for row in result.rows if row.outcome is not Outcome.PASS]
    lines += [f"  {row.outcome.value}: {row.name()}: {row.why}" for row in listed]
    lines += [trend] if trend else []
    lines += [f"to repeat: {command}"] if command else []
    return "\n".join(lines)


# History.


def machine(environment: Mapping[str, Any]) -> str:
    """Identifies the machine: only figures of the same machine belong to one trend."""
    keys = ("host", "processor", "processors_online", "kernel")
    return " | ".join(str(environment.get(key, "unknown")) for key in keys)


def remember(file: Path, result: GateResult, environment: Mapping[str, Any]) -> None:
    """Appends the result to the history as a line of JSON."""
    rows = [{
        "contender": one.contender, "point": dict(one.point), "measure": one.measure, "outcome": one.outcome.value,
        "ratio": _finite(one.row.ratio) if one.row else None, "value": _finite(one.row.value) if one.row else None,
    } for one in result.rows]
    line = {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(environment), "commit": environment.get("commit", "unknown"),
        "experiment": result.experiment, "outcome": result.outcome.value, "tolerance": result.tolerance, "rows": rows,
    }
    try:
        torn = file.exists() and file.read_bytes()[-1:] not in (b"", b"\n")
        with open(file, "a", encoding="utf-8") as history:
            history.write(("\n" if torn else "") + json.dumps(line, allow_nan=False, default=str) + "\n")
    except OSError as error:
        raise LabError(f"the history {file} cannot be written: {error.strerror}") from error


def trend(file: Path, result: GateResult, environment: Mapping[str, Any]) -> str:
    """The ratios of earlier gates on this machine, by row. For information only: no outcome depends on them."""
    past = [one for one in _past(file) if one.get("experiment") == result.experiment]
    here = [one for one in past if one.get("machine") == machine(environment)]
    others = len(past) - len(here)
    lines = []
    for row in result.rows:
        ratios = [_ratio_then(one, row) for one in here]
        shown = [words.ratio(ratio) for ratio in ratios if ratio is not None][-_TREND:]
        if shown and row.row is not None:
            lines.append(f"  {row.name()}: {' '.join(shown)}, now {words.ratio(row.row.ratio)}")
    if lines:
        lines.insert(0, "ratios of earlier gates on this machine:")
    if others:
        lines.append(f"not shown: {words.several(others, 'gate')} on other machines in {file}")
    return "\n".join(lines)


def _past(file: Path) -> Iterator[dict[str, Any]]:
    """The complete lines of the history; the last line may be torn."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
    except OSError as error:
        raise LabError(f"the history {file} cannot be read: {error.strerror}") from error
    for line in lines:
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict) and isinstance(one.get("rows"), list):
            yield one


def _ratio_then(one: Mapping[str, Any], row: GateRow) -> float | None:
    for then in one["rows"]:
        if isinstance(then, dict) and (then.get("contender"), then.get("point"), then.get("measure")) == (
            row.contender, json.loads(json.dumps(dict(row.point), default=str)), row.measure
        ):
            ratio = then.get("ratio")
            return float(ratio) if isinstance(ratio, (int, float)) else None
    return None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


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
) -> int:
    """Runs the gate and returns the exit code. `confirm` measures a second time in fresh processes; it is called only
    if a row needs confirmation. `command` reproduces this gate."""
    result = gate(analysis, tolerance=tolerance, strict=strict)
    if result.needs_confirmation:
        result = gate(analysis, confirm(), tolerance=tolerance, strict=strict)
    shown = ""
    if history is not None:
        shown = trend(history, result, environment)
        remember(history, result, environment)
    say(text(result, command, shown))
    return result.exit_code
