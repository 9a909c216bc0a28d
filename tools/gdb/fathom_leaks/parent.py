"""Ends a process together with the one that started it, so that nothing stays behind if that one is killed."""

from __future__ import annotations

import ctypes
import os
import signal

SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, an operation of prctl


def end_with_parent(parent: int) -> None:
    """From now on, the kernel kills this process when the thread that started it ends. `parent`: the process that
    should have started it; if that one has ended before, this process ends here."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot end together with the parent")
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
