"""Checks whether there is enough memory, and what the kernel does with it automatically."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fathom_lab.doctor.check import Change, Finding, State
from fathom_lab.doctor.machine import Machine, to_number

_HUGE = "/sys/kernel/mm/transparent_hugepage/enabled"
_BALANCING = "/proc/sys/kernel/numa_balancing"
_SCARCE = 0.1  # of all memory


def check(machine: Machine) -> Iterator[Finding]:
    sizes = _sizes(machine)
    yield _memory(machine, sizes)
    yield _swap(machine, sizes)
    yield _huge_pages(machine)
    yield _balancing(machine)


def _sizes(machine: Machine) -> dict[str, int]:
    """The sizes in /proc/meminfo, in bytes."""
    sizes = {}
    for line in (machine.text("/proc/meminfo") or "").splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        number = to_number(words[0]) if words else None
        if number is not None and number >= 0:
            sizes[name] = number * 1024
    return sizes


def in_words(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"


def _memory(machine: Machine, sizes: Mapping[str, int]) -> Finding:
    name = "memory"
    meaning = "With too little memory, the page cache shrinks, and warm runs become cold."
    total, available = sizes.get("MemTotal"), sizes.get("MemAvailable")
    if not total or available is None:
        return Finding(name, State.UNKNOWN, machine.unavailable("/proc/meminfo"), meaning)
    found = f"{in_words(available)} of {in_words(total)} available"
    if available < _SCARCE * total:
        return Finding(name, State.WARNING, found, meaning)
    return Finding(name, State.OK, found, "There is enough memory.")


def _swap(machine: Machine, sizes: Mapping[str, int]) -> Finding:
    name = "swap"
    meaning = "Swapped-out memory is read back from the disk when it is used, which takes milliseconds."
    total, free = sizes.get("SwapTotal"), sizes.get("SwapFree")
    if total is None or free is None:
        return Finding(name, State.UNKNOWN, machine.unavailable("/proc/meminfo"), meaning)
    if total == 0:
        return Finding(name, State.OK, "none", "Nothing can be swapped out.")
    used = max(total - free, 0)
    willing = machine.number("/proc/sys/vm/swappiness")
    found = f"{in_words(used)} of {in_words(total)} used" + ("" if willing is None else f", swappiness {willing}")
    if used == 0:
        return Finding(name, State.OK, found, "Nothing is swapped out.")
    # Any desktop has pages in swap that have not been used for days; that alone does not mean that memory is scarce.
    scarce = sizes.get("MemAvailable", 0) < _SCARCE * sizes.get("MemTotal", 0)
    fix = "sudo swapoff -a && sudo swapon -a" if sizes.get("MemAvailable", 0) > 2 * used else ""
    return Finding(name, State.WARNING if scarce else State.INFORMATION, found, meaning, fix, "root" if fix else "")


def _huge_pages(machine: Machine) -> Finding:
    name = "huge-pages"
    meaning = "If all programs get huge pages, free memory decides: one launch gets them, the next does not."
    value = machine.chosen(_HUGE)
    if value not in ("always", "madvise", "never"):
        return Finding(name, State.UNKNOWN, "the kernel does not report it", meaning)
    if value != "always":
        found = {"madvise": "only for programs that request them", "never": "never"}[value]
        return Finding(name, State.OK, found, "A program gets what it requests in every launch.")
    fix = f"echo madvise | sudo tee {_HUGE}"
    return Finding(name, State.WARNING, "for all programs", meaning, fix, "root", (Change(_HUGE, "madvise"),))


def _balancing(machine: Machine) -> Finding:
    name = "numa-balancing"
    meaning = "Balancing unmaps pages temporarily to see which node uses them, and moves memory between nodes."
    nodes = len(machine.list("/sys/devices/system/node/node[0-9]*"))
    value = machine.number(_BALANCING)
    if value is None and nodes != 1:
        return Finding(name, State.UNKNOWN, machine.unavailable(_BALANCING), meaning)
    if nodes == 1 or value == 0:
        found = "one node" if nodes == 1 else "off"
        return Finding(name, State.OK, found, "Memory stays where it is.")
    fix = f"echo 0 | sudo tee {_BALANCING}"
    found = f"on, with {nodes} nodes" if nodes else "on"
    return Finding(name, State.WARNING, found, meaning, fix, "root", (Change(_BALANCING, "0"),))
