"""Tests of scripts/go-toolchain and go/verify: a repository that is wrong is not mistaken for a machine without Go."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module, why", [
    ("go 999.1\n", "go.mod requires Go 999.1, but this script would download "),
    ("module fathom\n", "go/go.mod does not say which version it requires\n"),
])
def test_a_wrong_go_mod_fails(tmp_path, module, why):
    for path in ("scripts/go-toolchain", "go/verify"):
        (tmp_path / path).parent.mkdir()
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "go/peers").mkdir()
    (tmp_path / "go/go.mod").write_text(module)
    (tmp_path / "go/peers/go.mod").touch()
    ran = subprocess.run([tmp_path / "go/verify", "test"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"go-toolchain: {why}")
