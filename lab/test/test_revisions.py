from __future__ import annotations

import os
import select
import signal
from pathlib import Path

import pytest

from fathom_lab import revisions, session
from fathom_lab.run_folder import RunFolder
from running_fakes import described
from test_cli import lab, only_folder, started
from test_environment import git

EXPERIMENT = """
question = "How fast is it?"
baseline = "program"
measures = ["wall"]
build = [["sh", "build"]]

[parameters]
size = [1, 2]

[plan]
rounds = 2
warmup_rounds = 0

[[contender]]
name = "program"
driver = "command"
command = ["{root}/program", "{size}"]

[[contender]]
name = "other"
driver = "command"
command = ["./other"]
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits of a program that records its version; it must be built first."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".gitignore").write_text("/program\n/other\n/runs\n/ran*\n/ready\n/blocked\n")
    (tmp_path / "build").write_text("cp source program; cp source other; chmod +x program other\n")
    (tmp_path / "lab.toml").write_text(EXPERIMENT)
    for version in ("one", "two"):
        write_version(tmp_path, version)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "--quiet", "-m", version)
        git(tmp_path, "tag", version)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_version(repository: Path, version: str) -> None:
    (repository / "source").write_text(f'#!/bin/sh\necho {version} "$PWD" "$0" >> {repository}/ran\n')


def ran(repository: Path) -> list[str]:
    return sorted(line.split()[0] for line in (repository / "ran").read_text().splitlines())


def worktrees(repository: Path) -> int:
    return len(git(repository, "worktree", "list").splitlines())


def test_two_revisions_are_built_and_compared(repository: Path) -> None:
    result = lab("ab", "one", "two", "lab.toml")
    assert result.exit_code == 0, result.output
    folder = only_folder()
    experiment = folder.experiment("lab")
    assert experiment.baseline == "program@one"
    assert experiment.names() == ["program@one", "program@two", "again"]
    assert ran(repository) == ["one"] * 8 + ["two"] * 4  # two rounds, two sizes; the baseline twice
    assert {one.contender for one in folder.launches("lab")} == {"program@one", "program@two", "again"}


def test_each_is_started_from_its_own_checkout(repository: Path) -> None:
    lab("ab", "one", "two", "lab.toml", "--rounds", 1)
    places = {tuple(line.split()) for line in (repository / "ran").read_text().splitlines()}
    assert len(places) == 2
    assert all(program == f"{folder}/program" for _, folder, program in places)
    assert len({len(folder) for _, folder, _ in places}) == 1  # a longer path would shift the stack


def test_the_checkout_as_it_is_can_take_part(repository: Path) -> None:
    write_version(repository, "edited")
    result = lab("ab", "two", ".", "lab.toml", "--rounds", 1)
    assert result.exit_code == 0, result.output
    assert ran(repository) == ["edited"] * 2 + ["two"] * 4
    assert only_folder().environment()["dirty"] is True


def test_several_contenders_are_compared_each_with_itself(repository: Path) -> None:
    result = lab("ab", "one", "two", "lab.toml", "--contender", "other", "--contender", "program", "--rounds", 1)
    assert result.exit_code == 0, result.output
    folder = only_folder()
    assert [folder.experiment(name).baseline for name in folder.names()] == ["other@one", "program@one"]
    assert ran(repository) == ["one"] * 8 + ["two"] * 4


def test_checkouts_are_gone_afterwards(repository: Path) -> None:
    lab("ab", "one", "two", "lab.toml", "--rounds", 1)
    assert worktrees(repository) == 1
    assert not (only_folder().path / "checkouts").exists()
    assert git(repository, "status", "--porcelain") == ""


def test_checkouts_can_be_kept_and_put_elsewhere(repository: Path) -> None:
    assert lab("ab", "one", "two", "lab.toml", "--rounds", 1, "--keep", "--cache", "runs/kept").exit_code == 0
    assert worktrees(repository) == 3
    versions = [(repository / "runs" / "kept" / f"checkout-{n}" / "source").read_text().split()[2] for n in range(2)]
    assert versions == ["one", "two"]


def test_a_kept_checkout_is_not_taken_away_by_the_next_comparison(repository: Path) -> None:
    arguments = ("ab", "one", "two", "lab.toml", "--rounds", 1, "--cache", "runs/kept")
    lab(*arguments, "--keep")
    result = lab(*arguments)
    assert result.exit_code == 2 and "already exists" in result.stderr
    assert worktrees(repository) == 3


def test_the_commits_are_recorded(repository: Path) -> None:
    lab("ab", "one", ".", "lab.toml", "--rounds", 1)
    commits = {"one": git(repository, "rev-parse", "one"), ".": git(repository, "rev-parse", "HEAD")}
    assert only_folder().environment()["revisions"] == commits


def test_after_a_build_that_fails_nothing_is_left(repository: Path) -> None:
    (repository / "lab.toml").write_text(EXPERIMENT.replace('"build"]', '"-c", "echo broken; exit 1"]'))
    result = lab("ab", "one", "two", "lab.toml")
    assert result.exit_code == 2 and "broken" in result.stderr
    assert worktrees(repository) == 1


def test_interrupting_removes_the_checkouts(repository: Path) -> None:
    os.mkfifo("ready")
    os.mkfifo("blocked")
    blocking = f'["sh", "-c", "echo > {repository}/ready; read never < {repository}/blocked"]'
    (repository / "lab.toml").write_text(EXPERIMENT.replace('["{root}/program", "{size}"]', blocking))
    ready = os.open("ready", os.O_RDWR)
    with started("ab", "one", "two", "lab.toml") as process:
        began = select.select([ready], [], [], 60)[0]
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    os.close(ready)
    assert began and process.returncode == 130, errors
    assert worktrees(repository) == 1
    assert "lab: no complete round yet" in output and "--resume" not in errors


def test_a_comparison_of_revisions_cannot_be_resumed(repository: Path) -> None:
    lab("ab", "one", "two", "lab.toml", "--rounds", 1)
    only_folder().change("lab", complete=False)
    result = lab("run", "--resume", only_folder().path)
    assert result.exit_code == 2 and "start anew" in result.stderr


@pytest.mark.parametrize("first, second, message", [
    ("one", "three", "three is not a revision of"),
    ("--output=x", "two", "No such option"),
    ("one", "one", "both revisions are one"),
])
def test_wrong_revisions_are_refused_before_anything_is_created(
    repository: Path, first: str, second: str, message: str
) -> None:
    result = lab("ab", first, second, "lab.toml")
    assert result.exit_code == 2 and message in result.stderr
    assert not (repository / "runs").exists()


def test_a_gate_against_a_revision_compares_the_checkout_with_it(repository: Path) -> None:
    result = lab("gate", "lab.toml", "--against", "one", "--rounds", 6)
    assert result.exit_code in (0, 1, 3), result.output  # depends on the machine
    runs = [RunFolder(path) for path in Path("runs").iterdir()]  # two if a row needed confirmation
    assert ran(repository) == ["one"] * 24 * len(runs) + ["two"] * 12 * len(runs)
    assert all(run.experiment("lab").names() == ["program@one", "program@.", "again"] for run in runs)
    assert worktrees(repository) == 1


def test_worktrees_of_others_whose_folder_is_away_are_left_alone(repository: Path, tmp_path: Path) -> None:
    away = tmp_path / "usb"
    git(repository, "worktree", "add", "--detach", str(away), "one")
    away.rename(tmp_path / "unplugged")
    assert lab("ab", "one", "two", "lab.toml", "--rounds", 1).exit_code == 0
    assert str(away) in git(repository, "worktree", "list") and worktrees(repository) == 2


@pytest.mark.parametrize("command", [("ab", "one", "two", "lab.toml"), ("gate", "lab.toml", "--against", "one",
                                                                         "--rounds", "6")])
@pytest.mark.parametrize("where", ["build", "run"])
def test_an_interrupt_reports_the_folder_and_takes_the_checkouts_back(
    repository: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], where: str
) -> None:
    def interrupted(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, where, interrupted)
    result = lab(*command)
    assert result.exit_code == 130 and result.stdout.splitlines()[-1] == str(only_folder().path)
    assert "interrupted" in result.stderr and "--resume" not in result.stderr and worktrees(repository) == 1


def test_a_revision_that_cannot_be_built_is_named(repository: Path) -> None:
    (repository / "build").write_text("exit 3\n")
    git(repository, "commit", "--quiet", "--all", "-m", "broken")
    result = lab("ab", "one", "HEAD", "lab.toml")
    assert result.exit_code == 2 and "HEAD cannot be built: " in result.stderr


def test_a_gate_whose_baseline_cannot_be_built_has_none(repository: Path) -> None:
    """3 fails no pull request: this may be the one that mends the build."""
    before = (repository / "build").read_text()
    for script, message in (("exit 3\n", "broken"), (before, "mended")):
        (repository / "build").write_text(script)
        git(repository, "commit", "--quiet", "--all", "-m", message)
    result = lab("gate", "lab.toml", "--against", "HEAD~1", "--rounds", 6)
    assert result.exit_code == 3 and "HEAD~1 cannot be built: " in result.stderr
    (repository / "build").write_text("exit 3\n")
    result = lab("gate", "lab.toml", "--against", "HEAD", "--rounds", 6)
    assert result.exit_code == 2 and ". cannot be built: " in result.stderr


def test_a_folder_without_git_has_no_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "version")
    (tmp_path / ".git").mkdir()  # not a repository, but it marks a project
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab.toml").write_text(EXPERIMENT)
    result = lab("ab", "one", "two", "lab.toml")
    assert result.exit_code == 2 and f"{tmp_path} is not a git repository: not a git repository" in result.stderr


def test_a_repository_of_another_user_is_named_with_what_to_do(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    result = lab("ab", "one", "two", "lab.toml")
    assert result.exit_code == 2 and "dubious ownership" in result.stderr and "safe.directory" in result.stderr


def test_markdown_of_two_revisions_names_both_and_only_the_checkout_has_changes(repository: Path) -> None:
    (repository / "lab.toml").write_text(EXPERIMENT + "\n")
    assert lab("ab", "one", ".", "lab.toml", "--rounds", 1).exit_code == 0
    text = lab("report", only_folder().path, "--markdown").stdout
    one, two = (git(repository, "rev-parse", name).strip()[:12] for name in ("one", "two"))
    assert f"one&#58; commit {one} ·" in text.replace("one: ", "one&#58; ") and f"commit {two} with changes" in text
    assert f"{one} with changes" not in text


def test_where_git_is_not_installed_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "lab.toml").write_text(EXPERIMENT)
    result = lab("ab", "one", "two", "lab.toml")
    assert result.exit_code == 2 and "cannot start git: No such file" in result.stderr
    assert not (tmp_path / "runs").exists()


def test_what_is_skipped_is_skipped_in_both_revisions() -> None:
    one = described(parameters={"threads": [1, 2]}, skip=[{"contender": "old", "threads": 2}, {"contender": "new"}])
    both = revisions.compared(one, "old", ("a", "b"))
    assert both.skip == ({"contender": "old@a", "threads": 2}, {"contender": "old@b", "threads": 2})
    assert not both.takes_part("again", (("threads", 2),))


def test_folders_of_two_runs_do_not_meet(repository: Path) -> None:
    for _ in range(2):
        assert lab("ab", "one", "two", "lab.toml", "--rounds", 1).exit_code == 0
    folders = [RunFolder(path) for path in (repository / "runs").iterdir()]
    assert len(folders) == 2 and all(len(folder.launches("lab")) == 6 for folder in folders)
