"""Hosts: each machine's own disks, as one snapshot for each host.

    FOLDER/host=NAME/    a snapshot; appears by one rename, and is replaced only if it is damaged

DuckDB and others read FOLDER/host=*/entries.parquet as one table with the column `host`. On each host, one process
scans with all its threads. Its snapshot is fetched through Dask, over the connection that is there already.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import shutil
import urllib.parse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from fathom_fleet import task
from fathom_fleet.errors import FleetError, shell_word, shown
from fathom_fleet.folder import Folder, private

_CHUNK = 8 << 20  # bytes
_FAILURES = 4
_FIRST_DELAY = 1.0  # seconds before a host is tried again; doubles


class HostLost(Exception):
    """A call to a host has failed; the message is the end of a sentence. `final`: no other call will succeed."""

    def __init__(self, why: str, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class Call(Protocol):
    """Calls a function on a host. Raises HostLost."""

    async def __call__(self, host: str, function: Callable[..., object], *arguments: object) -> object: ...


@dataclasses.dataclass
class Outcome:
    """What became of all hosts."""

    done: dict[str, int] = dataclasses.field(default_factory=dict)  # hosts, and their entries
    failed: dict[str, str] = dataclasses.field(default_factory=dict)  # hosts, and why
    incomplete: bool = False  # something could not be read


def directory_of(folder: Folder, host: str) -> Path:
    return folder.path / f"host={urllib.parse.quote(host, safe='')}"


def entries_of(directory: Path) -> tuple[int, int] | None:
    """Entries and errors of a snapshot; None if there is none, or it is damaged. Raises FleetError if it cannot be
    read."""
    path = directory / "meta.json"
    try:
        meta = json.loads(path.read_bytes())
        return int(meta["totals"]["entries"]), int(meta["errors"])
    except (FileNotFoundError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    except OSError as why:
        raise FleetError(f"cannot read '{shown(str(path))}': {why.strerror}") from why


class HostScan:
    """Scans all hosts at the same time. `argv` is the command for each of them, without its store."""

    def __init__(self, folder: Folder, hosts: Sequence[str], argv: tuple[str, ...], limit: float, call: Call,
                 tell: Callable[[str], None]) -> None:
        self.outcome = Outcome()
        self._folder = folder
        self._hosts = hosts
        self._argv = argv
        self._limit = limit
        self._call = call
        self._tell = tell

    async def run(self) -> Outcome:
        """Hosts whose snapshots are in the folder already are not scanned again. Raises FleetError."""
        scans = [asyncio.create_task(self._scan(host)) for host in self._hosts]
        try:
            await asyncio.gather(*scans)
        finally:
            for scan in scans:
                scan.cancel()
        return self.outcome

    async def _scan(self, host: str) -> None:
        if self._is_done(host):
            return
        if os.path.lexists(target := directory_of(self._folder, host)):
            self._tell(f"{shown(host)}: its snapshot '{shown(str(target))}' is damaged; scanning it again")
        for attempt in range(_FAILURES):
            try:
                await self._attempt(host)
                if not self._is_done(host):
                    raise HostLost("its snapshot cannot be read")
                return
            except HostLost as why:
                if why.final or attempt + 1 == _FAILURES:
                    self.outcome.failed[host] = str(why)
                    self._tell(f"{shown(host)}: {why}; given up")
                    return
                self._tell(f"{shown(host)}: {why}; trying again")
            await asyncio.sleep(_FIRST_DELAY * 2**attempt)

    def _is_done(self, host: str) -> bool:
        """Whether its snapshot is in the folder, as the outcome then says."""
        known = entries_of(directory_of(self._folder, host))
        if known is None:
            return False
        self.outcome.done[host] = known[0]
        self.outcome.incomplete |= known[1] > 0
        return True

    async def _attempt(self, host: str) -> None:
        made = await self._call(host, task.snapshot, self._argv, self._limit)
        assert isinstance(made, task.Made)
        if made.ran.code not in (0, 1) or not made.files:
            code = made.ran.code
            raise HostLost(made.ran.message or f"the scan ended with exit code {code}", final=code == 2)
        target = directory_of(self._folder, host)
        temporary = self._folder.path / f".tmp-{target.name}"
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(mode=0o700)
            for name, size in made.files.items():
                await self._fetch(host, made.directory, name, size, temporary / name)
            if os.path.islink(target):  # a damaged one, as is the next
                os.unlink(target)
            elif os.path.lexists(target):
                shutil.rmtree(target)
            os.rename(temporary, target)
        except OSError as why:
            raise FleetError(f"cannot write to '{self._folder}': {why.strerror or why}") from why
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        for message in made.ran.messages:  # a note about a PATH, for example
            listed = message.replace("fathom scan --errors", f"fathom scan --from {shell_word(str(target))} --errors")
            self._tell(f"{shown(host)}: {shown(listed)}")
        with contextlib.suppress(HostLost):
            await self._call(host, task.discard, made.directory)

    async def _fetch(self, host: str, directory: str, name: str, size: int, target: Path) -> None:
        with open(target, "wb", opener=private) as file:
            for offset in range(0, size, _CHUNK):
                length = min(_CHUNK, size - offset)
                content = await self._call(host, task.chunk, directory, name, offset, length)
                if not isinstance(content, bytes) or len(content) != length:
                    raise HostLost(f"its file {name} cannot be read")
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
