"""Writes a history as one self-contained HTML page, or as a PNG file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fathom_lab import whole_file
from fathom_lab.errors import LabError
from fathom_lab.history.line import Line
from fathom_lab.report import html
from fathom_lab.report.pictures.svg import drawing
from fathom_lab.report.pictures.timeline import stacked, timeline


def write(lines: Sequence[Line], file: Path) -> None:
    """Raises LabError if the file cannot be written."""
    try:
        with drawing():
            if file.suffix == ".png":
                stacked(lines, html.WIDE).savefig(file, format="png")
            else:
                whole_file.write(file, _page(lines))
    except OSError as error:
        raise LabError(f"{file} cannot be written: {error.strerror}") from error


def _page(lines: Sequence[Line]) -> str:
    drawn = [(one, {"wide": timeline(one, html.WIDE, f"wide-{number}-"),
                    "narrow": timeline(one, html.NARROW, f"narrow-{number}-")}) for number, one in enumerate(lines)]
    return html.filled("history.html.jinja", lines=drawn)
