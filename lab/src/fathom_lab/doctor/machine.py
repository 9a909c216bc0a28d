"""Access to the machine: /proc, /sys, and a few commands. All other modules of doctor use only this one.

Tests use a folder as the root, and their own functions to wait, to spin, to run commands and to query the kernel.
"""

from __future__ import annotations

import ctypes
import dataclasses
import errno
import os
import platform
import re
import struct
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

_MOST = 1 << 20  # bytes to read of a file: no kernel setting is longer
_MOST_PROCESSORS = 1 << 16
FIRST_PROCESSES = "pid:[4026531836]"  # the initial namespaces have fixed numbers
_FIRST_GROUPS = "cgroup:[4026531835]"
SPIN_ADDITIONS = 400_000  # of one spin(): some milliseconds, so that reading the clock is nothing beside it
_VIRTUAL_VENDORS = ("QEMU", "VMware", "innotek", "Xen", "Parallels", "Bochs")


def _run(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return printable(done.stdout[:_MOST].decode(errors="replace")) if done.returncode == 0 else None


def _ask_kernel(question: str) -> int | None:
    """Probes a feature. Returns 0 or the error number of the kernel; None if the lab cannot probe it on this
    architecture."""
    if question == "io_uring":
        return _system_call(425, 0, None)  # without parameters it always fails; the error number says why
    number = {"x86_64": 298, "aarch64": 241, "riscv64": 241}.get(platform.machine())
    if number is None:
        return None
    # struct perf_event_attr: processor cycles of this process, in user space only, not yet counting.
    disabled, exclude_kernel, exclude_hypervisor = 1 << 0, 1 << 5, 1 << 6
    attributes = bytearray(128)
    struct.pack_into("=II", attributes, 0, 0, len(attributes))
    struct.pack_into("=Q", attributes, 40, disabled | exclude_kernel | exclude_hypervisor)
    return _system_call(number, (ctypes.c_char * len(attributes)).from_buffer(attributes), 0, -1, -1, 8)


def _system_call(number: int, *arguments: object) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    descriptor = call(ctypes.c_long(number), *words)
    if descriptor < 0:
        return ctypes.get_errno()
    os.close(descriptor)
    return 0


def _spin() -> float:
    """Adds numbers in one loop of C, in which each addition needs the one before. Returns the processor time of this
    thread in seconds."""
    began = time.thread_time_ns()
    sum(range(SPIN_ADDITIONS))
    return (time.thread_time_ns() - began) * 1e-9


@dataclasses.dataclass(frozen=True)
class Machine:
    root: Path = Path("/")
    wait: Callable[[float], None] = time.sleep  # between two samples
    run: Callable[[Sequence[str]], str | None] = _run  # the command's output; None: it failed or does not exist
    ask_kernel: Callable[[str], int | None] = _ask_kernel  # "io_uring", "perf"
    pid: int = dataclasses.field(default_factory=os.getpid)
    spin: Callable[[], float] = _spin  # the same work each time: the seconds that it took

    def text(self, path: str) -> str | None:
        """The stripped content, without control characters. None if the file is missing or unreadable."""
        try:
            with open(self._real(path), "rb") as file:
                return printable(file.read(_MOST).decode(errors="replace")).strip()
        except (OSError, ValueError):
            return None

    def number(self, path: str) -> int | None:
        return to_number(self.text(path))

    def chosen(self, path: str) -> str | None:
        """The current value; for a list of choices such as `always [madvise] never`, the one in brackets."""
        text = self.text(path)
        match = re.search(r"\[([^\]]*)\]", text or "")
        return match.group(1) if match else text

    def link(self, path: str) -> str | None:
        try:
            return printable(os.readlink(self._real(path)))
        except (OSError, ValueError):
            return None

    def exists(self, path: str) -> bool:
        return os.path.exists(self._real(path))

    def unavailable(self, path: str) -> str:
        """Why a value is unavailable, in words."""
        return f"{path} cannot be read" if self.exists(path) else f"{path} does not exist"

    def list(self, pattern: str) -> list[str]:
        """The matching paths in natural order: cpu2 before cpu10."""
        try:
            found = ["/" + str(one.relative_to(self.root)) for one in self.root.glob(pattern.lstrip("/"))]
        except OSError:
            return []
        return sorted(found, key=lambda path: [int(part) if part.isdecimal() else part for part in _parts(path)])

    def writable(self, path: str) -> bool:
        return os.access(self._real(path), os.W_OK)

    def write(self, path: str, value: str) -> None:
        """Writes a value with one system call, which the kernel accepts or rejects as a whole. Never creates a file.
        Raises OSError."""
        descriptor = os.open(self._real(path), os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(descriptor, f"{value}\n".encode())
        finally:
            os.close(descriptor)

    def flags(self) -> frozenset[str]:
        """The feature flags of the first processor; empty if unknown."""
        match = re.search(r"^(?:flags|Features)\s*:(.*)$", self.text("/proc/cpuinfo") or "", re.MULTILINE)
        return frozenset(match.group(1).split()) if match else frozenset()

    def virtual(self) -> bool | None:
        """Whether this is a virtual machine; None if there is no sign either way."""
        vendor = self.text("/sys/class/dmi/id/sys_vendor") or ""
        product = self.text("/sys/class/dmi/id/product_name") or ""
        flags = self.flags()
        if "hypervisor" in flags or self.exists("/sys/hypervisor/type") or self.exists("/proc/device-tree/hypervisor"):
            return True
        if vendor.startswith(_VIRTUAL_VENDORS) or product == "Virtual Machine":
            return True
        return False if "fpu" in flags else None  # only x86 has the hypervisor flag

    def container(self) -> str:
        """The container manager that this runs under; empty if there is no sign of a container."""
        group = re.search("docker|kubepods|lxc|containerd|libpod", self.text("/proc/1/cgroup") or "")
        if group:
            return group.group(0)
        namespaces = (self.link("/proc/self/ns/pid"), self.link("/proc/self/ns/cgroup"))
        if namespaces == (FIRST_PROCESSES, _FIRST_GROUPS):
            return ""  # marker files may come from a container image that was turned into a virtual machine
        for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
            if self.exists(path):
                return kind
        return (self.text("/run/systemd/container") or "")[:40] or self._container_of_first()

    def _container_of_first(self) -> str:
        match = re.search(r"(?:^|\?)container=([^?]{1,40})", self.text("/proc/1/environ") or "")  # ? was NUL
        return match.group(1) if match else ""

    def online(self) -> Sequence[int] | None:
        return to_list(self.text("/sys/devices/system/cpu/online"))

    def allowed(self) -> Sequence[int] | None:
        """The processors that this process and its children may use."""
        match = re.search(r"^Cpus_allowed_list:\s*(\S*)$", self.text("/proc/self/status") or "", re.MULTILINE)
        return to_list(match.group(1)) if match else None

    def _real(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def _parts(path: str) -> list[str]:
    return re.split(r"(\d+)", path)  # every second part is a number, so parts compare with parts of their type


def printable(text: str) -> str:
    """Replaces control characters: a process can choose any name, including one that moves the cursor."""
    return "".join(one if one.isprintable() or one in "\n\t" else "?" for one in text)


def to_number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,20}", text) else None


def to_list(text: str | None) -> list[int] | None:
    """Parses `0-3,8`. None if it is not such a list."""
    if text is None or text in ("(null)", ""):
        return None if text is None else []
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part)
        if match is None:
            return None
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        if last < first or last >= _MOST_PROCESSORS:
            return None
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def from_list(numbers: Iterable[int]) -> str:
    """Formats numbers as `0-3,8`."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def error_name(number: int) -> str:
    return errno.errorcode.get(number, str(number))
