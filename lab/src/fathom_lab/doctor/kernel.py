"""Checks kernel settings that change what is measured or what can be observed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fathom_lab.doctor.check import Change, Finding, State
from fathom_lab.doctor.machine import Machine

_SETTINGS = "/proc/sys/kernel"
_NO_RANDOM_ADDRESSES = 0x0040000  # ADDR_NO_RANDOMIZE of personality(2)


def check(machine: Machine) -> Iterator[Finding]:
    yield _aslr(machine)
    yield _paranoid(machine)
    yield _pointers(machine)
    yield _watchdog(machine)
    yield _mitigations(machine)


def _aslr(machine: Machine) -> Finding:
    """On is right for the lab: rounds average over layouts, and the bias of a fixed layout would not show in any round.
    """
    name, path = "aslr", f"{_SETTINGS}/randomize_va_space"
    meaning = "Without it all launches share one memory layout, whose bias looks like a difference between contenders."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.unavailable(path), meaning)
    if value < 2:
        fix = f"echo 2 | sudo tee {path}"
        found = "off" if value <= 0 else "partly on: the heap does not move"
        return Finding(name, State.WARNING, found, meaning, fix, "root", (Change(path, "2"),))
    personality = machine.text("/proc/self/personality") or ""
    if re.fullmatch("[0-9a-f]{1,16}", personality) and int(personality, 16) & _NO_RANDOM_ADDRESSES:
        return Finding(name, State.WARNING, "off for this process, as by setarch -R", meaning)
    return Finding(name, State.OK, "on", "Each launch gets its own memory layout, and rounds average over them.")


def _paranoid(machine: Machine) -> Finding:
    name, path = "perf-event-paranoid", f"{_SETTINGS}/perf_event_paranoid"
    meaning = "Above 2, only root may count the events of programs. Times are not affected."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.unavailable(path), meaning)
    if value <= 2:
        return Finding(name, State.OK, str(value), "Users may count the events of their own programs.")
    fix = f"echo 2 | sudo tee {path}"
    return Finding(name, State.INFORMATION, str(value), meaning, fix, "root", (Change(path, "2"),))


def _pointers(machine: Machine) -> Finding:
    """--apply never changes it: it protects the kernel, and disturbs nothing."""
    name, path = "kptr-restrict", f"{_SETTINGS}/kptr_restrict"
    meaning = "Above 0, profiles show kernel functions as addresses. Times are not affected."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.unavailable(path), meaning)
    if value == 0:
        return Finding(name, State.OK, "0", "Profiles can name kernel functions.")
    return Finding(name, State.INFORMATION, str(value), meaning, f"echo 0 | sudo tee {path}", "root")


def _watchdog(machine: Machine) -> Finding:
    name, path = "nmi-watchdog", f"{_SETTINGS}/nmi_watchdog"
    meaning = "The watchdog interrupts every processor now and then, and occupies one of its hardware counters."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.unavailable(path), meaning)
    if value == 0:
        return Finding(name, State.OK, "off", "It does not interrupt programs.")
    fix = f"echo 0 | sudo tee {path}"
    return Finding(name, State.WARNING, "on", meaning, fix, "root", (Change(path, "0"),))


def _mitigations(machine: Machine) -> Finding:
    name = "mitigations"
    meaning = "They slow down system calls and context switches, by an amount that depends on the machine."
    folder = "/sys/devices/system/cpu/vulnerabilities"
    read = {path.rpartition("/")[2]: machine.text(path) or "" for path in machine.list(f"{folder}/*")}
    if not any(read.values()):
        return Finding(name, State.UNKNOWN, machine.unavailable(folder), meaning)
    at_work = [which for which, text in read.items() if text.startswith("Mitigation")]
    asked = re.search(r"(?:^|\s)mitigations=(\S{1,80})", machine.text("/proc/cmdline") or "")
    found = (", ".join(at_work) or "none active") + (f"; booted with mitigations={asked.group(1)}" if asked else "")
    return Finding(name, State.INFORMATION, found, meaning)
