"""Finds the control groups of this process, in versions 1 and 2 of cgroups."""

from __future__ import annotations

from collections.abc import Iterator

from fathom_lab.doctor.machine import Machine

_DEEPEST = 64


def folders(machine: Machine, controller: str) -> list[str]:
    """The process's group and all its visible ancestors, innermost first; the limits of each apply."""
    found = []
    for mounted, inside, version in _mounts(machine, controller):
        group = _group(machine, controller if version == 1 else "")
        if group is None:
            continue
        # A container may see its group as the root, or by a name that exists only in the host's tree.
        below = group[len(inside) :] if inside != "/" and group.startswith(inside) else group
        parts = [part for part in below.split("/") if part and part != ".."][:_DEEPEST]
        for length in range(len(parts), -1, -1):
            path = "/".join([mounted.rstrip("/"), *parts[:length]])
            if machine.exists(path) and path not in found:
                found.append(path)
    return found


def _mounts(machine: Machine, controller: str) -> Iterator[tuple[str, str, int]]:
    """Yields the mount point, the mounted part of the tree, and the version."""
    for line in (machine.text("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or len(right) < 3:
            continue
        if right[0] == "cgroup2":
            yield left[4], left[3], 2
        elif right[0] == "cgroup" and controller in right[2].split(","):
            yield left[4], left[3], 1


def _group(machine: Machine, controller: str) -> str | None:
    for line in (machine.text("/proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if path.startswith("/") and controller in names.split(","):
            return path
    return None
