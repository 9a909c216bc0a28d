"""The simulation of a fleet: what it claims about the driver's policy, and that it loses nothing."""

import json
import pathlib
import random
import subprocess
import sys

import pytest

pytest.importorskip("fathom_fleet", reason="the package fathom_fleet is not there")

import fleet_simulation
from fathom_fleet.budget import Budget
from fathom_fleet.driver import DEFAULT_BUDGET as BUDGET
from fleet_simulation import Costs, Splitting, Tree, scan_by_driver, scan_in_slices

PROGRAM = pathlib.Path(fleet_simulation.__file__).with_name("simulate-fleet")
COSTS = Costs()


@pytest.fixture(name="large", scope="module")
def fixture_large():
    return Tree(1_000_000_000, 1_000_000, 5_400_000)


def small(seed):
    return Tree(2_000_000, 3000, 150_000, seed)


def test_the_tree_is_as_skewed_as_it_says(large):
    assert large.entries == 1_000_000_000
    assert len(large.files) == 1_000_000
    assert max(large.files) == 5_400_000
    assert min(large.files) >= 0
    shares = [large.entries_below(child) / large.entries for child in large.subdirectories(0)]
    assert 0.51 < max(shares) < 0.54


@pytest.mark.parametrize("seed", range(5))
def test_subtrees_contain_what_is_below_them(seed):
    tree = small(seed)
    for directory in range(len(tree.files)):
        inside = sum(map(tree.entries_below, tree.subdirectories(directory)))
        assert tree.entries_below(directory) == inside + tree.files[directory] + 1


@pytest.mark.parametrize("entries, directories, largest", [
    (300, 100, 199),  # one file for 99 directories
    (10_100, 100, 50),  # more than fit
])
def test_files_that_do_not_fit_are_refused(entries, directories, largest):
    command = [sys.executable, PROGRAM, "--entries", entries, "--directories", directories, "--largest", largest]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "files cannot be divided among so many directories" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("splitting", [Splitting(), Splitting(dealt=False), Splitting(names=False)])
@pytest.mark.parametrize("budget", [Budget(seconds=2.0), Budget(entries=700)])
def test_every_entry_is_looked_at_once(seed, splitting, budget):
    tree = small(seed)
    for workers in (1, 7, 64):
        assert scan_by_driver(tree, workers, COSTS, budget, splitting=splitting).entries == tree.entries
    assert scan_in_slices(tree, 7, 2, COSTS).entries == tree.entries


def test_a_seed_determines_everything():
    assert scan_by_driver(small(3), 64, COSTS, BUDGET) == scan_by_driver(small(3), 64, COSTS, BUDGET)
    assert small(3).files != small(4).files


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("divide", [fleet_simulation._deal, fleet_simulation._cut])
def test_batches_keep_all_paths_and_differ_by_one_at_most(seed, divide):
    rng = random.Random(seed)
    rest = [rng.choice([rng.randrange(1, 100), -rng.randrange(1, 50)]) for _ in range(rng.randrange(1, 40))]
    for batches in (1, 2, 8, 64):
        divided = divide(rest, batches)
        assert len(divided) <= batches
        sizes = [fleet_simulation._paths(batch) for batch in divided]
        assert min(sizes) > 0
        assert max(sizes) - min(sizes) <= 1
        joined = [item for batch in divided for item in batch]
        assert sorted(item for item in joined if item > 0) == sorted(item for item in rest if item > 0)
        assert sum(item for item in joined if item < 0) == sum(item for item in rest if item < 0)


def test_each_batch_gets_its_share_of_directories():
    rest = [-1000, 1, 2, 3, 4]
    assert fleet_simulation._deal(rest, 4) == [[-250, 1], [-250, 2], [-250, 3], [-250, 4]]
    assert fleet_simulation._cut(rest, 4) == [[-251], [-251], [-251], [-247, 1, 2, 3, 4]]


def test_one_worker_loses_only_what_its_tasks_cost(large):
    alone = scan_by_driver(large, 1, COSTS, BUDGET)
    scanning = large.entries * COSTS.entry
    assert alone.seconds == pytest.approx(scanning + alone.tasks * (COSTS.task + COSTS.scheduler))
    assert alone.utilisation > 0.98
    assert alone.seconds <= 1.03 * scanning + 2


def test_64_workers_are_busy_with_the_driver(large):
    assert scan_by_driver(large, 64, COSTS, BUDGET).utilisation >= 0.9


def test_64_workers_idle_if_the_tree_is_sliced(large):
    for level in (1, 2, 3):
        assert scan_in_slices(large, 64, level, COSTS).utilisation <= 0.1


@pytest.mark.parametrize("cost", [0.1, 0.2])
def test_tasks_that_hand_back_early_keep_64_workers_busy_where_tasks_are_expensive(cost):
    """As with 20 ms for each operation; 65 seconds are a short scan."""
    tree = Tree(200_000, 2500, 20_000)
    costs = Costs(entry=1 / 48, task=cost)
    asked = scan_by_driver(tree, 64, costs, BUDGET)
    assert asked.utilisation > 0.85
    assert asked.utilisation > scan_by_driver(tree, 64, costs, BUDGET, Splitting(early=False)).utilisation + 0.05


def test_64_workers_idle_if_paths_are_not_dealt():
    """Most batches are then names that were left over in one directory, which are little work."""
    tree = Tree(100_000_000, 100_000, 540_000)
    cut = scan_by_driver(tree, 64, COSTS, BUDGET, splitting=Splitting(dealt=False))
    dealt = scan_by_driver(tree, 64, COSTS, BUDGET)
    assert cut.tasks > 2 * dealt.tasks
    assert cut.utilisation < 0.6


def test_a_directory_that_cannot_be_split_keeps_the_others_waiting():
    tree = Tree(20_000_000, 5000, 10_000_000)
    split = scan_by_driver(tree, 16, COSTS, BUDGET)
    whole = scan_by_driver(tree, 16, COSTS, BUDGET, splitting=Splitting(names=False))
    assert whole.seconds >= 10_000_000 * COSTS.entry
    assert split.seconds < whole.seconds / 2


def test_the_state_of_the_driver_is_small_for_a_billion_entries():
    """An upper bound: the process also holds the tree and all rests. Tasks of 20,000 entries, a tenth of the usual."""
    program = """
import resource
from fleet_simulation import Budget, Costs, Tree, scan_by_driver
found = scan_by_driver(Tree(1_000_000_000, 1_000_000, 5_400_000), 64, Costs(), Budget(entries=20_000))
print(found.entries, found.tasks, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    entries, tasks, peak = map(int, ran.stdout.split())
    assert entries == 1_000_000_000
    assert tasks > 50_000
    assert peak < 2 << 30


def test_the_command_prints_every_way_of_a_small_tree():
    words = [sys.executable, str(PROGRAM), "--entries", "2000000", "--directories", "3000", "--largest", "150000",
             "--workers", "1,16"]
    found = json.loads(subprocess.run([*words, "--format", "json"], capture_output=True, check=True).stdout)
    assert [{outcome["entries"] for outcome in way} for way in found["outcomes"].values()] == [{2_000_000}] * 7
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert all(way in text for way in found["outcomes"])
