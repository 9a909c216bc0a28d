"""Places: where workers run, and the commands that start them there."""

from __future__ import annotations

import dataclasses
import math
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence

from fathom_fleet.errors import FleetError, shown

_PROGRAM = ("-m", "fathom_fleet.worker")
_MOST_TASKS = 64  # of one process: threads are cheap, and a process takes 60 MB and 1.5 s of a processor
# No questions, and a lost link is noticed after 15 s. Everything else is as in the user's own configuration.
_SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o",
        "ServerAliveCountMax=3", "--")


@dataclasses.dataclass(frozen=True)
class Place:
    """The command passes its standard input on to the worker, and ends when the worker does."""

    name: str
    command: tuple[str, ...]
    tasks: int  # at a time
    patience: float = 120.0  # seconds without a worker after which the place is given up


def local(tasks: int) -> list[Place]:
    """This machine."""
    processes = math.ceil(tasks / _MOST_TASKS)
    shares = [tasks // processes + (number < tasks % processes) for number in range(processes)]
    return [Place("this machine" if processes == 1 else f"worker {number}", (sys.executable, *_PROGRAM), share)
            for number, share in enumerate(shares, 1)]


def ssh(hosts: Iterable[str], python: str, tasks: int) -> list[Place]:
    """Raises FleetError for names that are not hosts."""
    places: dict[str, Place] = {}
    for host in hosts:
        if not host or host.startswith("-") or not host.isprintable() or " " in host:
            raise FleetError(f"option '--ssh' takes hosts separated by commas, not '{shown(host)}'")
        name = host.rpartition("@")[2]
        if name in places:
            raise FleetError(f"option '--ssh' names {name} twice")
        places[name] = Place(name, (*_SSH, host, shlex.join((python, *_PROGRAM))), tasks)
    return list(places.values())


def slurm(jobs: int | None, options: Sequence[str], python: str, tasks: int) -> list[Place]:
    """Inside an allocation, a step on each of its nodes; otherwise, so many jobs of one node each, which may wait in
    the queue. Raises FleetError."""
    srun = ("srun", "--nodes=1", "--ntasks=1", "--job-name=fathom-fleet", "--quiet")
    program = (python, *_PROGRAM)
    if "SLURM_JOB_ID" in os.environ and "SLURM_JOB_NODELIST" in os.environ:
        nodes = _nodes(os.environ["SLURM_JOB_NODELIST"])[:jobs]
        return [Place(node, (*srun, "--overlap", f"--nodelist={node}", *options, *program), tasks) for node in nodes]
    if jobs is None:
        raise FleetError("option '--slurm' needs '--jobs N', except inside an allocation")
    return [Place(f"job {number}", (*srun, *options, *program), tasks, math.inf) for number in range(1, jobs + 1)]


def _nodes(listed: str) -> list[str]:
    try:
        ran = subprocess.run(["scontrol", "show", "hostnames", listed], capture_output=True, text=True, timeout=60,
                             check=True)
    except (OSError, subprocess.SubprocessError) as why:
        raise FleetError(f"'scontrol show hostnames' fails: {why}") from why
    return ran.stdout.split()


def towards_ssh(host: str) -> str:
    """The address of this machine by which it reaches the host, which may be a name of ssh's configuration alone.
    Raises FleetError."""
    from fathom_fleet.worker import own_address_towards

    try:
        ran = subprocess.run(["ssh", "-G", "--", host], capture_output=True, text=True, timeout=60, check=True)
        names = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("hostname ")]
        return own_address_towards(names[0] if names else host)
    except (OSError, subprocess.SubprocessError, IndexError) as why:
        raise FleetError(f"cannot find out by which address {shown(host)} reaches this machine; use '--address IP'"
                         ) from why
