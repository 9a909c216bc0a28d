"""Registers and memory of GDB's selected thread."""

from __future__ import annotations

import gdb

from fathom_leaks.calls import WORD

_MASK = (1 << 64) - 1


def register(name: str) -> int:
    return int(gdb.parse_and_eval(name)) & _MASK


def word_at(address: int) -> int:
    return int.from_bytes(gdb.selected_inferior().read_memory(address, WORD), "little")
