"""The progress line of a fleet scan on standard error, as `fathom scan` has one."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

from fathom_fleet.driver import Figures

_FIRST = 0.5  # seconds; a shorter scan needs no progress line
_REDRAW = 0.1
_NEXT_LINE = 1.0
_SLOW = 30.0  # seconds after which the oldest task is worth a word
_SHORTEST = 1.0  # seconds; an earlier rate means little


def text(figures: Figures, columns: int = 1000) -> str:
    """The less important parts are left out first if there is no room: a wrapped line cannot be redrawn."""
    line = several(figures.entries, "entry", "entries")
    parts = [_size(figures.disk_bytes)]
    if figures.seconds >= _SHORTEST:
        parts.append(f"{figures.entries / figures.seconds:,.0f}/s")
    if figures.slots == 0:
        parts.append("waiting for workers")
    else:
        parts.append(f"{figures.running} of {several(figures.slots, 'task', 'tasks')}")
    parts.append(f"{several(figures.parts, 'part', 'parts')} done, {figures.waiting:,} waiting")
    if figures.given_up:
        parts.append(f"{figures.given_up:,} unreadable")
    if figures.slowest >= _SLOW:
        parts.append(f"the oldest task runs for {figures.slowest:,.0f} s")
    for part in parts:
        if len(line) + 2 + len(part) <= columns:
            line += f"  {part}"
    return line


class ProgressLine:
    """`when` is auto, always or never; `plain`: lines instead of one that is redrawn. Not thread-safe."""

    def __init__(self, when: str, plain: bool, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        redraws = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not plain
        self._shows = when == "always" or (when == "auto" and self._stream.isatty())
        self._redraws = redraws
        self._due = time.monotonic() + (0 if when == "always" else _FIRST)
        self._drawn = False

    def show(self, figures: Figures) -> None:
        self.draw(lambda columns: text(figures, columns))

    def draw(self, line: Callable[[int], str]) -> None:
        """`line` makes the text for a number of columns, if it is time for it."""
        now = time.monotonic()
        if not self._shows or now < self._due:
            return
        self._due = now + (_REDRAW if self._redraws else _NEXT_LINE)
        if self._redraws:
            # The last column stays free, because some terminals wrap when it is written.
            self._write("\r" + line(shutil.get_terminal_size().columns - 1) + "\x1b[K")
            self._drawn = True
        else:
            self._write(line(1000) + "\n")

    def tell(self, sentence: str) -> None:
        """A message, which the line does not overwrite."""
        self.clear()
        self._write(f"fathom: {sentence}\n")

    def clear(self) -> None:
        if self._drawn:
            self._drawn = False
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._shows = False


def _size(number: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} PiB"


def several(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"
