"""Driver: the loop that turns a plan into tasks and what they commit into progress of the plan."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable

from fathom_fleet.allowance import Allowance
from fathom_fleet.budget import Budget, slice_for
from fathom_fleet.engine import Engine, Outcome, Task
from fathom_fleet.errors import FleetError
from fathom_fleet.folder import Folder
from fathom_fleet.pace import Pace
from fathom_fleet.part import ROOT
from fathom_fleet.plan import Plan, Work
from fathom_fleet.stealing import Stealing

_PATIENCE = 1.0  # seconds between looks at the clock and at the progress line
_IMPATIENCE = 0.1  # while slots are idle
_GRACE = 60.0  # seconds for a worker to report that a task has exceeded its limit
# A client of a network filesystem may not see a new directory for so long.
_UNSEEN = 60.0
_WRONG_USAGE = 2
_NOT_ADDED = "no part was added: "  # `fathom scan --shard` says that the folder is the reason, and not the tree

DEFAULT_BUDGET = Budget(seconds=10.0)
DEFAULT_TASK_LIMIT = 600  # seconds


def restored(folder: Folder, failures: int = 4) -> Plan:
    """The plan as the committed parts of the folder leave it. Parts that were given up are tried again."""
    plan = Plan(failures)
    for part in folder.committed():
        plan.commit(part)
    return plan


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a scan is done, which does not change its result."""

    fathom: str  # the command on the workers
    budget: Budget = DEFAULT_BUDGET
    threads: int | None = None  # of each task
    most_operations: int | None = None  # per second, of all tasks together
    task_limit: float = DEFAULT_TASK_LIMIT  # seconds


@dataclasses.dataclass(frozen=True)
class Figures:
    """How far the scan is."""

    entries: int
    disk_bytes: int  # about: hard links between parts are counted in each
    parts: int
    running: int
    waiting: int
    given_up: int
    slots: int
    seconds: float
    slowest: float  # the seconds for which the oldest task runs


@dataclasses.dataclass(frozen=True)
class _Attempt:
    work: Work
    started: float


class Driver:
    """Runs the plan of a folder to its end. Requires the folder's lock.

    `tell` gets one sentence for each thing that the user should know, `show` the figures from time to time.
    """

    def __init__(self, folder: Folder, plan: Plan, engine: Engine, settings: Settings, arguments: tuple[str, ...],
                 tell: Callable[[str], None], show: Callable[[Figures], None] = lambda figures: None) -> None:
        self.plan = plan
        self._folder = folder
        self._engine = engine
        self._settings = settings
        self._arguments = arguments
        self._tell = tell
        self._show = show
        self._pace = Pace(1)
        self._stealing = Stealing()
        self._allowance = Allowance(settings.most_operations)
        self._attempts: dict[str, _Attempt] = {}  # those that occupy a slot, by key
        self._unseen: dict[str, float] = {}  # parts that were reported as done, but cannot be seen, and since when
        # Part of all keys: a scheduler that outlives its drivers must not take an old task for a new one.
        self._token = secrets.token_hex(4)
        self._keys = 0
        self._began = engine.now()

    async def run(self) -> None:
        """Returns when every part is committed or given up (see `plan`). Raises FleetError if the scan cannot begin,
        no worker is left, or a part cannot be added to the folder."""
        while not (self.plan.finished and self._all_is_in()):
            self._start_tasks()
            self._ask_for_work()
            self._show(self._figures())
            for outcome in await self._engine.outcomes(self._patience()):
                self._take(outcome)
            self._look_for_the_unseen()
            await self._give_up_the_overdue()

    def _start_tasks(self) -> None:
        self._pace.resize(max(1, self._engine.slots()))
        while self._allowance.may_start():
            now = self._engine.now()
            free = self._free()
            ready = self.plan.ready(now)
            if free < 1 or not ready:
                return
            work = self.plan.start(now)
            assert work is not None
            # An earlier attempt may have made it after all.
            if self.plan.attempt(work.id) == 1 or not self._commit(work.id):
                self._submit(work, min(free, ready), now)

    def _free(self) -> int:
        return min(self._pace.limit, self._engine.slots()) - len(self._attempts)

    def _ask_for_work(self) -> None:
        """Lets tasks hand back what they have left if slots are idle."""
        now = self._engine.now()
        free = self._free()
        if free > 0 and not self.plan.ready(now):
            started = {key: attempt.started for key, attempt in self._attempts.items()}
            if keys := self._stealing.ask(free, started, now):
                self._engine.hand_back(keys)

    def _submit(self, work: Work, tasks: int, now: float) -> None:
        self._keys += 1
        key = f"{work.id}-{self._token}-{self._keys}"
        self._attempts[key] = _Attempt(work, now)
        granted = self._allowance.grant(key, tasks)
        self._engine.submit(Task(key, self._argv(work, granted), self._settings.task_limit))

    def _argv(self, work: Work, operations: int | None) -> tuple[str, ...]:
        slots = min(self._pace.limit, self._engine.slots())
        one = slice_for(self._settings.budget, slots, self.plan.waiting, len(self._attempts) - 1)
        argv = [self._settings.fathom, "scan", "--shard", f"--into={self._folder.path}", f"--budget={one.budget}",
                f"--batches={one.batches}", "--die-with-parent"]
        if work.rest:
            argv.append(f"--rest={work.rest}")
        if self._settings.threads is not None:
            argv.append(f"--threads={self._settings.threads}")
        if operations is not None:
            argv.append(f"--max-ops={operations}")
        return (*argv, *self._arguments)

    def _take(self, outcome: Outcome) -> None:
        attempt = self._attempts.pop(outcome.key, None)
        self._allowance.release(outcome.key)
        if attempt is None:
            self._commit(outcome.key.partition("-")[0])  # it was given up, but may have made its part
        elif self._commit(attempt.work.id, self._engine.now() - attempt.started):
            pass
        elif outcome.code in (0, 1):
            self._unseen[attempt.work.id] = self._engine.now()
        elif outcome.code == _WRONG_USAGE and attempt.work.id == ROOT:
            raise FleetError(outcome.message or "the scan cannot begin")
        else:
            self._fail(attempt.work.id, _reason(outcome))
            if outcome.message.startswith(_NOT_ADDED) and attempt.work.id in self.plan.given_up:
                raise FleetError(f"nothing more can be added to '{self._folder}': "
                                 f"{_reason(outcome).removeprefix(_NOT_ADDED)}")

    def _commit(self, part_id: str, elapsed: float | None = None) -> bool:
        """Whether the part is committed, as the folder says. Another attempt at it may still run; it will find that it
        is too late. `elapsed`: the seconds since the start of the attempt that has just ended."""
        if part_id in self.plan.done:
            return True
        part = self._folder.part(part_id)
        if part is None:
            return False
        self.plan.commit(part)
        self._pace.finished(part.entries, part.seconds, len(self._attempts) + 1)
        if elapsed is not None:
            self._stealing.finished(elapsed, part.seconds)
        return True

    def _fail(self, part_id: str, why: str) -> None:
        number = self.plan.attempt(part_id)
        if self.plan.fail(part_id, why, self._engine.now()):
            self._tell(f"part {part_id}: {why}; trying again")
        else:
            self._tell(f"part {part_id}: {why}; given up after {number} attempts")

    def _look_for_the_unseen(self) -> None:
        if self._unseen:
            self._folder.refresh()
        for part_id, since in list(self._unseen.items()):
            if self._commit(part_id):
                del self._unseen[part_id]
            elif self._engine.now() - since >= _UNSEEN:
                del self._unseen[part_id]
                self._fail(part_id, f"it was reported as done, but is not in '{self._folder}'; all workers must share "
                           "that directory with this machine")

    async def _give_up_the_overdue(self) -> None:
        most = self._settings.task_limit + _GRACE
        for key, attempt in list(self._attempts.items()):
            if self._engine.now() - attempt.started >= most:
                await self._engine.abandon(key)
                del self._attempts[key]
                self._allowance.release(key)
                if not self._commit(attempt.work.id):
                    self._fail(attempt.work.id, f"no answer for {most:.0f} seconds")

    def _all_is_in(self) -> bool:
        """A last look for parts that were given up, but are there by now."""
        return not any(self._commit(part_id) for part_id in list(self.plan.given_up))

    def _patience(self) -> float:
        until = self.plan.next_attempt()
        most = _IMPATIENCE if self._attempts and self._free() > 0 else _PATIENCE
        return most if until is None else min(most, max(0.0, until - self._engine.now()))

    def _figures(self) -> Figures:
        now = self._engine.now()
        started = [attempt.started for attempt in self._attempts.values()]
        return Figures(self.plan.entries, self.plan.disk_bytes, len(self.plan.done), len(started),
                       self.plan.waiting, len(self.plan.given_up), self._engine.slots(), now - self._began,
                       now - min(started, default=now))


def _reason(outcome: Outcome) -> str:
    where = f" on {outcome.host}" if outcome.host else ""
    if outcome.code is None:
        return f"{outcome.message}{where}"
    if outcome.code < 0:
        return f"the scan was ended by signal {-outcome.code}{where}"
    return f"{outcome.message or f'the scan ended with exit code {outcome.code}'}{where}"
