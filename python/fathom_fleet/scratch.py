"""Scratch: the temporary directory of a worker. If the worker is killed, the next one of its user there removes it.

    TMP/fathom-fleet-HOST-XXXXXXXX/    locked with flock(2) by its worker as long as that runs

Other users may put anything under such a name into TMP, and hosts may share TMP without sharing locks.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import socket
import stat
import tempfile
import urllib.parse
from collections.abc import Iterator

_PREFIX = "fathom-fleet-"


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """A new directory, for as long as this runs."""
    path = tempfile.mkdtemp(prefix=_PREFIX)
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # It gets the name of a leftover only when it is locked; without a lock, it keeps the other one.
        with contextlib.suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            named = os.path.join(os.path.dirname(path), _prefix_here() + path.rpartition("-")[2])
            os.rename(path, named)
            path = named
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(opened)


def remove_leftovers() -> None:
    """Removes the directories of this user's workers on this host that no longer run."""
    place = tempfile.gettempdir()
    is_leftover = re.compile(re.escape(_prefix_here()) + "[a-z0-9_]+").fullmatch
    with contextlib.suppress(OSError):
        if _only_we_rename_ours_in(place):
            for name in filter(is_leftover, os.listdir(place)):
                _remove_unless_locked(os.path.join(place, name))


def _prefix_here() -> str:
    host = urllib.parse.quote(os.fsencode(socket.gethostname()), safe="")  # a name can be any bytes
    return f"{_PREFIX}{host}-"


def _only_we_rename_ours_in(place: str) -> bool:
    """Otherwise, another user could give the name of a leftover to another directory of ours."""
    status = os.stat(place)
    others_write = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX
    return status.st_uid in (0, os.geteuid()) and not others_write


def _remove_unless_locked(path: str) -> None:
    with contextlib.suppress(OSError):
        opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(opened).st_uid == os.geteuid():
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(opened)
