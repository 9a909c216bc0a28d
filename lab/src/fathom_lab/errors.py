"""Errors that users can fix."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


class LabError(Exception):
    """One sentence that says what is wrong and how to fix it. The command prints it and exits with 2."""


class CannotBuild(LabError):
    """A revision that cannot be built."""

    def __init__(self, revision: str, reason: str) -> None:
        super().__init__(f"{revision} cannot be built: {reason}")
        self.revision = revision


class NoResult(Exception):
    """A launch that produced no numbers because it crashed, hung or printed something else. The report shows the
    reason."""


def unknown(given: Iterable[str], known: Collection[str]) -> str:
    """A message about unknown keys, with suggestions."""
    guesses = {one: difflib.get_close_matches(one, known, 1) for one in sorted(given)}
    described = [f"{one} (did you mean {guess[0]}?)" if guess else one for one, guess in guesses.items()]
    return f"unknown: {', '.join(described)}; known are {', '.join(known)}"
