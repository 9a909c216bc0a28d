"""docs/COMPARISON.md has a command for each row; these tests run them."""

import pathlib
import re
import subprocess

import pytest

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "COMPARISON.md"
COMMANDS = sorted(set(re.findall(r"^\|[^|]*\| `(fathom [^`]*)` \|", DOCUMENT.read_text(encoding="utf-8"), re.M)))


def test_the_document_has_commands():
    assert len(COMMANDS) > 20


@pytest.mark.parametrize("command", COMMANDS)
def test_works(command, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("hello")
    (tmp_path / "sub" / "b.o").hardlink_to(tmp_path / "sub" / "a.txt")
    (tmp_path / "sub" / "copy.txt").write_text("hello")
    (tmp_path / "link").symlink_to("nowhere")
    script = 'fathom() { "$FATHOM" "$@"; }\n' + command
    result = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "" or any(flag in command for flag in ("--progress", "--explain", "--plan"))
    assert result.stdout or "-o saved" in command
