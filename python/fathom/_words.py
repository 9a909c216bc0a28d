"""Keyword arguments as words of the command line: one table of options serves both."""

from __future__ import annotations

import datetime
import math
import operator
import os
import re
from collections.abc import Iterable, Mapping

from fathom._errors import UsageError

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Paths = Path | Iterable[Path]
Moment = str | datetime.date | datetime.datetime | datetime.timedelta
Words = str | Iterable[str]

# Options whose values are one list, separated by commas.
_JOINED = ("type", "ext")
# Options that are true or false.
_SWITCHES = ("exclude_caches", "exclude_kernfs", "no_hidden", "one_file_system", "apparent_size", "empty", "drop_cache")
_ONE = (str, bytes, os.PathLike)


def path_list(paths: Paths) -> list[str]:
    """The paths as text, with bytes that are not UTF-8 as os.fsdecode() writes them."""
    return [os.fsdecode(path) for path in ([paths] if isinstance(paths, _ONE) else paths)]


def file_list(paths: Paths) -> list[str]:
    """The same of files that are read again by a later scan, which may be in another directory."""
    return [path if path in ("", "-") else from_anywhere(path) for path in path_list(paths)]  # those are refused


def from_anywhere(path: str) -> str:
    """The path as a call from another directory finds it. Keeps `..`, which after a link is not what the text suggests.

    As the command does it, because snapshots are compared by the options that they keep."""
    try:
        return os.path.join(os.getcwd(), re.sub(r"^(\./+)+", "", path))
    except OSError:  # the directory is removed
        return path


def root_list(paths: Paths) -> list[str]:
    """The same of paths to scan. The command would take the current directory for none."""
    roots = path_list(paths)
    if not roots:
        raise UsageError("there are no paths; for the current directory, use '.'")
    return roots


def words(options: Mapping[str, object]) -> list[str]:
    """`{"no_hidden": True, "exclude": ["*.o"]}` as `["--no-hidden", "--exclude=*.o"]`."""
    made: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name in _SWITCHES:
            if value not in (True, False, None):
                raise UsageError(f"argument '{name}' takes True or False, not {value!r}")
            if value:
                made.append(flag)
        elif value is True or value is False:
            raise UsageError(f"argument '{name}' needs a value, not {value!r}")
        elif isinstance(value, Iterable) and not isinstance(value, _ONE):
            items = [_text(item) for item in value]
            if name in _JOINED:
                items = [",".join(items)] if items else []
            made.extend(f"{flag}={item}" for item in items)
        elif value is not None:
            made.append(f"{flag}={_text(value)}")
    return made


def shown(path: str) -> str:
    """The path as a message shows it, with control characters and bytes that are not UTF-8 escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)


def natural(name: str, number: int) -> int:
    """The number as the extension takes it; more than it can count is all."""
    if operator.index(number) < 0:
        raise UsageError(f"argument '{name}' takes a number from 0, not {number}")
    return min(operator.index(number), 2**63 - 1)


def _seconds(moment: datetime.datetime) -> float:
    """Since the epoch."""
    try:
        return moment.timestamp()
    except (ValueError, OverflowError, OSError) as error:  # the first and last ones, in some time zones
        raise UsageError(f"{moment} cannot be counted in seconds since 1970: {error}") from None


def _text(value: object) -> str:
    if isinstance(value, datetime.datetime):
        return f"@{math.ceil(_seconds(value))}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"{math.ceil(value.total_seconds())}s"
    if isinstance(value, (bytes, os.PathLike)):
        return os.fsdecode(value)
    return str(value)
