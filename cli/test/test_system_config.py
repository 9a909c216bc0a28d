"""/etc/fathom.conf, as a real file: in a namespace of mounts whose /etc is a folder of the test."""

import functools
import os
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, environment, sentence_of

UNSHARE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]


@functools.lru_cache
def why_no_other_etc():
    """Why another /etc cannot be mounted here; empty if it can."""
    try:
        tried = subprocess.run([*UNSHARE, "mount", "--bind", "/", "/etc"], capture_output=True, check=False,
                               timeout=PATIENCE)
    except OSError as error:
        return str(error)
    return tried.stderr.decode().strip() if tried.returncode != 0 else ""


@pytest.fixture(name="etc")
def other_etc(tmp_path):
    if why := why_no_other_etc():
        pytest.skip(f"nothing can be mounted over /etc here: {why}")
    (tmp_path / "etc").mkdir()
    return tmp_path / "etc"


def run_with(etc, *arguments, commands=""):
    return subprocess.run([*UNSHARE, "sh", "-c", 'mount --bind "$0" /etc && exec "$@"', etc, FATHOM, *arguments],
                          input=commands.encode(), capture_output=True, check=False, timeout=PATIENCE,
                          env=environment({"XDG_STATE_HOME": str(etc.parent / "state")}))


def browse(etc, folder):
    return run_with(etc, "browse", "--plain", folder, commands="plan 1\napply\nno\n")


@pytest.mark.parametrize("text", [b"read_only = true\n", b"# for everybody\n\nread_only=true # always\r\n"])
def test_an_administrator_can_forbid_everybody_to_apply_plans(etc, small, text):
    (etc / "fathom.conf").write_bytes(text)
    browsed = browse(etc, small)
    assert browsed.returncode == 0
    assert b"plans cannot be applied here" in browsed.stdout
    assert "/etc/fathom.conf" in sentence_of(run_with(etc, "serve", "--allow-apply", small))


@pytest.mark.parametrize("text", [None, b"", b"read_only = false\n"])
def test_nothing_is_forbidden_without_a_demand(etc, small, text):
    if text is not None:
        (etc / "fathom.conf").write_bytes(text)
    browsed = browse(etc, small)
    assert browsed.returncode == 0
    assert b"Move the plan to the quarantine?" in browsed.stdout


@pytest.mark.parametrize("text", [b"readonly = true\n", b"read_only = yes\n", b"\x00", b"read_only = true = false\n"])
def test_a_line_that_is_not_understood_is_an_error(etc, small, text):
    (etc / "fathom.conf").write_bytes(text)
    browsed = browse(etc, small)
    assert browsed.returncode == 2
    assert b"/etc/fathom.conf: " in browsed.stderr and b"is not `read_only = true`" in browsed.stderr


def test_a_demand_that_cannot_be_read_is_an_error(etc, small):
    (etc / "fathom.conf").mkdir()
    assert "cannot read /etc/fathom.conf: " in sentence_of(browse(etc, small))


def test_a_demand_behind_more_than_is_read_is_not_lost(etc, small):
    (etc / "fathom.conf").write_bytes(b"# nothing\n" * 10_000 + b"read_only = true\n")
    assert "/etc/fathom.conf has 64 KiB or more" in sentence_of(browse(etc, small))
