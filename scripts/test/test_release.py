"""Everything that names the version of the release names the same one."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = subprocess.run([ROOT / "scripts/release", "version"], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()


def found(pattern, path):
    names = re.findall(pattern, (ROOT / path).read_text(), re.MULTILINE)
    assert names, f"{path} has nothing like {pattern}"
    return names


def test_the_version_has_three_numbers():
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_the_lab_has_the_version_of_the_command():
    assert found(r'^__version__ = "(.*)"$', "lab/src/fathom_lab/__init__.py") == [VERSION]


def test_the_install_lines_of_the_readme_name_this_version():
    assert set(found(r"fathom(?:_fs)?[-_](\d+\.\d+\.\d+)", "README.md")) == {VERSION}


def test_the_newest_release_in_the_changelog_is_this_version_unless_changes_are_unreleased():
    newest = found(r"^## (\S+)", "CHANGELOG.md")[0]
    assert newest in (VERSION, "Unreleased")


def test_the_date_of_a_release_is_that_of_the_build_if_one_is_given():
    said = subprocess.run([ROOT / "scripts/release", "date"], stdout=subprocess.PIPE, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "5"})
    assert said.stdout == "5\n"


def test_an_archive_without_git_has_the_date_of_the_changelog(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/release").write_text((ROOT / "scripts/release").read_text())
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 - 2026-01-02\n\n## 1.2.2 - 2025-01-01\n")
    said = subprocess.run(["bash", tmp_path / "scripts/release", "date"], stdout=subprocess.PIPE, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin"})
    assert said.stdout == "1767312000\n"


@pytest.fixture(name="repository")
def repository_fixture(tmp_path):
    """With scripts/dist, and one commit of version 1.2.3."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/dist", tmp_path / "scripts")
    (tmp_path / "CMakeLists.txt").write_text("project(fathom\n  VERSION 1.2.3\n  LANGUAGES CXX)\n")
    for command in (["init", "--quiet"], ["add", "."],
                    ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def dist(repository, *arguments):
    return subprocess.run([repository / "scripts/dist", *arguments], capture_output=True, text=True, check=False)


def test_a_release_is_made_only_of_what_git_knows(repository):
    ran = dist(repository, "v1.2.3")
    assert ran.returncode == 2
    assert ran.stderr == "dist: v1.2.3 is neither a tag nor a commit of this repository\n"


def test_a_tag_has_the_name_of_its_version(repository):
    subprocess.run(["git", "tag", "v1.2.4"], cwd=repository, check=True)
    ran = dist(repository, "v1.2.4")
    assert ran.returncode == 2
    assert ran.stderr == "dist: the tag v1.2.4 contains version 1.2.3; its name must be v1.2.3\n"


def test_a_folder_that_is_there_is_not_replaced(repository):
    (repository / "precious").mkdir()
    ran = dist(repository, "HEAD", "precious")
    assert ran.returncode == 2
    assert ran.stderr == "dist: precious exists; name a folder that does not\n"
    assert (repository / "precious").is_dir()
