"""A first experiment from command lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fathom_lab import experiment
from fathom_lab.cli import main


def lab(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contenders(name: str) -> dict[str, object]:
    loaded = experiment.load(Path("lab", "experiments", f"{name}.toml"))
    return {one.name: one.options["command"] for one in loaded.contenders}


def test_two_commands_become_an_experiment_that_runs() -> None:
    result = lab("init", "true --old", "false", "--name", "first")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == ["lab/experiments/first.toml", "to run it: fathom-lab run first"]
    assert contenders("first") == {"true": ["true", "--old"], "false": ["false"]}
    ran = lab("run", "first", "--smoke")
    assert ran.exit_code == 1 and "false failed in 3 of 3 launches" in " ".join(ran.output.split())


def test_one_command_is_for_comparing_revisions() -> None:
    assert "fathom-lab ab HEAD . true" in lab("init", "true").output
    assert contenders("true") == {"true": ["true"]}


def test_contenders_of_one_program_are_named_after_their_arguments() -> None:
    assert "sort-u-vs-sort-r" in lab("init", "/bin/sort -u x", "sort -r x").output
    assert list(contenders("sort-u-vs-sort-r")) == ["sort -u", "sort -r"]
    lab("init", "sort a,b", "sort b,a", "again", "--name", "odd")
    assert list(contenders("odd")) == ["sort a b", "sort b a", "again 3"]


@pytest.mark.parametrize("command, kept", [
    ("a | b", "a | b"), ("A=1 a", "A=1 a"), ("a *.c", "a *.c"), ("a $B", "a $B"), ('a "$B"', 'a "$B"'),
    ("a 'b|c' \"d e\" f\\;", ["a", "b|c", "d e", "f;"]), ("a '{x}'", ["a", "{{x}}"]), ("a {x}", ["a", "{{x}}"]),
    ("a 'é\t\x7f\"\\'", ["a", 'é\t\x7f"\\']),
])
def test_the_shell_runs_only_what_needs_it(command: str, kept: object) -> None:
    assert lab("init", command, "--name", "x").exit_code == 0
    assert list(contenders("x").values()) == [kept]
    assert ("shell = true" in Path("lab/experiments/x.toml").read_text()) == isinstance(kept, str)


def test_commands_run_in_the_folder_from_which_they_were_given(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    assert lab("init", "true").output.splitlines()[0] == "../lab/experiments/true.toml"
    assert experiment.load(project / "lab/experiments/true.toml").contenders[0].options["folder"] == "sub"


def test_commands_run_in_the_current_folder_if_there_is_no_project(project: Path) -> None:
    (project / ".git").rmdir()
    (project / "here").touch()
    assert lab("init", "cat here", "tail here", "--name", "first").exit_code == 0
    ran = lab("run", "first", "--smoke")
    assert ran.exit_code == 0, ran.output


@pytest.mark.parametrize("arguments, message", [
    (["a 'b"], "\"a 'b\" is not a command line: No closing quotation"),
    ([" "], "a command is empty"),
    (["a", "a"], "two of the commands are the same"),
    (["a", "--name", "a/b"], "'a/b' cannot be the name of an experiment"),
    (["a", "--name", "goals"], "the name goals is reserved"),
    (["a", "--name", "there"], "lab/experiments/there.toml already exists; choose another name with --name"),
    (["a \udcff"], "cannot be written: "),
])
def test_mistakes_are_one_sentence_and_write_nothing(arguments: list[str], message: str) -> None:
    assert lab("init", "true", "--name", "there").exit_code == 0
    result = lab("init", *arguments)
    assert result.exit_code == 2 and message in result.output
    assert [file.name for file in Path("lab/experiments").iterdir()] == ["there.toml"]
