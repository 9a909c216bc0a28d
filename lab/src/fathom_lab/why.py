"""What may explain a number: what happened to a process, and to the machine meanwhile.

Exact, as the kernel counts them for the process and the children that it waited for: context switches, page faults,
calls that read and write. Waiting for a processor and migrations are known to the kernel for each thread, and only as
long as that lives: they are exact for the first thread, whose figures outlive it, and for others what was last seen of
them, so they are lower bounds. The machine's own figures count everything that ran, the lab included.
"""

from __future__ import annotations

import dataclasses
import glob
import os
import resource
import time
from collections.abc import Iterator

from fathom_lab import counters

# Key: what it means, and its unit. A key is absent where the kernel does not say.
MEANINGS: dict[str, tuple[str, str]] = {
    "switches_voluntary": ("times that a thread gave up its processor to wait for something", ""),
    "switches_involuntary": ("times that a thread was taken off its processor", ""),
    "faults_minor": ("page faults served from memory", ""),
    "faults_major": ("page faults that read from a disk", ""),
    "run_delay": ("time that threads were ready to run and had no processor, at least", "s"),
    "migrations": ("times that a thread changed its processor, at least", ""),
    "threads": ("threads seen at the same time, in it and in what it started", ""),
    "switches_busiest_thread": ("context switches of the thread with the most of them, at least", ""),
    "run_delay_worst_thread": ("time that the unluckiest thread waited for a processor, at least", "s"),
    "reads": ("system calls that read from files, pipes and some sockets", ""),
    "writes": ("system calls that write to them", ""),
    "bytes_read": ("read from disks", "bytes"),
    "stolen": ("time that the hypervisor gave to others, over all processors", "s"),
    "pressure_cpu": ("time in which some task of the machine waited for a processor", "s"),
    "pressure_memory": ("time in which some task of the machine waited for memory", "s"),
    "pressure_io": ("time in which some task of the machine waited for a disk", "s"),
    **counters.MEANINGS,
}

_FIRST_LOOK = 0.01  # seconds after the start; each later one comes after twice the time, up to:
_LONGEST_PAUSE = 0.25
_MOST_THREADS = 256  # who has more is looked at in part: looking must stay cheap


@dataclasses.dataclass(frozen=True)
class _Task:
    """Figures of one thread since it began."""

    run_delay: float = 0.0
    switches: int = 0
    migrations: int | None = None


class Watch:
    """Begins just before the process does. `look` when it is `due`, `ended` before it is reaped, then `found`."""

    def __init__(self, pid: int):
        self._pid = pid
        self._machine = _machine()
        self._tasks: dict[int, _Task] = {}
        self._at_start = _task(pid, pid) or _Task()
        self._io_at_start = _io(pid)
        self._switches_at_start = _switches(f"/proc/{pid}/status")
        self._faults_at_start = _faults(pid)
        self._most_threads = 1
        self._pause = _FIRST_LOOK
        self.due = time.perf_counter() + self._pause

    def look(self) -> None:
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
        """While it is a zombie, the figures of its first thread are those at its end."""
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
        """The first thread was the shell's before."""
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
    """Empty for what is not there, or no more, or not for us."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _machine() -> dict[str, float]:
    """Seconds since it started."""
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
    """Process and thread of each, in the process and in those that it started."""
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
    """None if it is gone, or the kernel does not say."""
    folder = f"/proc/{pid}/task/{task}"
    fields = _text(f"{folder}/schedstat").split()
    if len(fields) < 2:
        return None
    return _Task(int(fields[1]) / 1e9, sum(_switches(f"{folder}/status")), _migrations(f"{folder}/sched"))


def _switches(status: str) -> tuple[int, int]:
    """Voluntary and involuntary ones."""
    values = _lines(status)
    return int(values.get("voluntary_ctxt_switches", 0)), int(values.get("nonvoluntary_ctxt_switches", 0))


def _migrations(sched: str) -> int | None:
    value = _lines(sched).get("se.nr_migrations")
    return int(value) if value is not None else None


def _lines(path: str) -> dict[str, str]:
    """NAME: VALUE in each."""
    pairs = (line.partition(":") for line in _text(path).splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _faults(pid: int) -> tuple[int, int]:
    """Minor and major ones."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[7]), int(fields[9])) if len(fields) > 9 else (0, 0)


def _io(pid: int) -> dict[str, int]:
    values = _lines(f"/proc/{pid}/io")
    names = {"reads": "syscr", "writes": "syscw", "bytes_read": "read_bytes"}
    return {key: int(values[name]) for key, name in names.items() if name in values}
