"""What the machine cannot show: many workers and a billion entries, in the simulation of simulated_tree.py."""

import tracemalloc

import pytest

from fathom_fleet.part import Child, Part
from fathom_fleet.plan import Plan
from simulated_tree import SimulatedTree, simulate


@pytest.fixture(name="tree", scope="module")
def fixture_tree():
    """Half of it is below one child, and one directory has 5 million entries."""
    return SimulatedTree(1_000_000_000)


@pytest.mark.parametrize("workers", [8, 64])
def test_workers_are_busy(tree, workers):
    used, _ = simulate(tree, workers)
    assert used >= 0.9


def test_one_worker_loses_little_to_its_parts(tree):
    used, driver = simulate(tree, 1)
    seconds = tree.entries / 100_000
    assert seconds / used <= 1.03 * seconds + 2
    assert driver.plan.finished


def test_the_plan_of_a_billion_entries_is_small():
    parts = 25_000  # twice as many as the simulation needs
    tracemalloc.start()
    plan = Plan()
    for number in range(parts):
        work = plan.start(0.0)
        children = tuple(Child(f"{8 * number + index:016x}", work.id, index, 1) for index in range(8))
        plan.commit(Part(work.id, 40_000, 0, 1.0, "h", children))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert plan.entries == 1_000_000_000
    assert most < 1 << 28
