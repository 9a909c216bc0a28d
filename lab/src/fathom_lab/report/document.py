"""The tables of a document, written from a run and not typed.

What stands between these two lines is replaced, NAME being an experiment's:

    <!-- lab NAME -->
    <!-- /lab -->
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom_lab import words
from fathom_lab.errors import LabError
from fathom_lab.report import html, markdown
from fathom_lab.rows import Analysis

_PLACE = re.compile(r"<!-- lab (?P<name>\S+) -->\n(?P<old>.*?)<!-- /lab -->", re.DOTALL)
_BEGIN = re.compile(r"<!-- lab \S+ -->")


def write(
    file: Path, analyses: Sequence[Analysis], environment: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """Replaces the tables of the run's experiments. Returns their names, and those of places without results.

    Raises LabError, also if there is no place for any of them.
    """
    try:
        before = file.read_text(encoding="utf-8")
        after, names = filled(before, analyses, environment)
        places = [match["name"] for match in _PLACE.finditer(before)]
        if not names:
            raise LabError(_no_place(file, places, [one.experiment.name for one in analyses]))
        if after != before:
            file.write_text(after, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{file} cannot be brought up to date: {error}") from error
    return names, [name for name in places if name not in names]


def _no_place(file: Path, places: Sequence[str], measured: Sequence[str]) -> str:
    there = f"there are places for {', '.join(places)}" if places else "there is no <!-- lab NAME --> in it"
    return f"{file} has no place for {', '.join(measured)}: {there}"


def filled(document: str, analyses: Sequence[Analysis], environment: Mapping[str, Any]) -> tuple[str, list[str]]:
    """With the names of what was replaced; places of other experiments stay as they are."""
    if len(_BEGIN.findall(document)) != len(_PLACE.findall(document)):
        raise LabError("a <!-- lab NAME --> has no <!-- /lab --> behind it")
    known = {one.experiment.name: one for one in analyses}
    names: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        one = known.get(match["name"])
        if one is None or "<!-- lab " in match["old"]:
            return match[0]
        names.append(match["name"])
        return f"<!-- lab {match['name']} -->\n{_tables(one, environment)}<!-- /lab -->"

    return _PLACE.sub(replaced, document), names


def _tables(analysis: Analysis, environment: Mapping[str, Any]) -> str:
    lines = ["", markdown.plain(analysis.answer), "", *markdown.tables(analysis)]
    command, headline = html.command(analysis, environment), html.headline(environment)
    points = "; ".join(f"{name} {', '.join(map(words.parameter, values))}"
                       for name, values in analysis.experiment.parameters.items())
    measured = f"{markdown.code(command)}{f' at {markdown.plain(points)}' if points else ''}" if command else ""
    lines += [": ".join(filter(None, (measured, markdown.plain(headline)))), ""]
    lines += [line for note in html.notes(environment) for line in (f"Note: {markdown.plain(note)}.", "")]
    return "\n".join(lines)
