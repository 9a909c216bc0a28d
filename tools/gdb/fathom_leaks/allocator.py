"""Finds the functions to which a program's calls of malloc and related functions go."""

from __future__ import annotations

import os
from dataclasses import dataclass

import gdb

from fathom_leaks.calls import FREE, GIVERS, LEAVERS
from fathom_leaks.machine import file_of
from fathom_leaks.modules import address_in_process, elf_of, read_modules
from fathom_leaks.starter import STARTERS

_NAMES = (*(call.name for call in GIVERS), FREE.name, *LEAVERS, *STARTERS)


@dataclass(frozen=True)
class Allocator:
    path: str                  # the file that defines malloc
    functions: dict[str, int]  # the address of each function


def find_allocator(inferior: gdb.Inferior) -> Allocator | None:
    """Resolves names like the dynamic linker: the first file in its order that defines a name. None if malloc is not
    loaded yet."""
    modules = {os.path.realpath(module.path): module for module in read_modules(inferior.pid)}
    path = ""
    functions: dict[str, int] = {}
    for objfile in inferior.progspace.objfiles():
        module = modules.get(os.path.realpath(file_of(objfile)))
        elf = elf_of(module.path) if module is not None else None
        if module is None or elf is None or os.path.basename(module.path).startswith("ld-"):
            continue
        for name in _NAMES:
            if name in elf.functions and name not in functions:
                functions[name] = address_in_process(module, elf.functions[name])
        if "malloc" in functions and not path:
            path = module.path
    return Allocator(path, functions) if "malloc" in functions and "free" in functions else None
