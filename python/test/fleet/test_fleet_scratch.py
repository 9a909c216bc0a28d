"""The temporary directory of a worker that was killed is removed by the next one, and nothing else is."""

import fcntl
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import urllib.parse

import pytest

from fathom_fleet import scratch

WORKER = """
import os, pathlib, sys
from fathom_fleet.scratch import scratch
with scratch() as directory:
    pathlib.Path(directory, "inner").mkdir()
    pathlib.Path(directory, "inner", "file").touch()
    print(directory, flush=True)
    sys.stdin.read()
"""
HOST = urllib.parse.quote(socket.gethostname(), safe="")


@pytest.fixture(name="place", autouse=True)
def fixture_place(tmp_path, monkeypatch):
    """Where temporary directories are made: everybody may write there, as in /tmp."""
    place = tmp_path / "tmp"
    place.mkdir()
    place.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture(name="worker")
def fixture_worker(place):
    """A process that has such a directory, with that."""
    process = subprocess.Popen([sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, TMPDIR=str(place)))
    yield process, pathlib.Path(process.stdout.readline().strip())
    process.kill()
    process.communicate()


def killed(worker):
    """The directory that the worker leaves behind."""
    process, directory = worker
    process.kill()
    process.wait()
    return directory


@pytest.fixture(name="precious")
def fixture_precious(tmp_path):
    directory = tmp_path / "precious"
    directory.mkdir()
    (directory / "file").touch()
    return directory


def test_a_worker_that_ends_leaves_nothing(worker, place):
    process, directory = worker
    assert directory.parent == place and directory.stat().st_mode & 0o777 == 0o700
    process.communicate()
    assert process.returncode == 0 and not list(place.iterdir())


def test_the_directory_of_a_killed_worker_is_removed(worker, place):
    assert killed(worker).is_dir()
    scratch.remove_leftovers()
    assert not list(place.iterdir())


def test_the_directory_of_a_worker_that_runs_stays(worker):
    scratch.remove_leftovers()
    assert (worker[1] / "inner" / "file").exists()


def test_a_host_name_may_be_any_bytes(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: os.fsdecode(b"h/\xff"))
    with scratch.scratch() as directory:
        assert pathlib.Path(directory).name.startswith("fathom-fleet-h%2F%FF-")
        scratch.remove_leftovers()
        assert pathlib.Path(directory).is_dir()


def test_a_directory_that_cannot_be_locked_never_looks_like_a_leftover(monkeypatch):
    def refuse(*_arguments):
        raise OSError

    with monkeypatch.context() as without_locks:
        without_locks.setattr(fcntl, "flock", refuse)
        directory = scratch.scratch()
        path = pathlib.Path(directory.__enter__())
    scratch.remove_leftovers()
    assert path.is_dir()
    directory.__exit__(None, None, None)
    assert not path.exists()


def test_a_link_that_an_attacker_has_put_there_is_not_followed(place, precious):
    link = place / f"fathom-fleet-{HOST}-aaaaaaaa"
    link.symlink_to(precious)
    scratch.remove_leftovers()
    assert link.is_symlink() and (precious / "file").exists()


def test_a_link_in_a_leftover_is_not_followed(worker, precious):
    directory = killed(worker)
    (directory / "link").symlink_to(precious)
    scratch.remove_leftovers()
    assert not directory.exists() and (precious / "file").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_the_directory_of_another_user_stays(worker):
    directory = killed(worker)
    os.chown(directory, 65534, 65534)
    scratch.remove_leftovers()
    assert (directory / "inner" / "file").exists()


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_directory_that_an_attacker_has_renamed_stays(place, precious, mode):
    place.chmod(mode)  # not sticky, so that others may rename what is in it
    precious.rename(place / f"fathom-fleet-{HOST}-aaaaaaaa")
    scratch.remove_leftovers()
    assert list(place.rglob("file"))


@pytest.mark.parametrize("name", [f"fathom-fleet-{HOST}x-aaaaaaaa", f"fathom-fleet-{HOST}-1-aaaaaaaa",
                                  "fathom-fleet-aaaaaaaa", "other"])
def test_directories_of_other_hosts_and_programs_stay(place, precious, name):
    precious.rename(place / name)
    scratch.remove_leftovers()
    assert list(place.rglob("file"))
