"""Checks for virtual machines and containers, and what they hide or forbid."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from fathom_lab.doctor import cgroups
from fathom_lab.doctor.check import Finding, State
from fathom_lab.doctor.machine import FIRST_PROCESSES, Machine, error_name
from fathom_lab.doctor.memory import in_words

_RING_SETTING = "/proc/sys/kernel/io_uring_disabled"


def check(machine: Machine) -> Iterator[Finding]:
    yield _virtual(machine)
    yield _container(machine)
    yield _memory_limit(machine)
    yield _counters(machine)
    yield _io_uring(machine)
    yield _hidden(machine)


def _virtual(machine: Machine) -> Finding:
    name = "virtual-machine"
    meaning = "The load of other guests varies, and the host controls the clock: trust ratios within a run, not times."
    virtual = machine.virtual()
    if virtual is None:
        return Finding(name, State.UNKNOWN, "there is no sign either way", meaning)
    if virtual:
        return Finding(name, State.INFORMATION, "yes", meaning)
    return Finding(name, State.OK, "no", "There is no hypervisor.")


def _container(machine: Machine) -> Finding:
    kind = machine.container()
    if kind:
        meaning = "Its limits apply, other processes are invisible, and a filter may slow down each system call."
        return Finding("container", State.INFORMATION, kind, meaning)
    return Finding("container", State.OK, "no sign of one", "The whole system is visible.")


def _memory_limit(machine: Machine) -> Finding:
    name = "memory-limit"
    meaning = "The limit includes the page cache: a tree that does not fit is never warm."
    groups = cgroups.folders(machine, "memory")
    if not groups:
        return Finding(name, State.UNKNOWN, "no control groups are visible", meaning)
    files = [f"{group}/{file}" for group in groups for file in ("memory.max", "memory.limit_in_bytes")]
    limits = [limit for file in files if (limit := machine.number(file)) is not None and 0 < limit < 2**60]
    total = re.search(r"^MemTotal:\s*([0-9]{1,18}) kB", machine.text("/proc/meminfo") or "", re.MULTILINE)
    if not limits or (total and min(limits) >= int(total.group(1)) * 1024):
        return Finding(name, State.OK, "none", "All memory is available.")
    return Finding(name, State.INFORMATION, in_words(min(limits)), meaning)


def _counters(machine: Machine) -> Finding:
    name = "perf-counters"
    meaning = "Cycles, instructions and cache misses cannot be counted, so they cannot explain results."
    answer = machine.ask_kernel("perf")
    if answer == 0:
        return Finding(name, State.OK, "available", "Cycles, instructions and cache misses can be counted.")
    reasons = {
        None: "the lab cannot check this on this architecture",
        errno.ENOENT: "the processor has none",
        errno.EOPNOTSUPP: "the processor has none",
        errno.ENODEV: "the processor has none",
        errno.EACCES: "the kernel denies them to this user, see perf-event-paranoid",
        errno.EPERM: "denied by a container's filter or by perf-event-paranoid",
        errno.ENOSYS: "the kernel does not support perf events",
    }
    found = reasons.get(answer, f"the kernel returns {error_name(answer or 0)}")
    if answer in (errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV) and machine.virtual():
        found = "the hypervisor does not expose them"
    return Finding(name, State.UNKNOWN, found, meaning)


def _io_uring(machine: Machine) -> Finding:
    name = "io-uring"
    meaning = "Contenders that would use it use another method, or cannot run."
    answer = machine.ask_kernel("io_uring")
    if answer in (errno.EFAULT, errno.EINVAL, 0):  # it was permitted, and failed only because of the invalid arguments
        return Finding(name, State.OK, "allowed", "Contenders may use it.")
    if answer == errno.ENOSYS:
        return Finding(name, State.INFORMATION, "the kernel does not support it, or a filter pretends so", meaning)
    if answer not in (errno.EPERM, errno.EACCES):
        return Finding(name, State.UNKNOWN, "the kernel's answer is not clear", meaning)
    disabled = machine.number(_RING_SETTING)
    if disabled:
        found, fix = f"denied: io_uring_disabled is {disabled}", f"echo 0 | sudo tee {_RING_SETTING}"
        return Finding(name, State.INFORMATION, found, meaning, fix, "root")
    fix = "docker run --security-opt seccomp=unconfined IMAGE" if machine.container() == "docker" else ""
    return Finding(name, State.INFORMATION, "denied by a filter", meaning, fix, "the host" if fix else "")


def _hidden(machine: Machine) -> Finding:
    name = "hidden-processes"
    meaning = "Invisible processes cannot be listed by name under busy-processes."
    namespace = machine.link("/proc/self/ns/pid")
    if namespace is None:
        return Finding(name, State.UNKNOWN, machine.unavailable("/proc/self/ns/pid"), meaning)
    if namespace != FIRST_PROCESSES:
        return Finding(name, State.UNKNOWN, "/proc shows only this container", meaning)
    if _hides_others(machine) and not _sees_all_processes(machine):
        fix = "sudo mount -o remount,hidepid=0 /proc"
        return Finding(name, State.UNKNOWN, "/proc shows only this user's processes", meaning, fix, "root")
    return Finding(name, State.OK, "none", "All processes of this system are visible.")


def _hides_others(machine: Machine) -> bool:
    for line in (machine.text("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        if before.split()[4:5] == ["/proc"]:
            option = re.search(r"\bhidepid=(\w{1,20})", after)
            return option is not None and option.group(1) not in ("0", "off")
    return False


def _sees_all_processes(machine: Machine) -> bool:
    """Whether this process can inspect every process: CAP_SYS_PTRACE, which root usually has."""
    match = re.search(r"^CapEff:\s*([0-9a-f]{1,16})$", machine.text("/proc/self/status") or "", re.MULTILINE)
    return match is not None and bool(int(match.group(1), 16) >> 19 & 1)
