"""Collects stacks of the stopped program: each is written to the trace once, with the meaning of its addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gdb

from fathom_leaks.call_site import called_function
from fathom_leaks.calls import FRAME_REGISTER, PROGRAM_COUNTER, STACK_REGISTER, WORD
from fathom_leaks.machine import register, text_of
from fathom_leaks.modules import Module, elf_of, linked_address, read_modules
from fathom_leaks.ownership import is_c_library, is_runtime
from fathom_leaks.trace import TraceWriter
from fathom_leaks.unwinding import is_described

_MOST_TO_READ = 1 << 16
_MOST_SEEN = 8


@dataclass(frozen=True)
class Seen:
    """A stack as it was in memory: the location of each return address. GDB needs about 100 microseconds to walk a
    stack. If the stack pointer and all return addresses are the same, so are the functions, because each return
    address determines the size of the frame there. The frame register is compared, too, for functions whose frames
    vary."""

    number: int
    slots: tuple[tuple[int, bytes], ...]  # offset from the stack pointer, return address

    @property
    def extent(self) -> int:
        return max((offset for offset, _ in self.slots), default=0) + WORD

    def is_still(self, inferior: gdb.Inferior, top: int) -> bool:
        try:
            memory = bytes(inferior.read_memory(top, self.extent))
        except gdb.MemoryError:
            return False
        return all(memory[offset:offset + WORD] == address for offset, address in self.slots)


class Stacks:
    """Numbers stacks. GDB is queried for the meaning of a stack when it is first seen, which is rare and slow; after
    that only its addresses are collected."""

    def __init__(self, trace: TraceWriter, depth: int) -> None:
        self._trace = trace
        self._depth = depth
        self._frames: dict[tuple[Any, ...], int] = {}
        self._stacks: dict[tuple[int, ...], int] = {}
        self._seen: dict[tuple[int, ...], list[Seen]] = {}
        self._described: dict[int, bool] = {}
        self._in_runtime: dict[int, bool] = {}
        self._next = 0
        self._modules: list[Module] = []

    def forget(self) -> None:
        """Drops everything known about addresses: a library was loaded or unloaded, or another program runs."""
        self._stacks.clear()
        self._seen.clear()
        self._described.clear()
        self._in_runtime.clear()
        self._modules = []

    def take(self) -> int:
        """The number of the stack of the selected thread, which is at the first instruction of a function."""
        top, base, pc = (register(name) for name in (STACK_REGISTER, FRAME_REGISTER, PROGRAM_COUNTER))
        inferior = gdb.selected_inferior()
        seen = self._seen.setdefault((inferior.num, pc, top, base), [])
        for candidate in seen:
            if candidate.is_still(inferior, top):
                return candidate.number
        addresses: list[int] = []
        tops = []
        frame: gdb.Frame | None = gdb.newest_frame()
        while frame is not None and (len(addresses) < self._depth or not self._reach_program(addresses)):
            addresses.append(frame.pc())
            tops.append(int(frame.read_register(STACK_REGISTER[1:])))
            frame = frame.older()
        key = tuple(addresses)
        known = self._stacks.get(key)
        number = known if known is not None else self._add(key, frame is None)
        fresh = Seen(number, tuple((each - WORD - top, address.to_bytes(WORD, "little"))
                                   for each, address in zip(tops[1:], addresses[1:])))
        if fresh.extent <= _MOST_TO_READ and len(seen) < _MOST_SEEN and fresh.is_still(inferior, top):
            seen.append(fresh)
        return number

    def _reach_program(self, addresses: list[int]) -> bool:
        """Whether the caller of the libraries is among the frames; see `cut` in ownership.py."""
        return not all(self._is_in_runtime(address) for address in addresses[1:])

    def _is_in_runtime(self, address: int) -> bool:
        known = self._in_runtime.get(address)
        if known is None:
            known = self._in_runtime[address] = is_runtime(self._path_of(address))
        return known

    def contains(self, location: int) -> bool:
        """Whether the selected thread is still in the function whose return address is at this location. True if that
        is uncertain, because GDB would have to guess how to unwind."""
        frame: gdb.Frame | None = gdb.newest_frame()
        while frame is not None:
            top = int(frame.read_register(STACK_REGISTER[1:]))
            if top > location:
                return top == location + WORD
            address = frame.pc() - (1 if frame.level() > 0 else 0)  # a call may be a function's last instruction
            if not self._is_described(address):
                return True
            frame = frame.older()
        return True

    def _is_described(self, address: int) -> bool:
        known = self._described.get(address)
        if known is None:
            module = self._module_of(address)
            known = self._described[address] = module is not None and is_described(module, address)
        return known

    def _add(self, key: tuple[int, ...], whole: bool) -> int:
        frames = []
        frame: gdb.Frame | None = gdb.newest_frame()
        for address in key:
            assert frame is not None, "the addresses are those of the frames"
            frames.append(self._number(frame, address))
            frame = frame.older()
        number = self._next
        self._next += 1
        self._stacks[key] = number
        self._trace.write("stack", number, frames, whole, self._entered(key, is_c_library),
                          self._entered(key, is_runtime))
        return number

    def _entered(self, addresses: tuple[int, ...], is_inside: Callable[[str | None], bool]) -> list[str]:
        """The exported names of the library's function that was called from outside. Its own frame may be missing in
        the stack, because fopen, for example, jumps to another function that does the work; the call instruction
        still identifies it."""
        outside = 1
        while outside < len(addresses) and is_inside(self._path_of(addresses[outside])):
            outside += 1
        if outside == 1 or outside == len(addresses) or self._path_of(addresses[outside]) is None:
            return []
        target = called_function(addresses[outside])
        module = self._module_of(target) if target else None
        if module is None:
            return []
        elf = elf_of(module.path)
        return elf.names_at(linked_address(module, target)) if elf is not None else []

    def _path_of(self, address: int) -> str | None:
        module = self._module_of(address)
        return module.path if module is not None else None

    def _number(self, frame: gdb.Frame, address: int) -> int:
        place = frame.find_sal()
        file = text_of(place.symtab.fullname) if place.symtab is not None else None
        line = place.line if file is not None else 0
        path, offset, exports = self._in_module(address, frame.level() > 0)
        described = (text_of(frame.name), file, line, path, offset, exports)
        known = self._frames.get(described)
        if known is None:
            known = self._frames[described] = len(self._frames)
            self._trace.write("frame", known, *described)
        return known

    def _in_module(self, address: int, returns_to: bool) -> tuple[str | None, int, tuple[str, ...]]:
        module = self._module_of(address)
        if module is None:
            return None, address, ()
        offset = linked_address(module, address)
        elf = elf_of(module.path)
        # A call may be the last instruction of a function; then the address after it belongs to another function.
        exports = elf.names_at(offset - (1 if returns_to else 0)) if elf is not None else []
        return module.path, offset, tuple(exports)

    def _module_of(self, address: int) -> Module | None:
        for fresh in (False, True):
            if fresh:
                self._modules = read_modules(gdb.selected_inferior().pid)
            for module in self._modules:
                if module.low <= address < module.high:
                    return module
        return None
