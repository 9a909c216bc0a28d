"""The result of a gate as text."""

from __future__ import annotations

from fathom_lab import formatting
from fathom_lab.gate.outcome import GateResult, Outcome


def counts(result: GateResult) -> str:
    """How many rows have which outcome: "1 regress, 3 pass"."""
    return ", ".join(f"{sum(row.outcome is outcome for row in result.rows)} {outcome.value}" for outcome in Outcome
                     if any(row.outcome is outcome for row in result.rows))


def text(result: GateResult, command: str = "", trend: str = "") -> str:
    """The result as text: first rows that fail the gate, then undecided ones; rows that pass are only counted."""
    lines = [f"{result.outcome.value.upper()}: {result.experiment}: {counts(result)}; "
             f"tolerance {formatting.percent(result.tolerance)}"]
    listed = [row for row in result.rows if row.outcome is not Outcome.PASS]
    lines += [f"  {row.outcome.value}: {row.name()}: {row.reason}" for row in listed]
    lines += [trend] if trend else []
    lines += [f"to repeat: {command}"] if command else []
    return "\n".join(lines)
