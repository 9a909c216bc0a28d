"""Everything that names the version of the release names the same one."""

import pathlib
import re
import shutil
import subprocess
import tarfile

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


@pytest.mark.parametrize("document", ["README.md", "docs/PYTHON.md", "docs/FLEET.md"])
def test_install_lines_name_this_version(document):
    assert set(found(r"fathom(?:_fs)?[-_](\d+\.\d+\.\d+)", document)) == {VERSION}


def test_the_newest_release_in_the_changelog_is_this_version_unless_changes_are_unreleased():
    newest = found(r"^## (\S+)", "CHANGELOG.md")[0]
    assert newest in (VERSION, "Unreleased")


def test_what_this_version_writes_is_recorded_for_later_ones():
    minor = VERSION.rpartition(".")[0]
    assert (ROOT / "cli/test/versions" / minor / "facts.json").exists(), "record it: cli/test/test_upgrade.py"


def test_the_date_of_a_release_is_that_of_the_build_if_one_is_given():
    said = subprocess.run([ROOT / "scripts/release", "date"], stdout=subprocess.PIPE, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "5"})
    assert said.stdout == "5\n"


def date_of_archive(folder, changelog):
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts/release").write_text((ROOT / "scripts/release").read_text())
    (folder / "CHANGELOG.md").write_text(changelog)
    return subprocess.run(["bash", folder / "scripts/release", "date"], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin"})


def test_an_archive_without_git_has_the_date_of_the_changelog(tmp_path):
    ran = date_of_archive(tmp_path, "# Changelog\n\n## 1.2.3 - 2026-01-02\n\n## 1.2.2 - 2025-01-01\n")
    assert ran.stdout == "1767312000\n"


def test_an_archive_in_the_repository_of_another_project_has_its_own_date(repository):
    ran = date_of_archive(repository / "archive", "## 1.2.3 - 2026-01-02\n")
    assert ran.stdout == "1767312000\n"


@pytest.mark.parametrize("heading", ["Unreleased", "1.2.3 - 2026-13-45"])
def test_without_a_date_there_is_no_release(tmp_path, heading):
    ran = date_of_archive(tmp_path, f"# Changelog\n\n## {heading}\n")
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr == 'release: CHANGELOG.md has no release with a date, such as "## 1.0.0 - 2026-11-27"\n'


@pytest.fixture(name="repository")
def repository_fixture(tmp_path):
    """With scripts/dist, whose builds write the file "built", and one commit of version 1.2.3."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "below").mkdir()
    shutil.copy(ROOT / "scripts/dist", tmp_path / "scripts")
    (tmp_path / "CMakeLists.txt").write_text("project(fathom\n  VERSION 1.2.3\n  LANGUAGES CXX)\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-01-02\n")
    build(tmp_path, 'while [ "$1" != --output ]; do shift; done; echo built >"$2/built"')
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True)


def commit(folder):
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "a change")


def build(folder, commands):
    program = folder / "scripts/bare-root"
    program.write_text(f"#!/bin/sh\n{commands}\n")
    program.chmod(0o755)


def dist(repository, *arguments):
    return subprocess.run([repository / "scripts/dist", *arguments], capture_output=True, text=True, check=False,
                          cwd=repository / "below")


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
    ran = dist(repository, "HEAD", "../precious")
    assert ran.returncode == 2
    assert ran.stderr == f"dist: {repository}/precious exists; name a folder that does not\n"
    assert (repository / "precious").is_dir()


def test_folders_beside_that_of_the_release_stay(repository):
    others = [repository / "below" / name for name in ("made.old", "made.new")]
    for other in others:
        other.mkdir()
    assert dist(repository, "HEAD", "made").returncode == 0
    assert sorted((repository / "below").iterdir()) == sorted([repository / "below/made", *others])


def test_a_tag_is_released_only_if_the_changelog_begins_with_its_version(repository):
    git(repository, "tag", "v1.2.3")
    ran = dist(repository, "v1.2.3")
    assert ran.returncode == 2
    assert ran.stderr == ("dist: CHANGELOG.md of v1.2.3 must begin with version 1.2.3 and its date, not with "
                          '"## Unreleased"\n')


def test_other_commits_than_the_tag_are_not_to_be_published(repository):
    ran = dist(repository)
    assert ran.returncode == 0
    assert ran.stderr == "dist: note: HEAD is not the tag v1.2.3, so do not publish these files\n"
    (repository / "CHANGELOG.md").write_text("## 1.2.3 - 2026-01-02\n")
    commit(repository)
    git(repository, "tag", "v1.2.3")
    assert dist(repository).stderr == ""
    assert dist(repository, "v1.2.3").stderr == ""


def test_a_build_that_fails_leaves_the_last_release(repository):
    dist(repository)
    build(repository, "exit 77")
    assert dist(repository).returncode == 77
    release = repository / "build/fathom-1.2.3"
    assert [path.name for path in release.parent.iterdir()] == [release.name]
    assert (release / "built").exists()


def test_a_release_is_readable_by_everybody_whoever_builds_it(repository):
    subprocess.run(["sh", "-c", "umask 077; exec scripts/dist"], cwd=repository, stdout=subprocess.PIPE, check=True)
    release = repository / "build/fathom-1.2.3"
    assert (release / "built").stat().st_mode & 0o777 == 0o644
    with tarfile.open(release / "fathom-1.2.3.tar.gz") as archive:
        assert {member.mode & 0o777 for member in archive if member.isfile()} == {0o644, 0o755}
