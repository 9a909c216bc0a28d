#!/usr/bin/env python3
"""Installs programs from PyPI, in the versions of a list, in a virtual environment with the name of the list.

  scripts/python_tools.py [LIST]     python-tools (default; scripts/python-tools.txt in build/python-tools), site-tools

Run as a program, it says why that is not possible, and exits with 1."""

import fcntl
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = "python-tools"
MINUTES = 15  # time limit of a download
UV = "uv==0.13.9"  # takes half of the processor time of pip, on all processors


class Missing(Exception):
    """The programs cannot be installed here; the message is the reason."""


def tool(name: str, tools: str = CHECKS) -> pathlib.Path:
    """Returns the path of a program of a list. Installs all its programs if the list has changed. Raises Missing."""
    home = ROOT / "build" / tools
    home.parent.mkdir(exist_ok=True)
    with open(home.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parallel steps share the installation
        _install(ROOT / "scripts" / f"{tools}.txt", home)
    return home / "bin" / name


def _install(listed: pathlib.Path, home: pathlib.Path) -> None:
    complete = home / "complete"  # written last
    # Programs of the environment name it by its path.
    wanted = f"{home}\n{sys.version}\n{listed.read_text(encoding='utf-8')}"
    if complete.exists() and complete.read_text(encoding="utf-8") == wanted:
        return
    try:
        _install_with_uv(listed, home)
    except Missing as why:
        print(f"python_tools: {why}; using pip alone", file=sys.stderr)
        pip = _environment(home)
        _run(f"pip cannot install {listed.relative_to(ROOT)}", *pip, "--requirement", listed)
    complete.write_text(wanted, encoding="utf-8")


def _install_with_uv(listed: pathlib.Path, home: pathlib.Path) -> None:
    pip = _environment(home)
    settings = subprocess.run([home / "bin" / "pip", "config", "list"], capture_output=True, text=True, check=False)
    if "index-url" in settings.stdout:
        raise Missing("uv does not know the index that pip uses")
    _run("pip cannot install uv", *pip, "--only-binary", "uv", UV)
    _run("uv cannot install", home / "bin" / "uv", "pip", "install", "--quiet", "--compile-bytecode", "--python",
         home / "bin" / "python", "--requirement", listed)


def _environment(home: pathlib.Path) -> tuple[str | pathlib.Path, ...]:
    """Creates an empty environment and returns the command with which its pip installs."""
    _run("python3-venv is missing", sys.executable, "-m", "venv", "--clear", home)
    return home / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"


def _run(otherwise: str, *command: str | pathlib.Path) -> None:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * MINUTES)
    except subprocess.TimeoutExpired as late:
        raise Missing(f"{otherwise}: it did not end within {MINUTES} minutes") from late
    if ran.returncode != 0:
        lines = (ran.stderr or ran.stdout).strip().splitlines()
        raise Missing(f"{otherwise}: {lines[-1] if lines else f'exit code {ran.returncode}'}")


if __name__ == "__main__":
    try:
        tool("python", *sys.argv[1:2])
    except Missing as why:
        sys.exit(f"python_tools: {why}")
