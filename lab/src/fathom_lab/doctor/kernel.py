"""Settings of the kernel that change what is measured, or what can be seen of it."""

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
    """On is right here: rounds average over layouts, and a fixed one would be a bias that no round can show."""
    name, path = "aslr", f"{_SETTINGS}/randomize_va_space"
    meaning = "Without it all launches get one memory layout, and its bias looks like a difference between contenders."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.why_not(path), meaning)
    if value < 2:
        mend = f"echo 2 | sudo tee {path}"
        found = "off" if value <= 0 else "partly on: the heap does not move"
        return Finding(name, State.WARNING, found, meaning, mend, "root", (Change(path, "2"),))
    personality = machine.text("/proc/self/personality") or ""
    if re.fullmatch("[0-9a-f]{1,16}", personality) and int(personality, 16) & _NO_RANDOM_ADDRESSES:
        return Finding(name, State.WARNING, "off for this process, as by setarch -R", meaning)
    return Finding(name, State.OK, "on", "Each launch gets a layout of its own, over which the rounds average.")


def _paranoid(machine: Machine) -> Finding:
    name, path = "perf-event-paranoid", f"{_SETTINGS}/perf_event_paranoid"
    meaning = "Above 2, only root may count the events of programs; times are not touched by it."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.why_not(path), meaning)
    if value <= 2:
        return Finding(name, State.OK, str(value), "Users may count the events of their own programs.")
    mend = f"echo 2 | sudo tee {path}"
    return Finding(name, State.INFORMATION, str(value), meaning, mend, "root", (Change(path, "2"),))


def _pointers(machine: Machine) -> Finding:
    """Never applied: it guards the kernel, and disturbs nothing."""
    name, path = "kptr-restrict", f"{_SETTINGS}/kptr_restrict"
    meaning = "Above 0, profiles show the kernel's functions as numbers; times are not touched by it."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.why_not(path), meaning)
    if value == 0:
        return Finding(name, State.OK, "0", "Profiles can name the kernel's functions.")
    return Finding(name, State.INFORMATION, str(value), meaning, f"echo 0 | sudo tee {path}", "root")


def _watchdog(machine: Machine) -> Finding:
    name, path = "nmi-watchdog", f"{_SETTINGS}/nmi_watchdog"
    meaning = "The watchdog interrupts every processor now and then, and keeps one of its counters for itself."
    value = machine.number(path)
    if value is None:
        return Finding(name, State.UNKNOWN, machine.why_not(path), meaning)
    if value == 0:
        return Finding(name, State.OK, "off", "It interrupts nobody.")
    mend = f"echo 0 | sudo tee {path}"
    return Finding(name, State.WARNING, "on", meaning, mend, "root", (Change(path, "0"),))


def _mitigations(machine: Machine) -> Finding:
    name = "mitigations"
    meaning = "They make system calls and context switches dearer, by other amounts on other machines."
    folder = "/sys/devices/system/cpu/vulnerabilities"
    read = {path.rpartition("/")[2]: machine.text(path) or "" for path in machine.list(f"{folder}/*")}
    if not any(read.values()):
        return Finding(name, State.UNKNOWN, machine.why_not(folder), meaning)
    at_work = [which for which, text in read.items() if text.startswith("Mitigation")]
    asked = re.search(r"(?:^|\s)mitigations=(\S{1,80})", machine.text("/proc/cmdline") or "")
    found = (", ".join(at_work) or "none at work") + (f"; started with mitigations={asked.group(1)}" if asked else "")
    return Finding(name, State.INFORMATION, found, meaning)
