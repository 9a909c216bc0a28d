"""Diagnostics that may explain a number: events of the process, and of the machine at the same time.

Context switches, page faults and calls that read and write are exact: the kernel counts them for the process and the
children that it waited for. The kernel counts run delays and migrations per thread, and only during the thread's
life: they are exact for the first thread, whose figures outlive it; for other threads the last sample counts, so
they are lower bounds. The machine's own figures include everything that ran, including the lab.
"""

from __future__ import annotations

import dataclasses
import glob
import os
import resource
import time
from collections.abc import Iterator

from fathom_lab import counters

# By key: its meaning and its unit. A key is absent where the kernel does not report it.
MEANINGS: dict[str, tuple[str, str]] = {
    "switches_voluntary": ("times that a thread gave up its processor to wait", ""),
    "switches_involuntary": ("times that a thread was preempted", ""),
    "faults_minor": ("page faults served from memory", ""),
    "faults_major": ("page faults that read from a disk", ""),
    "run_delay": ("time that threads were ready to run but had no processor, at least", "s"),
    "migrations": ("times that a thread moved to another processor, at least", ""),
    "threads": ("maximum number of threads at one time, including child processes", ""),
    "switches_busiest_thread": ("context switches of the thread that has the most, at least", ""),
    "run_delay_worst_thread": ("longest time that one thread waited for a processor, at least", "s"),
    "reads": ("system calls that read from files, pipes and some sockets", ""),
    "writes": ("system calls that write to files, pipes and some sockets", ""),
    "bytes_read": ("bytes read from disks", "bytes"),
    "stolen": ("time that the hypervisor gave to other guests, sum over all processors", "s"),
    "pressure_cpu": ("time in which some task of the machine waited for a processor", "s"),
    "pressure_memory": ("time in which some task of the machine waited for memory", "s"),
    "pressure_io": ("time in which some task of the machine waited for a disk", "s"),
    **counters.MEANINGS,
}

_FIRST_PAUSE = 0.01  # seconds until the first sample; each later pause is twice as long, up to:
_LONGEST_PAUSE = 0.25
_MOST_THREADS = 256  # maximum number of threads to sample, so that sampling stays cheap


@dataclasses.dataclass(frozen=True)
class _Task:
    """Figures of one thread since its start."""

    run_delay: float = 0.0
    switches: int = 0
    migrations: int | None = None


class Watch:
    """Samples a process. Create it just before the process starts, call `sample` when it is `due` and `ended` before
    the process is reaped, and then `found`."""

    def __init__(self, pid: int):
        self._pid = pid
        self._machine = _machine()
        self._tasks: dict[int, _Task] = {}
        self._at_start = _task(pid, pid) or _Task()
        self._io_at_start = _io(pid)
        self._switches_at_start = _switches(f"/proc/{pid}/status")
        self._faults_at_start = _faults(pid)
        self._most_threads = 1
        self._pause = _FIRST_PAUSE
        self.due = time.perf_counter() + self._pause

    def sample(self) -> None:
        seen = {}
        for pid, task in _threads(self._pid):
            figures = _task(pid, task)
            if figures is not None:
                seen[task] = figures
        self._tasks |= seen
        self._most_threads = max(self._most_threads, len(seen))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        self.due = time.perf_counter() + self._pause

    def ended(self) -> None:
        """Takes the last sample: a zombie still has the figures of its first thread."""
        last = _task(self._pid, self._pid)
        if last is not None:
            self._tasks[self._pid] = last
        self._io = _io(self._pid)
        self._machine_after = _machine()

    def found(self, used: resource.struct_rusage) -> dict[str, float]:
        return {**self._exact(used), **self._of_threads(), **self._of_io(), **self._of_machine()}

    def _exact(self, used: resource.struct_rusage) -> dict[str, float]:
        voluntary, involuntary = self._switches_at_start
        minor, major = self._faults_at_start
        return {
            "switches_voluntary": used.ru_nvcsw - voluntary,
            "switches_involuntary": used.ru_nivcsw - involuntary,
            "faults_minor": used.ru_minflt - minor,
            "faults_major": used.ru_majflt - major,
        }

    def _of_threads(self) -> dict[str, float]:
        tasks = {number: self._since_start(number, task) for number, task in self._tasks.items()}
        if not tasks:
            return {}
        found: dict[str, float] = {
            "run_delay": sum(task.run_delay for task in tasks.values()),
            "threads": self._most_threads,
            "switches_busiest_thread": max(task.switches for task in tasks.values()),
            "run_delay_worst_thread": max(task.run_delay for task in tasks.values()),
        }
        migrations = [task.migrations for task in tasks.values() if task.migrations is not None]
        if migrations:
            found["migrations"] = sum(migrations)
        return found

    def _since_start(self, number: int, task: _Task) -> _Task:
        """The figures since exec: before, the first thread belonged to the shell."""
        if number != self._pid:
            return task
        before = self._at_start
        moved = None if task.migrations is None else task.migrations - (before.migrations or 0)
        return _Task(task.run_delay - before.run_delay, task.switches - before.switches, moved)

    def _of_io(self) -> dict[str, float]:
        return {key: value - self._io_at_start.get(key, 0) for key, value in self._io.items()}

    def _of_machine(self) -> dict[str, float]:
        return {key: max(after - self._machine[key], 0.0) for key, after in self._machine_after.items()
                if key in self._machine}


def _text(path: str) -> str:
    """The content of a file; empty if it is missing or not readable."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _machine() -> dict[str, float]:
    """Figures of the machine in seconds since boot."""
    found = {}
    times = _text("/proc/stat").partition("\n")[0].split()
    if len(times) > 8:
        found["stolen"] = int(times[8]) / os.sysconf("SC_CLK_TCK")
    for what in ("cpu", "memory", "io"):
        some = _text(f"/proc/pressure/{what}").partition("\n")[0]
        if "total=" in some:
            found[f"pressure_{what}"] = int(some.rpartition("total=")[2]) / 1e6
    return found


def _threads(pid: int) -> Iterator[tuple[int, int]]:
    """Yields pid and tid of each thread of the process and its descendants."""
    waiting, seen = [pid], 0
    while waiting:
        process = waiting.pop()
        for folder in glob.glob(f"/proc/{process}/task/[0-9]*"):
            yield process, int(folder.rpartition("/")[2])
            waiting.extend(map(int, _text(f"{folder}/children").split()))
            seen += 1
            if seen >= _MOST_THREADS:
                return


def _task(pid: int, task: int) -> _Task | None:
    """The figures of a thread; None if it has ended or the kernel does not report them."""
    folder = f"/proc/{pid}/task/{task}"
    fields = _text(f"{folder}/schedstat").split()
    if len(fields) < 2:
        return None
    return _Task(int(fields[1]) / 1e9, sum(_switches(f"{folder}/status")), _migrations(f"{folder}/sched"))


def _switches(status: str) -> tuple[int, int]:
    """Voluntary and involuntary context switches."""
    values = _lines(status)
    return int(values.get("voluntary_ctxt_switches", 0)), int(values.get("nonvoluntary_ctxt_switches", 0))


def _migrations(sched: str) -> int | None:
    value = _lines(sched).get("se.nr_migrations")
    return int(value) if value is not None else None


def _lines(path: str) -> dict[str, str]:
    """Parses lines of the form NAME: VALUE."""
    pairs = (line.partition(":") for line in _text(path).splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _faults(pid: int) -> tuple[int, int]:
    """Minor and major page faults."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[7]), int(fields[9])) if len(fields) > 9 else (0, 0)


def _io(pid: int) -> dict[str, int]:
    values = _lines(f"/proc/{pid}/io")
    names = {"reads": "syscr", "writes": "syscw", "bytes_read": "read_bytes"}
    return {key: int(values[name]) for key, name in names.items() if name in values}
