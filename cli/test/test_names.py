"""Names are bytes: text shows them escaped, JSON preserves them."""

import json
import os
import re
import unicodedata

import pytest

from conftest import path_of, scan, width

HOSTILE = {
    "newline": b"a\nb",
    "tab": b"a\tb",
    "carriage return": b"a\rb",
    "escape sequence": b"\x1b[2J\x1b]0;title\x07",
    "delete": b"a\x7fb",
    "no utf-8": b"a\xff\xfe",
    "cut utf-8": b"caf\xc3",
    "surrogate": b"\xed\xa0\x80",
    "C1 control": "a\u009b2Jb".encode(),
    "turned round": "gnp.\u202etxt".encode(),
    "isolate": "\u2066abc\u2069".encode(),
    "line separator": "a\u2028b".encode(),
    "right to left": "שלום".encode(),
    "combining": "e\u0301\u0302\u0303".encode(),
    "begins combining": "\u0301e".encode(),
    "wide": "大きなファイル".encode(),
    "emoji": "👩\u200d👧".encode(),
    "backslash": b"a\\nb",
    "leading dash": b"-rf",
    "spaces": b"  two  ",
    "quotes": b"\"it's\"",
    "percent": b"%s%n{}",
    "longest": b"x" * 255,
    "longest wide": "大".encode() * 85,
    "longest hostile": b"\x1b" * 255,
}


@pytest.fixture(params=list(HOSTILE.values()), ids=list(HOSTILE))
def hostile(request, tmp_path):
    """Creates a directory and a file in it with a hostile name, and returns the name."""
    root = os.fsencode(tmp_path) + b"/root"
    name = request.param
    try:
        os.makedirs(root + b"/" + name)
    except OSError as error:
        pytest.skip(f"this filesystem refuses the name: {error}")
    with open(root + b"/" + name + b"/" + name, "wb") as file:
        file.write(b"x" * 100_000)
    return root, name


def assert_harmless(text):
    """The text is UTF-8, and has no control characters except newlines."""
    for character in text.decode():
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Zl", "Zp", "Cs")
        assert character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"


@pytest.mark.parametrize("report, lines", [
    ([], 3 + 1 + 3),  # a heading of three lines, a blank line, a title, root, directory with file
    (["--largest-files", "3"], 2 + 1),  # a title and headings
    (["--largest-dirs", "3", "--all-levels"], 2 + 2),
], ids=["tree view", "files", "directories"])
def test_text_is_harmless_and_has_one_line_per_entry(hostile, report, lines):
    root, _ = hostile
    scanned = scan(*report, root)
    assert scanned.returncode == 0
    assert_harmless(scanned.stdout)
    assert scanned.stdout.count(b"\n") == lines


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("lang", ["C.UTF-8", "C"])
def test_the_tree_view_stays_in_its_columns(hostile, columns, lang):
    root, _ = hostile
    text = scan(root, env={"COLUMNS": str(columns), "LANG": lang}).stdout.decode()
    assert max(map(width, text.splitlines())) <= columns


def test_json_preserves_every_name(hostile):
    root, name = hostile
    out = scan("--format", "json", "--largest-files", "1", root).stdout
    file = json.loads(out)["reports"]["largest_files"][0]
    assert path_of(file) == b"/".join([root, name, name])


@pytest.mark.parametrize("arguments", [["--tree", "--apparent-size"], ["--largest-dirs", "9"],
                                       ["--plain", "--tree"]], ids=" ".join)
def test_leading_and_trailing_blanks_of_names_are_visible(tmp_path, arguments):
    (tmp_path / " one " / "two words").mkdir(parents=True)
    (tmp_path / " one " / "file").write_bytes(b"x" * 100)
    text = scan(*arguments, ".", cwd=tmp_path).stdout.decode()
    assert "\\x20one\\x20" in text and "two words" in text


@pytest.mark.parametrize("arguments", [[], ["--largest-files", "3"], ["--plain", "--tree"],
                                       ["--largest-dirs", "9"], ["--explain"]], ids=" ".join)
@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LANG": "de_DE.ISO-8859-1"}, {"LANG": None}],
                         ids=str)
def test_text_is_ascii_unless_the_locale_is_utf_8(tmp_path, arguments, locale):
    (tmp_path / "größe 大").mkdir()
    (tmp_path / "größe 大" / "ö").write_bytes(b"x" * 100)
    text = scan(*arguments, "größe 大", "fehlt ö", env=locale, cwd=tmp_path)
    assert (text.stdout + text.stderr).isascii()
    assert "fehlt \\u00f6: No such file" in text.stderr.decode()
    if arguments != ["--explain"]:
        assert "gr\\u00f6\\u00dfe \\u5927" in text.stdout.decode()


def test_formats_for_programs_ignore_the_locale(tmp_path):
    (tmp_path / " ö ").write_bytes(b"x")
    for format in ("json", "csv", "ncdu"):
        report = [] if format == "ncdu" else ["--largest-files", "1"]
        told = scan("--format", format, *report, ".", cwd=tmp_path, env={"LC_ALL": "C"}).stdout
        assert " ö ".encode() in told


def test_errors_are_harmless(tmp_path):
    missing = os.fsencode(tmp_path) + b"/\x1b[2J\n\xff"
    (tmp_path / "empty").mkdir()
    scanned = scan("--errors", missing, str(tmp_path / "empty"))
    assert scanned.returncode == 1
    assert_harmless(scanned.stdout)
    assert_harmless(scanned.stderr)
    assert b"\\x1b[2J\\n\\xff\n" in scanned.stdout
    assert b"  No such file or directory  " in scanned.stdout


def test_escapes_are_unambiguous(tmp_path):
    (tmp_path / "a\nb").write_bytes(b"1")
    (tmp_path / "a\\nb").write_bytes(b"2")
    lines = scan("--largest-files", "2", ".", cwd=tmp_path).stdout.decode().splitlines()[2:]
    assert {re.split(r"  ", line)[-1] for line in lines} == {"./a\\nb", "./a\\\\nb"}
