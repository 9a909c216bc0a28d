"""The commands of docs/FLEET.md work on three hosts, as the document has them apart from its paths and hosts.

pip is not run: the programs of the package are there already. DuckDB is a Python package here; if it is missing, the
queries are skipped.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from fleet_fixtures import fixture_hosts
from fleet_machines import MachineFleet, real_fathom
from hosts import DATA
from test_fleet_cluster import fixture_fathom, kept_by_one_process, same

__all__ = ["fixture_fathom", "fixture_hosts"]

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs" / "FLEET.md").read_text(encoding="utf-8")
TOOLS = ROOT / "build" / "python-tools" / "bin" / "python"  # of the checks
QUERY = 'import csv, duckdb, sys; csv.writer(sys.stdout).writerows(duckdb.sql(sys.argv[2]).fetchall())'
LARGE, SMALL = 3 << 20, 1 << 20


def commands_of(section):
    block = re.search(rf"(?ms)^## {re.escape(section)}$.*?^```sh\n(.*?)^```$", DOCUMENT)
    return re.findall(r'(?ms)^\S(?:"[^"]*"|[^"\n])*$', block[1])


FIVE = commands_of("In five commands")
DISKS = commands_of("Each machine's own disks")


def python_with_duckdb():
    for python in (sys.executable, str(TOOLS)):
        if shutil.which(python) and subprocess.run([python, "-c", "import duckdb"], capture_output=True,
                                                   check=False).returncode == 0:
            return python
    return ""


@pytest.fixture(name="fleet")
def fixture_fleet(hosts, fathom, tmp_path):
    fleet = MachineFleet(tmp_path, hosts.hub, real_fathom())
    # The store of root is that of the real machine.
    fathom = fleet.programs / "fathom"
    fathom.rename(fleet.programs / "fathom-without-store")
    store = f"{tmp_path}/store"
    fleet.program("fathom", f"""case "$1 $*" in
  *--store*) ;;
  snapshot*|diff*|scan*@*) first=$1; shift; set -- "$first" --store {store} "$@" ;;
esac
exec {fathom}-without-store "$@\"""")
    fleet.program("duckdb", f"exec {python_with_duckdb()} -c '{QUERY}' \"$@\"")
    yield fleet
    fleet.end()


def local(command, fleet, paths):
    """The command with the paths and hosts of the test for those of the document."""
    places = {"node1,node2,node3": "h1,h2,h3", "$HOME/.local/share/fathom/snapshots": f"{fleet.path}/store", **paths}
    for one, other in places.items():
        command = re.sub(rf"(?<![\w/]){re.escape(one)}(?![\w])", str(other), command)
    assert not re.search(r"node\d|(?<!\S)/(data|srv|home|shared)\b", command)
    return command


def shown(command, fleet, paths):
    if command.startswith("duckdb") and not python_with_duckdb():
        pytest.skip("the Python package duckdb is missing")
    ran = fleet.machine.run(["sh", "-c", local(command, fleet, paths)], env=fleet.environment)
    assert ran.stderr == ""
    return ran.stdout


def test_it_is_five_commands():
    assert [command.split()[0] for command in FIVE] == ["pip", "fathom", "fathom", "fathom", "duckdb"]
    assert re.match(r"pip install \./fathom_fs-[\d.]+-\*\.whl cryptography distributed ", FIVE[0])
    assert [command.split()[0] for command in DISKS] == ["fathom", "duckdb"]


def test_the_five_commands_go_from_nothing_to_a_query(fleet, hosts):
    tree = fleet.path / "data"
    for number in range(30):
        (tree / f"d{number}").mkdir(parents=True)
        for other in range(20):
            (tree / f"d{number}" / f"f{other}.log").write_bytes(b"x")
    (tree / "d7" / "large.iso").write_bytes(b"x" * LARGE)
    paths = {"/data": tree, "/shared/scan": hosts.shared / "scan"}
    _, scan, largest, diff, query = FIVE
    assert re.match(r"kept \S+: 632 entries ", shown(scan, fleet, paths))
    assert re.search(rf" {tree}/d7\n", shown(largest, fleet, paths))
    assert shown(diff, fleet, paths).endswith("\nNo sizes changed.\n")
    assert "finished" in shown(f"fathom fleet status {paths['/shared/scan']}", fleet, {})
    kept, = (fleet.path / "store").glob("2*")
    same(kept, kept_by_one_process(real_fathom(), fleet.path / "b", tree))
    rows = shown(query, fleet, paths).splitlines()
    assert rows[0].split(",") == ["iso", str((tree / "d7" / "large.iso").stat().st_blocks * 512)]


def test_a_query_over_the_disks_of_all_hosts_has_a_row_for_each(fleet, hosts):
    for number, host in enumerate(hosts.names):
        for place, size in (("srv", LARGE), ("home", SMALL)):
            hosts.write(host, f"{place}/file", b"x" * size * (number + 1))
    paths = {"/shared/disks": hosts.shared / "disks", "/srv": DATA / "srv", "/home": DATA / "home"}
    scan, query = DISKS
    assert re.match(r"kept \d+ entries of 3 of 3 hosts in ", shown(scan, fleet, paths))
    disk = {}
    for host in hosts.names:
        summary = hosts[host].run([real_fathom(), "scan", "--summary", "--format", "json", paths["/srv"],
                                   paths["/home"]]).stdout
        disk[host] = json.loads(summary)["totals"]["disk_bytes"]
    assert len(set(disk.values())) == 3
    rows = dict(row.split(",") for row in shown(query, fleet, paths).splitlines())
    assert {host: int(size) for host, size in rows.items()} == disk
