"""Made-up trees: a scan, a search and a plan agree with what Python finds in them."""

import collections
import json
import operator
import os
import random
import stat
import time

import pytest

from conftest import path_of, run, scan

NAMES = [b"a", b"b.txt", b"B.TXT", b".hidden", b".hidden.log", b"a.tar.gz", b"-dash", b"two words", b"line\nbreak",
         b"\xff\xfe", b"\xc3\xa9.PDF", b"end.", b"it's", b"n" * 255]
LENGTHS = [0, 1, 4096, 4097, 100_000]
TIMES = [-1000, 0, 10**9, 1_700_000_000, 4_000_000_000, 4_100_000_000]  # the last ones are in the future
SEEDS = pytest.mark.parametrize("seed", range(5))


def make_up_tree(dice, root):
    """Directories, files with and without holes, hard and symbolic links and pipes below `root`. Some of the files
    also have a name outside."""
    os.mkdir(root)
    directories, files = [root], [root + b"-outside"]
    with open(files[0], "wb") as file:
        file.write(b"x" * 5000)
    paths = [root]
    for _ in range(dice.randint(50, 200)):
        path = os.path.join(dice.choice(directories), dice.choice(NAMES))
        if os.path.lexists(path) or len(path) > 3000:
            continue
        kind = dice.choice(["directory", "directory", "file", "file", "hole", "link", "symlink", "pipe"])
        if kind == "directory":
            os.mkdir(path)
            directories.append(path)
        elif kind == "link":
            os.link(dice.choice(files), path)
        elif kind == "symlink":
            os.symlink(dice.choice(NAMES), path)
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            with open(path, "wb") as file:
                if kind == "hole":
                    file.truncate(1 << 33)
                file.write(b"x" * dice.choice(LENGTHS))
            files.append(path)
        paths.append(path)
    for path in paths:
        os.utime(path, (0, dice.choice(TIMES)), follow_symlinks=False)


class Entry:
    """An entry as lstat() describes it, with those in it. A path is bytes."""

    def __init__(self, path, depth=0):
        self.path = path
        self.depth = depth
        self.status = os.lstat(path)
        self.inode = (self.status.st_dev, self.status.st_ino)
        mode = self.status.st_mode
        self.kind = ("dirs" if stat.S_ISDIR(mode) else "files" if stat.S_ISREG(mode)
                     else "symlinks" if stat.S_ISLNK(mode) else "others")
        names = sorted(os.listdir(path)) if self.kind == "dirs" else []
        self.entries = [Entry(os.path.join(path, name), depth + 1) for name in names]

    def everything(self):
        """The entry and all below it, in preorder."""
        yield self
        for entry in self.entries:
            yield from entry.everything()

    def extension(self):
        """Of its name, in lower case; empty for a directory."""
        name = os.path.basename(self.path).lstrip(b".")
        return name.rpartition(b".")[2].lower() if b"." in name and self.kind != "dirs" else b""


def first_names(entries):
    """The name of each inode at which its bytes are counted: the smallest path."""
    first = {}
    for entry in entries:
        if entry.inode not in first or entry.path < first[entry.inode].path:
            first[entry.inode] = entry
    return list(first.values())


def wholly_among(entries):
    """The first names of the inodes that have all their names among the entries, so that removing them frees bytes."""
    entries = list(entries)
    names = collections.Counter(entry.inode for entry in entries)
    return [entry for entry in first_names(entries)
            if entry.kind == "dirs" or names[entry.inode] == entry.status.st_nlink]


def size_of(entries):
    """Disk usage and apparent size."""
    return (sum(entry.status.st_blocks * 512 for entry in entries), sum(entry.status.st_size for entry in entries))


@pytest.fixture
def made_up(seed, tmp_path):
    """The dice of a seed, and the tree that they have made up."""
    dice = random.Random(seed)
    root = os.fsencode(tmp_path / "tree")
    make_up_tree(dice, root)
    return dice, Entry(root)


# ---- Scans

def directories_of(tree):
    """The rows of --metrics: entries by kind, sizes, and sizes of the inodes with all names in the directory."""
    first = {id(entry) for entry in first_names(tree.everything())}
    rows = {}
    for directory in tree.everything():
        if directory.kind != "dirs":
            continue
        inside = list(directory.everything())
        kinds = collections.Counter(entry.kind for entry in inside)
        counted = [entry for entry in inside if id(entry) in first]
        rows[directory.path] = (*(kinds[kind] for kind in ("files", "dirs", "symlinks", "others")), *size_of(counted),
                                *size_of(wholly_among(inside)))
    return rows


@SEEDS
@pytest.mark.parametrize("engine", ["serial", "pool", "steal", "lockfree"])
def test_a_scan_counts_each_directory_as_python_does(made_up, engine):
    tree = made_up[1]
    result = scan("--format", "json", "--metrics", "--largest-files", "1000", "--engine", engine, tree.path)
    reports = json.loads(result.stdout)["reports"]
    fields = ("files", "dirs", "symlinks", "others", "disk_bytes", "apparent_bytes",
              "exclusive_disk_bytes", "exclusive_apparent_bytes")
    rows = {path_of(row): tuple(row[field] for field in fields) for row in reports["metrics"]}
    assert rows == directories_of(tree)
    files = [entry for entry in first_names(tree.everything()) if entry.kind != "dirs"]
    files.sort(key=lambda entry: (-size_of([entry])[0], entry.path))
    assert [path_of(row) for row in reports["largest_files"]] == [entry.path for entry in files]


# ---- Searches

COMPARISONS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
               ">=": operator.ge}


def newest_time(entry):
    """Of the entry and all below it, without times in the future; None if there is no other."""
    if entry.kind != "dirs":
        return int(entry.status.st_mtime)
    latest = time.time() + 24 * 60 * 60
    times = [int(below.status.st_mtime) for below in entry.everything()]
    return max((mtime for mtime in times if mtime <= latest), default=None)


def facts_of(tree):
    """The fields of a condition: functions of an entry."""
    first = {id(entry) for entry in first_names(tree.everything())}

    def counted_size(entry):
        inside = entry.everything() if entry.kind == "dirs" else [entry]
        return size_of([below for below in inside if entry.kind != "dirs" or id(below) in first])

    return {"used": lambda entry: counted_size(entry)[0],
            "size": lambda entry: counted_size(entry)[1],
            "newest": newest_time,
            "mtime": lambda entry: int(entry.status.st_mtime),
            "entries": lambda entry: sum(1 for _ in entry.everything()),
            "depth": lambda entry: entry.depth,
            "links": lambda entry: entry.status.st_nlink,
            "ext": Entry.extension,
            "name": lambda entry: os.path.basename(entry.path),
            "kind": lambda entry: {"dirs": b"dir", "files": b"file", "symlinks": b"link"}.get(entry.kind, b"other")}


# A value in a condition, and the same in Python.
VALUES = {"used": [("0", 0), ("4K", 4096), ("8KiB", 8192)], "size": [("1", 1), ("4096", 4096), ("8G", 1 << 33)],
          "newest": [("1970-01-01", 0), ("2001-09-09", 999_993_600)], "mtime": [("2010-01-01", 1_262_304_000)],
          "entries": [("1", 1), ("3", 3), ("10", 10)], "depth": [("1", 1), ("3", 3)], "links": [("1", 1), ("2", 2)],
          "ext": [("txt", b"txt"), ("''", b""), ("gz", b"gz")], "name": [("a", b"a"), ("'it''s'", b"it's")],
          "kind": [("file", b"file"), ("dir", b"dir"), ("link", b"link")]}
SIGNS = {"newest": ["<", "<=", ">", ">="], "mtime": ["<", "<=", ">", ">="],
         "ext": ["=", "!="], "name": ["=", "!="], "kind": ["=", "!="]}  # of other fields: all COMPARISONS


def made_up_condition(dice, facts, levels=3):
    """The text of a condition, and a function of an entry: true, false, or None if unknown, as in SQL."""
    form = dice.choice(["compare", "not", "and", "or"]) if levels > 0 else "compare"
    if form == "compare":
        field = dice.choice([*facts, "newest", "newest"])  # often, because it may be unknown
        sign = dice.choice(SIGNS.get(field, list(COMPARISONS)))
        text, value = dice.choice(VALUES[field])

        def compared(entry):
            fact = facts[field](entry)
            return None if fact is None else COMPARISONS[sign](fact, value)
        return f"{field} {sign} {text}", compared
    one_text, one = made_up_condition(dice, facts, levels - 1)
    if form == "not":
        return f"not ({one_text})", lambda entry: None if one(entry) is None else not one(entry)
    other_text, other = made_up_condition(dice, facts, levels - 1)
    deciding = form == "or"

    def both(entry):
        truths = {one(entry), other(entry)}
        if deciding in truths:
            return deciding
        return None if None in truths else not deciding
    return f"({one_text}) {form} ({other_text})", both


@SEEDS
def test_a_search_finds_what_python_finds(made_up):
    dice, tree = made_up
    facts = facts_of(tree)
    for _ in range(15):
        text, selects = made_up_condition(dice, facts)
        result = run("find", "*", "--format", "json", "--where", text, "--", tree.path, env={"TZ": "UTC"})
        told = json.loads(result.stdout)
        found = [entry for entry in tree.everything() if entry.depth > 0 and selects(entry)]
        assert sorted(map(path_of, told["matches"])) == sorted(entry.path for entry in found), text
        inside = {id(below): below for entry in found for below in entry.everything()}
        assert told["total"]["entries"] == len(inside), text
        total = size_of(first_names(inside.values()))
        assert (told["total"]["disk_bytes"], told["total"]["apparent_bytes"]) == total, text


# ---- Plans

def state_of(tree):
    """What must be the same after a plan was undone. The times of directories change."""
    return {entry.path: (entry.status.st_mode, entry.inode, entry.status.st_nlink, entry.status.st_size,
                         entry.kind == "dirs" or entry.status.st_mtime_ns) for entry in tree.everything()}


def topmost(entry, selects):
    """The selected entries that are in no selected one."""
    if entry.depth > 0 and selects(entry):
        return [entry]
    return [found for inside in entry.entries for found in topmost(inside, selects)]


def made_up_choice(dice, tree):
    """A condition that selects something, but less than half of the tree, and all that a plan for it takes, by path."""
    while True:
        text, selects = made_up_condition(dice, facts_of(tree))
        taken = {below.path: below for entry in topmost(tree, selects) for below in entry.everything()}
        if 0 < len(taken) < len(list(tree.everything())) / 2:
            return text, taken


@SEEDS
@pytest.mark.parametrize("action", ["quarantine", "delete"])
def test_a_plan_takes_what_was_found_and_nothing_else(made_up, tmp_path, action):
    dice, tree = made_up
    text, taken = made_up_choice(dice, tree)
    plan, journal, moved = (str(tmp_path / name) for name in ("plan", "plan.journal", "moved"))
    planned = run("find", "*", "--where", text, "--plan", plan, "--do", action, "--", tree.path, env={"TZ": "UTC"})
    assert planned.returncode == 0, planned.stderr
    place = ["--quarantine", moved] if action == "quarantine" else []
    assert run("apply", plan, *place).returncode == 0
    assert state_of(Entry(tree.path)) == state_of(tree), "without --execute"
    applied = run("apply", plan, "--execute", "--format", "json", *place)
    assert applied.returncode == 0, applied.stderr
    assert state_of(Entry(tree.path)).keys() == state_of(tree).keys() - taken.keys(), text
    bytes_of = "freed_bytes" if action == "delete" else "held_bytes"
    assert json.loads(applied.stdout)[bytes_of] == size_of(wholly_among(taken.values()))[0], text
    if action == "quarantine":
        assert run("undo", journal, "--execute").returncode == 0
        assert state_of(Entry(tree.path)) == state_of(tree), text
