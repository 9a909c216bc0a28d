"""Goals, deviations and stolen time in reports."""

from __future__ import annotations

import dataclasses
import io

from rich.console import Console

from fathom_lab import terminal
from fathom_lab.report import html, markdown
from fathom_lab.rows import Analysis, Deviation, GoalState, Interval
from made_analysis import made_analysis, made_experiment, made_row

TOLD = "time of ring at most 0.75 x mutex: 0.500 (0.400 to 0.600)"


def analysis() -> Analysis:
    of = made_experiment(goal=[{"contender": "ring", "at_most": 0.75, "of": "mutex"}] * 2)
    found = made_analysis([made_row()], of=of)
    states = zip(found.goals, (GoalState.MET, GoalState.MISSED))
    goals = [dataclasses.replace(one, state=state, figure=0.5, interval=Interval(0.4, 0.6, 0.95), reason="")
             for one, state in states]
    return dataclasses.replace(found, goals=goals, deviations=[Deviation("ring", (), "bytes", 0.01)])


def test_a_terminal_has_a_line_for_each() -> None:
    console = Console(file=io.StringIO(), width=200)
    terminal.show([analysis()], console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert f"goal met: {TOLD}\n" in text and f"goal missed: {TOLD}\n" in text
    assert "bytes relative to mutex: ring +1 %" in text


def test_a_comment_has_them_below_the_answer() -> None:
    text = markdown.text([analysis()])
    assert f"- goal met: {TOLD}\n- goal missed: {TOLD}\n" in text
    assert "bytes relative to mutex: ring +1 %" in text.replace("\\+", "+")


def test_a_page_has_them_and_counts_them() -> None:
    text = html.text([analysis()], {})
    assert f"goal</span> met: {TOLD}</li>" in text and f"goal</span> missed: {TOLD}</li>" in text
    assert [(one.kind, one.text) for one in html.badges(analysis())][1:] == [
        ("good", "1 goal met"), ("bad", "1 goal missed")]
    assert "ring +1 %" in text


def test_time_that_others_took_is_noted_if_it_is_much() -> None:
    assert html.notes({"stolen": 0.031}) == ["other virtual machines took 3.1% of CPU time"]
    assert html.notes({"stolen": 0.002}) == html.notes({"stolen": "unknown"}) == []
