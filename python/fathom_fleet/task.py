"""What runs on a worker: one child process for each task, so that a crash is an exit code and never a lost worker.

Thread-safe: the worker's threads call run() at the same time, and its event loop may call terminate().
"""

from __future__ import annotations

import dataclasses
import os
import socket
import subprocess
import tempfile
import threading

_GRACE = 5.0  # seconds for a killed child to disappear
_LONGEST_MESSAGE = 4096  # bytes

_lock = threading.Lock()
_children: set[subprocess.Popen[bytes]] = set()


@dataclasses.dataclass(frozen=True)
class Ran:
    """How the child ended. `code` is None if it was killed at its time limit or never began."""

    code: int | None
    message: str  # the last line of its standard error, or why there is no code
    host: str
    stuck: bool = False  # the child cannot be killed: it hangs in a system call


def run(argv: tuple[str, ...], limit: float) -> Ran:
    """Runs the command to its end, or kills it after `limit` seconds. `argv` is as os.fsdecode() writes bytes."""
    host = socket.gethostname()
    with tempfile.TemporaryFile() as errors:
        try:
            # Its standard output is short, and its end is how this thread learns at once that the child has ended.
            child = subprocess.Popen([os.fsencode(word) for word in argv], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=errors)
        except OSError as why:
            return Ran(None, f"cannot run {argv[0]}: {why.strerror}", host)
        with _lock:
            _children.add(child)
        try:
            child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            child.kill()
            return Ran(None, f"the scan took longer than {limit:g} seconds", host, not _ended(child))
        finally:
            with _lock:
                _children.discard(child)
        return Ran(child.returncode, _last_line(errors.fileno()), host)


def terminate() -> None:
    """Ends all children of this worker."""
    with _lock:
        for child in _children:
            child.terminate()


def _ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.communicate(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        return False
    return True


def _last_line(file: int) -> str:
    size = os.fstat(file).st_size
    text = os.pread(file, _LONGEST_MESSAGE, max(0, size - _LONGEST_MESSAGE))
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("fathom: ") if lines else ""
