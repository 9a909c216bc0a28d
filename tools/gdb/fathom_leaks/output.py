"""The files of a run: checks before it, and writing."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import secrets
import stat
from collections.abc import Mapping

STANDARD_OUTPUT = "-"  # as a path
_MOST_LINKS = 40  # that the kernel follows


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
        if path != STANDARD_OUTPUT:
            _check_writable(path)


def _check_writable(path: str) -> None:
    """Existing files that are not regular are not opened: the reader of a pipe would see that as its end."""
    try:
        if not os.path.exists(path) or os.path.isfile(path):
            os.close(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND))
        elif os.path.isdir(path):
            raise CannotRun(f"cannot write {path}: it is a directory")
        elif not os.access(path, os.W_OK):
            raise CannotRun(f"cannot write {path}: Permission denied")
    except OSError as error:
        raise CannotRun(f"cannot write {path}: {error.strerror}") from error


def check_trace(path: str | None) -> None:
    if path == STANDARD_OUTPUT or (path is not None and not os.path.isfile(path)):
        raise CannotRun(f"cannot keep the trace in {path}: it must be a regular file")


def write(to: str | int, text: str, *, waits: bool = True) -> None:
    """Writes to a path or to a descriptor. `waits`: for a program that reads from a pipe, if none does yet."""
    if to == STANDARD_OUTPUT:
        to = 1
    try:
        if isinstance(to, str) and _is_replaced(to):
            _replace(to, text)
        else:
            _put(_open_output(to, waits) if isinstance(to, str) else to, text, closes=isinstance(to, str))
    except OSError as error:
        where = to if isinstance(to, str) else "the report"
        raise CannotRun(f"cannot write {where}: {error.strerror}") from error


def _put(descriptor: int, text: str, *, closes: bool = True) -> None:
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=closes) as file:
        file.write(text)


def _is_replaced(path: str) -> bool:
    """Whether a regular file has the name, or nothing, in a directory where another can take its place."""
    folder = os.path.dirname(path) or "."
    if not os.access(folder, os.W_OK | os.X_OK) or _is_in_proc(path):
        return False
    return not os.path.lexists(path) or stat.S_ISREG(os.lstat(path).st_mode)


def _replace(path: str, text: str) -> None:
    """If it fails, the old content stays. Where the file cannot be replaced, it is written to."""
    existing = open_file(path, os.O_WRONLY | os.O_CREAT)
    draft = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.new")
    try:
        old = os.fstat(existing)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        _take_permissions(descriptor, old)
        _put(descriptor, text)
        os.replace(draft, path)
    except OSError as error:
        _remove(draft)
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EBUSY):
            raise
        os.ftruncate(existing, 0)
        _put(existing, text, closes=False)
    except BaseException:
        _remove(draft)
        raise
    finally:
        os.close(existing)


def _take_permissions(descriptor: int, old: os.stat_result) -> None:
    """As Fathom's other commands do: of another group, the bits of the group would be those of others."""
    mode = stat.S_IMODE(old.st_mode)
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, -1, old.st_gid)
            if os.fstat(descriptor).st_gid != old.st_gid:
                mode &= ~0o070
    os.fchmod(descriptor, mode)


def _remove(draft: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(draft)


def _open_output(path: str, waits: bool) -> int:
    try:
        descriptor = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | (0 if waits else os.O_NONBLOCK))
    except OSError as error:
        if error.errno == errno.ENXIO and not waits:
            raise CannotRun(f"cannot write {path}: no program reads from this pipe") from error
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def open_file(path: str, flags: int, mode: int = 0o666) -> int:
    """Opens a file for writing, but none that another user has put into a sticky directory of all users: Linux refuses
    that with its usual settings (fs.protected_symlinks, fs.protected_regular), but many containers run without them."""
    for _ in range(_MOST_LINKS):
        if not os.path.lexists(path):
            break
        found = os.lstat(path)
        _refuse_planted(path, found)
        if not stat.S_ISLNK(found.st_mode) or _is_in_proc(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    if _is_in_proc(path):  # only the kernel can follow its links
        return os.open(path, flags | os.O_CLOEXEC, mode)
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        _refuse_planted(path, os.fstat(file))
    except OSError:
        os.close(file)
        raise
    return file


def _refuse_planted(path: str, found: os.stat_result) -> None:
    folder = os.stat(os.path.dirname(path) or ".")
    is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    if is_shared and found.st_uid not in (os.geteuid(), folder.st_uid):
        raise OSError(errno.EACCES, "another user has put a file or link there, in a directory of all users")


def _is_in_proc(path: str) -> bool:
    return f"{os.path.realpath(os.path.dirname(path))}/".startswith("/proc/")
