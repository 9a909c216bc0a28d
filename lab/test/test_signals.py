"""An interrupt ends a wait of the lab even if it ends no system call, as one that comes just before the call does not.
Here another thread receives it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fathom_lab import child, process
from fathom_lab.duet import Duet, Part
from fathom_lab.process import Invocation
from test_process import TWICE, fixture_interrupt

__all__ = ["fixture_interrupt"]


@contextlib.contextmanager
def received_elsewhere() -> Iterator[None]:
    """Threads that exist already receive SIGINT."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def test_a_launch_is_interrupted_and_so_is_the_wait_for_its_end(
    interrupt: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab waits once it has read what the process prints."""
    monkeypatch.setattr(child, "GRACE", 1000)
    unread = "fcntl.ioctl(1, termios.FIONREAD, bytes(4)) != bytes(4)"
    prints = f"import fcntl, termios; print(flush=True); all(iter(lambda: {unread}, False))"
    with received_elsewhere():
        interrupt(f"{sys.executable} -c '{prints}'; {TWICE}", watch=False)


def test_a_duet_is_interrupted(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)

    def press() -> None:
        ready.read_text()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    script = f"echo >{ready}; while :; do read -r x </dev/null; done"
    part = Part(Invocation(("/bin/sh", "-c", script)), 1000.0, min(os.sched_getaffinity(0)), 0, False)
    with pytest.raises(KeyboardInterrupt), Duet() as duet, received_elsewhere():
        duet.run([part])
    thread.join()


def test_an_event_loop_of_the_caller_is_told_of_signals_again() -> None:
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    before = signal.set_wakeup_fd(theirs)
    process.run(Invocation(("true",)), 60)
    assert signal.set_wakeup_fd(before) == theirs
    os.close(ours)
    os.close(theirs)
