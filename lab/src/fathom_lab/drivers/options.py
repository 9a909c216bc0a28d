"""Parses and checks the options of contenders, and holds the checks that all drivers share."""

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
    """The options of a contender. Each is taken once; those that remain at the end are unknown."""

    def __init__(self, options: Mapping[str, Any]):
        self._left = dict(options)
        self._known: list[str] = []

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise LabError(f"{key} must be a non-empty string, not {value!r}")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of strings; numbers are converted."""
        value = self._take(key, default)
        if not isinstance(value, (list, tuple)) or not all(_plain(one) for one in value):
            raise LabError(f"{key} must be a list of strings, not {value!r}")
        return tuple(map(str, value))

    def table(self, key: str) -> dict[str, str]:
        value = self._take(key, {})
        if not isinstance(value, Mapping) or not all(_plain(one) for one in value.values()):
            raise LabError(f"{key} must be a table of strings, not {value!r}")
        return {name: str(one) for name, one in value.items()}

    def flag(self, key: str) -> bool:
        value = self._take(key, False)
        if not isinstance(value, bool):
            raise LabError(f"{key} must be true or false, not {value!r}")
        return value

    def take(self, key: str, default: Any) -> Any:
        """A value of any type; the driver checks it."""
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
    """Where and how a program runs: the options that all drivers have."""

    environment: dict[str, str]
    folder: Path | None

    @staticmethod
    def take(options: Options) -> Where:
        folder = options.text("folder", "")
        return Where(options.table("environment"), Path(folder) if folder else None)

    def missing(self, program: str) -> str:
        """Why the program cannot be started; empty if it can, or if that depends on the folder in which the lab starts
        it."""
        if "/" not in program:
            folders = self.environment.get("PATH", os.environ.get("PATH", os.defpath))
            return "" if shutil.which(program, path=folders) else f"{program} is not installed"
        path = (self.folder or Path()) / program
        if not path.is_absolute():
            return ""
        return "" if path.is_file() else f"the program {program} does not exist"

    def missing_need(self, need: str) -> str:
        """Why a required program, file or folder is missing; empty if it is there."""
        if "/" not in need:
            return self.missing(need)
        path = (self.folder or Path()) / need
        return "" if not path.is_absolute() or path.exists() else f"{need} does not exist"


def pattern(text: str, key: str) -> re.Pattern[str]:
    """Compiles a multi-line pattern: ^ and $ match at each line."""
    try:
        return re.compile(text, re.MULTILINE)
    except re.error as error:
        raise LabError(f"{key} is not a valid regular expression: {error}") from error


def check_ended_well(finished: Finished, exit_codes: tuple[int, ...] = (0,)) -> None:
    """Raises NoResult, with how the process ended and its last line, unless it succeeded."""
    if not finished.timed_out and finished.exit_code in exit_codes:
        return
    words = finished.last_words()
    raise NoResult(finished.ending() + (f": {words}" if words else ""))


def check_time(seconds: float, name: str) -> float:
    """Raises NoResult for an impossible time."""
    if not math.isfinite(seconds) or seconds <= 0:
        raise NoResult(f"it reported {seconds:g} s as {name}")
    return seconds


def _plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)
