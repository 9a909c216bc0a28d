"""Takes the options of a contender apart, and says what is wrong with them. Also what all drivers ask of a program."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom_lab.errors import LabError, NoResult, unknown
from fathom_lab.process import Finished


class Options:
    """Each option is taken once; what is left at the end is unknown."""

    def __init__(self, options: Mapping[str, Any]):
        self._left = dict(options)
        self._known: list[str] = []

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise LabError(f"{key} must be a string that is not empty, and is {value!r}")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of strings; numbers become such."""
        value = self._take(key, default)
        if not isinstance(value, (list, tuple)) or not all(_plain(one) for one in value):
            raise LabError(f"{key} must be a list of strings, and is {value!r}")
        return tuple(map(str, value))

    def table(self, key: str) -> dict[str, str]:
        value = self._take(key, {})
        if not isinstance(value, Mapping) or not all(_plain(one) for one in value.values()):
            raise LabError(f"{key} must be a table of strings, and is {value!r}")
        return {name: str(one) for name, one in value.items()}

    def flag(self, key: str) -> bool:
        value = self._take(key, False)
        if not isinstance(value, bool):
            raise LabError(f"{key} must be true or false, and is {value!r}")
        return value

    def take(self, key: str, default: Any) -> Any:
        """Of any kind; the driver checks it."""
        return self._take(key, default)

    def end(self) -> None:
        if self._left:
            raise LabError(unknown(self._left, self._known))

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        value = self._left.pop(key, default)
        if value is None:
            raise LabError(f"{key} is missing")
        return value


@dataclasses.dataclass(frozen=True)
class Where:
    """Where a program runs: options that all drivers have."""

    environment: dict[str, str]
    folder: Path | None

    @staticmethod
    def take(options: Options) -> Where:
        folder = options.text("folder", "")
        return Where(options.table("environment"), Path(folder) if folder else None)

    def missing(self, program: str) -> str:
        """Why it cannot be started; empty if it can, or if that depends on where the lab starts it."""
        if "/" not in program:
            folders = self.environment.get("PATH", os.environ.get("PATH", os.defpath))
            return "" if shutil.which(program, path=folders) else f"{program} is not installed"
        path = (self.folder or Path()) / program
        if not path.is_absolute():
            return ""
        return "" if path.is_file() else f"there is no program {program}"

    def missing_need(self, need: str) -> str:
        """The same of a program, or of a file or a folder to work on."""
        if "/" not in need:
            return self.missing(need)
        path = (self.folder or Path()) / need
        return "" if not path.is_absolute() or path.exists() else f"there is no {need}"


def pattern(text: str, key: str) -> re.Pattern[str]:
    """Over lines: ^ and $ are the ends of each."""
    try:
        return re.compile(text, re.MULTILINE)
    except re.error as error:
        raise LabError(f"{key} is no regular expression: {error}") from error


def check_ended_well(finished: Finished, exit_codes: tuple[int, ...] = (0,)) -> None:
    """Raises NoResult with how it ended, and its last line."""
    if not finished.timed_out and finished.exit_code in exit_codes:
        return
    words = finished.last_words()
    raise NoResult(finished.ending() + (f": {words}" if words else ""))


def check_time(seconds: float, name: str) -> float:
    """Raises NoResult for what no time can be."""
    if not math.isfinite(seconds) or seconds <= 0:
        raise NoResult(f"it reported {seconds:g} s as {name}")
    return seconds


def _plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)
