"""Finds out whether the program says how to unwind its stack at an address: the table .eh_frame_hdr of its files.

Compilers write it for each function. For other code, such as assembly, GDB guesses, and may be wrong."""

from __future__ import annotations

import struct

import gdb

from fathom_leaks.machine import bytes_at
from fathom_leaks.modules import Module, address_in_process, elf_of

_KNOWN_FORM = b"\x01\x1b\x03\x3b"  # version 1; 32-bit offsets from here, a 32-bit count, 32-bit offsets from the table
_HEADER, _ENTRY = 12, 8


def is_described(module: Module, address: int) -> bool:
    elf = elf_of(module.path)
    if elf is None or elf.unwind_table == 0:
        return False
    try:
        return _covers(address_in_process(module, elf.unwind_table), address)
    except gdb.MemoryError:
        return False


def _covers(table: int, address: int) -> bool:
    header = bytes_at(table, _HEADER)
    if header[:4] != _KNOWN_FORM:
        return False
    low, high = 0, struct.unpack_from("<I", header, 8)[0]
    while low < high:  # the first entry beyond the address
        middle = (low + high) // 2
        if table + _entry(table, middle)[0] > address:
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return False
    start, description = _entry(table, low - 1)
    size, = struct.unpack("<I", bytes_at(table + description + 12, 4))  # after its length, common part and start
    return address < table + start + int(size)


def _entry(table: int, index: int) -> tuple[int, int]:
    """The start of a range of code and its description, as offsets from the table."""
    start, description = struct.unpack("<ii", bytes_at(table + _HEADER + index * _ENTRY, _ENTRY))
    return int(start), int(description)
