"""`fathom fleet` with real workers: nothing is lost or left behind, whatever is killed, and nothing else listens."""

import asyncio
import contextlib
import datetime
import importlib.util
import json
import logging
import os
import pathlib
import re
import select
import shutil
import signal
import stat
import subprocess
import sys

import pytest

import fake_fathom
from fathom_fleet.engine import Outcome, Task
from fathom_fleet.errors import FleetError
from fathom_fleet.folder import Folder
from fathom_fleet.status import status
from fleet_fixtures import fixture_slow
from waiting import until

__all__ = ["fixture_slow"]

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("distributed", "cryptography")),
    reason="needs the Python packages distributed and cryptography")
psutil = pytest.importorskip("psutil")

PATIENCE = 120  # seconds
FAKE = str(pathlib.Path(fake_fathom.__file__).resolve())
ROOT = "/5/300"
ENTRIES = len(fake_fathom.tree_of(ROOT).walk()[0])
KEPT = f"kept {ENTRIES} entries\n"
SSH = """#!/bin/sh
# Hosts are this machine; those called dead do not answer, those called alone do not share the folder, and those called
# old have an older fathom.
for word; do
  case $word in -G) echo "hostname 127.0.0.1"; exit ;; --) shift; break ;; *) shift ;; esac
done
case $1 in
  dead*) echo "ssh: connect to host $1: no route" >&2; exit 255 ;;
  alone*) exec unshare --mount sh -c "mount -t tmpfs none $FAKE_FATHOM_HIDES && exec $2" ;;
  old*) export FAKE_FATHOM_VERSION="fathom 0" ;;
esac
shift; exec sh -c "$*"
"""


# A shell waits at $gate.
AT_GATE = 'echo $$ $(readlink /proc/self/ns/pid) >"$gate/started"; read -r _ <"$gate/hold"'


class Gate:
    """Scans wait at it until it is opened."""

    def __init__(self, path, first_part_passes=False):
        self.path = path
        path.mkdir()
        if first_part_passes:
            (path / "first-part-passes").touch()
        for name in ("started", "hold"):
            os.mkfifo(path / name)
        self.started = os.open(path / "started", os.O_RDWR)
        self.hold = os.open(path / "hold", os.O_RDWR)

    def next_scan(self):
        """Waits until a scan has begun, and returns its process."""
        line = b""
        while not line.endswith(b"\n"):
            readable, _, _ = select.select([self.started], [], [], PATIENCE)
            assert readable, "no scan has begun"
            line += os.read(self.started, 1)
        number, namespace = line.decode().split()
        return process_in(namespace, int(number))

    def open(self):
        """For more scans than a test has: each takes a byte."""
        os.write(self.hold, b"\n" * 4096)

    def close(self):
        """Nothing waits at it any more."""
        os.close(self.started)
        os.close(self.hold)


def process_in(namespace, number):
    """The process that has this number in a namespace of processes, which may be that of another machine."""
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            there = os.readlink(f"/proc/{process.pid}/ns/pid")
            numbers = re.search(r"(?m)^NSpid:(.*)$", pathlib.Path(f"/proc/{process.pid}/status").read_text("utf-8"))
            if there == namespace and int(numbers[1].split()[-1]) == number:
                return process
    raise AssertionError(f"process {number} is gone")


class Fleet:
    fathom = FAKE

    def __init__(self, path):
        self.path = path
        self.folder = path / "folder"
        self.environment = dict(os.environ, XDG_DATA_HOME=str(path / "data"))
        self.running = []
        self.gates = []
        self.words: tuple[str, ...] = ()  # where workers run

    def start(self, *words, root=ROOT, fathom=""):
        roots = [root] if root else []
        process = self.launch([sys.executable, "-m", "fathom_fleet", "scan", *roots, "--into", self.folder,
                               "--fathom", fathom or self.fathom, *words])
        self.running.append(process)
        return process

    def launch(self, words):
        return subprocess.Popen(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words, **more):
        return ended(self.start(*words, **more))

    def gate(self, **more):
        """For all scans."""
        gate = self.own_gate(**more)
        self.environment["FAKE_FATHOM_GATE"] = str(gate.path)
        return gate

    def own_gate(self, **more):
        """For scans and shells that a test sends there."""
        self.gates.append(Gate(self.path / "gate", **more))
        return self.gates[-1]

    def end(self):
        for process in self.running:
            process.kill()
        for gate in self.gates:
            gate.close()
        for process in self.running:
            process.communicate(timeout=PATIENCE)

    def check(self):
        wanted, _ = fake_fathom.tree_of(ROOT).walk()
        assert fake_fathom.join(self.folder) == (sorted(wanted), [])


def ended(process):
    """Exit code, standard output and standard error."""
    printed = process.communicate(timeout=PATIENCE)
    out, err = (text.decode() if isinstance(text, bytes) else text for text in printed)
    return process.returncode, out, err


def worker_of(scan):
    worker = scan.parent()
    assert "fathom_fleet.worker" in worker.cmdline()
    return worker


def gone(*processes):
    """Waits until none of them exists."""
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture(name="fleet")
def fixture_fleet(tmp_path):
    fleet = Fleet(tmp_path)
    yield fleet
    fleet.end()


def test_a_scan_finds_each_entry_once(fleet):
    assert fleet.run("--local", "4") == (0, KEPT, "")
    fleet.check()
    assert json.loads((fleet.folder / "finished.json").read_text())["exit_code"] == 0


def test_a_finished_scan_is_not_repeated(fleet):
    fleet.run("--local", "2")
    code, out, err = fleet.run("--resume", root=None)
    assert (code, out) == (0, "")
    assert re.fullmatch(rf"fathom: the scan in '.*' is finished: {ENTRIES} entries in \d+ parts?\n", err)
    code, _, err = fleet.run()
    assert code == 2 and "holds a scan already; continue it with '--resume'" in err


def test_a_finished_scan_can_be_kept_again(fleet):
    fleet.run("--local", "2")
    assert fleet.run("--resume", "--tag", "first", root=None) == (0, KEPT, "")
    shutil.rmtree(fleet.folder / "parts" / "root")
    for _ in range(2):
        code, out, err = fleet.run("--resume", "--tag", "first", root=None)
        assert (code, out) == (2, "")
        assert err == (f"fathom: the scan in '{fleet.folder}' is finished, and parts of it are gone, so that it cannot "
                       "be kept again\n")


def test_a_scan_does_not_continue_where_a_part_is_gone_that_others_continue(fleet):
    fleet.run("--local", "2")
    finished, parts = fleet.folder / "finished.json", fleet.folder / "parts"
    (parts / "notes").touch()  # not a part
    finished.unlink()
    assert fleet.run("--resume", root=None) == (0, KEPT, "")
    finished.unlink()
    shutil.rmtree(parts / "root")
    assert fleet.run("--resume", root=None) == (
        2, "", f"fathom: parts of the scan in '{fleet.folder}' are gone, and others continue them, so that it has to "
        "begin again in another directory\n")


@pytest.fixture(name="joining")
def fixture_joining(fleet):
    """A function that makes a command whose `snapshot` runs a script; and the gate of AT_GATE in the script."""
    gate = fleet.own_gate()

    def command(script):
        joining = fleet.path / "fathom"
        joining.write_text(f"#!/bin/sh\ngate='{gate.path}'\n"
                           f'[ "$1 $2" = "snapshot --parts={fleet.folder}" ] && {{ {script}; }}\nexec {FAKE} "$@"\n')
        joining.chmod(0o755)
        return joining

    return command, gate


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_parts_are_joined_ends_the_join_and_says_how_to_continue(fleet, joining, number):
    command, gate = joining
    driver = fleet.start("--local", "1", fathom=command(AT_GATE))
    join = gate.next_scan()
    driver.send_signal(number)
    code, out, err = ended(driver)
    assert (code, out) == (130, "")
    assert err == (f"fathom: to continue, run: fathom fleet scan --resume --into {fleet.folder} --local=1 "
                   f"--fathom={fleet.path}/fathom\nfathom: interrupted\n")
    gone(join)


def test_a_signal_after_the_snapshot_is_kept_changes_nothing(fleet, joining):
    command, gate = joining
    driver = fleet.start("--local", "1", fathom=command(f"echo kept; {AT_GATE}; exit"))
    join = gate.next_scan()
    driver.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, driver.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    gate.open()
    until(lambda: join.status() == psutil.STATUS_ZOMBIE, "the end of the join, which the driver does not see")
    driver.send_signal(signal.SIGTERM)
    driver.send_signal(signal.SIGCONT)
    assert ended(driver) == (0, "kept\n", "")
    assert json.loads((fleet.folder / "finished.json").read_text())["snapshot"] == "kept"


def test_a_join_that_fails_says_how_to_continue(fleet, joining):
    command, _ = joining
    code, out, err = fleet.run("--local", "1", fathom=command("echo 'fathom: nothing was kept' >&2; exit 2"))
    assert (code, out) == (2, "")
    assert err == ("fathom: nothing was kept\nfathom: to continue, run: fathom fleet scan --resume --into "
                   f"{fleet.folder} --local=1 --fathom={fleet.path}/fathom\n")


class Printing(Fleet):
    """Its driver prints to a descriptor."""

    standard_output = -1

    def launch(self, words):
        return subprocess.Popen(words, env=self.environment, stdout=self.standard_output, stderr=subprocess.PIPE,
                                text=True)


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize("where", ["/dev/full", "a closed pipe"])
def test_a_scan_is_finished_also_if_nobody_reads_what_it_prints(fleet, joining, exit_code, where):
    fleet.__class__ = Printing
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer if where == "a closed pipe" else where, "wb", buffering=0) as fleet.standard_output:
        code, _, err = fleet.run("--local", "1", fathom=joining[0](f"echo kept; exit {exit_code}"))
    if where == "/dev/full":
        assert (code, err) == (1, "fathom: cannot write to standard output: No space left on device\n")
        os.close(writer)
    else:
        assert (code, err) == (exit_code, "")
    assert state_of(fleet) == "finished"
    assert json.loads((fleet.folder / "finished.json").read_text())["exit_code"] == exit_code


def test_a_join_that_fails_has_its_exit_code_whatever_can_be_printed(fleet, joining):
    fleet.__class__ = Printing
    with open("/dev/full", "wb", buffering=0) as fleet.standard_output:
        code, _, err = fleet.run("--local", "1", fathom=joining[0]("echo text; exit 2"))
    assert code == 2 and "cannot write" not in err


def test_a_killed_worker_costs_only_the_time_of_its_tasks(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "2")
    scan = gate.next_scan()
    worker_of(scan).kill()
    gone(scan)
    gate.open()
    code, out, err = ended(driver)
    assert (code, out) == (0, KEPT)
    assert err.startswith("fathom: this machine: the worker was lost (")
    fleet.check()


def test_a_killed_driver_leaves_no_process_behind_and_its_scan_continues(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "2")
    scan = gate.next_scan()
    worker = worker_of(scan)
    driver.kill()
    gone(scan, worker)
    gate.open()
    code, out, _ = fleet.run("--resume", "--local", "2", root=None)
    assert (code, out) == (0, KEPT)
    fleet.check()


def test_a_killed_driver_leaves_no_join_behind_and_its_parts_are_joined_later(fleet, joining):
    command, gate = joining
    driver = fleet.start("--local", "1", fathom=command('export FAKE_FATHOM_GATE="$gate"'))
    join = gate.next_scan()
    assert "snapshot" in join.cmdline()
    driver.kill()
    gone(join)
    gate.open()
    assert fleet.run("--resume", "--local", "1", root=None) == (0, KEPT, "")
    fleet.check()


def test_a_scan_continues_with_a_slash_after_its_path(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "1")
    scan = gate.next_scan()
    driver.kill()
    gone(scan)
    gate.open()
    assert fleet.run("--resume", "--local", "1", root=f"{ROOT}/")[:2] == (0, KEPT)
    fleet.check()


def test_a_folder_inside_a_path_has_a_note_also_behind_a_link(fleet):
    tree, link = fleet.path / "tree", fleet.path / "link"
    tree.mkdir()
    link.symlink_to("tree")
    fleet.folder = tree / "folder"
    for root in (tree, f"{link}/"):
        assert f"fathom: '{fleet.folder}' is inside '{root}', so the parts of the scan will be in its result\n" in (
            fleet.run("--local", "1", root=root)[2])
    assert "is inside" not in fleet.run("--local", "1", root=link)[2]


def test_an_interrupt_ends_the_scans_and_says_how_to_continue(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "2")
    scan = gate.next_scan()
    driver.send_signal(signal.SIGINT)
    code, out, err = ended(driver)
    assert (code, out) == (130, "")
    assert err == (f"fathom: to continue, run: fathom fleet scan --resume --into {fleet.folder} --local=2 "
                   f"--fathom={FAKE}\nfathom: interrupted\n")
    gone(scan)


def test_a_second_driver_is_refused(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "1")
    gate.next_scan()
    code, _, err = fleet.run("--resume", root=None)
    assert (code, err) == (2, f"fathom: another `fathom fleet` is working on '{fleet.folder}'\n")
    gate.open()
    assert ended(driver)[0] == 0


def test_only_scheduler_and_workers_listen_and_only_on_loopback(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "2")
    worker = worker_of(gate.next_scan())
    for process in (psutil.Process(driver.pid), worker):
        listening = [one.laddr for one in process.net_connections("inet") if one.status == psutil.CONN_LISTEN]
        assert [address.ip for address in listening] == ["127.0.0.1"], process
    gate.open()
    assert ended(driver)[0] == 0


def test_a_stranger_cannot_connect(fleet):
    import distributed

    gate = fleet.gate()
    driver = fleet.start("--local", "1")
    gate.next_scan()
    port = next(one.laddr.port for one in psutil.Process(driver.pid).net_connections("inet")
                if one.status == psutil.CONN_LISTEN)
    own = distributed.Security.temporary()
    for address, security in ((f"tcp://127.0.0.1:{port}", None), (f"tls://127.0.0.1:{port}", own)):
        with pytest.raises(OSError):
            distributed.Client(address, security=security, timeout=3)
    gate.open()
    assert ended(driver)[0] == 0


def test_the_dashboard_listens_on_request_and_only_on_loopback(fleet):
    gate = fleet.gate()
    driver = fleet.start("--local", "1", "--dashboard")
    gate.next_scan()
    assert re.fullmatch(r"fathom: dashboard: http://127\.0\.0\.1:\d+/status\n", driver.stderr.readline())
    gate.open()
    assert ended(driver)[0] == 0


@pytest.fixture(name="hosts")
def fixture_hosts(fleet):
    """A fleet for which any host is this machine."""
    programs = fleet.path / "bin"
    programs.mkdir()
    (programs / "ssh").write_text(SSH)
    (programs / "ssh").chmod(0o755)
    (programs / "fathom").symlink_to(FAKE)
    fleet.environment["FAKE_FATHOM_HIDES"] = str(fleet.folder)
    fleet.environment["PATH"] = f"{programs}:{fleet.environment['PATH']}"
    return fleet


def test_a_host_that_cannot_be_used_is_named_and_costs_nothing_else(hosts):
    code, out, err = hosts.run("--ssh", "good,old", "--tasks", "2")
    assert (code, out) == (0, KEPT)
    assert err == "fathom: old gets no more work: it has fathom 0, and this machine has fathom 0.0.0-fake\n"
    hosts.check()


def test_without_any_usable_host_nothing_is_done(hosts):
    code, _, err = hosts.run("--ssh", "old1,old2")
    assert code == 2
    assert "fathom: no worker is left; old" in err


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a private mount")
def test_a_host_that_does_not_share_the_folder_is_named(hosts):
    code, out, err = hosts.run("--ssh", "good,alone", "--tasks", "2")
    assert (code, out) == (0, KEPT)
    assert err == (f"fathom: alone gets no more work: it does not see '{hosts.folder}', which all workers must share "
                   "with this machine\n")


def test_a_host_that_never_comes_is_given_up(hosts):
    from fathom_fleet.launcher import Launcher
    from fathom_fleet.place import Place

    told = []

    async def run():
        launcher = Launcher([Place("dead", (str(hosts.path / "bin" / "ssh"), "--", "dead"), 1, patience=0.0)],
                            lambda place, number: "", told.append)
        launcher.start()
        await asyncio.wait_for(asyncio.gather(*launcher._keepers), PATIENCE)
        assert launcher.hopeless
        await launcher.stop()

    asyncio.run(run())
    assert told == ["dead gets no more work: no worker could be started there (ssh: connect to host dead: no route)"]


def test_each_host_has_its_own_snapshot(hosts):
    code, out, err = hosts.run("--ssh", "me@h1,h2", "--each-host")
    assert (out, err) == (f"kept {2 * ENTRIES:,} entries of 2 of 2 hosts in {hosts.folder}/host=*\n", "")
    assert code == 1  # something in the tree is unreadable
    wanted = os.fsencode("\n".join(sorted(fake_fathom.tree_of(ROOT).walk()[0])))
    assert [(hosts.folder / f"host={name}" / "entries.parquet").read_bytes() for name in ("h1", "h2")] == [wanted] * 2
    assert not list(hosts.folder.glob(".tmp-*"))
    check_that_only_the_user_may_read(hosts.folder)


def check_that_only_the_user_may_read(folder):
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    assert modes == {path: 0o700 if path.is_dir() else 0o600 for path in modes}


def test_a_host_that_fails_is_named_and_can_be_scanned_later(hosts):
    code, out, err = hosts.run("--ssh", "h1,old", "--each-host")
    assert (code, out) == (1, f"kept {ENTRIES:,} entries of 1 of 2 hosts in {hosts.folder}/host=*\n")
    assert err.endswith("old: it has fathom 0, and this machine has fathom 0.0.0-fake; given up\n")
    code, out, err = hosts.run("--ssh", "h1,new", "--resume", "--each-host", root=None)
    assert (code, out) == (1, f"kept {2 * ENTRIES:,} entries of 2 of 2 hosts in {hosts.folder}/host=*\n")


@pytest.mark.parametrize("damage", [
    lambda meta: meta.write_bytes(meta.read_bytes()[:-5]),
    lambda meta: meta.write_bytes(b""),
    lambda meta: meta.write_bytes(b"\xff"),
    lambda meta: meta.write_bytes(b"[]"),
    lambda meta: meta.write_bytes(b'{"totals": {}}'),
    lambda meta: meta.write_bytes(b'{"totals": {"entries": 1e999}, "errors": 0}'),
    lambda meta: meta.write_bytes(b"[" * 200_000),
    pathlib.Path.unlink,
    lambda meta: (shutil.move(meta.parent, meta.parents[2] / "elsewhere") and meta.parent.symlink_to("../elsewhere"))
    or (meta.parent / "meta.json").unlink(),
], ids=["cut off", "empty", "not UTF-8", "a list", "without entries", "infinite", "nested", "missing", "behind a link"])
def test_a_host_whose_snapshot_is_damaged_is_scanned_again(hosts, damage):
    assert hosts.run("--ssh", "h1", "--each-host")[0] == 1
    kept = contents(hosts.folder)
    damage(hosts.folder / "host=h1" / "meta.json")
    code, out, err = hosts.run("--ssh", "h1", "--resume", "--each-host", root=None)
    assert (code, out) == (1, f"kept {ENTRIES:,} entries of 1 of 1 hosts in {hosts.folder}/host=*\n")
    assert err == f"fathom: h1: its snapshot '{hosts.folder}/host=h1' is damaged; scanning it again\n"
    assert contents(hosts.folder) == kept
    assert not list(hosts.folder.glob(".tmp-*"))


def test_a_host_whose_snapshot_cannot_be_read_is_not_scanned_again(hosts):
    assert hosts.run("--ssh", "h1", "--each-host")[0] == 1
    meta = hosts.folder / "host=h1" / "meta.json"
    meta.unlink()
    meta.symlink_to(meta)
    kept = contents(hosts.folder)
    message = f"fathom: cannot read '{meta}': Too many levels of symbolic links\n"
    assert hosts.run("--ssh", "h1", "--resume", "--each-host", root=None) == (2, "", message)
    assert contents(hosts.folder) == kept
    shown = ended(hosts.launch([sys.executable, "-m", "fathom_fleet", "status", hosts.folder]))
    assert shown == (2, "", message)


def test_the_scan_of_a_host_ends_with_its_worker_and_is_repeated(hosts):
    temporary = hosts.path / "tmp"
    temporary.mkdir()
    hosts.environment["TMPDIR"] = str(temporary)
    gate = hosts.gate()
    driver = hosts.start("--ssh", "h1", "--each-host")
    scan = gate.next_scan()
    worker_of(scan).kill()
    gone(scan)
    gate.open()
    code, out, err = ended(driver)
    assert (code, out) == (1, f"kept {ENTRIES:,} entries of 1 of 1 hosts in {hosts.folder}/host=*\n")
    assert err == "fathom: h1: the worker was lost (Killed); starting it again\n"
    assert not list(temporary.glob("fathom-fleet-*"))


def test_a_scan_of_hosts_is_resumed_only_on_hosts_and_only_into_its_folder(hosts):
    assert hosts.run("--ssh", "h1,old", "--each-host")[0] == 1
    before = contents(hosts.folder)
    for words, message in (
            ((), "option '--each-host' needs '--ssh HOSTS' or '--slurm'"),
            (("--max-ops", "10"), "option '--each-host' needs '--ssh HOSTS' or '--slurm'"),
            (("--scheduler", "tcp://127.0.0.1:1"), "option '--each-host' needs '--ssh HOSTS' or '--slurm'"),
            (("--ssh", "h1", "--tag", "t"), "options '--store' and '--tag' do not work with '--each-host'; the "
             "snapshots are in FOLDER")):
        assert hosts.run("--resume", *words, root=None) == (2, "", f"fathom: {message}\n")
    assert contents(hosts.folder) == before


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_advice_of_an_interrupted_scan_keeps_what_the_folder_does_not_know(hosts):
    hosts.folder = hosts.path / os.fsdecode(b"it's \xff")
    options = ["--ssh=h1,h2", "--tasks=1", "--address=127.0.0.1", f"--fathom={FAKE}", "--threads=3", "--nice",
               "--max-ops=9", "--budget=5s", "--task-limit=60", f"--store={hosts.path}/a b", "--tag=it's", "--plain",
               "--progress=never"]
    gate = hosts.gate()
    driver = hosts.start(*options, "--exclude=*.o", "--newer=7d")
    gate.next_scan()
    driver.send_signal(signal.SIGINT)
    code, _, err = ended(driver)
    advice = re.search(r"(?m)^fathom: to continue, run: (.*)$", err)[1]
    words = subprocess.run(["bash", "-c", f"printf '%s\\n' {advice}"], capture_output=True, check=True).stdout
    assert (code, os.fsdecode(words).splitlines()) == (
        130, ["fathom", "fleet", "scan", "--resume", "--into", str(hosts.folder), *options])


def test_a_path_that_no_host_has_is_an_error(hosts):
    code, _, err = hosts.run("--ssh", "h1", "--each-host", root="/nowhere")
    assert (code, err) == (2, "fathom: h1: '/nowhere' does not exist; given up\n")


def test_the_part_of_a_worker_that_hangs_goes_elsewhere(fleet, monkeypatch):
    import dask

    from fathom_fleet.cluster import OwnCluster
    from fathom_fleet.engine import Task
    from fathom_fleet.place import local
    from fathom_fleet.versions import versions

    gate = fleet.gate()
    monkeypatch.setenv("FAKE_FATHOM_GATE", str(gate.path))
    (fleet.folder / "parts").mkdir(parents=True)
    argv = (FAKE, "scan", "--shard", f"--into={fleet.folder}", "--budget=100000", "--die-with-parent", ROOT)
    told = []

    async def run():
        async with OwnCluster(local(1), FAKE, versions(FAKE), "127.0.0.1", told.append) as cluster:
            cluster.submit(Task("root-1", argv, 600))
            worker = worker_of(await asyncio.to_thread(gate.next_scan))
            worker.suspend()
            await cluster.abandon("root-1")
            gate.open()
            cluster.submit(Task("root-2", argv, 600))
            ended = {}
            while "root-2" not in ended:
                ended |= {outcome.key: outcome.code for outcome in await cluster.outcomes(PATIENCE)}
            return worker, ended

    try:
        worker, ended = asyncio.run(run())
    finally:
        dask.config.refresh()
    assert ended["root-2"] == 1  # something in the tree is unreadable
    assert told[0] == "this machine: the worker does not answer; starting another one"
    gone(worker)
    fleet.check()


def test_a_task_that_only_lost_workers_may_run_is_lost():
    from fathom_fleet.cluster import Cluster

    class OneWorkerLeft(Cluster):
        async def _there(self):
            return {"tcp://127.0.0.1:2": 1}

    async def outcome():
        import distributed

        cluster = OneWorkerLeft(print)
        cluster._workers = {"tcp://127.0.0.1:1": 1}
        cluster._excluded = {"tcp://127.0.0.1:2"}
        no_workers = distributed.LocalCluster(n_workers=0, processes=False, asynchronous=True, dashboard_address=None)
        async with no_workers as local:
            cluster._client = await distributed.Client(local, asynchronous=True)
            cluster.submit(Task("task", ("true",), limit=600))
            await cluster._begin()
            try:
                while not (ended := await cluster.outcomes(PATIENCE)):
                    pass
            finally:
                await cluster._end()
        return ended

    assert asyncio.run(outcome()) == [Outcome("task", None, "the task was lost")]


def test_the_end_of_a_scan_ends_its_own_tasks_and_not_those_of_others_on_the_scheduler(tmp_path):
    import distributed

    from fathom_fleet.cluster import ForeignCluster
    from fathom_fleet.versions import versions

    gate = Gate(tmp_path / "gate")

    def task(key):
        return Task(key, ("sh", "-c", f"gate='{gate.path}'; {AT_GATE}"), limit=600)

    def driver(local):
        return ForeignCluster(local.scheduler_address, None, FAKE, versions(FAKE), lambda message: None)

    async def run():
        workers = distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, asynchronous=True,
                                           dashboard_address=None)
        async with workers as local, driver(local) as one:
            one.submit(task("one"))
            await asyncio.to_thread(gate.next_scan)
            async with driver(local) as other:
                other.submit(task("other"))
                abandoned = await asyncio.to_thread(gate.next_scan)
                await other.abandon("other")
            gone(abandoned)
            gate.open()
            while not (ended := await one.outcomes(PATIENCE)):
                pass
            return [(outcome.key, outcome.code) for outcome in ended]

    assert asyncio.run(run()) == [("one", 0)]
    gate.close()


def test_workers_are_gone_only_when_a_scheduler_leaves_several_questions_unanswered():
    from fathom_fleet.cluster import ForeignCluster

    cluster = ForeignCluster("tcp://127.0.0.1:1", None, FAKE, {}, print)
    answers = [{"one": 2}, OSError(), OSError(), {"one": 2}, OSError(), OSError(), OSError()]

    class Client:
        scheduler = property(lambda self: self)

        async def ncores(self):
            answer = answers.pop(0)
            if isinstance(answer, OSError):
                raise answer
            return answer

    async def looks():
        cluster._client = Client()
        return [await cluster._there() for _ in list(answers)]

    assert asyncio.run(looks()) == [*[{"one": 2}] * 6, {}]


def test_a_lost_scheduler_ends_the_scan_in_a_sentence_and_dask_writes_nothing(monkeypatch):
    from fathom_fleet import cluster
    from fathom_fleet.quiet import QuietScheduler

    written = []
    logger = logging.getLogger("distributed.client")
    logger.setLevel(logging.INFO)
    monkeypatch.setattr(logger, "handle", written.append)
    monkeypatch.setattr(cluster, "_ANSWER", 1.0)  # seconds for which the client tries to connect again

    async def lose():
        scheduler = await QuietScheduler(host="127.0.0.1", port=0, dashboard=False)
        async with cluster.ForeignCluster(scheduler.address, None, FAKE, {}, print) as foreign:
            foreign._workers = {"tcp://127.0.0.1:1": 2}
            foreign.submit(Task("task", ("true",), limit=600))
            await scheduler.close()
            found = []
            with pytest.raises(FleetError, match=f"the connection to the scheduler '{scheduler.address}' was lost"):
                while True:
                    found += await foreign.outcomes(patience=0.1)
            assert foreign.slots() == 0
        return found

    assert asyncio.run(lose()) == [Outcome("task", None, "the task was lost")]
    assert written == []


def test_an_address_at_which_nothing_can_listen_is_an_error(fleet):
    code, out, err = fleet.run("--local", "1", "--address", "192.0.2.1")
    assert (code, out) == (2, "")
    assert re.fullmatch(r"fathom: cannot listen at the address '192\.0\.2\.1': .*Cannot assign requested address\n",
                        err)
    assert fleet.run("--local", "1", "--address", "foo")[0] == 2


def test_a_path_that_does_not_exist_is_an_error(fleet):
    code, _, err = fleet.run("--local", "1", root="/nowhere")
    assert (code, err) == (2, "fathom: '/nowhere' does not exist\n")
    assert fleet.run("--local", "1")[:2] == (0, KEPT)


def test_the_rules_of_a_file_are_those_of_the_beginning(fleet):
    rules = fleet.path / "rules"
    rules.write_text("*.o\n")
    gate = fleet.gate()
    driver = fleet.start("--local", "1", "--exclude-from", rules, "--newer", "7d")
    assert f"--exclude-from={fleet.folder}/exclude-from-0" in gate.next_scan().cmdline()
    check_that_only_the_user_may_read(fleet.folder)
    driver.kill()
    gate.open()
    rules.write_text("*.a\n")
    assert (fleet.folder / "exclude-from-0").read_text() == "*.o\n"
    code, _, err = fleet.run("--resume", "--exclude-from", rules)
    assert (code, err) == (2, f"fathom: the scan in '{fleet.folder}' was asked for with "
                           f"--exclude-from={fleet.folder}/exclude-from-0 {newer_of(fleet)}\n")
    assert fleet.run("--local", "1", "--resume", root=None)[:2] == (0, KEPT)


def test_a_scan_with_rules_continues_in_its_folder_behind_a_link(fleet):
    rules, link = fleet.path / "rules", fleet.path / "link"
    rules.write_text("*.o\n")
    link.symlink_to("folder")
    gate = fleet.gate()
    driver = fleet.start("--local", "1", "--exclude-from", rules)
    scan = gate.next_scan()
    worker = worker_of(scan)
    driver.kill()
    gone(scan, worker)
    gate.open()
    fleet.folder = link
    code, out, _ = fleet.run("--resume", "--local", "1", "--exclude-from", rules)
    assert (code, out) == (0, KEPT)
    fleet.check()


def test_the_same_command_continues_a_scan_whose_moments_are_relative_also_a_week_later(fleet):
    fleet.environment["TZ"] = "UTC"
    command = ("--local", "1", "--newer", "7d", "--older", "today")
    gate = fleet.gate()
    driver = fleet.start(*command)
    scan = gate.next_scan()
    worker = worker_of(scan)
    driver.kill()
    gone(scan, worker)
    gate.open()
    make_a_week_older(fleet.folder / "fleet.json")
    code, _, err = fleet.run("--resume", *command, "--newer", "8d")
    assert code == 2 and "was asked for with --newer=@" in err
    assert fleet.run("--resume", *command)[:2] == (0, KEPT)
    fleet.check()


def make_a_week_older(request):
    """As if the scan had begun a week earlier."""
    week = datetime.timedelta(days=7)
    asked = json.loads(request.read_text())
    asked["began"] = (datetime.datetime.fromisoformat(asked["began"]) - week).isoformat()
    moments = [flag.split("@") for flag in asked["flags"]]
    asked["flags"] = [f"{name}@{int(moment) - int(week.total_seconds())}" for name, moment in moments]
    request.write_text(json.dumps(asked))


def newer_of(fleet):
    return json.loads((fleet.folder / "fleet.json").read_text())["flags"][1]


def test_an_existing_scheduler_can_be_used(fleet):
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster:
        file = fleet.folder.with_name("scheduler.json")
        file.write_text(json.dumps({"address": cluster.scheduler_address}))
        for where in (("--scheduler", cluster.scheduler_address), ("--scheduler-file", file)):
            fleet.folder = fleet.folder.with_name(where[0])
            assert fleet.run(*where) == (0, KEPT, "")
            fleet.check()


def has_parts(fathom):
    with contextlib.suppress(OSError):
        ran = subprocess.run([fathom, "scan", "--help"], capture_output=True, text=True, check=False)
        return "--shard" in ran.stdout
    return False


@pytest.fixture(name="fathom")
def fixture_fathom():
    fathom = os.environ["FATHOM"]
    if not has_parts(fathom):
        pytest.skip(f"{fathom} is built without fathom scan --shard")
    return fathom


@pytest.fixture(name="large_tree")
def fixture_large_tree(tree):
    """With bytes that are not UTF-8 in the name of its root, and hard links between directories."""
    for number in range(40):
        (tree / "projects" / f"d{number}").mkdir()
        for other in range(20):
            (tree / "projects" / f"d{number}" / f"f{other}").write_bytes(b"x" * number)
        os.link(tree / "projects" / "d0" / "f0", tree / "projects" / f"d{number}" / "again")
    return tree.rename(tree.with_name(os.fsdecode(b"tree \xff")))


def same(one, other):
    for name in ("entries.parquet", "dirs.parquet", "errors.parquet"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def kept_by_one_process(fathom, store, tree, *flags):
    subprocess.run([fathom, "snapshot", "--store", store, *flags, tree], check=True, capture_output=True)
    snapshot, = store.glob("2*")
    return snapshot


def test_the_result_is_that_of_a_single_process(fleet, large_tree, fathom):
    code, out, err = fleet.run("--local", "2", "--budget", "50", "--store", fleet.path / "a", root=large_tree,
                               fathom=fathom)
    assert (code, err) == (0, "")
    assert out.startswith("kept ")
    assert len(list((fleet.folder / "parts").iterdir())) > 5
    joined, = (fleet.path / "a").glob("2*")
    same(joined, kept_by_one_process(fathom, fleet.path / "b", large_tree))


@pytest.mark.parametrize("selection", [("--type", "file,link", "--ext", "TXT,bin", "--ext=log"), ("--type=d",)])
def test_the_result_of_a_selection_is_that_of_a_single_process(fleet, large_tree, fathom, selection):
    code, _, err = fleet.run(*selection, "--local", "2", "--budget", "50", "--store", fleet.path / "a", root=large_tree,
                             fathom=fathom)
    assert (code, err) == (0, "")
    joined, = (fleet.path / "a").glob("2*")
    kept = kept_by_one_process(fathom, fleet.path / "b", large_tree, *selection)
    same(joined, kept)
    assert selection_of(joined) == selection_of(kept)


def selection_of(snapshot):
    return json.loads((snapshot / "meta.json").read_bytes())["selection"]


@pytest.mark.parametrize("exit_code, more", [(0, ()), (1, ("/nowhere",))])
def test_a_snapshot_that_the_store_has_already_is_kept(fleet, large_tree, fathom, exit_code, more):
    where = ("--local", "1", "--store", fleet.path / "a", "--tag", "first")
    assert fleet.run(*more, *where, root=large_tree, fathom=fathom)[0] == exit_code
    kept, = (fleet.path / "a").glob("2*")
    finished = fleet.folder / "finished.json"
    before = finished.read_bytes()
    again = (exit_code, "", f"fathom: {kept.parent} has this snapshot already: {kept.name}\n")
    assert fleet.run(*where, "--resume", root=None, fathom=fathom) == again
    assert finished.read_bytes() == before
    finished.unlink()  # as if the driver had been killed when the snapshot was kept
    assert fleet.run(*where, "--resume", root=None, fathom=fathom) == again
    assert json.loads(finished.read_text())["exit_code"] == exit_code


def test_a_path_that_a_link_leads_to_is_scanned_too(fleet, large_tree, fathom):
    (fleet.path / "outside").mkdir()
    (fleet.path / "outside" / "file").touch()
    (large_tree / "way").symlink_to(fleet.path)
    roots = (large_tree, large_tree / "way" / "outside")
    code, _, err = fleet.run(roots[1], "--local", "2", "--store", fleet.path / "a", root=roots[0], fathom=fathom)
    assert (code, err) == (0, "")
    joined, = (fleet.path / "a").glob("2*")
    kept = kept_by_one_process(fathom, fleet.path / "b", *roots)
    one, other = (json.loads((snapshot / "meta.json").read_bytes()) for snapshot in (joined, kept))
    assert (one["roots"], one["totals"]) == (other["roots"], other["totals"])


@pytest.mark.parametrize("option, message", [
    ("--tag=a b", "option '--tag' takes up to 64 letters, digits and . _ + - that are not a date, an age or 'latest', "
     "not 'a b'"),
    ("--tag=", "option '--tag' needs a value"),
    ("--store=HERE", "HERE is not a store of snapshots: it has no file fathom-store"),
    ("--store=HERE/link/store", "cannot write to HERE/link/store: Too many levels of symbolic links"),
])
def test_a_snapshot_that_cannot_be_kept_is_refused_before_the_scan(fleet, fathom, option, message):
    here = fleet.path / "here"
    here.mkdir()
    (here / "link").symlink_to("link")
    option, message = (text.replace("HERE", str(here)) for text in (option, message))
    assert fleet.run("--local", "1", option, root=here, fathom=fathom) == (2, "", f"fathom: {message}\n")
    assert not fleet.folder.exists()


@pytest.fixture(name="small_disk")
def fixture_small_disk(tmp_path):
    """A filesystem that is soon full."""
    place = tmp_path / "small disk"
    place.mkdir()
    ran = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", place], capture_output=True, text=True,
                         check=False)
    if ran.returncode != 0:
        pytest.skip(f"cannot mount a filesystem here: {ran.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_ends_the_scan_which_continues_when_there_is_room(fleet, small_disk, large_tree, fathom):
    fleet.folder = small_disk / "folder"
    store = fleet.path / "a"
    where = ("--local", "2", "--budget", "20", "--store", store)
    code, out, err = fleet.run(*where, root=large_tree, fathom=fathom)
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"fathom: nothing more can be added to '{fleet.folder}': cannot (write|create) .*: No space "
                        r"left on device on .*; '--resume' continues", err.splitlines()[-1])
    assert not list(store.glob("2*")), "what is left is not the whole tree"
    assert state_of(fleet) == "interrupted"
    subprocess.run(["mount", "-o", "remount,size=100m", small_disk], check=True)
    code, _, err = fleet.run(*where, "--resume", root=None, fathom=fathom)
    assert (code, len(err.splitlines())) == (0, 1), err
    joined, = store.glob("2*")
    same(joined, kept_by_one_process(fathom, fleet.path / "b", large_tree))


def state_of(fleet):
    return status(Folder(fleet.folder))["state"]


@pytest.mark.parametrize("end", ["/", "/."])
def test_a_slash_after_a_link_means_its_target(fleet, large_tree, fathom, end):
    link = fleet.path / "link"
    link.symlink_to(large_tree)
    code, _, err = fleet.run("--local", "2", "--budget", "50", "--store", fleet.path / "a", root=f"{link}{end}",
                             fathom=fathom)
    assert (code, err) == (0, "")
    joined, = (fleet.path / "a").glob("2*")
    same(joined, kept_by_one_process(fathom, fleet.path / "b", f"{link}/"))


def test_a_link_to_a_directory_is_not_followed_and_has_a_note(fleet, large_tree, fathom):
    link = fleet.path / "link"
    link.symlink_to(large_tree)
    code, out, err = fleet.run("--local", "2", "--store", fleet.path / "a", root=link, fathom=fathom)
    assert code == 0 and ": 1 entry " in out
    assert err == f"fathom: {link} is a symbolic link and is not followed; its target is {link}/\n"


def test_the_link_of_a_host_is_followed_if_a_slash_is_after_it(hosts, large_tree, fathom):
    (hosts.path / "bin" / "fathom").unlink()
    (hosts.path / "bin" / "fathom").symlink_to(fathom)
    link = hosts.path / "link"
    link.symlink_to(large_tree)
    other = link.with_name("other")
    other.symlink_to(large_tree)
    code, out, err = hosts.run(other, "--ssh", "h1", "--each-host", root=link, fathom=fathom)
    assert (code, out.split()[1]) == (0, "2")
    assert err == "".join(f"fathom: h1: {one} is a symbolic link and is not followed; its target is {one}/\n"
                          for one in (link, other))
    hosts.folder = hosts.path / "another"
    assert hosts.run("--ssh", "h1", "--each-host", root=f"{link}/", fathom=fathom)[::2] == (0, "")
    same(hosts.folder / "host=h1", kept_by_one_process(fathom, hosts.path / "b", f"{link}/"))


def test_all_that_a_host_could_not_read_can_be_listed(hosts, large_tree, fathom):
    (hosts.path / "bin" / "fathom").unlink()
    (hosts.path / "bin" / "fathom").symlink_to(fathom)
    missing = [f"/nowhere{number}" for number in range(5)]
    code, _, err = hosts.run(*missing, "--ssh", "h1", "--each-host", root=large_tree, fathom=fathom)
    said = [f"fathom: h1: cannot open {path}: No such file or directory" for path in missing[:3]]
    command = f"fathom scan --from {hosts.folder}/host=h1 --errors"
    assert (code, err.splitlines()) == (
        1, [*said, f"fathom: h1: 5 entries could not be read; {command} lists them all"])
    listed = subprocess.run(command.split(), executable=fathom, capture_output=True, text=True, check=False).stdout
    assert all(path in listed for path in missing)


def test_a_task_hands_back_long_before_its_budget_while_another_slot_is_idle(fleet, slow, large_tree, fathom):
    mount = slow(large_tree, delay_us=5000)
    code, _, err = fleet.run("--local", "2", "-j", "1", "--budget", "600s", "--store", fleet.path / "a",
                             root=mount.place, fathom=fathom)
    assert (code, err) == (0, "")
    assert committed(fleet.folder / "parts") > 1
    joined, = (fleet.path / "a").glob("2*")
    same(joined, kept_by_one_process(fathom, fleet.path / "b", mount.place))


def test_the_result_is_the_same_when_workers_are_killed(fleet, slow, large_tree, fathom):
    """In the middle of scans, which hang while nothing answers them."""
    mount = slow(large_tree, delay_us=5000, remember=600)  # the driver asks whether the root is a link
    parts = fleet.folder / "parts"
    mount.hold()
    driver = fleet.start("--local", "2", "--budget", "20", "--store", fleet.path / "a", root=mount.place, fathom=fathom)
    for kill in range(3):
        scan, worker = until(lambda: scan_and_worker_of(driver), "a scan")
        worker.kill()
        gone(worker)
        done = committed(parts)
        mount.go_on()
        gone(scan)
        if kill < 2:
            until(lambda: committed(parts) > done, "another part")
            mount.hold()
    code, out, err = ended(driver)
    assert (code, out[:5]) == (0, "kept ")
    assert err.count("fathom: this machine: the worker was lost (") == 3
    joined, = (fleet.path / "a").glob("2*")
    same(joined, kept_by_one_process(fathom, fleet.path / "b", mount.place))


def scan_and_worker_of(driver):
    """A process that scans, and its worker. None if all of them end meanwhile, as the answered ones do."""
    for scan in scans_of(driver):
        with contextlib.suppress(psutil.NoSuchProcess):
            return scan, worker_of(scan)
    return None


def scans_of(driver):
    """The processes that scan."""
    found = []
    for process in psutil.Process(driver.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if "--shard" in process.cmdline():
                found.append(process)
    return found


def committed(parts):
    return len(list(parts.glob("[!.]*")))


def test_the_snapshot_of_a_host_is_that_of_a_single_process(hosts, large_tree, fathom):
    (hosts.path / "bin" / "fathom").unlink()
    (hosts.path / "bin" / "fathom").symlink_to(fathom)
    code, _, err = hosts.run("--ssh", "h1", "--each-host", root=large_tree, fathom=fathom)
    assert (code, err) == (0, "")
    same(hosts.folder / "host=h1", kept_by_one_process(fathom, hosts.path / "b", large_tree))


def test_only_the_waits_that_dask_leaves_to_themselves_are_not_reported(caplog):
    from fathom_fleet.quiet import silence

    async def leave(error):
        silence()
        asyncio.get_running_loop().create_future().set_exception(error)

    asyncio.run(leave(asyncio.TimeoutError("Timeout")))
    assert caplog.text == ""
    asyncio.run(leave(ValueError("a mistake")))
    assert "a mistake" in caplog.text
