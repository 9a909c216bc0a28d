"""Checks which processors the machine has, and which of them measurements may use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fathom_lab.doctor import cgroups
from fathom_lab.doctor.check import Finding, State
from fathom_lab.doctor.machine import Machine, from_list, to_list, to_number

_CPU = "/sys/devices/system/cpu"
_RUN = "fathom-lab run EXPERIMENT"


def check(machine: Machine) -> Iterator[Finding]:
    yield _smt(machine)
    yield _affinity(machine)
    yield _isolation(machine)
    yield _offline(machine)
    yield _quota(machine)


def _smt(machine: Machine) -> Finding:
    name = "smt"
    meaning = "Threads that share a core slow each other down, by an amount that depends on their work."
    allowed = machine.allowed() or machine.online()
    cores = _cores(machine, allowed or [])
    if not allowed or not cores:
        return Finding(name, State.UNKNOWN, "the kernel does not report which processors share a core", meaning)
    shared = [core for core in cores if len(core & set(allowed)) > 1]
    if shared:
        one_each = sorted({min(core & set(allowed)) for core in cores})
        fix = f"taskset -c {from_list(one_each)} {_RUN}"
        return Finding(name, State.WARNING, f"{len(shared)} cores offer several threads", meaning, fix)
    if any(len(core) > 1 for core in cores):
        others = from_list(one for core in cores for one in core if one not in allowed)
        found = f"one hardware thread of each core is available; {others} are not"
        return Finding(name, State.INFORMATION, found, meaning)
    if machine.virtual():
        found = "one thread per core according to the hypervisor, which may hide that they share cores"
        return Finding(name, State.UNKNOWN, found, meaning)
    return Finding(name, State.OK, "one thread per core", "No thread shares a core with another.")


def _cores(machine: Machine, processors: Sequence[int]) -> list[frozenset[int]]:
    """The sets of processors that share a core."""
    cores = []
    for processor in processors:
        core = frozenset(to_list(machine.text(f"{_CPU}/cpu{processor}/topology/thread_siblings_list")) or ())
        if processor in core and core not in cores:
            cores.append(core)
    return cores


def _halves(machine: Machine) -> tuple[list[int], list[int]]:
    """All threads of the first half of the cores, and one thread of each other core; empty lists with fewer than four
    cores."""
    cores = sorted(_cores(machine, machine.online() or []), key=min)
    if len(cores) < 4:
        return [], []
    middle = len(cores) // 2
    return sorted(set().union(*cores[:middle])), [min(core) for core in cores[middle:]]


def _affinity(machine: Machine) -> Finding:
    name = "affinity"
    allowed, online = machine.allowed(), machine.online()
    if allowed is None or not online:
        meaning = "The set of usable processors affects the results."
        return Finding(name, State.UNKNOWN, machine.unavailable("/proc/self/status"), meaning)
    usable = sorted(set(allowed) & set(online))
    if len(usable) < len(online):
        found = f"may use {from_list(usable)} of {from_list(online)}"
        meaning = "Contenders inherit this; programs that count all processors start too many threads."
        return Finding(name, State.INFORMATION, found, meaning)
    meaning = "Threads migrate between processors and lose their caches; pinned threads vary less."
    _, measured = _halves(machine)
    fix = f"taskset -c {from_list(measured)} {_RUN}" if measured else ""
    return Finding(name, State.INFORMATION, f"may use all of {from_list(online)}", meaning, fix)


def _isolation(machine: Machine) -> Finding:
    name = "isolation"
    isolated = to_list(machine.text(f"{_CPU}/isolated"))
    tickless = to_list(machine.text(f"{_CPU}/nohz_full"))
    if isolated is None:
        meaning = "It is not known whether the scheduler runs other processes on the same processors."
        return Finding(name, State.UNKNOWN, machine.unavailable(f"{_CPU}/isolated"), meaning)
    ticks = f", {from_list(tickless)} without ticks" if tickless else ""
    if not isolated:
        return _not_isolated(machine, ticks)
    found = f"{from_list(isolated)} isolated at boot{ticks}"
    inside = set(isolated) & set(machine.allowed() or ())
    if len(inside) > 1:
        meaning = "The scheduler does not balance threads over isolated processors: all threads run on one of them."
        fix = f"taskset -c {min(inside)} {_RUN}"
        return Finding(name, State.WARNING, found, meaning, fix)
    if inside:
        return Finding(name, State.OK, found, "A single-threaded contender has its processor to itself.")
    meaning = "This process does not use them; they suit single-threaded contenders."
    return Finding(name, State.INFORMATION, found, meaning, f"taskset -c {isolated[0]} {_RUN}")


def _not_isolated(machine: Machine, ticks: str) -> Finding:
    meaning = "The rest of the system runs on the same processors as the measurement."
    rest, measured = _halves(machine)
    fix = ""
    if measured and machine.exists("/run/systemd/system"):
        confine = "sudo systemctl set-property --runtime"
        fix = (
            f"{confine} system.slice AllowedCPUs={from_list(rest)} && "
            f"{confine} user.slice AllowedCPUs={from_list(rest)} && "
            f"sudo systemd-run --scope --slice=bench.slice -p AllowedCPUs={from_list(measured)} {_RUN}"
        )
    return Finding("isolation", State.INFORMATION, f"none isolated{ticks}", meaning, fix, "root" if fix else "")


def _offline(machine: Machine) -> Finding:
    offline = to_list(machine.text(f"{_CPU}/offline"))
    if offline is None:
        meaning = "Offline processors use no heat and power budget, so the others may run faster."
        return Finding("offline", State.UNKNOWN, machine.unavailable(f"{_CPU}/offline"), meaning)
    present = to_list(machine.text(f"{_CPU}/present")) or []
    off = [one for one in offline if one in present]
    if not off:
        return Finding("offline", State.OK, "all processors are online", "No processor is offline.")
    meaning = "The results are those of a smaller machine."
    fix = "; ".join(f"echo 1 | sudo tee {_CPU}/cpu{one}/online" for one in off[:4]) if len(off) <= 4 else ""
    return Finding("offline", State.INFORMATION, f"{from_list(off)} are offline", meaning, fix, "root" if fix else "")


def _quota(machine: Machine) -> Finding:
    name = "cpu-quota"
    meaning = "When the quota is used up, all threads stop until the next period, up to tens of milliseconds."
    groups = cgroups.folders(machine, "cpu")
    if not groups:
        return Finding(name, State.UNKNOWN, "no control groups are visible", meaning)
    quotas = {group: quota for group in groups if (quota := _processors_of(machine, group)) is not None}
    if not quotas:
        return Finding(name, State.OK, "none", "No quota limits the threads.")
    group, quota = min(quotas.items(), key=lambda one: one[1])
    found = f"{quota:.4g} processors{_throttled(machine, group)}"
    if quota >= len(machine.online() or [0] * 1024):
        return Finding(name, State.INFORMATION, found, "The quota is as large as the machine.")
    if machine.container() in ("docker", "podman"):
        fix = f"{machine.container()} update --cpus $(nproc) CONTAINER"
        return Finding(name, State.WARNING, found, meaning, fix, "the host")
    one = f"{group}/cpu.max" if machine.exists(f"{group}/cpu.max") else f"{group}/cpu.cfs_quota_us"
    fix = f"echo {'max' if one.endswith('max') else -1} | sudo tee {one}"
    return Finding(name, State.WARNING, found, meaning, fix, "root")


def _processors_of(machine: Machine, group: str) -> float | None:
    """The group's quota in processors; None without a quota."""
    words = (machine.text(f"{group}/cpu.max") or "").split()
    if len(words) == 2:
        quota, period = to_number(words[0]), to_number(words[1])
    else:
        quota, period = machine.number(f"{group}/cpu.cfs_quota_us"), machine.number(f"{group}/cpu.cfs_period_us")
    if quota is None or period is None or quota <= 0 or period <= 0:
        return None
    return quota / period


def _throttled(machine: Machine, group: str) -> str:
    for line in (machine.text(f"{group}/cpu.stat") or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "nr_throttled" and (times := to_number(words[1])):
            return f", throttled {times} times so far"
    return ""
