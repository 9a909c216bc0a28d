"""Tests of packaging/test/install: what it makes of the results of the README's install lines."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("codes, expected", [([0, 0], 0), ([0, 77], 77), ([77, 1], 1), ([1, 77], 1)])
def test_a_line_that_cannot_be_tried_does_not_hide_one_that_fails(tmp_path, monkeypatch, codes, expected):
    loader = importlib.machinery.SourceFileLoader("install", str(ROOT / "packaging/test/install"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("install", loader))
    loader.exec_module(module)
    names = list(module.USES)
    results = dict(zip(names, [*codes, *[0] * len(names)]))
    monkeypatch.setattr(module, "try_line", lambda line, _: results[line])
    monkeypatch.setattr(module, "lines", lambda: names)
    (tmp_path / "file").touch()
    subprocess.run("sha256sum file >SHA256SUMS", shell=True, cwd=tmp_path, check=True)
    assert module.main([str(tmp_path)]) == expected
