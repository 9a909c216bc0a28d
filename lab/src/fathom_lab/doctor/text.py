"""Formats the output of the command, for people and as JSON."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from fathom_lab.doctor.apply import Step
from fathom_lab.doctor.check import Finding, State

_STYLES = {State.WARNING: "bold yellow", State.UNKNOWN: "magenta", State.INFORMATION: "cyan", State.OK: "green"}
_WIDE = 72  # columns, from which name and text are side by side
_WIDEST = 130  # columns for sentences: longer lines are hard to read
_INDENT = 2
_NAME = 22  # columns for the name


def summary(findings: Sequence[Finding]) -> str:
    disturbing = sum(one.state is State.WARNING for one in findings)
    unseen = sum(one.state is State.UNKNOWN for one in findings)
    first = {0: "Nothing disturbs measurements", 1: "1 thing disturbs measurements"}
    return f"{first.get(disturbing, f'{disturbing} things disturb measurements')}; {unseen} cannot be seen from here."


def write(findings: Sequence[Finding], steps: Sequence[Step], out: TextIO) -> None:
    """Prints the changes, then the findings, then the summary."""
    console = _console(out)
    _steps(console, steps)
    last = None
    for finding in findings:
        if finding.state is not last:
            console.print(Text(finding.state.value, _STYLES[finding.state]))
            last = finding.state
        _finding(console, finding)
    for part in _wrapped(console, summary(findings), 0):
        console.print(part, style="bold", soft_wrap=True)


def write_undone(steps: Sequence[Step], out: TextIO) -> None:
    console = _console(out)
    if not steps:
        console.print(Text("Nothing to undo."))
    _steps(console, steps)


def write_json(findings: Sequence[Finding] | None, steps: Sequence[Step], out: TextIO) -> None:
    """`findings` is None if the machine was not examined."""
    table: dict[str, Any] = {"changes": [dataclasses.asdict(one) for one in steps]}
    if findings is not None:
        table["findings"] = [_table(one) for one in findings]
        table["disturbing"] = sum(one.state is State.WARNING for one in findings)
        table["unknown"] = sum(one.state is State.UNKNOWN for one in findings)
    out.write(json.dumps(table, indent=2) + "\n")


def _table(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "state": finding.state.value,
        "found": finding.found,
        "meaning": finding.meaning,
        "mend": finding.fix,
        "needs": finding.needs,
        "applies": bool(finding.changes),
    }


def _console(out: TextIO) -> Console:
    return Console(file=out, markup=False, highlight=False, emoji=False)


def _finding(console: Console, finding: Finding) -> None:
    # A finding that is OK needs no explanation.
    lines = [finding.found] if finding.state is State.OK else [finding.found, finding.meaning]
    if console.width >= _WIDE:
        indent, first = _INDENT + _NAME, f"{'':{_INDENT}}{finding.name:{_NAME}}"
    else:
        indent, first = 2 * _INDENT, ""
        console.print(Text(f"{'':{_INDENT}}{finding.name}", "bold"))
    for line in lines:
        for part in _wrapped(console, line, indent):
            console.print(Text(first or " " * indent) + part, soft_wrap=True)
            first = ""
    if finding.fix:
        # Never wrapped: a wrapped command cannot be copied.
        where = "  # on the host" if finding.needs == "the host" else ""
        console.print(Text(f"{'':{indent}}$ {finding.fix}{where}", "bold"), soft_wrap=True)


def _wrapped(console: Console, line: str, indent: int) -> Iterator[Text]:
    for part in Text(line).wrap(console, max(min(console.width, _WIDEST) - indent, 10)):
        part.rstrip()
        yield part


def _steps(console: Console, steps: Sequence[Step]) -> None:
    """Groups steps that differ only in the processor into one line."""
    groups: dict[Step, list[str]] = {}
    for step in steps:
        alike = dataclasses.replace(step, path=re.sub(r"(?<=policy)[0-9]+|(?<=cpu)[0-9]+", "*", step.path))
        groups.setdefault(alike, []).append(step.path)
    for step, paths in groups.items():
        where = paths[0] if len(paths) == 1 else f"{step.path} ({len(paths)} values)"
        if step.problem:
            verb = "left alone" if step.left else "not changed"
            style = "yellow" if step.left else "bold red"
            console.print(Text(f"{verb}: {where}: {step.problem}", style), soft_wrap=True)
        else:
            console.print(Text(f"changed: {where}: {step.old} -> {step.new}"), soft_wrap=True)
