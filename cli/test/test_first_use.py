"""`fathom` without a command scans, as `fathom scan` does. Commands have precedence over paths."""

import json
import os
import re

import pytest

from conftest import command_on_terminal, run, scan, sentence_of


def untimed(output):
    """The default view without its line with the time."""
    lines = output.decode().splitlines()
    return lines[:2] + lines[3:]


def summary(ran):
    assert (ran.returncode, ran.stderr) == (0, b"")
    report = json.loads(ran.stdout)["reports"]["summary"]
    return {key: report[key] for key in report if key not in ("seconds", "entries_per_second")}


def test_without_arguments_it_scans_the_current_directory(tree):
    alone = run(cwd=tree)
    assert (alone.returncode, alone.stderr) == (0, b"")
    assert untimed(alone.stdout) == untimed(scan(".", cwd=tree).stdout)


def test_a_path_is_scanned(tree):
    assert untimed(run(str(tree)).stdout) == untimed(scan(str(tree)).stdout)


@pytest.mark.parametrize("arguments", [
    ["TREE", "--format", "json"], ["--format", "json", "TREE"], ["--format=json", "-j", "1", "TREE"],
    ["-x", "TREE", "--format", "json"], ["--format", "json", "--", "TREE"]], ids=" ".join)
def test_options_may_come_before_and_after_the_path(tree, arguments):
    given = [str(tree) if word == "TREE" else word for word in arguments]
    assert summary(run(*given)) == summary(scan(*given))


def test_several_paths_are_scanned(tree, small):
    given = [str(small), str(tree), "--format", "json"]
    assert summary(run(*given)) == summary(scan(*given))


def test_a_path_with_spaces_or_strange_bytes_is_scanned(tmp_path):
    for name in (b"two words", b"\xff", b"new\nline", b"Upper", "大".encode(), b"a=b", b"."):
        folder = os.fsencode(tmp_path) + b"/" + name
        os.makedirs(folder, exist_ok=True)
        assert run(name, "--summary", cwd=tmp_path).returncode == 0


def test_a_file_is_scanned(small):
    name = next(small.iterdir()).name
    assert run(name, cwd=small).returncode == 0


@pytest.mark.parametrize("command", ["scan", "dups", "serve", "leaks", "help"])
def test_commands_have_precedence_and_a_path_is_reached_by_dot_slash(tmp_path, command):
    (tmp_path / command).mkdir()
    (tmp_path / command / "only here").write_bytes(b"x" * 5000)
    assert "only here" in run("./" + command, cwd=tmp_path).stdout.decode()
    assert "only here" in run("--tree", "--", command, cwd=tmp_path).stdout.decode()
    if command == "help":
        assert run(command, cwd=tmp_path).stdout == run("--help").stdout
    else:
        assert f"sage: fathom {command} " in run(command, "--help", cwd=tmp_path).stdout.decode()


def test_a_program_has_precedence_over_a_path(tmp_path):
    program = tmp_path / "fathom-echo-it"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    (tmp_path / "echo-it").mkdir()
    env = {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    assert run("echo-it", "x", env=env, cwd=tmp_path).stdout == b"x|"
    assert b"on disk" in run("./echo-it", env=env, cwd=tmp_path).stdout


@pytest.mark.parametrize("path", ["PATH", "PATH/file", "PATH/closed"])
def test_a_bad_folder_in_the_search_path_does_not_hide_a_path(tmp_path, path):
    (tmp_path / "file").touch()
    (tmp_path / "closed").mkdir(mode=0)
    for name in ("src", "x" * 252):
        (tmp_path / name).mkdir()
        ran = run(name, cwd=tmp_path, env={"PATH": path.replace("PATH", str(tmp_path))})
        assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("name, rest", [
    ("frobnicate", "; `fathom --help` lists the commands"), ("scam", "; did you mean 'scan'?"),
    ("x" * 300, "; `fathom --help` lists the commands"), ("-", "; `fathom --help` lists the commands"),
    ("\x1b[2J", "; `fathom --help` lists the commands")])
def test_neither_a_command_nor_a_path_is_one_error(tmp_path, name, rest):
    refused = run(name, env={"PATH": str(tmp_path)}, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, b"")
    shown = name.replace("\x1b", "\\x1b")
    assert refused.stderr.decode() == (
        f"fathom: '{shown}' is neither a command nor an existing path{rest}\n")


def test_a_missing_path_is_not_taken_for_a_command(tmp_path):
    (tmp_path / "there").mkdir()
    ran = run("/nowhere", "there", cwd=tmp_path)
    assert (ran.returncode, b"/nowhere: No such file or directory" in ran.stderr) == (1, True)
    assert b"there/" in ran.stdout


def test_a_missing_path_is_one_error(tmp_path):
    (tmp_path / "file").touch()
    for path, reason in (("./nowhere", "No such file or directory"), ("file/", "Not a directory")):
        assert sentence_of(run(path, cwd=tmp_path)) == f"cannot scan {path}: {reason}"


def test_a_missing_path_after_another_one_is_an_error_of_the_scan(small):
    ran = run(".", "nowhere", cwd=small)
    assert ran.returncode == 1
    assert b"on disk" in ran.stdout and b"nowhere: No such file or directory" in ran.stderr


def test_an_empty_path_is_refused():
    assert sentence_of(run("")) == "a path is empty; for the current directory, use '.'"


@pytest.mark.parametrize("arguments", [["--summary", "dups"], ["-j", "2", "scan", "."],
                                       ["--top", "3", "help"]], ids=" ".join)
def test_a_command_after_options_is_refused(small, arguments):
    refused = run(*arguments, cwd=small)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert re.fullmatch(r"fathom: the command '(\w+)' must come before its options; for a path, use './\1'\n",
                        refused.stderr.decode())


def test_the_value_of_an_option_is_not_a_command(small):
    assert run("-o", "scan", "--format", "json", cwd=small).returncode == 0
    assert (small / "scan").read_bytes().startswith(b'{"schema"')


def test_a_terminal_gets_the_same_view(small):
    code, shown = command_on_terminal(small)
    assert code == 0 and "on disk" in shown and "Tree by disk usage" in shown
    code, shown = command_on_terminal("nowhere")
    assert code == 2 and shown.startswith("fathom: 'nowhere' is neither")


def test_help_shows_both_ways():
    lines = run("--help").stdout.decode().splitlines()
    assert "Usage: fathom [OPTION...] [PATH...]   the same as fathom scan" in lines
    assert "       fathom COMMAND ..." in lines
