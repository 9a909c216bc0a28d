"""Checks the clock source and the time stamp counter."""

from __future__ import annotations

from collections.abc import Iterator

from fathom_lab.doctor.check import Finding, State
from fathom_lab.doctor.machine import Machine

_FOLDER = "/sys/devices/system/clocksource/clocksource0"
_QUICK = ("tsc", "arch_sys_counter", "riscv_clocksource", "timebase")
_QUICK_IN_GUESTS = ("kvm-clock", "hyperv_clocksource_tsc_page")


def check(machine: Machine) -> Iterator[Finding]:
    yield _source(machine)
    yield from _tsc(machine)


def _source(machine: Machine) -> Finding:
    name = "clock-source"
    slow = "With a slow source, reading the clock is a system call, which distorts every short measurement."
    source = machine.text(f"{_FOLDER}/current_clocksource")
    if not source:
        return Finding(name, State.UNKNOWN, machine.unavailable(f"{_FOLDER}/current_clocksource"), slow)
    source = source[:40]
    if source in _QUICK:
        return Finding(name, State.OK, source, "The clock is read without a system call.")
    if source in _QUICK_IN_GUESTS:
        meaning = "The clock is read without a system call, but the host may adjust it."
        return Finding(name, State.INFORMATION, source, meaning)
    # The kernel removes tsc from the list when it finds it unreliable.
    offered = "tsc" in (machine.text(f"{_FOLDER}/available_clocksource") or "").split()
    fix = f"echo tsc | sudo tee {_FOLDER}/current_clocksource" if offered else ""
    return Finding(name, State.WARNING, source, slow, fix, "root" if fix else "")


def _tsc(machine: Machine) -> Iterator[Finding]:
    """x86 only."""
    flags = machine.flags()
    meaning = "A time stamp counter that changes its rate or stops measures cycles instead of time."
    if not flags:
        yield Finding("tsc", State.UNKNOWN, "/proc/cpuinfo does not list the processors' features", meaning)
    elif "tsc" in flags:
        missing = [flag for flag in ("constant_tsc", "nonstop_tsc") if flag not in flags]
        if missing:
            yield Finding("tsc", State.WARNING, f"without {' and '.join(missing)}", meaning)
        else:
            yield Finding("tsc", State.OK, "constant, and never stops", "Programs that read it measure time.")
