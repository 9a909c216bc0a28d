"""Request: what a fleet scan was asked for, as fleet.json keeps it."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from fathom_fleet.errors import FleetError, shown
from fathom_fleet.selection import keeping_out

_SCHEMA = "fathom.fleet/1"


@dataclasses.dataclass(frozen=True)
class Request:
    """Paths and flags are text as os.fsdecode() makes it, so that bytes that are not UTF-8 survive."""

    roots: tuple[str, ...]  # absolute; none inside another, unless they are on each host's own disks
    flags: tuple[str, ...]  # of `fathom scan`: what is selected
    version: str  # what `fathom --version` prints
    each_host: bool = False  # the roots are on each host's own disks
    began: datetime.datetime | None = None  # from then on moments such as 7d count, also later; None: it is not known

    def to_json(self) -> str:
        given: dict[str, Any] = {"schema": _SCHEMA, "version": self.version, "each_host": self.each_host}
        if self.began is not None:
            given["began"] = self.began.isoformat()
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
        began = datetime.datetime.fromisoformat(str(given["began"])) if "began" in given else None
        try:
            return Request(_words(given, "roots"), _words(given, "flags"), str(given["version"]),
                           bool(given["each_host"]), began)
        except KeyError as key:
            raise ValueError(f"it has no {key}") from key

    def difference(self, asked: Request) -> str:
        """What `asked` has different, as the end of a sentence; empty if nothing."""
        if self.each_host != asked.each_host:
            return "with --each-host" if self.each_host else "without --each-host"
        if set(map(_without_slash, self.roots)) != set(map(_without_slash, asked.roots)):
            return f"of {' '.join(map(shown, self.roots))}"
        if list(map(_without_links, self.flags)) != list(map(_without_links, asked.flags)):
            return f"with {' '.join(map(shown, self.flags)) or 'no options that select entries'}"
        if self.version != asked.version:
            return f"by {self.version}; this is {asked.version}"
        return ""


def _words(given: dict[str, Any], name: str) -> tuple[str, ...]:
    if raw := given.get(f"{name}_b64"):
        return tuple(os.fsdecode(base64.b64decode(word)) for word in raw)
    return tuple(str(word) for word in given[name])


def roots_of(paths: Iterable[str], flags: Iterable[str] = (), each_host: bool = False) -> tuple[str, ...]:
    """The paths, absolute, sorted by their bytes, without those inside another one. With `each_host` these stay: the
    links of this machine say nothing about other disks. Raises FleetError for none, and if one of the flags may keep
    the scan of a path out of another one inside it.

    A slash at the end stays: after a symbolic link it means the target, and what is a link, only the workers know."""
    absolute = sorted({_absolute(path) for path in paths}, key=os.fsencode)
    if not absolute:
        raise FleetError("no PATH is given; see `fathom fleet scan --help`")
    return tuple(absolute if each_host else _outermost(absolute, keeping_out(flags)))


def _outermost(paths: Iterable[str], option: str) -> Iterator[str]:
    """The paths that are not inside another one, each place once. `option` may keep a scan out of those inside."""
    by_place: dict[str, str] = {}
    for path in paths:
        by_place.setdefault(_place(path), path)
    for place, path in by_place.items():
        outer = next((other for there, other in by_place.items() if _is_inside(place, there)), "")
        if outer and option:
            raise FleetError(f"option '{option}' may keep the scan of '{shown(outer)}' out of '{shown(path)}'; scan "
                             "the two into different folders")
        if not outer:
            yield path


def _place(root: str) -> str:
    """Where the root is, as `fathom snapshot` sees it: without links, except one that is the root itself."""
    if root.endswith("/"):
        return os.path.realpath(root)
    above, name = os.path.split(root)
    return os.path.join(os.path.realpath(above), name)


def _is_inside(place: str, other: str) -> bool:
    return place != other and place.startswith(other.rstrip("/") + "/")


def _without_slash(root: str) -> str:
    """It stays after a link, where it means something. Completion in a shell writes it after any directory."""
    plain = root.rstrip("/") or "/"
    return root if os.path.islink(plain) else plain


def _without_links(flag: str) -> str:
    """The same for all ways to write the path of the folder, which has the copies of such files."""
    name, equals, path = flag.partition("=")
    return f"{name}={os.path.realpath(path)}" if name == "--exclude-from" and equals else flag


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
