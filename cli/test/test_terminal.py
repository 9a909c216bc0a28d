"""What differs between a terminal and none: widths, colours, progress."""

import re

import pytest
from conftest import on_terminal, scan, width

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@pytest.mark.parametrize("columns", [40, 41, 59, 60, 80, 123, 200, 500])
def test_the_picture_is_as_wide_as_the_terminal(tree, columns):
    code, shown = on_terminal(tree, columns=columns)
    assert code == 0
    widths = [width(ESCAPE.sub("", line)) for line in shown.splitlines()]
    assert max(widths) <= columns


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_without_a_terminal_columns_says_how_wide(tree, columns):
    (tree / ("n" * 250)).write_bytes(b"x" * 900_000)
    lines = scan(str(tree), env={"COLUMNS": columns}).stdout.decode().splitlines()
    assert max(map(width, lines)) == int(columns)


@pytest.mark.parametrize("columns", [None, "", "wide", "-3", "80 "])
def test_without_both_it_is_eighty_columns_wide(tree, columns):
    (tree / ("n" * 250)).write_bytes(b"x" * 900_000)
    lines = scan(str(tree), env={"COLUMNS": columns}).stdout.decode().splitlines()
    assert max(map(width, lines)) == 80


@pytest.mark.parametrize("columns", ["0", "1", "39", "99999999", "99999999999999999999"])
def test_no_width_is_too_odd(tree, columns):
    assert scan(str(tree), env={"COLUMNS": columns}).returncode == 0


def test_the_picture_fits_the_height(tree):
    _, shown = on_terminal(tree, rows=16)
    assert len(shown.splitlines()) <= 16
    _, shown = on_terminal(tree, rows=100)
    assert 20 <= len(shown.splitlines()) <= 30


def test_a_terminal_without_a_size_is_eighty_columns_wide(tree):
    _, shown = on_terminal(tree, rows=0, columns=0)
    assert max(width(ESCAPE.sub("", line)) for line in shown.splitlines()) <= 80


def test_a_terminal_gets_colours_and_a_pipe_none(tree):
    assert "\x1b[" in on_terminal(tree)[1]
    assert b"\x1b" not in scan(str(tree), env={"TERM": "xterm"}).stdout


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}],
                         ids=["NO_COLOR", "dumb", "no TERM"])
def test_colours_can_be_unwanted(tree, env):
    assert "\x1b" not in on_terminal(tree, env=env)[1]
    assert "\x1b[" in on_terminal("--color", "always", tree, env=env)[1]


def test_an_empty_no_color_means_nothing(tree):
    assert "\x1b[" in on_terminal(tree, env={"NO_COLOR": ""})[1]


def test_colours_may_be_forced_and_forbidden(tree):
    assert b"\x1b[" in scan("--color", "always", str(tree)).stdout
    assert "\x1b" not in on_terminal("--color", "never", tree)[1]
    assert "\x1b" not in on_terminal("--color", "always", "--color", "never", tree)[1]


def test_colours_change_nothing_but_colours(tree):
    plain = scan("--largest-dirs", "5", str(tree)).stdout.decode()
    coloured = scan("--largest-dirs", "5", "--color", "always", str(tree)).stdout.decode()
    assert plain != coloured
    assert ESCAPE.sub("", coloured) == plain


@pytest.mark.parametrize("env", [{"LANG": "C.UTF-8"}, {"LANG": "C", "LC_ALL": "en_US.utf8"},
                                 {"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}], ids=str)
def test_boxes_are_drawn_where_the_locale_has_them(tree, env):
    assert "├─ ".encode() in scan(str(tree), env=env).stdout


@pytest.mark.parametrize("env", [{"LANG": None}, {"LANG": "C"}, {"LC_ALL": "POSIX"}], ids=str)
def test_elsewhere_the_picture_is_ascii(tree, env):
    assert scan(str(tree), env=env).stdout.isascii()


def test_progress_is_one_line_that_vanishes(tree):
    code, shown = on_terminal("--progress", "always", tree, columns=50)
    assert code == 0
    drawn = [part for part in shown.split("\r") if "entries" in part and part.endswith("\x1b[K")]
    assert drawn
    assert all(width(ESCAPE.sub("", part)) < 50 for part in drawn)
    before, results = shown.rsplit("\r\x1b[K", 1)
    assert "\n" not in before
    assert results.startswith("  ") and "on disk" in results


def test_progress_is_on_standard_error_alone(tree):
    scanned = scan("--progress", "always", "--format", "json", str(tree))
    assert scanned.stdout.startswith(b'{"schema"')
    assert re.fullmatch(rb"(?:[\d,]+ entries  [^\n]+\n)+", scanned.stderr)


def test_progress_never_is_never(tree):
    assert "\r" not in on_terminal("--progress", "never", tree)[1]


def test_progress_does_not_show_off_a_terminal(tree):
    assert scan(str(tree)).stderr == b""
