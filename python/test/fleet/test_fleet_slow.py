"""Many tasks on a filesystem that answers slowly: they wait at the same time, and ask little more than one process.

The filesystem does not answer while tasks are started, so that a slow start of processes does not matter.
FATHOM_FLEET_LONG=1 runs this, because hundreds of processes start.
"""

import contextlib
import os
import pathlib

import pytest

from fathom_fleet.driver import restored
from fathom_fleet.folder import Folder
from fleet_fixtures import fixture_slow
from fleet_machines import takes_long
from test_fleet_cluster import ended, fixture_fathom, fixture_fleet, kept_by_one_process, same, scans_of
from waiting import until

__all__ = ["fixture_fathom", "fixture_fleet", "fixture_slow"]

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

TASKS = 64
MANY = 48
ENTRIES = 16_000
DELAY = 5000  # microseconds for each operation


@pytest.fixture(name="skewed")
def fixture_skewed(tmp_path):
    """Half of its entries are below one child of the root, and half of these in one directory."""
    tree = tmp_path / "skewed"
    folders = {f"small{number}": ENTRIES // 40 for number in range(20)}
    folders |= {f"heavy/d{number}/d{other}": ENTRIES // 4 // 60 for number in range(20) for other in range(3)}
    folders["heavy/many"] = ENTRIES // 4
    for name, files in folders.items():
        (tree / name).mkdir(parents=True)
        for file in range(files):
            os.mknod(tree / name / f"f{file}")
    return tree


def waiting(driver):
    """How many scans wait for an answer of the filesystem."""
    count = 0
    for scan in scans_of(driver):
        with contextlib.suppress(OSError):  # it has ended
            stacks = [stack.read_text("ascii") for stack in pathlib.Path(f"/proc/{scan.pid}/task").glob("*/stack")]
            count += any("fuse" in stack for stack in stacks)
    return count


@takes_long
def test_64_tasks_wait_for_a_slow_filesystem_at_the_same_time(fleet, slow, skewed, fathom):
    mount = slow(skewed, delay_us=DELAY)
    driver = fleet.start("--local", str(TASKS), "--budget", "1600", "--store", fleet.path / "a", root=mount.place,
                         fathom=fathom)
    until(lambda: restored(Folder(fleet.folder)).waiting >= TASKS, "work for all")
    mount.hold()
    until(lambda: waiting(driver) >= TASKS - 8, "scans that wait at the same time")
    mount.go_on()
    code, _, err = ended(driver)
    assert (code, err) == (0, "")
    joined, = (fleet.path / "a").glob("2*")
    # On the same mount, because the number of the device is in the snapshot; with fewer threads than the peak is to be.
    same(joined, kept_by_one_process(fathom, fleet.path / "b", mount.place, "-j", "32"))
    mount.unmount()

    alone = slow(skewed, delay_us=0)
    kept_by_one_process(fathom, fleet.path / "c", alone.place)
    alone.unmount()
    assert mount.counts.peak >= MANY
    one = sum(alone.counts.operations.values())
    assert sum(mount.counts.operations.values()) - one <= 1.3 * one
