"""Who failed, in a sentence: of terminal, HTML and Markdown."""

from __future__ import annotations

from fathom_lab import words
from fathom_lab.rows import Analysis, Failure
from fathom_lab.runner import GIVE_UP_AFTER


def sentence(analysis: Analysis, one: Failure) -> str:
    at = f" at {words.point(one.point)}" if one.point else ""
    end = ", and was not started again" if _given_up(analysis, one) else ""
    return f"{one.contender}{at} failed {one.launches} times of {one.of}{end}: {one.reason}"


def stopped(analysis: Analysis) -> str:
    """Why a run has fewer rounds than it should have; empty if it has them."""
    planned = analysis.experiment.plan.rounds
    if not analysis.complete or analysis.rounds >= planned or not analysis.failures:
        return ""
    return f"stopped after {analysis.rounds} of {planned} rounds: nobody is left"


def _given_up(analysis: Analysis, one: Failure) -> bool:
    """Who takes part is launched in each round, unless it has failed too often in a row."""
    plan = analysis.experiment.plan
    return analysis.complete and one.launches >= GIVE_UP_AFTER and one.of < plan.rounds + plan.warmup_rounds
