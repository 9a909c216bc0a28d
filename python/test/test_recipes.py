"""The code of docs/PYTHON.md runs, and mypy accepts it."""

import contextlib
import io
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest

import fathom

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(name="code")
def fixture_code(tree: pathlib.Path, store: pathlib.Path) -> str:
    """All recipes, with the tree and the store of the test in place of the example's."""
    text = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert code.count("print(") > 5
    return code.replace("/srv", str(tree)).replace("/backup/snapshots", str(store))


def test_every_recipe_runs(code, tree, store, tmp_path, monkeypatch):
    fathom.snapshot(tree, tag="before", store=store)
    (tree / "new").write_bytes(b"n" * 100_000)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "docs/PYTHON.md", "exec"), names)
    scan = names["scan"]
    assert f"{scan.totals.disk_bytes}\n" in printed.getvalue()
    assert names["grown"].balance.created >= 100_000
    assert names["inside"][0] > 1_000_000
    assert names["stale"]["bytes"].sum() == 503_808 // 4096 * 4096
    assert [row[0::3] for row in names["over"].fetchall()] == [("apollo", True), ("gemini", False)]
    assert names["by_host"][0][1] == scan.totals.disk_bytes
    assert names["same"].groups == 1
    for plot in ("ages.svg", "growth.svg"):
        assert (tmp_path / plot).stat().st_size > 1000


def test_mypy_accepts_the_recipes(code, tmp_path):
    file = tmp_path / "recipes.py"
    file.write_text(code, encoding="utf-8")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--config-file={ROOT}/mypy.ini",
                          f"--cache-dir={tmp_path}/cache", file],
                         cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
