"""The history of measures over commits."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fathom_lab import experiment
from fathom_lab.cli import main
from fathom_lab.records import Launch
from fathom_lab.run_folder import RunFolder, Settings

pytest.importorskip("matplotlib")
FACTS = {"host": "here", "processor": "one", "processors_online": 2, "kernel": "6"}


def lab(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    try:
        git("init", "--quiet")
    except FileNotFoundError:
        pytest.skip("git is not installed")
    return tmp_path


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], check=True, text=True,
                          capture_output=True).stdout.strip()


def commit(subject: str) -> str:
    git("commit", "--quiet", "--allow-empty", "--message", subject)
    return git("rev-parse", "HEAD")


def measured(commit: str, new: float, old: float = 1.0, options: str = "new", settings: dict[str, Any] | None = None,
             **facts: Any) -> RunFolder:
    """A run with three rounds."""
    contenders = [{"name": "old", "driver": "command", "command": ["old"]},
                  {"name": "new", "driver": "command", "command": [options]}]
    one = experiment.parse({"question": "Which?", "baseline": "old", "contender": contenders}, "which")
    began = f"2026-01-01T00:00:{len(list(Path('.').glob('runs/*'))):02}"
    folder = RunFolder.create(Path("runs"), {**FACTS, "began": began, "commit": commit, **facts})
    folder.add(one, Settings(1, str(Path.cwd()), complete=True, **(settings or {})))
    for number in range(3):
        folder.append("which", [Launch(number, 0, name, (), 0.0, ({"time": value * (1 + number / 100)},))
                                for name, value in (("old", old), ("new", new))])
    return folder


def history_of(values: list[float], **more: Any) -> list[str]:
    commits = [commit(f"Change {number}") for number in range(len(values))]
    for one, value in zip(commits, values):
        measured(one, value, **more)
    return commits


WOBBLE = [1.0, 1.01, 0.99, 1.0, 1.005]


def test_the_commit_that_made_it_slower_is_named() -> None:
    commits = history_of([*WOBBLE, *(1.2 * one for one in WOBBLE)])
    result = lab("history")
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "which: new, time relative to old: 10 commits, 1 change" in text
    assert f"20 % more (worse) by {commits[5][:10]} Change 5" in text
    assert all(one[:10] in text for one in commits)


def test_a_subject_cannot_control_the_terminal() -> None:
    for number, value in enumerate([*WOBBLE, *(1.2 * one for one in WOBBLE)]):
        measured(commit(f"Change {number} \x1b[31mred"), value)
    output = lab("history").output
    assert "\x1b" not in output and "\\x1b[31mred" in output


def test_commits_that_were_not_measured_are_suspects_too() -> None:
    commits = [commit(f"Change {number}") for number in range(12)]
    for one, value in zip(commits[:5] + commits[7:], [*WOBBLE, *(0.5 * one for one in WOBBLE)]):
        measured(one, value)
    text = " ".join(lab("history").output.split())
    assert f"50 % less (better) by one of 3 commits after {commits[4][:10]} up to {commits[7][:10]} Change 7" in text


def test_a_slow_machine_slows_both_and_changes_no_ratio() -> None:
    commits = [commit(f"Change {number}") for number in range(10)]
    for number, one in enumerate(commits):
        slow = 2.0 if number >= 5 else 1.0
        measured(one, WOBBLE[number % 5] * slow, old=slow)
    assert "10 commits, no change" in lab("history").output
    absolute = " ".join(lab("history", "--absolute").output.split())
    assert "which: old, time: 10 commits, 1 change" in absolute and "100 % more (worse)" in absolute
    assert "note: values of different runs also differ because the machine does" in absolute


def test_absolute_values_are_those_of_the_last_machine() -> None:
    commits = [commit(f"Change {number}") for number in range(3)]
    for one, host in zip(commits, ("there", "here", "here")):
        measured(one, 1.0, host=host)
    assert "3 commits" in lab("history").output
    assert "which: new, time: 2 commits" in lab("history", "--absolute").output


def test_runs_of_one_commit_are_one_value() -> None:
    one = commit("Change")
    for value in (1.0, 2.0, 4.0):
        measured(one, value)
    output = lab("history").output
    assert "1 commit, at least 8 are needed" in output and "2.00  Change" in output


def test_runs_that_are_not_of_a_commit_do_not_count() -> None:
    one = commit("Change")
    measured(one, 1.0)
    measured(one, 9.0, dirty=True)
    measured("unknown", 9.0)
    measured(one, 9.0, settings={"revisions": ("main", ".")})
    output = lab("history").output
    assert "not shown: 1 run of uncommitted changes" in output and "not shown: 1 run without a commit" in output
    assert "not shown: 1 run that compare" not in output and "not shown: 1 run with two revisions" in output
    assert "1.000  Change" in output


def test_a_damaged_run_does_not_cost_the_others() -> None:
    one = commit("Change")
    measured(one, 1.0)
    (measured(one, 9.0).path / "which.json").write_text("{")
    (measured(one, 9.0).path / "environment.json").write_text("{")
    output = " ".join(lab("history").output.split())
    assert "not shown: 1 run that cannot be read: " in output and "which.json is not valid JSON" in output
    assert "environment.json is not valid JSON" in output and "1.000 Change" in output


def test_runs_of_another_machine_are_of_the_project_here(repository: Path) -> None:
    commits = [commit(f"Change {number}") for number in range(10)]
    for one in commits:
        folder = measured(one, 1.0)
        folder.change("which", root="/gone")
    assert "Change 9" in lab("history").output


def test_the_order_is_that_of_git_not_of_the_runs() -> None:
    commits = [commit(f"Change {number}") for number in range(10)]
    values = [*WOBBLE, *(1.2 * one for one in WOBBLE)]
    for one, value in reversed(list(zip(commits, values))):
        measured(one, value)
    assert f"by {commits[5][:10]} Change 5" in " ".join(lab("history").output.split())


def test_commits_that_the_repository_does_not_have_keep_the_order_of_the_runs() -> None:
    for number in range(10):
        measured(f"{number:x}" * 40, [1.0, 1.5][number >= 5] * WOBBLE[number % 5])
    assert "by a commit after 4444444444 up to 5555555555" in " ".join(lab("history").output.split())


def test_a_change_of_the_experiment_is_mentioned() -> None:
    commits = [commit(f"Change {number}") for number in range(10)]
    for number, one in enumerate(commits):
        measured(one, 1.3 if number >= 5 else 1.0, options="new --slow" if number >= 5 else "new")
    assert "the experiment's options of new changed as well" in " ".join(lab("history").output.split())


def test_only_the_last_commits_and_those_of_changes_are_listed() -> None:
    commits = history_of([*WOBBLE, *(1.2 * one for one in WOBBLE), *(1.2 * one for one in WOBBLE)])
    lines = lab("history", "--last", 2).output.splitlines()
    listed = [line.split()[0] for line in lines if "2026-" in line or "Change" in line.split()]
    assert [one[:10] in listed for one in commits] == [number in (5, 13, 14) for number in range(15)]


@pytest.mark.parametrize("name, begins", [("h.html", b"<!doctype html>"), ("h.png", b"\x89PNG")])
def test_the_chart_is_a_page_or_a_picture(name: str, begins: bytes) -> None:
    commits = history_of([*WOBBLE, *(1.2 * one for one in WOBBLE)])
    result = lab("history", "-o", name)
    assert result.exit_code == 0 and result.output.splitlines()[-1] == name
    content = Path(name).read_bytes()
    assert content.startswith(begins)
    if name == "h.html":
        assert f"20 % more (worse)</span> by {commits[5][:10]} Change 5" in content.decode()


def test_mistakes_are_one_sentence() -> None:
    for arguments, message in (
        (["history", "."], "there is no run in .; name the folders of runs"),
        (["history", ".", "-o", "h.pdf"], "--output h.pdf: the name must end in .html or .png."),
    ):
        result = lab(*arguments)
        assert result.exit_code == 2 and message in result.output
    measured(commit("Change"), 1.0)
    result = lab("history", "--measure", "wall")
    assert result.exit_code == 2
    assert "experiments are which; contenders are new; measures are time" in result.output
