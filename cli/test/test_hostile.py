"""Hostile systems: odd filesystems, odd roots, scarce resources.

Tests that need a mount create it in a separate mount namespace, so that no other process sees it.
"""

import fcntl
import json
import os
import pty
import resource
import shutil
import signal
import subprocess
import termios

import pytest

from conftest import FATHOM, PATIENCE, as_nobody, can_mount, environment, scan, until
from odd_filesystem import OddFilesystem

NEEDS_MOUNTS = pytest.mark.skipif(not can_mount(), reason="mounting is not possible here")


def with_mounts(script, folder):
    """Runs the shell script with fathom as $1. Exit code 77 means that this machine cannot do it."""
    ran = subprocess.run(["setsid", "--wait", "unshare", "--mount", "sh", "-ec", script, "sh",
                          FATHOM], cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=PATIENCE,
                         check=False)
    if ran.returncode == 77:
        pytest.skip(f"mounting is not possible here: {ran.stderr.decode()}")
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


def totals(results):
    return json.loads(results)["totals"]


BTRFS = """
truncate -s 128M image
mkfs.btrfs -q image >&2 && mount -o loop image top || exit 77
btrfs -q subvolume create top/nested
head -c 100000 /dev/zero >top/nested/file
btrfs -q subvolume snapshot top/nested top/snapshot
mkdir top/mounted
mount -o loop,subvol=nested image top/mounted || exit 77
"$1" scan -x --format json top
"""


@NEEDS_MOUNTS
@pytest.mark.skipif(not shutil.which("mkfs.btrfs"), reason="mkfs.btrfs is not installed")
def test_subvolumes_belong_to_their_filesystem(tmp_path):
    (tmp_path / "top").mkdir()
    found = json.loads(with_mounts(BTRFS, tmp_path))
    # A subvolume that is also mounted has two paths, but nothing is counted twice.
    assert found["totals"]["files"] == 2
    assert found["totals"]["dirs"] == 3
    assert found["accuracy"]["complete"] is True


# The shell acts as the automount daemon. It never mounts anything, so every access would wait.
AUTOMOUNT = """
mkfifo asked
exec 8<>asked
mount -t autofs -o fd=8,pgrp=$$,minproto=5,maxproto=5,direct autofs top/automount || exit 77
setsid --wait timeout -s KILL 60 "$1" scan ONE --format json top
"""


@NEEDS_MOUNTS
@pytest.mark.parametrize("one", ["-x", ""])
def test_a_scan_triggers_no_automount(tmp_path, one):
    (tmp_path / "top" / "automount").mkdir(parents=True)
    found = json.loads(with_mounts(AUTOMOUNT.replace("ONE", one), tmp_path))
    assert found["totals"]["dirs"] == 1
    assert found["accuracy"]["left_out"] == 1


@pytest.mark.skipif(not shutil.which("fallocate"), reason="fallocate is not installed")
def test_a_small_file_can_have_any_number_of_blocks(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    bytes_ = 65_536 * 4096 + 4096  # from this number on, another program misread them
    made = subprocess.run(["fallocate", "--keep-size", "--length", str(bytes_), tmp_path / "file"],
                          stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    if made.returncode != 0:
        pytest.skip(f"preallocation is not possible here: {made.stderr.decode()}")
    found = totals(scan("--format", "json", str(tmp_path / "file")).stdout)
    assert found["disk_bytes"] == os.lstat(tmp_path / "file").st_blocks * 512 >= bytes_
    assert found["apparent_bytes"] == 1


def test_a_kernel_file_with_a_claimed_size_counts_only_as_apparent_bytes(tmp_path):
    if not os.path.exists("/proc/kcore"):
        # The largest possible file, without any block on the disk.
        with open(tmp_path / "huge", "wb") as file:
            try:
                file.truncate(2**43)
            except OSError as error:
                pytest.skip(f"neither /proc/kcore nor another huge file is available: {error}")
    huge = "/proc/kcore" if os.path.exists("/proc/kcore") else str(tmp_path / "huge")
    found = totals(scan("--format", "json", huge).stdout)
    assert found["apparent_bytes"] == os.lstat(huge).st_size >= 2**43
    assert found["disk_bytes"] == os.lstat(huge).st_blocks * 512


def test_many_concurrent_scans_manage_with_few_descriptors_each(tmp_path):
    for folder in range(30):
        below = tmp_path / f"{folder}" / "a" / "b" / "c" / "d"
        below.mkdir(parents=True)
        (below / "file").write_bytes(b"x" * folder)
    scans = [subprocess.Popen([FATHOM, "scan", "--format", "json", "-j", "8", tmp_path],
                              stdout=subprocess.PIPE, env=environment(),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                    (32, 32)))
             for _ in range(12)]
    found = [totals(process.communicate(timeout=PATIENCE)[0]) for process in scans]
    assert {process.returncode for process in scans} == {0}
    assert all(each == found[0] for each in found)
    assert (found[0]["files"], found[0]["dirs"]) == (30, 1 + 30 * 5)


def test_an_interrupt_from_the_keyboard_restores_the_terminal(tree):
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    process = subprocess.Popen([FATHOM, "scan", "--max-ops", "1", tree], stdin=slave, stdout=slave,
                               stderr=slave, env=environment({"TERM": "xterm-256color"}),
                               preexec_fn=take_the_terminal)
    shown = os.read(master, 65536)  # progress: the scan has started
    os.write(master, b"\x03")
    until(lambda: process.poll() is not None)
    after = termios.tcgetattr(slave)
    os.close(slave)
    while part := read_what_is_left(master):
        shown += part
    os.close(master)
    assert process.returncode == 130
    assert after == before
    assert shown.count(b"\x1b[?25l") == shown.count(b"\x1b[?25h")  # the cursor is shown as often as it is hidden
    assert shown.endswith(b"\n")


def take_the_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_what_is_left(master):
    try:
        return os.read(master, 65536)
    except OSError:  # no process has the terminal open any more
        return b""


@pytest.mark.parametrize("root, code, entries", [
    ("an empty directory", 0, 1),
    ("an empty file", 0, 1),
    ("dangling", 0, 1),  # a link is an entry, whatever its target
    ("dangling/", 2, 0),
    ("an empty file/", 2, 0),
    ("missing", 2, 0),
])
def test_the_exit_code_reports_a_missing_root(tmp_path, root, code, entries):
    (tmp_path / "an empty directory").mkdir()
    (tmp_path / "an empty file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    scanned = scan("--format", "json", root, cwd=tmp_path)
    assert scanned.returncode == code
    assert entries == (totals(scanned.stdout)["entries"] if scanned.stdout else 0)
    assert bool(scanned.stderr) == (code != 0)


def test_an_unreadable_root_is_a_failure(guarded):
    scanned = scan("--format", "json", str(guarded / "secret"), **as_nobody())
    assert scanned.returncode == 1
    assert totals(scanned.stdout)["entries"] == 1
    assert scanned.stderr.decode() == (
        f"fathom: cannot open {guarded / 'secret'}: Permission denied\n"
        "fathom: 1 entry could not be read, so the totals are lower bounds\n")


@NEEDS_MOUNTS
def test_a_listing_that_restarts_ends_there(tmp_path):
    def names(offset):  # every name, every name again, the end
        return [(b"%d" % (at % 10), at + 1) for at in range(offset, 20)]
    results, told = OddFilesystem(tmp_path, names).scan("--format", "json").communicate(
        timeout=PATIENCE)
    assert told == b""
    assert 10 <= totals(results)["files"] <= 20


@NEEDS_MOUNTS
def test_an_endless_listing_can_be_interrupted(tmp_path):
    asked = []

    def names(offset):
        asked.append(offset)
        return [(b"%d" % (at % 10), at + 1) for at in range(offset, offset + 1000)]
    process = OddFilesystem(tmp_path, names).scan("--format", "json", "--max-ops", "20000")
    until(lambda: len(asked) > 8)
    process.send_signal(signal.SIGINT)
    results, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(results)["accuracy"]["interrupted"] is True
    assert totals(results)["files"] > 0


@NEEDS_MOUNTS
def test_a_scan_of_an_unresponsive_filesystem_can_be_ended(tmp_path):
    filesystem = OddFilesystem(tmp_path, None)
    process = filesystem.scan()
    assert filesystem.has_a_question()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    os.close(filesystem.device)
    assert process.returncode == 130
    assert f"interrupted, but {tmp_path} does not respond; found so far: " in told.decode()
