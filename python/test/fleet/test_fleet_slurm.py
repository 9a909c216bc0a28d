"""`fathom fleet` on a real Slurm: a controller and two nodes on this machine, in a directory of their own."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile

import pytest

from test_fleet_cluster import FAKE, KEPT, PATIENCE, ROOT, Fleet, ended, gone, worker_of

PATH = f"{os.environ['PATH']}:/usr/sbin"
PROGRAMS = {name: shutil.which(name, path=PATH) for name in ("munged", "slurmctld", "slurmd", "srun", "salloc")}
pytestmark = pytest.mark.skipif(os.geteuid() != 0 or None in PROGRAMS.values(), reason="needs root, Slurm and MUNGE")
psutil = pytest.importorskip("psutil")
pytest.importorskip("distributed")
pytest.importorskip("cryptography")

CONFIGURATION = """
ClusterName=fleet
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={path}/munge.socket
StateSaveLocation={path}/state
SlurmdSpoolDir={path}/%n
SlurmctldPidFile={path}/controller.pid
SlurmdPidFile={path}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
MpiDefault=none
ReturnToService=2
KillWait=5
MailProg=/bin/true
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=4 RealMemory=1000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=4 RealMemory=1000
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


@pytest.fixture(name="slurm", scope="module")
def fixture_slurm():
    """The environment of its commands."""
    path = tempfile.mkdtemp(prefix="slurm-")  # the path of a socket must be short
    daemons = []

    def start(name, *words):
        with open(f"{path}/log", "ab") as log:
            daemons.append(subprocess.Popen([PROGRAMS[name], *words], env=environment, stdout=log, stderr=log))

    environment = dict(os.environ, SLURM_CONF=f"{path}/slurm.conf")
    try:
        for name in ("state", "n1", "n2"):
            os.mkdir(f"{path}/{name}")
        with open(f"{path}/key", "wb", opener=lambda file, flags: os.open(file, flags, 0o600)) as key:
            key.write(os.urandom(1024))
        with open(environment["SLURM_CONF"], "w", encoding="ascii") as file:
            host = socket.gethostname().partition(".")[0]
            file.write(CONFIGURATION.format(host=host, ports=free_ports(3), path=path))
        start("munged", "--foreground", "--force", f"--key-file={path}/key", f"--socket={path}/munge.socket",
              f"--pid-file={path}/munge.pid", f"--seed-file={path}/munge.seed")
        start("slurmctld", "-D")
        for node in ("n1", "n2"):
            start("slurmd", "-D", "-N", node)
        # Waits until both nodes are there, unless something cannot run here.
        ready = subprocess.run([PROGRAMS["srun"], "--nodes=2", "true"], env=environment, capture_output=True, text=True,
                               timeout=PATIENCE, check=False)
        if ready.returncode != 0:
            with open(f"{path}/log", encoding="utf-8", errors="replace") as log:
                pytest.skip(f"Slurm cannot run here: {ready.stderr.strip()} {log.read()[-500:]}")
        yield environment
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(name="fleet")
def fixture_fleet(slurm, tmp_path):
    fleet = Fleet(tmp_path)
    fleet.environment |= {"SLURM_CONF": slurm["SLURM_CONF"]}
    fleet.words = ("--slurm", "--jobs", "2", "--address", "127.0.0.1")
    yield fleet
    for process in fleet.running:
        process.kill()
        process.communicate()


def test_two_jobs_share_a_scan(fleet):
    assert fleet.run(*fleet.words) == (0, KEPT, "")
    fleet.check()


def test_inside_an_allocation_each_node_has_a_worker(fleet):
    command = [PROGRAMS["salloc"], "--quiet", "--nodes=2", sys.executable, "-m", "fathom_fleet", "scan", ROOT, "--into",
               fleet.folder, "--fathom", FAKE, "--slurm", "--address", "127.0.0.1"]
    ran = subprocess.run(command, env=fleet.environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, KEPT, "")
    fleet.check()


def test_a_cancelled_job_is_replaced(fleet):
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    scan = gate.next_scan()
    worker = worker_of(scan)
    subprocess.run(["scancel", worker.environ()["SLURM_JOB_ID"]], env=fleet.environment, check=True)
    gone(scan, worker)
    gate.open()
    code, out, err = ended(driver)
    assert (code, out) == (0, KEPT)
    assert "the worker was lost (" in err
    fleet.check()


def test_a_killed_driver_leaves_no_job_behind(fleet):
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    scan = gate.next_scan()
    worker = worker_of(scan)
    driver.kill()
    gone(scan, worker)
    gate.open()
    assert fleet.run(*fleet.words, "--resume", root=None)[:2] == (0, KEPT)
    fleet.check()
