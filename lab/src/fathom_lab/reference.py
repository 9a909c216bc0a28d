"""Writes lab/EXPERIMENTS.md: every key of an experiment's file with its type, range, default and meaning, from the
classes that read them. `python -m fathom_lab.reference` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from fathom_lab import schema
from fathom_lab.drivers.command import CommandOptions
from fathom_lab.drivers.go_test import GoOptions
from fathom_lab.drivers.google_benchmark import GoogleOptions
from fathom_lab.drivers.options import Options
from fathom_lab.experiment import Contender, ExperimentFile, Measure, Plan, Smoke
from fathom_lab.goal import Goal
from fathom_lab.report.seed_table import Given, Selector

_BEGINNING = """\
# The keys of an experiment

An experiment is a TOML file; [README.md](README.md#experiments) shows how they belong together. This list is generated
from the classes that read them (`python -m fathom_lab.reference`). Unknown keys are errors.
"""
_DRIVER = "Options of a [[contender]] with `driver = \"{}\"`"
# By heading: the class, and a class whose keys are listed elsewhere.
_TABLES: dict[str, tuple[type, type | None]] = {
    "The file": (ExperimentFile, None),
    "[plan]": (Plan, None),
    "[smoke]": (Smoke, Plan),
    "Tables of `measures`": (Measure, None),
    "[[contender]]": (Contender, None),
    "Options of a [[contender]] with any driver": (Options, None),
    _DRIVER.format("command"): (CommandOptions, Options),
    _DRIVER.format("google-benchmark"): (GoogleOptions, Options),
    _DRIVER.format("go-test"): (GoOptions, Options),
    "[[goal]]": (Goal, None),
    "[seed_table]": (Given, None),
    "[seed_table.ours.COLUMN]": (Selector, None),
}


def text() -> str:
    """The document in Markdown."""
    sections = ("\n".join(_section(heading, *of)) for heading, of in _TABLES.items())
    return "\n".join((_BEGINNING, *sections))


def _section(heading: str, kind: Any, elsewhere: Any) -> Iterator[str]:
    attrs.resolve_types(kind)
    known = attrs.fields_dict(elsewhere) if elsewhere else {}
    yield f"## {heading}\n"
    if kind is Smoke:
        yield "All keys of [plan], whose values are the defaults, and:\n"
    yield "| key | type | default | meaning |\n|---|---|---|---|"
    for one in attrs.fields(kind):
        if one.name not in known:
            yield f"| {_name(one)} | {_type(one)} | {_default(one)} | {one.metadata['about']} |"
    yield ""


def _name(one: attrs.Attribute[Any]) -> str:
    return "others" if one is attrs.fields(Contender).options else f"`{one.name}`"


def _type(one: attrs.Attribute[Any]) -> str:
    limits = one.validator if isinstance(one.validator, (schema.Range, schema.OneOf)) else None
    kind = schema.kind_of(one)
    return f"{kind}, {limits}" if limits else kind


def _default(one: attrs.Attribute[Any]) -> str:
    if one.metadata["default"] or one.default is attrs.NOTHING:
        return one.metadata["default"] or "required"
    if isinstance(one.default, bool):
        return str(one.default).lower()
    return f"{one.default:g}" if isinstance(one.default, (int, float)) else "empty"


if __name__ == "__main__":
    print(text(), end="")
