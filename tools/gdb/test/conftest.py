"""Shared fixtures of the tests of fathom leaks: programs built from programs/, and runs of the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
LEAKS = HERE.parent / "fathom-leaks"

sys.path.insert(0, str(HERE.parent))
sys.path.append(str(HERE.parents[2] / "cli/test"))  # schemas.py
for _name in ("COLUMNS", "LINES"):  # set by the caller
    os.environ.pop(_name, None)

Build = Callable[..., Path]


@dataclass(frozen=True)
class Run:
    """One run of the command: its results and those of the program."""

    code: int
    out: str
    err: str
    report: dict[str, Any]

    def process(self, started: str = "run") -> dict[str, Any]:
        found: list[dict[str, Any]] = [process for process in self.report["processes"] if process["started"] == started]
        assert len(found) == 1, found
        return found[0]


def leaks_of(process: dict[str, Any]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """By allocating function and its caller: (bytes, blocks) of each leak, in order."""
    result: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for leak in process["leaks"]:
        key = (leak["call"], leak["stack"][0]["function"])
        result.setdefault(key, []).append((leak["bytes"], leak["blocks"]))
    return {key: sorted(values) for key, values in result.items()}


def functions(stack: list[dict[str, Any]], last: str = "main") -> list[str]:
    """The names of a stack's functions, innermost first."""
    names = [frame["function"] for frame in stack]
    return names[:names.index(last) + 1]


def run_command(*arguments: str | os.PathLike[str], **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LEAKS, *arguments], capture_output=True, text=True, check=False, timeout=120, **how)


@pytest.fixture(scope="session", autouse=True)
def follows_here(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips if programs cannot be followed here, with the reason."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    program = tmp_path_factory.mktemp("can") / "many"
    subprocess.run(["gcc", PROGRAMS / "many.c", "-o", program], check=True)
    tried = run_command("--", program)
    if any(text in tried.stderr for text in ("GDB (", "does not support Python", "refuses ptrace")):
        pytest.skip(tried.stderr.strip())


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds programs/NAME, once for each set of flags, without optimisation, which could remove leaks."""
    folder = tmp_path_factory.mktemp("programs")
    built: dict[tuple[str, ...], Path] = {}

    def make(name: str, *flags: str) -> Path:
        key = (name, *flags)
        if key not in built:
            program = folder / f"{Path(name).stem}-{len(built)}"
            compiler = ["g++", "-std=c++17"] if name.endswith(".cc") else ["gcc", "-fno-builtin"]
            subprocess.run([*compiler, "-g", "-O0", "-w", "-pthread", PROGRAMS / name, "-o", program, *flags],
                           check=True)
            built[key] = program
        return built[key]

    return make


@pytest.fixture
def leaks(tmp_path: Path) -> Callable[..., Run]:
    """Runs the command on a program and reads its report."""
    def run(command: Sequence[str | os.PathLike[str]], *options: str, **how: Any) -> Run:
        output = tmp_path / "report.json"
        output.unlink(missing_ok=True)
        done = run_command("--json", "-o", output, *options, "--", *command, **how)
        report = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
        return Run(done.returncode, done.stdout, done.stderr, report)

    return run
