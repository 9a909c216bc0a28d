"""`fathom fleet` on a real Slurm: a controller and two nodes."""

import pytest

from fleet_fixtures import fixture_slurm
from fleet_machines import MachineFleet, check_that_a_killed_driver_leaves_nothing
from test_fleet_cluster import KEPT, ROOT, ended, gone, worker_of

__all__ = ["fixture_slurm"]

pytest.importorskip("psutil")
pytest.importorskip("distributed")
pytest.importorskip("cryptography")


@pytest.fixture(name="fleet")
def fixture_fleet(slurm, tmp_path):
    fleet = MachineFleet(tmp_path, slurm.machine)
    fleet.words += ("--slurm", "--jobs", "2")
    yield fleet
    fleet.end()


def test_two_jobs_share_a_scan(fleet):
    assert fleet.run(*fleet.words) == (0, KEPT, "")
    fleet.check()


def test_inside_an_allocation_each_node_has_a_worker(fleet):
    process = fleet.launch(["salloc", "--quiet", "--nodes=2", fleet.programs / "fathom-fleet", "scan", ROOT, "--into",
                            fleet.folder, "--slurm"])
    fleet.running.append(process)
    assert ended(process) == (0, KEPT, "")
    fleet.check()


def test_a_cancelled_job_is_replaced(fleet, slurm):
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    scan = gate.next_scan()
    worker = worker_of(scan)
    slurm.run(["scancel", worker.environ()["SLURM_JOB_ID"]])
    gone(scan, worker)
    gate.open()
    code, out, err = ended(driver)
    assert (code, out) == (0, KEPT)
    assert "the worker was lost (" in err
    fleet.check()


def test_a_killed_driver_leaves_no_job_behind(fleet):
    check_that_a_killed_driver_leaves_nothing(fleet)
