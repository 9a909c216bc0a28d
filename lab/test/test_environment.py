from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import fathom_lab
from fathom_lab import environment


def git(folder: Path, *arguments: str) -> str:
    """The output of git. Skips the test if git is not installed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def test_it_is_plain_data(tmp_path: Path) -> None:
    facts = {**environment.collect(tmp_path), **environment.after(environment.processor_time())}
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


def test_it_matches_the_system(tmp_path: Path) -> None:
    facts = environment.collect(tmp_path)
    assert facts["kernel"] == os.uname().release
    assert facts["processors"] == sorted(os.sched_getaffinity(0))
    lines = Path("/proc/meminfo").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("MemTotal"))
    assert facts["memory"] == int(kilobytes) * 1024
    assert facts["lab"] == fathom_lab.__version__


def test_the_kernel_s_limits_of_tcp_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"/proc/sys/net/ipv4/tcp_wmem": ["4096\t16384\t4194304"], "/proc/sys/net/core/somaxconn": ["4096"]}
    monkeypatch.setattr(environment, "_lines", lambda path: files.get(path, []))
    limits = environment.collect(tmp_path)["tcp_limits"]
    assert (limits["tcp_wmem"], limits["somaxconn"]) == ("4096 16384 4194304", "4096")
    assert limits["rmem_max"] == "unknown", "as in a network namespace of its own"
    assert {"tcp_rmem", "wmem_max", "tcp_max_syn_backlog"} <= limits.keys()


def test_the_commit_and_uncommitted_changes_are_known(repository: Path) -> None:
    facts = environment.collect(repository)
    assert facts["commit"] == git(repository, "rev-parse", "HEAD") and facts["dirty"] is False
    (repository / "new").write_text("not asked for")
    assert environment.collect(repository)["dirty"] is False
    (repository / "file").write_text("two")
    assert environment.collect(repository)["dirty"] is True


def test_outside_of_git_the_commit_is_unknown(tmp_path: Path) -> None:
    facts = environment.collect(tmp_path)
    assert facts["commit"] == "unknown" and facts["dirty"] is False


def test_where_git_is_not_installed_the_commit_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = environment.collect(tmp_path)
    assert facts["commit"] == "unknown" and facts["dirty"] is False


def test_facts_that_cannot_be_determined_are_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_lines", lambda path: [])
    facts = environment.collect(tmp_path)
    assert {facts[name] for name in ("governor", "virtualization", "processor")} == {"unknown"}


@pytest.mark.parametrize("files, expected", [
    ({"/proc/cpuinfo": ["flags\t\t: fpu hypervisor"]}, "yes"),
    ({"/proc/cpuinfo": ["flags\t\t: fpu"]}, "none"),
    ({"/sys/hypervisor/type": ["xen"]}, "xen"),
])
def test_a_virtual_machine_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, list[str]], expected: str
) -> None:
    monkeypatch.setattr(environment, "_lines", lambda path: files.get(path, []))
    assert environment.collect(tmp_path)["virtualization"] == expected


def test_governors_that_differ_are_all_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(environment, "_lines", lambda path: {"0": ["powersave"], "1": ["performance"]}.get(
        path.removeprefix("/sys/devices/system/cpu/cpu")[:1], []))
    assert environment.collect(tmp_path)["governor"] == "performance, powersave"


@pytest.mark.parametrize(("now", "expected"), [
    ("cpu 1 0 0 96 0 0 0 3 0 0", 0.03), ("cpu 0 0 0 0 0 0 0 0 0 0", "unknown")])
def test_stolen_time_is_a_fraction_of_the_total_time(
    monkeypatch: pytest.MonkeyPatch, now: str, expected: object
) -> None:
    monkeypatch.setattr(environment, "_lines", lambda path: [now] if path == "/proc/stat" else [])
    assert environment.after((0, 0))["stolen"] == expected


def test_a_version_is_the_first_line_with_a_number(tmp_path: Path) -> None:
    assert environment.version(["printf", "About\\n the  tool 1.2\\n"], tmp_path) == "the tool 1.2"
    assert environment.version(["printf", "none"], tmp_path) == "unknown"
    assert environment.version(["no-such-program-anywhere"], tmp_path) == "unknown"


def test_load_stolen_time_and_versions_are_in_the_summary() -> None:
    facts = {"load_before": [0.5, 1, 1], "load_after": [1.25, 1, 1], "stolen": 0.031,
             "programs": {"scan": {"du": {"path": "/du", "version": "du 9.1"}, "floor": {"path": "/floor"}}}}
    assert environment.in_short(facts) == [
        "load 0.50 before, load 1.25 after, 3.1% of CPU time stolen", "scan: du (du 9.1)"]
    assert environment.in_short({"stolen": "unknown"}) == []


def test_another_machine_or_commit_is_noted() -> None:
    before = {"host": "a", "commit": "1", "load_before": [0.0]}
    assert environment.differences(before, {"host": "a", "commit": "1", "load_before": [9.0]}) == []
    assert environment.differences(before, {"host": "b", "commit": "2"}) == [
        "the host was a and is b", "the commit was 1 and is 2"]


def test_a_changed_limit_of_the_kernel_is_noted() -> None:
    now = {"tcp_limits": {"somaxconn": "4096", "wmem_max": "212992"}}
    assert environment.differences({"tcp_limits": {"somaxconn": "128", "wmem_max": "212992"}}, now) == [
        "somaxconn was 128 and is 4096"]
    assert environment.differences({}, now) == [], "an older run does not know them"
