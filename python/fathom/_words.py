"""Keyword arguments as words of the command line: one table of options serves both."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Paths = Path | Iterable[Path]
Moment = str | datetime.date | datetime.datetime | datetime.timedelta
Words = str | Iterable[str]

# Options whose values are one list, separated by commas.
_JOINED = ("type", "ext")


def path_list(paths: Paths) -> list[str]:
    """The paths as text, with bytes that are not UTF-8 as os.fsdecode() writes them."""
    one = (str, bytes, os.PathLike)
    return [os.fsdecode(path) for path in ([paths] if isinstance(paths, one) else paths)]


def words(options: Mapping[str, object]) -> list[str]:
    """`{"no_hidden": True, "exclude": ["*.o"]}` as `["--no-hidden", "--exclude=*.o"]`."""
    made: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            made.append(flag)
        elif isinstance(value, (list, tuple, set, frozenset)):
            items = [_text(item) for item in value]
            if name in _JOINED:
                items = [",".join(items)] if items else []
            made.extend(f"{flag}={item}" for item in items)
        else:
            made.append(f"{flag}={_text(value)}")
    return made


def _text(value: object) -> str:
    if isinstance(value, datetime.datetime):
        return f"@{int(value.timestamp())}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"{int(value.total_seconds())}s"
    if isinstance(value, (bytes, os.PathLike)):
        return os.fsdecode(value)
    return str(value)
