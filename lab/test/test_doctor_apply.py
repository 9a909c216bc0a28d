"""Tests of --apply and --undo, with folders as machines."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fathom_lab import doctor
from fathom_lab.doctor import apply as changes
from fathom_lab.doctor.machine import Machine
from fathom_lab.errors import LabError
from test_doctor import CPU, build, guest, laptop, server

GOVERNOR = f"{CPU}/cpufreq/policy0/scaling_governor"
PREFERENCE = f"{CPU}/cpufreq/policy0/energy_performance_preference"
EACH_GOVERNOR = f"{CPU}/cpufreq/policy*/scaling_governor"
TURBO = f"{CPU}/intel_pstate/no_turbo"
HUGE = "/sys/kernel/mm/transparent_hugepage/enabled"


class Kernel(Machine):
    """A folder that behaves like the kernel: choices in brackets, and rejected writes."""

    def write(self, path: str, value: str) -> None:
        real = self.root / path.lstrip("/")
        governor = real.parent / "scaling_governor"
        is_performance = governor.exists() and governor.read_text().strip() == "performance"
        if path.endswith("energy_performance_preference") and is_performance and value != "performance":
            raise OSError(16, "Device or resource busy")
        if path == HUGE:
            value = "always madvise never".replace(value, f"[{value}]")
        super().write(path, value)


class Dead(BaseException):
    """Simulates the death of the process."""


@dataclasses.dataclass(frozen=True)
class Dying(Kernel):
    """Dies instead of the n-th write, counted from 0."""

    left: list[int] = dataclasses.field(default_factory=lambda: [0])

    def write(self, path: str, value: str) -> None:
        if self.left[0] == 0:
            raise Dead
        self.left[0] -= 1
        super().write(path, value)


@dataclasses.dataclass(frozen=True)
class Refusing(Kernel):
    """Rejects writes of some values."""

    refused: tuple[str, ...] = ()

    def write(self, path: str, value: str) -> None:
        if path in self.refused:
            raise PermissionError(1, "Operation not permitted")
        super().write(path, value)


def kernel(root: Path, files: dict[str, str], kind: type[Machine] = Kernel, **more: Any) -> Machine:
    one = build(root, files)
    return kind(one.root, one.wait, one.run, one.ask_kernel, one.pid, one.spin, **more)


def values(one: Machine) -> dict[str, str]:
    """The values of all settings that doctor can change."""
    found = {}
    for file in one.root.rglob("*"):
        path = "/" + str(file.relative_to(one.root))
        if file.is_file() and any(pattern.fullmatch(path) for pattern in changes.CHANGEABLE):
            found[path] = one.chosen(path) or ""
    return found


def command(one: Machine, state: Path, apply: bool = False, undo: bool = False) -> tuple[int, str]:
    out = io.StringIO()
    code = doctor.command(apply, undo, False, state, out, one)
    return code, out.getvalue()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skips fsync: tests do not simulate power failures, and a busy disk would be slow."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "home" / "fathom-lab" / "doctor.json"


def test_apply_sets_the_machine_up_and_undo_restores_every_value(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    code, text = command(one, state, apply=True)
    assert code == 1  # the warning about SMT remains
    assert f"changed: {EACH_GOVERNOR} (4 values): powersave -> performance" in text
    assert f"changed: {TURBO}: 0 -> 1" in text
    assert text.endswith("1 thing disturbs measurements; 0 cannot be seen from here.\n")
    after = values(one)
    assert (after[GOVERNOR], after[PREFERENCE]) == ("performance", "performance")
    assert (after[TURBO], after[HUGE]) == ("1", "madvise")
    assert after["/proc/sys/kernel/nmi_watchdog"] == "0"
    assert after["/proc/sys/kernel/perf_event_paranoid"] == "2"
    code, text = command(one, state, undo=True)
    assert code == 0
    assert f"changed: {EACH_GOVERNOR} (4 values): performance -> powersave" in text
    assert values(one) == before
    assert not state.exists()


def test_the_old_values_are_on_the_disk_before_the_first_write(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop(), Dying)
    with pytest.raises(Dead):
        command(one, state, apply=True)
    table = json.loads(state.read_text())
    old = {change["path"]: change["old"] for change in table["boots"]["1a2b"]["changes"]}
    assert old == {path: value for path, value in values(one).items() if path in old}
    assert (old[GOVERNOR], old[TURBO], old[HUGE]) == ("powersave", "0", "always")


@pytest.mark.parametrize("writes", range(13))
def test_a_crash_at_any_moment_of_apply_can_be_undone(tmp_path: Path, state: Path, writes: int):
    root = tmp_path / "root"
    dying = kernel(root, laptop(), Dying, left=[writes])
    before = values(dying)
    with contextlib.suppress(Dead):
        command(dying, state, apply=True)
    assert command(Kernel(root, dying.wait), state, undo=True)[0] == 0
    assert values(dying) == before
    assert not state.exists()


@pytest.mark.parametrize("writes", range(12))
def test_a_crash_at_any_moment_of_undo_can_be_undone_again(tmp_path: Path, state: Path, writes: int):
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    command(one, state, apply=True)
    with pytest.raises(Dead):
        command(Dying(one.root, one.wait, left=[writes]), state, undo=True)
    assert command(one, state, undo=True)[0] == 0
    assert values(one) == before


def test_a_second_apply_keeps_the_first_old_values(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    command(one, state, apply=True)
    command(one, state, apply=True)  # nothing to change
    assert command(one, state, undo=True)[0] == 0
    assert values(one) == before


def test_a_value_set_by_others_between_two_applies_is_restored(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    command(one, state, apply=True)
    one.write(GOVERNOR, "schedutil")
    command(one, state, apply=True)
    assert values(one)[GOVERNOR] == "performance"
    assert command(one, state, undo=True)[0] == 0
    assert values(one) == {**before, GOVERNOR: "schedutil"}


def test_a_value_that_others_have_changed_is_left_alone(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    command(one, state, apply=True)
    one.write(GOVERNOR, "schedutil")
    code, text = command(one, state, undo=True)
    assert code == 0
    assert f"left alone: {GOVERNOR}: it was changed to schedutil by others" in text
    assert values(one)[GOVERNOR] == "schedutil"
    assert values(one)[TURBO] == "0"
    assert command(one, state, undo=True)[1] == "Nothing to undo.\n"


def test_a_value_that_is_restored_already_is_not_written_again(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    command(one, state, apply=True)
    one.write(TURBO, "0")
    refusing = Refusing(one.root, one.wait, one.run, one.ask_kernel, one.pid, one.spin, (TURBO,))
    code, text = command(refusing, state, undo=True)
    assert code == 0
    assert "left alone" not in text
    assert not state.exists()


def test_undo_runs_in_reverse_order_because_a_driver_requires_it(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    _, text = command(one, state, apply=True)
    assert text.index("energy_performance") < text.index("scaling_governor")
    _, text = command(one, state, undo=True)
    assert text.index("scaling_governor") < text.index("energy_performance")
    assert values(one)[PREFERENCE] == "balance_performance"


def test_a_value_that_cannot_be_changed_is_reported_and_the_others_stay_recorded(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop(), Refusing, refused=(TURBO,))
    before = values(one)
    code, text = command(one, state, apply=True)
    assert code == 2
    assert f"not changed: {TURBO}: Operation not permitted" in text
    assert values(one)[GOVERNOR] == "performance"
    assert TURBO not in state.read_text()
    assert command(one, state, undo=True)[0] == 0
    assert values(one) == before


def test_a_value_that_cannot_be_restored_stays_recorded(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    command(one, state, apply=True)
    refusing = Refusing(one.root, one.wait, one.run, one.ask_kernel, one.pid, one.spin, (TURBO,))
    code, text = command(refusing, state, undo=True)
    assert code == 2
    assert f"not changed: {TURBO}: Operation not permitted" in text
    assert command(one, state, undo=True)[0] == 0
    assert values(one) == before


def test_a_write_that_the_kernel_ignores_is_reported(tmp_path: Path, state: Path):
    class Deaf(Kernel):
        def write(self, path: str, value: str) -> None:
            if path != TURBO:
                super().write(path, value)

    one = kernel(tmp_path / "root", laptop(), Deaf)
    code, text = command(one, state, apply=True)
    assert code == 2
    assert f"not changed: {TURBO}: the kernel accepted it, but it is 0" in text


def test_without_the_right_to_write_it_refuses_and_leaves_no_trace(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Machine, "writable", lambda *_: False)
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    with pytest.raises(LabError, match="nothing was changed: no permission to write"):
        command(one, state, apply=True)
    assert values(one) == before
    assert not state.parent.exists()


def test_where_the_state_cannot_be_written_nothing_is_changed(tmp_path: Path):
    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="nothing was changed"):
        command(one, tmp_path / "file" / "doctor.json", apply=True)
    assert values(one) == before


def test_a_full_disk_leaves_machine_and_old_state_as_they_were(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    one = kernel(tmp_path / "root", laptop())
    before = values(one)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LabError, match="No space left on device"):
        command(one, state, apply=True)
    assert values(one) == before
    assert [file.name for file in state.parent.iterdir()] == ["doctor.json.lock"]


def change(path: str, old: str = "a", new: str = "b") -> str:
    boots = {"1a2b": {"host": "quiet", "changes": [{"path": path, "old": old, "new": new}]}}
    return json.dumps({"version": 1, "boots": boots})


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "\0",
        '"text"',
        '{"version": 2, "boots": {}}',
        '{"version": 1, "boots": []}',
        '{"version": 1, "boots": {"1a2b": {"host": "quiet"}}}',
        '{"version": 1, "boots": {"1a2b": {"host": "quiet", "changes": [5]}}}',
        "[" * 100_000,
        change("/etc/passwd"),
        change(f"{GOVERNOR}/../../../../../../../etc/passwd"),
        change(GOVERNOR, old="powersave\nmore"),
        change(GOVERNOR, old="x" * 100),
    ],
)
@pytest.mark.parametrize("undo", [False, True])
def test_a_state_file_that_doctor_cannot_have_written_is_rejected(
    tmp_path: Path, state: Path, content: str, undo: bool
):
    one = kernel(tmp_path / "root", {**laptop(), "/etc/passwd": "b"})
    before = values(one)
    state.parent.mkdir(parents=True)
    state.write_text(content)
    with pytest.raises(LabError, match="is damaged"):
        command(one, state, apply=not undo, undo=undo)
    assert values(one) == before
    assert (one.root / "etc/passwd").read_text() == "b"
    assert state.read_text() == content


def test_a_reboot_undoes_everything(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    command(one, state, apply=True)
    (one.root / "proc/sys/kernel/random/boot_id").write_text("3c4d\n")
    after = values(one)  # as if others had made them last
    assert command(one, state, undo=True) == (0, "Nothing to undo.\n")
    assert values(one) == after


def test_machines_that_share_a_home_keep_their_own_values(tmp_path: Path, state: Path):
    first = kernel(tmp_path / "first", laptop())
    files = {**laptop(), "/proc/sys/kernel/hostname": "other\n", "/proc/sys/kernel/random/boot_id": "9f\n"}
    second = kernel(tmp_path / "second", files)
    before = values(first), values(second)
    command(first, state, apply=True)
    command(second, state, apply=True)
    assert command(first, state, undo=True)[0] == 0
    assert command(second, state, undo=True)[0] == 0
    assert (values(first), values(second)) == before


def test_apply_says_when_there_is_nothing_to_change(tmp_path: Path, state: Path):
    code, text = command(kernel(tmp_path / "root", server()), state, apply=True)
    assert code == 0
    assert text.startswith("--apply has nothing to change here.\n")
    code, text = command(kernel(tmp_path / "guest", guest()), state, apply=True)
    assert code == 0
    assert not state.exists()


def test_apply_and_undo_together_are_a_usage_error(tmp_path: Path, state: Path):
    with pytest.raises(LabError, match="mutually exclusive"):
        command(kernel(tmp_path / "root", laptop()), state, apply=True, undo=True)


def test_json_shows_the_changes(tmp_path: Path, state: Path):
    one = kernel(tmp_path / "root", laptop())
    out = io.StringIO()
    doctor.command(True, False, True, state, out, one)
    made = {step["path"]: step for step in json.loads(out.getvalue())["changes"]}
    assert made[TURBO] == {"path": TURBO, "old": "0", "new": "1", "problem": "", "left": False}
    out = io.StringIO()
    doctor.command(False, True, True, state, out, one)
    assert "findings" not in json.loads(out.getvalue())


def test_all_changes_of_findings_are_permitted(tmp_path: Path):
    files = {**laptop(), "/proc/sys/kernel/randomize_va_space": "0", "/proc/sys/kernel/numa_balancing": "1"}
    files["/sys/devices/system/node/node1/online"] = ""
    wanted = [one for finding in doctor.examine(build(tmp_path, files)) for one in finding.changes]
    assert len({one.path.rpartition("/")[2] for one in wanted}) == 8
    assert all(any(pattern.fullmatch(one.path) for pattern in changes.CHANGEABLE) for one in wanted)


def test_the_state_is_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert changes.state_file() == tmp_path / "fathom-lab" / "doctor.json"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/someone")
    assert changes.state_file() == Path("/home/someone/.local/state/fathom-lab/doctor.json")
