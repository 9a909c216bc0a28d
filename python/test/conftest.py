"""Trees for the tests of the package."""

import os
import pathlib
import subprocess

import pytest

FATHOM = os.environ["FATHOM"]
BAD_NAME = b"\xff\xfe.Bin"


def command(*words: object) -> str:
    """What the command prints."""
    ran = subprocess.run([FATHOM, *map(str, words)], capture_output=True, text=True, check=True, timeout=300)
    return ran.stdout


def disk_bytes(path: pathlib.Path) -> int:
    ran = subprocess.run(["du", "-s", "--block-size=1", path], capture_output=True, text=True, check=True)
    return int(ran.stdout.split()[0])


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """A tree of ordinary and strange entries."""
    root = tmp_path / "tree"
    (root / "projects" / "apollo").mkdir(parents=True)
    (root / "projects" / "gemini").mkdir()
    (root / "projects" / "apollo" / "data.bin").write_bytes(b"a" * 500_000)
    (root / "projects" / "gemini" / "copy.bin").write_bytes(b"a" * 500_000)
    (root / "projects" / "gemini" / "notes.TXT").write_text("notes", encoding="utf-8")
    (root / os.fsdecode(BAD_NAME)).write_bytes(b"b" * 5000)
    os.link(root / "projects" / "gemini" / "notes.TXT", root / "another name")
    (root / "link").symlink_to("nowhere")
    old = 1_600_000_000
    os.utime(root / "projects" / "apollo" / "data.bin", (old, old))
    return root


@pytest.fixture(name="store")
def fixture_store(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "store"
