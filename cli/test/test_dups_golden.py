"""The exact output of `fathom dups`: see golden/dups*.

FATHOM_UPDATE_GOLDEN=1 rewrites those files; check the differences before you commit them. The file
sizes are multiples of the block size of nearly every filesystem, so that the wasted bytes are equal.
"""

import os
import random
import re

import pytest

from conftest import dups, dups_on_terminal, width
from test_golden import assert_golden

KIB64 = 65_536


def content(number, blocks):
    return random.Random(number).randbytes(blocks * KIB64)


@pytest.fixture
def copies(tmp_path):
    """The parent folder of `copies`: equal directories, links, and long names."""
    root = tmp_path / "copies"
    wide = "大きなフォルダ/ファイル.txt"
    long = ("a rather long name of a folder/and another one that is not short either/"
            "with a name that goes on and on until no line has room for it.tar.gz")
    files = {"video.MKV": content(1, 9), "old/video.MKV": content(1, 9), wide: content(1, 9),
             long: content(2, 3), "new\nline \x1b[2J": content(2, 3), "e\u0301.txt": content(2, 3),
             "alone": b"y", "empty": b"", "empty too": b""}
    for number in range(4):
        for album in ("album", "backup/album", "backup/older/album"):
            files[f"{album}/{number}.jpg"] = content(10 + number, 2)
            files[f"{album}/thumbs/{number}.png"] = content(20 + number, 1)
    files["one picture.jpg"] = content(10, 2)
    for name, bytes_ in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(bytes_)
    os.link(root / "video.MKV", root / "film.MKV")
    os.link(root / "old/video.MKV", root / "old/film.MKV")
    (root / "missing").symlink_to("nowhere")
    for path in root.rglob("*"):
        status = path.stat(follow_symlinks=False)
        if status.st_size > 1000 and path.is_file() and status.st_blocks * 512 != status.st_size:
            pytest.skip("files have other disk sizes than their contents here")
    return tmp_path


def untimed(text):
    """The results without the parts that differ between runs."""
    text = re.sub(r"(?m)^(\d+ groups of .*, ).*$", r"\1-", text)
    text = re.sub(r"(?m)^ *[\d.]+ \w+ +(in total|read)$", r"- \1", text)
    text = re.sub(r'"(\w*seconds|threads|bytes_read)":[^,}]*', r'"\1":0', text)
    return re.sub(r'("timestamp": )"[^"]*"', r'\1"-"', text)


@pytest.mark.parametrize("size", ["40", "80", "200", "40x24", "80x24", "120x16", "80x60"])
def test_text_is_fitted_to_the_terminal(copies, size):
    columns, rows = map(int, [*size.split("x"), "40"][:2])
    code, shown = dups_on_terminal("--color", "never", "copies", "missing", columns=columns,
                                   rows=rows, cwd=copies)
    assert code == 1 and len(shown.splitlines()) < rows
    shown = "".join(line for line in shown.splitlines(keepends=True)
                    if not line.startswith("fathom: "))  # the lines of standard error
    assert max(map(width, shown.splitlines())) <= columns
    # Line breaks depend on the length of the time.
    results, sums = shown.rsplit("\n\n", 1)
    assert_golden(f"dups-{size}.txt", results + "\n\n" + untimed(" ".join(sums.split()) + "\n"))


@pytest.mark.parametrize("name, options", [
    ("pipe.txt", []), ("summary.txt", ["--summary"]), ("plain.txt", ["--plain", "--top", "2"]),
    ("groups.json", ["--format", "json"]), ("groups.csv", ["--format", "csv"]),
    ("ascii.txt", ["--top", "1", "--si"])], ids=lambda value: value if isinstance(value, str) else "")
def test_every_format_of_the_same_files_is_the_same(copies, name, options):
    env = {"LANG": "C"} if name == "ascii.txt" else {}
    searched = dups(*options, "copies", "missing", cwd=copies, env=env)
    assert searched.returncode == 1
    assert_golden(f"dups-{name}", untimed(searched.stdout.decode()))


def test_the_fclones_report_of_the_same_files_is_the_same(copies):
    searched = dups("--format", "fclones", "copies", cwd=copies)
    assert searched.returncode == 0
    assert_golden("dups-fclones.json",
                  untimed(searched.stdout.decode()).replace(str(copies.resolve()), "/folder"))
