"""Whatever happens to the tasks of the real command, the joined snapshot has the bytes of a single scan; and the parts
do not repeat the work of others."""

import asyncio
import json
import random
import subprocess

import pytest

from fake_engine import DriverKilled, FakeEngine
from fathom_fleet.budget import Budget
from fathom_fleet.driver import Driver, Settings, restored
from fathom_fleet.folder import Folder
from fleet_fixtures import fixture_slow
from test_fleet_cluster import fixture_fathom, fixture_large_tree, kept_by_one_process, same
from test_fleet_driver import EVERYTHING, SEEDS, kills_of

__all__ = ["fixture_fathom", "fixture_large_tree", "fixture_slow"]
PATIENCE = 120  # seconds


class RealParts(FakeEngine):
    """Simulated workers and accidents; the parts are made by the real command."""

    def _commits(self, task, seconds):
        self._at(seconds, lambda: self._run(task))

    def _run(self, task):
        with subprocess.Popen(task.argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            if self.rng.random() < 0.1:  # somewhere in the middle, which is another place each time
                process.kill()
                process.wait(PATIENCE)
            else:
                _, told = process.communicate(timeout=PATIENCE)
                assert process.returncode == 0, told


@pytest.mark.parametrize("seed", range(max(1, SEEDS // 5)))
def test_any_schedule_of_accidents_gives_the_bytes_of_a_single_scan(seed, tmp_path, large_tree, fathom):
    rng = random.Random(seed)
    folder = Folder(tmp_path / "folder")
    settings = Settings(fathom, Budget(entries=rng.randrange(20, 400)), threads=1)
    tail = []
    for kills in kills_of(rng):
        engine = RealParts(rng, rng.randint(1, 6), EVERYTHING, killed_after=kills, tail=tail)
        with folder.locked():
            plan = restored(folder, failures=1000)
            driver = Driver(folder, plan, engine, settings, ("--", str(large_tree)), lambda told: None)
            try:
                asyncio.run(driver.run())
            except DriverKilled:
                tail = engine.tail()
    folder.sweep()
    joined = subprocess.run([fathom, "snapshot", "--parts", folder.path, "--store", tmp_path / "a"],
                            capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (joined.returncode, joined.stderr) == (0, "")
    kept, = (tmp_path / "a").glob("2*")
    same(kept, kept_by_one_process(fathom, tmp_path / "b", large_tree))


def test_a_file_server_opens_each_directory_once(slow, tmp_path, fathom):
    below = tmp_path / "tree" / "a" / "b"
    for number in range(10):
        (below / str(number)).mkdir(parents=True)
    mount = slow(tmp_path / "tree", delay_us=0)
    waiting: list[list[str]] = [[]]
    parts = 0
    while waiting:
        argv = [fathom, "scan", "--shard", "--into", tmp_path / "folder", "--budget=4", *waiting.pop(), mount.place]
        part = json.loads(subprocess.run(argv, capture_output=True, timeout=PATIENCE, check=True).stdout)
        waiting += [[f"--rest={part['id']}/rest-{index}"] for index in range(len(part["rest"]))]
        parts += 1
    mount.unmount()
    # And each part asks once which filesystem it is.
    assert mount.counts.operations["opendir"] == 13 + parts
    assert parts > 2
