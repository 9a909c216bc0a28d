"""The command works in every environment."""

import json
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, as_nobody, environment, scan, sentence_of


@pytest.mark.parametrize("arguments", [[], ["--summary"], ["--format", "json"]], ids=str)
def test_an_empty_environment_is_enough(tree, arguments):
    ran = subprocess.run([FATHOM, "scan", *arguments, tree], env={}, stdin=subprocess.DEVNULL,
                         capture_output=True, check=False,
                         timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.isascii()


def test_home_may_be_missing(tree):
    assert scan(str(tree), env={"HOME": "/nonexistent"}).returncode == 0


def test_the_current_directory_can_have_any_name(tmp_path):
    odd = tmp_path / "with spaces and\na newline [a,b]"
    odd.mkdir()
    (odd / "file").write_bytes(b"x")
    for scanned in (scan("--format", "json", cwd=odd),
                    scan("--format", "json", odd.name, cwd=tmp_path)):
        assert json.loads(scanned.stdout)["totals"]["files"] == 1


def test_a_path_in_brackets_is_one_path(tmp_path):
    (tmp_path / "[a,b]").mkdir()
    assert scan("[a,b]", cwd=tmp_path).returncode == 0


def test_an_ordinary_user_can_scan(guarded):
    scanned = scan("--format", "json", str(guarded / "open"), **as_nobody())
    assert scanned.returncode == 0
    assert json.loads(scanned.stdout)["totals"]["files"] == 1


def test_a_deleted_current_directory_is_an_error(tmp_path):
    ran = subprocess.run(["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh",
                          FATHOM, "scan", "missing"], cwd=tmp_path, env=environment(), capture_output=True, check=False,
                         timeout=PATIENCE)
    assert sentence_of(ran) == "cannot scan missing: No such file or directory"
