"""A goal: a limit for a figure of an experiment, given as [[goal]] in its file.

    [[goal]]
    contender = "fathom"     # the contender; default: the baseline
    measure = "wall"         # the measure; default: the experiment's first
    at_most = 1.10           # or at_least
    of = "floor"             # a ratio within rounds; for a list, to the contender with the best median

Without `of` the limit is absolute, in the measure's unit: 2.5e-9, or "2.5 ns", "16 MiB". With `above = "NAME"` it
applies to the difference to another contender within rounds. `plus = { entries = 100 }` raises the limit by that
amount for each of a counted number.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fathom_lab.errors import LabError, unknown

if TYPE_CHECKING:
    from fathom_lab.experiment import Measure

_KEYS = ("contender", "measure", "at_most", "at_least", "of", "of_where", "above", "plus", "where", "given",
         "conditions", "says")
_UNITS: Mapping[str, Mapping[str, float]] = {
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "bytes": {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
}


@dataclasses.dataclass(frozen=True)
class Goal:
    contender: str
    measure: str
    limit: float  # a ratio with `of`, otherwise in the measure's unit
    upper: bool = True  # at most; False: at least
    of: tuple[str, ...] = ()  # contenders by the best of which the figure is divided
    of_where: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # parameters of `of` that differ
    above: str = ""  # the contender whose figure is subtracted
    plus: Mapping[str, float] = dataclasses.field(default_factory=dict)  # by number: what each adds to the limit
    where: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # parameters of the points; empty: all points
    given: Mapping[str, float] = dataclasses.field(default_factory=dict)  # by number: the minimum for a figure to count
    conditions: str = ""  # other conditions for a figure to count, for readers
    says: str = ""  # the goal in words, if the generated ones are not clear enough

    def names(self) -> tuple[str, ...]:
        """The names of all contenders that the goal refers to."""
        return (self.contender, *self.of, *((self.above,) if self.above else ()))

    def table(self) -> dict[str, Any]:
        """The table from which parse() makes this goal."""
        fields = {"contender": self.contender, "measure": self.measure,
                  "at_most" if self.upper else "at_least": self.limit, "of": list(self.of)}
        rest = {name: getattr(self, name) for name in _KEYS[5:]}
        return {name: value for name, value in {**fields, **rest}.items() if value or isinstance(value, float)}


def parse(table: Any, where: str, baseline: str, measures: Sequence[Measure]) -> Goal:
    """Makes a goal from a table. Raises LabError for keys that are missing, unknown or of the wrong type."""
    if not isinstance(table, dict):
        raise LabError(f"{where}: a goal must be a table, [[goal]], not {table!r}")
    if left := table.keys() - set(_KEYS):
        raise LabError(f"{where}: {unknown(left, _KEYS)}")
    upper = "at_most" in table
    if upper == ("at_least" in table):
        raise LabError(f"{where}: a goal must have one limit, either at_most or at_least")
    measure = _measure(table.get("measure", measures[0].name), where, measures)
    of = table.get("of", ())
    chosen = Goal(
        contender=_text(table, "contender", where) or baseline,
        measure=measure.name,
        limit=_quantity(table["at_most" if upper else "at_least"], "" if of else measure.unit, where),
        upper=upper,
        of=(of,) if isinstance(of, str) else _texts(of, where),
        of_where=_table(table, "of_where", where),
        above=_text(table, "above", where),
        plus={name: _quantity(one, measure.unit, where) for name, one in _table(table, "plus", where).items()},
        where=_table(table, "where", where),
        given={name: _quantity(one, "", where) for name, one in _table(table, "given", where).items()},
        conditions=_text(table, "conditions", where),
        says=_text(table, "says", where),
    )
    if chosen.of and chosen.above:
        raise LabError(f"{where}: a goal can have `of` (a ratio) or `above` (a difference), not both")
    if (chosen.of or chosen.above) and chosen.plus:
        raise LabError(f"{where}: plus cannot be combined with `of` or `above`")
    if chosen.of_where and not chosen.of:
        raise LabError(f"{where}: of_where requires `of`")
    return chosen


def check(goal: Goal, where: str, contenders: Collection[str], values: Mapping[str, Collection[Any]]) -> None:
    """Raises LabError if the goal refers to a contender or a value that the experiment does not have."""
    for name in goal.names():
        if name not in contenders:
            raise LabError(f"{where}: there is no contender {name}; available: {', '.join(contenders)}")
    for key, value in (*goal.where.items(), *goal.of_where.items()):
        if key not in values:
            raise LabError(f"{where}: no such parameter: {key}; available: {', '.join(values) or 'none'}")
        if value not in values[key]:
            raise LabError(f"{where}: {key} is never {value!r}")


def fits(goal: Goal, contenders: Collection[str], values: Mapping[str, Collection[Any]]) -> bool:
    """Whether check() accepts the goal, for an experiment from which contenders or values were removed."""
    try:
        check(goal, "", contenders, values)
    except LabError:
        return False
    return True


def _measure(name: Any, where: str, measures: Sequence[Measure]) -> Measure:
    found = next((one for one in measures if one.name == name), None)
    if found is None:
        raise LabError(f"{where}: {name!r} is not one of the measures: {', '.join(one.name for one in measures)}")
    return found


def _quantity(value: Any, unit: str, where: str) -> float:
    """Parses a number, or a string with a unit such as "2.5 ns"."""
    if isinstance(value, str) and (match := re.fullmatch(r"([0-9.]+) ?(\S+)", value)):
        factor = _UNITS.get(unit, {}).get(match[2])
        if factor is not None and re.fullmatch(r"\d+(\.\d+)?", match[1]):
            return float(match[1]) * factor
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    units = f" or a string such as \"2 {list(_UNITS[unit])[-1]}\"" if unit in _UNITS else ""
    raise LabError(f"{where}: a limit must be a number{units}, not {value!r}")


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise LabError(f"{where}: {key} must be a string, not {value!r}")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise LabError(f"{where}: of must be the name of a contender or a list of names, not {value!r}")
    return tuple(value)


def _table(table: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise LabError(f"{where}: {key} must be a table, not {value!r}")
    return dict(value)
