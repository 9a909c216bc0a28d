"""What GDB knows about its programs: registers and memory of the selected thread, names, ends."""

from __future__ import annotations

import os
from collections.abc import Callable

import gdb

from fathom_leaks.calls import ARGUMENT_REGISTERS, PROGRAM_COUNTER, RESULT_REGISTER, WORD

SYSTEM_CALL = b"\x0f\x05"  # the instruction

_MASK = (1 << 64) - 1
_CHANGED = (PROGRAM_COUNTER, RESULT_REGISTER, *ARGUMENT_REGISTERS, "$rcx", "$r11")


def register(name: str) -> int:
    return int(gdb.parse_and_eval(name)) & _MASK


def bytes_at(address: int, size: int) -> bytes:
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word_at(address: int) -> int:
    return int.from_bytes(bytes_at(address, WORD), "little")


def selected_thread() -> int:
    return int(gdb.selected_thread().ptid[1])


def set_register(name: str, value: int) -> None:
    gdb.execute(f"set var {name} = {value:#x}", to_string=True)


def system_call(number: int, *arguments: int) -> int:
    """Lets the selected thread make a system call where it is, and returns the result."""
    inferior = gdb.selected_inferior()
    before = {name: register(name) for name in _CHANGED}
    code = bytes_at(before[PROGRAM_COUNTER], len(SYSTEM_CALL))
    inferior.write_memory(before[PROGRAM_COUNTER], SYSTEM_CALL)
    try:
        for name, value in zip((RESULT_REGISTER, *ARGUMENT_REGISTERS), (number, *arguments)):
            set_register(name, value)
        gdb.execute("stepi", to_string=True)
        return register(RESULT_REGISTER)
    finally:
        inferior.write_memory(before[PROGRAM_COUNTER], code)
        for name, value in before.items():
            set_register(name, value)


def text_of(read: Callable[[], str | None]) -> str | None:
    """What GDB returns, also if it fails to decode it because it is not UTF-8."""
    try:
        return read()
    except UnicodeDecodeError as error:
        return os.fsdecode(error.object)


def file_of(space: gdb.Progspace | gdb.Objfile) -> str:
    """The path of its file; "" if it has none."""
    return text_of(lambda: space.filename) or ""


def program_of(inferior: gdb.Inferior) -> str:
    return file_of(inferior.progspace) or f"process {inferior.pid}"


def how_it_ended(event: gdb.ExitedEvent) -> tuple[str, int]:
    """As the trace has it: "exit" or "signal", and the code or the signal's number; or "left", if GDB killed it or let
    it go."""
    if hasattr(event, "exit_code"):
        return "exit", int(event.exit_code)
    number = gdb.convenience_variable("_exitsignal")
    return ("signal", int(number)) if number is not None else ("left", 0)
