"""The commands of GDB: `fathom-leaks begin`, `report` and `end`."""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import NoReturn

import gdb

from fathom_leaks import arguments
from fathom_leaks.live import Live
from fathom_leaks.machine import program_of
from fathom_leaks.map_page import map_page
from fathom_leaks.output import CannotRun, check_files, check_trace, write
from fathom_leaks.replay import replay, view_of
from fathom_leaks.report import write_json, write_text
from fathom_leaks.trace import BadTrace

NAME = "fathom-leaks"
BEGIN, REPORT, END = (f"{NAME} {name}" for name in ("begin", "report", "end"))
_WIDTH = 79


class _Parser(argparse.ArgumentParser):
    """Leaves GDB running after an error. GDB's command help shows its help."""

    def __init__(self, name: str) -> None:
        super().__init__(prog=name, add_help=False, allow_abbrev=False,
                         formatter_class=lambda prog: argparse.HelpFormatter(prog, width=_WIDTH))

    def error(self, message: str) -> NoReturn:
        raise gdb.GdbError(f"{self.prog}: {message}")


class _Recordings:
    """The recording of this session, the last one if it has ended, and a folder for a trace that nobody keeps."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._last: Live | None = None

    def check(self) -> None:
        if self._last is not None:
            self._last.check()

    def begin(self, chosen: argparse.Namespace) -> Live:
        self.check()
        if self._last is not None and self._last.running:
            raise CannotRun(f"a recording is running; end it with: {END}")
        inferior = gdb.selected_inferior()
        options = arguments.options_of(chosen, [program_of(inferior)], BEGIN, END)
        check_files({"the trace": chosen.trace})
        check_trace(chosen.trace)
        self._last = Live(inferior, os.path.abspath(chosen.trace) if chosen.trace else self._scratch(), options)
        return self._last

    def last(self) -> Live:
        self.check()
        if self._last is None:
            raise CannotRun(f"nothing was recorded; begin with: {BEGIN}")
        return self._last

    def _scratch(self) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="fathom-leaks-")
        return os.path.join(self._folder.name, "trace")


class _Command(gdb.Command):
    def __init__(self, recordings: _Recordings, parser: _Parser, summary: str) -> None:
        self.__doc__ = f"{summary}\n\n{parser.format_help()}"
        self._recordings = recordings
        self._parser = parser
        super().__init__(parser.prog, gdb.COMMAND_RUNNING)

    def invoke(self, text: str, _from_terminal: bool) -> None:
        try:
            self.run(self._parser.parse_args(gdb.string_to_argv(text)))
        except (CannotRun, BadTrace, OSError) as error:
            raise gdb.GdbError(f"{self._parser.prog}: {error}") from error

    def complete(self, text: str, word: str | None) -> list[str] | int:
        """GDB replaces `word`, which is without the dashes. First it asks without one, from version 16 on."""
        last = text.split(" ")[-1]
        if not last.startswith("-"):
            return gdb.COMPLETE_FILENAME
        return [spelling[len(last) - len(word or ""):] for spelling in self._parser._option_string_actions
                if spelling.startswith(last)]

    def run(self, chosen: argparse.Namespace) -> None:
        raise NotImplementedError


class _Begin(_Command):
    def __init__(self, recordings: _Recordings) -> None:
        parser = _Parser(BEGIN)
        parser.add_argument("--depth", type=arguments.positive, metavar="N",
                            help="record at most N frames of each stack (default: 32), but always up to the first "
                                 "of the program")
        arguments.add_recording(parser)
        super().__init__(recordings, parser, "Begin to record the allocations and frees of the program.\n\nUntil the "
                         "recording ends, each call of malloc and free takes a few tenths of\na millisecond more. "
                         "Your breakpoints and steps stay as they are.")

    def run(self, chosen: argparse.Namespace) -> None:
        live = self._recordings.begin(chosen)
        gdb.write(f"{NAME}: following malloc in {live.allocator}\n")


class _Report(_Command):
    def __init__(self, recordings: _Recordings) -> None:
        parser = _Parser(REPORT)
        arguments.add_report(parser, "GDB's output")
        parser.add_argument("--depth", type=arguments.positive, metavar="N",
                            help="use at most N frames of each stack")
        super().__init__(recordings, parser, "Report what was allocated since the recording began and is not freed.\n\n"
                         "It also reports double frees, unless only some allocations are followed. The\nprogram stays "
                         "where it is, and the recording goes on.")

    def run(self, chosen: argparse.Namespace) -> None:
        live = self._recordings.last()
        live.note_failure()
        check_files({"the report": chosen.output, "the map": chosen.map}, live.path)
        report = replay(live.path, chosen.all, chosen.depth or 0, chosen.map is not None)
        text = write_json(report) if chosen.json else write_text(report, view_of(_width(chosen), chosen.all_leaks))
        if chosen.output is None:
            gdb.write(text)
        else:
            write(chosen.output, text)
        if chosen.map is not None:
            write(chosen.map, map_page(report))


def _width(chosen: argparse.Namespace) -> int:
    width = gdb.parameter("width")  # 0 or None: unlimited
    return width if chosen.output is None and isinstance(width, int) and width > 0 else _WIDTH + 1


class _End(_Command):
    def __init__(self, recordings: _Recordings) -> None:
        super().__init__(recordings, _Parser(END), "End the recording.\n\nThe program then runs at full speed; "
                         f"{REPORT} still reports what was\nrecorded, until the next {BEGIN}.")

    def run(self, _chosen: argparse.Namespace) -> None:
        live = self._recordings.last()
        if not live.running:
            raise CannotRun("the recording has ended already")
        live.end()


class _Prefix(gdb.Command):
    """Find memory that the program does not free, and double frees.

Begin where you want, let the program run, and report while it is stopped:

  fathom-leaks begin
  continue
  fathom-leaks report"""

    def __init__(self) -> None:
        super().__init__(NAME, gdb.COMMAND_RUNNING, prefix=True)

    def invoke(self, text: str, _from_terminal: bool) -> None:
        if text:
            raise gdb.GdbError(f"{NAME}: there is no command '{text.split()[0]}'; see: help {NAME}")
        gdb.execute(f"help {NAME}")


def add() -> None:
    recordings = _Recordings()
    _Prefix()
    for command in (_Begin, _Report, _End):
        command(recordings)
    gdb.events.before_prompt.connect(lambda *_: recordings.check())
