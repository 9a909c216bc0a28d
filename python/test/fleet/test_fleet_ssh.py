"""`fathom fleet` over real ssh, on hosts that can be switched off and whose links can be cut.

FATHOM_FLEET_LONG=1 also runs the tests that wait for time limits of connections.
"""

import os

import pytest

from fleet_fixtures import fixture_hosts
from fleet_machines import MachineFleet, check_that_a_killed_driver_leaves_nothing, real_fathom, says, takes_long
from test_fleet_cluster import (
    ENTRIES,
    KEPT,
    ended,
    fixture_fathom,
    fixture_large_tree,
    gone,
    kept_by_one_process,
    same,
    worker_of,
)
from waiting import until

__all__ = ["fixture_fathom", "fixture_hosts", "fixture_large_tree"]

psutil = pytest.importorskip("psutil")
pytest.importorskip("distributed")
pytest.importorskip("cryptography")


@pytest.fixture(name="fleet")
def fixture_fleet(hosts, tmp_path):
    fleet = MachineFleet(tmp_path, hosts.hub)
    fleet.words += ("--ssh", ",".join(hosts.names))
    yield fleet
    fleet.end()


@pytest.fixture(name="real")
def fixture_real(hosts, fathom, large_tree, tmp_path):
    """A fleet with the real command, and a tree."""
    fleet = MachineFleet(tmp_path, hosts.hub, real_fathom(), large_tree)
    fleet.words += ("--ssh", ",".join(hosts.names), "--budget", "20", "--store", str(tmp_path / "a"))
    yield fleet
    fleet.end()


def host_of(process, hosts):
    network = os.readlink(f"/proc/{process.pid}/ns/net")
    return next(name for name in hosts.names if network in hosts[name].namespaces())


def workers_on(host, hosts):
    listed = hosts[host].run(["ps", "-A", "-o", "args"]).stdout.splitlines()
    return [line for line in listed if line.endswith("-m fathom_fleet.worker")]


def check_bytes(fleet):
    joined, = (fleet.path / "a").glob("2*")
    same(joined, kept_by_one_process(real_fathom(), fleet.path / "b", fleet.root))


def test_three_hosts_share_a_scan(fleet):
    assert fleet.run(*fleet.words) == (0, KEPT, "")
    fleet.check()


def test_the_result_of_three_hosts_is_that_of_a_single_process(real):
    code, _, err = real.run(*real.words, root=real.root)
    assert (code, err) == (0, "")
    check_bytes(real)


def test_three_hosts_scan_their_own_disks(fleet):
    code, out, err = fleet.run(*fleet.words, "--each-host")
    assert (code, out, err) == (1, f"kept {3 * ENTRIES:,} entries of 3 of 3 hosts in {fleet.folder}/host=*\n", "")


def test_a_killed_driver_leaves_nothing_behind_on_the_hosts(fleet):
    check_that_a_killed_driver_leaves_nothing(fleet)


def test_a_lost_connection_costs_only_the_time_of_its_tasks(fleet, hosts):
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    scan = gate.next_scan()
    host = host_of(scan, hosts)
    connection, = (child for child in psutil.Process(driver.pid).children() if host in child.cmdline())
    connection.kill()
    gone(connection, scan)
    gate.open()
    code, out, err = ended(driver)
    assert (code, out) == (0, KEPT)
    assert f"fathom: {host}: the worker was lost (" in err
    fleet.check()


def test_a_host_that_is_switched_off_in_the_middle_changes_no_byte(real, hosts):
    gate = real.gate(first_part_passes=True)
    driver = real.start(*real.words, root=real.root)
    host = host_of(gate.next_scan(), hosts)
    hosts.power_off(host)
    said = says(driver, f"{host}: ")
    assert said.startswith(f"fathom: {host}: the worker was lost (")
    gate.open()
    assert ended(driver)[0] == 0
    check_bytes(real)


@takes_long
def test_a_host_whose_link_is_cut_in_the_middle_changes_no_byte(real, hosts):
    """What it had begun, it finishes: its parts are made a second time elsewhere, or are there already."""
    gate = real.gate(first_part_passes=True)
    driver = real.start(*real.words, root=real.root)
    scan = gate.next_scan()
    hosts.cut(host_of(scan, hosts))
    gate.open()
    gone(scan)
    assert ended(driver)[0] == 0
    check_bytes(real)


@takes_long
def test_a_host_whose_link_is_mended_gets_work_again(fleet, hosts):
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    scan = gate.next_scan()
    host, worker = host_of(scan, hosts), worker_of(scan)
    hosts.cut(host)
    says(driver, f"{host}: the worker was lost (")
    gone(scan, worker)
    hosts.mend(host)
    until(lambda: workers_on(host, hosts), "another worker")
    gate.open()
    assert ended(driver)[:2] == (0, KEPT)
    fleet.check()


def test_a_host_that_never_answers_is_named_and_left_out(fleet, hosts):
    hosts.cut("h2")
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    gate.next_scan()
    assert says(driver, "h2").startswith("fathom: h2: no worker could be started there (ssh: connect to host h2 ")
    gate.open()
    assert ended(driver)[:2] == (0, KEPT)
    fleet.check()
