"""measure-fleet: what counts as a measurement. The scans are scripts that print what they are told."""

import os
import pathlib
import subprocess
import sys

import pytest

from slow_mount import why_not

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "measure-fleet"
SLOWFS = os.environ.get("FATHOM_SLOWFS", "")


@pytest.fixture(name="start")
def fixture_start(tmp_path):
    """A function that starts to measure a scan that runs this script."""
    if reason := why_not(SLOWFS):
        pytest.skip(reason)
    tree = tmp_path / "files/tree"
    (tree / "directory").mkdir(parents=True)
    (tree / "file").touch()
    command = tmp_path / "command"

    def start(way, script):
        command.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        command.chmod(0o755)
        words = [sys.executable, PROGRAM, way, tree.parent, "--fathom", command, "--fleet-python", command,
                 "--slowfs", SLOWFS, "--delay-us=0"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"TMPDIR": str(tmp_path)})

    return start


@pytest.fixture(name="measure")
def fixture_measure(start):
    """A function that measures a scan that prints so many entries, and has this exit code."""

    def measure(way, entries, exit_code=0):
        with start(way, f"echo 'Entries {entries}'\nexit {exit_code}") as measuring:
            stdout, stderr = measuring.communicate()
        if "cannot mount here" in stderr:
            pytest.skip(stderr)
        return subprocess.CompletedProcess(way, measuring.returncode, stdout, stderr)

    return measure


@pytest.mark.parametrize("reference", ["list", "process"])
@pytest.mark.parametrize("way", ["fleet", "slices"])
def test_a_scan_that_does_not_find_all_entries_is_not_measured(measure, reference, way):
    assert measure(reference, "8,000").returncode == 0
    measured = measure(way, 43)
    assert measured.returncode == 1
    assert f"{way} found 43 entries instead of" in measured.stderr
    assert "utilisation" not in measured.stdout


def test_slices_need_not_find_the_files_beside_them(measure):
    assert measure("list", 3).returncode == 0
    measured = measure("slices", 1)
    assert measured.returncode == 0
    assert "utilisation" in measured.stdout


@pytest.mark.parametrize("way", ["list", "process", "fleet", "slices"])
def test_a_scan_with_errors_is_not_measured(measure, way):
    measured = measure(way, 3, exit_code=1)
    assert measured.returncode == 1
    assert "the scan ended with" in measured.stderr
    assert "utilisation" not in measured.stdout


def test_what_is_terminated_unmounts_the_tree(start, tmp_path):
    with start("list", "echo scanning >&2\nexec sleep 1000") as measuring:
        said = measuring.stderr.readline()
        if "cannot mount here" in said:
            pytest.skip(said)
        assert said == "scanning\n"
        assert [os.path.ismount(place) for place in tmp_path.glob("measure-fleet-*/slow")] == [True]
        measuring.terminate()
        measuring.terminate()
        assert measuring.wait() == 1
    assert not [*tmp_path.glob("measure-fleet-*")]
