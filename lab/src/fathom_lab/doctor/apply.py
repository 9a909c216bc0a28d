"""What --apply changes, and how --undo takes it back.

Only values of the kernel's that hold until the machine restarts, that one write sets and one write restores. Left alone
are: swappiness and swap (no harm while memory is free), SMT (switching processors off takes them out of control groups,
and on again does not put them back), ASLR being on (it is what rounds average over), kptr_restrict and io_uring (they
guard the kernel), services, limits of containers, and all that needs a restart.

The old values are in the state file before the first of them is changed. So a crash at any moment can be undone.
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

# Changes are made in this order and undone backwards: under the governor `performance` a driver refuses every other
# energy preference, so that comes first and goes last. Nothing else is ever written, whatever a state file says.
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
    """One value, and what became of it."""

    path: str
    old: str  # before
    new: str  # wanted
    problem: str = ""  # why it has not come about
    left: bool = False  # on purpose, which is no failure


@dataclasses.dataclass(frozen=True)
class _Record:
    """What --undo has to know."""

    path: str
    old: str  # before the first --apply
    new: str  # what doctor set


def state_file() -> Path:
    """Where it is, unless somebody says otherwise."""
    home = os.environ.get("XDG_STATE_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state"
    return base / "fathom-lab" / "doctor.json"


def apply(machine: Machine, findings: Iterable[Finding], file: Path) -> list[Step]:
    """Makes the changes that the findings ask for. Raises LabError, with nothing changed, if it may make none."""
    changes = sorted((change for one in findings for change in one.changes), key=lambda change: _place(change.path))
    if not changes:
        return []
    _check_rights(machine, changes)
    with _State(machine, file) as state:
        before = {change.path: machine.chosen(change.path) for change in changes}
        known = {record.path: record for record in state.records}
        for change in changes:
            old = before[change.path]
            if old is not None and _is_value(old):  # a value that could not be restored stays
                record = known.get(change.path)
                first = record.old if record and old == record.new else old  # else somebody else has set it since
                known[change.path] = _Record(change.path, first, change.value)
        state.save(known.values())
        steps = [_set(machine, one.path, before[one.path], one.value, one.path in known) for one in changes]
        # What was not changed after all needs no undoing.
        untouched = {step.path for step in steps if step.problem and machine.chosen(step.path) == step.old}
        earlier = {record.path for record in state.records}
        steps += state.settle(record for path, record in known.items() if path in earlier or path not in untouched)
    return steps


def undo(machine: Machine, file: Path) -> list[Step]:
    """Restores the old values, the last change first, where they are still what doctor set."""
    try:
        file.stat()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LabError(f"{file} cannot be read: {error.strerror}") from error
    with _State(machine, file) as state:
        records = sorted(state.records, key=lambda one: _place(one.path), reverse=True)
        steps = [_restore(machine, record) for record in records]
        # Until here a crash costs nothing: what is restored already is found so by the next --undo.
        return steps + state.settle(record for record, step in zip(records, steps) if step.problem and not step.left)


def _restore(machine: Machine, record: _Record) -> Step:
    now = machine.chosen(record.path)
    step = Step(record.path, record.new, record.old)
    if now == record.old:
        return step
    if now is None:
        return dataclasses.replace(step, problem=machine.why_not(record.path))
    if now != record.new:
        return dataclasses.replace(step, problem=f"somebody else has set it to {now[:40]} since", left=True)
    return _set(machine, record.path, now, record.old, True)


def _set(machine: Machine, path: str, old: str | None, new: str, recorded: bool) -> Step:
    step = Step(path, old or "", new)
    if not recorded:
        return dataclasses.replace(step, problem="its old value cannot be read, so it could not be restored")
    try:
        machine.write(path, new)
    except OSError as error:
        return dataclasses.replace(step, problem=error.strerror or str(error))
    now = machine.chosen(path)
    if now != new:
        return dataclasses.replace(step, problem=f"the kernel took it, but the value is {(now or 'unreadable')[:40]}")
    return step


def _place(path: str) -> int:
    """In the order of changes; raises ValueError for what is not to be changed."""
    for place, pattern in enumerate(CHANGEABLE):
        if pattern.fullmatch(path):
            return place
    raise ValueError(f"{path} is not for doctor to change")


def _is_value(text: object) -> bool:
    return isinstance(text, str) and _VALUE.fullmatch(text) is not None


def _check_rights(machine: Machine, changes: Sequence[Change]) -> None:
    if any(machine.writable(change.path) for change in changes):
        return
    reason = "only root may" if os.geteuid() != 0 else "/sys and /proc are read-only here, as in a container"
    raise LabError(
        f"nothing was changed: no right to write {changes[0].path}: {reason}; "
        + ("run it with sudo" if os.geteuid() != 0 else "run it on the host")
    )


class _State:
    """The state file, for one process at a time. Homes may be shared, so it keeps the records of machines apart."""

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
            # Root may work in a user's folder here, so no link is followed.
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
        """At once and on the disk: a crash leaves the old file or the new one. Raises LabError."""
        kept = [dataclasses.asdict(record) for record in records]
        # A restart has undone what was changed before it.
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

    def settle(self, records: Iterable[_Record]) -> list[Step]:
        """Saves when all is done. The file may then hold too much, which harms nobody, so a failure is only told."""
        try:
            self.save(records)
        except LabError:
            return [Step(str(self._file), "", "", "it cannot be written, and names values that need no undoing")]
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
            f"nothing was changed: {self._file} is damaged, and old values may be lost with it; look into it, restore "
            "what it names by hand, and remove it"
        )


def _record(table: Any) -> _Record:
    """Raises TypeError or ValueError for one that doctor cannot have written: root obeys no file blindly."""
    record = _Record(**table)
    _place(record.path)
    if not _is_value(record.old) or not _is_value(record.new):
        raise ValueError(f"{record.path} cannot have had such a value")
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
