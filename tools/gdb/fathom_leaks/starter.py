"""A breakpoint that notes the command of a function that starts another program."""

from __future__ import annotations

import contextlib
import shlex
from dataclasses import dataclass

import gdb

from fathom_leaks.calls import ARGUMENT_REGISTERS, EXECVE, STACK_REGISTER, WORD
from fathom_leaks.machine import register, selected_thread, word_at

_MOST_WORDS = 100
_LONGEST = 2000  # characters of a command

# The register with the command or with its words, of each function that starts another program or becomes one.
_TEXT = {"system": "$rdi", "popen": "$rdi"}
_WORDS = {"posix_spawn": "$r8", "posix_spawnp": "$r8", "execve": "$rsi", "fexecve": "$rsi", "execveat": "$rdx"}

STARTERS = ("system", "popen", "posix_spawn", "posix_spawnp")


@dataclass(frozen=True)
class _Start:
    """A call that may not have returned yet."""

    stack_pointer: int  # at the entry: the location of the return address
    returns_to: int
    function: str
    command: str


class Starts:
    """The last call of each thread."""

    def __init__(self) -> None:
        self._by_thread: dict[int, _Start] = {}

    def add(self, name: str) -> None:
        """The selected thread is at the first instruction of that function."""
        if self._current() is None:  # system calls posix_spawn
            place = register(STACK_REGISTER)
            self._by_thread[selected_thread()] = _Start(place, word_at(place), name, command(name))

    def take(self) -> tuple[str, str]:
        """The function by which the selected thread, which is in the system call vfork, starts a child, and the
        command."""
        start = self._current()
        self._by_thread.pop(selected_thread(), None)
        return (start.function, start.command) if start is not None else ("vfork", "")

    def _current(self) -> _Start | None:
        start = self._by_thread.get(selected_thread())
        if start is None or start.stack_pointer <= register(STACK_REGISTER):
            return None
        return start if word_at(start.stack_pointer) == start.returns_to else None


class Starter(gdb.Breakpoint):
    def __init__(self, starts: Starts, name: str, address: int) -> None:
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self._starts = starts
        self._name = name

    def stop(self) -> bool:
        with contextlib.suppress(gdb.error):  # the program goes on, and the command is unknown
            self._starts.add(self._name)
        return False


def command(name: str) -> str:
    """What that function is about to run, as a shell would quote it. The selected thread is at its first instruction.
    "" if it cannot be read."""
    try:
        if name in _TEXT:
            text = _text_at(register(_TEXT[name]))
        else:
            text = shlex.join(_words_at(register(_register_of_words(name))))
    except gdb.error:
        return ""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _register_of_words(name: str) -> str:
    if name != "syscall":
        return _WORDS[name]
    return "$rdx" if register(ARGUMENT_REGISTERS[0]) == EXECVE else "$rcx"


def _words_at(address: int) -> list[str]:
    words: list[str] = []
    while len(words) < _MOST_WORDS and (word := word_at(address + len(words) * WORD)) != 0:
        words.append(_text_at(word))
    return words


def _text_at(address: int) -> str:
    found = gdb.Value(address).cast(gdb.lookup_type("char").pointer())
    return found.string("utf-8", "backslashreplace")[:_LONGEST]
