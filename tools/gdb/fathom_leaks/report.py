"""Writes the findings as text that fits a screen, and as JSON."""

from __future__ import annotations

import base64
import json
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom_leaks.findings import Group, ProcessFindings, called
from fathom_leaks.frame import Frame
from fathom_leaks.heap import REALLOCATING, BadFree, Heap, Process
from fathom_leaks.options import Options
from fathom_leaks.ownership import is_c_library, is_runtime

SCHEMA = "fathom.leaks/1"
_NARROWEST = 24
_FAULTS = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGSYS)


def _here() -> str:
    """The current directory, with a slash at the end; "" if it was removed."""
    try:
        return os.getcwd() + "/"
    except OSError:
        return ""


@dataclass(frozen=True)
class View:
    """How much the text report shows."""

    width: int
    groups: int  # of each process; 0: all
    frames: int  # of each stack; 0: all
    here: str = field(default_factory=_here)  # paths are shown without it


@dataclass(frozen=True)
class Report:
    options: Options
    heap: Heap
    processes: tuple[ProcessFindings, ...]

    @property
    def bytes(self) -> int:
        return sum(process.bytes for process in self.processes)

    @property
    def blocks(self) -> int:
        return sum(process.blocks for process in self.processes)

    @property
    def bad_frees(self) -> int:
        return sum(len(process.process.bad_frees) for process in self.processes)

    @property
    def not_followed(self) -> int:
        """The number of children."""
        return sum(len(found.process.children) for found in self.processes)

    @property
    def found(self) -> bool:
        return self.blocks > 0 or self.bad_frees > 0

    @property
    def crashed(self) -> list[ProcessFindings]:
        """Processes that crashed: killed by a signal, but not children that were merely terminated."""
        return [found for found in self.processes if found.process.ended == "signal" and
                (found.process.started != "fork" or found.process.code in _FAULTS)]

    @property
    def unfinished(self) -> bool:
        """Whether a process was still running, or was lost before it ended."""
        return any(found.process.ended in ("", "left") for found in self.processes)

    def caveats(self) -> list[str]:
        """Limitations of these figures."""
        options = self.options
        lines = []
        if options.sample_bytes > 0:
            lines.append(f"only one allocation per {counted(options.sample_bytes)} requested bytes was followed, which "
                         "favours large blocks; double and foreign frees are not detected")
        elif options.sample > 1:
            lines.append(f"only every {_ordinal(options.sample)} allocation was followed: there may be about "
                         f"{counted(options.sample)} times as many blocks; double and foreign frees are not "
                         "detected")
        if options.start_at and self.heap.begun:
            lines.append(f"followed from {options.start_at} on: foreign frees are not detected")
        if options.start_at and not self.heap.begun:
            lines.append(f"{options.start_at} was never reached, so nothing was followed")
        if options.stop_at and self.heap.paused:
            lines.append(f"followed until {options.stop_at}: these blocks were allocated then, and may be freed later")
        return lines + self._without_names() + self._without_children() + self.heap.notes

    def _without_children(self) -> list[str]:
        """Notes about children that were not followed."""
        lines = []
        if self.not_followed:
            were, its = ("child was", "its") if self.not_followed == 1 else ("children were", "their")
            lines.append(f"{counted(self.not_followed)} {were} not followed: {its} leaks and invalid frees are not in "
                         "this report")
        return lines + [_of_shared_memory(found.process) for found in self.processes
                        if found.process.unknown_frees or any(child.may_allocate for child in found.process.children)]

    def _without_names(self) -> list[str]:
        """Notes about files of the program without debug information or without symbols."""
        frames = {(frame.module, frame) for process in self.processes for leak in process.leaks
                  for frame in leak.frames if frame.module is not None and not is_runtime(frame.module)}
        stripped = {module for module, frame in frames if frame.function is None}
        lineless = {module for module, frame in frames if frame.line == 0 and frame.function is not None} - stripped
        lines = [f"{module} has no symbols, so its stacks show offsets (for addr2line -e); build it with -g, and do "
                 "not strip it" for module in sorted(stripped)]
        return lines + [f"{module} has no debug information, so stacks lack line numbers; build it with -g"
                        for module in sorted(lineless)]

    def as_json(self) -> dict[str, Any]:
        options = self.options
        sampling = {"every": options.sample, "bytes": options.sample_bytes}
        return {"schema": SCHEMA, "command": list(options.command),
                "sampling": None if options.follows_all else sampling,
                "start_at": options.start_at or None, "stop_at": options.stop_at or None,
                "leaked": {"bytes": self.bytes, "blocks": self.blocks}, "bad_frees": self.bad_frees,
                "not_followed": self.not_followed,
                "notes": self.caveats(), "processes": [process.as_json() for process in self.processes]}


def _of_shared_memory(process: Process) -> str:
    name = f"{os.path.basename(process.program)} (process {process.pid})"
    frees = process.unknown_frees
    return (f"the memory of {name} was shared with children of vfork: a block that they freed is reported as a leak; "
            "foreign frees after that are not detected" +
            (f" ({numbered(frees, 'free')} of a block that is not known)" if frees else ""))


def write_json(report: Report) -> str:
    table = report.as_json()
    table["notes"] = [printable(note) for note in table["notes"]]
    return json.dumps(_with_bytes(table), indent=2) + "\n"


def _with_bytes(value: Any) -> Any:
    """As strict readers take it: a name that is not UTF-8 has U+FFFD in the place of bytes, which `NAME_b64` has."""
    if isinstance(value, list):
        return [_with_bytes(each) for each in value]
    if not isinstance(value, dict):
        return _bytes(value).decode(errors="replace") if isinstance(value, str) else value
    made = {}
    for name, each in value.items():
        made[name] = _with_bytes(each)
        if isinstance(each, str) and made[name] != each:
            made[f"{name}_b64"] = _base64(each)
        elif isinstance(each, list) and made[name] != each and all(isinstance(one, str) for one in each):
            made[f"{name}_b64"] = [None if one == shown else _base64(one) for one, shown in zip(each, made[name])]
    return made


def _bytes(text: str) -> bytes:
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:  # from a trace that was made up
        return text.encode(errors="surrogatepass")


def _base64(text: str) -> str:
    return base64.b64encode(_bytes(text)).decode("ascii")


def write_text(report: Report, view: View) -> str:
    return "\n".join(printable(line) for line in _lines(report, view)) + "\n"


def _lines(report: Report, view: View) -> Iterator[str]:
    yield from _fold(_summary(report), view.width)
    for caveat in report.caveats():
        yield from _fold("note: " + caveat, view.width, "  ")
    for process in report.processes:
        yield from _process_lines(process, view)


def _summary(report: Report) -> str:
    parts = []
    so_far = "not freed so far" if any(not found.process.ended for found in report.processes) else "never freed"
    if report.blocks:
        parts.append(f"{numbered(report.bytes, 'byte')} in {_blocks(report.blocks)} {so_far}")
    if report.bad_frees:
        parts.append(numbered(report.bad_frees, "bad free"))
    if not parts:
        parts.append("nothing found")
        parts.extend(f"but {os.path.basename(found.process.program)} was {found.ended}" for found in report.crashed[:1])
    return "fathom leaks: " + ", ".join(parts)


def _process_lines(found: ProcessFindings, view: View) -> Iterator[str]:
    process = found.process
    yield ""
    how = {"fork": ", forked", "exec": ", by exec"}.get(process.started, "")
    yield from _fold(f"{os.path.basename(process.program)} (process {process.pid}{how}): {found.ended}, "
                     f"{numbered(process.allocations, 'allocation')}", view.width, "  ")
    if found.own:
        size = sum(block.size for block in found.own)
        yield from _fold(f"excluded: {numbered(size, 'byte')} in {_blocks(len(found.own))} that the C library keeps",
                         view.width, "  ", "  ")
    for bad in process.bad_frees:
        yield from _bad_free_lines(bad, view)
    shown = found.leaks if view.groups == 0 else found.leaks[:view.groups]
    for leak in shown:
        yield from _group_lines(leak, view)
    rest = found.leaks[len(shown):]
    if rest:
        size = sum(leak.bytes for leak in rest)
        yield from _fold(f"and {numbered(size, 'byte')} from {numbered(len(rest), 'more place')}: use --all-leaks",
                         view.width, "    ", "  ")
    yield from _children_lines(found, view)


def _children_lines(found: ProcessFindings, view: View) -> Iterator[str]:
    shown = found.unfollowed if view.groups == 0 else found.unfollowed[:view.groups]
    for each in shown:
        became = f": {each.command}" if each.command else ""
        children = "1 child" if each.children == 1 else f"{counted(each.children)} children"
        yield from _fold(f"not followed: {children} by {each.call}{became}", view.width, "    ", "  ")
        yield from _stack_lines(each.frames, each.whole, view)
    rest = len(found.unfollowed) - len(shown)
    if rest:
        yield from _fold(f"not followed: children from {numbered(rest, 'more place')}: use --all-leaks", view.width,
                         "    ", "  ")


def printable(text: str) -> str:
    """On one line, without anything that controls a terminal: names come from programs and traces."""
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xdc00:02x}"
    return character.encode("unicode_escape").decode()


def _group_lines(leak: Group, view: View) -> Iterator[str]:
    sizes = leak.sizes()
    of = f" of {numbered(sizes[0][0], 'byte')}" if len(sizes) == 1 and len(leak.blocks) > 1 else ""
    moved = max(block.moves for block in leak.blocks)
    after = f" (its {_ordinal(moved)})" if leak.call in REALLOCATING and moved > 1 else ""
    yield from _fold(f"{numbered(leak.bytes, 'byte')} in {_blocks(len(leak.blocks))}{of} by {leak.call}{after}",
                     view.width, "    ", "  ")
    yield from _stack_lines(leak.frames, leak.whole, view)


def _bad_free_lines(bad: BadFree, view: View) -> Iterator[str]:
    if bad.freed is None:
        yield from _fold(f"foreign {bad.call} of {bad.address:#x}, which malloc did not return", view.width, "    ",
                         "  ")
        yield from _stack_lines(bad.stack.frames[1:], bad.stack.whole, view)
        return
    block = bad.freed.block
    call, frames = called(block.stack, block.call)
    yield from _fold(f"double {bad.call} of {bad.address:#x}, {numbered(block.size, 'byte')}", view.width, "    ", "  ")
    yield from _stack_lines(bad.stack.frames[1:], bad.stack.whole, view)
    yield "    freed before by"
    yield from _stack_lines(bad.freed.stack.frames[1:], bad.freed.stack.whole, view)
    yield f"    allocated with {call} by"
    yield from _stack_lines(frames, block.stack.whole, view)


def _stack_lines(frames: Sequence[Frame], whole: bool, view: View) -> Iterator[str]:
    """The frames up to main, or up to the first function of a thread: the callers of those are always the same."""
    last = next((index + 1 for index, frame in enumerate(frames) if frame.name == "main"), len(frames))
    while last > 0 and is_c_library(frames[last - 1].module):
        last -= 1
    shown = frames[:last] if view.frames == 0 else frames[:min(last, view.frames)]
    for frame in shown:
        yield from _frame_lines(frame, view)
    if len(shown) < last:
        yield f"      ... {last - len(shown)} more"
    elif not whole:
        yield "      ... (--depth shows more)"


def _frame_lines(frame: Frame, view: View) -> Iterator[str]:
    indent = "      "
    place = frame.place.removeprefix(view.here)
    line = f"{indent}{frame.name}  {place}"
    if len(line) <= view.width:
        yield line
        return
    yield _cut(indent + frame.name, view.width)
    yield _cut_front(place, indent + "  ", view.width)


def _cut(text: str, width: int) -> str:
    width = max(width, _NARROWEST)
    return text if len(text) <= width else text[:width - 3] + "..."


def _cut_front(text: str, indent: str, width: int) -> str:
    """Cuts off the beginning of a path: the end is more informative."""
    room = max(width, _NARROWEST) - len(indent)
    return indent + (text if len(text) <= room else "..." + text[3 - room:])


def _fold(text: str, width: int, indent: str = "  ", first: str = "") -> Iterator[str]:
    width = max(width, _NARROWEST)
    line = first
    empty = True
    for word in _words(text, width - len(indent)):
        if not empty and len(line) + 1 + len(word) > width:
            yield line
            line, empty = indent, True
        line += word if empty else " " + word
        empty = False
    yield line


def _words(text: str, longest: int) -> Iterator[str]:
    """Splits the text into words, and breaks words that do not fit on a line."""
    for word in text.split(" "):
        yield word[:longest]
        for begin in range(longest, len(word), longest):
            yield word[begin:begin + longest]


def counted(number: int) -> str:
    return f"{number:,}"


def numbered(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{counted(number)} {noun}s"


def _blocks(number: int) -> str:
    return numbered(number, "block")


def _ordinal(number: int) -> str:
    if 10 <= number % 100 <= 20:
        return f"{number:,}th"
    return f"{number:,}" + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
