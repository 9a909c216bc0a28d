"""`fathom serve --live`: the page follows what changes."""

import os
import shutil
import subprocess
import urllib.parse

import pytest

from conftest import FATHOM, PATIENCE, environment
from serving import Serving

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can follow filesystems")


@pytest.fixture
def live(tree):
    probe = subprocess.run([FATHOM, "serve", "--live", "--no-open", "/proc"],
                           capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False)
    if "/proc" not in probe.stderr:
        pytest.skip(probe.stderr)
    with Serving("--live", tree) as server:
        yield server.complete(), tree


def until_names(server, tree, names):
    """Reads events until the directory has these names. What other tests do on the same filesystem can be more than the
    kernel reports, so that the server scans again; then it follows."""
    with server.events() as events:
        while event := events.event():
            assert event["state"] == "complete"
            if event["live"]["state"] == "rescanning":
                continue
            assert event["live"]["state"] == "following"
            path = urllib.parse.quote(os.fsencode(tree))
            listed = server.ask(f"/api/1/children?path={path}&sort=name").json()["children"]
            if [child["name"] for child in listed] == names:
                return event
    raise AssertionError("the events have ended")


@ROOT
def test_the_status_and_the_directories_follow_what_changes(live):
    server, tree = live
    before = server.status()
    for name in sorted(os.listdir(tree))[1:]:
        if (tree / name).is_dir():
            shutil.rmtree(tree / name)
        else:
            (tree / name).unlink()
    left = sorted(os.listdir(tree))
    event = until_names(server, tree, left)
    assert event["generation"] > before["generation"]
    (tree / "zz-new").write_bytes(b"x" * 100_000)
    event = until_names(server, tree, [*left, "zz-new"])
    du = subprocess.run(["du", "-s", "--block-size=1", tree], capture_output=True, text=True, check=True)
    assert event["totals"]["disk_bytes"] == int(du.stdout.split()[0])


def test_without_live_there_is_nothing_about_it(tree):
    with Serving(tree) as server:
        assert server.complete().status()["live"] is None


@ROOT
def test_what_cannot_be_followed_is_refused_with_the_reason():
    run = subprocess.run([FATHOM, "serve", "--live", "--no-open", "/proc"],
                         capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    if "outside of containers" in run.stderr:
        pytest.skip(run.stderr)
    assert run.stderr == ("fathom: cannot follow the changes of /proc: its filesystem does not report all of them; "
                          "scan it again instead\n")


@ROOT
def test_a_user_is_refused_with_the_reason(tree):
    tree.chmod(0o755)
    run = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                          FATHOM, "serve", "--live", "--no-open", "/"],
                         capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False)
    assert run.returncode == 2
    assert "run it as root" in run.stderr


def test_a_saved_scan_cannot_be_followed(tmp_path):
    run = subprocess.run([FATHOM, "serve", "--live", "--from", tmp_path / "export"],
                         capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False)
    assert run.returncode == 2
    assert "'--live'" in run.stderr
