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


def source(tidy, root, name, folder="base"):
    path = root / folder / "src" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return tidy.Source(str(path.relative_to(root)), ("-O1",), str(root), None)


def test_files_that_conflict_are_read_in_a_smaller_group(tidy, monkeypatch, tmp_path):
    sources = [source(tidy, tmp_path, f"{name}.cc") for name in "abcdef"]
    read = []

    def found(_, group):
        names = "".join(pathlib.Path(one.path).stem for one in group)
        read.append(names)
        if {"a", "e"} <= set(names):  # they define the same name
            return f"{tmp_path}/base/src/e.cc:1:1: error: redefinition"
        return f"{tmp_path}/base/src/c.cc:1:1: error: bad" if "c" in names else None

    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setattr(tidy, "tidy", found)
    assert list(tidy.lint(("clang-tidy",), sources)) == ["base/src/c.cc"]
    assert read == ["abcdef", "abcdf", "abdf", "c", "e"]


def test_if_most_files_of_a_group_conflict_each_is_read_alone(tidy, monkeypatch, tmp_path):
    sources = [source(tidy, tmp_path, f"{name}.cc") for name in "abc"]
    read = []

    def found(_, group):
        read.append("".join(pathlib.Path(one.path).stem for one in group))
        return "".join(f"{tmp_path}/{one.path}:1:1: error: conflict" for one in group) if len(group) > 1 else None

    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setattr(tidy, "tidy", found)
    assert tidy.lint(("clang-tidy",), sources) == {}
    assert read == ["abc", "a", "b", "c"]


def test_clang_tidy_works_without_the_plugin(tidy, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(tidy, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tidy.with_plugin("clang-tidy-14") == ("clang-tidy-14",)
    assert "the plugin needs clang-14" in capsys.readouterr().out


def test_a_file_that_a_unity_build_leaves_out_is_read_alone(tidy, monkeypatch, tmp_path):
    dependencies = checkout(tmp_path)
    database = tmp_path / "build" / "dev" / "compile_commands.json"
    entries = json.loads(database.read_text(encoding="utf-8"))
    entries[0]["command"] = entries[0]["command"].replace("part.o", "part.dir/part.o")
    for name, target in (("macros", "part"), ("bench", "bench"), ("bench_too", "bench")):
        path = tmp_path / "base" / "src" / f"{name}.cc"
        path.touch()
        command = f"/usr/bin/c++ -I{tmp_path}/base/include -O1 -o {target}.dir/{name}.o -c {path}"
        entries.append(entries[0] | {"command": command, "file": str(path)})
    database.write_text(json.dumps(entries), encoding="utf-8")
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setattr(tidy, "dependencies", lambda _: dependencies)
    groups = tidy.groups_of(list(tidy.sources_of(str(tmp_path / "build" / "dev"), b"")))
    assert sorted([pathlib.Path(one.path).stem for one in group] for group in groups) == [
        ["bench", "bench_too", "one", "two"], ["macros"]]
