"""A goal: what a figure of an experiment should reach, as [[goal]] in its file says it.

    [[goal]]
    contender = "fathom"     # whose figure; the baseline unless it is said
    measure = "wall"         # which; the experiment's first unless it is said
    at_most = 1.10           # or at_least
    of = "floor"             # a ratio within rounds; of a list, the one with the best median

Without `of` the limit is absolute, in the measure's unit: 2.5e-9, or "2.5 ns", "16 MiB". With `above = "NAME"` it is
about the difference to another contender within rounds. `plus = { entries = 100 }` adds so much for each of a counted
number.
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
    limit: float  # a ratio if there is `of`, else in the measure's unit
    upper: bool = True  # at most; False: at least
    of: tuple[str, ...] = ()  # whose figure it is divided by: the best of these
    of_where: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # at another point: these parameters differ
    above: str = ""  # whose figure is subtracted
    plus: Mapping[str, float] = dataclasses.field(default_factory=dict)  # by number: what each adds to the limit
    where: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # parameters of the points; empty: all points
    given: Mapping[str, float] = dataclasses.field(default_factory=dict)  # by number: the least for a figure to count
    conditions: str = ""  # what else must hold for a figure to count, for readers
    says: str = ""  # the goal in words, where those made of the fields say too little

    def names(self) -> tuple[str, ...]:
        """Of all contenders that it is about."""
        return (self.contender, *self.of, *((self.above,) if self.above else ()))

    def table(self) -> dict[str, Any]:
        """What parse() makes this of."""
        fields = {"contender": self.contender, "measure": self.measure,
                  "at_most" if self.upper else "at_least": self.limit, "of": list(self.of)}
        rest = {name: getattr(self, name) for name in _KEYS[5:]}
        return {name: value for name, value in {**fields, **rest}.items() if value or isinstance(value, float)}


def parse(table: Any, where: str, baseline: str, measures: Sequence[Measure]) -> Goal:
    """Raises LabError for what is missing, unknown or of the wrong kind."""
    if not isinstance(table, dict):
        raise LabError(f"{where}: a goal is a table, [[goal]]; not {table!r}")
    if left := table.keys() - set(_KEYS):
        raise LabError(f"{where}: {unknown(left, _KEYS)}")
    upper = "at_most" in table
    if upper == ("at_least" in table):
        raise LabError(f"{where}: a goal has a limit, either at_most or at_least")
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
        raise LabError(f"{where}: a goal is a ratio with `of`, or a difference with `above`, not both")
    if (chosen.of or chosen.above) and chosen.plus:
        raise LabError(f"{where}: plus is for a limit without `of` and `above`")
    if chosen.of_where and not chosen.of:
        raise LabError(f"{where}: of_where is for a goal with `of`")
    return chosen


def check(goal: Goal, where: str, contenders: Collection[str], values: Mapping[str, Collection[Any]]) -> None:
    """Raises LabError for one about somebody or something that the experiment does not have."""
    for name in goal.names():
        if name not in contenders:
            raise LabError(f"{where}: there is no contender {name}; there are {', '.join(contenders)}")
    for key, value in (*goal.where.items(), *goal.of_where.items()):
        if key not in values:
            raise LabError(f"{where}: no such parameter: {key}; there are {', '.join(values) or 'none'}")
        if value not in values[key]:
            raise LabError(f"{where}: {key} is never {value!r}")


def fits(goal: Goal, contenders: Collection[str], values: Mapping[str, Collection[Any]]) -> bool:
    """False for one that check() refuses, of an experiment from which somebody was left out."""
    try:
        check(goal, "", contenders, values)
    except LabError:
        return False
    return True


def _measure(name: Any, where: str, measures: Sequence[Measure]) -> Measure:
    found = next((one for one in measures if one.name == name), None)
    if found is None:
        raise LabError(f"{where}: {name!r} is none of the measures: {', '.join(one.name for one in measures)}")
    return found


def _quantity(value: Any, unit: str, where: str) -> float:
    """A number, or "2.5 ns" of a time."""
    if isinstance(value, str) and (match := re.fullmatch(r"([0-9.]+) ?(\S+)", value)):
        factor = _UNITS.get(unit, {}).get(match[2])
        if factor is not None and re.fullmatch(r"\d+(\.\d+)?", match[1]):
            return float(match[1]) * factor
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    units = f" or a string such as \"2 {list(_UNITS[unit])[-1]}\"" if unit in _UNITS else ""
    raise LabError(f"{where}: a limit is a number{units}; not {value!r}")


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise LabError(f"{where}: {key} must be a string, and is {value!r}")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise LabError(f"{where}: of is the name of a contender, or a list of names; not {value!r}")
    return tuple(value)


def _table(table: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise LabError(f"{where}: {key} must be a table, and is {value!r}")
    return dict(value)
