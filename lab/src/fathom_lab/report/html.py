"""Writes a run as one self-contained HTML page: no network, no scripts, no fonts. It opens from a file."""

from __future__ import annotations

import dataclasses
import datetime
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from fathom_lab import differences, formatting, goal_results, whole_file
from fathom_lab.diagnostics import MEANINGS
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN, Measure, Point
from fathom_lab.imports.source import is_imported, ratio_heading
from fathom_lab.records import Launch
from fathom_lab.report import failures, pictures, raw_numbers, seed_table
from fathom_lab.report.pictures import Picture
from fathom_lab.report.raw_numbers import RawTable
from fathom_lab.report.seed_table import SeedTable
from fathom_lab.revisions import CHECKOUT
from fathom_lab.rows import Analysis, GoalState, Row, Verdict

Launches = Mapping[str, Sequence[Launch]]  # by name of experiment

WIDE, NARROW = 760, 350  # widths of pictures, in pixels
_PROBES_LIMIT = 12  # points
_MUCH_STOLEN = 0.01  # of the processors' time

SIGNS = {Verdict.FASTER: "▲", Verdict.SLOWER: "▼", Verdict.SAME: "=", Verdict.UNKNOWN: "?"}
KINDS = {Verdict.FASTER: "good", Verdict.SLOWER: "bad", Verdict.SAME: "same", Verdict.UNKNOWN: "unknown"}
GOAL_SIGNS = {GoalState.MET: "✓", GoalState.MISSED: "✗", GoalState.OPEN: "?"}
GOAL_KINDS = {GoalState.MET: "good", GoalState.MISSED: "bad", GoalState.OPEN: "unknown"}


@dataclasses.dataclass(frozen=True)
class Badge:
    kind: str
    sign: str
    text: str


@dataclasses.dataclass(frozen=True)
class _Line:
    """A line of a table. The baseline has a line, but not a row of the analysis."""

    point: Point
    contender: str
    value: str
    row: Row | None

    @property
    def notes(self) -> Sequence[str]:
        """The row's notes, or its clusters if no note mentions them."""
        if self.row is None or self.row.notes or not self.row.modes:
            return self.row.notes if self.row else ()
        modes = [formatting.quantity(mode, self.row.measure) for mode in self.row.modes]
        return [f"the values form clusters around {formatting.listed(modes)}"]


@dataclasses.dataclass(frozen=True)
class _Probes:
    point: Point
    contenders: Sequence[str]
    lines: Sequence[tuple[str, str, Sequence[str]]]  # name, meaning, values


@dataclasses.dataclass(frozen=True)
class _Question:
    analysis: Analysis
    badges: Sequence[Badge]
    pictures: Mapping[str, Picture | None]
    tables: Sequence[tuple[Measure, Sequence[_Line]]]
    seed: SeedTable | None
    seed_error: str
    probes: Sequence[_Probes]
    raw: Sequence[RawTable]
    raw_note: str
    command: str


def text(analyses: Sequence[Analysis], environment: Mapping[str, Any], launches: Launches | None = None) -> str:
    """The page. Names given by users are escaped, whatever they contain."""
    questions = [_question(one, environment, (launches or {}).get(one.experiment.name, ()), number)
                 for number, one in enumerate(analyses, 1)]
    return filled(
        "report.html.jinja",
        questions=questions,
        environment=facts(environment),
        headline=headline(environment),
        notes=notes(environment, [one.experiment.about for one in analyses]),
        duet=any(one.experiment.plan.duet for one in analyses),
        rounds=not analyses or not all(is_imported(one.experiment) for one in analyses),
    )


def write(
    analyses: Sequence[Analysis], environment: Mapping[str, Any], file: Path, launches: Launches | None = None
) -> None:
    try:
        whole_file.write(file, text(analyses, environment, launches))
    except OSError as error:
        raise LabError(f"{file} cannot be written: {error.strerror}") from error


def badges(analysis: Analysis) -> list[Badge]:
    """The verdicts, counted over the rows that answer the question, and the problems."""
    primary = analysis.experiment.primary()
    counts = Counter(row.verdict for row in analysis.rows if row.measure == primary)
    many = sum(counts.values()) > 1
    found = [
        Badge(KINDS[verdict], SIGNS[verdict], f"{counts[verdict]} {said}" if many else said)
        for verdict in Verdict
        if counts[verdict]
        for said in [formatting.verdict(verdict, primary)]
    ]
    states = Counter(one.state for one in analysis.goals)
    found += [
        Badge(GOAL_KINDS[state], GOAL_SIGNS[state], f"{formatting.several(states[state], 'goal')} {state.value}")
        for state in GoalState if states[state]
    ]
    if analysis.failures:
        failed = len({one.contender for one in analysis.failures})
        found.append(Badge("failed", "✕", f"{failed} failed"))
    if stopped := failures.stopped(analysis):
        found.append(Badge("failed", "…", stopped))
    if analysis.missing:
        found.append(Badge("unknown", "–", f"{len(analysis.missing)} did not run"))
    if not analysis.complete:
        found.append(Badge("unknown", "…", "interrupted"))
    return found


def headline(environment: Mapping[str, Any]) -> str:
    """A summary of the machine for readers."""
    if environment.get("imported"):
        files = ", ".join(map(str, environment["imported"]))
        return f"imported from {files} on {environment.get('imported_on', '')}; the machine is not known"
    return _joined([_moment(environment.get("began")), environment.get("host"), *_hardware(environment),
                    *_commits(environment)])


def machine(environment: Mapping[str, Any]) -> dict[str, str]:
    """The machine for a document's table: the processors and the system, unless they are not known, and its limits."""
    return differences.of_machine("" if environment.get("imported") else _joined(_hardware(environment)), environment)


def _hardware(environment: Mapping[str, Any]) -> list[Any]:
    processors = environment.get("processors")
    return [
        environment.get("processor"),
        formatting.several(len(processors), "processor") if isinstance(processors, list) else None,
        f"Linux {environment['kernel'].split('-')[0]}" if environment.get("kernel") else None,
    ]


def _joined(parts: Sequence[Any]) -> str:
    return " · ".join(str(part) for part in parts if part and not str(part).endswith("unknown"))


def _commits(environment: Mapping[str, Any]) -> Iterator[str]:
    """The commits; two for `ab`. Only the working tree can have uncommitted changes."""
    revisions = environment.get("revisions") or {"": environment.get("commit")}
    for label, commit in revisions.items():
        changed = " with changes" if environment.get("dirty") is True and label in ("", CHECKOUT) else ""
        if commit:
            yield f"{f'{label}: ' if label else ''}commit {str(commit)[:12]}{changed}"


def notes(environment: Mapping[str, Any], beside: Sequence[str] = ()) -> list[str]:
    """Notes for readers of the run, without those that the given texts already contain."""
    found = [str(one) for one in environment.get("notes", []) if not any(str(one) in text for text in beside)]
    stolen = environment.get("stolen")
    much = isinstance(stolen, float) and stolen > _MUCH_STOLEN
    return [*found, *([f"other virtual machines took {stolen:.1%} of CPU time"] if much else [])]


def facts(environment: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The environment as a flat list; names in nested tables are joined by dots."""
    return [(name.replace("_", " "), _fact(value)) for name, value in _flat(environment, "")]


def command(analysis: Analysis, environment: Mapping[str, Any]) -> str:
    """The command that repeats the measurement; empty for imported results."""
    one = analysis.experiment
    if is_imported(one):
        return ""
    return str(environment.get("command") or f"fathom-lab run {one.name} --rounds {one.plan.rounds}")


def _moment(began: Any) -> str:
    """Formats a time as 2026-11-22 06:00 UTC; returns anything else unchanged."""
    try:
        moment = datetime.datetime.fromisoformat(str(began))
    except ValueError:
        return str(began or "")
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def _flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _fact(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_fact, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _question(analysis: Analysis, environment: Mapping[str, Any], launches: Sequence[Launch], number: int) -> _Question:
    seed, error = None, ""
    try:
        seed = seed_table.beside(analysis, machine(environment))
    except LabError as wrong:  # an error in the table must not lose the results of a long run
        error = str(wrong)
    raw, note = raw_numbers.tables(analysis, launches)
    return _Question(
        analysis=analysis,
        badges=badges(analysis),
        pictures={
            "wide": pictures.picture(analysis, WIDE, f"wide-{number}-"),
            "narrow": pictures.picture(analysis, NARROW, f"narrow-{number}-"),
        },
        tables=[(measure, _lines(analysis, measure)) for measure in analysis.experiment.measures],
        seed=seed,
        seed_error=error,
        probes=_probes(analysis),
        raw=raw,
        raw_note=note,
        command=command(analysis, environment),
    )


def _lines(analysis: Analysis, measure: Measure) -> list[_Line]:
    rows = [row for row in analysis.rows if row.measure == measure]
    again = [row for row in analysis.again if row.measure == measure]
    lines = []
    for point in dict.fromkeys(row.point for row in (*rows, *again)):
        here = [row for row in (*rows, *again) if row.point == point]
        baseline = formatting.quantity(here[0].baseline_value, measure)
        lines.append(_Line(point, here[0].baseline, baseline, None))
        lines += [
            _Line(
                point, formatting.contender(row.contender, row.baseline), formatting.quantity(row.value, measure), row
            )
            for row in here
        ]
    return lines


def _probes(analysis: Analysis) -> list[_Probes]:
    primary = analysis.experiment.primary()
    rows = [row for row in analysis.rows if row.measure == primary]
    found = []
    for point in list(dict.fromkeys(row.point for row in rows))[:_PROBES_LIMIT]:
        here = [row for row in rows if row.point == point]
        names = list(dict.fromkeys(name for row in here for name in row.diagnostics))
        lines = [(name.replace("_", " "), MEANINGS.get(name, ("", ""))[0], _probe_values(name, here)) for name in names]
        found.append(_Probes(point, [here[0].baseline, *(row.contender for row in here)], lines))
    return found


def _probe_values(name: str, rows: Sequence[Row]) -> list[str]:
    measure = Measure(name, MEANINGS.get(name, ("", ""))[1])
    baseline = next(row.diagnostics[name][1] for row in rows if name in row.diagnostics)
    values = [baseline, *(row.diagnostics[name][0] if name in row.diagnostics else math.nan for row in rows)]
    return [formatting.quantity(value, measure) if math.isfinite(value) else "not available" for value in values]


def filled(template: str, **values: Any) -> str:
    """A page from a template."""
    page = _templates().get_template(template).render(**values)
    return page.encode("utf-8", "replace").decode()  # lone surrogates, as in file names


def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )
    environment.globals.update(formatting=formatting, ratio_heading=ratio_heading, again=AGAIN, signs=SIGNS,
                               kinds=KINDS, goal_signs=GOAL_SIGNS, goal_kinds=GOAL_KINDS, goal_results=goal_results,
                               failure=failures.sentence)
    return environment
