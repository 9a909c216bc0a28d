"""Hardware counters of a process with all its threads and children, where the kernel provides them.

They are read by perf_event_open: the process is not wrapped, and no other tool is needed. Off by default, because
counting makes context switches slower.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import struct

# Meaning and unit of each key, for the report, as in diagnostics.MEANINGS.
MEANINGS: dict[str, tuple[str, str]] = {
    "instructions": ("user-space instructions", ""),
    "cycles": ("user-space processor cycles", ""),
    "cache_misses": ("user-space last-level cache misses", ""),
    "branch_misses": ("mispredicted user-space branches", ""),
}

_HARDWARE = 0
_EVENTS = {
    "instructions": (_HARDWARE, 1),
    "cycles": (_HARDWARE, 0),
    "cache_misses": (_HARDWARE, 3),
    "branch_misses": (_HARDWARE, 5),
}

_SYSTEM_CALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
_SIZE = 64  # bytes of the first version of perf_event_attr
_TIMES = 1 | 2  # also read the times for which the event was enabled and running
_DISABLED, _INHERIT, _NO_KERNEL, _NO_HYPERVISOR, _ON_EXEC = 1 << 0, 1 << 1, 1 << 5, 1 << 6, 1 << 12
_CLOSE_ON_EXEC = 8


class Counters:
    """Counters of a process that has not called exec yet; counting starts at exec. A context manager."""

    def __init__(self, pid: int):
        opened = {key: _open(event, pid) for key, event in _EVENTS.items()}
        self._files = {key: file for key, file in opened.items() if file >= 0}

    def __enter__(self) -> Counters:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            os.close(file)
        self._files = {}

    def found(self) -> dict[str, float]:
        """The values, after the process has ended. Counters that never ran are missing."""
        values = {key: _value(file) for key, file in self._files.items()}
        return {key: value for key, value in values.items() if value is not None}


@functools.cache
def unavailable() -> str:
    """Why counters are unavailable; empty if they are available."""
    with Counters(os.getpid()) as counters:
        if counters._files:
            return ""
    return "unavailable: the machine has none, or /proc/sys/kernel/perf_event_paranoid forbids them"


def _open(event: tuple[int, int], pid: int) -> int:
    number = _SYSTEM_CALL.get(platform.machine())
    if number is None:
        return -1
    kind, config = event
    flags = _DISABLED | _INHERIT | _NO_KERNEL | _NO_HYPERVISOR | _ON_EXEC
    attributes = struct.pack("=IIQQQQQ16x", kind, _SIZE, config, 0, 0, _TIMES, flags)
    call = ctypes.CDLL(None, use_errno=True).syscall
    return int(call(number, ctypes.c_char_p(attributes), pid, -1, -1, ctypes.c_ulong(_CLOSE_ON_EXEC)))


def _value(file: int) -> float | None:
    """The value scaled to the whole time: the processor has fewer counters than there are events, so each runs part of
    the time."""
    value, enabled, running = struct.unpack("=QQQ", os.read(file, 24))
    return value * enabled / running if running else None
