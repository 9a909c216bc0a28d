"""What goes wrong in ways that a user can mend."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


class LabError(Exception):
    """One sentence that says what is wrong and what to do. The command prints it and exits with 2."""


class NoResult(Exception):
    """A launch that gave no numbers: it crashed, hung, printed something else. The reason is for the report."""


def unknown(given: Iterable[str], known: Collection[str]) -> str:
    """A sentence on keys that nobody knows, and what may have been meant."""
    guesses = {one: difflib.get_close_matches(one, known, 1) for one in sorted(given)}
    told = [f"{one} (did you mean {guess[0]}?)" if guess else one for one, guess in guesses.items()]
    return f"unknown: {', '.join(told)}; there are {', '.join(known)}"
