"""Variables of the Makefile become options of the commands. `make -n` prints the commands and runs none."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lab_of(*variables, **environment):
    """The options that `make go-bench` passes to the lab, after the names of the experiments."""
    # The variables of a make around this test would reach the inner one.
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    made = subprocess.run(["make", "-n", "go-bench", *variables], cwd=ROOT, env=kept | environment, check=True,
                          capture_output=True, text=True)
    words = made.stdout.replace("\\\n", " ").split()
    assert words.count("scripts/lab") == 1
    return words[words.index("build/lab/runs") + 1 :]


@pytest.mark.parametrize("variables, options", [
    ([], []),
    (["CPUS=2,3"], ["--pin", "'2,3'"]),
    (["NICE=-10"], ["--nice", "'-10'"]),
    (["PROFILE=cpu"], ["--profile", "cpu"]),
    (["PROFILE=cpu trace", "ARGS=--smoke"], ["--profile", "cpu", "--profile", "trace", "--smoke"]),
])
def test_go_bench_has_a_variable_for_each_option_of_measuring(variables, options):
    assert lab_of(*variables) == options


def test_variables_of_the_environment_that_have_these_names_for_another_reason_do_not_count():
    assert lab_of(CPUS="8", NICE="/usr/bin/nice", PROFILE="work") == []


def test_gomaxprocs_reaches_the_benchmarks(tmp_path):
    """Of a variable on the command line, make tells its commands, too."""
    makefile = tmp_path / "Makefile"
    makefile.write_text((ROOT / "Makefile").read_text() + "\nshow:\n\t@echo $$GOMAXPROCS\n")
    made = subprocess.run(["make", "-s", "-f", makefile, "show", "GOMAXPROCS=1"], cwd=tmp_path, check=True,
                          capture_output=True, text=True)
    assert made.stdout == "1\n"


def test_clean_unmounts_volumes_and_leaves_their_files(tmp_path):
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    kept, volume = tmp_path / "kept", tmp_path / "build/lab/volume-ext4-100"
    kept.mkdir()
    (kept / "file").touch()
    volume.mkdir(parents=True)
    mounted = subprocess.run(["mount", "--bind", kept, volume], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {mounted.stderr}")
    try:
        subprocess.run(["make", "clean"], cwd=tmp_path, check=True)
    finally:
        subprocess.run(["umount", "--quiet", volume], check=False)
    assert (kept / "file").exists()
    assert not (tmp_path / "build").exists()


def test_clean_removes_what_is_built(tmp_path):
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    (tmp_path / "build/release").mkdir(parents=True)
    assert subprocess.run(["make", "-s", "clean"], cwd=tmp_path, check=True, capture_output=True).stderr == b""
    assert not (tmp_path / "build").exists()
