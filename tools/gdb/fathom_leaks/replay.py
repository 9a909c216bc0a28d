"""Makes a report of a trace, and its exit code."""

from __future__ import annotations

import signal

from fathom_leaks.findings import findings
from fathom_leaks.heap import Heap
from fathom_leaks.output import CannotRun
from fathom_leaks.report import Report, View
from fathom_leaks.trace import read_trace

NOTHING_FOUND = 0
FOUND = 1
CANNOT_RUN = 2
INTERRUPTED = 130

_GROUPS = 5  # shown of each process, and frames of each stack
_FRAMES = 6


def replay(trace: str, with_own: bool, depth: int = 0, with_lifetimes: bool = False) -> Report:
    """`with_own`: with blocks of the C library. `depth`: the frames of each stack to use; 0: all. Raises BadTrace."""
    options, records = read_trace(trace)
    heap = Heap(options.knows_all, depth, with_lifetimes)
    heap.replay(records, trace)
    return Report(options, heap, tuple(findings(heap, with_own)))


def check_followed(report: Report) -> None:
    if not any(process.allocator for process in report.heap.processes):
        raise CannotRun("malloc was not found in the program: it is statically linked and stripped, or ended before "
                        "its libraries were loaded; link it dynamically, or keep its symbols")


def view_of(width: int, everything: bool) -> View:
    return View(width, 0, 0) if everything else View(width, _GROUPS, _FRAMES)


def exit_code(report: Report) -> int:
    if any(process.ended == "signal" and process.code == signal.SIGINT and process.started != "fork"
           for process in report.heap.processes):
        return INTERRUPTED
    if report.unfinished:
        return CANNOT_RUN
    return FOUND if report.found or report.crashed else NOTHING_FOUND
