"""Whatever happens to workers, replies and the driver, each entry is in the result exactly once."""

import asyncio
import os
import random

import pytest

import fake_fathom
from fake_engine import Accidents, DriverKilled, FakeEngine
from fathom_fleet.driver import Driver, Settings, restored
from fathom_fleet.errors import FleetError
from fathom_fleet.folder import Folder

SEEDS = int(os.environ.get("FATHOM_FLEET_SCHEDULES", "100"))
EVERYTHING = Accidents(**{
    "crashes": 0.08, "is lost": 0.08, "loses its reply": 0.08, "commits after it was given up": 0.05, "hangs": 0.02,
    "runs twice": 0.08, "is seen late": 0.05, "fills the disk": 0.03})
SETTINGS = Settings("fathom")


def drive(folder, engine, root, settings=SETTINGS, failures=1000):
    told = []
    driver = Driver(folder, restored(folder, failures), engine, settings, (root,), told.append)
    asyncio.run(driver.run())
    return driver, told


def folder_in(path):
    folder = Folder(path)
    with folder.locked():
        pass
    return folder


def check(folder, driver, root):
    wanted, errors = fake_fathom.tree_of(root).walk()
    found, missing = fake_fathom.join(folder.path)
    assert not missing
    assert found == sorted(wanted)
    assert (driver.plan.entries, driver.plan.errors) == (len(wanted), errors)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_schedule_of_accidents_finds_each_entry_once(tmp_path, seed):
    rng = random.Random(seed)
    root = f"/{seed}/{rng.randrange(1, 1500)}"
    folder = folder_in(tmp_path)
    tail = []
    for kills in kills_of(rng):
        engine = FakeEngine(rng, rng.randint(1, 9), EVERYTHING, killed_after=kills, tail=tail)
        try:
            driver, _ = drive(folder, engine, root)
        except DriverKilled:
            tail = engine.tail()
            continue
        check(folder, driver, root)
        return


def kills_of(rng):
    """After how many outcomes the driver is killed, several times; the last one is not."""
    for _ in range(rng.randrange(4)):
        yield rng.randrange(20)
    yield None


def test_a_quiet_run_makes_each_part_once(tmp_path):
    folder = folder_in(tmp_path)
    engine = FakeEngine(random.Random(1))
    driver, told = drive(folder, engine, "/1/1000")
    check(folder, driver, "/1/1000")
    assert len(engine.submitted) == len(driver.plan.done)
    assert told == []


def test_a_part_that_always_fails_is_given_up_and_named(tmp_path):
    folder = folder_in(tmp_path)
    poisoned = fake_fathom.child_id("root", 0)
    engine = FakeEngine(random.Random(2), poisoned=(poisoned,))
    driver, told = drive(folder, engine, "/2/1000", failures=4)
    assert list(driver.plan.given_up) == [poisoned]
    assert told[-1] == f"part {poisoned}: the scan was ended by signal 11 on fake; given up after 4 attempts"
    assert fake_fathom.join(folder.path)[1] == [poisoned]


def test_a_scan_ends_when_a_part_cannot_be_written_and_continues_with_the_next_driver(tmp_path):
    class FillsTheDisk(FakeEngine):
        def submit(self, task):
            super().submit(task)
            self.accidents = Accidents(**{"fills the disk": 1})  # from the second part on

    folder = folder_in(tmp_path)
    with pytest.raises(FleetError) as why:
        drive(folder, FillsTheDisk(random.Random(2)), "/2/1000", failures=4)
    assert str(why.value) == (f"nothing more can be added to '{tmp_path}': cannot write x: No space left on device on "
                              "fake")
    driver, _ = drive(folder, FakeEngine(random.Random(3)), "/2/1000")
    check(folder, driver, "/2/1000")


def test_a_part_that_was_given_up_runs_again_with_the_next_driver(tmp_path):
    folder = folder_in(tmp_path)
    poisoned = fake_fathom.child_id("root", 0)
    drive(folder, FakeEngine(random.Random(2), poisoned=(poisoned,)), "/2/1000", failures=4)
    driver, _ = drive(folder, FakeEngine(random.Random(3)), "/2/1000")
    check(folder, driver, "/2/1000")


def test_a_worker_that_hangs_is_given_up_and_its_part_goes_elsewhere(tmp_path):
    folder = folder_in(tmp_path)
    engine = FakeEngine(random.Random(4), accidents=Accidents(hangs=0.1))
    driver, told = drive(folder, engine, "/4/2000")
    check(folder, driver, "/4/2000")
    assert engine.abandoned
    assert "no answer for 660 seconds; trying again" in told[0]


def test_a_scan_that_cannot_begin_says_why(tmp_path):
    class Refusing(FakeEngine):
        def submit(self, task):
            self._running[task.key] = False
            self._at(1.0, lambda: self._ended(task, 2, "'/nowhere' does not exist"))

    with pytest.raises(FleetError, match="'/nowhere' does not exist"):
        drive(folder_in(tmp_path), Refusing(random.Random(5)), "/nowhere")


def test_a_folder_that_is_not_shared_is_reported(tmp_path):
    class Elsewhere(FakeEngine):
        def submit(self, task):
            self._running[task.key] = False
            self._at(1.0, lambda: self._ended(task, 0))

    driver, told = drive(folder_in(tmp_path), Elsewhere(random.Random(6)), "/6/10", failures=2)
    assert list(driver.plan.given_up) == ["root"]
    assert "all workers must share that directory with this machine" in told[-1]


def test_work_is_divided_among_idle_slots(tmp_path):
    engine = FakeEngine(random.Random(7), slots=8)
    drive(folder_in(tmp_path), engine, "/7/3000")
    given, _ = fake_fathom.options(engine.submitted[0].argv)
    assert given["batches"] == "8"
    assert engine.most_running == 8


def test_tasks_are_asked_to_hand_back_once_and_only_while_slots_are_idle(tmp_path):
    class Watched(FakeEngine):
        def hand_back(self, keys):
            assert len(self._running) < self._slots
            super().hand_back(keys)

    engine = Watched(random.Random(7), slots=8)
    drive(folder_in(tmp_path), engine, "/7/3000")
    assert engine.asked[0].startswith("root-")
    assert len(set(engine.asked)) == len(engine.asked) < len(engine.submitted)


def test_the_operations_of_all_tasks_together_are_limited(tmp_path):
    operations = {}

    class Counting(FakeEngine):
        def submit(self, task):
            operations[task.key] = int(fake_fathom.options(task.argv)[0]["max-ops"])
            super().submit(task)
            assert sum(operations[key] for key in self._running) <= 10

    folder = folder_in(tmp_path)
    driver, _ = drive(folder, Counting(random.Random(8), slots=16), "/8/2000",
                      Settings("fathom", most_operations=10))
    check(folder, driver, "/8/2000")
