"""A Slurm cluster of two nodes, n1 and n2, on one machine of its own.

    with Slurm() as slurm:
        slurm.run(["srun", "-N2", "sh", "-c", "echo $SLURMD_NODENAME"])
        slurm.kill_node("n1")

Its configuration, keys, logs and ports exist only in that machine. Jobs run as root.
"""

import os
import pathlib
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import machine
from machine import PRIVATE, Machine, Word
from waiting import PATIENCE, until

NODES = ("n1", "n2")
ADDRESS = "10.78.0.1"  # of the machine; Slurm does not start where there are only loopback addresses
CPUS = 8  # of each node, whatever the real machine has

_DAEMONS = ("munged", "slurmctld", "slurmd")
_FOLDER = PRIVATE / "slurm"
_NODES = "\n".join(
    f"NodeName={node} NodeHostname=cluster NodeAddr={ADDRESS} Port={17001 + i} CPUs={CPUS} RealMemory=4000"
    for i, node in enumerate(NODES))
# CAP_SYS_RESOURCE may be missing, so no limits are propagated; control groups belong to the real machine, so none are
# made.
_CONFIGURATION = f"""
ClusterName=fleet
SlurmctldHost=cluster({ADDRESS})
SlurmUser=root
AuthType=auth/munge
StateSaveLocation={_FOLDER}/state
SlurmdSpoolDir={_FOLDER}/%n
SlurmctldPidFile={_FOLDER}/slurmctld.pid
SlurmdPidFile={_FOLDER}/%n.pid
SlurmctldLogFile={_FOLDER}/slurmctld.log
SlurmdLogFile={_FOLDER}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
MpiDefault=none
ReturnToService=2
SlurmdTimeout=20
KillWait=5
MailProg=/bin/true
SchedulerParameters=sched_interval=2,bf_interval=2
{_NODES}
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str:
    """Why a cluster cannot run here; "" if it can."""
    return machine.why_not(*_DAEMONS, "srun", "sbatch", "squeue", "sinfo")


class Slurm:
    def __init__(self) -> None:
        self.machine = Machine("cluster")
        try:
            self._configure()
            self._slurmds: dict[str, subprocess.Popen[bytes]] = {}
            self._start_munged()
            self._slurmctld = self._daemon("slurmctld", "-D")
            for node in NODES:
                self.start_node(node)
            self.wait_for_nodes(NODES)
        except BaseException as why:
            why.add_note(self.logs())
            self.stop()
            raise

    def __enter__(self) -> "Slurm":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, words: Sequence[Word], **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs a program that finds the cluster. The options are those of Machine.run()."""
        return self.machine.run(words, **options)

    def start(self, words: Sequence[Word], *, env: Mapping[str, str] | None = None,
              **options: Any) -> subprocess.Popen[bytes]:
        """Starts a program that finds the cluster. The options are those of Machine.start()."""
        return self.machine.start(words, env=env, **options)

    def submit(self, script: str, folder: pathlib.Path) -> str:
        """Submits a job that runs, and writes its output, in the folder. Returns its number."""
        process = self.start(["sbatch", "--parsable"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        printed, messages = process.communicate(script.encode(), timeout=PATIENCE)
        if process.returncode != 0:
            raise RuntimeError(f"sbatch: {messages.decode(errors='replace')}")
        return printed.decode().strip()

    def state(self, job: str) -> str:
        """The state of a job, such as RUNNING; "" if Slurm has forgotten it."""
        words = ["squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={job}"]
        return self.run(words, check=False).stdout.strip()

    def wait_for(self, job: str, states: Sequence[str] = ("COMPLETED",)) -> None:
        until(lambda: self.state(job) in states, f"job {job}: {' or '.join(states)}")

    def kill_node(self, node: str) -> None:
        """Ends a node's daemon. Its jobs run on, as they do where only the daemon fails."""
        self._slurmds.pop(node).kill()

    def start_node(self, node: str) -> None:
        self._slurmds[node] = self._daemon("slurmd", "-D", "-N", node)

    def wait_for_nodes(self, nodes: Sequence[str]) -> None:
        """Waits until exactly these nodes can run jobs."""
        until(lambda: self._idle() == set(nodes) or self._slurmctld.poll() is not None, f"the nodes {', '.join(nodes)}")
        if self._slurmctld.poll() is not None:
            raise RuntimeError("slurmctld has ended")

    def logs(self) -> str:
        """What the daemons have logged."""
        return self.machine.run(["sh", "-c", f"tail -n 20 {_FOLDER}/*.log"], check=False).stdout

    def stop(self) -> None:
        """Ends the cluster with all its jobs."""
        self.machine.stop()

    def _idle(self) -> set[str]:
        listed = self.run(["sinfo", "--noheader", "--Node", "--states=idle", "--format=%N"], check=False).stdout
        return set(listed.split())

    def _configure(self) -> None:
        self.machine.environment["SLURM_CONF"] = str(_FOLDER / "slurm.conf")
        self.machine.run(["mkdir", "-p", _FOLDER / "state", *(_FOLDER / node for node in NODES)])
        self._write(_FOLDER / "slurm.conf", _CONFIGURATION.encode())
        self.machine.run(["ip", "link", "add", "eth0", "type", "bridge"])
        self.machine.run(["ip", "address", "add", f"{ADDRESS}/24", "dev", "eth0"])
        self.machine.run(["ip", "link", "set", "eth0", "up"])
        with tempfile.NamedTemporaryFile("w", suffix="-hosts", encoding="ascii") as names:
            names.write(f"127.0.0.1 localhost\n{ADDRESS} cluster\n")
            names.flush()
            os.chmod(names.name, 0o644)
            # The mount keeps the file, whatever becomes of its name.
            self.machine.run(["mount", "--bind", names.name, "/etc/hosts"])

    def _start_munged(self) -> None:
        folder = PRIVATE / "munge"
        self.machine.run(["mkdir", folder])
        self._write(folder / "key", secrets.token_bytes(128))
        self.machine.run(["chmod", "600", folder / "key"])
        with tempfile.TemporaryFile() as messages:
            munged = self._daemon("munged", "--foreground", f"--key-file={folder}/key", f"--pid-file={folder}/pid",
                                  f"--seed-file={folder}/seed", stderr=messages)
            # Slurm looks for this socket.
            until(lambda: munged.poll() is not None or self._exists(folder / "munge.socket.2"), "the socket of munged")
            if munged.poll() is not None:
                messages.seek(0)
                raise RuntimeError(f"munged: {messages.read().decode(errors='replace')}")

    def _daemon(self, name: str, *words: Word, **options: Any) -> subprocess.Popen[bytes]:
        program = shutil.which(name, path=machine.search_path())
        assert program is not None  # why_not()
        return self.machine.start([program, *words], **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
                                                        **options})

    def _exists(self, path: pathlib.Path) -> bool:
        return self.machine.run(["test", "-e", path], check=False).returncode == 0

    def _write(self, path: pathlib.Path, content: bytes) -> None:
        writer = self.machine.start(["tee", path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        writer.communicate(content, timeout=PATIENCE)
        if writer.returncode != 0:
            raise RuntimeError(f"cannot write {path}")
