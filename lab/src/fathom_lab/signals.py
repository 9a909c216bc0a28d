"""Waits that every signal ends.

The system calls of Python that wait end for a signal that arrives meanwhile, but not for one that arrives just before
them, or in another thread: its handler, which may raise KeyboardInterrupt, would run only once the wait is over.
"""

from __future__ import annotations

import os
import select
import signal
import time


class Signals:
    """A context manager for the main thread. `end` is the end of a pipe that each signal makes readable, until
    forget(); waits include it. Nested ones must end in reverse order."""

    def __init__(self) -> None:
        self.end, self._theirs = os.pipe()
        for end in (self.end, self._theirs):
            os.set_blocking(end, False)
        self._before = signal.set_wakeup_fd(self._theirs, warn_on_full_buffer=False)

    def close(self) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self.end)
        os.close(self._theirs)

    def __enter__(self) -> Signals:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def forget(self) -> None:
        os.read(self.end, 4096)

    def wait(self, end: int, deadline: float | None = None) -> bool:
        """Whether the descriptor becomes readable until the deadline, on the clock of time.monotonic()."""
        while True:
            rest = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = select.select([end, self.end], [], [], rest)[0]
            if self.end not in ready:
                return bool(ready)
            self.forget()
