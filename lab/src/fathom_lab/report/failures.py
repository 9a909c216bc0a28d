"""Describes failures in sentences, for terminal, HTML and Markdown."""

from __future__ import annotations

from fathom_lab import formatting
from fathom_lab.rows import Analysis, Failure
from fathom_lab.runner import GIVE_UP_AFTER


def sentence(analysis: Analysis, one: Failure) -> str:
    at = f" at {formatting.point(one.point)}" if one.point else ""
    end = ", and was not started again" if _given_up(analysis, one) else ""
    return f"{one.contender}{at} failed in {one.launches} of {one.of} launches{end}: {one.reason}"


def stopped(analysis: Analysis) -> str:
    """Why a run has fewer rounds than planned; empty if it has all of them."""
    plan = analysis.experiment.plan
    planned = plan.rounds
    if plan.budget or not analysis.complete or analysis.rounds >= planned or not analysis.failures:
        return ""
    return f"stopped after {analysis.rounds} of {planned} rounds: all contenders failed"


def _given_up(analysis: Analysis, one: Failure) -> bool:
    """Whether the contender was given up: otherwise it would have been launched in each round, or, with a budget, until
    its point was decided, which needs a launch that succeeded."""
    plan = analysis.experiment.plan
    fewer = one.launches == one.of if plan.budget else one.of < plan.rounds + plan.warmup_rounds
    return analysis.complete and one.launches >= GIVE_UP_AFTER and fewer
