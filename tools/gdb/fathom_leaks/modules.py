"""The files that are mapped in a process, and their symbols."""

from __future__ import annotations

import os
from dataclasses import dataclass

from fathom_leaks.elf import Elf, read_elf


@dataclass(frozen=True)
class Module:
    path: str
    low: int
    high: int


_elves: dict[str, Elf | None] = {}


def elf_of(path: str) -> Elf | None:
    if path not in _elves:
        _elves[path] = read_elf(path)
    return _elves[path]


def read_maps(pid: int) -> list[tuple[int, int, str]]:
    """The parts of a process's address space by address: low, high, and the file or the kernel's name, or ""."""
    with open(f"/proc/{pid}/maps", "rb") as lines:
        split = [os.fsdecode(line).rstrip("\n").split(maxsplit=5) for line in lines]
    ends = [fields[0].partition("-") for fields in split]
    return [(int(low, 16), int(high, 16), fields[5] if len(fields) > 5 else "")
            for (low, _, high), fields in zip(ends, split)]


def read_modules(pid: int) -> list[Module]:
    """The files that a process has mapped, by address; all mappings of a file are one module."""
    modules: dict[str, Module] = {}
    for low, high, name in read_maps(pid):
        if name.startswith("/"):
            known = modules.get(name)
            modules[name] = Module(name, known.low if known else low, high)
    return sorted(modules.values(), key=lambda module: module.low)


def linked_address(module: Module, address: int) -> int:
    """Converts an address of the process to the address as linked, which addr2line and objdump expect."""
    elf = elf_of(module.path)
    if elf is not None and elf.fixed:
        return address
    return address - module.low + (elf.first_page if elf is not None else 0)


def address_in_process(module: Module, linked: int) -> int:
    elf = elf_of(module.path)
    if elf is not None and elf.fixed:
        return linked
    return linked + module.low - (elf.first_page if elf is not None else 0)
