"""Versions: what must be the same on all workers, because functions and results travel between them."""

from __future__ import annotations

import hashlib
import importlib.metadata
import subprocess
import sys
from pathlib import Path

from fathom_fleet.errors import FleetError

_LIMIT = 30.0  # seconds


def fathom_version(fathom: str) -> str:
    """What `fathom --version` prints. Raises FleetError if it cannot run."""
    try:
        ran = subprocess.run([fathom, "--version"], capture_output=True, text=True, errors="replace", timeout=_LIMIT,
                             stdin=subprocess.DEVNULL, check=False)
    except OSError as why:
        raise FleetError(f"cannot run '{fathom}': {why.strerror}") from why
    except subprocess.TimeoutExpired as why:
        raise FleetError(f"'{fathom} --version' does not end") from why
    if ran.returncode != 0:
        raise FleetError(f"'{fathom} --version' ended with exit code {ran.returncode}")
    return ran.stdout.strip()


def versions(fathom: str) -> dict[str, str]:
    """Those of this process and of the command. Raises FleetError if that cannot run."""
    return {"fathom": fathom_version(fathom), "fathom_fleet": _sources(),
            "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
            "distributed": _installed("distributed")}


def difference(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """The first difference, as the end of a sentence about the other machine; empty if there is none."""
    for name, version in ours.items():
        if theirs.get(name) == version:
            continue
        if name == "fathom_fleet":
            return "has another version of the package fathom-fs than this machine"
        if name == "fathom":
            return f"has {theirs.get(name, 'no fathom')}, and this machine has {version}"
        return f"has {name} {theirs.get(name, 'missing')}, and this machine has {version}"
    return ""


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _sources() -> str:
    """The package has no version of its own that would change with every change of its source."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
