"""The map of addresses by time, and the fragmentation of the heap, as one HTML page that needs no network."""

from __future__ import annotations

import html
import json
import os
import shlex
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fathom_leaks.fragmentation import Figures, together
from fathom_leaks.picture import SIZES, Picture
from fathom_leaks.report import Report, counted, numbered
from fathom_leaks.sites import COLOURS, Origins

_HERE = Path(__file__).resolve().parent
_LONGEST_COMMAND = 200
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_HEADINGS = ("region", "when", "live", "blocks", "extent", "free", "largest gap", "fragmentation")


def map_page(report: Report) -> str:
    """The report must have the lifetimes of blocks."""
    pictures = [Picture(found.process) for found in report.processes]
    command = report.options.command
    return string.Template(_file("map.html")).substitute(
        title=html.escape("memory map of " + (os.path.basename(command[0]) if command else "a program")),
        command=html.escape(_cut(shlex.join(command))),
        notes="".join(f"<li>{html.escape(note)}</li>" for note in report.caveats()),
        sections="".join(_section(picture, report.options.knows_all) for picture in pictures),
        style=_file("map.css"), script=_file("map.js"), data=_data(pictures))


def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_COMMAND else text[:_LONGEST_COMMAND - 3] + "..."


def _data(pictures: Sequence[Picture]) -> str:
    """What the script draws: JSON that can stand in HTML."""
    origins = Origins(life.block for picture in pictures for life in picture.lives)
    frames: dict[str, int] = {}
    processes = [picture.as_json(origins) for picture in pictures]
    text = json.dumps({
        "sizes": SIZES, "sites": origins.sites[:COLOURS], "others": max(0, len(origins.sites) - COLOURS),
        "origins": _origins(origins, frames) if any("blocks" in process for process in processes) else [],
        "frames": list(frames), "processes": processes}, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _origins(origins: Origins, frames: dict[str, int]) -> list[Any]:
    """For each the call, the colour of its site, and the numbers of its frames."""
    return [(origin.call, origins.colour(number),
             [frames.setdefault(f"{frame.name}  {frame.place}", len(frames)) for frame in origin.frames])
            for number, origin in enumerate(origins.all)]


# The tables, which need no script.

def _section(picture: Picture, knows_all: bool) -> str:
    process = picture.process
    kept = [life.block for life in picture.lives if life.end is None]
    facts = (f"{numbered(process.allocations, 'allocation')}; at most {_size(process.peak_bytes)} in use, at "
             f"{_seconds(process.peak_time)}; at the end {_size(sum(block.size for block in kept))} in "
             f"{numbered(len(kept), 'block')}")
    name = f"{os.path.basename(process.program)} (process {process.pid})"
    return (f"<section><h2>{html.escape(name)}</h2><p>{html.escape(facts)}</p>"
            f"<table><thead><tr>{''.join(f'<th scope=col>{heading}</th>' for heading in _HEADINGS)}</tr></thead>"
            f"<tbody>{''.join(_rows(picture, knows_all))}</tbody></table></section>\n")


def _rows(picture: Picture, knows_all: bool) -> Iterator[str]:
    process = picture.process
    moments = ((f"peak, {_seconds(process.peak_time)}", picture.figures(process.peak_time)),
               (f"end, {_seconds(process.until)}", picture.figures(process.until)))
    names = [region.name for region in picture.regions]
    for number, name in enumerate(names):
        for when, of_regions in moments:
            yield _row(name, when, of_regions[number], knows_all)
    if len(names) != 1:
        for when, of_regions in moments:
            yield _row("all", when, together(of_regions), knows_all)


def _row(name: str, when: str, of: Figures, knows_all: bool) -> str:
    free = ["–"] * 4
    if of.extent:
        free = [_size(of.extent), *(["unknown"] * 3)]
    if of.extent and knows_all:
        free[1:] = [_size(of.free), _size(of.largest), "–" if of.fragmentation is None else f"{of.fragmentation:.1%}"]
    cells = [when, _size(of.live), counted(of.blocks), *free]
    return (f"<tr><th scope=row>{html.escape(name)}</th>" +
            "".join(f'<td data-name="{heading}">{html.escape(cell)}</td>'
                    for heading, cell in zip(_HEADINGS[1:], cells)) + "</tr>")


def _size(size: float) -> str:
    unit = 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size /= 1024
        unit += 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else numbered(int(size), "byte")


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1e6:.3f} s"
