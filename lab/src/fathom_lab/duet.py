"""Runs two processes at once, each on a processor of its own: a duet.

What disturbs the whole machine, such as another guest or a change of frequency, disturbs both and cancels in the ratio
(Bulej and others, Duet Benchmarking: Improving Measurement Accuracy in the Cloud, ICPE 2020). Which of them gets which
processor is drawn anew for each launch, so that a slower processor favours nobody and the sign test stays exact.

Contenders also disturb each other, through the caches and memory that they share, and the slower one runs alone at its
end. So a duet compares programs on a busy machine, and absolute times are longer than without it.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from fathom_lab import process
from fathom_lab.errors import LabError, NoResult
from fathom_lab.process import Finished, Invocation
from fathom_lab.signals import Signals

_READY = "ready"
_TIMEOUT = 5.0  # seconds that a player has to end its launch

Outcome = Finished | NoResult | LabError | OSError


@dataclasses.dataclass(frozen=True)
class Part:
    """What one of the two runs, and how: see process.run()."""

    invocation: Invocation
    timeout: float
    cpu: int
    nice: int
    counters: bool


class Duet:
    """A context manager with two processes, each of which runs one launch at a time. They are needed because the lab
    ends everything that its own launch has left behind, and would end the other launch. Used by one thread."""

    def __enter__(self) -> Duet:
        self._players = [_Player(), _Player()]
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players:
            player.close()

    def run(self, parts: Sequence[Part]) -> list[Outcome]:
        """Runs two parts, or one. Two begin together, once both have been prepared. Their errors are returned. Raises
        LabError if a process of the duet itself was killed."""
        players = self._players[: len(parts)]
        try:
            with Signals() as signals:
                for player, part in zip(players, parts):
                    player.line.send(part)
                answers = [player.answer(signals) for player in players]
                for player, answer in zip(players, answers):
                    if answer == _READY:
                        player.line.send(None)
                return [player.answer(signals) if answer == _READY else answer
                        for player, answer in zip(players, answers)]
        except (EOFError, BrokenPipeError) as error:
            raise LabError("a process of the duet was killed: continue with run --resume") from error


class _Player:
    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # a forked process would hold the other one's line open
        self.line, theirs = context.Pipe()
        self._process = context.Process(target=_play, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def answer(self, signals: Signals) -> Any:
        signals.wait(self.line.fileno())
        return self.line.recv()

    def close(self) -> None:
        """Ends the process and its launch."""
        self.line.close()
        self._process.terminate()
        self._process.join(_TIMEOUT)
        self._process.kill()
        self._process.join()


def _play(line: Connection[Any, Any]) -> None:
    """Runs parts until the lab ends or terminates it. Ctrl-C also reaches the lab, which decides. Contenders do not
    inherit a handler that does nothing, as they would SIG_IGN."""
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    def begin() -> None:
        line.send(_READY)
        line.recv()

    try:
        while True:
            line.send(_outcome(line.recv(), begin))
    except (KeyboardInterrupt, EOFError, OSError):
        return


def _outcome(part: Part, begin: Any) -> Outcome:
    try:
        return process.run(part.invocation, part.timeout, cpus=(part.cpu,), nice=part.nice, counters=part.counters,
                           begin=begin)
    except (NoResult, LabError, OSError) as error:
        return error
