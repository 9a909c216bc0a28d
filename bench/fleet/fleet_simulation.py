"""Simulates how a fleet shares the scan of a tree that is larger than any here.

The driver is that of `fathom fleet`. Simulated is what it decides about: a skewed tree, workers, and what tasks cost.
Nothing is random but the tree, which its seed determines.
"""

from __future__ import annotations

import asyncio
import dataclasses
import heapq
import itertools
import pathlib
import random
from array import array
from collections.abc import Iterator, Sequence

from fathom_fleet.budget import Budget
from fathom_fleet.driver import Driver, Settings
from fathom_fleet.engine import Outcome as TaskOutcome
from fathom_fleet.engine import Task
from fathom_fleet.folder import Folder
from fathom_fleet.part import ROOT, Child, Part
from fathom_fleet.plan import Plan

# The share of the whole tree that is below one directory of levels 1, 2 and 3.
_HEAVY = (0.52, 0.5, 0.19)
_MOST_SUBDIRECTORIES = 40


class Tree:
    """Directories in preorder, so that a subtree is an interval: 16 bytes for each, and none for a file."""

    def __init__(self, entries: int, directories: int, largest: int, seed: int = 1) -> None:
        """`largest`: so many files are in the largest directory."""
        if directories < 100 or directories + largest >= entries:
            raise ValueError("a tree needs 100 directories, and more entries than directories and files of the largest")
        rng = random.Random(seed)
        self.ends = array("q", [0]) * directories  # of subtrees
        self._place_directories(rng)
        self.files = _files(rng, entries - directories, directories, largest)  # directly in each directory
        self._before = array("q", itertools.accumulate((files + 1 for files in self.files), initial=0))

    @property
    def entries(self) -> int:
        return self._before[-1]

    def entries_below(self, directory: int) -> int:
        """Entries of the subtree, with the directory itself."""
        return self._before[self.ends[directory]] - self._before[directory]

    def subdirectories(self, directory: int) -> Iterator[int]:
        end, ends = self.ends[directory], self.ends
        child = directory + 1
        while child < end:
            yield child
            child = ends[child]

    def _place_directories(self, rng: random.Random) -> None:
        total = len(self.ends)
        self.ends[0] = total
        pending = [(0, 0)]  # a directory whose end is known, and its level on the heavy path; -1: beside the path
        while pending:
            directory, level = pending.pop()
            inside = self.ends[directory] - directory - 1
            if inside == 0:
                continue
            heavy = round(_HEAVY[level] * total) if 0 <= level < len(_HEAVY) else 0
            sizes = _shares(rng, inside - heavy)
            if heavy:
                sizes.insert(rng.randrange(len(sizes) + 1), heavy)
            child = directory + 1
            for size in sizes:
                self.ends[child] = child + size
                pending.append((child, level + 1 if heavy and size == heavy else -1))
                child += size


def _shares(rng: random.Random, total: int) -> list[int]:
    """Divides the total into uneven positive numbers."""
    if total <= 0:
        return []
    count = min(total, rng.randint(1, _MOST_SUBDIRECTORIES))
    weights = [rng.random() ** 3 for _ in range(count)]
    scale = (total - count) / sum(weights)
    sizes = [1 + int(weight * scale) for weight in weights]
    sizes[rng.randrange(count)] += total - sum(sizes)
    return sizes


def _files(rng: random.Random, total: int, directories: int, largest: int) -> array[int]:
    """Many directories have few files, few have many, and one has the most."""
    weights = [min(rng.paretovariate(1.2), 1000.0) for _ in range(directories)]
    scale = (total - largest) / sum(weights)
    files = array("q", (min(int(weight * scale), largest - 1) for weight in weights))
    files[rng.randrange(directories)] = largest
    # What rounding has left over, or the largest took from others.
    missing = total - sum(files)
    while missing:
        before = missing
        for directory in range(directories):
            if missing and 0 < files[directory] < largest - 1:
                step = 1 if missing > 0 else max(missing, -files[directory])
                files[directory] += step
                missing -= step
        if missing == before:
            raise ValueError("so many files cannot be divided among so many directories beside the largest")
    return files


@dataclasses.dataclass(frozen=True)
class Costs:
    """What was measured with Dask: seconds."""

    entry: float = 1 / 100_000  # of one worker
    task: float = 0.020  # on the worker: the process, the files of the part
    scheduler: float = 0.0025  # of each task in the one scheduler, during which no other task is started
    request: float = 0.020  # until a task has learnt that it is to hand back


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`utilisation`: the share of the workers' time in which they looked at entries."""

    workers: int
    seconds: float
    tasks: int
    entries: int
    utilisation: float


@dataclasses.dataclass(frozen=True)
class Splitting:
    """How a part divides what it hands back. `dealt`: one path for each batch in turn; otherwise, the first batch has
    the first paths. `names`: whether a directory that was begun may be handed back, too. `early`: whether the driver
    may ask for it before the budget is spent."""

    dealt: bool = True
    names: bool = True
    early: bool = True


def scan_in_slices(tree: Tree, workers: int, level: int, costs: Costs) -> Outcome:
    """Each directory of a level is a task, and all entries above this level are one more."""
    sizes, above, reached = [], 0, [0]
    for _ in range(level):
        above += sum(tree.files[directory] + 1 for directory in reached)
        reached = [child for directory in reached for child in tree.subdirectories(directory)]
    sizes = [above, *map(tree.entries_below, reached)]
    free = [0.0] * workers
    for number, size in enumerate(sizes, 1):
        begin = max(heapq.heappop(free), number * costs.scheduler)
        heapq.heappush(free, begin + costs.task + size * costs.entry)
    return _outcome(workers, max(free), len(sizes), sum(sizes), costs)


class SimulatedFolder(Folder):
    """Its parts are in memory, and made by the engine."""

    def __init__(self) -> None:
        super().__init__(pathlib.Path("simulated"))
        self.made: dict[str, Part] = {}

    def part(self, part_id: str) -> Part | None:
        return self.made.get(part_id)


@dataclasses.dataclass
class _Running:
    """A task. `entries` will be looked at from `begin` on, unless it is asked to hand back."""

    part_id: str
    batches: int
    begin: float
    entries: int
    rest: list[int]
    request: int = 0  # how often the end has changed


class SimulatedEngine:
    """Workers that calculate how long they would take. See Engine."""

    def __init__(self, tree: Tree, folder: SimulatedFolder, workers: int, costs: Costs, splitting: Splitting) -> None:
        self.tasks = 0
        self._tree = tree
        self._folder = folder
        self._workers = workers
        self._costs = costs
        self._splitting = splitting
        self._now = self._scheduler_is_free = 0.0
        self._rests: dict[str, list[int]] = {ROOT: [0]}  # the files rest-*, by the part that begins with them
        self._names = itertools.count(1)
        self._running: dict[str, _Running] = {}
        self._ending: list[tuple[float, int, str, int]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._now

    def slots(self) -> int:
        return self._workers

    def submit(self, task: Task) -> None:
        self.tasks += 1
        given = dict(word[2:].split("=") for word in task.argv if "=" in word)
        budget = Budget.parse(given["budget"])
        self._scheduler_is_free = max(self._now, self._scheduler_is_free) + self._costs.scheduler
        running = _Running(task.key.partition("-")[0], int(given["batches"]),
                           self._scheduler_is_free + self._costs.task / 2, 0, [])
        self._running[task.key] = running
        self._walk(task.key, budget.entries or max(1, round(budget.seconds / self._costs.entry)))

    def hand_back(self, keys: Sequence[str]) -> None:
        for key in keys:
            task = self._running[key]
            entries = max(1, round((self._now + self._costs.request - task.begin) / self._costs.entry))
            if self._splitting.early and entries < task.entries:
                task.request += 1
                self._walk(key, entries)

    async def outcomes(self, patience: float) -> list[TaskOutcome]:
        until = self._now + patience
        while self._ending and self._ending[0][0] <= until:
            now, _, key, request = heapq.heappop(self._ending)
            if key in self._running and request == self._running[key].request:
                self._now = now
                self._commit(self._running.pop(key))
                return [TaskOutcome(key, 0)]
        self._now = until
        return []

    async def abandon(self, key: str) -> None:
        raise AssertionError(f"the task {key} has ended in time")

    def _walk(self, key: str, most: int) -> None:
        task = self._running[key]
        task.entries, task.rest = _walk(self._tree, self._rests[task.part_id], most, self._splitting.names)
        end = task.begin + task.entries * self._costs.entry + self._costs.task / 2
        heapq.heappush(self._ending, (end, next(self._order), key, task.request))

    def _commit(self, task: _Running) -> None:
        del self._rests[task.part_id]
        children = []
        divide = _deal if self._splitting.dealt else _cut
        for index, batch in enumerate(divide(task.rest, task.batches)):
            child = Child(f"{next(self._names):016x}", task.part_id, index, _paths(batch))
            self._rests[child.id] = batch
            children.append(child)
        self._folder.made[task.part_id] = Part(task.part_id, task.entries, 0, task.entries * self._costs.entry, "",
                                               tuple(children))


def scan_by_driver(tree: Tree, workers: int, costs: Costs, budget: Budget,
                   splitting: Splitting = Splitting()) -> Outcome:
    """By the driver itself, with parts that hand back what exceeds their budget."""
    folder = SimulatedFolder()
    engine = SimulatedEngine(tree, folder, workers, costs, splitting)
    driver = Driver(folder, Plan(), engine, Settings("fathom", budget), (), print)
    asyncio.run(driver.run())
    return _outcome(workers, engine.now(), engine.tasks, driver.plan.entries, costs)


def _outcome(workers: int, seconds: float, tasks: int, entries: int, costs: Costs) -> Outcome:
    return Outcome(workers, seconds, tasks, entries, entries * costs.entry / (workers * seconds))


# A rest is what was listed, but not looked at, in preorder: the number of a directory, or -N for N names of files.


def _walk(tree: Tree, rest: list[int], limit: int, names: bool) -> tuple[int, list[int]]:
    """Looks at entries until the limit: how many, and what is left."""
    files, ends = tree.files, tree.ends
    stack = rest[::-1]
    looked_at = 0
    while stack and looked_at < limit:
        item = stack.pop()
        count = -item
        if item >= 0:
            count = files[item] + 1
            if item + 1 < ends[item]:
                stack += [*tree.subdirectories(item)][::-1]
        if names and count > limit - looked_at:
            stack.append(limit - looked_at - count)
            count = limit - looked_at
        looked_at += count
    return looked_at, stack[::-1]


def _paths(rest: list[int]) -> int:
    return sum(-item if item < 0 else 1 for item in rest)


def _deal(rest: list[int], batches: int) -> list[list[int]]:
    """At most so many batches: one path for each in turn, so that each gets its share of names and of directories."""
    batches = min(batches, _paths(rest))
    divided: list[list[int]] = [[] for _ in range(batches)]
    turn = 0
    for item in rest:
        if item >= 0:
            divided[turn % batches].append(item)
            turn += 1
            continue
        each, more = divmod(-item, batches)
        for number in range(batches if each else more):
            divided[(turn + number) % batches].append(-each - (number < more))
        turn += -item
    return divided


def _cut(rest: list[int], batches: int) -> list[list[int]]:
    """At most so many batches, as long as each other, in the order of the paths."""
    total = _paths(rest)
    batches = min(batches, total)
    divided: list[list[int]] = []
    batch: list[int] = []
    passed = 0
    for item in rest:
        left = -item if item < 0 else 1
        while left:
            end = total * (len(divided) + 1) // batches
            taken = min(left, end - passed)
            batch.append(-taken if item < 0 else item)
            passed += taken
            left -= taken
            if passed == end:
                divided.append(batch)
                batch = []
    return divided
