"""A run on disk.

    runs/DATE-HOST-COMMIT/
        environment.json        the machine and the versions
        NAME.toml               the experiment's file as it was
        NAME.json               how it was run: the experiment in its size, the seed, missing contenders
        NAME.launches.jsonl     every launch, one line each
        profiles/NAME/          the profiles of its contenders, if they were asked for
        build.log               the output of the build commands

Each round is written in one piece and ends with an empty line. Data after the last empty line is a torn round: it is
not read, and is cut off when the run is resumed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fcntl
import json
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom_lab import environment, experiment, whole_file
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN, BESIDE_AGAIN, Experiment
from fathom_lab.records import Launch

_ROUND_END = b"\n\n"


@dataclasses.dataclass(frozen=True)
class Settings:
    """How an experiment is run, in addition to the experiment itself."""

    seed: int
    root: str  # the project's folder, where contenders are started; the value of {root}
    roots: Mapping[str, str] = dataclasses.field(default_factory=dict)  # of contenders with another root
    source: str = ""  # the experiment's file, which a resumed run compares; empty: none
    cpus: tuple[int, ...] = ()  # empty: all
    nice: int = 0
    counters: bool = False  # also use hardware counters
    profiles: tuple[str, ...] = ()  # kinds of profiles to write after the rounds: see profiles.py
    revisions: tuple[str, ...] = ()  # of `ab`
    missing: Mapping[str, str] = dataclasses.field(default_factory=dict)  # contenders that cannot run, and why
    complete: bool = False

    def roots_of(self, one: Experiment) -> dict[str, Path]:
        """The roots by contender, including the copies of the baseline."""
        others = {**self.roots, **dict.fromkeys((AGAIN, BESIDE_AGAIN), self.roots.get(one.baseline, self.root))}
        return {name: Path(others.get(name, self.root)) for name in one.names()}


class RunFolder:
    def __init__(self, path: Path):
        """Opens an existing run. Raises LabError if the folder is not a run."""
        self.path = path
        self._locked = False
        if not (path / "environment.json").is_file():
            raise LabError(f"{path} is not the folder of a run: it has no environment.json")

    @staticmethod
    def create(into: Path, facts: Mapping[str, Any]) -> RunFolder:
        """Creates a folder, named after the day, the host and the commit; with a number if the name is taken."""
        path = _new_folder(into, _name(facts))
        _write(path / "environment.json", json.dumps(facts, indent=2))
        return RunFolder(path)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the folder for writing while the block lasts. Raises LabError if another process holds the lock.

        Blocks may be nested. The kernel releases the lock of a process that dies.
        """
        if self._locked:
            yield
            return
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _lock(descriptor, self.path)
            self._locked = True
            yield
        finally:
            self._locked = False
            os.close(descriptor)

    def environment(self) -> dict[str, Any]:
        return _read_table(self.path / "environment.json")

    def update_environment(self, facts: Mapping[str, Any]) -> None:
        _write(self.path / "environment.json", json.dumps({**self.environment(), **facts}, indent=2))

    def note(self, notes: Iterable[str]) -> None:
        """Adds notes for readers of the results."""
        self.update_environment({"notes": list(dict.fromkeys([*self.environment().get("notes", []), *notes]))})

    def names(self) -> list[str]:
        """The names of the experiments, in the order in which they were added."""
        return list(self.environment().get("experiments", []))

    def add(self, one: Experiment, settings: Settings, toml: bytes | None = None) -> None:
        """Adds an experiment before its first round. Raises LabError if there is one of that name."""
        if one.name in self.names():
            raise LabError(f"two experiments have the name {one.name}: run them separately")
        if toml is not None:
            _write(self.path / f"{one.name}.toml", toml)
        self._store(one, settings)
        _write(self._launches(one.name), b"")
        self.update_environment({"experiments": [*self.names(), one.name]})

    def experiment(self, name: str) -> Experiment:
        """The experiment as it was run, in its size and with its contenders."""
        return experiment.parse(self._table(name)["experiment"], name)

    def settings(self, name: str) -> Settings:
        table = self._table(name)
        table.pop("experiment", None)
        try:
            settings = Settings(**table)
        except TypeError as error:
            raise LabError(f"{self.path / name}.json is from another version of the lab: {error}") from error
        return dataclasses.replace(settings, cpus=tuple(settings.cpus), revisions=tuple(settings.revisions),
                                   profiles=tuple(settings.profiles))

    def change(self, name: str, **changes: Any) -> None:
        """Changes settings."""
        self._store(self.experiment(name), dataclasses.replace(self.settings(name), **changes))

    def toml(self, name: str) -> bytes | None:
        path = self.path / f"{name}.toml"
        return path.read_bytes() if path.exists() else None

    def launches(self, name: str) -> list[Launch]:
        """The launches of complete rounds. Raises LabError for a damaged file."""
        path = self._launches(name)
        found: dict[tuple[int, Any, str], Launch] = {}
        for number, line in enumerate(_whole_rounds(_bytes(path)).splitlines(), 1):
            if line.strip():
                one = _launch(line, f"{path}:{number}")
                place = (one.round, one.point, one.contender)
                if place in found:
                    raise LabError(f"{path}:{number} is damaged: {one.contender} is in round {one.round} twice")
                found[place] = one
        return list(found.values())

    def append(self, name: str, launches: Iterable[Launch]) -> None:
        """Appends a complete round, durably."""
        text = "".join(one.to_json() + "\n" for one in launches)
        if text:
            self._append(name, text.encode() + b"\n")

    def cut(self, name: str) -> None:
        """Cuts off a torn round."""
        path = self._launches(name)
        os.truncate(path, len(_whole_rounds(_bytes(path))))

    def _append(self, name: str, data: bytes) -> None:
        path = self._launches(name)
        before = path.stat().st_size
        try:
            with open(path, "ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            os.truncate(path, before)
            raise LabError(f"{path} cannot be written: {error.strerror}; earlier rounds are kept") from error

    def _store(self, one: Experiment, settings: Settings) -> None:
        table = {"experiment": one.table(), **dataclasses.asdict(settings)}
        _write(self.path / f"{one.name}.json", json.dumps(table, indent=2))

    def _table(self, name: str) -> dict[str, Any]:
        return _read_table(self.path / f"{name}.json")

    def _launches(self, name: str) -> Path:
        return self.path / f"{name}.launches.jsonl"


def _name(facts: Mapping[str, Any]) -> str:
    day = datetime.date.today().isoformat()
    host = re.sub(r"[^A-Za-z0-9.-]+", "_", str(facts.get("host") or socket.gethostname()))
    commit = str(facts.get("commit", environment.UNKNOWN))
    return f"{day}-{host}-{'nogit' if commit == environment.UNKNOWN else commit[:10]}"


def _new_folder(into: Path, name: str) -> Path:
    number = 1
    while True:
        path = into / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir(parents=True)
            return path
        except FileExistsError:
            number += 1
        except OSError as error:
            raise LabError(f"{path} cannot be created: {error.strerror}; choose another folder with --into") from error


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LabError(f"another fathom-lab is writing to {path}; wait until it has finished") from None
    except OSError:
        pass  # this filesystem has no locks


def _write(path: Path, data: str | bytes) -> None:
    try:
        whole_file.write(path, data)
    except OSError as error:
        raise LabError(f"{path} cannot be written: {error.strerror}") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error


def _read_table(path: Path) -> dict[str, Any]:
    try:
        table = json.loads(_bytes(path))
    except ValueError as error:
        raise LabError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(table, dict):
        raise LabError(f"{path} is not a JSON object")
    return table


def _whole_rounds(data: bytes) -> bytes:
    end = data.rfind(_ROUND_END)
    return b"" if end < 0 else data[: end + len(_ROUND_END)]


def _launch(line: bytes, where: str) -> Launch:
    try:
        return Launch.from_json(line.decode())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabError(f"{where} is damaged: {error}") from error
