"""Fixtures of pytest for tests of a fleet: slow filesystems, hosts, Slurm. Each skips its test, and says why, where it
may not run.

    # conftest.py, with this folder in PYTHONPATH
    from fleet_fixtures import *
"""

import os
import pathlib
from collections.abc import Callable, Iterator

import pytest

from hosts import Hosts
from hosts import why_not as hosts_why_not
from slow_mount import CannotMount, Mount, open_mount, why_not
from slurm import Slurm
from slurm import why_not as slurm_why_not

SLOWFS = os.environ.get("FATHOM_SLOWFS", "")
FATHOM = os.environ.get("FATHOM", "fathom")

__all__ = ["fixture_hosts", "fixture_slow", "fixture_slurm"]

Mounting = Callable[..., Mount]


@pytest.fixture(name="slow")
def fixture_slow(tmp_path: pathlib.Path) -> Iterator[Mounting]:
    """A function that mounts a tree with slowfs until the test ends: slow(tree, delay_us=5000)."""
    if reason := why_not(SLOWFS):
        pytest.skip(reason)
    mounts: list[Mount] = []

    def mount(tree: pathlib.Path, **flags: int) -> Mount:
        place = tmp_path / f"slow-{len(mounts)}"
        place.mkdir()
        try:
            mounts.append(open_mount(SLOWFS, tree, place, **flags))
        except CannotMount as why:
            pytest.skip(f"slowfs cannot mount here: {why}")
        return mounts[-1]

    yield mount
    for mounted in reversed(mounts):
        mounted.unmount()


@pytest.fixture(name="hosts")
def fixture_hosts(tmp_path: pathlib.Path) -> Iterator[Hosts]:
    """Three hosts: hosts.hub.run(["ssh", "h1", "hostname"])."""
    if reason := hosts_why_not():
        pytest.skip(reason)
    with Hosts(tmp_path / "hosts") as hosts:
        yield hosts


@pytest.fixture(name="slurm")
def fixture_slurm() -> Iterator[Slurm]:
    """A cluster of two nodes: slurm.run(["srun", "-N2", "hostname"])."""
    if reason := slurm_why_not():
        pytest.skip(reason)
    with Slurm() as slurm:
        yield slurm
