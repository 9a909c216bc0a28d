"""`fathom dups --cache`: later searches read only what has changed, and have the same results."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import (
    FATHOM,
    PATIENCE,
    as_nobody,
    dups,
    environment,
    let_nobody_through,
    make_huge_files,
    run,
    sentence_of,
    until,
)
from test_hostile import NEEDS_MOUNTS, with_mounts

LARGE = b"large" * 200_000
TREES = 24  # at least as many as there are tests


@pytest.fixture(scope="module")
def old_trees(tmp_path_factory):
    """Trees that nothing has changed for more than two seconds, as files must be to be remembered."""
    folder = tmp_path_factory.mktemp("old")
    trees = [Place(folder / str(number)) for number in range(TREES)]
    for tree in trees:
        tree.fill()
    wait_until_settled(folder)
    return trees


@pytest.fixture
def place(old_trees):
    """Four equal small files, one that differs at its end, three equal large ones, and a store."""
    return old_trees.pop()


def wait_until_settled(folder):
    """A file that changed so recently could change once more without a new ctime."""
    probe = folder / "probe"
    probe.touch()
    changed = probe.stat().st_ctime
    until(lambda: time.time() > changed + 2.1)


class Place:
    def __init__(self, folder):
        self.root = folder / "srv"
        self.store = folder / "store"
        self.file = self.store / "compared-files"

    def fill(self):
        for name, content in {
                "a/small": b"small", "a/deep/small": b"small", "b/small": b"small", "b/another": b"small",
                "b/other": b"smalL", "a/large": LARGE, "b/large": LARGE, "b/large too": LARGE}.items():
            self.write(name, content)
        os.link(self.root / "a/large", self.root / "a/second name")

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def call(self, *options, **others):
        where = ("--store", os.fspath(self.store), os.fspath(self.root))
        return dups("--cache", *map(os.fspath, options), *where, **others)

    def json(self, *options, messages=b"", **others):
        ran = self.call("--format", "json", *options, **others)
        assert (ran.returncode, ran.stderr) == (0, messages)
        return json.loads(ran.stdout)

    def remember(self):
        """The first search. Tests that need the second one to know its files are skipped on filesystems whose files
        nothing can be known of."""
        first = self.json()
        if not self.file.exists():
            pytest.skip("temporary files are on a filesystem that may change files without a new ctime")
        return first


def without_effort(told):
    told = {key: value for key, value in told.items() if key != "timing"}
    return {**told, "totals": {key: value for key, value in told["totals"].items() if key != "bytes_read"}}


def lines_without_effort(text):
    return [line for line in text.splitlines() if not re.search(rb"\d [mu]?s( +in total)?$| read$", line)]


def groups(told):
    """The names of the files in each group."""
    return sorted(sorted(os.path.basename(path) for path in group["paths"]) for group in told["groups"])


# ---- Nothing has changed

def test_a_second_search_reads_nothing(place):
    first = place.remember()
    assert first["totals"]["bytes_read"] > 3 * len(LARGE)
    second = place.json()
    assert second["totals"]["bytes_read"] == 0
    assert without_effort(second) == without_effort(first)


def test_every_format_is_the_same(place):
    place.remember()
    for options in (["--all"], ["--summary"], ["--format", "csv"], ["--min-size", "1k", "--format", "csv"]):
        known = place.call(*options)
        read = dups(*options, os.fspath(place.root))
        assert (known.returncode, known.stderr) == (0, b"")
        assert lines_without_effort(known.stdout) == lines_without_effort(read.stdout)
    assert place.json()["totals"]["bytes_read"] == 0


def test_nothing_is_remembered_unasked(place):
    ran = dups(os.fspath(place.root), env={"XDG_DATA_HOME": os.fspath(place.store)})
    assert ran.returncode == 0
    assert not place.store.exists()


def test_the_store_of_snapshots_stays_a_store(place):
    place.remember()
    for what in ("list", "verify", "gc"):
        ran = run("store", what, "--store", os.fspath(place.store))
        assert (ran.returncode, ran.stderr) == (0, b"")
    assert place.json()["totals"]["bytes_read"] == 0
    assert oct(place.file.stat().st_mode) == oct(0o100600)
    assert oct(place.store.stat().st_mode) == oct(0o040700)


# ---- Something has changed

def test_a_file_that_changed_with_its_old_size_and_mtime_is_noticed(place):
    place.remember()
    path = place.root / "b/large"
    before = path.stat()
    path.write_bytes(LARGE[:-1] + b"!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert ["large", "large too"] in groups(place.json())
    read = json.loads(dups("--format", "json", os.fspath(place.root)).stdout)
    assert without_effort(place.json()) == without_effort(read)


def test_a_file_that_was_replaced_is_noticed(place):
    place.remember()
    path = place.root / "b/small"
    before = path.stat()
    new = path.with_name("new")
    new.write_bytes(b"SMALL")
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    new.rename(path)
    assert path.stat().st_ino != before.st_ino
    assert groups(place.json()) == [["another", "small", "small"], ["large", "large", "large too"]]


def test_a_new_file_is_compared_with_one_of_each_content(place):
    place.remember()
    place.write("b/new", LARGE)
    told = place.json()
    assert ["large", "large", "large too", "new"] in groups(told)
    # Its beginning is read to choose what it is compared with.
    assert told["totals"]["bytes_read"] == 4096 + 2 * len(LARGE)


def test_a_file_that_is_gone_is_in_no_group(place):
    place.remember()
    (place.root / "b/large").unlink()
    told = place.json()
    assert ["large", "large too"] in groups(told)
    assert told["totals"]["bytes_read"] == 0


def test_other_options_may_change_from_search_to_search(place):
    place.remember()
    told = place.json("--min-size", "1k", "--exclude", "b/large", "--threads", "1")
    assert groups(told) == [["large", "large too"]]
    assert told["totals"]["bytes_read"] == 0


# ---- What was compared once is compared again before an act

LYING = """
mkdir top
mke2fs -q -t ext4 -d srv image 64M >&2 && mount -o loop image top || exit 77
"$1" dups --cache --store store top --format json >first
umount top
python3 "$2" image
mount -o loop image top
"$1" dups --cache --store store top --format json >second
for action in remove hardlink quarantine; do
    for trust in "" --trust-times; do
        to=$(test $action = quarantine && echo --quarantine top/away || true)
        "$1" dups --cache --store store top --plan plan --action $action --force $to
        cp plan plan.$action
        "$1" dups --apply plan --execute --format json $trust --journal journal.$action$trust >applied.$action$trust ||
            test $? = 1
    done
done
grep -rl 'larg!' top >after  # fails if it is gone
"""
# Changes the last byte of one of the copies on the disk.
CHANGE = """
import mmap, sys
with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), 0) as image:
    at = image.rfind(b"large" * 100) + 500
    image[at - 1:at] = b"!"
"""


@NEEDS_MOUNTS
@pytest.mark.skipif(not shutil.which("mke2fs"), reason="mke2fs is not installed")
def test_what_is_wrong_destroys_nothing(place):
    """A disk changes while it is not mounted, so that the store knows files as equal that are not."""
    folder = place.root.parent
    change = folder / "change.py"
    change.write_text(CHANGE, encoding="utf-8")
    with_mounts(LYING.replace("$2", os.fspath(change)), folder)
    first, second = (json.loads((folder / name).read_bytes()) for name in ("first", "second"))
    if second["totals"]["bytes_read"] > 0:
        pytest.skip("mke2fs does not keep the time of the last change")
    assert without_effort(second) == without_effort(first), "it is wrong"
    for action in ("remove", "hardlink", "quarantine"):
        plan = [json.loads(line) for line in (folder / f"plan.{action}").read_bytes().splitlines()]
        assert plan[0]["looked_ns"] == 0
        assert {"keep", action} <= {line.get("do") for line in plan if line.get("size") == len(LARGE)}
        for trust in ("", "--trust-times"):
            applied = (folder / f"applied.{action}{trust}").read_text(encoding="utf-8")
            assert "its content differs from that of the kept file" in applied
    assert len((folder / "after").read_text(encoding="utf-8").splitlines()) == 1


# ---- The file in the store

def test_a_damaged_file_is_reported_once_and_replaced(place):
    place.remember()
    damaged = bytearray(place.file.read_bytes())
    damaged[-50] ^= 1
    place.file.write_bytes(damaged)
    told = place.json(messages=f"fathom: all files are read: {place.file} is damaged: its checksum is wrong\n".encode())
    assert told["totals"]["bytes_read"] > 3 * len(LARGE)
    assert place.json()["totals"]["bytes_read"] == 0


def test_an_interrupted_search_keeps_the_file(place):
    place.remember()
    kept = place.file.read_bytes()
    make_huge_files(place.root)
    process = subprocess.Popen(
        [FATHOM, "dups", "--cache", "--store", place.store, "--progress", "always", "--format", "json", place.root],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    while not process.stderr.readline().startswith(b"comparing "):
        pass
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert groups(json.loads(out)) == [["another", "small", "small", "small"], ["large", "large", "large too"]]
    assert place.file.read_bytes() == kept


def test_searches_at_the_same_time_are_all_remembered(place):
    if place.remember():  # otherwise this test is skipped
        shutil.rmtree(place.store)
    roots = [place.root / "a", place.root / "b"]
    processes = [subprocess.Popen([FATHOM, "dups", "--cache", "--store", place.store, "--format", "json", root],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
                 for root in roots for _ in range(3)]
    for process in processes:
        out, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, errors) == (0, b"")
        assert json.loads(out)["accuracy"]["complete"]
    for root in roots:
        again = dups("--cache", "--store", os.fspath(place.store), "--format", "json", os.fspath(root))
        assert json.loads(again.stdout)["totals"]["bytes_read"] == 0
    names = sorted(os.listdir(place.store))
    assert names == ["compared-files", "compared-files.lock", "fathom-store", "lock"]


# ---- Users, and stores that cannot be used

@pytest.fixture
def of_nobody(place):
    """The same for a user without privileges, with a store of that user."""
    let_nobody_through(place.root.parent)
    if os.geteuid() == 0:
        place.store.mkdir(mode=0o700)
        os.chown(place.store, as_nobody()["user"], as_nobody()["group"])
    if place.json(**as_nobody()) and not place.file.exists():
        pytest.skip("temporary files are on a filesystem that may change files without a new ctime")
    return place


def test_a_user_without_privileges_remembers_too(of_nobody):
    told = of_nobody.json(**as_nobody())
    assert told["totals"]["bytes_read"] == 0
    assert groups(told) == [["another", "small", "small", "small"], ["large", "large", "large too"]]


def test_a_store_that_cannot_be_written_is_read(of_nobody):
    kept = of_nobody.file.read_bytes()
    of_nobody.write("new", LARGE)
    of_nobody.store.chmod(0o500)
    of_nobody.file.with_name("lock").chmod(0o400)
    ran = of_nobody.call("--format", "json", **as_nobody())
    assert ran.returncode == 0
    assert re.fullmatch(rf"fathom: nothing new is remembered: cannot \w+ {of_nobody.store}/[^\n]*\n",
                        ran.stderr.decode())
    told = json.loads(ran.stdout)
    assert ["large", "large", "large too", "new"] in groups(told)
    assert told["totals"]["bytes_read"] == 4096 + 2 * len(LARGE)
    assert of_nobody.file.read_bytes() == kept


def test_the_store_of_another_user_is_not_trusted(place):
    if os.geteuid() != 0:
        pytest.skip("only root can give files to others")
    place.remember()
    os.chown(place.store, as_nobody()["user"], as_nobody()["group"])
    ran = place.call("--format", "json")
    assert ran.returncode == 0
    assert re.fullmatch(rf"fathom: nothing is remembered: {place.store} belongs to another user [^\n]*\n",
                        ran.stderr.decode())
    assert json.loads(ran.stdout)["totals"]["bytes_read"] > 3 * len(LARGE)


def test_a_directory_that_is_not_a_store_stays_as_it_is(place):
    place.store.mkdir()
    (place.store / "mine").write_bytes(b"")
    ran = place.call("--format", "json")
    assert ran.returncode == 0
    assert ran.stderr.decode() == (
        f"fathom: nothing is remembered: {place.store} is not a store of snapshots, and not empty\n")
    assert os.listdir(place.store) == ["mine"]


@pytest.mark.parametrize("arguments", [["--apply", "plan"], ["--undo", "journal"]], ids=str)
def test_acts_remember_nothing(arguments):
    ran = dups("--cache", *arguments)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"option '--cache' applies to a search; '--apply' and '--undo' do not search\n" in ran.stderr


def test_a_snapshot_is_not_compared_from_memory():
    assert "option '--cache' applies to a scan, but '--from' reads a saved one" in (
        sentence_of(dups("--cache", "--from", "@latest")))
