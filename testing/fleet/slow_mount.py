"""Mounts of slowfs: a directory that answers as slowly as a busy file server.

    with slow_mount(slowfs, tree, mountpoint, delay_us=5000) as mount:
        ...scan mountpoint...
    assert mount.counts.peak == 16
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
from collections.abc import Iterator

from waiting import PATIENCE, until


@dataclasses.dataclass(frozen=True)
class Counts:
    """What slowfs has answered: the operations of each kind, and the most that waited at the same time."""

    operations: dict[str, int]
    peak: int


class Mount:
    """A directory that is mounted until unmount(). Then `counts` is there."""

    def __init__(self, process: subprocess.Popen[bytes], place: pathlib.Path) -> None:
        self.place = place
        self.counts = Counts({}, 0)
        self.process = process

    def hold(self) -> None:
        """From now on nothing is answered. Even a killed process does not end while it waits for an answer.
        Must not be called after unmount()."""
        self.process.send_signal(signal.SIGSTOP)
        # The signal stops one thread after the other: until the last one has stopped, it may still answer.
        stopped = os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        assert stopped is not None and stopped.si_code == os.CLD_STOPPED, "slowfs has ended"

    def go_on(self) -> None:
        """Ends hold()."""
        self.process.send_signal(signal.SIGCONT)

    def unmount(self) -> None:
        """Unmounts the directory, even if it is busy. Does nothing if that has been done."""
        self.process.terminate()
        self.go_on()
        try:
            printed, _ = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            if os.path.ismount(self.place):
                subprocess.run(["umount", "--lazy", self.place], check=False)
        if printed:
            self.counts = Counts(**json.loads(printed))


def why_not(slowfs: str | None) -> str:
    """Why slowfs cannot mount here; "" if it can."""
    if not slowfs or not os.path.exists(slowfs):
        return "slowfs is not built: libfuse3-dev is not installed"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse is missing, or not for this user"
    if os.geteuid() != 0 and shutil.which("fusermount3") is None:
        return "only root may mount here: fuse3 is not installed"
    return ""


class CannotMount(Exception):
    """The kernel or the container forbids it; the message is that of slowfs."""


def open_mount(slowfs: str, tree: pathlib.Path, place: pathlib.Path, **flags: int) -> Mount:
    """Mounts the tree. The flags are those of slowfs, such as delay_us=5000 for --delay-us. Raises CannotMount."""
    words = [word for flag, number in flags.items() for word in ("--" + flag.replace("_", "-"), str(number))]
    # A file, not a pipe: nobody reads a pipe while this waits for the mount.
    with open(os.memfd_create("messages"), "w+b") as messages:
        process = subprocess.Popen([slowfs, tree, place, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=messages)
        mount = Mount(process, place)
        try:
            until(lambda: os.path.ismount(place) or process.poll() is not None, f"a mount at {place}")
        except BaseException:
            mount.unmount()
            raise
        if process.poll() is not None:
            mount.unmount()
            messages.seek(0)
            raise CannotMount(messages.read().decode(errors="replace").strip())
    return mount


@contextlib.contextmanager
def slow_mount(slowfs: str, tree: pathlib.Path, place: pathlib.Path, **flags: int) -> Iterator[Mount]:
    mount = open_mount(slowfs, tree, place, **flags)
    try:
        yield mount
    finally:
        mount.unmount()
