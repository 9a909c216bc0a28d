"""Request: what a fleet scan was asked for, as fleet.json keeps it."""

from __future__ import annotations

import base64
import dataclasses
import json
import os
from collections.abc import Iterable
from typing import Any

from fathom_fleet.errors import FleetError, shown

_SCHEMA = "fathom.fleet/1"


@dataclasses.dataclass(frozen=True)
class Request:
    """Paths and flags are text as os.fsdecode() makes it, so that bytes that are not UTF-8 survive."""

    roots: tuple[str, ...]  # absolute, none inside another
    flags: tuple[str, ...]  # of `fathom scan`: what is selected
    version: str  # what `fathom --version` prints
    each_host: bool = False  # the roots are on each host's own disks

    def to_json(self) -> str:
        given: dict[str, Any] = {"schema": _SCHEMA, "version": self.version, "each_host": self.each_host}
        for name, words in (("roots", self.roots), ("flags", self.flags)):
            given[name] = [word.encode(errors="surrogateescape").decode(errors="replace") for word in words]
            if given[name] != list(words):
                given[f"{name}_b64"] = [base64.b64encode(os.fsencode(word)).decode() for word in words]
        return json.dumps(given, indent=2) + "\n"

    @staticmethod
    def from_json(text: str | bytes) -> Request:
        """Raises ValueError."""
        given = json.loads(text)
        if not isinstance(given, dict) or given.get("schema") != _SCHEMA:
            raise ValueError(f"its schema is not {_SCHEMA}")
        try:
            return Request(_words(given, "roots"), _words(given, "flags"), str(given["version"]),
                           bool(given["each_host"]))
        except KeyError as key:
            raise ValueError(f"it has no {key}") from key

    def difference(self, asked: Request) -> str:
        """What `asked` has different, as the end of a sentence; empty if nothing."""
        if self.each_host != asked.each_host:
            return "with --each-host" if self.each_host else "without --each-host"
        if set(map(_without_slash, self.roots)) != set(map(_without_slash, asked.roots)):
            return f"of {' '.join(map(shown, self.roots))}"
        if self.flags != asked.flags:
            return f"with {' '.join(map(shown, self.flags)) or 'no options that select entries'}"
        if self.version != asked.version:
            return f"by {self.version}; this is {asked.version}"
        return ""


def _words(given: dict[str, Any], name: str) -> tuple[str, ...]:
    if raw := given.get(f"{name}_b64"):
        return tuple(os.fsdecode(base64.b64decode(word)) for word in raw)
    return tuple(str(word) for word in given[name])


def roots_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths, absolute, sorted by their bytes, without those inside another one. Raises FleetError for none.

    A slash at the end stays: after a symbolic link it means the target, and what is a link, only the workers know."""
    absolute = sorted({_absolute(path) for path in paths}, key=os.fsencode)
    roots: list[str] = []
    for path in absolute:
        if not any(_is_inside(path, root) for root in roots):
            roots.append(path)
    if not roots:
        raise FleetError("no PATH is given; see `fathom fleet scan --help`")
    return tuple(roots)


def _is_inside(path: str, root: str) -> bool:
    return path.startswith(root.rstrip("/") + "/") and not os.path.islink(root)


def _without_slash(root: str) -> str:
    """It stays after a link, where it means something. Completion in a shell writes it after any directory."""
    plain = root.rstrip("/") or "/"
    return root if os.path.islink(plain) else plain


def _absolute(path: str) -> str:
    if not path:
        raise FleetError("a PATH is empty")
    joined = from_here(path)
    names = [name for name in joined.split("/") if name not in ("", ".")]
    above, last = os.path.split("/" + "/".join(names))
    if last == "..":
        return os.path.realpath(joined)
    if ".." in names:
        above = os.path.realpath(above)  # the parent of a symbolic link is not what the text suggests
    return os.path.join(above, last) + ("/" if last and joined.endswith(("/", "/.")) else "")


def from_here(path: str) -> str:
    """The path, absolute. Raises FleetError if it begins in a directory that is removed."""
    try:
        return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    except OSError as why:
        raise FleetError(f"cannot find '{shown(path)}' from the current directory: {why.strerror}") from why
