"""Hosts in namespaces: ssh, data of their own, links that are cut, hosts that fail, and what is left at the end."""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys

import pytest

import hosts as hosts_module
from fleet_fixtures import FATHOM
from hosts import DATA, Hosts
from machine import Machine, processes_in
from waiting import PATIENCE, until

SUPPORT = pathlib.Path(hosts_module.__file__).parent


def namespaces_of(hosts):
    return set().union(hosts.hub.namespaces(), *(hosts[name].namespaces() for name in hosts.names))


def quick_ssh(name):
    return ["ssh", "-o", "ConnectTimeout=2", name]


def test_ssh_reaches_each_host_and_its_own_data(hosts):
    for number, name in enumerate(hosts.names, 1):
        for file in range(number):
            hosts.write(name, f"folder/file-{file}", b"x" * 1000)
    for number, name in enumerate(hosts.names, 1):
        assert hosts.hub.run(["ssh", name, "hostname"]).stdout == f"{name}\n"
        printed = hosts.hub.run(["ssh", name, f"{shlex.quote(FATHOM)} scan --summary --format json {DATA}"]).stdout
        assert json.loads(printed)["totals"]["files"] == number


def test_all_hosts_see_the_shared_folder(hosts):
    hosts["h1"].run(["touch", hosts.shared / "from h1"])
    assert (hosts.shared / "from h1").exists()
    assert hosts.hub.run(["ssh", "h2", f"ls '{hosts.shared}'"]).stdout == "from h1\n"


def test_hosts_reach_each_other_by_name(hosts):
    ran = hosts["h1"].run(["ssh", "h2", "hostname"])
    assert ran.stdout == "h2\n"


def test_a_cut_link_is_noticed_and_can_be_mended(hosts):
    connection = hosts.hub.start([*quick_ssh("h2"), "-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=1",
                                  "echo begun; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
    with connection:
        assert connection.stdout.readline() == b"begun\n"
        hosts.cut("h2")
        assert hosts.hub.run([*quick_ssh("h2"), "true"], check=False).returncode == 255
        assert hosts["h2"].run(["hostname"]).stdout == "h2\n"  # it runs on
        assert hosts.hub.run(["ssh", "h1", "hostname"]).stdout == "h1\n"
        connection.stdin.close()
        assert connection.wait(timeout=PATIENCE) == 255
    hosts.mend("h2")
    until(lambda: hosts.hub.run([*quick_ssh("h2"), "true"], check=False).returncode == 0, "the link")


def test_a_host_without_power_loses_its_processes_and_comes_back_empty(hosts):
    hosts.write("h3", "file", b"content")
    connection = hosts.hub.start(["ssh", "h3", "echo begun; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
    with connection:
        assert connection.stdout.readline() == b"begun\n"
        hosts.power_off("h3")
        assert connection.wait(timeout=PATIENCE) == 255  # at once: the kernel closes the connection
    assert hosts.hub.run([*quick_ssh("h3"), "true"], check=False).returncode == 255
    hosts.power_on("h3")
    assert hosts.hub.run(["ssh", "h3", f"ls {DATA}"]).stdout == ""


def test_nothing_of_the_real_machine_changes(tmp_path):
    if reason := hosts_module.why_not():
        pytest.skip(reason)

    def state():  # not the mounts: other tests may make some
        links = [line.split(":")[0] for line in pathlib.Path("/proc/net/dev").read_text(encoding="ascii").splitlines()]
        return (pathlib.Path("/proc/self/ns/net").readlink(), links,
                os.uname().nodename, pathlib.Path("/etc/hosts").read_bytes(), sorted(os.listdir("/mnt")),
                os.path.exists("/run/netns") and sorted(os.listdir("/run/netns")))

    before = state()
    with Hosts(tmp_path / "hosts") as hosts:
        used = namespaces_of(hosts)
        hosts.write("h1", "file", b"")
        assert processes_in(used)
        assert state() == before
    assert not processes_in(used)
    assert state() == before


def test_nothing_is_left_if_the_tests_are_killed(tmp_path):
    if reason := hosts_module.why_not():
        pytest.skip(reason)
    program = f"""
import pathlib, sys
sys.path.insert(0, {str(SUPPORT)!r})
from hosts import Hosts
hosts = Hosts(pathlib.Path(sys.argv[1]))
hosts.hub.start(["ssh", "h1", "exec sleep infinity"])
hosts["h2"].start(["setsid", "sleep", "infinity"])
print(*set().union(hosts.hub.namespaces(), *(hosts[name].namespaces() for name in hosts.names)), flush=True)
sys.stdin.read()
"""
    tests = subprocess.Popen([sys.executable, "-c", program, tmp_path / "hosts"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    with tests:
        used = set(tests.stdout.readline().decode().split())
        assert len(processes_in(used)) > 6
        tests.kill()
    until(lambda: not processes_in(used), "the end of all processes")


def test_a_signal_reaches_the_program_itself(hosts):
    program = "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); print('on', flush=True)\n"
    started = hosts["h1"].start([sys.executable, "-c", program + "while True: signal.pause()"], stdout=subprocess.PIPE)
    with started:
        assert started.stdout.readline() == b"on\n"
        started.send_signal(signal.SIGTERM)
        assert started.wait(timeout=PATIENCE) == 7


def test_a_program_that_fails_says_so(hosts):
    with pytest.raises(RuntimeError, match="h1: .*exit code 3"):
        hosts["h1"].run(["sh", "-c", "exit 3"])


def test_processes_of_a_machine_see_only_each_other(tmp_path):
    if reason := hosts_module.why_not():
        pytest.skip(reason)
    with Machine("alone") as alone:
        assert alone.run(["sh", "-c", "ls -d /proc/[0-9]* | wc -l"]).stdout.strip() in ("2", "3", "4")
        assert alone.run(["hostname"]).stdout == "alone\n"
        assert alone.run(["sh", "-c", "echo $COLOUR; pwd"], env={"COLOUR": "red"}, cwd=tmp_path).stdout == \
            f"red\n{tmp_path}\n"
