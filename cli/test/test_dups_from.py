"""`fathom dups --from SNAPSHOT`: the candidates of a snapshot, whose files are read now."""

import json
import os
import re

import pytest

from conftest import dups, run, scan, sentence_of
from test_snapshot import keep, names_in


@pytest.fixture
def place(tmp_path):
    """Two equal directories with every kind of entry, a third copy of a file, and a snapshot of all."""
    place = Place(tmp_path)
    for folder in ("a", "b"):
        place.write(f"{folder}/large", b"large" * 20_000)
        place.write(f"{folder}/deep/small", b"small")
        place.write(f"{folder}/deep/empty", b"")
        (place.root / folder / "link").symlink_to("large")
        os.mkfifo(place.root / folder / "pipe")
        os.link(place.root / folder / "large", place.root / folder / "another name")
    place.write("c", b"small")
    place.write("d", b"other")
    place.snapshot = place.keep()
    return place


class Place:
    """A tree and a store beside it."""

    def __init__(self, folder):
        self.root = folder / "srv"
        self.root.mkdir()
        self.store = folder / "store"
        self.snapshot = ""  # its name

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def keep(self, *options):
        return keep(self.root, "--store", self.store, *options)

    def call(self, *options, snapshot="@latest"):
        return dups("--from", snapshot, "--store", os.fspath(self.store), *map(os.fspath, options))

    def json(self, code=0):
        ran = self.call("--format", "json")
        assert ran.returncode == code, ran.stderr
        return json.loads(ran.stdout)

    def groups(self, told):
        """The paths of each group of files, relative to the tree."""
        return sorted([path.removeprefix(f"{self.root}/") for path in group["paths"]] for group in told["groups"])

    def names(self, paths):
        """Relative to the tree."""
        return sorted(path.removeprefix(f"{self.root}/") for path in paths)


LARGE = ["a/another name", "b/another name"]  # the smallest names
SMALL = ["a/deep/small", "b/deep/small", "c"]


def without_times(told):
    return {key: value for key, value in told.items() if key != "timing"}


def lines_without_times(text):
    return [line for line in text.splitlines() if not re.search(rb"\d [mu]?s( in total)?$", line)]


# ---- A quiet tree

def test_a_quiet_tree_has_the_same_duplicates_as_in_a_scan(place):
    ran = dups("--format", "json", os.fspath(place.root))
    assert (ran.returncode, ran.stderr) == (0, b"")
    scanned = json.loads(ran.stdout)
    assert place.groups(scanned) == [LARGE, SMALL] and scanned["directories"]
    assert without_times(place.json()) == without_times(scanned)
    by_path = dups("--from", os.fspath(place.store / place.snapshot), "--format", "json")
    assert without_times(json.loads(by_path.stdout)) == without_times(scanned)


def test_the_text_and_other_formats_are_the_same(place):
    for options in (["--all"], ["--plain"], ["--format", "csv"], ["--min-size", "1k", "--format", "csv"],
                    ["--empty", "--format", "csv"]):
        scanned = dups(*options, os.fspath(place.root))
        saved = place.call(*options)
        assert (saved.returncode, saved.stderr) == (0, b"")
        assert lines_without_times(saved.stdout) == lines_without_times(scanned.stdout)


def test_options_of_the_comparison_apply(place):
    trace = place.store.parent / "trace"
    ran = place.call("--threads", "2", "--nice", "--drop-cache", "--trace", trace)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(trace.read_bytes())


# ---- What has changed since

def test_a_file_that_changed_is_in_no_group(place):
    place.write("a/large", b"large" * 20_000 + b"!")
    ran = place.call()
    assert ran.returncode == 1
    assert ran.stderr.decode().splitlines() == [
        f"fathom: {place.root}/a/another name has changed since the snapshot",
        "fathom: 1 file has changed since the snapshot and is in no group"]
    told = place.json(code=1)
    assert place.groups(told) == [SMALL]
    assert told["accuracy"] == {"complete": False, "unreadable": 0, "changed": 1}


def test_a_file_that_is_gone_has_changed(place):
    (place.root / "b/deep/small").unlink()
    told = place.json(code=1)
    assert place.groups(told) == [LARGE, ["a/deep/small", "c"]]
    assert place.names(entry["path"] for entry in told["changed"]) == ["b/deep/small"]
    assert told["errors"] == []


@pytest.mark.parametrize("kind", ["file", "directory", "link", "pipe"])
def test_a_file_that_was_replaced_has_changed(place, kind):
    path = place.root / "c"
    time = path.stat().st_mtime_ns
    if kind == "file":  # with the same size, time and content: another inode, because the first one still exists
        (place.root / "new").write_bytes(b"small")
        os.utime(place.root / "new", ns=(time, time))
        (place.root / "new").rename(path)
    else:
        path.unlink()
        {"directory": path.mkdir, "link": lambda: path.symlink_to("d"), "pipe": lambda: os.mkfifo(path)}[kind]()
    told = place.json(code=1)
    assert place.groups(told) == [LARGE, SMALL[:2]]
    assert place.names(entry["path"] for entry in told["changed"]) == ["c"]


def test_the_directory_of_a_file_may_be_gone(place):
    (place.root / "b").rename(place.root / "renamed")
    told = place.json(code=1)
    assert place.groups(told) == [["a/deep/small", "c"]]
    assert told["directories"] == [] and told["errors"] == []


def test_a_name_that_is_gone_is_not_a_hard_link(place):
    assert place.json()["groups"][0]["hardlinks"]
    (place.root / "a/large").unlink()
    (place.root / "b/large").unlink()
    (place.root / "b/large").write_bytes(b"something else")
    [group] = [group for group in place.json()["groups"] if group["size"] == 100_000]
    assert place.names(group["paths"]) == ["a/another name", "b/another name"]
    assert group["hardlinks"] == []


@pytest.mark.parametrize("edit", ["new name", "removed name", "other link", "grown empty file"])
def test_directories_are_compared_as_they_are_now(place, edit):
    [group] = place.json()["directories"]
    assert place.names(group["paths"]) == ["a", "b"]
    folder = place.root / "b/deep"
    match edit:
        case "new name":
            (folder / "new").touch()
        case "removed name":
            (folder / "empty").unlink()
        case "other link":
            (place.root / "b/link").unlink()
            (place.root / "b/link").symlink_to("deep")
        case "grown empty file":
            (folder / "empty").write_bytes(b"not empty")
    told = place.json()
    assert place.groups(told) == [LARGE, SMALL]
    assert all("b" not in place.names(group["paths"]) for group in told["directories"])


# ---- Plans

def test_a_plan_can_be_made_and_applied(place, tmp_path):
    plan = tmp_path / "plan"
    ran = place.call("--plan", plan)
    assert ran.returncode == 0 and b"hard-link 4 files" in ran.stderr
    place.write("c", b"SMALL")  # changed since the plan: refused at the file itself
    applied = dups("--apply", os.fspath(plan), "--execute")
    assert applied.returncode == 1
    assert (place.root / "a/large").samefile(place.root / "b/large")
    assert (place.root / "a/deep/small").samefile(place.root / "b/deep/small")
    assert (place.root / "c").read_bytes() == b"SMALL"


# ---- What is refused

def refusal(*arguments):
    return sentence_of(dups(*map(os.fspath, arguments)))


def set_meta(place, **members):
    file = place.store / place.snapshot / "meta.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | members))


def test_a_snapshot_of_another_host_is_refused(place):
    set_meta(place, host="elsewhere")
    assert refusal("--from", place.store / place.snapshot) == (
        "the snapshot is of another host, elsewhere, so its files cannot be read here")


def test_exports_are_refused(place, tmp_path):
    export = tmp_path / "export"
    assert scan("--format", "ncdu", "-o", os.fspath(export), os.fspath(place.root)).returncode == 0
    assert refusal("--from", export) == (
        f"'{export}' is not a snapshot; an export does not say which inodes its files are")
    assert refusal("--from", "-") == "option '--from' takes a snapshot such as @latest, not '-'"
    keep("--from", export, "--store", place.store, "--tag", "imported")
    assert refusal("--from", "@imported", "--store", place.store) == (
        "the snapshot is of an export, which does not say which inodes its files are")


def test_a_damaged_snapshot_is_refused(place):
    file = place.store / place.snapshot / "entries.parquet"
    content = bytearray(file.read_bytes())
    for at in range(len(content) // 4, len(content) // 2, 16):  # in several columns, some of which are not read
        content[at] ^= 1
    file.write_bytes(content)
    assert str(file) in refusal("--from", place.store / place.snapshot)
    file.unlink()
    assert "entries.parquet" in refusal("--from", place.store / place.snapshot)


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--ext", "jpg"], "a snapshot is read as a whole; options that select entries apply to scans and exports"),
    (["."], "option '--from' replaces the scan; remove '.'"),
    (["-x"], "option '--one-file-system' applies to a scan, but '--from' reads a saved one"),
    (["--apply", "plan"], "option '--from' applies to a search; '--apply' and '--undo' do not search"),
], ids=lambda value: value[0] if isinstance(value, list) else "refused")
def test_options_of_a_scan_are_refused(place, arguments, sentence):
    assert refusal("--from", "@latest", "--store", place.store, *arguments) == sentence


def test_a_snapshot_that_does_not_exist_is_refused(place):
    assert refusal("--from", "@monday", "--store", place.store).startswith("no snapshot has the tag 'monday'")
    assert refusal("--store", place.store) == (
        "option '--store' needs '--cache', or '--from' with the name of a snapshot, such as @latest")
    assert names_in(place.store) == [place.snapshot]
    assert run("store", "verify", "--store", os.fspath(place.store)).returncode == 0
