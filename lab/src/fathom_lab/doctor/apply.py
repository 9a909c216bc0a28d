"""Changes settings for --apply and restores them for --undo.

It changes only kernel settings that last until a reboot, and that one write sets and one write restores. It does not
change swappiness and swap (harmless while memory is free), SMT (taking processors offline removes them from control
groups, and bringing them back does not restore that), ASLR that is on (rounds average over the layouts),
kptr_restrict and io_uring (they protect the kernel), services, limits of containers, and settings that need a
reboot.

The old values are in the state file before the first of them is changed, so that a crash at any moment can be
undone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fathom_lab.doctor.check import Change, Finding
from fathom_lab.doctor.machine import Machine
from fathom_lab.errors import LabError

# Changes are made in this order and undone in reverse order: under the governor `performance`, a driver rejects every
# other energy preference, so the energy preference comes first and goes last. No other path is ever written, whatever a
# state file contains.
_CPU = "/sys/devices/system/cpu"
CHANGEABLE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_CPU}/(cpufreq/policy[0-9]+|cpu[0-9]+/cpufreq)/energy_performance_preference",
        rf"{_CPU}/(cpufreq/policy[0-9]+|cpu[0-9]+/cpufreq)/scaling_governor",
        rf"{_CPU}/intel_pstate/no_turbo",
        rf"{_CPU}/cpufreq/(policy[0-9]+/)?boost",
        r"/sys/kernel/mm/transparent_hugepage/enabled",
        r"/proc/sys/kernel/(numa_balancing|nmi_watchdog|randomize_va_space|perf_event_paranoid)",
    )
)
_VALUE = re.compile(r"[a-z0-9_-]{1,40}")
_VERSION = 1


@dataclasses.dataclass(frozen=True)
class Step:
    """One value, and whether it was changed."""

    path: str
    old: str  # before
    new: str  # requested
    problem: str = ""  # why it was not changed
    left: bool = False  # left alone on purpose, which is not a failure


@dataclasses.dataclass(frozen=True)
class _Record:
    """What --undo needs to restore one value."""

    path: str
    old: str  # before the first --apply
    new: str  # what doctor set


def state_file() -> Path:
    """The default path of the state file."""
    home = os.environ.get("XDG_STATE_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state"
    return base / "fathom-lab" / "doctor.json"


def apply(machine: Machine, findings: Iterable[Finding], file: Path) -> list[Step]:
    """Makes the changes that the findings recommend. Raises LabError, with nothing changed, if none is permitted."""
    changes = sorted((change for one in findings for change in one.changes), key=lambda change: _place(change.path))
    if not changes:
        return []
    _check_rights(machine, changes)
    with _State(machine, file) as state:
        before = {change.path: machine.chosen(change.path) for change in changes}
        known = {record.path: record for record in state.records}
        for change in changes:
            old = before[change.path]
            if old is not None and _is_value(old):  # values that could not be restored are not changed
                record = known.get(change.path)
                first = record.old if record and old == record.new else old  # else others set it
                known[change.path] = _Record(change.path, first, change.value)
        state.save(known.values())
        steps = [_set(machine, one.path, before[one.path], one.value, one.path in known) for one in changes]
        # Values that could not be changed need no undoing.
        untouched = {step.path for step in steps if step.problem and machine.chosen(step.path) == step.old}
        earlier = {record.path for record in state.records}
        steps += state.finish(record for path, record in known.items() if path in earlier or path not in untouched)
    return steps


def undo(machine: Machine, file: Path) -> list[Step]:
    """Restores the old values, the last change first, where the current value is still the one that doctor set."""
    try:
        file.stat()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LabError(f"{file} cannot be read: {error.strerror}") from error
    with _State(machine, file) as state:
        records = sorted(state.records, key=lambda one: _place(one.path), reverse=True)
        steps = [_restore(machine, record) for record in records]
        # A crash before this is harmless: the next --undo finds that these values are already restored.
        return steps + state.finish(record for record, step in zip(records, steps) if step.problem and not step.left)


def _restore(machine: Machine, record: _Record) -> Step:
    now = machine.chosen(record.path)
    step = Step(record.path, record.new, record.old)
    if now == record.old:
        return step
    if now is None:
        return dataclasses.replace(step, problem=machine.unavailable(record.path))
    if now != record.new:
        return dataclasses.replace(step, problem=f"it was changed to {now[:40]} by others", left=True)
    return _set(machine, record.path, now, record.old, True)


def _set(machine: Machine, path: str, old: str | None, new: str, recorded: bool) -> Step:
    step = Step(path, old or "", new)
    if not recorded:
        return dataclasses.replace(step, problem="its old value cannot be read, so it could not be restored later")
    try:
        machine.write(path, new)
    except OSError as error:
        return dataclasses.replace(step, problem=error.strerror or str(error))
    now = machine.chosen(path)
    if now != new:
        return dataclasses.replace(step, problem=f"the kernel accepted it, but it is {(now or 'unreadable')[:40]}")
    return step


def _place(path: str) -> int:
    """The position in the order of changes. Raises ValueError for a path that must not be changed."""
    for place, pattern in enumerate(CHANGEABLE):
        if pattern.fullmatch(path):
            return place
    raise ValueError(f"doctor does not change {path}")


def _is_value(text: object) -> bool:
    return isinstance(text, str) and _VALUE.fullmatch(text) is not None


def _check_rights(machine: Machine, changes: Sequence[Change]) -> None:
    if any(machine.writable(change.path) for change in changes):
        return
    reason = "it needs root" if os.geteuid() != 0 else "/sys and /proc are read-only here, as in a container"
    raise LabError(
        f"nothing was changed: no permission to write {changes[0].path}: {reason}; "
        + ("run it with sudo" if os.geteuid() != 0 else "run it on the host")
    )


class _State:
    """The state file, locked for one process at a time. Home directories may be shared, so it keeps the records of each
    machine separately."""

    def __init__(self, machine: Machine, file: Path):
        self._file = file
        self._host = machine.text("/proc/sys/kernel/hostname") or ""
        self._boot = machine.text("/proc/sys/kernel/random/boot_id") or "unknown"
        self._boots: dict[str, Any] = {}
        self._lock = contextlib.ExitStack()
        self.records: tuple[_Record, ...] = ()

    def __enter__(self) -> _State:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            # The folder may belong to a user while this runs as root: do not follow links.
            lock = os.open(f"{self._file}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            self._lock.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._load()
        except OSError as error:
            self._lock.close()
            raise LabError(f"nothing was changed: {self._file} cannot be used: {error.strerror}") from error
        except LabError:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def save(self, records: Iterable[_Record]) -> None:
        """Saves atomically and durably: after a crash the old or the new file is there. Raises LabError."""
        kept = [dataclasses.asdict(record) for record in records]
        # A reboot has undone all earlier changes.
        boots = {boot: one for boot, one in self._boots.items() if boot != self._boot and one["host"] != self._host}
        if kept:
            boots[self._boot] = {"host": self._host, "changes": kept}
        try:
            if boots:
                _replace(self._file, json.dumps({"version": _VERSION, "boots": boots}, indent=2) + "\n")
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise LabError(f"nothing was changed: {self._file} cannot be written: {error.strerror}") from error

    def finish(self, records: Iterable[_Record]) -> list[Step]:
        """Saves after the changes. If that fails, the file lists too many values, which is harmless, so the failure is
        only reported."""
        try:
            self.save(records)
        except LabError:
            return [Step(str(self._file), "", "", "it cannot be written, and still lists values that need no undoing")]
        return []

    def _load(self) -> None:
        try:
            table = json.loads(self._file.read_bytes())
            if table["version"] != _VERSION or not all(isinstance(one["host"], str) for one in table["boots"].values()):
                raise self._damaged()
            self._boots = table["boots"]
            mine = self._boots.get(self._boot, {"changes": []})
            self.records = tuple(_record(one) for one in mine["changes"])
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._damaged() from None

    def _damaged(self) -> LabError:
        return LabError(
            f"nothing was changed: {self._file} is damaged, and old values may be lost; restore the values that it "
            "lists by hand, then remove it"
        )


def _record(table: Any) -> _Record:
    """Parses a record. Raises TypeError or ValueError for one that doctor cannot have written: root must not trust a
    file blindly."""
    record = _Record(**table)
    _place(record.path)
    if not _is_value(record.old) or not _is_value(record.new):
        raise ValueError(f"invalid value for {record.path}")
    return record


def _replace(file: Path, text: str) -> None:
    with _temporary(file) as (descriptor, name):
        with os.fdopen(descriptor, "w") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def _temporary(file: Path) -> Iterator[tuple[int, str]]:
    descriptor, name = tempfile.mkstemp(prefix=file.name + ".", dir=file.parent)
    try:
        yield descriptor, name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
