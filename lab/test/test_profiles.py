"""Profiles after the rounds, with a perf and a Go benchmark that are shell scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fathom_lab.cli import main
from fathom_lab.drivers import profiling
from test_cli import lab, only_folder, rounds, write

# Writes its arguments into the file after --output, and runs the command after --.
PERF = """
while [ "$1" != -- ]; do
  if [ "$1" = --output ]; then file=$2; fi
  shift
done
shift
echo "$@" >"$file"
exec "$@"
"""
GO = """
for one; do case $one in
  -test.cpuprofile=*|-test.memprofile=*|-test.trace=*) echo "$one" >"${one#*=}";;
esac; done
echo "BenchmarkRing 100 5.0 ns/op"
"""


def script(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project, and nothing else in PATH than what a test puts into the folder bin, and the shell's tools."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for tool in ("true", "false", "sh", "echo"):
        script(tmp_path / "bin" / tool, f'exec /usr/bin/{tool} "$@"')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    profiling._perf_missing.cache_clear()
    yield tmp_path
    profiling._perf_missing.cache_clear()


def files() -> dict[str, str]:
    folder = only_folder().path / "profiles" / "which"
    return {file.name: file.read_text() for file in sorted(folder.iterdir())}


def go(here: Path) -> Path:
    binary = script(here / "ring.test", GO)
    file = here / "which.toml"
    contenders = "".join(f'[[contender]]\nname = "{name}"\nbenchmark = "BenchmarkRing"\n' for name in ("old", "new"))
    file.write_text(f'question = "?"\nbaseline = "old"\n[plan]\nrounds = 2\nwarmup_rounds = 0\n[parameters]\n'
                    f'size = [1, 2]\n[defaults]\ndriver = "go-test"\nbinary = "{binary}"\n{contenders}')
    return file


def test_a_command_is_profiled_by_perf_after_its_rounds(here: Path) -> None:
    script(here / "bin" / "perf", PERF)
    result = lab("run", write(here), "--smoke", "--profile", "cpu")
    assert result.exit_code == 0, result.output
    assert files() == {"new.perf.data": "true\n", "old.perf.data": "true\n"}
    assert rounds(only_folder()) == [0, 1]  # a profile is not a round
    reported = [line for line in result.stdout.splitlines() if "profile of" in line]
    assert [line.partition(" profile of ")[2].split()[:4] for line in reported] == [
        ["old:", "perf", "report", "-i"], ["new:", "perf", "report", "-i"]]
    assert all(Path(line.split()[-1]).is_file() for line in reported)
    assert result.stdout.splitlines()[-1] == str(only_folder().path)


@pytest.mark.parametrize("perf, reason", [
    (None, "no cpu profile of old and new: perf is not installed"),
    ("exit 255", "no cpu profile of old and new: perf may not record here: see /proc/sys/kernel/perf_event_paranoid"),
    ('case "$*" in *trial*) exit 0;; esac; echo "no memory" >&2; exit 3',
     "no cpu profile of old and new: it exited with 3: no memory, without a profile"),
])
def test_without_perf_a_sentence_says_so_and_the_results_stay(here: Path, perf: str | None, reason: str) -> None:
    if perf is not None:
        script(here / "bin" / "perf", perf)
    result = lab("run", write(here), "--smoke", "--profile", "cpu")
    assert result.exit_code == 0
    assert reason in result.stdout.splitlines()
    assert files() == {}


def test_only_go_has_profiles_of_memory_and_traces(here: Path) -> None:
    script(here / "bin" / "perf", PERF)
    result = lab("run", write(here), "--smoke", "--profile", "memory", "--profile", "trace")
    assert "no memory profile of old and new: only Go's benchmarks write one" in result.stdout
    assert "no trace profile of old and new: only Go's benchmarks write one" in result.stdout


def test_a_go_benchmark_writes_its_profiles_itself_at_each_point(here: Path) -> None:
    result = lab("run", go(here), "--profile", "cpu", "--profile", "memory", "--profile", "trace", "--profile", "cpu")
    assert result.exit_code == 0, result.output
    endings = {"cpu.pprof": "cpuprofile", "memory.pprof": "memprofile", "trace": "trace"}
    assert set(files()) == {f"{name}-size={size}.{ending}" for name in ("old", "new") for size in (1, 2)
                            for ending in endings}
    assert all(text.startswith(f"-test.{endings[name.partition('.')[2]]}=") for name, text in files().items())
    folder = only_folder().path.absolute()
    assert f"cpu profile of old at size 1: go tool pprof {here}/ring.test {folder}/profiles/which/old-" in result.stdout
    assert "trace profile of new at size 2: go tool trace " in result.stdout


def test_names_of_parameters_cannot_leave_the_folder_or_hide_each_other(here: Path) -> None:
    script(here / "bin" / "perf", PERF)
    result = lab("run", write(here, more='[parameters]\ntree = ["../a/b", "../a_b"]'), "--smoke", "--profile", "cpu")
    assert result.exit_code == 0, result.output
    assert list(files()) == ["new-tree=_a_b-2.perf.data", "new-tree=_a_b.perf.data", "old-tree=_a_b-2.perf.data",
                             "old-tree=_a_b.perf.data"]


def test_a_contender_that_is_missing_has_no_profile(here: Path) -> None:
    script(here / "bin" / "perf", PERF)
    file = write(here)
    file.write_text(f'{file.read_text()}\n[[contender]]\nname = "gone"\ncommand = ["gone"]\n')
    result = lab("run", file, "--smoke", "--profile", "cpu")
    assert "gone did not run" in " ".join(result.stdout.split()) or "gone is not installed" in result.stdout
    assert list(files()) == ["new.perf.data", "old.perf.data"]


def test_an_unknown_kind_is_refused_before_anything_is_created(here: Path) -> None:
    result = lab("run", write(here), "--profile", "heap")
    assert result.exit_code == 2
    assert "'heap' is not one of 'cpu', 'memory', 'trace'" in result.stderr
    assert not Path("runs").exists()
    kinds = [one.type for one in main.commands["run"].params if one.name == "profiles"]
    assert [tuple(one.choices) for one in kinds if isinstance(one, click.Choice)] == [profiling.KINDS]
