"""`fathom fleet` over real ssh: each host is an sshd of its own on this machine."""

import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys

import pytest

import fake_fathom
from test_fleet_cluster import ENTRIES, KEPT, Fleet, ended, gone, worker_of

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
HOSTS = ("h1", "h2", "h3")
# As root, sshd needs a directory in /run, which this machine need not have: a private /run has it.
PRIVATE_RUN = ("unshare", "--mount", "sh", "-c",
               'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"', "sh")
pytestmark = pytest.mark.skipif(SSHD is None or shutil.which("ssh-keygen") is None, reason="needs sshd and ssh-keygen")
psutil = pytest.importorskip("psutil")
pytest.importorskip("distributed")
pytest.importorskip("cryptography")


def free_port(address):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


def start_sshd(path, number):
    """An sshd that is ready, and the lines of the client's configuration for it."""
    address = f"127.0.0.{10 + number}"
    port = free_port(address)
    (path / f"sshd{number}").write_text(
        f"ListenAddress {address}\nPort {port}\nHostKey {path}/hostkey\nPidFile none\n"
        f"AuthorizedKeysFile {path}/id.pub\nUsePAM no\nPasswordAuthentication no\n"
        "PermitRootLogin prohibit-password\nStrictModes no\n")
    command = [SSHD, "-D", "-e", "-f", path / f"sshd{number}"]
    if os.geteuid() == 0:
        command = [*PRIVATE_RUN, *command]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    if "listening" not in line:
        process.kill()
        pytest.skip(f"sshd cannot run here: {line.strip() or process.stderr.read().strip()}")
    host_key = (path / "hostkey.pub").read_text().strip()
    with open(path / "known_hosts", "a", encoding="utf-8") as known:
        known.write(f"[{address}]:{port} {host_key}\n")
    return process, f"Host h{number + 1}\n  HostName {address}\n  Port {port}\n"


@pytest.fixture(name="hosts")
def fixture_hosts(tmp_path):
    fleet = Fleet(tmp_path)
    for name in ("id", "hostkey"):
        subprocess.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    servers, configuration = zip(*(start_sshd(tmp_path, number) for number in range(len(HOSTS))))
    (tmp_path / "config").write_text("".join(configuration) + f"Host *\n  User {pwd.getpwuid(os.geteuid()).pw_name}\n"
                                     f"  IdentityFile {tmp_path}/id\n  UserKnownHostsFile {tmp_path}/known_hosts\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "fathom").symlink_to(pathlib.Path(fake_fathom.__file__).resolve())
    ssh = shutil.which("ssh")
    package = pathlib.Path(__file__).resolve().parents[2]
    (programs / "ssh").write_text(f'#!/bin/sh\nexec {ssh} -F {tmp_path}/config "$@"\n')
    gate = f"{tmp_path}/gate"  # ssh does not pass the environment on
    (programs / "python").write_text(f'#!/bin/sh\n[ -d {gate} ] && export FAKE_FATHOM_GATE={gate}\n'
                                     f'PYTHONPATH={package} exec {sys.executable} "$@"\n')
    for name in ("ssh", "python"):
        (programs / name).chmod(0o755)
    fleet.environment["PATH"] = f"{programs}:{fleet.environment['PATH']}"
    fleet.words = ("--ssh", ",".join(HOSTS), "--python", str(programs / "python"))
    yield fleet
    for process in (*fleet.running, *servers):
        process.kill()
        process.communicate()


def test_three_hosts_share_a_scan(hosts):
    assert hosts.run(*hosts.words) == (0, KEPT, "")
    hosts.check()


def test_three_hosts_scan_their_own_disks(hosts):
    code, out, err = hosts.run(*hosts.words, "--each-host")
    assert (code, out, err) == (1, f"kept {3 * ENTRIES:,} entries of 3 of 3 hosts in {hosts.folder}/host=*\n", "")


def test_a_killed_driver_leaves_nothing_behind_on_the_hosts(hosts):
    gate = hosts.gate()
    driver = hosts.start(*hosts.words)
    scan = gate.next_scan()
    worker = worker_of(scan)
    driver.kill()
    gone(scan, worker)
    gate.open()
    assert hosts.run(*hosts.words, "--resume", root=None)[:2] == (0, KEPT)
    hosts.check()


def test_a_lost_connection_costs_only_the_time_of_its_tasks(hosts):
    gate = hosts.gate()
    driver = hosts.start(*hosts.words)
    scan = gate.next_scan()
    connections = [child for child in psutil.Process(driver.pid).children() if child.name() == "ssh"]
    assert len(connections) == len(HOSTS)
    connections[0].kill()
    gate.open()
    gone(connections[0])
    assert ended(driver)[:2] == (0, KEPT)
    gone(scan)
    hosts.check()
