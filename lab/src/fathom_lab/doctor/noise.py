"""Checks what else the machine is doing right now."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from fathom_lab.doctor.check import Finding, State
from fathom_lab.doctor.machine import Machine, to_number

_INTERVAL = 1.0  # seconds between the two samples: a tick of the accounting is 1 % of it
_BUSY = 0.05  # of one processor
_UNSEEN = 0.1  # of one processor: accounting has ticks, and sampling takes time
_LOAD = 0.05  # of each processor: 0.1 on two
_PRESSURE = 1.0  # percent of the last ten seconds
_STEAL = 0.01  # of the machine's time

# systemd units that use processors or disks at arbitrary times.
_DISTURBING = (
    "anacron",
    "apt-daily",
    "apt-daily-upgrade",
    "btrfs-scrub",
    "dnf-makecache",
    "dnf-automatic",
    "e2scrub_all",
    "fstrim",
    "fwupd-refresh",
    "locate-updatedb",
    "man-db",
    "mlocate-updatedb",
    "packagekit",
    "plocate-updatedb",
    "raid-check",
    "mdcheck_start",
    "snapd",
    "sysstat-collect",
    "updatedb",
)


@dataclasses.dataclass(frozen=True)
class _Process:
    name: str
    ticks: int


@dataclasses.dataclass(frozen=True)
class _Sample:
    """A sample: ticks since boot."""

    processors: int
    total: int
    busy: int
    stolen: int
    processes: Mapping[tuple[int, int], _Process]  # by pid and start time: pids are reused


def check(machine: Machine) -> Iterator[Finding]:
    first = _sample(machine)
    machine.wait(_INTERVAL)
    second = _sample(machine)
    yield _busy(machine, first, second)
    yield _steal(machine, first, second)
    yield _load(machine)
    yield _pressure(machine)
    yield _timers(machine)


def _sample(machine: Machine) -> _Sample | None:
    lines = (machine.text("/proc/stat") or "").splitlines()
    ticks = [to_number(word) for word in lines[0].split()[1:9]] if lines and lines[0].startswith("cpu ") else []
    counts = [one for one in ticks if one is not None]
    if len(counts) < 8:
        return None
    user, nice, system, idle, waiting, interrupts, soft, stolen = counts
    processors = sum(line.startswith("cpu") for line in lines) - 1
    busy = user + nice + system + interrupts + soft
    return _Sample(max(processors, 1), busy + idle + waiting + stolen, busy, stolen, _processes(machine))


def _processes(machine: Machine) -> dict[tuple[int, int], _Process]:
    found = {}
    for path in machine.list("/proc/[0-9]*/stat"):
        # The name is in brackets, and may contain brackets itself.
        begin, _, end = (machine.text(path) or "").rpartition(")")
        number, _, name = begin.partition("(")
        words = [to_number(word) for word in end.split()[1:20]]  # without the state, a letter
        pid = to_number(number.strip())
        if pid is None or len(words) < 19 or None in (words[10], words[11], words[18]):
            continue
        found[pid, int(words[18] or 0)] = _Process(name[:32], int(words[10] or 0) + int(words[11] or 0))
    return found


def _busy(machine: Machine, first: _Sample | None, second: _Sample | None) -> Finding:
    name = "busy-processes"
    meaning = "Other processes take CPU time, caches and memory bandwidth from the measurement at arbitrary times."
    if first is None or second is None or second.total <= first.total:
        return Finding(name, State.UNKNOWN, "/proc/stat does not report how busy the processors are", meaning)
    second_ticks = (second.total - first.total) / second.processors  # ticks of one processor between the samples
    used = {key: one.ticks - first.processes[key].ticks if key in first.processes else one.ticks
            for key, one in second.processes.items()}  # fmt: skip
    shares = {key: ticks / second_ticks for key, ticks in used.items() if ticks > 0}
    others = {key: share for key, share in shares.items() if key[0] != machine.pid and share >= _BUSY}
    worst = sorted(others, key=lambda key: -others[key])
    parts = [f"{second.processes[key].name} ({key[0]}) {others[key]:.0%}" for key in worst[:5]]
    if len(worst) > 5:
        parts.append(f"{len(worst) - 5} more")
    unseen = (second.busy - first.busy) / second_ticks - sum(shares.values())
    if unseen >= _UNSEEN:
        parts.append(f"{unseen:.0%} by processes that have ended or are not visible from here")
    if parts:
        return Finding(name, State.WARNING, "of one processor: " + ", ".join(parts), meaning)
    if not second.processes:
        return Finding(name, State.UNKNOWN, "no processes are visible", meaning)
    return Finding(name, State.OK, "none for a second", "No other process was busy during the check.")


def _steal(machine: Machine, first: _Sample | None, second: _Sample | None) -> Finding:
    name = "steal"
    meaning = "A hypervisor may give the processors to other guests while this machine has work for them."
    if first is None or second is None or second.total <= first.total:
        return Finding(name, State.UNKNOWN, "/proc/stat does not report it", meaning)
    now = (second.stolen - first.stolen) / (second.total - first.total)
    ever = second.stolen / second.total
    found = f"{now:.1%} right now, {ever:.1%} since boot"
    if now >= _STEAL:
        return Finding(name, State.WARNING, found, meaning)
    if machine.virtual() is not False and second.stolen == 0:
        return Finding(name, State.UNKNOWN, "none since boot: this hypervisor may not report it", meaning)
    if ever >= _STEAL:
        return Finding(name, State.INFORMATION, found, "Other guests are quiet now, but were not always.")
    return Finding(name, State.OK, found, "No other guest takes the processors.")


def _load(machine: Machine) -> Finding:
    name = "load"
    meaning = "A load means that other programs were busy in the last minute, and may still be."
    words = (machine.text("/proc/loadavg") or "").split()
    try:
        load = float(words[0])
    except (IndexError, ValueError):
        return Finding(name, State.UNKNOWN, machine.unavailable("/proc/loadavg"), meaning)
    if not 0 <= load < 1e6:
        return Finding(name, State.UNKNOWN, "/proc/loadavg does not contain a valid load", meaning)
    processors = len(machine.online() or [0])
    found = f"{load:.2f} in the last minute, on {processors} processors"
    if load > _LOAD * processors:
        return Finding(name, State.WARNING, found, meaning)
    return Finding(name, State.OK, found, "The machine was quiet in the last minute.")


def _pressure(machine: Machine) -> Finding:
    name = "pressure"
    meaning = "Under pressure, threads wait for a processor, a disk or memory (share of the last ten seconds)."
    waits = {kind: _some(machine.text(f"/proc/pressure/{kind}")) for kind in ("cpu", "io", "memory")}
    known = {kind: wait for kind, wait in waits.items() if wait is not None}
    if not known:
        return Finding(name, State.UNKNOWN, machine.unavailable("/proc/pressure/cpu"), meaning)
    found = ", ".join(f"{kind} {wait:.1f} %" for kind, wait in known.items())
    if max(known.values()) >= _PRESSURE:
        return Finding(name, State.WARNING, found, meaning)
    return Finding(name, State.OK, found, "No thread had to wait.")


def _some(text: str | None) -> float | None:
    """Percentage of the last ten seconds in which some task waited."""
    for word in (text or "").partition("\n")[0].split():
        key, _, value = word.partition("=")
        if key == "avg10":
            try:
                percent = float(value)
            except ValueError:
                return None
            return percent if 0 <= percent <= 100 else None
    return None


def _timers(machine: Machine) -> Finding:
    name = "timers"
    meaning = "Updates, indexers and cleanups start at arbitrary times, even in the middle of a run."
    if not machine.exists("/run/systemd/system"):
        return Finding(name, State.UNKNOWN, "systemd is not running here", meaning)
    listed = machine.run(
        ("systemctl", "list-units", "--type=timer,service", "--state=active,activating", "--plain", "--no-legend")
    )
    if listed is None:
        return Finding(name, State.UNKNOWN, "systemd does not respond", meaning)
    units = [line.split() for line in listed.splitlines()]
    active = {words[0]: words[3] for words in units if len(words) > 3 and _disturbs(words[0])}
    if not active:
        return Finding(name, State.OK, "none that is known to disturb", "No known indexer or updater is scheduled.")
    at_work = "start" in active.values()  # "running" is a daemon, which may be idle
    state = State.WARNING if at_work else State.INFORMATION
    return Finding(name, state, ", ".join(active), meaning, f"sudo systemctl stop {' '.join(active)}", "root")


def _disturbs(unit: str) -> bool:
    name, _, kind = unit.rpartition(".")
    return name in _DISTURBING and kind in ("timer", "service")
