"""Adds `fathom-leaks begin`, `report` and `end` to a session of GDB: source leaks.py"""

from __future__ import annotations

import sys
from pathlib import Path


def load() -> None:
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    try:
        from fathom_leaks import commands

        commands.add()
    finally:
        sys.path.pop(0)
        sys.dont_write_bytecode = before


load()
