"""What runs on a worker: one child process for each task, so that a crash is an exit code and never a lost worker.

Thread-safe: the worker's threads call run() at the same time, and its event loop may call terminate().
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Collection

_GRACE = 5.0  # seconds for a killed child to disappear
_MOST_OF_MESSAGES = 1 << 16  # bytes
_SAYS = "fathom: "  # begins each sentence

_lock = threading.Lock()
_children: dict[subprocess.Popen[bytes], str] = {}  # and the keys of their tasks


@dataclasses.dataclass(frozen=True)
class Ran:
    """How the child ended. `code` is None if it was killed at its time limit or never began."""

    code: int | None
    messages: tuple[str, ...]  # the last sentences that it wrote to standard error, or why there is no code
    host: str
    stuck: bool = False  # the child cannot be killed: it hangs in a system call

    @property
    def message(self) -> str:
        """The last one, which says why it failed if it did."""
        return self.messages[-1] if self.messages else ""


def run(argv: tuple[str, ...], limit: float, key: str = "") -> Ran:
    """Runs the command to its end, or kills it after `limit` seconds. Its budget ends at half of them, so that what
    it has done is not lost. `argv` is as os.fsdecode() writes bytes."""
    host = socket.gethostname()
    with tempfile.TemporaryFile() as errors:
        try:
            # Its standard output is short, and its end is how this thread learns at once that the child has ended.
            child = subprocess.Popen([os.fsencode(word) for word in argv], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=errors)
        except OSError as why:
            return Ran(None, (f"cannot run {argv[0]}: {why.strerror}",), host)
        with _lock:
            _children[child] = key
        try:
            try:
                child.communicate(timeout=limit / 2)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGURG)
                child.communicate(timeout=limit / 2)
        except subprocess.TimeoutExpired:
            child.kill()
            return Ran(None, (f"the scan took longer than {limit:g} seconds",), host, not _ended(child))
        finally:
            with _lock:
                del _children[child]
        return Ran(child.returncode, _messages(errors.fileno()), host)


@dataclasses.dataclass(frozen=True)
class Made:
    """A snapshot on the worker's disk, until discard(). No files if there is none."""

    ran: Ran
    directory: str = ""
    files: dict[str, int] = dataclasses.field(default_factory=dict)  # names and sizes in bytes


def snapshot(argv: tuple[str, ...], limit: float) -> Made:
    """Runs `fathom snapshot` with a store of its own."""
    store = tempfile.mkdtemp(prefix="fathom-fleet-")
    ran = run((argv[0], argv[1], f"--store={store}", *argv[2:]), limit)
    for directory, _, names in os.walk(store):
        if "meta.json" in names and ran.code in (0, 1):
            return Made(ran, directory, {name: os.path.getsize(os.path.join(directory, name)) for name in names})
    shutil.rmtree(store, ignore_errors=True)
    return Made(ran)


def chunk(directory: str, name: str, offset: int, length: int) -> bytes:
    """So many bytes of a file of a snapshot. Raises OSError."""
    with open(os.path.join(directory, name), "rb") as file:
        return os.pread(file.fileno(), length, offset)


def discard(directory: str) -> None:
    """Removes what snapshot() made."""
    shutil.rmtree(os.path.dirname(directory), ignore_errors=True)


def hand_back(keys: Collection[str]) -> None:
    """Asks the children of these tasks, those that are here, to end their budgets."""
    with _lock:
        for child, key in _children.items():
            if key in keys:
                child.send_signal(signal.SIGURG)


def terminate(keys: Collection[str] | None = None) -> None:
    """Ends the children of these tasks, those that are here; without keys, all children of this worker."""
    with _lock:
        for child, key in _children.items():
            if keys is None or key in keys:
                child.terminate()


def _ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.communicate(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        return False
    return True


def _messages(file: int) -> tuple[str, ...]:
    size = os.fstat(file).st_size
    text = os.pread(file, _MOST_OF_MESSAGES, max(0, size - _MOST_OF_MESSAGES))
    lines = text.decode(errors="replace").strip().splitlines()
    # Examples, for instance, may follow a sentence.
    sentences = [line.removeprefix(_SAYS) for line in lines if line.startswith(_SAYS)]
    return tuple(sentences or lines)
