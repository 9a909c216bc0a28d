"""Frames and stacks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Frame:
    function: str | None
    file: str | None
    line: int
    module: str | None        # the file that is mapped there
    offset: int               # the address as linked in that file
    exports: tuple[str, ...]  # names of the function in that file's symbol tables

    @property
    def name(self) -> str:
        if self.function is not None:
            return self.function
        return self.exports[0] if self.exports else "?"

    @property
    def place(self) -> str:
        """FILE:LINE, otherwise MODULE+OFFSET."""
        if self.file is not None and self.line > 0:
            return f"{self.file}:{self.line}"
        if self.module is not None:
            return f"{os.path.basename(self.module)}+{self.offset:#x}"
        return f"{self.offset:#x}"

    def as_json(self) -> dict[str, Any]:
        return {"function": self.function or (self.exports[0] if self.exports else None), "file": self.file,
                "line": self.line or None, "module": self.module, "offset": self.offset}


@dataclass(frozen=True)
class Stack:
    frames: tuple[Frame, ...]  # innermost first
    whole: bool                # it reaches the thread's first function
    entered: tuple[str, ...]   # names of the C library's function that was called from outside; (): unknown
    runtime: tuple[str, ...]   # the same for the C library and the C++ runtime together


NO_STACK = Stack((), False, (), ())
