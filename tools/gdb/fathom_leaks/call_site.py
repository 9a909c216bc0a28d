"""Finds the function that the call before a return address reaches, on x86-64."""

from __future__ import annotations

import gdb

from fathom_leaks.machine import bytes_at, word_at

_MASK = (1 << 64) - 1


def called_function(return_address: int) -> int:
    """The address of the function; 0 if the call was through a pointer or the code is not understood."""
    try:
        before = bytes_at(return_address - 6, 6)
        if before[:2] == b"\xff\x15":  # call *DISPLACEMENT(%rip): a slot of the global offset table
            return word_at((return_address + _signed(before[2:])) & _MASK)
        if before[1] != 0xE8:  # call DISPLACEMENT
            return 0
        target = (return_address + _signed(before[2:])) & _MASK
        return _through_table(target) or target
    except gdb.MemoryError:
        return 0


def _through_table(target: int) -> int:
    """The target of an entry of the procedure linkage table; 0 if it is not one."""
    code = bytes_at(target, 16)
    at = 4 if code[:4] == b"\xf3\x0f\x1e\xfa" else 0  # endbr64
    at += code[at] == 0xF2                            # bnd
    if code[at:at + 2] != b"\xff\x25":                # jmp *DISPLACEMENT(%rip)
        return 0
    return word_at((target + at + 6 + _signed(code[at + 2:at + 6])) & _MASK)


def _signed(displacement: bytes) -> int:
    return int.from_bytes(displacement, "little", signed=True)
