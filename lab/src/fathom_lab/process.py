"""Runs one process to its end and measures the resources that it used."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import selectors
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from fathom_lab.child import GRACE, Child
from fathom_lab.counters import Counters
from fathom_lab.diagnostics import Watch
from fathom_lab.errors import NoResult

RESULTS = "{results}"  # in a command: the name of a file whose content becomes Finished.results

OUTPUT_LIMIT = 64 << 20  # bytes; a program that prints more has no result
_ERRORS_KEPT = 16 << 10
_CHUNK = 1 << 20
_SUMMARY_LENGTH = 80  # characters; the launch's output has more
_FATAL_LINE = re.compile("panic: |fatal error: |terminate called ")  # a stack trace follows such a line


@dataclasses.dataclass(frozen=True)
class Invocation:
    command: tuple[str, ...]
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)  # added to the lab's own
    folder: Path | None = None  # the working directory
    keeps_output: bool = True  # False: standard output is read and discarded
    prepare: tuple[str, ...] = ()  # a command that runs first and is not measured


@dataclasses.dataclass(frozen=True)
class Finished:
    exit_code: int  # negative: the signal that ended it
    timed_out: bool
    wall: float  # seconds
    user: float  # of the process and the children that it waited for
    system: float
    peak_memory: int  # bytes
    output: bytes
    errors: bytes  # the last part of standard error
    diagnostics: Mapping[str, float]
    results: bytes = b""  # the content of the file RESULTS

    def ending(self) -> str:
        """How it ended, as a clause such as "it was killed by SIGSEGV"."""
        if self.timed_out:
            return "it did not end in time"
        if self.exit_code < 0:
            return f"it was killed by {_signal_name(-self.exit_code)}"
        return f"it exited with {self.exit_code}"

    def summary_line(self) -> str:
        """The most informative line of its output: the one that says why it gave up, otherwise the last one; standard
        error first; empty if there is none."""
        for stream in (self.errors, self.output[-_ERRORS_KEPT:]):
            lines = [line.strip() for line in stream.decode(errors="replace").splitlines() if line.strip()]
            if lines:
                return shortened(next(filter(_FATAL_LINE.match, lines), lines[-1]), _SUMMARY_LENGTH)
        return ""


def printable(text: str) -> str:
    """The text on one line, with control characters escaped."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "replace").decode() for one in text)


def shortened(text: str, most: int) -> str:
    line = printable(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def run(
    invocation: Invocation,
    timeout: float,
    *,
    cpus: Iterable[int] | None = None,
    nice: int = 0,
    watch: bool = True,
    counters: bool = False,
    begin: Callable[[], None] = lambda: None,
) -> Finished:
    """Runs a process with empty standard input and in its own session, and waits for its end.

    After `timeout` seconds the process and its descendants get SIGTERM and then SIGKILL. The clock runs from just
    before exec to the end of the process itself; descendants that keep its pipes open are not waited for. `diagnostics`
    holds the figures of `watch` and `counters`. `begin` is called when all is prepared and the process could start; it
    starts when `begin` returns. Raises NoResult if the process cannot be started or prints too much,
    LabError if `cpus` or `nice` cannot be applied.
    """
    chosen = frozenset(cpus) if cpus is not None else None
    if invocation.prepare:
        _prepare(dataclasses.replace(invocation, command=invocation.prepare, prepare=()), timeout)
    with _results_file(invocation.command) as (command, file):
        placed = dataclasses.replace(invocation, command=command)
        finished = _run(placed, timeout, chosen, nice, watch, counters, begin)
        return dataclasses.replace(finished, results=file.read_bytes()) if file else finished


def _prepare(invocation: Invocation, timeout: float) -> None:
    finished = _run(invocation, timeout, None, 0, False, False, lambda: None)
    if finished.timed_out or finished.exit_code != 0:
        line = finished.summary_line()
        raise NoResult(f"prepare: {finished.ending()}" + (f": {line}" if line else ""))


@contextlib.contextmanager
def _results_file(command: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Path | None]]:
    if not any(RESULTS in argument for argument in command):
        yield command, None
        return
    with tempfile.NamedTemporaryFile(prefix="fathom-lab-") as file:
        yield tuple(argument.replace(RESULTS, file.name) for argument in command), Path(file.name)


def _run(
    invocation: Invocation, timeout: float, cpus: frozenset[int] | None, nice: int, watch: bool, counters: bool,
    begin: Callable[[], None],
) -> Finished:
    with contextlib.ExitStack() as stack:
        pipes = stack.enter_context(_Pipes(invocation.keeps_output))
        child = stack.enter_context(_started(invocation, pipes))
        child.place(cpus, nice)
        counted = stack.enter_context(Counters(child.pid)) if counters else None
        watched = Watch(child.pid) if watch else None
        begin()
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
        diagnostics = {**(watched.found(used.raw) if watched else {}), **(counted.found() if counted else {})}
        return Finished(
            exit_code=status,
            timed_out=timed_out,
            wall=wall,
            user=used.user,
            system=used.system,
            peak_memory=used.peak_memory,
            output=bytes(pipes.output),
            errors=bytes(pipes.errors),
            diagnostics=diagnostics,
        )


def _started(invocation: Invocation, pipes: _Pipes) -> Child:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **invocation.environment}
    return Child(invocation.command, environment, invocation.folder, pipes.stdout, pipes.stderr)


class _Pipes:
    """The output pipes of the process. Both are always read, so that the process never waits for the lab.

    Even unneeded output is read: some programs do less work if they detect /dev/null.
    """

    def __init__(self, keeps_output: bool):
        self.output = bytearray()
        self.errors = bytearray()
        self._keeps_output = keeps_output
        self._open: dict[int, bytearray] = {}  # by the reading end: the buffer
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
        """Closes the writing ends once the child has them, so that the lab can see end-of-file."""
        for end in (self.stdout, self.stderr):
            if end >= 0:
                os.close(end)
        self.stdout = self.stderr = -1

    def ends(self) -> list[int]:
        return list(self._open)

    def read(self, end: int) -> bool:
        """Reads some output. Returns False if there is no more now, or at all."""
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
        """Reads the remaining content of the pipes. Other processes may still hold them open."""
        for end in self._open:
            while self.read(end):
                pass


class _Supervisor:
    """Waits for the end of a child. Meanwhile reads its output, and samples it periodically."""

    def __init__(self, child: Child, pipes: _Pipes, watch: Watch | None):
        self.ended = 0.0
        self._child = child
        self._pipes = pipes
        self._watch = watch
        self._selector = selectors.DefaultSelector()
        pipes.close_theirs()
        for end in (child.pidfd, child.signals.end, *pipes.ends()):
            self._selector.register(end, selectors.EVENT_READ)

    def __enter__(self) -> _Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()

    def wait_until(self, deadline: float) -> bool:
        """Waits until the child ends or the deadline passes. Returns whether the child has ended."""
        while True:
            now = time.perf_counter()
            if now >= deadline:
                return False
            if self._watch and now >= self._watch.due:
                self._watch.sample()
                continue
            due = min(deadline, self._watch.due) if self._watch else deadline
            ready = [key.fd for key, _ in self._selector.select(due - now)]
            if self._child.pidfd in ready:
                self.ended = time.perf_counter()
                return True
            self._read(ready)

    def _read(self, ready: list[int]) -> None:
        for end in ready:
            if end == self._child.signals.end:
                self._child.signals.forget()
            elif not self._pipes.read(end):
                self._selector.unregister(end)

    def end(self) -> None:
        self._child.signal(signal.SIGTERM)
        if not self.wait_until(time.perf_counter() + GRACE):
            self._child.signal(signal.SIGKILL)
            while not self.wait_until(time.perf_counter() + GRACE):
                pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
