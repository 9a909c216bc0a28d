"""Tests of scripts/check-tidy: which files it reads again."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "check-tidy"


@pytest.fixture(name="tidy")
def fixture_tidy(monkeypatch):
    """The program as a module."""
    loader = importlib.machinery.SourceFileLoader("check_tidy", str(SCRIPT))
    spec = importlib.util.spec_from_loader("check_tidy", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "check_tidy", module)
    loader.exec_module(module)
    return module


def checkout(root):
    """Two sources that a unity build compiles together."""
    unity = root / "build" / "dev" / "part.dir" / "Unity" / "unity_0_cxx.cxx"
    sources = [root / "base" / "src" / name for name in ("one.cc", "two.cc")]
    for path in (unity, *sources):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// {path.name}\n", encoding="utf-8")
    unity.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    command = f"/usr/bin/c++ -I{root}/base/include -O1 -o part.o -c {unity}"
    entry = {"directory": str(root / "build" / "dev"), "command": command, "file": str(unity), "output": "part.o"}
    (root / "build" / "dev" / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    return {"part.o": [str(path) for path in (unity, *sources)]}


def marks(tidy, monkeypatch, root, dependencies):
    monkeypatch.setattr(tidy, "ROOT", root)
    monkeypatch.setattr(tidy, "dependencies", lambda _: dependencies)
    return {source.path: source.mark for source in tidy.sources_of(str(root / "build" / "dev"), b"")}


def test_a_file_that_passed_is_not_read_again_in_another_checkout(tidy, monkeypatch, tmp_path):
    found = [marks(tidy, monkeypatch, tmp_path / name, checkout(tmp_path / name)) for name in ("here", "there")]
    assert list(found[0]) == ["base/src/one.cc", "base/src/two.cc"]
    assert found[0] == found[1]
    assert None not in found[0].values()


def test_a_file_is_read_again_when_it_has_changed(tidy, monkeypatch, tmp_path):
    dependencies = checkout(tmp_path)
    before = marks(tidy, monkeypatch, tmp_path, dependencies)
    (tmp_path / "base" / "src" / "one.cc").write_text("// another\n", encoding="utf-8")
    after = marks(tidy, monkeypatch, tmp_path, dependencies)
    assert before["base/src/one.cc"] != after["base/src/one.cc"]
