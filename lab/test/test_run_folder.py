from __future__ import annotations

import dataclasses
import errno
import json
import os
from pathlib import Path

import pytest

from fathom_lab import experiment
from fathom_lab.errors import LabError
from fathom_lab.records import Launch
from fathom_lab.run_folder import RunFolder, Settings
from running_fakes import described, new_folder


def launch(number: int, contender: str = "old") -> Launch:
    return Launch(number, 0, contender, (("threads", 2),), 12.5, ({"time": 1e-9},), {"steal": 0.0})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    one = described(parameters={"threads": [1, 2]}, skip=[{"contender": "new", "threads": 2}], seed_table={"rows": [1]},
                    measures=["time", {"name": "spins", "exact": True}], about="text",
                    goal=[{"at_most": 1.5, "of": "new"}], build=[["make"]],
                    smoke={"rounds": 1, "parameters": {"threads": [1]}})
    settings = Settings(seed=3, root=str(tmp_path), roots={"new": "elsewhere"}, source="a.toml", cpus=(0, 1), nice=-5,
                        counters=True, revisions=("a", "b"), missing={"x": "y"}, complete=True)
    folder = RunFolder.create(tmp_path, {"host": "here", "commit": "unknown"})
    folder.add(one, settings, b"# as it was")
    folder.append("which", [launch(0), launch(0, "new")])
    folder.append("which", [launch(1)])
    again = RunFolder(folder.path)
    assert again.experiment("which") == one
    assert again.settings("which") == settings
    assert again.toml("which") == b"# as it was"
    assert again.launches("which") == [launch(0), launch(0, "new"), launch(1)]
    assert again.names() == ["which"]


@pytest.mark.parametrize("smaller", ["smoke", "only"])
def test_an_experiment_is_kept_in_the_size_in_which_it_ran(tmp_path: Path, smaller: str) -> None:
    one = described(("old", "new", "newer"), parameters={"threads": [1, 2]},
                    skip=[{"contender": "new", "threads": 2}, {"contender": "newer", "threads": 1}],
                    smoke={"rounds": 1, "parameters": {"threads": [1]}})
    one = one.in_smoke_size() if smaller == "smoke" else one.only(["newer"])
    kept = new_folder(tmp_path, one).experiment("which")
    assert kept == one
    assert [one["contender"] for one in kept.skip] == ["newer"]


def test_a_place_that_is_in_a_round_twice_is_damage(tmp_path: Path) -> None:
    """This would happen if two processes wrote at the same time."""
    folder = new_folder(tmp_path, described())
    folder.append("which", [launch(0), launch(0, "new")])
    folder.append("which", [launch(0)])
    with pytest.raises(LabError, match="is damaged: old is in round 0 twice"):
        folder.launches("which")


def test_locks_nest_and_are_given_back(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, described())
    with folder.locked(), folder.locked():
        with pytest.raises(LabError, match="another fathom-lab"), RunFolder(folder.path).locked():
            pass
    with RunFolder(folder.path).locked():
        pass


def test_drafts_of_two_who_write_are_not_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = new_folder(tmp_path, described())
    drafts = []
    monkeypatch.setattr(os, "replace", lambda draft, path: drafts.append(draft))
    folder.note(["a"])
    folder.note(["b"])
    assert len(set(drafts)) == 2


def test_an_experiment_cannot_take_the_name_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "environment.toml").write_text(
        'question = "?"\nbaseline = "a"\n[[contender]]\nname = "a"\ndriver = "command"\ncommand = ["a"]\n')
    with pytest.raises(LabError, match="the name environment is reserved"):
        experiment.load(tmp_path / "environment.toml")


def test_folders_of_the_same_day_and_commit_get_a_number(tmp_path: Path) -> None:
    facts = {"host": "a host/with signs", "commit": "0123456789abcdef"}
    names = [RunFolder.create(tmp_path / "runs", facts).path.name for _ in range(3)]
    assert names[0].endswith("-a_host_with_signs-0123456789")
    assert names[1:] == [f"{names[0]}-2", f"{names[0]}-3"]


@pytest.mark.parametrize("kept", range(1, 200, 13))
def test_a_torn_round_is_not_read_wherever_it_is_torn(tmp_path: Path, kept: int) -> None:
    folder = new_folder(tmp_path, described())
    folder.append("which", [launch(0), launch(0, "new")])
    file = folder.path / "which.launches.jsonl"
    whole = file.read_bytes()
    folder.append("which", [launch(1), launch(1, "new")])
    file.write_bytes(file.read_bytes()[: len(whole) + kept])
    assert folder.launches("which") == [launch(0), launch(0, "new")]
    folder.cut("which")
    assert file.read_bytes() == whole


def test_a_round_without_its_last_launch_is_torn(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, described())
    file = folder.path / "which.launches.jsonl"
    file.write_text(launch(0).to_json() + "\n")  # complete lines, but the end of the round is missing
    assert folder.launches("which") == []


def test_a_damaged_line_within_is_reported_with_its_place(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, described())
    for line in ("{", "5", '{"round": 1}', "\xff"):
        (folder.path / "which.launches.jsonl").write_bytes(line.encode("latin-1") + b"\n\n")
        with pytest.raises(LabError, match=r"which.launches.jsonl:1 is damaged"):
            folder.launches("which")


def test_a_full_disk_keeps_the_rounds_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = new_folder(tmp_path, described())
    folder.append("which", [launch(0)])
    size = (folder.path / "which.launches.jsonl").stat().st_size

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(LabError, match="No space left on device; earlier rounds are kept"):
            folder.append("which", [launch(1)])
    assert (folder.path / "which.launches.jsonl").stat().st_size == size
    folder.append("which", [launch(1)])
    assert [one.round for one in folder.launches("which")] == [0, 1]


def test_a_folder_that_is_not_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="is not the folder of a run"):
        RunFolder(tmp_path)


def test_two_experiments_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, described())
    with pytest.raises(LabError, match="two experiments have the name which"):
        folder.add(described(), Settings(1, "/"))


def test_settings_of_another_version_are_refused(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, described())
    file = folder.path / "which.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "future": 1}))
    with pytest.raises(LabError, match="another version of the lab"):
        folder.settings("which")


def test_a_setting_changes_alone(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, described())
    before = folder.settings("which")
    folder.change("which", complete=True)
    assert folder.settings("which") == dataclasses.replace(before, complete=True)
    assert folder.experiment("which") == described()


def test_the_baseline_once_more_has_the_project_of_the_baseline() -> None:
    settings = Settings(1, "/root", roots={"old": "/first", "new": "/second"})
    roots = settings.roots_of(described(("old", "new", "other")))
    assert roots == {"old": Path("/first"), "new": Path("/second"), "other": Path("/root"), "again": Path("/first")}
