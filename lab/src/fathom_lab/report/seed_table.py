"""Shows the figures of a document next to those of this machine.

In an experiment's file:

    [seed_table]
    title = "Round trips, in the article"      # shown above the table
    source = "The article on reactors, 7"      # which document, and where in it
    columns = ["clients", "epoll", "thread per client"]
    rows = [
      [4, 20e-6, 62.5e-6],
      [128, 23e-6, 95e-6],
      [1024, 30e-6, 148e-6],
    ]
    where = [{clients = 4}, {clients = 128}, {clients = 1024}]     # a selector for each row

    [seed_table.ours]                                              # a selector for each column
    epoll = {contender = "reactor"}
    "thread per client" = {contender = "threads"}

    [seed_table.differs]                                           # theirs and ours: see differences.py
    machine = ["not said", "{machine}"]
    messages = ["100 from each client", "20 from each client"]

The first column names the rows. Each column that `ours` names is followed by one with this machine's value; a name that
is not a column of the document adds a column for this machine only. Column and row together select the value of a cell:

    contender   the contender whose median is shown; may also be in `where`, if each row has its own
    measure     the measure (default: the experiment's first)
    point       values of parameters; all other keys in `where` belong to it, too
    over        another contender: the cell shows the ratio of the two medians, as in "30 times"
    speedup     another contender: the cell shows its median divided by this one's

Strings such as "~10 ns" are shown unchanged. A number in a column of `ours` has its measure's unit (seconds, bytes, per
second); with `over` or `speedup` it is a factor; elsewhere it is a plain number.

A table of two variants and their speedup, where `loop` is a parameter of the experiment:

    columns = ["component", "standard", "optimized", "speedup"]
    rows = [["cancel check", "~10 ns", "~0.3 ns", "30 times"], ["tick check", "~100 ns", "~6 ns", "16 times"]]
    where = [{loop = "cancel"}, {loop = "tick"}]

    [seed_table.ours]
    standard = {contender = "standard"}
    optimized = {contender = "optimized"}
    speedup = {contender = "standard", over = "optimized"}

A table whose rows are values of the parameter `test`, with a column of our own:

    columns = ["test", "tasks per second"]
    rows = [["A", 3180886], ["B", 3295478]]
    where = [{test = "A"}, {test = "B"}]

    [seed_table.ours]
    "tasks per second" = {contender = "bikeshed", measure = "items_per_second"}
    fathom = {contender = "fathom", measure = "items_per_second"}

Values that were not measured are dashes: a run in smoke size has fewer points, and one with --only fewer contenders.
Errors raise LabError: a measure or a parameter that the experiment does not have, a row of the wrong length, and in
check(), which is for complete experiments, an unknown contender or a point that the full plan does not have.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fathom_lab import differences, words
from fathom_lab.differences import Difference
from fathom_lab.errors import LabError
from fathom_lab.experiment import Experiment, Measure
from fathom_lab.rows import Analysis

_KEYS = {"title", "source", "columns", "rows", "where", "ours", "differs"}
_SELECTS = {"contender", "measure", "point", "over", "speedup"}


@dataclasses.dataclass(frozen=True)
class Column:
    title: str
    here: bool  # measured on this machine


@dataclasses.dataclass(frozen=True)
class SeedTable:
    title: str
    source: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    differs: Sequence[Difference]


@dataclasses.dataclass(frozen=True)
class _Cell:
    """Selects one of this machine's values."""

    contender: str
    measure: Measure
    point: Mapping[str, Any]
    over: str
    speedup: str

    def is_factor(self) -> bool:
        return bool(self.over or self.speedup)


def check(experiment: Experiment) -> None:
    """Checks the table of an experiment with all its contenders. Raises LabError if it could not be shown."""
    table = _read(experiment)
    if table is None:
        return
    names = [one.name for one in experiment.contenders]
    for title, selector in table["ours"].items():
        for where in table["where"]:
            cell = _select(experiment, title, selector, where)
            at = f"{experiment.name}: [seed_table] ours.{title}"
            for name in filter(None, (cell.contender, cell.over, cell.speedup)):
                _require(name in names, f"{at}: there is no contender {name}; available: {', '.join(names)}")
            for name, value in cell.point.items():
                _require(value in experiment.parameters[name], f"{at}: the full plan has no {name} {value!r}")


def beside(analysis: Analysis, machine: Mapping[str, str] | None = None) -> SeedTable | None:
    """The table with this machine's values. None if the experiment has no such table, or if the run has no values for
    it. `machine` is differences.of_machine(). Raises LabError."""
    experiment = analysis.experiment
    table = _read(experiment)
    if table is None:
        return None
    ours = table["ours"]
    columns = [column for title in table["columns"] for column in _columns(title, title in ours)]
    own = [title for title in ours if title not in table["columns"]]
    columns += [Column(title, here=True) for title in own]
    rows = []
    for given, where in zip(table["rows"], table["where"]):
        cells = []
        for title, cell in zip(table["columns"], given):
            selected = _select(experiment, title, ours[title], where) if title in ours else None
            cells += [_shown(cell, selected)] + ([_value(analysis, selected)] if selected else [])
        rows.append(cells + [_value(analysis, _select(experiment, title, ours[title], where)) for title in own])
    here = [cell for row in rows for column, cell in zip(columns, row) if column.here]
    if here and all(cell == words.NONE for cell in here):
        return None
    differs = differences.between(table, experiment.parameters, machine or differences.of_machine("", {}))
    return SeedTable(table["title"], table["source"], columns, rows, differs)


def _columns(title: str, has_ours: bool) -> list[Column]:
    return [Column(title, here=False)] + ([Column(title, here=True)] if has_ours else [])


def _read(experiment: Experiment) -> dict[str, Any] | None:
    """The checked table, with defaults for optional keys."""
    if experiment.seed_table is None:
        return None
    differences.check(experiment.seed_table, experiment.parameters, experiment.name)
    table = {"where": [], "ours": {}, **experiment.seed_table}
    at = f"{experiment.name}: [seed_table]"
    for key in _KEYS - table.keys():
        raise LabError(f"{at}: {key} is missing")
    for key in table.keys() - _KEYS:
        raise LabError(f"{at}: unknown: {key}")
    for key in ("title", "source"):
        _require(isinstance(table[key], str), f"{at}: {key} must be a string")
    columns, rows = table["columns"], table["rows"]
    _require(_is_list(columns, str) and columns, f"{at}: columns must be a list of strings")
    _require(_is_list(rows, (list, tuple)), f"{at}: rows must be a list of lists")
    for row in rows:
        _require(len(row) == len(columns), f"{at}: the row {list(row)} has {len(row)} cells for {len(columns)} columns")
        _require(_is_list(row, (str, int, float)), f"{at}: the row {list(row)} must be strings and numbers")
    table["where"] = table["where"] or [{}] * len(rows)
    _require(_is_list(table["where"], Mapping) and len(table["where"]) == len(rows),
             f"{at}: where must have a table for each of the {len(rows)} rows")
    _require(isinstance(table["ours"], Mapping), f"{at}: ours must be a table with a selector for each column")
    for title, selector in table["ours"].items():
        _require(isinstance(selector, Mapping), f"{at}: ours.{title} must be a table such as {{contender = \"ring\"}}")
        _require(title != columns[0], f"{at}: ours.{title}: the first column names the rows")
        for where in table["where"]:
            _select(experiment, title, selector, where)
    return table


def _require(holds: Any, sentence: str) -> None:
    if not holds:
        raise LabError(sentence)


def _is_list(value: Any, kind: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, kind) for one in value)


def _select(experiment: Experiment, title: str, column: Mapping[str, Any], where: Mapping[str, Any]) -> _Cell:
    at = f"{experiment.name}: [seed_table] ours.{title}"
    for key in column.keys() - _SELECTS:
        raise LabError(f"{at}: unknown key {key}; known are contender, measure, point, over and speedup")
    both = {**where, **column}
    point = {key: value for key, value in where.items() if key not in _SELECTS}
    for one in (where, column):
        given = one.get("point", {})
        _require(isinstance(given, Mapping), f"{at}: point must be a table")
        point |= given
    for key in ("contender", "over", "speedup"):
        given = both.get(key, "")
        _require(isinstance(given, str), f"{at}: {key} must be a contender's name, not {given!r}")
    _require(both.get("contender"), f"{at}: contender is missing, here or in where")
    measures = {one.name: one for one in experiment.measures}
    measure = both.get("measure", experiment.primary().name)
    _require(measure in measures, f"{at}: measure must be one of {', '.join(measures)}, not {measure!r}")
    _check_point(experiment, point, at)
    cell = _Cell(both["contender"], measures[measure], point, both.get("over", ""), both.get("speedup", ""))
    _require(not (cell.over and cell.speedup), f"{at}: over and speedup are mutually exclusive")
    return cell


def _check_point(experiment: Experiment, point: Mapping[str, Any], at: str) -> None:
    """All parameters with several values must be given; otherwise a cell would be ambiguous."""
    for name in point:
        _require(name in experiment.parameters, f"{at}: there is no parameter {name}")
    for name, values in experiment.parameters.items():
        _require(name in point or len(values) == 1, f"{at}: {name} has several values: choose one in point or where")


def _shown(cell: Any, selected: _Cell | None) -> str:
    if isinstance(cell, str):
        return cell
    if selected is None:
        return words.number(cell)
    return words.times(cell) if selected.is_factor() else words.quantity(cell, selected.measure)


def _value(analysis: Analysis, cell: _Cell) -> str:
    value = _median(analysis, cell.contender, cell)
    if not cell.is_factor():
        return words.quantity(value, cell.measure)
    other = _median(analysis, cell.over or cell.speedup, cell)
    if cell.speedup:
        value, other = other, value
    return words.times(value / other) if other else words.NONE


def _median(analysis: Analysis, contender: str, cell: _Cell) -> float:
    """The median of a contender; nan if it was not measured."""
    fits = lambda row: row.measure == cell.measure and cell.point.items() <= dict(row.point).items()  # noqa: E731
    rows = list(filter(fits, analysis.rows))
    if contender == analysis.experiment.baseline:
        return next((row.baseline_value for row in (*rows, *filter(fits, analysis.again))), math.nan)
    return next((row.value for row in rows if row.contender == contender), math.nan)
