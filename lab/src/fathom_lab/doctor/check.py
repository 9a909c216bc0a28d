"""A check looks at one property of the machine, and says what it found."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable

from fathom_lab.doctor.machine import Machine


class State(enum.Enum):
    WARNING = "warning"  # it disturbs measurements
    UNKNOWN = "unknown"  # it cannot be seen from here, which is not the same as good
    INFORMATION = "information"  # worth knowing when reading results; nothing is wrong
    OK = "ok"


@dataclasses.dataclass(frozen=True)
class Change:
    """A value of the kernel's that --apply writes."""

    path: str  # below the machine's root, beginning with /
    value: str


@dataclasses.dataclass(frozen=True)
class Finding:
    name: str  # stable: for scripts
    state: State
    found: str
    meaning: str  # for measurements, in a sentence
    mend: str = ""  # a shell command; empty: there is none
    needs: str = ""  # what the command needs, "root" say
    changes: tuple[Change, ...] = ()  # what --apply does about it


# A check may find several things at once, and leaves out what this machine has not.
Check = Callable[[Machine], Iterable[Finding]]

# What costs measurements most comes first, in each state. See docs/BENCHMARKING.md, "Preparing a machine".
WORTH = (
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
    return sorted(findings, key=lambda one: (states.index(one.state), WORTH.index(one.name)))
