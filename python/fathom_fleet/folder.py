"""Folder: the directory of a fleet scan, which holds all that is known about it.

    FOLDER/fleet.json      what was asked for; written once
    FOLDER/lock            held by the driver with flock(2)
    FOLDER/parts/ID/       a committed part; appears by one rename
    FOLDER/finished.json   how the scan ended

Only what is in parts/ counts as done; a reply of a worker is a hint to look there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from fathom_fleet.errors import FleetError, shown
from fathom_fleet.part import ROOT, BadPart, Part, is_id
from fathom_fleet.request import Request

_FINISHED = "fathom.fleet.finished/1"


@dataclasses.dataclass(frozen=True)
class Finished:
    """How a scan ended. `exit_code` is that of the command, if what it prints can be printed."""

    exit_code: int
    entries: int
    parts: int
    given_up: tuple[str, ...] = ()
    snapshot: str = ""  # what `fathom snapshot` printed


def private(path: str, flags: int) -> int:
    """An opener of files that only the user may read: names may be secret."""
    return os.open(path, flags, 0o600)


class Folder:
    """One process uses it at a time: hold locked() while anything is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts = path / "parts"

    def __str__(self) -> str:
        return shown(str(self.path))

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Creates the folder if necessary. Raises FleetError if another driver uses it, or it cannot be written."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.parts.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as why:
            raise FleetError(f"cannot write to '{self}': {why.strerror}") from why
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as why:
                if why.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    raise FleetError(f"cannot lock '{self}': {why.strerror}") from why
                raise FleetError(f"another `fathom fleet` is working on '{self}'") from why
            yield
        finally:
            os.close(lock)

    def is_locked(self) -> bool:
        """Whether a driver is working on it."""
        try:
            lock = os.open(self.path / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(lock)
        return False

    def request(self) -> Request | None:
        """What was asked for; None if nothing yet. Raises FleetError if that cannot be read."""
        try:
            return Request.from_json((self.path / "fleet.json").read_bytes())
        except FileNotFoundError:
            return None
        except OSError as why:
            raise FleetError(f"cannot read '{self}/fleet.json': {why.strerror}") from why
        except ValueError as why:
            raise FleetError(f"cannot read '{self}/fleet.json': {why}") from why

    def begin(self, request: Request, copies: Mapping[str, bytes]) -> None:
        """`copies` are files that the flags of the request name."""
        for name, content in copies.items():
            self._write(name, content)
        self._write("fleet.json", request.to_json().encode())

    def holds(self, copies: Mapping[str, bytes]) -> bool:
        """Whether begin() was called with the same files."""
        try:
            return all((self.path / name).read_bytes() == content for name, content in copies.items())
        except OSError:
            return False

    def forget(self) -> None:
        """Undoes begin(), unless anything was committed."""
        if self.finished() is None and not any(self.path.glob("parts/[!.]*")) and not any(self.path.glob("host=*")):
            self.sweep()
            for path in (self.path / "fleet.json", *self.path.glob("exclude-from-*")):
                path.unlink(missing_ok=True)

    def finished(self) -> Finished | None:
        """None if the scan is not finished, as far as the folder knows."""
        try:
            given = json.loads((self.path / "finished.json").read_bytes())
            return Finished(given["exit_code"], given["entries"], given["parts"], tuple(given["given_up"]),
                            given["snapshot"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def finish(self, end: Finished) -> None:
        text = json.dumps({"schema": _FINISHED, **dataclasses.asdict(end)}, indent=2)
        self._write("finished.json", text.encode() + b"\n")

    def part(self, part_id: str) -> Part | None:
        """The part, if it is committed. Raises FleetError if it is there, but damaged."""
        path = self.parts / part_id / "part.json"
        try:
            part = Part.parse(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as why:
            raise FleetError(f"cannot read '{shown(str(path))}': {why.strerror}") from why
        except BadPart as why:
            raise _damaged(path, str(why)) from why
        if part.id != part_id:
            raise _damaged(path, f"it describes the part {part.id}")
        return part

    def refresh(self) -> None:
        """Makes a network filesystem ask its server what is new in parts/."""
        with contextlib.suppress(OSError), os.scandir(self.parts) as listing:
            next(listing, None)

    def committed(self) -> Iterator[Part]:
        """All committed parts that can be reached from the first one, parents first."""
        wanted = [ROOT]
        for part_id in wanted:
            part = self.part(part_id)
            if part is not None:
                wanted.extend(child.id for child in part.children)
                yield part

    def there(self) -> set[str]:
        """The ids of all parts that are there, whether or not they can be reached from the first one."""
        try:
            return {name for name in os.listdir(self.parts) if is_id(name)}
        except OSError as why:
            raise FleetError(f"cannot read '{self}/parts': {why.strerror}") from why

    def sweep(self) -> None:
        """Removes what unfinished tasks left behind. No task may be running."""
        with contextlib.suppress(OSError), os.scandir(self.parts) as listing:
            for entry in listing:
                if entry.name.startswith(".tmp-"):
                    shutil.rmtree(entry.path, ignore_errors=True)

    def _write(self, name: str, content: bytes) -> None:
        temporary = self.path / f".tmp-{name}"
        try:
            with open(temporary, "wb", opener=private) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path / name)
        except OSError as why:
            raise FleetError(f"cannot write '{self}/{name}': {why.strerror}") from why


def _damaged(part: Path, why: str) -> FleetError:
    # It cannot be scanned again alone: its rest would be divided differently, but have the same names.
    return FleetError(f"'{shown(str(part))}' is damaged: {why}; the scan has to begin again in another directory")
