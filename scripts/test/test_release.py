"""Everything that names the version of the release names the same one."""

import pathlib
import re
import subprocess

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
