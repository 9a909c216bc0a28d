"""Errors that users can fix, and messages about names."""

from __future__ import annotations

import os
import shlex


class FleetError(Exception):
    """One sentence that says what is wrong. The command prints it and exits with 2."""


class Interrupted(Exception):
    """The user ended the run. The command exits with 130."""


def shown(text: str) -> str:
    """The text as a message shows it, with control characters and bytes that are not UTF-8 escaped."""
    return "".join(_escaped(c) for c in text)


def shell_word(text: str) -> str:
    """The text as a word of a command in a message: a shell makes the same bytes of it."""
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(c if c.isprintable() and c not in "'\\" else _in_hexadecimal(c) for c in text) + "'"


def _in_hexadecimal(c: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(c))


def _escaped(c: str) -> str:
    if c.isprintable():
        return c
    if 0xDC80 <= ord(c) <= 0xDCFF:  # how os.fsdecode() writes a byte that is not UTF-8
        return f"\\x{ord(c) - 0xDC00:02x}"
    return c.encode("unicode_escape").decode()
