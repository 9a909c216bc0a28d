"""The types of checks, which each examine one property of the machine, and of their findings."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable

from fathom_lab.doctor.machine import Machine


class State(enum.Enum):
    WARNING = "warning"  # it disturbs measurements
    UNKNOWN = "unknown"  # it cannot be seen from here; it may be good or bad
    INFORMATION = "information"  # worth knowing when reading results, but not a problem
    OK = "ok"


@dataclasses.dataclass(frozen=True)
class Change:
    """A kernel setting that --apply writes."""

    path: str  # below the machine's root, starting with /
    value: str


@dataclasses.dataclass(frozen=True)
class Finding:
    name: str  # stable: for scripts
    state: State
    found: str
    meaning: str  # the consequence for measurements, in one sentence
    fix: str = ""  # the shell command that fixes it; may be empty
    needs: str = ""  # what the command needs, such as "root"
    changes: tuple[Change, ...] = ()  # what --apply changes


# A check may have several findings, and skips what this machine does not have.
Check = Callable[[Machine], Iterable[Finding]]

# The order within a state: the most costly for measurements first. See docs/BENCHMARKING.md, "The machine".
BY_COST = (
    "busy-processes",
    "load",
    "pressure",
    "steal",
    "cpu-quota",
    "memory",
    "swap",
    "governor",
    "energy-preference",
    "turbo",
    "clock-frequency",
    "frequency-range",
    "throttling",
    "smt",
    "affinity",
    "isolation",
    "offline",
    "virtual-machine",
    "container",
    "memory-limit",
    "clock-source",
    "tsc",
    "numa-balancing",
    "huge-pages",
    "aslr",
    "nmi-watchdog",
    "timers",
    "perf-counters",
    "perf-event-paranoid",
    "io-uring",
    "hidden-processes",
    "mitigations",
    "kptr-restrict",
)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    states = list(State)
    return sorted(findings, key=lambda one: (states.index(one.state), BY_COST.index(one.name)))
