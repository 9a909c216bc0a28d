"""slowfs shows a directory as it is, counts its operations and delays them."""

import concurrent.futures
import errno
import json
import os
import pathlib
import re
import stat
import subprocess
import sys

import pytest

from fleet_fixtures import FATHOM, SLOWFS
from slow_mount import CannotMount, open_mount, why_not
from waiting import PATIENCE, until

NOBODY = 65534
NAMES = [b"plain", b"\xff\xfe.not-utf8", b"two\nlines", b"\x1b[31mred", b" ", b"-rf", b"x" * 255, "größe".encode()]


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in NAMES:
        (folder := tree / os.fsdecode(b"in-" + name[:200])).mkdir()
        (folder / os.fsdecode(name)).write_bytes(name * 1000)
    os.link(tree / "in-plain" / "plain", tree / "another name")
    (tree / "link").symlink_to("in-plain/plain")
    (tree / "dangling").symlink_to(os.fsdecode(b"\xffnowhere"))
    os.mkfifo(tree / "pipe")
    return tree


def entries(top):
    """What lstat says about each entry, by its path; and its content, target or listing."""
    found = {}
    for folder, folders, files in os.walk(os.fsencode(top)):
        for name in [b".", *folders, *files]:
            path = os.path.join(folder, name)
            seen = os.lstat(path)
            content: object = None
            if stat.S_ISREG(seen.st_mode):
                content = pathlib.Path(os.fsdecode(path)).read_bytes()
            elif stat.S_ISLNK(seen.st_mode):
                content = os.readlink(path)
            elif stat.S_ISDIR(seen.st_mode):
                content = sorted(os.listdir(path))
            found[os.path.relpath(path, os.fsencode(top))] = (
                seen.st_mode, seen.st_ino, seen.st_nlink, seen.st_uid, seen.st_gid, seen.st_size, seen.st_blocks,
                seen.st_mtime_ns, seen.st_ctime_ns, content)
    return found


def many_directories(top, directories, files):
    for i in range(directories):
        (folder := top / f"d{i}").mkdir(parents=True)
        for j in range(files):
            (folder / f"f{j}").touch()
    return top


def scan(place, *flags):
    ran = subprocess.run([FATHOM, "scan", "--summary", "--format", "json", *flags, place], capture_output=True,
                         check=False, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_everything_looks_as_in_the_directory(tree, slow):
    place = slow(tree, delay_us=0).place
    assert entries(place) == entries(tree)


def test_the_names_of_an_inode_stay_one_inode_on_one_device(tree, slow):
    place = slow(tree, delay_us=0).place
    one, other = os.lstat(place / "in-plain" / "plain"), os.lstat(place / "another name")
    assert (one.st_dev, one.st_ino, one.st_nlink) == (other.st_dev, other.st_ino, 2)
    assert one.st_ino == os.lstat(tree / "another name").st_ino
    assert one.st_dev != os.lstat(tree).st_dev  # a filesystem of its own
    assert {os.lstat(path).st_dev for path in place.rglob("*")} == {one.st_dev}


def test_a_listing_has_the_inodes_and_types_of_the_directory(tree, slow):
    place = slow(tree, delay_us=0).place

    def listed(top):
        with os.scandir(top) as found:
            return {(entry.name, entry.inode(), entry.is_dir(follow_symlinks=False), entry.is_symlink())
                    for entry in found}

    assert listed(place) == listed(tree)


def test_a_large_directory_is_listed_whole_and_in_several_operations(tmp_path, slow):
    tree = many_directories(tmp_path / "tree", 1, 5000)
    mount = slow(tree, delay_us=0)
    assert sorted(os.listdir(mount.place / "d0")) == sorted(os.listdir(tree / "d0"))
    mount.unmount()
    assert mount.counts.operations["readdir"] > 3  # the last one finds the end


def test_nothing_can_be_changed(tree, slow):
    place = slow(tree, delay_us=0).place
    with pytest.raises(OSError) as refused:
        (place / "new").touch()
    assert refused.value.errno == errno.EROFS


def test_what_is_missing_is_missing(tree, slow):
    place = slow(tree, delay_us=0).place
    with pytest.raises(FileNotFoundError):
        os.lstat(place / "nowhere")
    with pytest.raises(NotADirectoryError):
        os.listdir(place / "in-plain" / "plain")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_what_a_user_may_not_read_is_refused(tree, slow):
    closed = tree / "closed"
    closed.mkdir(mode=0o700)
    (tree / "secret").write_bytes(b"secret")
    (tree / "secret").chmod(0o600)
    place = slow(tree, delay_us=0).place
    for folder in tree.parents:
        if folder.stat().st_mode & 0o7777 == 0o700:  # made by pytest for this user alone
            folder.chmod(0o711)

    def refused(action):
        ran = subprocess.run([sys.executable, "-c", f"import os, sys; {action}", place], capture_output=True,
                             user=NOBODY, group=NOBODY, extra_groups=[], check=False, timeout=PATIENCE)
        return ran.stderr

    assert b"PermissionError" in refused("os.listdir(sys.argv[1] + '/closed')")
    assert b"PermissionError" in refused("open(sys.argv[1] + '/secret')")
    assert refused("os.listdir(sys.argv[1])") == b""


@pytest.mark.parametrize(("threads", "delay"), [(1, 500), (16, 20_000)])
def test_the_peak_is_the_number_of_threads_of_a_scan(tmp_path, slow, threads, delay):
    tree = many_directories(tmp_path / "tree", 64, 10)
    mount = slow(tree, delay_us=delay)
    assert scan(mount.place, "-j", str(threads))["totals"] == scan(tree)["totals"]
    mount.unmount()
    assert threads / 2 < mount.counts.peak <= threads  # a busy machine may keep some of them from starting
    assert mount.counts.operations["opendir"] == 65


def test_the_names_of_one_directory_are_looked_up_at_the_same_time(tmp_path, slow):
    tree = many_directories(tmp_path / "tree", 1, 64)
    mount = slow(tree, delay_us=100_000)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(os.lstat, [mount.place / "d0" / f"f{number}" for number in range(64)]))
    mount.unmount()
    assert 8 < mount.counts.peak <= 16


def test_few_slots_hold_back_but_do_not_hide_those_who_wait(tmp_path, slow):
    tree = many_directories(tmp_path / "tree", 64, 2)
    mount = slow(tree, delay_us=5000, slots=2)
    scan(mount.place, "-j", "16")
    mount.unmount()
    assert 2 < mount.counts.peak <= 16


def test_nothing_is_answered_while_the_mount_is_held(tree, slow):
    mount = slow(tree, delay_us=0)
    mount.hold()
    with subprocess.Popen(["ls", mount.place], stdout=subprocess.PIPE) as listing:
        # The function of the kernel in which ls waits; the whole stack is for root alone.
        waits = pathlib.Path(f"/proc/{listing.pid}/wchan")
        try:
            until(lambda: re.search("fuse|request_wait_answer", waits.read_text("utf-8")), "the question")
            assert listing.poll() is None
        finally:
            mount.go_on()
        assert listing.wait(PATIENCE) == 0


def test_a_mount_is_held_as_soon_as_hold_returns(tree, slow):
    mount = slow(tree, delay_us=0)
    for _ in range(100):
        mount.hold()
        states = {path.read_text("utf-8").rpartition(")")[2].split()[0]
                  for path in pathlib.Path(f"/proc/{mount.process.pid}/task").glob("*/stat")}
        mount.go_on()
        assert states == {"T"}


def test_the_mount_ends_with_the_process_that_started_it(tmp_path):
    if reason := why_not(SLOWFS):
        pytest.skip(reason)
    (tree := tmp_path / "tree").mkdir()
    (place := tmp_path / "place").mkdir()
    try:
        open_mount(SLOWFS, tree, place).unmount()
    except CannotMount as why:
        pytest.skip(f"slowfs cannot mount here: {why}")
    starter = subprocess.Popen([sys.executable, "-c", "import subprocess, sys\nsubprocess.run(sys.argv[1:])",
                                SLOWFS, tree, place], stdout=subprocess.DEVNULL)
    until(lambda: os.path.ismount(place), "the mount")
    starter.kill()
    starter.wait()
    until(lambda: not os.path.ismount(place), "the end of the mount")


@pytest.mark.parametrize("words", ["", "a", "a b c", "a b --slots 0", "a b --delay-us x", "a b --nothing 1"])
def test_wrong_usage_is_refused(words):
    if not os.path.exists(SLOWFS):
        pytest.skip(why_not(SLOWFS))
    ran = subprocess.run([SLOWFS, *words.split()], capture_output=True, check=False, timeout=PATIENCE)
    assert ran.returncode == 2
    assert b"usage: slowfs DIR MOUNTPOINT" in ran.stderr
