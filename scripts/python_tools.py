#!/usr/bin/env python3
"""Installs programs from PyPI, in the versions of scripts/python-tools.txt, in a virtual environment in
build/python-tools. Run as a program, it says why that is not possible, and exits with 1."""

import fcntl
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WANTED = ROOT / "scripts" / "python-tools.txt"
HOME = ROOT / "build" / "python-tools"
MINUTES = 15  # time limit of a download


class Missing(Exception):
    """The programs cannot be installed here; the message is the reason."""


def tool(name: str) -> pathlib.Path:
    """Returns the path of a program. Installs all programs if the list has changed. Raises Missing."""
    HOME.parent.mkdir(exist_ok=True)
    with open(HOME.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parallel steps share the installation
        _install()
    return HOME / "bin" / name


def _install() -> None:
    complete = HOME / "complete"  # written last
    wanted = f"{sys.version}\n{WANTED.read_text(encoding='utf-8')}"
    if complete.exists() and complete.read_text(encoding="utf-8") == wanted:
        return
    _run("python3-venv is missing", sys.executable, "-m", "venv", "--clear", HOME)
    _run("pip cannot install scripts/python-tools.txt",
         HOME / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", WANTED)
    complete.write_text(wanted, encoding="utf-8")


def _run(otherwise: str, *command: str | pathlib.Path) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * MINUTES)
    if ran.returncode != 0:
        lines = (ran.stderr or ran.stdout).strip().splitlines()
        raise Missing(f"{otherwise}: {lines[-1] if lines else f'exit code {ran.returncode}'}")


if __name__ == "__main__":
    try:
        tool("python")
    except Missing as why:
        sys.exit(f"python_tools: {why}")
