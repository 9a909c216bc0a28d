"""Engine: what the driver needs from the machinery that runs tasks on workers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol


@dataclasses.dataclass(frozen=True)
class Task:
    """One attempt at a part. `key` is unique among all attempts."""

    key: str
    argv: tuple[str, ...]  # of the child process, as os.fsdecode() writes bytes
    limit: float  # seconds; then the child is killed
    host: str = ""  # where it must run; empty: anywhere


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a task ended. `code` is the exit code of its process, negative for a signal; None if there is none, because
    the worker was lost, for example: then `message` says why."""

    key: str
    code: int | None
    message: str = ""  # the last sentence that the process wrote to standard error
    host: str = ""


class Engine(Protocol):
    """All calls are made by one thread.

    Every task has at least one outcome, or is overdue some time; it may have run several times, or still run.
    """

    def now(self) -> float:
        """Seconds, on a clock that does not go back."""

    def slots(self) -> int:
        """So many tasks can run at once on the workers that are there."""

    def submit(self, task: Task) -> None:
        """Starts a task on some worker."""

    def hand_back(self, keys: Sequence[str]) -> None:
        """Asks the tasks to end soon and hand back what they have not visited. The request may be lost."""

    async def outcomes(self, patience: float) -> list[Outcome]:
        """Waits until a task has ended or the number of slots has changed, at most so many seconds. Raises FleetError
        if there are no workers and none will come."""

    async def abandon(self, key: str) -> None:
        """The task has not ended in time. The worker that runs it gets no further tasks."""
