"""What reports look like, to the letter: see golden/.

FATHOM_UPDATE_GOLDEN=1 writes those files anew; look at what changed before you keep it. The tree is
such that every filesystem gives it the same sizes: files are holes, and no report counts folders.
"""

import os
import pathlib

import pytest
from conftest import on_terminal, scan, width

GOLDEN = pathlib.Path(__file__).parent / "golden"
REPORTS = ["--largest-files", "6", "--extensions", "--empty-dirs", "--symlinks", "--errors",
           "--stats", "--histogram"]
OPTIONS = ["--apparent-size", "--color", "never", "-j", "1", "project", "missing"]
PLAIN = {"TZ": "UTC"}
YEAR = 365 * 24 * 3600


@pytest.fixture
def project(tmp_path):
    """The folder that has `project` in it, of names that need room, escapes and wide letters."""
    root = tmp_path / "project"
    long = root / "a rather long name of a folder" / "and another one that is not short either"
    for folder in (root, long, root / "empty", root / "大きなファイル"):
        folder.mkdir(parents=True)
    sizes = {
        root / "video.MKV": 5_000_000_000,
        root / "no extension": 0,
        long / "with a name that goes on and on until no line has room for it.tar.gz": 123_456_789,
        root / "大きなファイル" / "ファイル.txt": 20_000,
        root / "newline\nand \x1b[2J.txt": 4096,
        root / "e\u0301.txt": 17,
    }
    for age, (path, size) in enumerate(sizes.items()):
        with open(path, "wb") as file:
            file.truncate(size)
        os.utime(path, (0, age * YEAR))
    (root / "link").symlink_to("video.MKV")
    (root / "dangling").symlink_to("a/target that is so long that it must be cut/somewhere/else")
    for name in ("empty", "link", "dangling"):
        os.utime(root / name, (0, 1_000_000_000), follow_symlinks=False)
    return tmp_path


def assert_golden(name, text):
    path = GOLDEN / name
    if os.environ.get("FATHOM_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_reports_are_fitted_to_the_terminal(project, columns):
    code, shown = on_terminal(*REPORTS, *OPTIONS, columns=columns, env=PLAIN, cwd=project)
    assert code == 1
    shown = "".join(line for line in shown.splitlines(keepends=True)
                    if not line.startswith("fathom: "))  # what goes to standard error
    results = [line for line in shown.splitlines() if not line.startswith("Lower bound:")]
    assert max(map(width, results)) <= columns
    assert_golden(f"terminal-{columns}.txt", shown)


@pytest.mark.parametrize("columns", ["40", "200"])
def test_reports_are_whole_in_a_pipe_however_wide_that_claims_to_be(project, columns):
    scanned = scan(*REPORTS, *OPTIONS, env={**PLAIN, "COLUMNS": columns}, cwd=project)
    assert_golden("pipe.txt", scanned.stdout.decode())


def test_reports_are_ascii_where_the_locale_is(project):
    _, shown = on_terminal("--largest-files", "1", "--apparent-size", "--color", "never",
                           "project/a rather long name of a folder", columns=40,
                           env={**PLAIN, "LANG": "C"}, cwd=project)
    assert_golden("ascii-40.txt", shown)
