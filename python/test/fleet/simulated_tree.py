"""A simulation of a fleet: the real driver, plan and pace, with workers that only calculate how long they would take.

Run as a program, it prints the utilisation of so many workers for a tree of so many entries:

    PYTHONPATH=python python3 python/test/fleet/simulated_tree.py 64 1000000000
"""

import array
import asyncio
import heapq
import itertools
import pathlib
import random
import sys

import fake_fathom
from fathom_fleet.budget import Budget
from fathom_fleet.driver import Driver, Settings
from fathom_fleet.engine import Outcome
from fathom_fleet.folder import Folder
from fathom_fleet.part import Child, Part
from fathom_fleet.plan import Plan

RATE = 100_000  # entries per second of a worker
TASK = 0.020  # seconds for a task in addition: starting a process, writing two files
SCHEDULER = 0.0025  # seconds of the one scheduler for a task
HEAVY = 0.52  # of all entries: below one child of the root
LARGEST = 0.0054  # of all entries: directly in the largest directory


class SimulatedTree:
    """Directories by number, the root is 0; each has a number of files and a list of subdirectories."""

    def __init__(self, entries, seed=1):
        rng = random.Random(seed)
        count = max(10, entries // 1000)
        heavy = int(count * HEAVY)
        self.first = [[] for _ in range(count)]
        for number in range(1, count):
            # 1 to `heavy` are below the heavy child, 1; half of the rest near the root, half anywhere.
            if number == 1:
                parent = 0
            elif number <= heavy:
                parent = rng.randrange(max(1, number // 8), number)
            else:
                parent = 0 if rng.random() < 0.001 or number == heavy + 1 else rng.randrange(heavy + 1, number)
            self.first[parent].append(number)
        weights = array.array("d", (rng.expovariate(1.0) ** 2 for _ in range(count)))
        largest = int(entries * LARGEST)
        scale = (entries - count - largest) / sum(weights)
        self.files = array.array("q", (int(weight * scale) for weight in weights))
        self.files[count // 2] += largest
        self.entries = count + sum(self.files)


class SimulatedFolder(Folder):
    """Parts in memory; the work that is left over, by the id of its part."""

    def __init__(self):
        super().__init__(pathlib.Path("simulated"))
        self.made = {}
        self.left = {"root": [(0, 0)]}

    def part(self, part_id):
        return self.made.get(part_id)


class SimulatedEngine:
    """So many workers on one clock. Work is a list of (directory, 0), or (-1, files) for files of a directory."""

    def __init__(self, tree, folder, workers):
        self.tree, self.folder, self.workers = tree, folder, workers
        self.busy = 0.0  # seconds in which workers scanned
        self.tasks = 0
        self._clock = 0.0
        self._scheduler = 0.0  # when it has time again
        self._events = []
        self._order = itertools.count()

    def now(self):
        return self._clock

    def slots(self):
        return self.workers

    def submit(self, task):
        given, _ = fake_fathom.options(task.argv)
        self.tasks += 1
        self._scheduler = max(self._scheduler, self._clock) + SCHEDULER
        part = self._scan(task.key.split("-")[0], fake_fathom.seconds_of(given["budget"]), int(given["batches"]))
        self.busy += part.seconds
        heapq.heappush(self._events, (self._scheduler + TASK + part.seconds, next(self._order), task.key, part))

    async def outcomes(self, patience):
        self._clock, _, key, part = heapq.heappop(self._events)
        self.folder.made[part.id] = part
        return [Outcome(key, 0)]

    async def abandon(self, key):
        raise AssertionError("nothing hangs here")

    def _scan(self, part_id, seconds, batches):
        work, budget, found = self.folder.left.pop(part_id), int(seconds * RATE), 0
        while work and found < budget:
            directory, files = work.pop()
            if directory >= 0:
                found += 1
                files = self.tree.files[directory]
                work.extend((inside, 0) for inside in self.tree.first[directory])
            looked_at = min(files, budget - found)
            found += looked_at
            if files > looked_at:
                work.append((-1, files - looked_at))
        shares = [[] for _ in range(batches)]
        for index, (directory, files) in enumerate(work):
            if files > batches:  # the names of a huge directory are handed out to all
                for share in shares:
                    share.append((-1, files // batches))
            remaining = files % batches if files > batches else files
            if directory >= 0 or remaining:
                shares[index % batches].append((directory, remaining))
        children = []
        for index, share in enumerate(filter(None, shares)):
            child = fake_fathom.child_id(part_id, index)
            self.folder.left[child] = share
            children.append(Child(child, part_id, index, sum(files or 1 for _, files in share)))
        return Part(part_id, found, 0, found / RATE, "simulated", tuple(children))


def simulate(tree, workers):
    """The utilisation, of 1, and the driver."""
    folder = SimulatedFolder()
    engine = SimulatedEngine(tree, folder, workers)
    driver = Driver(folder, Plan(), engine, Settings("fathom", Budget(seconds=2.0)), (), print)
    asyncio.run(driver.run())
    assert driver.plan.entries == tree.entries
    return engine.busy / (workers * engine.now()), driver


if __name__ == "__main__":
    WORKERS, ENTRIES = map(int, sys.argv[1:])
    USED, DRIVER = simulate(SimulatedTree(ENTRIES), WORKERS)
    print(f"{WORKERS} workers, {DRIVER.plan.entries:,} entries: {100 * USED:.0f} % in {len(DRIVER.plan.done):,} parts")
