"""The results of a gate as a comment for a pull request, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fathom_lab import formatting
from fathom_lab.gate.outcome import GateResult, GateRow, Outcome
from fathom_lab.gate.text import counts
from fathom_lab.report import html, markdown

MARK = "<!-- fathom-lab gate -->"  # the first line, by which a script can find its earlier comment
_SIGNS = {Outcome.REGRESS: "✗", Outcome.UNUSABLE: "?", Outcome.UNDECIDED: "?", Outcome.IMPROVE: "✓", Outcome.PASS: "✓"}
_ROWS = 60  # of each table: the length of comments is limited


def text(results: Sequence[GateResult], environment: Mapping[str, Any]) -> str:
    lines = [MARK]
    for one in results:
        lines += _result(one)
    lines += ["To repeat the measurement:", "", *markdown.fenced(str(environment.get("command", ""))), ""]
    if headline := html.headline(environment):
        lines += [f"<sub>{markdown.plain(headline)}</sub>", ""]
    return "\n".join(lines).encode("utf-8", "replace").decode()


def _result(result: GateResult) -> Iterator[str]:
    yield from [f"### {_SIGNS[result.outcome]} {markdown.plain(result.experiment)}: {result.outcome.value}", ""]
    yield from [f"{counts(result)}; tolerance {formatting.percent(result.tolerance)}.", ""]
    passed = [row for row in result.rows if row.outcome is Outcome.PASS]
    yield from _table([row for row in result.rows if row.outcome is not Outcome.PASS])
    if passed:
        yield from ["<details><summary>What passes</summary>", "", *_table(passed), "</details>", ""]


def _table(rows: Sequence[GateRow]) -> list[str]:
    if not rows:
        return []
    body = [[f"{_SIGNS[one.outcome]} {one.outcome.value}", one.contender, formatting.point(one.point), one.measure,
             *_medians(one), one.reason] for one in rows[:_ROWS]]
    more = [f"{len(rows) - _ROWS} more are not shown.", ""] if len(rows) > _ROWS else []
    head = ["outcome", "contender", "at", "measure", "baseline", "median", "why"]
    return [*markdown.grid(head, body, left=[0, 1, 2, 3, 6]), *more]


def _medians(one: GateRow) -> tuple[str, str]:
    if one.row is None:
        return formatting.NONE, formatting.NONE
    measure = one.row.measure
    return formatting.quantity(one.row.baseline_value, measure), formatting.quantity(one.row.value, measure)
