"""Records the machine and the versions as plain data: the part of a result that cannot be measured again."""

from __future__ import annotations

import datetime
import hashlib
import os
import platform
import re
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fathom_lab

UNKNOWN = "unknown"
# The kernel's limits of TCP: sizes of buffers (least, initial, most), and queues of connections. Those of core limit
# what a program may request.
TCP_LIMITS = {
    name: f"/proc/sys/net/{folder}/{name}"
    for folder, names in {
        "ipv4": ("tcp_rmem", "tcp_wmem", "tcp_mem", "tcp_moderate_rcvbuf", "tcp_max_syn_backlog",
                 "tcp_abort_on_overflow"),
        "core": ("rmem_default", "rmem_max", "wmem_default", "wmem_max", "somaxconn", "netdev_max_backlog"),
    }.items()
    for name in names
}
_TIMEOUT = 10.0  # seconds that a program may take to print its version


def collect(root: Path) -> dict[str, Any]:
    """The facts for JSON. A fact that cannot be determined is "unknown", never omitted and never guessed."""
    return {
        "began": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "system": _distribution(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": sorted(os.sched_getaffinity(0)),  # usable by this process
        "processors_online": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),  # bytes
        "governor": _governor(),
        "virtualization": _virtualization(),
        "tcp_limits": {name: _setting(path) for name, path in TCP_LIMITS.items()},
        "load_before": list(os.getloadavg()),
        "commit": commit(root),
        "dirty": _git(root, "status", "--porcelain", "--untracked-files=no") not in ("", UNKNOWN),
        "lab": fathom_lab.__version__,
        "python": platform.python_version(),
    }


def version(command: Sequence[str], root: Path) -> str:
    """The first line of the command's output that contains a number."""
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT,
                              stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return UNKNOWN
    lines = (done.stdout + done.stderr).splitlines()
    return " ".join(next((line for line in lines if re.search(r"\d", line)), UNKNOWN).split())


def processor_time() -> tuple[int, int]:
    """Ticks of all processors since boot: stolen by the hypervisor, and total."""
    fields = (_lines("/proc/stat") or [""])[0].split()[1:9]
    ticks = [int(one) for one in fields] if len(fields) == 8 else [0] * 8
    return ticks[7], sum(ticks)


def after(before: tuple[int, int]) -> dict[str, Any]:
    """The facts to add when the run is over. `before` is processor_time() at its start."""
    stolen, ticks = (now - then for now, then in zip(processor_time(), before))
    return {
        "stolen": stolen / ticks if ticks > 0 else UNKNOWN,  # fraction of the processors' time
        "ended": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "load_after": list(os.getloadavg()),
    }


def in_short(facts: Mapping[str, Any]) -> list[str]:
    """The load during the run and the versions of the contenders, for a terminal."""
    parts = [f"load {facts[key][0]:.2f} {when}" for key, when in (("load_before", "before"), ("load_after", "after"))
            if facts.get(key)]
    parts += [f"{facts['stolen']:.1%} of CPU time stolen"] if isinstance(facts.get("stolen"), float) else []
    lines = [", ".join(parts)] if parts else []
    for name, programs in facts.get("programs", {}).items():
        versions = [f"{one} ({found['version']})" for one, found in programs.items() if "version" in found]
        lines += [f"{name}: {', '.join(versions)}"] if versions else []
    return lines


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Sentences on what has changed since the start of a run that is resumed."""
    names = {"host": "host", "kernel": "kernel", "processor": "processor", "processors": "usable processors",
             "governor": "governor", "commit": "commit", "dirty": "state of the working tree", "lab": "lab's version"}
    changed = [f"the {text} was {before.get(key)} and is {now.get(key)}"
               for key, text in names.items() if before.get(key) != now.get(key)]
    limits = before.get("tcp_limits", {})  # missing in old runs
    return changed + [f"{name} was {limits[name]} and is {value}" for name, value in now.get("tcp_limits", {}).items()
                      if name in limits and limits[name] != value]


def program(file: Path) -> dict[str, Any]:
    """Identifies a measured program by its path and hash. Raises OSError."""
    with open(file, "rb") as opened:
        return {"path": str(file), "sha256": hashlib.file_digest(opened, "sha256").hexdigest()}


def commit(root: Path) -> str:
    """The full commit hash, or "unknown" outside of git."""
    return _git(root, "rev-parse", "HEAD")


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, errors="replace",
                              check=False)
    except OSError:
        return UNKNOWN
    return done.stdout.strip() if done.returncode == 0 else UNKNOWN


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", UNKNOWN)
    except OSError:
        return UNKNOWN


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return UNKNOWN


def _governor() -> str:
    """The governors of the usable processors; several if they differ."""
    found = {line for cpu in os.sched_getaffinity(0)
             for line in _lines(f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")}
    return ", ".join(sorted(found)) or UNKNOWN


def _virtualization() -> str:
    """The hypervisor's name, "yes" if only the processor shows that there is one, "none", or "unknown"."""
    kind = _lines("/sys/hypervisor/type")
    if kind:
        return kind[0]
    flags = next((line.split() for line in _lines("/proc/cpuinfo") if line.startswith("flags")), None)
    if flags is None:
        return UNKNOWN
    return "yes" if "hypervisor" in flags else "none"


def _setting(path: str) -> str:
    """The numbers of a setting of the kernel, separated by spaces. A network namespace may lack some."""
    return " ".join(" ".join(_lines(path)).split()) or UNKNOWN


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return []
