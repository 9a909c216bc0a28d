"""A goal: a limit for a figure of an experiment, given as [[goal]] in its file.

    [[goal]]
    contender = "fathom"
    measure = "wall"
    at_most = 1.10
    of = "floor"
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from fathom_lab import schema
from fathom_lab.errors import LabError
from fathom_lab.schema import InvalidValue, doc

if TYPE_CHECKING:
    from fathom_lab.experiment import Measure

_UNITS: Mapping[str, Mapping[str, float]] = {
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "bytes": {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
}
_LIMIT = 'a number, or a string with one of the units s, ms, us, ns, B, KiB, MiB, GiB, such as "2.5 ns"'


def _names(value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(one, str) for one in names):
        raise InvalidValue(f"must be the name of a contender or a list of names, not {value!r}")
    return tuple(names)


def _unchanged(value: Any) -> Any:
    """A limit, which parse() converts once the unit is known."""
    return value


@attrs.frozen(kw_only=True)
class Goal:
    """A limit, either at_most or at_least, for a figure of a contender."""

    contender: str = attrs.field(default="", metadata=doc("whose figure is limited", default="the baseline"))
    measure: str = attrs.field(default="", metadata=doc("by which measure", default="the experiment's first"))
    at_most: float | None = attrs.field(default=None, metadata=doc(
        "the limit, in the measure's unit; a ratio with `of`", kind=_LIMIT, default="none", read=_unchanged))
    at_least: float | None = attrs.field(default=None, metadata=doc(
        "likewise; a goal has one of the two", kind=_LIMIT, default="none", read=_unchanged))
    of: tuple[str, ...] = attrs.field(default=(), metadata=doc(
        "limits the ratio to this contender within rounds; for a list, to the one with the best median among those "
        "that take part", kind="a string, or a list of strings", default="none", read=_names))
    of_where: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc("parameters at which `of` is taken instead"))
    above: str = attrs.field(default="", metadata=doc(
        "limits the difference to this contender within rounds", default="none"))
    plus: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc(
        "by number that contenders print: what each unit of it adds to the limit"))
    where: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc(
        "parameters of the points at which the goal holds", default="all points"))
    given: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc(
        "by number that contenders print: the goal is open if less than this was measured"))
    conditions: str = attrs.field(default="", metadata=doc("other conditions for the figure to count, for readers"))
    says: str = attrs.field(default="", metadata=doc("the goal in words", default="made from the other keys"))

    @property
    def upper(self) -> bool:
        return self.at_most is not None

    @property
    def limit(self) -> float:
        """A ratio with `of`, otherwise in the measure's unit."""
        limit = self.at_most if self.at_most is not None else self.at_least
        assert limit is not None  # parse() refuses a goal without a limit
        return limit

    def names(self) -> tuple[str, ...]:
        """The names of all contenders that the goal refers to."""
        return (self.contender, *self.of, *((self.above,) if self.above else ()))

    def table(self) -> dict[str, Any]:
        """The table from which parse() makes this goal."""
        return attrs.asdict(self, filter=lambda _, value: value not in (None, "", (), {}))


def parse(table: Any, where: str, baseline: str, measures: Sequence[Measure]) -> Goal:
    """Makes a goal from a table. Raises LabError for keys that are missing, unknown or of the wrong type."""
    given = schema.read(Goal, table, where)
    if (given.at_most is None) == (given.at_least is None):
        raise LabError(f"{where}: a goal must have one limit, either at_most or at_least")
    if given.of and given.above:
        raise LabError(f"{where}: a goal can have `of` (a ratio) or `above` (a difference), not both")
    if (given.of or given.above) and given.plus:
        raise LabError(f"{where}: plus cannot be combined with `of` or `above`")
    if given.of_where and not given.of:
        raise LabError(f"{where}: of_where requires `of`")
    measure = _measure(given.measure or measures[0].name, where, measures)
    limit = _quantity(given.limit, "" if given.of else measure.unit, where)
    converted: dict[str, Any] = {"at_most" if given.upper else "at_least": limit}
    return attrs.evolve(
        given,
        contender=given.contender or baseline,
        measure=measure.name,
        plus={name: _quantity(one, measure.unit, where) for name, one in given.plus.items()},
        given={name: _quantity(one, "", where) for name, one in given.given.items()},
        **converted,
    )


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
