"""mount-volume: the volumes of experiments, however the run before has ended."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bench/volumes/mount-volume"


def make_image(path):
    """A small filesystem without files."""
    with open(path, "wb") as file:
        file.truncate(16 << 20)
    subprocess.run(["mkfs.ext4", "-q", path], check=True)


@pytest.fixture(name="top")
def fixture_top(tmp_path):
    """Where a volume of 2,100 entries is to be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    if not (ROOT / "build/release/bin/fathom").exists():
        pytest.skip("the release is not built")
    for program in ("mkfs.ext4", "fincore"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    top = tmp_path / "volume-ext4-2100"
    top.mkdir()
    make_image(tmp_path / "attempt")
    command = ["mount", "-o", "loop", tmp_path / "attempt", top]
    attempt = subprocess.run(command, capture_output=True, text=True, check=False)
    if attempt.returncode != 0:
        pytest.skip(f"no loop device can be mounted here: {attempt.stderr}")
    subprocess.run(["umount", top], check=True)
    yield top
    while os.path.ismount(top):
        subprocess.run(["umount", top], check=True)


def bring_into(state, top):
    subprocess.run([PROGRAM, "ext4", "2100", state, top.parent], check=True)


def test_a_volume_whose_making_was_interrupted_is_made_again(top):
    unfinished = top.with_suffix(".new")
    make_image(unfinished)
    subprocess.run(["mount", "-o", "loop", unfinished, top], check=True)
    (top / "left-over").touch()
    bring_into("remounted", top)
    assert os.path.ismount(top)
    assert not (top / "left-over").exists()
    assert len([*top.rglob("file-*.txt")]) == 2000
    assert not unfinished.exists()


def in_memory(image):
    """The bytes of the file that the kernel has in memory."""
    return int(subprocess.check_output(["fincore", "--bytes", "--noheadings", "--output", "RES", image]))


def not_zero(image):
    """The bytes of pages that are not all zeros."""
    zeros = bytes(4096)
    with open(image, "rb") as file:
        return sum(4096 for chunk in iter(lambda: file.read(1 << 20), b"") if chunk.count(0) < len(chunk)
                   for begin in range(0, len(chunk), 4096) if chunk[begin:begin + 4096] != zeros)


def test_the_loop_device_of_a_remounted_volume_has_the_blocks_in_memory(top):
    image = top.with_suffix(".img")
    bring_into("remounted", top)
    subprocess.run(["umount", top], check=True)
    with open(image, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if in_memory(image) > 0:
        pytest.skip("the files are not on a disk")
    bring_into("remounted", top)
    found = in_memory(image)
    assert found >= not_zero(image)
