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
is not a column of the document adds a column for this machine only. Column and row together select the value of a cell;
Selector has the keys.

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

import attrs

from fathom_lab import differences, formatting, schema
from fathom_lab.differences import Difference
from fathom_lab.errors import LabError
from fathom_lab.experiment import Experiment, Measure
from fathom_lab.rows import Analysis
from fathom_lab.schema import doc, filled


@attrs.frozen(kw_only=True)
class Given:
    """The keys of [seed_table]."""

    title: str = attrs.field(metadata=doc("shown above the table"))
    source: str = attrs.field(metadata=doc("which document, and where in it"))
    columns: tuple[str, ...] = attrs.field(validator=filled, metadata=doc("their names; the first one names the rows"))
    rows: tuple[tuple[Any, ...], ...] = attrs.field(metadata=doc("strings and numbers, one for each column"))
    differs: Mapping[str, Any] = attrs.field(metadata=doc(
        "by subject: what the document has, and what this machine has", kind="a table of pairs of strings"))
    where: tuple[Mapping[str, Any], ...] = attrs.field(default=(), metadata=doc("a selector for each row"))
    ours: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict, metadata=doc("a selector for each column"))


@attrs.frozen(kw_only=True)
class Selector:
    """The keys of [seed_table.ours.COLUMN]: which of this machine's values to show."""

    contender: str = attrs.field(default="", metadata=doc("whose median is shown", default="that of `where`"))
    measure: str = attrs.field(default="", metadata=doc("by which measure", default="the experiment's first"))
    point: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc(
        "values of parameters; all other keys in `where` belong to it, too"))
    over: str = attrs.field(default="", metadata=doc(
        "another contender: shows the ratio of the two medians", default="none"))
    speedup: str = attrs.field(default="", metadata=doc(
        "another contender: shows its median divided by this one's", default="none"))


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
    for title, selector in table.ours.items():
        for where in table.where:
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
    ours = table.ours
    columns = [column for title in table.columns for column in _columns(title, title in ours)]
    own = [title for title in ours if title not in table.columns]
    columns += [Column(title, here=True) for title in own]
    rows = []
    for given, where in zip(table.rows, table.where):
        cells = []
        for title, cell in zip(table.columns, given):
            selected = _select(experiment, title, ours[title], where) if title in ours else None
            cells += [_shown(cell, selected)] + ([_value(analysis, selected)] if selected else [])
        rows.append(cells + [_value(analysis, _select(experiment, title, ours[title], where)) for title in own])
    here = [cell for row in rows for column, cell in zip(columns, row) if column.here]
    if here and all(cell == formatting.NONE for cell in here):
        return None
    differs = differences.between(table.differs, experiment.parameters, machine or differences.of_machine("", {}))
    return SeedTable(table.title, table.source, columns, rows, differs)


def _columns(title: str, has_ours: bool) -> list[Column]:
    return [Column(title, here=False)] + ([Column(title, here=True)] if has_ours else [])


def _read(experiment: Experiment) -> Given | None:
    """The checked table."""
    if experiment.seed_table is None:
        return None
    differences.check(experiment.seed_table, experiment.parameters, experiment.name)
    at = f"{experiment.name}: [seed_table]"
    table = schema.read(Given, experiment.seed_table, at)
    for row in table.rows:
        _require(len(row) == len(table.columns),
                 f"{at}: the row {list(row)} has {len(row)} cells for {len(table.columns)} columns")
        _require(all(isinstance(cell, (str, int, float)) for cell in row),
                 f"{at}: the row {list(row)} must be strings and numbers")
    table = attrs.evolve(table, where=table.where or ({},) * len(table.rows))
    _require(len(table.where) == len(table.rows),
             f"{at}: where must have a table for each of the {len(table.rows)} rows")
    for title, selector in table.ours.items():
        _require(title != table.columns[0], f"{at}: ours.{title}: the first column names the rows")
        for where in table.where:
            _select(experiment, title, selector, where)
    return table


def _require(holds: Any, sentence: str) -> None:
    if not holds:
        raise LabError(sentence)


def _select(experiment: Experiment, title: str, column: Mapping[str, Any], where: Mapping[str, Any]) -> _Cell:
    at = f"{experiment.name}: [seed_table] ours.{title}"
    keys = attrs.fields_dict(Selector)
    of_row = schema.read(Selector, {key: value for key, value in where.items() if key in keys}, at)
    of_column = schema.read(Selector, column, at)
    point = {**{key: value for key, value in where.items() if key not in keys}, **of_row.point, **of_column.point}
    contender = of_column.contender or of_row.contender
    _require(contender, f"{at}: contender is missing, here or in where")
    measures = {one.name: one for one in experiment.measures}
    measure = of_column.measure or of_row.measure or experiment.primary().name
    _require(measure in measures, f"{at}: measure must be one of {', '.join(measures)}, not {measure!r}")
    _check_point(experiment, point, at)
    cell = _Cell(contender, measures[measure], point, of_column.over or of_row.over,
                 of_column.speedup or of_row.speedup)
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
        return formatting.number(cell)
    return formatting.times(cell) if selected.is_factor() else formatting.quantity(cell, selected.measure)


def _value(analysis: Analysis, cell: _Cell) -> str:
    value = _median(analysis, cell.contender, cell)
    if not cell.is_factor():
        return formatting.quantity(value, cell.measure)
    other = _median(analysis, cell.over or cell.speedup, cell)
    if cell.speedup:
        value, other = other, value
    return formatting.times(value / other) if other else formatting.NONE


def _median(analysis: Analysis, contender: str, cell: _Cell) -> float:
    """The median of a contender; nan if it was not measured."""
    fits = lambda row: row.measure == cell.measure and cell.point.items() <= dict(row.point).items()  # noqa: E731
    rows = list(filter(fits, analysis.rows))
    if contender == analysis.experiment.baseline:
        return next((row.baseline_value for row in (*rows, *filter(fits, analysis.again))), math.nan)
    return next((row.value for row in rows if row.contender == contender), math.nan)
