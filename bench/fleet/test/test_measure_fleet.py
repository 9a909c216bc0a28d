"""measure-fleet: what counts as a measurement. The scans are scripts that print what they are told."""

import os
import pathlib
import subprocess
import sys

import pytest

from slow_mount import why_not

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "measure-fleet"
SLOWFS = os.environ.get("FATHOM_SLOWFS", "")


@pytest.fixture(name="measure")
def fixture_measure(tmp_path):
    """A function that measures a scan that prints so many entries, and has this exit code."""
    if reason := why_not(SLOWFS):
        pytest.skip(reason)
    tree = tmp_path / "files/tree"
    (tree / "directory").mkdir(parents=True)
    (tree / "file").touch()
    command = tmp_path / "command"

    def measure(way, entries, exit_code=0):
        command.write_text(f"#!/bin/sh\necho 'Entries {entries}'\nexit {exit_code}\n", encoding="ascii")
        command.chmod(0o755)
        words = [sys.executable, PROGRAM, way, tree.parent, "--fathom", command, "--fleet-python", command,
                 "--slowfs", SLOWFS, "--delay-us=0"]
        measured = subprocess.run(words, capture_output=True, text=True, check=False)
        if "cannot mount here" in measured.stderr:
            pytest.skip(measured.stderr)
        return measured

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
