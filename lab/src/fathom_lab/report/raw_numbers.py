"""Tables of all numbers of all launches, or of as many as fit on a page."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from fathom_lab import formatting
from fathom_lab.experiment import Measure, Point
from fathom_lab.records import Launch
from fathom_lab.rows import Analysis

LIMIT = 40_000  # characters per question


@dataclasses.dataclass(frozen=True)
class RawLine:
    """The values of a contender at a point: the repetitions of each round, empty if the launch failed."""

    point: Point
    contender: str
    rounds: Sequence[Sequence[float]]
    text: str = ""


@dataclasses.dataclass(frozen=True)
class RawTable:
    measure: Measure
    unit: str
    lines: Sequence[RawLine]


def tables(analysis: Analysis, launches: Sequence[Launch]) -> tuple[list[RawTable], str]:
    """The tables, and a sentence about what they contain."""
    measures = analysis.experiment.measures
    if not launches:
        return [_table(measure, _of_rows(analysis, measure)) for measure in measures], "Medians of launches."
    attempts = (
        (measures, False, "Commas separate the repetitions of a launch."),
        (measures, True, "Medians of launches; the run's folder has all repetitions."),
        (measures[:1], True, "Medians of launches, of the first measure; the run's folder has everything."),
    )
    for chosen, medians, note in attempts:
        found = [_table(measure, _of_launches(launches, measure, medians)) for measure in chosen]
        if sum(len(line.text) for table in found for line in table.lines) <= LIMIT:
            return found, note
    return [], "Too many to show: they are in the run's folder."


def _table(measure: Measure, lines: Sequence[RawLine]) -> RawTable:
    """A table with one unit for all lines, the one that suits their median."""
    values = [abs(value) for line in lines for repetitions in line.rounds for value in repetitions]
    factor, unit = formatting.unit(statistics.median(values) if values else math.nan, measure)
    shown = [dataclasses.replace(line, text=_text(line, factor)) for line in lines if any(line.rounds)]
    return RawTable(measure, unit, shown)


def _text(line: RawLine, factor: float) -> str:
    return " ".join(",".join(f"{value / factor:.5g}" for value in one) or "failed" for one in line.rounds)


def _of_rows(analysis: Analysis, measure: Measure) -> list[RawLine]:
    rows = [row for row in (*analysis.rows, *analysis.again) if row.measure == measure]
    lines = []
    for point in dict.fromkeys(row.point for row in rows):
        here = [row for row in rows if row.point == point]
        longest = max((row.baseline_values for row in here), key=len)
        lines.append(RawLine(point, here[0].baseline, [[value] for value in longest]))
        lines += [RawLine(point, row.contender, [[value] for value in row.values]) for row in here]
    return lines


def _of_launches(launches: Sequence[Launch], measure: Measure, medians: bool) -> list[RawLine]:
    """The values of launches, without warm-up, whose rounds are negative."""
    places: dict[tuple[Point, str], list[list[float]]] = {}
    for launch in sorted((one for one in launches if one.round >= 0), key=lambda one: one.round):
        values = [one[measure.name] for one in launch.repetitions if measure.name in one]
        here = places.setdefault((launch.point, launch.contender), [])
        here.append([statistics.median(values)] if medians and values else values)
    return [RawLine(point, contender, rounds) for (point, contender), rounds in places.items()]
