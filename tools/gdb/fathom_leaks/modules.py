"""The files that are mapped in a process, and their symbols."""

from __future__ import annotations

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


def read_modules(pid: int) -> list[Module]:
    """The files that a process has mapped, by address; all mappings of a file are one module."""
    modules: dict[str, Module] = {}
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="backslashreplace") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(maxsplit=5)
            if len(fields) < 6 or not fields[5].startswith("/"):
                continue
            low, high = (int(end, 16) for end in fields[0].split("-"))
            known = modules.get(fields[5])
            modules[fields[5]] = Module(fields[5], min(low, known.low) if known else low, high)
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
