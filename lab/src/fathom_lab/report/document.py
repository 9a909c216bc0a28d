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

from fathom_lab.errors import LabError
from fathom_lab.report import html, markdown
from fathom_lab.rows import Analysis

_PLACE = re.compile(r"<!-- lab (?P<name>\S+) -->\n(?P<old>.*?)<!-- /lab -->", re.DOTALL)
_BEGIN = re.compile(r"<!-- lab \S+ -->")


def write(file: Path, analyses: Sequence[Analysis], environment: Mapping[str, Any]) -> list[str]:
    """Replaces the tables of the run's experiments, and returns their names. Raises LabError."""
    try:
        before = file.read_text(encoding="utf-8")
        after, names = filled(before, analyses, environment)
        if after != before:
            file.write_text(after, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{file} cannot be brought up to date: {error}") from error
    return names


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
    name, rounds = analysis.experiment.name, analysis.rounds
    lines = ["", markdown.plain(analysis.answer), "", *markdown.tables(analysis)]
    headline = html.headline(environment)
    measured = f"`fathom-lab run {name} --rounds {rounds}`"
    lines += [f"{measured}: {markdown.plain(headline)}" if headline else measured, ""]
    return "\n".join(lines)
