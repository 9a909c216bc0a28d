"""Parts of a scan, as `fathom scan --shard` describes them in part.json."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

ROOT = "root"  # the part that begins at the roots
_SCHEMA = "fathom.part/1"
_ID = re.compile(r"root|[0-9a-f]{16}")


class BadPart(Exception):
    """The text is not a description of a part."""


@dataclasses.dataclass(frozen=True)
class Child:
    """Work that a part left over: the file rest-INDEX of the part PARENT."""

    id: str
    parent: str
    index: int
    entries: int  # listed, but not looked at; how much is below them is not known

    @property
    def rest(self) -> str:
        """The argument of `--rest`."""
        return f"{self.parent}/rest-{self.index}"


@dataclasses.dataclass(frozen=True)
class Part:
    """A committed part."""

    id: str
    entries: int
    errors: int  # what could not be read
    seconds: float
    host: str
    children: tuple[Child, ...]
    disk_bytes: int = 0  # hard links between parts are counted in each

    @staticmethod
    def parse(text: str | bytes) -> Part:
        """Raises BadPart."""
        try:
            return Part._of(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as why:
            raise BadPart(f"not a description of a part: {why}") from why

    @staticmethod
    def _of(given: dict[str, Any]) -> Part:
        if given["schema"] != _SCHEMA:
            raise ValueError(f"its schema is {given['schema']!r}, not {_SCHEMA}")
        name = _id(given["id"])
        children = tuple(Child(_id(rest["id"]), name, index, int(rest["entries"]))
                         for index, rest in enumerate(given["rest"]))
        return Part(name, int(given["entries"]), int(given["errors"]), float(given["seconds"]), str(given["host"]),
                    children, int(given["disk_bytes"]))


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def _id(text: Any) -> str:
    # It becomes the name of a directory, so nothing else is accepted.
    if not isinstance(text, str) or not is_id(text):
        raise ValueError(f"{text!r} is not the id of a part")
    return text
