"""What can be seen of a machine, and written to it: /proc, /sys, a few commands. Nothing else in doctor touches them.

A test gives a folder as the root, and its own ways to wait, to run and to ask the kernel.
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

_MOST = 1 << 20  # bytes of a file: no value of the kernel's is longer
_MOST_PROCESSORS = 1 << 16
FIRST_PROCESSES = "pid:[4026531836]"  # the namespaces that a machine starts with have fixed numbers
_FIRST_GROUPS = "cgroup:[4026531835]"
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
    """0 or the error number that the kernel answers with; None: this lab does not know how to ask here."""
    if question == "io_uring":
        return _system_call(425, 0, None)  # no entries, no parameters: it can only fail, but says how
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


@dataclasses.dataclass(frozen=True)
class Machine:
    root: Path = Path("/")
    wait: Callable[[float], None] = time.sleep  # between two looks
    run: Callable[[Sequence[str]], str | None] = _run  # what the command printed; None: it failed or is not there
    ask_kernel: Callable[[str], int | None] = _ask_kernel  # "io_uring", "perf"
    pid: int = dataclasses.field(default_factory=os.getpid)

    def text(self, path: str) -> str | None:
        """Without spaces around it and without what a terminal would obey. None: missing or unreadable."""
        try:
            with open(self._real(path), "rb") as file:
                return printable(file.read(_MOST).decode(errors="replace")).strip()
        except (OSError, ValueError):
            return None

    def number(self, path: str) -> int | None:
        return to_number(self.text(path))

    def chosen(self, path: str) -> str | None:
        """The value; of `always [madvise] never` the one in brackets."""
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

    def why_not(self, path: str) -> str:
        """Why there is no value, in words."""
        return f"{path} cannot be read" if self.exists(path) else f"there is no {path}"

    def list(self, pattern: str) -> list[str]:
        """Paths that match, cpu2 before cpu10."""
        try:
            found = ["/" + str(one.relative_to(self.root)) for one in self.root.glob(pattern.lstrip("/"))]
        except OSError:
            return []
        return sorted(found, key=lambda path: [int(part) if part.isdecimal() else part for part in _parts(path)])

    def writable(self, path: str) -> bool:
        return os.access(self._real(path), os.W_OK)

    def write(self, path: str, value: str) -> None:
        """Raises OSError. Never creates a file. One system call: the kernel takes a value whole or not at all."""
        descriptor = os.open(self._real(path), os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(descriptor, f"{value}\n".encode())
        finally:
            os.close(descriptor)

    def flags(self) -> frozenset[str]:
        """Of the first processor; empty: it does not tell."""
        match = re.search(r"^(?:flags|Features)\s*:(.*)$", self.text("/proc/cpuinfo") or "", re.MULTILINE)
        return frozenset(match.group(1).split()) if match else frozenset()

    def virtual(self) -> bool | None:
        """Whether it is a virtual machine; None: nothing says so, and nothing says that it is none."""
        vendor = self.text("/sys/class/dmi/id/sys_vendor") or ""
        product = self.text("/sys/class/dmi/id/product_name") or ""
        flags = self.flags()
        if "hypervisor" in flags or self.exists("/sys/hypervisor/type") or self.exists("/proc/device-tree/hypervisor"):
            return True
        if vendor.startswith(_VIRTUAL_VENDORS) or product == "Virtual Machine":
            return True
        return False if "fpu" in flags else None  # only x86 has the flag that would tell

    def container(self) -> str:
        """What made the container that this is; empty: there is no sign of one."""
        group = re.search("docker|kubepods|lxc|containerd|libpod", self.text("/proc/1/cgroup") or "")
        if group:
            return group.group(0)
        namespaces = (self.link("/proc/self/ns/pid"), self.link("/proc/self/ns/cgroup"))
        if namespaces == (FIRST_PROCESSES, _FIRST_GROUPS):
            return ""  # a virtual machine that was made from a container's files has their marks
        for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
            if self.exists(path):
                return kind
        return (self.text("/run/systemd/container") or "")[:40] or self._container_of_first()

    def _container_of_first(self) -> str:
        match = re.search(r"(?:^|\?)container=([^?]{1,40})", self.text("/proc/1/environ") or "")  # ? was a NUL
        return match.group(1) if match else ""

    def online(self) -> Sequence[int] | None:
        return to_list(self.text("/sys/devices/system/cpu/online"))

    def allowed(self) -> Sequence[int] | None:
        """The processors that this process, and all that it starts, may use."""
        match = re.search(r"^Cpus_allowed_list:\s*(\S*)$", self.text("/proc/self/status") or "", re.MULTILINE)
        return to_list(match.group(1)) if match else None

    def _real(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def _parts(path: str) -> list[str]:
    return re.split(r"(\d+)", path)  # every other one is a number, so parts compare with their like


def printable(text: str) -> str:
    """A process may call itself what it likes, also what moves the cursor."""
    return "".join(one if one.isprintable() or one in "\n\t" else "?" for one in text)


def to_number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,20}", text) else None


def to_list(text: str | None) -> list[int] | None:
    """`0-3,8` as numbers. None: that is no such list."""
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
    """`0-3,8`"""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def error_name(number: int) -> str:
    return errno.errorcode.get(number, str(number))
