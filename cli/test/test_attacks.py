"""The attacks of testing/attacks, each round once, and what they say of a command that breaks a promise."""

import pathlib
import subprocess
import sys

import pytest

from conftest import FATHOM, PATIENCE, environment

ATTACKS = pathlib.Path(__file__).parents[2] / "testing" / "attacks"


def attack(name, fathom):
    ran = subprocess.run([sys.executable, ATTACKS / f"attack_{name}.py", "--fathom", fathom, "--seconds", "0"],
                         env=environment(), capture_output=True, timeout=PATIENCE, check=False)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode(errors="replace")


@pytest.fixture
def broken(tmp_path):
    """broken(SCRIPT): a command that runs fathom and then, with its exit code in $code, the script."""
    def made(script):
        command = tmp_path / "broken"
        command.write_text(f'#!/bin/sh\n"{FATHOM}" "$@"\ncode=$?\n{script}\nexit $code\n')
        command.chmod(0o755)
        return command
    return made


@pytest.mark.parametrize("name", ["plans", "files"])
def test_an_attack_breaks_no_promise(name):
    code, out, told = attack(name, FATHOM)
    assert (code, told) == (0, "")
    assert out.endswith(": no promise was broken\n")


@pytest.mark.parametrize("script, says", [
    ("printf '\\033[31m' >&2", "contain '\\x1b'"),
    ('case $* in *--execute*) find ${3%plan}root -type f -delete;; esac', "contents are lost"),
    ('case $* in *--execute*) touch ${3%plan}outside/new;; esac', "outside the root was touched"),
    ('case $* in *--apply*) code=139;; esac', "ended with 139"),
])
def test_an_attack_finds_a_broken_promise(broken, script, says):
    code, out, told = attack("plans", broken(script))
    assert (code, out) == (1, "")
    assert says in told
    evidence = pathlib.Path(told.split("The files are in ")[1].strip())
    assert evidence.is_dir()
    subprocess.run(["rm", "-rf", evidence], check=True)
