"""Reads the function symbols of 64-bit ELF files, which GDB does not report for stripped libraries."""

from __future__ import annotations

import bisect
import struct
from dataclasses import dataclass, field
from typing import BinaryIO

ET_EXEC = 2
PT_LOAD = 1
PT_GNU_EH_FRAME = 0x6474E550
SHT_SYMTAB = 2
SHT_DYNSYM = 11
STT_FUNC = 2


@dataclass(frozen=True)
class Section:
    kind: int
    offset: int
    size: int
    link: int


@dataclass
class Elf:
    """The functions that a file defines. Addresses are as linked: see modules.py for those of a process."""

    fixed: bool = False  # linked for fixed addresses
    first_page: int = 0  # the page of the lowest loaded address
    unwind_table: int = 0  # .eh_frame_hdr; 0: none
    functions: dict[str, int] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list)
    _extents: list[tuple[int, int, list[str]]] = field(default_factory=list)

    def names_at(self, address: int) -> list[str]:
        """All names of the function that contains this address."""
        at = bisect.bisect_right(self._starts, address) - 1
        if at < 0:
            return []
        start, size, names = self._extents[at]
        return names if address < start + max(size, 1) else []


def read_elf(path: str) -> Elf | None:
    """Reads a file. None if it does not exist or is not a 64-bit little-endian ELF file."""
    try:
        with open(path, "rb") as file:
            return _read(file)
    except (OSError, struct.error, ValueError):
        return None


def _read(file: BinaryIO) -> Elf | None:
    header = file.read(64)
    if header[:6] != b"\x7fELF\x02\x01":  # 64 bits, little endian
        return None
    kind, = struct.unpack_from("<H", header, 16)
    segments_at, sections_at = struct.unpack_from("<QQ", header, 32)
    segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", header, 54)
    elf = Elf(fixed=kind == ET_EXEC)
    segments = _table(file, segments_at, segment_size, segment_count)
    elf.first_page = min(_starts(segments, PT_LOAD), default=0) & ~0xFFF
    elf.unwind_table = min(_starts(segments, PT_GNU_EH_FRAME), default=0)
    sections = [_section(entry) for entry in _table(file, sections_at, section_size, section_count)]
    extents: dict[int, tuple[int, list[str]]] = {}
    for section in sections:
        if section.kind in (SHT_SYMTAB, SHT_DYNSYM) and section.link < len(sections):
            _add_functions(file, section, sections[section.link], elf, extents)
    elf._starts = sorted(extents)
    elf._extents = [(start, *extents[start]) for start in elf._starts]
    return elf


def _table(file: BinaryIO, offset: int, size: int, count: int) -> list[bytes]:
    file.seek(offset)
    return [file.read(size) for _ in range(count)]


def _section(entry: bytes) -> Section:
    _, kind, _, _, offset, size, link = struct.unpack_from("<IIQQQQI", entry)
    return Section(kind, offset, size, link)


def _starts(segments: list[bytes], kind: int) -> list[int]:
    return [struct.unpack_from("<Q", s, 16)[0] for s in segments if struct.unpack_from("<I", s)[0] == kind]


def _add_functions(file: BinaryIO, symbols: Section, strings: Section, elf: Elf,
                   extents: dict[int, tuple[int, list[str]]]) -> None:
    file.seek(strings.offset)
    text = file.read(strings.size)
    file.seek(symbols.offset)
    for name_at, info, _, place, value, size in struct.iter_unpack("<IBBHQQ", file.read(symbols.size // 24 * 24)):
        if info & 15 != STT_FUNC or place == 0:  # place 0: undefined, only used here
            continue
        name = text[name_at:text.index(b"\0", name_at)].decode("utf-8", "backslashreplace").partition("@")[0]
        elf.functions.setdefault(name, value)
        longest, names = extents.get(value, (0, []))
        if name not in names:
            names.append(name)
        extents[value] = (max(size, longest), names)
