"""Tests of web/embed_page.cmake: what a build does if the page cannot be built."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def embed(tmp_path, code):
    """Embeds a page whose build says something and ends with the code."""
    build = tmp_path / "ui" / "build"
    build.parent.mkdir()
    build.write_text(f"#!/bin/sh\necho 'this is the reason' >&2\nexit {code}\n")
    build.chmod(0o755)
    command = ["cmake", f"-DUI={build.parent}", f"-DFOLDER={tmp_path}/page", f"-DSOURCE={tmp_path}/page_files.cc",
               f"-DSTAMP={tmp_path}/stamp", "-P", f"{ROOT}/web/embed_page.cmake"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_page_with_wrong_sources_fails_the_build(tmp_path):
    done = embed(tmp_path, 1)
    assert done.returncode != 0
    assert "this is the reason" in done.stderr
    assert not (tmp_path / "page_files.cc").exists()
    assert not (tmp_path / "stamp").exists()


def test_a_machine_that_cannot_build_the_page_gets_none(tmp_path):
    done = embed(tmp_path, 3)
    assert done.returncode == 0
    assert "is not built" in done.stdout + done.stderr
    assert "return {};" in (tmp_path / "page_files.cc").read_text()
    assert not (tmp_path / "stamp").exists(), "the next build tries again"
