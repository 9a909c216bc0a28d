"""Parses and checks the options of contenders, and holds the checks that all drivers share."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from fathom_lab.errors import NoResult
from fathom_lab.process import Finished
from fathom_lab.schema import InvalidValue, Text, doc


@attrs.frozen(kw_only=True)
class Options:
    """Where and how a program runs: the options that all drivers have. Each driver adds its own in a subclass."""

    folder: Text = attrs.field(default=Text(""), metadata=doc(
        "the working directory; a relative path begins at the project's folder", default="the project's folder"))
    environment: Mapping[str, Text] = attrs.field(factory=dict, metadata=doc("variables added to the lab's own"))

    def place(self) -> Path | None:
        return Path(self.folder) if self.folder else None

    def missing(self, program: str) -> str:
        """Why the program cannot be started; empty if it can, or if that depends on the folder in which the lab starts
        it."""
        if "/" not in program:
            folders = self.environment.get("PATH", os.environ.get("PATH", os.defpath))
            return "" if shutil.which(program, path=folders) else f"{program} is not installed"
        path = Path(self.folder) / program
        if not path.is_absolute():
            return ""
        return "" if path.is_file() else f"the program {program} does not exist"

    def missing_need(self, need: str) -> str:
        """Why a required program, file or folder is missing; empty if it is there."""
        if "/" not in need:
            return self.missing(need)
        path = Path(self.folder) / need
        return "" if not path.is_absolute() or path.exists() else f"{need} does not exist"


def pattern(text: Any) -> re.Pattern[str] | None:
    """Compiles a multi-line pattern: ^ and $ match at each line. Raises InvalidValue."""
    if not isinstance(text, str):
        raise InvalidValue(f"must be a string, not {text!r}")
    try:
        return re.compile(text, re.MULTILINE) if text else None
    except re.error as error:
        raise InvalidValue(f"is not a valid regular expression: {error}") from error


def check_ended_well(finished: Finished, exit_codes: tuple[int, ...] = (0,)) -> None:
    """Raises NoResult, with how the process ended and its last line, unless it succeeded."""
    if not finished.timed_out and finished.exit_code in exit_codes:
        return
    line = finished.summary_line()
    raise NoResult(finished.ending() + (f": {line}" if line else ""))


def check_time(seconds: float, name: str) -> float:
    """Raises NoResult for an impossible time."""
    if not math.isfinite(seconds) or seconds <= 0:
        raise NoResult(f"it reported {seconds:g} s as {name}")
    return seconds
