"""Runs one process to its end, and says what it used."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import selectors
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from fathom_lab.child import Child
from fathom_lab.counters import Counters
from fathom_lab.errors import NoResult
from fathom_lab.why import Watch

RESULTS = "{results}"  # in a command: the name of a file whose content becomes Finished.results

OUTPUT_LIMIT = 64 << 20  # bytes; who prints more has no result
_ERRORS_KEPT = 16 << 10
_CHUNK = 1 << 20
_LAST_WORDS = 80  # characters; all of them are in the launch's output
_GIVES_UP = re.compile("panic: |fatal error: |terminate called ")  # what follows are stacks
_GRACE = 2.0  # seconds between asking a process to end and ending it


@dataclasses.dataclass(frozen=True)
class Invocation:
    command: tuple[str, ...]
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)  # beside the lab's own
    folder: Path | None = None  # where it is started
    keeps_output: bool = True  # False: standard output is read and thrown away
    prepare: tuple[str, ...] = ()  # a command that runs to its end before, and is not measured


@dataclasses.dataclass(frozen=True)
class Finished:
    exit_code: int  # negative: the signal that ended it
    timed_out: bool
    wall: float  # seconds
    user: float  # of it and of the children that it waited for
    system: float
    peak_memory: int  # bytes
    output: bytes
    errors: bytes  # the end of it, if there is much
    why: Mapping[str, float]
    results: bytes = b""  # what it wrote into the file RESULTS

    def ending(self) -> str:
        """How it ended, for a sentence: "it was ended by SIGSEGV"."""
        if self.timed_out:
            return "it did not end in time"
        if self.exit_code < 0:
            return f"it was ended by {_signal_name(-self.exit_code)}"
        return f"it exited with {self.exit_code}"

    def last_words(self) -> str:
        """A line for a sentence: where it says why it gives up, else the last one, errors first; empty if none."""
        for stream in (self.errors, self.output[-_ERRORS_KEPT:]):
            lines = [line.strip() for line in stream.decode(errors="replace").splitlines() if line.strip()]
            if lines:
                return shortened(next(filter(_GIVES_UP.match, lines), lines[-1]), _LAST_WORDS)
        return ""


def shortened(text: str, most: int) -> str:
    """On one line, with nothing in it that a terminal would obey."""
    line = "".join(one if one.isprintable() else one.encode("unicode_escape", "replace").decode() for one in text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def run(
    invocation: Invocation,
    timeout: float,
    *,
    cpus: Iterable[int] | None = None,
    nice: int = 0,
    watch: bool = True,
    counters: bool = False,
) -> Finished:
    """Starts it with nothing to read and in a session of its own, and waits for its end.

    After `timeout` seconds it is ended, as is whatever it leaves behind, by SIGTERM and then by SIGKILL. The clock runs
    from just before exec to the end of the process itself; what keeps its pipes open is not waited for. Raises NoResult
    if it cannot be started or prints too much, LabError if `cpus` or `nice` cannot be had. `why` holds what `watch` and
    `counters` ask for.
    """
    chosen = frozenset(cpus) if cpus is not None else None
    if invocation.prepare:
        _prepare(dataclasses.replace(invocation, command=invocation.prepare, prepare=()), timeout)
    with _results_file(invocation.command) as (command, file):
        finished = _run(dataclasses.replace(invocation, command=command), timeout, chosen, nice, watch, counters)
        return dataclasses.replace(finished, results=file.read_bytes()) if file else finished


def _prepare(invocation: Invocation, timeout: float) -> None:
    finished = _run(invocation, timeout, None, 0, False, False)
    if finished.timed_out or finished.exit_code != 0:
        words = finished.last_words()
        raise NoResult(f"prepare: {finished.ending()}" + (f": {words}" if words else ""))


@contextlib.contextmanager
def _results_file(command: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Path | None]]:
    if not any(RESULTS in argument for argument in command):
        yield command, None
        return
    with tempfile.NamedTemporaryFile(prefix="fathom-lab-") as file:
        yield tuple(argument.replace(RESULTS, file.name) for argument in command), Path(file.name)


def _run(
    invocation: Invocation, timeout: float, cpus: frozenset[int] | None, nice: int, watch: bool, counters: bool
) -> Finished:
    with contextlib.ExitStack() as stack:
        pipes = stack.enter_context(_Pipes(invocation.keeps_output))
        child = stack.enter_context(_started(invocation, pipes))
        child.place(cpus, nice)
        counted = stack.enter_context(Counters(child.pid)) if counters else None
        watched = Watch(child.pid) if watch else None
        began = time.perf_counter()
        child.go()
        supervisor = stack.enter_context(_Supervisor(child, pipes, watched))
        timed_out = not supervisor.wait_until(began + timeout)
        if timed_out:
            supervisor.end()
        wall = supervisor.ended - began
        if watched:
            watched.ended()
        status, used = child.reap()
        pipes.drain()
        why = {**(watched.found(used.raw) if watched else {}), **(counted.found() if counted else {})}
        return Finished(
            exit_code=status,
            timed_out=timed_out,
            wall=wall,
            user=used.user,
            system=used.system,
            peak_memory=used.peak_memory,
            output=bytes(pipes.output),
            errors=bytes(pipes.errors),
            why=why,
        )


def _started(invocation: Invocation, pipes: _Pipes) -> Child:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **invocation.environment}
    return Child(invocation.command, environment, invocation.folder, pipes.stdout, pipes.stderr)


class _Pipes:
    """What the process prints. Both are always read, so that it never waits for the lab.

    What nobody wants is read, too: programs that find /dev/null do less.
    """

    def __init__(self, keeps_output: bool):
        self.output = bytearray()
        self.errors = bytearray()
        self._keeps_output = keeps_output
        self._open: dict[int, bytearray] = {}  # where what comes out of an end goes to
        self.stderr = self._pipe(self.errors)
        self.stdout = self._pipe(self.output)

    def _pipe(self, kept: bytearray) -> int:
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)
        self._open[ours] = kept
        return theirs

    def __enter__(self) -> _Pipes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_theirs()
        for end in self._open:
            os.close(end)

    def close_theirs(self) -> None:
        """When the child has them: else their end would never be seen."""
        for end in (self.stdout, self.stderr):
            if end >= 0:
                os.close(end)
        self.stdout = self.stderr = -1

    def ends(self) -> list[int]:
        return list(self._open)

    def read(self, end: int) -> bool:
        """Some of it. False if there is no more for now, or ever."""
        try:
            data = os.read(end, _CHUNK)
        except BlockingIOError:
            return False
        kept = self._open[end]
        kept += data
        if kept is self.errors:
            del kept[:-_ERRORS_KEPT]
        elif not self._keeps_output:
            kept.clear()
        elif len(kept) > OUTPUT_LIMIT:
            raise NoResult(f"it printed more than {OUTPUT_LIMIT >> 20} MiB")
        return bool(data)

    def drain(self) -> None:
        """What is in the pipes now. Others may still hold them open."""
        for end in self._open:
            while self.read(end):
                pass


class _Supervisor:
    """Waits for the end of a child, reads what it prints meanwhile, and looks at it now and then."""

    def __init__(self, child: Child, pipes: _Pipes, watch: Watch | None):
        self.ended = 0.0
        self._child = child
        self._pipes = pipes
        self._watch = watch
        self._selector = selectors.DefaultSelector()
        pipes.close_theirs()
        self._selector.register(child.pidfd, selectors.EVENT_READ)
        for end in pipes.ends():
            self._selector.register(end, selectors.EVENT_READ)

    def __enter__(self) -> _Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()

    def wait_until(self, deadline: float) -> bool:
        """True if it has ended before."""
        while True:
            now = time.perf_counter()
            if now >= deadline:
                return False
            if self._watch and now >= self._watch.due:
                self._watch.look()
                continue
            due = min(deadline, self._watch.due) if self._watch else deadline
            ready = [key.fd for key, _ in self._selector.select(due - now)]
            if self._child.pidfd in ready:
                self.ended = time.perf_counter()
                return True
            self._read(ready)

    def _read(self, ready: list[int]) -> None:
        for end in ready:
            if not self._pipes.read(end):
                self._selector.unregister(end)

    def end(self) -> None:
        self._child.signal(signal.SIGTERM)
        if not self.wait_until(time.perf_counter() + _GRACE):
            self._child.signal(signal.SIGKILL)
            while not self.wait_until(time.perf_counter() + _GRACE):
                pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
