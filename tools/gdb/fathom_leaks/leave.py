"""A breakpoint that stops a program before it becomes another one."""

from __future__ import annotations

import gdb

from fathom_leaks.calls import ARGUMENT_REGISTERS, EXECVE, EXECVEAT
from fathom_leaks.machine import register


class Leave(gdb.Breakpoint):
    def __init__(self, name: str, address: int) -> None:
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self.was_hit = False
        self.name = name

    def stop(self) -> bool:
        self.was_hit = self.name != "syscall" or register(ARGUMENT_REGISTERS[0]) in (EXECVE, EXECVEAT)
        return self.was_hit
