"""Tests of scripts/build: when it configures a folder, and when it configures it anew."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(name="configured")
def configured_fixture(tmp_path):
    """Calls scripts/build with a cmake that does nothing; returns the arguments with which it configured the folder."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "CMakePresets.json").touch()
    shutil.copy(ROOT / "scripts/build", tmp_path / "scripts")
    cmake = tmp_path / "bin/cmake"
    cmake.write_text('#!/bin/sh\n[ "$1" = --build ] && exit\necho "$*"\nmkdir -p build/asan\n'
                     'echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/asan/CMakeCache.txt\n'
                     'touch build/asan/build.ninja\n')
    cmake.chmod(0o755)

    def call(**environment):
        kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX")}
        ran = subprocess.run([tmp_path / "scripts/build", "asan"], stdout=subprocess.PIPE, text=True, check=True,
                             env=kept | environment | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        return ran.stdout

    return call


def test_a_folder_is_configured_once(configured):
    assert configured() == "--fresh --preset asan\n"
    assert configured() == ""


@pytest.mark.parametrize("variable", ["CC", "CXX"])
def test_a_folder_is_configured_again_for_another_compiler(configured, variable):
    configured()
    assert configured(**{variable: "clang"}) == "--fresh --preset asan\n"
    assert configured(**{variable: "clang"}) == ""
    assert configured() == "--fresh --preset asan\n"


def test_scripts_find_their_files_whatever_cdpath_is(tmp_path):
    (tmp_path / "scripts").mkdir()  # in which `cd scripts/..` would end
    said = subprocess.run(["scripts/release", "version"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
                          env=os.environ | {"CDPATH": os.fspath(tmp_path)})
    assert len(said.stdout.splitlines()) == 1
