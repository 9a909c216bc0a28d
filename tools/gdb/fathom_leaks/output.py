"""The files of a run: checks before it, and writing."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping


class CannotRun(Exception):
    """One sentence that says what is missing and how to fix it."""


def check_files(written: Mapping[str, str | None], read: str | None = None) -> None:
    """Checks files before the program runs, not after it. `written`: by what they are for; None: not wanted. `read`:
    the trace that is read."""
    wanted = [(what, path) for what, path in written.items() if path is not None]
    for (one, path), (other, same) in itertools.combinations([*wanted, *([("the trace", read)] if read else [])], 2):
        if os.path.realpath(path) == os.path.realpath(same):
            raise CannotRun(f"{one} and {other} cannot both be {path}")
    for _, path in wanted:
        _check_writable(path)


def _check_writable(path: str) -> None:
    """Existing files that are not regular are not opened: the reader of a pipe would see that as its end."""
    try:
        if not os.path.exists(path) or os.path.isfile(path):
            open(path, "ab").close()
        elif os.path.isdir(path):
            raise CannotRun(f"cannot write {path}: it is a directory")
        elif not os.access(path, os.W_OK):
            raise CannotRun(f"cannot write {path}: Permission denied")
    except OSError as error:
        raise CannotRun(f"cannot write {path}: {error.strerror}") from error


def check_trace(path: str | None) -> None:
    if path is not None and not os.path.isfile(path):
        raise CannotRun(f"cannot keep the trace in {path}: it must be a regular file")


def write(to: str | int, text: str) -> None:
    """Writes to a path or to a descriptor."""
    try:
        with open(to, "w", encoding="utf-8", errors="backslashreplace", closefd=isinstance(to, str)) as file:
            file.write(text)
    except OSError as error:
        where = to if isinstance(to, str) else "the report"
        raise CannotRun(f"cannot write {where}: {error.strerror}") from error
