"""Reads tables of TOML into attrs classes. Each attribute of such a class is a key: its annotation is the type, its
validator the range, and its metadata the meaning. reference.py documents all of them from these.

    @attrs.frozen
    class Plan:
        rounds: int = attrs.field(default=10, validator=between(1, 10_000), metadata=doc("launches of each contender"))

    plan = read(Plan, table, "spsc: [plan]")
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Mapping
from typing import Any, NewType, TypeVar, cast

import attrs
import cattrs

from fathom_lab.errors import LabError, unknown

T = TypeVar("T")
Text = NewType("Text", str)  # of an option, where a number is converted: placeholders may stand for either

# The types that keys may have, and their names.
_SIMPLE: Mapping[Any, tuple[type, ...]] = {str: (str,), int: (int,), float: (int, float), bool: (bool,),
                                           Text: (str, int, float)}
_NAMES: Mapping[Any, str] = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", Text: "a string",
    tuple[Any, ...]: "a list", tuple[str, ...]: "a list of strings", tuple[Text, ...]: "a list of strings",
    tuple[tuple[str, ...], ...]: "a list of commands, each a list of strings", Mapping[str, Any]: "a table",
    tuple[Mapping[str, Any], ...]: "a list of tables", tuple[tuple[Any, ...], ...]: "a list of lists",
    Mapping[str, Text]: "a table of strings", Mapping[str, Mapping[str, Any]]: "a table of tables",
}


class InvalidValue(Exception):
    """Why a value does not fit, as the part of a sentence that follows the name of its key."""


def doc(about: str, *, kind: str = "", default: str = "", read: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Metadata of a key: its meaning, and, where the attribute alone does not show them, its type and default in words,
    and the function that converts the value, which raises InvalidValue."""
    return {"about": about, "kind": kind, "default": default, "read": read}


@attrs.frozen
class Range:
    """A validator of numbers from `low` to `high`; NaN is outside of every range."""

    low: float
    high: float
    more: bool = False  # more than `low`
    less: bool = False  # less than `high`
    example: str = ""

    def __call__(self, instance: Any, attribute: attrs.Attribute[Any], value: float) -> None:
        inside = self.low <= value <= self.high
        if not inside or (self.more and value == self.low) or (self.less and value == self.high):
            raise LabError(f"{attribute.name} must be {self}, not {value!r}")

    def __str__(self) -> str:
        low = f"more than {self.low:,g}" if self.more else f"at least {self.low:,g}"
        high = f"less than {self.high:,g}" if self.less else f"at most {self.high:,g}"
        return f"{low} and {high}{f', such as {self.example}' if self.example else ''}"


@attrs.frozen
class OneOf:
    """A validator of strings."""

    allowed: tuple[str, ...]

    def __call__(self, instance: Any, attribute: attrs.Attribute[Any], value: str) -> None:
        if value not in self.allowed:
            raise LabError(f"{attribute.name} must be {self}, not {value!r}")

    def __str__(self) -> str:
        return " or ".join(f'"{one}"' for one in self.allowed if one)


def filled(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    """A validator that refuses empty strings and lists."""
    if not value:
        raise LabError(f"{attribute.name} must be a non-empty {'string' if value == '' else 'list'}, not {value!r}")


def read(kind: type[T], table: Any, where: str = "") -> T:
    """Makes an instance of an attrs class. Raises LabError, which begins with `where`, for keys that are missing,
    unknown, or of the wrong type; misspelled keys come before the missing ones that they stand for."""
    try:
        return _converter.structure(table, kind)
    except InvalidValue as problem:
        raise LabError(f"{where} {problem}") from None
    except LabError as problem:
        raise LabError(f"{where}: {problem}" if where else str(problem)) from None


def kind_of(attribute: attrs.Attribute[Any]) -> str:
    """The type of a key in words."""
    return attribute.metadata["kind"] or _NAMES[attribute.type]


def _simple(value: Any, kind: Any) -> Any:
    if not isinstance(value, _SIMPLE[kind]) or (isinstance(value, bool) and kind is not bool):
        raise InvalidValue(f"must be {_NAMES[kind]}, not {value!r}")
    if kind is float and not math.isfinite(cast(float, value)):
        raise InvalidValue(f"must be finite, not {value!r}")
    return str(value) if kind is Text else value


def _origin(kind: Any) -> Any:
    return typing.get_origin(kind)


def _several(value: Any, kind: Any) -> Any:
    """A list becomes a tuple."""
    element = typing.get_args(kind)[0 if _origin(kind) is tuple else 1]
    try:
        if _origin(kind) is tuple and isinstance(value, (list, tuple)):
            return tuple(_converter.structure(one, element) for one in value)
        if _origin(kind) is not tuple and isinstance(value, Mapping):
            return {name: _converter.structure(one, element) for name, one in value.items()}
    except InvalidValue:
        pass
    raise InvalidValue(f"must be {_NAMES[kind]}, not {value!r}")


def _class(kind: Any) -> Callable[[Any, Any], Any]:
    attrs.resolve_types(kind)
    keys = attrs.fields_dict(kind)

    def structure(table: Any, _: Any) -> Any:
        if not isinstance(table, Mapping):
            raise InvalidValue(f"must be a table, not {table!r}")
        if left := table.keys() - keys:
            raise LabError(unknown(left, keys))
        for name, each in keys.items():
            if each.default is attrs.NOTHING and name not in table:
                raise LabError(f"{name} is missing")
        return kind(**{name: _value(keys[name], value) for name, value in table.items()})

    return structure


def _value(attribute: attrs.Attribute[Any], value: Any) -> Any:
    convert = attribute.metadata.get("read")
    try:
        return convert(value) if convert else _converter.structure(value, cast(Any, attribute.type))
    except InvalidValue as problem:
        raise LabError(f"{attribute.name} {problem}") from None


_converter = cattrs.Converter()
for _kind in (str, int, float, bool):
    _converter.register_structure_hook(_kind, _simple)
_converter.register_structure_hook_func(lambda kind: kind is Text, _simple)
_converter.register_structure_hook_func(lambda kind: _origin(kind) in (tuple, Mapping), _several)
_converter.register_structure_hook_factory(attrs.has, _class)
