"""Tests of web/embed_page.cmake and web/ui/build: what a build does if the page cannot be built."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(path, *lines):
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)


def embed(tmp_path, code):
    """Embeds a page whose build says something and ends with the code."""
    build = tmp_path / "ui" / "build"
    program(build, "echo 'this is the reason' >&2", f"exit {code}")
    command = ["cmake", f"-DUI={build.parent}", f"-DFOLDER={tmp_path}/page", f"-DSOURCE={tmp_path}/page_files.cc",
               f"-DSTAMP={tmp_path}/stamp", "-P", f"{ROOT}/web/embed_page.cmake"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_page_with_wrong_sources_fails_the_build(tmp_path):
    done = embed(tmp_path, 1)
    assert done.returncode != 0
    assert "this is the reason" in done.stderr
    assert not (tmp_path / "page_files.cc").exists()
    assert not (tmp_path / "stamp").exists()


def test_a_machine_that_cannot_build_the_page_gets_none_until_it_can(tmp_path):
    (tmp_path / "stamp").touch()  # of a page that could be built
    done = embed(tmp_path, 3)
    assert done.returncode == 0
    assert "is not built" in done.stdout + done.stderr
    assert "return {};" in (tmp_path / "page_files.cc").read_text()
    assert not (tmp_path / "stamp").exists(), "the next build tries again"


@pytest.mark.parametrize("error, code", [("EUSAGE", 1), ("EINTEGRITY", 1), ("ECONNREFUSED", 3)])
def test_a_wrong_list_of_packages_is_not_mistaken_for_a_machine_without_network(tmp_path, error, code):
    ui = tmp_path / "ui"
    ui.mkdir()
    shutil.copy(ROOT / "web/ui/build", ui)
    (ui / "package-lock.json").write_text("{}")
    program(tmp_path / "bin/node", "echo 20")
    program(tmp_path / "bin/npm", f"echo 'npm error code {error}' >&2", "exit 1")
    done = subprocess.run([ui / "build", "test"], capture_output=True, text=True, check=False, timeout=60,
                          env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    assert done.returncode == code
    assert error in done.stderr
