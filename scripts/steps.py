"""Runs the steps of a check: each runs independently, writes a log, and passes, fails, or is skipped if the machine
lacks something."""

import concurrent.futures
import dataclasses
import io
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)))
_SCREEN = threading.Lock()
_BUILD = threading.Lock()  # two builds in one folder would destroy each other's files


class Skipped(Exception):
    """The step cannot run on this machine; the message is the reason."""


class Failed(Exception):
    """The step failed; the message is the reason."""


class Run:
    """One run of a step: runs its commands and collects their output."""

    def __init__(self, log: pathlib.Path, live: bool, fix: bool) -> None:
        self.fix = fix
        self._live = live
        self._log = open(log, "wb", buffering=0)  # noqa: SIM115  closed when the step has ended

    def close(self) -> None:
        self._log.close()

    def write(self, output: bytes) -> None:
        self._log.write(output)
        if self._live:
            sys.stdout.buffer.write(output)
            sys.stdout.buffer.flush()

    def say(self, text: str) -> None:
        self.write(f"{text}\n".encode())

    def command(self, *command: str | pathlib.Path, env: Mapping[str, str] | None = None,
                lacks: tuple[int, str] | None = None) -> None:
        """Raises Failed unless the exit code is 0. `lacks`: the exit code that means Skipped, and the reason."""
        with subprocess.Popen(command, cwd=ROOT, env=os.environ | {"JOBS": str(JOBS)} | dict(env or {}),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            assert process.stdout is not None
            while output := os.read(process.stdout.fileno(), 65536):
                self.write(output)
        if lacks and process.returncode == lacks[0]:
            raise Skipped(lacks[1])
        if process.returncode != 0:
            raise Failed(f"exit code {process.returncode}: {shlex.join(map(str, command))[:200]}")

    def build(self, preset: str, *targets: str) -> None:
        with _BUILD:
            self.command("scripts/build", preset, *targets)

    def each(self, programs: Sequence[pathlib.Path], work: Callable[[pathlib.Path], tuple[bool, str]]) -> None:
        """Calls `work` for each program, JOBS at a time. It returns whether the program passed, and a text to print."""
        good = []
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for passed, said in pool.map(work, programs):
                good.append(passed)
                self.say(said)
        if not good or not all(good):
            raise Failed(f"{good.count(False)} of {len(good)} programs failed")


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    holds: str  # the condition for passing; the same text as in CONTRIBUTING.md
    run: Callable[[Run], None]
    needs: tuple[str, ...] = ()  # programs
    alone: bool = False  # it uses all processors, or measures the machine under load
    only_if_named: bool = False


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    verdict: str  # passed, FAILED, or skipped and why
    seconds: int


def run_all(steps: Sequence[Step], logs: pathlib.Path, fix: bool) -> int:
    """Runs the steps in order, in parallel unless they run alone. Returns the exit code."""
    logs.mkdir(exist_ok=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # outputs contain characters that the locale may lack
    results: list[Result] = []
    for alone, group in itertools.groupby(steps, lambda step: step.alone):
        with concurrent.futures.ThreadPoolExecutor(1 if alone else JOBS) as pool:
            results += pool.map(lambda step: _run(step, logs, fix), group)
    failed = [result.name for result in results if result.verdict == "FAILED"]
    for name in failed:  # repeated for systems that keep only the end of the output
        print(f"== the last lines of {name} (all output: build/check-{name}.log)")
        print("\n".join(_said(logs, name).splitlines()[-20:]))
    _show(results)
    if failed:
        print(f"check: failed: {' '.join(failed)} (to repeat: scripts/check {' '.join(failed)})", file=sys.stderr)
    return 1 if failed else 0


def _run(step: Step, logs: pathlib.Path, fix: bool) -> Result:
    """Runs a step. Prints the output of a step that runs alone immediately, that of others when they have ended."""
    begin = time.monotonic()
    if step.alone:
        print(f"== {step.name}", flush=True)
    run = Run(logs / f"check-{step.name}.log", step.alone, fix)
    verdict = _verdict(step, run)
    run.close()
    said = _said(logs, step.name)
    if verdict == "passed" and (skipped := re.search(r"^skipped: .*$", said, re.MULTILINE)):
        verdict = skipped.group()
    result = Result(step.name, verdict, round(time.monotonic() - begin))
    with _SCREEN:
        if not step.alone:
            print(f"== {step.name}\n{said}", end="")
        print(f"== {step.name}: {verdict} after {result.seconds} s", flush=True)
    return result


def _verdict(step: Step, run: Run) -> str:
    try:
        for program in step.needs:
            if not shutil.which(program):
                raise Skipped(f"{program} is not installed")
        step.run(run)
    except Skipped as why:
        run.say(f"skipped: {why}")
    except Failed as why:
        run.say(str(why))
        return "FAILED"
    except Exception:  # a broken step must not prevent the others from running
        run.say(traceback.format_exc())
        return "FAILED"
    return "passed"


def _said(logs: pathlib.Path, name: str) -> str:
    return (logs / f"check-{name}.log").read_text(encoding="utf-8", errors="replace")


def _show(results: Sequence[Result]) -> None:
    """Prints the table of results, or appends it to the file named by FATHOM_STEPS if the caller prints one table for
    everything."""
    if name := os.environ.get("FATHOM_STEPS"):
        with open(name, "a", encoding="utf-8") as file:
            file.writelines(f"{one.name}\t{one.seconds}\t{one.verdict}\n" for one in results)
    else:
        print("\n".join(f"{one.name:<12}{one.seconds:>6} s  {one.verdict}" for one in results), flush=True)
