"""Output: results on standard output, as the other commands of Fathom write them."""

from __future__ import annotations

import errno
import os
import sys


class OutputError(Exception):
    """They could not be written, for the reason that the sentence says. The command prints it and exits with 1."""


def put(text: str | bytes) -> None:
    """Does nothing if the reader is gone. Raises OutputError."""
    try:
        if sys.stdout is None:  # it was closed when the program started
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.buffer.write(text.encode() if isinstance(text, str) else text)
        sys.stdout.flush()
    except OSError as why:
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the interpreter can flush at its end
        if not isinstance(why, BrokenPipeError):
            raise OutputError(f"cannot write to standard output: {why.strerror}") from why
