"""The trace: one JSON array per line, with its kind first.

The recorder writes each line immediately, so that earlier lines survive, whatever ends it. The reader ignores a torn
last line.

    ["trace", 1]
    ["process", process, pid, program, started, parent]    started: "run", "fork" or "exec"
    ["allocator", process, path]                           the file whose malloc is followed
    ["frame", frame, function, file, line, module, offset, exports]
    ["stack", stack, [frame...], whole, entered, runtime]  innermost first; whole: it reaches the first function;
                                                           entered: names of the C library's function that was called;
                                                           runtime: the same, or of the C++ runtime
    ["alloc", process, thread, call, size, address, stack]
    ["free", process, thread, address, stack]
    ["move", process, thread, address, size, stack]        a realloc begins
    ["moved", process, thread, call, address, size, to, stack]  it ends; to: 0 if it returned null
    ["begin", process] ["pause", process]                  a marked function was reached
    ["end", process, how, code]                            how: "exit", "signal", "exec" or "left"
    ["note", text]

`process` is a separate number, because pids are reused; a program started by exec is a new process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = 1


class TraceWriter:
    """Writes each record to the kernel before the program continues."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self.write("trace", VERSION)

    def write(self, *record: Any) -> None:
        line = memoryview(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        while line:
            line = line[os.write(self._file, line):]


def read_trace(path: Path) -> Iterator[list[Any]]:
    """Yields the complete records of a trace."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                return
            record = json.loads(line)
            if record[0] == "trace" and record[1] != VERSION:
                raise ValueError(f"the trace has version {record[1]}, expected version {VERSION}")
            yield record
