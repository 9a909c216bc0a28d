"""The command on Linux 3.10, whose system calls are enough: the results are those on a new kernel."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, environment, run
from serving import Serving

OLD_KERNEL = pathlib.Path(__file__).with_name("on_linux_3_10")


@pytest.fixture(name="old", scope="session")
def old_fixture(tmp_path_factory):
    """A program that runs the command as on Linux 3.10."""
    tried = subprocess.run([OLD_KERNEL, "true"], stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode == 77:
        pytest.skip(tried.stderr.strip())
    program = tmp_path_factory.mktemp("old") / "fathom"
    program.write_text(f'#!/bin/sh\nexec {OLD_KERNEL} {FATHOM} "$@"\n')
    program.chmod(0o755)
    return program


def run_old(program, *arguments):
    return subprocess.run([program, *arguments], env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=PATIENCE, check=False)


def without_time(text):
    return re.sub(rb'"timing":\{[^}]*\}|"(?:seconds|entries_per_second)":[0-9.]+|\d+(?:\.\d+)? m?s\b|[0-9,]+/s', b"",
                  text)


# System calls that the command makes on new kernels, with their numbers on x86-64 and on arm64.
NEW_CALLS = {"renameat2": (316, 276), "getrandom": (318, 278), "membarrier": (324, 283), "statx": (332, 291),
             "io_uring_setup": (425, 425), "openat2": (437, 437)}


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("call", NEW_CALLS)
def test_new_calls_fail(call):
    """Otherwise the other tests would show nothing."""
    number = NEW_CALLS[call][os.uname().machine == "aarch64"]
    made = (f"import ctypes, os; system = ctypes.CDLL(None, use_errno=True); system.syscall({number}, -1, 0, 0, 0, 0)\n"
            "print(os.strerror(ctypes.get_errno()))")
    refused = subprocess.run([OLD_KERNEL, "/usr/bin/python3", "-c", made], stdout=subprocess.PIPE, text=True,
                             check=True)
    assert refused.stdout == "Function not implemented\n"


@pytest.mark.parametrize("arguments", [
    ["scan", "--format", "json", "--summary", "--largest-files", "9", "--metrics", "--owners", "--symlinks"],
    ["scan", "--format", "csv", "--metrics"],
    ["find", "--long", "file*", "--"],
    ["dups", "--format", "json"],
], ids=" ".join)
def test_reports_are_the_same(old, tree, arguments):
    new = run(*arguments, tree)
    then = run_old(old, *arguments, tree)
    assert (then.returncode, then.stderr) == (new.returncode, new.stderr)
    assert without_time(then.stdout) == without_time(new.stdout)


def test_snapshots_are_kept_and_compared(old, tree, tmp_path):
    store = tmp_path / "store"
    assert run_old(old, "snapshot", "--store", store, tree).returncode == 0
    (tree / "new").write_bytes(b"n" * 70_000)
    assert run_old(old, "snapshot", "--store", store, tree).returncode == 0
    compared = run_old(old, "diff", "--store", store, "--format", "json")
    assert compared.returncode == 0, compared.stderr
    assert without_time(compared.stdout) == without_time(run("diff", "--store", store, "--format", "json").stdout)
    assert b"/new" in compared.stdout
    assert run("store", "verify", "--store", store).returncode == 0


@pytest.fixture(name="project")
def project_fixture(tmp_path):
    """A project with a folder that may be cleaned."""
    project = tmp_path / "data/project"
    (project / "target").mkdir(parents=True)
    (project / "Cargo.toml").write_text("[package]\n")
    (project / "target/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    (project / "target/library").write_bytes(os.urandom(50_000))
    return project


def test_caches_are_found_and_a_plan_is_carried_out_and_undone(old, project, tmp_path):
    plan = tmp_path / "plan"
    away = ("--quarantine", tmp_path / "away")
    assert run_old(old, "clean", tmp_path / "data", "--plan", plan).returncode == 0
    done = run_old(old, "apply", plan, *away, "--execute", "--format", "json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert not (project / "target").exists()
    undone = run_old(old, "undo", f"{plan}.journal", "--execute")
    assert (undone.returncode, undone.stderr) == (0, b"")
    assert (project / "target/library").stat().st_size == 50_000


def test_open_files_are_found(old, project, tmp_path):
    """Through /proc, with flags of statx that glibc refuses then."""
    with open(project / "target/library", "rb") as file, open(tmp_path / "gone", "wb") as gone:
        gone.write(b"x" * 100_000)
        gone.flush()
        os.fsync(gone.fileno())
        (tmp_path / "gone").unlink()
        explained = run_old(old, "scan", "--explain", "--verbose", tmp_path).stdout.decode()
        listed = json.loads(run_old(old, "clean", tmp_path / "data", "--format", "json").stdout)
        assert not file.closed
    assert f"deleted but still open: {tmp_path}/gone (" in explained
    [skipped] = listed["skipped"]
    assert skipped["why"].startswith(f"is open in process {os.getpid()} (")


def test_duplicates_are_linked(old, tmp_path):
    same = os.urandom(50_000)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(same)
    plan = tmp_path / "plan"
    assert run_old(old, "dups", tmp_path, "--plan", plan).returncode == 0
    assert run_old(old, "dups", "--apply", plan, "--execute").returncode == 0
    assert os.path.samefile(tmp_path / "a", tmp_path / "b")


def test_the_server_answers(old, tree):
    with Serving(tree, program=old) as server:
        status = server.complete().status()
    assert status["totals"] == json.loads(run("scan", tree, "--format", "json").stdout)["totals"]
