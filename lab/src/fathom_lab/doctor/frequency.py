"""Checks how fast the processors run, and what controls their frequency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fathom_lab.doctor.check import Change, Finding, State
from fathom_lab.doctor.machine import Machine, from_list, to_list

_CPU = "/sys/devices/system/cpu"
_NO_TURBO = f"{_CPU}/intel_pstate/no_turbo"
_BOOST = f"{_CPU}/cpufreq/boost"


def check(machine: Machine) -> Iterator[Finding]:
    policies = machine.list(f"{_CPU}/cpufreq/policy*") or machine.list(f"{_CPU}/cpu[0-9]*/cpufreq")
    yield _governor(machine, policies)
    yield from _energy_preference(machine, policies)
    yield _turbo(machine)
    yield from _range(machine, policies)
    yield from _throttling(machine)


def _governor(machine: Machine, policies: list[str]) -> Finding:
    name = "governor"
    meaning = "If the frequency follows the load, short runs end before it rises, which penalizes fast contenders."
    values = _values(machine, policies, "scaling_governor")
    if not values:
        return Finding(name, State.UNKNOWN, _unseen(machine), meaning)
    found = _grouped(machine, values)
    fixed = [policy for policy in values if _is_fixed(machine, policy)]
    moving = {policy: value for policy, value in values.items() if value != "performance" and policy not in fixed}
    if not moving:
        return Finding(name, State.OK, found, "The frequency does not follow the load.")
    offered = [
        policy
        for policy in moving
        if "performance" in (machine.text(f"{policy}/scaling_available_governors") or "performance").split()
    ]
    changes = tuple(Change(f"{policy}/scaling_governor", "performance") for policy in offered)
    fix = f"echo performance | sudo tee {_CPU}/cpu*/cpufreq/scaling_governor" if offered else ""
    return Finding(name, State.WARNING, found, meaning, fix, "root" if fix else "", changes)


def _energy_preference(machine: Machine, policies: list[str]) -> Iterator[Finding]:
    """Only some drivers have this setting."""
    values = _values(machine, policies, "energy_performance_preference")
    if not values:
        return
    name, found = "energy-preference", _grouped(machine, values)
    saving = [policy for policy, value in values.items() if value not in ("performance", "0")]
    if not saving:
        yield Finding(name, State.OK, found, "The processors prefer speed.")
        return
    yield Finding(
        name,
        State.WARNING,
        found,
        "The processors trade speed for power themselves, and raise the frequency late.",
        f"echo performance | sudo tee {_CPU}/cpu*/cpufreq/energy_performance_preference",
        "root",
        tuple(Change(f"{policy}/energy_performance_preference", "performance") for policy in saving),
    )


def _turbo(machine: Machine) -> Finding:
    name = "turbo"
    off = "All threads run at one frequency, warm or cold; users usually run with turbo."
    on = "With turbo, the frequency falls with the number of busy threads and as the machine gets warmer."
    paths = {path: machine.text(path) for path in _turbo_switches(machine)}
    known = {path: value for path, value in paths.items() if value in ("0", "1")}
    if not known:
        return Finding(name, State.UNKNOWN, _unseen(machine), on)
    wanted = {path: "1" if path == _NO_TURBO else "0" for path in known}
    changes = tuple(Change(path, wanted[path]) for path, value in known.items() if value != wanted[path])
    if not changes:
        return Finding(name, State.OK, "off", off)
    targets = " ".join(change.path for change in changes)
    fix = f"echo {changes[0].value} | sudo tee {targets}"
    return Finding(name, State.WARNING, "on", on, fix, "root", changes)


def _turbo_switches(machine: Machine) -> list[str]:
    """One switch for the machine, or one for each policy."""
    for path in (_NO_TURBO, _BOOST):
        if machine.exists(path):
            return [path]
    return machine.list(f"{_CPU}/cpufreq/policy*/boost")


def _range(machine: Machine, policies: list[str]) -> Iterator[Finding]:
    name = "frequency-range"
    hardware = _numbers(machine, policies, "cpuinfo_max_freq")
    limits = _numbers(machine, policies, "scaling_max_freq")
    if not hardware:
        return
    fastest = [policy for policy, value in hardware.items() if value * 10 >= max(hardware.values()) * 9]
    if len(fastest) < len(hardware):
        which = from_list(one for policy in fastest for one in _processors(machine, policy))
        yield Finding(
            name,
            State.WARNING,
            f"{_grouped(machine, {policy: _hertz(value) for policy, value in hardware.items()})} at most",
            "There are fast and slow processors, and the time of a run depends on which it gets.",
            f"taskset -c {which} fathom-lab run EXPERIMENT" if which else "",
        )
    elif capped := {policy: limit for policy, limit in limits.items() if limit < hardware.get(policy, 0)}:
        found = _grouped(machine, {policy: _hertz(limit) for policy, limit in capped.items()})
        found = f"at most {found}, of {_hertz(max(hardware.values()))}"
        yield Finding(name, State.INFORMATION, found, "The frequency is limited below the maximum of the hardware.")
    else:
        yield Finding(name, State.OK, f"up to {_hertz(max(hardware.values()))}", "Nothing limits it further.")


def _throttling(machine: Machine) -> Iterator[Finding]:
    counts = [machine.number(path) for path in machine.list(f"{_CPU}/cpu[0-9]*/thermal_throttle/core_throttle_count")]
    times = max((count for count in counts if count is not None), default=None)
    if times is None:
        return
    if times <= 0:
        yield Finding("throttling", State.OK, "never since boot", "The processors have not been too hot.")
        return
    meaning = "The machine was slowed down because it was too hot; this may happen again late in a long run."
    yield Finding("throttling", State.INFORMATION, f"{times} times since boot", meaning)


def _unseen(machine: Machine) -> str:
    host = "; the host controls it" if machine.virtual() else ""
    return f"the kernel does not show the frequency control here{host}"


def _values(machine: Machine, policies: list[str], file: str) -> dict[str, str]:
    """The values by policy, without offline processors."""
    read = {policy: machine.text(f"{policy}/{file}") for policy in policies}
    return {policy: value[:40] for policy, value in read.items() if value}


def _numbers(machine: Machine, policies: list[str], file: str) -> dict[str, int]:
    read = {policy: machine.number(f"{policy}/{file}") for policy in policies}
    return {policy: value for policy, value in read.items() if value is not None and value > 0}


def _is_fixed(machine: Machine, policy: str) -> bool:
    low, high = (machine.number(f"{policy}/scaling_{end}_freq") for end in ("min", "max"))
    return low is not None and low == high


def _processors(machine: Machine, policy: str) -> list[int]:
    return to_list((machine.text(f"{policy}/affected_cpus") or "").replace(" ", ",")) or []


def _grouped(machine: Machine, values: Mapping[str, str]) -> str:
    """Formats values: `powersave`, or with several values `powersave on 0-3, performance on 4-7`."""
    groups: dict[str, list[int]] = {}
    for policy, value in values.items():
        groups.setdefault(value, []).extend(_processors(machine, policy))
    if len(groups) == 1:
        return next(iter(groups))
    return ", ".join(f"{value} on {from_list(which) or '?'}" for value, which in groups.items())


def _hertz(kilohertz: int) -> str:
    return f"{kilohertz / 1e6:.2f} GHz"
