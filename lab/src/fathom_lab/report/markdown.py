"""Writes a run as a comment for a pull request: tables in GitHub's Markdown, with everything else escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fathom_lab import formatting, goal_results
from fathom_lab.errors import LabError
from fathom_lab.imports.source import ratio_heading
from fathom_lab.report import failures, html, seed_table
from fathom_lab.rows import Analysis, Row

# Escapes for everything that is special in Markdown, HTML or on GitHub. A comment after @ and # prevents links.
_STAYS_TEXT = (
    (re.compile("&"), "&amp;"),
    (re.compile("<"), "&lt;"),
    (re.compile(">"), "&gt;"),
    (re.compile(r"([\\`*_\[\]~])"), r"\\\1"),
    (re.compile(r"\|"), "&#124;"),
    (re.compile(r"\$"), "&#36;"),
    (re.compile(r"(?<!\d):(?=\S)|:(?=[^\s\d])"), "&#58;"),
    (re.compile(r"(?i)\b(www)\."), r"\1&#46;"),
    (re.compile(r"(?<!&)([@#])(?=\w)"), r"\1<!-- -->"),
    (re.compile(r"^(\d+)([.)])(?=\s)"), r"\1\\\2"),
    (re.compile(r"^([-+=#])"), r"\\\1"),
)
_OUTPUT = 2000  # characters of a failure's output: the length of comments is limited


def text(analyses: Sequence[Analysis], environment: Mapping[str, Any] | None = None) -> str:
    lines = [f"**{formatting.several(len(analyses), 'question')}**: {_summary(analyses)}", ""]
    if len(analyses) > 1:
        lines += ["Each measure of a question is corrected separately for the number of its rows.", ""]
    for one in analyses:
        lines += _question(one, environment or {})
    for note in html.notes(environment or {}):
        lines += [f"Note: {plain(note)}", ""]
    headline = html.headline(environment or {})
    if headline:
        lines += [f"<sub>{plain(headline)}</sub>", ""]
    return "\n".join(lines).encode("utf-8", "replace").decode()


def tables(analysis: Analysis, environment: Mapping[str, Any]) -> list[str]:
    """The tables by the first measure, including the baseline compared with itself, and the document's figures."""
    primary = analysis.experiment.primary()
    rows = [row for row in (*analysis.rows, *analysis.again) if row.measure == primary]
    return [*_table(analysis, rows), *_seed(analysis, environment)]


def plain(text: str) -> str:
    """The text on one line, escaped for Markdown, HTML and GitHub."""
    line = " ".join(str(text).split())
    for pattern, instead in _STAYS_TEXT:
        line = pattern.sub(instead, line)
    return line


def code(text: str) -> str:
    """The text on one line, as code."""
    line = " ".join(text.split())
    fence = "``" if "`" in line else "`"
    return f"{fence}{line}{fence}"


def _summary(analyses: Sequence[Analysis]) -> str:
    totals: dict[str, int] = {}
    for one in analyses:
        primary = one.experiment.primary()
        for row in one.rows:
            if row.measure == primary:
                said = formatting.verdict(row.verdict, primary)
                totals[said] = totals.get(said, 0) + 1
    parts = [f"{count} {said}" for said, count in totals.items()]
    failed = {(one.experiment.name, failure.contender) for one in analyses for failure in one.failures}
    missing = sum(len(one.missing) for one in analyses)
    parts += [f"{len(failed)} failed"] if failed else []
    parts += [f"{missing} did not run"] if missing else []
    return f"{', '.join(parts)}." if parts else "nothing was compared."


def _question(analysis: Analysis, environment: Mapping[str, Any]) -> list[str]:
    experiment = analysis.experiment
    primary = experiment.primary()
    lines = [f"### {plain(experiment.question)}", "", plain(analysis.answer), ""]
    lines += goals(analysis)
    lines += _table(analysis, [row for row in analysis.rows if row.measure == primary])
    for one in analysis.failures:
        lines += [f"- **{plain(failures.sentence(analysis, one))}**"]
    for name, reason in analysis.missing.items():
        lines += [f"- {plain(name)} did not run: {plain(reason)}"]
    lines += [""] if analysis.failures or analysis.missing else []
    return [*lines, "<details><summary>Details</summary>", "", *_details(analysis, environment), "</details>", ""]


def goals(analysis: Analysis) -> list[str]:
    """The goals as a list; empty without goals."""
    lines = [f"- goal {plain(goal_results.text(analysis.experiment, one))}" for one in analysis.goals]
    return [*lines, ""] if lines else []


def _details(analysis: Analysis, environment: Mapping[str, Any]) -> Iterator[str]:
    for measure in analysis.experiment.measures[1:]:
        rows = [row for row in analysis.rows if row.measure == measure]
        if rows:
            yield from [f"{plain(formatting.measure(measure))}:", "", *_table(analysis, rows)]
    again = [row for row in analysis.again if row.measure == analysis.experiment.primary()]
    if again:
        yield from ["The baseline compared with itself, which is noise:", "", *_table(analysis, again)]
    yield from _seed(analysis, environment)
    notes = list(dict.fromkeys(f"{row.contender}: {note}" for row in analysis.rows for note in row.notes))
    notes += formatting.deviations(analysis)
    yield from [*(f"- {plain(note)}" for note in notes), ""] if notes else []
    for one in analysis.failures:
        if one.output:
            yield from [f"{plain(one.contender)} printed:", "", *fenced(one.output[-_OUTPUT:]), ""]
    if command := html.command(analysis, environment):
        yield from ["To repeat the measurement:", "", *fenced(command), ""]


def _table(analysis: Analysis, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    parameters = [name for name, _ in rows[0].point]
    head = [*parameters, "contender", "median", "baseline", ratio_heading(analysis.experiment), "interval", "verdict",
            "visible from", "rounds"]
    body = [
        [*(formatting.parameter(value) for _, value in row.point), formatting.contender(row.contender, row.baseline),
         formatting.quantity(row.value, row.measure), formatting.quantity(row.baseline_value, row.measure),
         formatting.ratio(row.ratio), formatting.interval(row.interval),
         f"{html.SIGNS[row.verdict]} {formatting.verdict(row.verdict, row.measure)}",
         formatting.percent(row.detectable_effect), str(row.rounds)]
        for row in rows
    ]
    return grid(head, body, left=[*range(len(parameters) + 1), len(parameters) + 5])


def _seed(analysis: Analysis, environment: Mapping[str, Any]) -> list[str]:
    try:
        table = seed_table.beside(analysis, html.machine(environment))
    except LabError as error:
        return [plain(str(error)), ""]
    if table is None:
        return []
    head = [f"{column.title}, here" if column.here else column.title for column in table.columns]
    differs = [[one.subject, one.theirs, one.ours] for one in table.differs]
    return [f"**{plain(table.title)}** ({plain(table.source)}):", "", *grid(head, table.rows, left=[0]),
            *grid(["what differs", "there", "here"], differs, left=[0, 1, 2])]


def grid(head: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
    """A table; the columns in `left` are left-aligned."""
    rule = ["---" if column in left else "---:" for column in range(len(head))]
    rows = [[plain(cell) for cell in row] for row in (head, *body)]
    return [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])] + [""]


def fenced(text: str) -> list[str]:
    """Fences the text with a fence longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, text.rstrip("\n"), fence]
