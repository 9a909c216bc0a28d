"""The trace: one JSON array per line, with its kind first.

The recorder writes each line immediately, so that earlier lines survive, whatever ends it. The first line has the
version of the format and the options of the recording; each other line has the time, in microseconds since the
recording began. Times increase from line to line.

    ["trace", 3, options]
    ["process", time, process, pid, program, started, parent]    started: "run", "fork" or "exec"
    ["allocator", time, process, path]                           the file whose malloc is followed
    ["region", time, process, low, high, name]                   a mapping that holds blocks, as /proc/PID/maps has it
    ["frame", time, frame, function, file, line, module, offset, exports]
    ["stack", time, stack, [frame...], whole, entered, runtime]  innermost first; whole: it reaches the first function;
                                                                 entered: names of the C library's function that was
                                                                 called; runtime: the same, or of the C++ runtime
    ["alloc", time, process, thread, call, size, address, stack]
    ["free", time, process, thread, address, stack]
    ["move", time, process, thread, address, size, stack]        a realloc begins
    ["moved", time, process, thread, call, address, size, to, stack]  it ends; to: 0 if it returned null
    ["begin", time, process] ["pause", time, process]            a marked function was reached
    ["end", time, process, how, code]                            how: "exit", "signal", "exec" or "left"
    ["child", time, process, call, command, stack]               a child of that process is not followed; call: the
                                                                 function that started it, as vfork, system, or fork (if
                                                                 it became another program); command: "" if unknown
    ["note", time, text]

`process` is a separate number, because pids are reused; a program started by exec is a new process. No number is
negative, except that the last one of a call, begin or pause is -1 if that stack or process is unknown. The end of a
region, `high`, is above `low`. Times are below 2^53.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from fathom_leaks.options import Options
from fathom_leaks.output import open_file

VERSION = 3

_INT, _TEXT, _BOOL = (int,), (str,), (bool,)
_INT_OR_NONE, _TEXT_OR_NONE = (int, type(None)), (str, type(None))
_INTS, _TEXTS = (list[int], list), (list[str], list)  # `list` stands for an empty one

_FIELDS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "process": (_INT, _INT, _TEXT, _TEXT, _INT_OR_NONE),
    "allocator": (_INT, _TEXT),
    "region": (_INT, _INT, _INT, _TEXT),
    "frame": (_INT, _TEXT_OR_NONE, _TEXT_OR_NONE, _INT, _TEXT_OR_NONE, _INT, _TEXTS),
    "stack": (_INT, _INTS, _BOOL, _TEXTS, _TEXTS),
    "alloc": (_INT, _INT, _TEXT, _INT, _INT, _INT),
    "free": (_INT, _INT, _INT, _INT),
    "move": (_INT, _INT, _INT, _INT, _INT),
    "moved": (_INT, _INT, _TEXT, _INT, _INT, _INT, _INT),
    "begin": (_INT,), "pause": (_INT,),
    "end": (_INT, _TEXT, _INT),
    "child": (_INT, _TEXT, _TEXT, _INT),
    "note": (_TEXT,),
}
_ALLOWED = {kind: set(itertools.product(_INT, *fields)) for kind, fields in _FIELDS.items()}
_TIME_LIMIT = 1 << 53  # 285 years: JavaScript cannot tell later times apart, and the map would draw forever
_LIMIT = 1 << 128  # of numbers: reallocarray can request more than 64 bits
_LAST_MAY_BE_UNKNOWN = {"alloc", "free", "move", "moved", "begin", "pause"}  # -1: no stack, or no process
_LONGEST_HEADING = 1 << 23


class BadTrace(Exception):
    """One sentence that says why a file cannot be read as a trace."""


def create_trace(path: str, options: Options) -> None:
    """Writes the first line. What the file had before is lost."""
    file = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        _write_line(file, ["trace", VERSION, options.as_json()])
    finally:
        os.close(file)


class TraceWriter:
    """Adds records to a trace. Each is written to the kernel before the program continues."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        self._began = time.monotonic_ns()
        self._time = -1

    def write(self, kind: str, *fields: Any) -> None:
        self._time = max(self._time + 1, (time.monotonic_ns() - self._began) // 1000)
        _write_line(self._file, [kind, self._time, *fields])

    def close(self) -> None:
        os.close(self._file)


def _write_line(file: int, record: list[Any]) -> None:
    line = memoryview(json.dumps(record, separators=(",", ":")).encode() + b"\n")
    while line:
        line = line[os.write(file, line):]


def read_trace(path: str | os.PathLike[str]) -> tuple[Options, Iterator[list[Any]]]:
    """The options and the other records of a trace. Raises BadTrace, also while the records are read. A torn last line
    becomes a note."""
    records = _read(Path(path))
    _, options = next(records)
    return options, records


def _read(path: Path) -> Iterator[list[Any]]:
    try:
        with open(path, "rb") as file:
            yield ["trace", _heading(file, path)]
            yield from _records(file, path)
    except OSError as error:
        raise BadTrace(f"cannot read {path}: {error.strerror}") from error


def _heading(file: BinaryIO, path: Path) -> Options:
    try:
        kind, version, *rest = json.loads(file.readline(_LONGEST_HEADING))
    except (ValueError, TypeError, RecursionError):
        kind, version, rest = "", 0, []
    if kind != "trace" or type(version) is not int:
        raise BadTrace(f"{path} is not a trace of fathom leaks")
    if version != VERSION:
        why = "of a newer fathom; use that one" if version > VERSION else "of an older fathom; record it again"
        raise BadTrace(f"{path} has format {version}, {why} (this one reads format {VERSION})")
    try:
        return Options.from_json(*rest)
    except (ValueError, TypeError) as error:
        raise BadTrace(f"{path} is damaged: its first line lacks the options of the recording") from error


def _records(file: BinaryIO, path: Path) -> Iterator[list[Any]]:
    before = -1
    for number, line in enumerate(file, 2):
        if not line.endswith(b"\n"):
            yield ["note", before + 1, "the trace ends within a record: what came after it is missing"]
            return
        record = _record(line)
        if record is None or record[1] <= before:
            raise damaged(path, number)
        before = record[1]
        yield record


def damaged(path: str | os.PathLike[str], line: int) -> BadTrace:
    return BadTrace(f"{path} is damaged: line {line} is not a record of a trace")


def _record(line: bytes) -> list[Any] | None:
    """None if the line is not a record."""
    try:
        record = json.loads(line.decode())  # bytes would be slower: their encoding is guessed
    except (ValueError, RecursionError):
        return None
    if type(record) is not list or not record or type(record[0]) is not str:
        return None
    fields = record[1:]
    if tuple(map(_type, fields)) not in _ALLOWED.get(record[0], ()):
        return None
    return record if _is_in_range(record) else None


def _is_in_range(record: list[Any]) -> bool:
    kind = record[0]
    if record[1] >= _TIME_LIMIT or (kind == "region" and record[3] >= record[4]):
        return False
    fields = record[1:-1] if kind in _LAST_MAY_BE_UNKNOWN and record[-1] == -1 else record[1:]
    return all(0 <= field < _LIMIT for field in fields if type(field) is int)


def _type(value: Any) -> Any:
    """The type of a field; of a list, also that of its elements."""
    if type(value) is not list:
        return type(value)
    if not value:
        return list
    elements = {type(element) for element in value}
    return list[int] if elements == {int} else list[str] if elements == {str} else None
