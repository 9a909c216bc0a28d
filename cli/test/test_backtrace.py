"""--backtrace and FATHOM_BACKTRACE=1 show where an error was thrown, and change nothing else."""

import pytest

from conftest import run

WAYS = [
    (["scan", "--from", "/nonexistent/export"], 2),
    (["scan", "--no-such-option"], 2),
    (["dups", "--top", "none"], 2),
    (["scan", "-o", "/dev/full", "/dev/null"], 1),
]


@pytest.mark.parametrize("arguments, code", WAYS)
def test_an_error_is_one_sentence(arguments, code):
    failed = run(*arguments)
    assert failed.returncode == code
    assert failed.stderr.startswith(b"fathom: ") and failed.stderr.count(b"\n") == 1


@pytest.mark.parametrize("arguments, code", WAYS)
def test_backtrace_adds_the_stack_of_the_error(arguments, code):
    plain = run(*arguments)
    for traced in (run(*arguments, "--backtrace"),
                   run(*arguments, env={"FATHOM_BACKTRACE": "1"})):
        assert traced.returncode == code
        assert traced.stdout == plain.stdout
        assert traced.stderr.startswith(plain.stderr)
        trace = traced.stderr[len(plain.stderr):].decode().splitlines()
        assert trace[0].startswith("fathom::")
        assert trace[1].startswith("  thrown in ") and ".cc:" in trace[1]
        assert trace[2].startswith("     0  ")
        assert "\x1b" not in traced.stderr.decode()


@pytest.mark.parametrize("value", ["", "0"])
def test_the_environment_can_turn_it_off(value):
    assert run("scan", "--no-such", env={"FATHOM_BACKTRACE": value}).stderr.count(b"\n") == 1


def test_it_is_a_path_after_two_dashes():
    failed = run("scan", "--", "--backtrace")
    assert failed.returncode == 2
    assert b"thrown in" not in failed.stderr


def test_success_shows_no_backtrace():
    told = run("scan", "--backtrace", "/dev/null")
    assert told.returncode == 0 and told.stderr == b""
