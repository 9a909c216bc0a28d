"""Samples how fast a processor really runs: the same work again and again, for a second of processor time.

Settings may be unknown, as in a virtual machine, or may not say what the hardware does; the speed itself can always be
measured. Waiting for a processor does not count, because the time is that of the thread.
"""

from __future__ import annotations

from collections.abc import Iterator

from fathom_lab.doctor.check import Finding, State
from fathom_lab.doctor.machine import SPIN_ADDITIONS, Machine

_SECONDS = 1.0
_MOST = 1000  # samples: a clock that hardly moves must not keep the doctor busy
_FEWEST = 20
_EDGE = 20  # one in this many samples is left out at each end: an interrupt is not a change of frequency
# The same limits as for the results of benchmarks: go/README.md, "Variance".
_GOOD, _ACCEPTABLE = 0.02, 0.05


def check(machine: Machine) -> Iterator[Finding]:
    name = "clock-frequency"
    meaning = ("The same work takes a different time at another moment: the frequency moves, or a neighbour shares the "
               "core, its caches or its heat.")
    speeds = _samples(machine)
    if len(speeds) < _FEWEST:
        yield Finding(name, State.UNKNOWN, "the CPU time of a thread cannot be measured", meaning)
        return
    edge = len(speeds) // _EDGE
    kept = speeds[edge : len(speeds) - edge]
    middle = speeds[len(speeds) // 2]
    apart = (kept[-1] - kept[0]) / middle
    found = (f"{middle:,.0f} additions/µs (lowest {speeds[0]:,.0f}, highest {speeds[-1]:,.0f}, {len(speeds)} samples); "
             f"nine of ten are within {apart:.1%}")
    if apart < _GOOD:
        yield Finding(name, State.OK, found, "The processor ran at one speed for a second.")
    elif apart <= _ACCEPTABLE:
        yield Finding(name, State.INFORMATION, found, "Differences of a few per cent need many rounds here.")
    else:
        yield Finding(name, State.WARNING, found, meaning)


def _samples(machine: Machine) -> list[float]:
    """Additions per microsecond, sorted."""
    speeds: list[float] = []
    spent = 0.0
    while spent < _SECONDS and len(speeds) < _MOST:
        seconds = machine.spin()
        if not seconds > 0:
            return []
        spent += seconds
        speeds.append(SPIN_ADDITIONS / seconds / 1e6)
    return sorted(speeds)
