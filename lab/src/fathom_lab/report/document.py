"""Writes the tables of a document from runs.

Text between these two lines is replaced, where NAME is the name of an experiment:

    <!-- lab NAME -->
    <!-- /lab -->

NAME may also be `goals`: the table of all goals of the project's experiments.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from fathom_lab import formatting, goal_results, whole_file
from fathom_lab.errors import LabError
from fathom_lab.experiment import GOALS, Experiment, Point
from fathom_lab.goal import Goal
from fathom_lab.report import html, markdown
from fathom_lab.rows import Analysis, GoalResult

_PLACE = re.compile(r"<!-- lab (?P<name>\S+) -->\n(?P<old>.*?)<!-- /lab -->", re.DOTALL)
_BEGIN = re.compile(r"<!-- lab \S+ -->")


@dataclasses.dataclass(frozen=True)
class Run:
    """The analyses of a run, and where it was measured."""

    analyses: Sequence[Analysis]
    environment: Mapping[str, Any]


def write(file: Path, runs: Sequence[Run], project: Sequence[Experiment] = ()) -> tuple[list[str], list[str]]:
    """Replaces the tables of the runs' experiments. Returns their names, and the names of places without results.

    If several runs contain an experiment, the last one counts. Raises LabError, also if the document has no place
    for any.
    """
    try:
        before = file.read_text(encoding="utf-8")
        after, names = filled(before, runs, project)
        places = [match["name"] for match in _PLACE.finditer(before)]
        if not names:
            measured = [one.experiment.name for run in runs for one in run.analyses]
            raise LabError(_no_place(file, places, measured))
        if after != before:
            whole_file.write(file, after)
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{file} cannot be updated: {error}") from error
    return names, [name for name in places if name not in names]


def _no_place(file: Path, places: Sequence[str], measured: Sequence[str]) -> str:
    there = f"it has places for {', '.join(places)}" if places else "it has no <!-- lab NAME -->"
    return f"{file} has no place for {', '.join(measured)}: {there}"


def filled(document: str, runs: Sequence[Run], project: Sequence[Experiment] = ()) -> tuple[str, list[str]]:
    """Returns the document with replaced tables, and the names of those tables. Places of other experiments stay
    unchanged."""
    if len(_BEGIN.findall(document)) != len(_PLACE.findall(document)):
        raise LabError("a <!-- lab NAME --> has no matching <!-- /lab -->")
    tables: dict[str, Callable[[str], str]] = {GOALS: lambda old: goals(runs, project, old)}
    for run in runs:
        tables |= {one.experiment.name: lambda _, one=one, run=run: _tables(one, run.environment)  # type: ignore[misc]
                   for one in run.analyses}
    names: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        table = tables.get(match["name"])
        if table is None or "<!-- lab " in match["old"]:
            return match[0]
        names.append(match["name"])
        return f"<!-- lab {match['name']} -->\n{table(match['old'])}<!-- /lab -->"

    return _PLACE.sub(replaced, document), names


def _tables(analysis: Analysis, environment: Mapping[str, Any]) -> str:
    lines = ["", markdown.plain(analysis.answer), "", *markdown.goals(analysis)]
    lines += markdown.tables(analysis, environment)
    command, headline = html.command(analysis, environment), html.headline(environment)
    points = "; ".join(f"{name} {', '.join(map(formatting.parameter, values))}"
                       for name, values in analysis.experiment.parameters.items())
    measured = f"{markdown.code(command)}{f' at {markdown.plain(points)}' if points else ''}" if command else ""
    lines += [": ".join(filter(None, (measured, markdown.plain(headline)))), ""]
    lines += [line for note in html.notes(environment) for line in (f"Note: {markdown.plain(note)}.", "")]
    return "\n".join(lines)


def goals(runs: Sequence[Run], project: Sequence[Experiment], old: str = "") -> str:
    """The table of all goals of the project. Goals that no run has measured keep the line of the old table, or are
    listed as not measured. Reasons and conditions are notes below the table: in a cell they would make a column too
    wide."""
    kept = _Old(old)
    lines = [kept.instead_of(_Line.of(one, *found)) for one in project for found in _goals(one, runs)]
    notes = list(dict.fromkeys(note for line in lines for note in line.notes))
    cells = [line.cells(notes) for line in lines]
    for above, below in reversed(list(itertools.pairwise(cells))):  # show an experiment's name once
        below[0] = "" if below[0] == above[0] else below[0]
    counts = Counter(line.state for line in lines)
    tally = formatting.listed([f"{count} {state}" for state, count in counts.items()])
    head = ["experiment", "goal", "figure", "interval", "status"]
    return "\n".join([
        "", f"{formatting.several(len(lines), 'goal')}: {tally}.", "", *markdown.grid(head, cells, left=[0, 1, 4]),
        *(f"{number}. {markdown.plain(note)}" for number, note in enumerate(notes, 1)), *([""] if notes else []),
        *dict.fromkeys((*kept.measured, *(f"Measured: {markdown.plain(html.headline(run.environment))}."
                                          for run in runs))), "", "",
    ])


@dataclasses.dataclass(frozen=True)
class _Line:
    """A line of the table of goals."""

    experiment: str
    goal: str
    figure: str
    interval: str
    state: str
    notes: tuple[str, ...]

    @staticmethod
    def of(one: Experiment, goal: Goal, point: Point, found: GoalResult | None) -> _Line:
        varying = tuple((name, value) for name, value in _varying(one, point) if name not in goal.where)
        asked = f"{goal_results.sentence(one, goal)}{f' at {formatting.point(varying)}' if varying else ''}"
        notes = [f"Counts with {goal.conditions}."] if goal.conditions else []
        if found is None:
            return _Line(one.name, asked, "", "", _NOT_MEASURED, tuple(notes))
        other = tuple(pair for pair in found.point if pair not in point)
        notes += [f"Measured at {formatting.point(other)}."] if other else []
        if found.reason and found.reason != goal_results.WITHIN:
            notes.append(f"{found.reason[:1].upper()}{found.reason[1:]}.")
        figure, interval = goal_results.figure(found), goal_results.interval(found)
        return _Line(one.name, asked, figure, interval, found.state.value, tuple(notes))

    def cells(self, notes: Sequence[str]) -> list[str]:
        numbers = ", ".join(str(notes.index(note) + 1) for note in self.notes)
        return [self.experiment, self.goal, self.figure, self.interval,
                f"{self.state} ({numbers})" if numbers else self.state]


_NOT_MEASURED = "not measured"


class _Old:
    """The table of goals that a document has."""

    def __init__(self, text: str) -> None:
        notes = dict(_NOTE.findall(text))
        self.measured: list[str] = []  # where lines that were kept were measured
        self._where = [line for line in text.splitlines() if line.startswith("Measured: ")]
        self._lines: dict[tuple[str, str], _Line] = {}
        experiment = ""
        for row in _ROW.findall(text):
            name, goal, figure, interval, state = (_ESCAPED.sub(r"\1", cell.strip()) for cell in row)
            experiment = name or experiment
            state, _, numbers = state.removesuffix(")").partition(" (")
            cited = tuple(notes[number] for number in numbers.split(", ") if number in notes)
            self._lines[experiment, goal] = _Line(experiment, goal, figure, interval, state, cited)

    def instead_of(self, line: _Line) -> _Line:
        """The old line of a goal that was not measured, if it was measured then; otherwise the new line."""
        old = self._lines.get((line.experiment, line.goal), line)
        if line.state != _NOT_MEASURED or old.state == _NOT_MEASURED:
            return line
        self.measured = self._where
        return old


_ROW = re.compile(r"^\|(?! experiment | ---)" + r"([^|\n]*)\|" * 5 + "$", re.MULTILINE)
_NOTE = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([^\w\s]|_)")


def _goals(one: Experiment, runs: Sequence[Run]) -> Iterator[tuple[Goal, Point, GoalResult | None]]:
    """The goals of the project's experiment as it is now, at each of its points, with their results."""
    found = [result for run in runs for analysis in run.analyses if analysis.experiment.name == one.name
             for result in analysis.goals]
    for goal, point in goal_results.places(one):
        here = [result for result in found
                if _varying(one, result.point) == _varying(one, point) and _same(result.goal, goal)]
        yield goal, point, here[-1] if here else None


def _varying(one: Experiment, point: Point) -> Point:
    """The point without parameters that have one value in the project's file: the tree to measure differs between
    machines, but the goal is the same."""
    return tuple((name, value) for name, value in point if len(one.parameters.get(name, ())) > 1)


def _same(one: Goal, other: Goal) -> bool:
    """Whether two goals are the same apart from their wording."""
    return one == attrs.evolve(other, says=one.says, conditions=one.conditions)
