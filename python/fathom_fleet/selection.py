"""Selection: the flags that `fathom fleet scan` passes on to `fathom scan`."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import enum
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fathom_fleet.errors import FleetError, shown
from fathom_fleet.moment import absolute


class Kind(enum.Enum):
    SWITCH = enum.auto()
    TEXT = enum.auto()
    MOMENT = enum.auto()
    FILE = enum.auto()


@dataclasses.dataclass(frozen=True)
class Flag:
    name: str
    kind: Kind
    metavar: str
    help: str
    letter: str = ""
    keeps_out: bool = False  # it may keep a scan out of a directory


FLAGS = (
    Flag("exclude", Kind.TEXT, "GLOB", "exclude what matches GLOB, as in .gitignore; repeatable, and the last match "
         "decides", keeps_out=True),
    Flag("exclude-from", Kind.FILE, "FILE", "exclude by the rules in FILE, one per line", keeps_out=True),
    Flag("exclude-caches", Kind.SWITCH, "", "exclude directories that contain a valid CACHEDIR.TAG", keeps_out=True),
    Flag("exclude-kernfs", Kind.SWITCH, "", "exclude /proc, /sys and other kernel filesystems", keeps_out=True),
    Flag("no-hidden", Kind.SWITCH, "", "exclude names that begin with a dot", keeps_out=True),
    Flag("only", Kind.TEXT, "GLOB", "count only what matches GLOB; repeatable"),
    Flag("min-size", Kind.TEXT, "SIZE", "count only entries that themselves take SIZE or more on disk"),
    Flag("newer", Kind.MOMENT, "WHEN", "count only entries modified at or after WHEN"),
    Flag("older", Kind.MOMENT, "WHEN", "count only entries modified before WHEN"),
    Flag("type", Kind.TEXT, "TYPES", "count only these types, separated by commas: f,d,l,o or file,dir,link,other"),
    Flag("ext", Kind.TEXT, "EXTS", "count only entries with one of these extensions (the part after the last dot): "
         "log,gz; repeatable"),
    Flag("one-file-system", Kind.SWITCH, "", "stay on the filesystem of each PATH", "x", keeps_out=True),
)


@dataclasses.dataclass
class Selection:
    """What was given, in the order in which it was given, which matters to --exclude."""

    given: list[tuple[Flag, str]] = dataclasses.field(default_factory=list)

    def flags(self, now: datetime.datetime, files: Path) -> tuple[str, ...]:
        """The flags for all workers. Moments are absolute; the rules of files are those of copies in `files` (see
        copies()), which is shared, and does not change while the scan lasts. Raises FleetError."""
        made, copies = [], 0
        for flag, value in self.given:
            if flag.kind is Kind.SWITCH:
                made.append(f"--{flag.name}")
            elif flag.kind is Kind.MOMENT:
                made.append(f"--{flag.name}={absolute(f'--{flag.name}', value, now)}")
            elif flag.kind is Kind.FILE:
                made.append(f"--{flag.name}={files / f'{flag.name}-{copies}'}")
                copies += 1
            else:
                made.append(f"--{flag.name}={value}")
        return tuple(made)

    def copies(self) -> dict[str, bytes]:
        """Names and contents of the files that flags() expects. Raises FleetError."""
        made: dict[str, bytes] = {}
        for flag, value in self.given:
            if flag.kind is Kind.FILE:
                try:
                    made[f"{flag.name}-{len(made)}"] = Path(value).read_bytes()
                except OSError as why:
                    raise FleetError(f"cannot read '{shown(value)}': {why.strerror}") from why
        return made


def keeping_out(flags: Iterable[str]) -> str:
    """The first one of the flags() that may keep a scan out of a directory; empty if there is none."""
    names = [f"--{flag.name}" for flag in FLAGS if flag.keeps_out]
    return next((name for name in (flag.partition("=")[0] for flag in flags) if name in names), "")


class _Add(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 values: str | Sequence[Any] | None, option_string: str | None = None) -> None:
        flag = next(flag for flag in FLAGS if flag.name == self.const)
        namespace.selection.given.append((flag, values if isinstance(values, str) else ""))


def add_to(group: Any) -> None:
    """Adds the flags to a group of an argparse parser, whose namespace has a `selection`."""
    for flag in FLAGS:
        names = [f"-{flag.letter}"] * bool(flag.letter) + [f"--{flag.name}"]
        more: dict[str, Any] = {"nargs": 0} if flag.kind is Kind.SWITCH else {"metavar": flag.metavar}
        group.add_argument(*names, action=_Add, dest="selection", const=flag.name, default=argparse.SUPPRESS,
                           help=flag.help, **more)
