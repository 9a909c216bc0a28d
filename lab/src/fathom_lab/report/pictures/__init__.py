"""Pictures of an analysis as SVG for an HTML page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fathom_lab.report.pictures.curves import curves_along
from fathom_lab.report.pictures.ratios import ratios
from fathom_lab.report.pictures.svg import Picture, drawing
from fathom_lab.rows import Analysis, Row

__all__ = ["Picture", "picture"]


def picture(analysis: Analysis, width: int, prefix: str = "") -> Picture | None:
    """The picture that suits the data, with the given width in pixels: curves along a numeric parameter, otherwise
    ratios. None without data. The prefix makes the ids of a page's pictures unique."""
    rows = [row for row in analysis.rows if row.measure == analysis.experiment.primary()]
    with drawing():
        along = _parameter(rows)
        return curves_along(along, analysis, rows, width, prefix) if along else ratios(analysis, rows, width, prefix)


def _parameter(rows: Sequence[Row]) -> str:
    """The numeric parameter with the most values, if it has at least three."""
    found: dict[str, set[Any]] = {}
    for row in rows:
        for name, value in row.point:
            found.setdefault(name, set()).add(value)
    numeric = {name: values for name, values in found.items() if len(values) >= 3 and all(map(_is_number, values))}
    return max(numeric, key=lambda name: len(numeric[name]), default="")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
