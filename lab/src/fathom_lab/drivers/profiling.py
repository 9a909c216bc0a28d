"""How a driver profiles a launch, and perf, which profiles any program."""

from __future__ import annotations

import dataclasses
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

from fathom_lab.process import Invocation

KINDS = ("cpu", "memory", "trace")  # where processor time goes; where memory is allocated; what threads do when
_TIMEOUT = 30.0  # seconds for the trial of perf


class NotProfiled(Exception):
    """Why there is no profile of this kind, as a clause."""


@dataclasses.dataclass(frozen=True)
class Profiling:
    """A launch that writes a profile. Its numbers do not count, because writing the profile takes time."""

    invocation: Invocation
    file: Path
    reader: tuple[str, ...]  # the command that shows the file


def with_perf(invocation: Invocation, kind: str, stem: Path) -> Profiling:
    """The launch under `perf record`, with call stacks. Raises NotProfiled."""
    if kind != "cpu":
        raise NotProfiled("only Go's benchmarks write one")
    if reason := _perf_missing():
        raise NotProfiled(reason)
    file = stem.with_name(f"{stem.name}.perf.data")
    command = ("perf", "record", "--quiet", "-g", "--output", str(file), "--", *invocation.command)
    return Profiling(dataclasses.replace(invocation, command=command), file, ("perf", "report", "-i", str(file)))


@functools.cache
def _perf_missing() -> str:
    """Why perf cannot record here; empty if it can. Only a trial shows it: containers and kernels may forbid it."""
    if shutil.which("perf") is None:
        return "perf is not installed"
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(["perf", "record", "--output", f"{folder}/trial", "--", "true"], check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"perf cannot be started: {error}"
    return "perf may not record here: see /proc/sys/kernel/perf_event_paranoid" if done.returncode else ""
