"""Clusters: the engine on Dask, with a scheduler in this process or one that runs already."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from distributed import Client, Future

from fathom_fleet import task as tasks
from fathom_fleet import versions
from fathom_fleet.credentials import Credentials
from fathom_fleet.engine import Outcome, Task
from fathom_fleet.errors import FleetError, shown
from fathom_fleet.hosts import HostLost
from fathom_fleet.launcher import Launcher
from fathom_fleet.place import Place
from fathom_fleet.quiet import QuietScheduler, configure, silence
from fathom_fleet.worker import Orders

_LOOK = 0.2  # seconds between looks at which workers there are
_ANSWER = 30.0  # seconds for a worker to answer a question
_UNANSWERED = 3  # questions after which a scheduler counts as gone
_PATIENCE = 3.0  # seconds for all workers to do something at once


class Cluster:
    """What both kinds share; see Engine. An asynchronous context manager, which ends what it started."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._client: Any = None
        self._outcomes: asyncio.Queue[Outcome | None] = asyncio.Queue()  # None: the number of slots has changed
        self._futures: dict[str, Future[Any]] = {}
        self._unended: set[str] = set()  # keys of tasks whose children may run, also if abandoned or lost
        self._only: dict[str, list[str]] = {}  # of tasks that other workers may not run: the addresses
        self._watchers: set[asyncio.Task[None]] = set()
        self._workers: dict[str, int] = {}  # those that get tasks: address and slots
        self._excluded: set[str] = set()  # addresses of those that get none
        self._attendant: asyncio.Task[None] | None = None

    def now(self) -> float:
        return time.monotonic()

    def slots(self) -> int:
        return sum(self._workers.values())

    def submit(self, task: Task) -> None:
        only = list(self._workers) if self._excluded else None
        future = self._client.submit(tasks.run, task.argv, task.limit, task.key, key=task.key, pure=False, workers=only,
                                     **self._more(task))
        self._futures[task.key] = future
        self._unended.add(task.key)
        if only:  # Dask takes none for any
            self._only[task.key] = only
        self._start(self._watch(task.key, future))

    def hand_back(self, keys: Sequence[str]) -> None:
        # All workers are asked, because that is one call, and those that run the tasks know it best.
        self._start(self._run_everywhere(tasks.hand_back, keys))

    async def outcomes(self, patience: float) -> list[Outcome]:
        if self.slots() == 0:
            self._check_hope()
        ended = []
        with contextlib.suppress(asyncio.TimeoutError):
            ended.append(await asyncio.wait_for(self._outcomes.get(), patience))
        while not self._outcomes.empty():
            ended.append(self._outcomes.get_nowait())
        self._check_connection()  # before what was lost with it counts as failed
        return [outcome for outcome in ended if outcome is not None]

    async def abandon(self, key: str) -> None:
        future = self._futures.pop(key, None)
        address = await self._worker_of(key)
        if future is not None:
            future.release()
        if address is not None:
            self._exclude(address)
            self._hangs(address)

    async def call(self, host: str, function: Callable[..., object], *arguments: object) -> object:
        """Runs the function on a worker of that host; waits for one if necessary. Raises HostLost."""
        future = self._client.submit(function, *arguments, key=f"call-{secrets.token_hex(8)}", pure=False,
                                     resources={f"host_{host}": 1})
        answer = asyncio.ensure_future(future.result())
        try:
            while not (await asyncio.wait([answer], timeout=_LOOK))[0]:
                if why := self._is_given_up(host):
                    raise HostLost(why, final=True)
            return answer.result()
        except HostLost:
            raise
        except Exception as why:
            raise HostLost(_in_a_sentence(why)) from why
        finally:
            answer.cancel()
            future.release()

    async def terminate(self) -> None:
        """Ends the child processes of its tasks on all workers, as far as they answer."""
        await self._run_everywhere(tasks.terminate, list(self._unended))

    async def _run_everywhere(self, function: Callable[..., object], *arguments: object) -> None:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._client.run(function, *arguments, on_error="ignore"), _PATIENCE)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        watcher = asyncio.create_task(work)
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def _watch(self, key: str, future: Any) -> None:
        try:
            ran = await future.result()
        except asyncio.CancelledError:
            if asyncio.current_task() is not None and future.status != "cancelled":
                raise
            outcome = Outcome(key, None, "the task was lost")
        except Exception as why:
            outcome = Outcome(key, None, "the task was lost" if future.cancelled() else _in_a_sentence(why))
        else:
            self._unended.discard(key)
            outcome = Outcome(key, ran.code, ran.message, ran.host)
            if ran.stuck and (address := await self._holder(future)):
                self._exclude(address)
                self._is_stuck(address)
        self._only.pop(key, None)
        if self._futures.pop(key, None) is not None:
            future.release()
        self._outcomes.put_nowait(outcome)

    async def _attend(self) -> None:
        """Keeps the list of workers."""
        while True:
            there = await self._there()
            for address in self._workers.keys() - there.keys():
                del self._workers[address]
                self._outcomes.put_nowait(None)
            self._excluded &= there.keys()
            for key, only in self._only.items():
                if there.keys().isdisjoint(only) and key in self._futures:
                    self._futures[key].release()  # Dask would wait for one of them to come back
            for address in there.keys() - self._workers.keys() - self._excluded:
                wrong = await self._wrong_versions(address)
                if wrong:
                    self._tell(f"the worker at {address} gets no work: {wrong}")
                    self._excluded.add(address)
                else:
                    self._workers[address] = there[address]
                    self._outcomes.put_nowait(None)
            await asyncio.sleep(_LOOK)

    def _exclude(self, address: str) -> None:
        self._excluded.add(address)
        self._workers.pop(address, None)
        self._outcomes.put_nowait(None)

    def _more(self, task: Task) -> dict[str, Any]:
        return {"resources": {f"host_{task.host}": 1}} if task.host else {}

    async def _holder(self, future: Any) -> str | None:
        """The worker that has the result."""
        with contextlib.suppress(Exception):
            holders = await asyncio.wait_for(self._client.who_has([future]), _ANSWER)
            return next((str(address) for address in next(iter(holders.values()), ())), None)
        return None

    async def _begin(self) -> None:
        self._attendant = asyncio.create_task(self._attend())

    async def _end(self) -> None:
        for waiting in (self._attendant, *self._watchers):
            if waiting is not None:
                waiting.cancel()
        await asyncio.gather(*(one for one in (self._attendant, *self._watchers) if one), return_exceptions=True)
        if self._client is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.close(timeout=2), 5)

    # What the kinds do differently.

    async def _there(self) -> Mapping[str, int]:
        """All workers: address and slots."""
        raise NotImplementedError

    async def _worker_of(self, key: str) -> str | None:
        """The address of the worker that runs the task."""
        raise NotImplementedError

    async def _wrong_versions(self, address: str) -> str:
        """Why a new worker cannot be used; empty if it can."""
        return ""

    def _is_given_up(self, host: str) -> str:
        """Why no worker will come on that host; empty if one may."""
        return ""

    def _check_hope(self) -> None:
        """Called while there are no workers. Raises FleetError if none will come."""

    def _check_connection(self) -> None:
        """Raises FleetError if the scheduler is lost for good."""

    def _hangs(self, address: str) -> None:
        """The worker does not answer."""

    def _is_stuck(self, address: str) -> None:
        """A child of the worker cannot be ended."""


class OwnCluster(Cluster):
    """The scheduler runs in this process, listens at `address`, and its workers are started in `places`. `fathom` is
    the command there; `ours` are the versions that it and they must have; `folder`, if given, they must see."""

    def __init__(self, places: list[Place], fathom: str, ours: dict[str, str], address: str,
                 tell: Callable[[str], None], dashboard: str | None = None, folder: str = "") -> None:
        super().__init__(tell)
        self._address = address
        self._fathom = fathom
        self._dashboard = dashboard
        self._folder = folder
        self._credentials = Credentials.make()
        self._versions = ours
        self._launcher = Launcher(places, self._orders, tell)
        self._scheduler: Any = None
        self._places: dict[str, str] = {}  # of workers, by their names

    async def __aenter__(self) -> OwnCluster:
        configure()
        security = self._credentials.security()
        try:
            self._scheduler = await QuietScheduler(
                host=self._address, port=0, protocol="tls", security=security, dashboard=bool(self._dashboard),
                dashboard_address=self._dashboard)
        except RuntimeError as why:
            raise FleetError(f"cannot listen at the address '{shown(self._address)}': "
                             f"{_in_a_sentence(why.__cause__ or why)}") from why
        self._client = await Client(self._scheduler.address, security=security, asynchronous=True, set_as_default=False)
        if self._dashboard:
            http = self._scheduler.http_server
            self._tell(f"dashboard: http://{http.address}:{http.port}/status")
        self._launcher.start()
        await self._begin()
        return self

    async def __aexit__(self, *why: object) -> None:
        await self._launcher.stop()
        await self._end()
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._scheduler.close(), 5)

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self._scheduler.address)

    def _orders(self, place: Place, number: int) -> str:
        name = f"{place.name}, {number}"  # Dask refuses a name whose last bearer it still believes to be there
        self._places[name] = place.name
        return Orders(self.address, name, place.name, place.tasks, self._fathom, self._folder,
                      self._versions, self._credentials.certificate, self._credentials.key).to_json()

    async def _there(self) -> Mapping[str, int]:
        return {address: worker.nthreads for address, worker in self._scheduler.workers.items()
                if worker.status.name == "running"}

    async def _worker_of(self, key: str) -> str | None:
        state = self._scheduler.tasks.get(key)
        return str(state.processing_on.address) if state is not None and state.processing_on else None

    def _is_given_up(self, host: str) -> str:
        return self._launcher.given_up.get(host, "")

    def _check_hope(self) -> None:
        if self._launcher.hopeless:
            name, why = next(iter(self._launcher.given_up.items()))
            raise FleetError(f"no worker is left; {shown(name)}: {why}")

    def _place_of(self, address: str) -> str | None:
        worker = self._scheduler.workers.get(address)
        return self._places.get(worker.name) if worker is not None else None

    def _hangs(self, address: str) -> None:
        if place := self._place_of(address):
            self._tell(f"{shown(place)}: the worker does not answer; starting another one")
            self._launcher.restart(place)

    def _is_stuck(self, address: str) -> None:
        if place := self._place_of(address):
            self._launcher.give_up(place, "a scan hangs there and cannot be ended")


class ForeignCluster(Cluster):
    """A scheduler that runs already, at an address or described by a file; its workers are somebody else's."""

    def __init__(self, address: str | None, file: str | None, fathom: str, ours: dict[str, str],
                 tell: Callable[[str], None], patience: float = 120.0) -> None:
        super().__init__(tell)
        self._where = {"address": address} if address else {"scheduler_file": file}
        self._name = address or file or ""
        self._fathom = fathom
        self._versions = ours
        self._patience = patience  # seconds without a worker
        self._last_seen = self.now()
        self._known: dict[str, int] = {}  # the last answer to which workers there are
        self._unanswered = 0  # questions since then

    async def __aenter__(self) -> ForeignCluster:
        silence()
        try:
            self._client = await Client(**self._where, asynchronous=True, set_as_default=False, timeout=_ANSWER)
        except (OSError, ValueError, TypeError, asyncio.TimeoutError) as why:
            raise FleetError(f"cannot reach the scheduler '{shown(self._name)}': {why or 'no answer'}") from why
        connection = str(self._client.scheduler.address)
        if connection.startswith("tcp://") and not connection.startswith(("tcp://127.", "tcp://[::1]")):
            self._tell(f"the connection to {connection} is not encrypted; all who reach it can run programs on the "
                       "workers")
        await self._begin()
        return self

    async def __aexit__(self, *why: object) -> None:
        await self.terminate()
        await self._end()

    async def _there(self) -> Mapping[str, int]:
        try:
            there = await asyncio.wait_for(self._client.scheduler.ncores(), _ANSWER)
        except Exception:
            self._unanswered += 1
            return self._known if self._unanswered < _UNANSWERED else {}
        self._unanswered = 0
        self._known = {str(address): int(slots) for address, slots in there.items()}
        return self._known

    async def _worker_of(self, key: str) -> str | None:
        with contextlib.suppress(Exception):
            processing = await asyncio.wait_for(self._client.processing(), _ANSWER)
            return next((str(address) for address, keys in processing.items() if key in keys), None)
        return None

    async def _wrong_versions(self, address: str) -> str:
        try:
            asked = self._client.run(versions.versions, self._fathom, workers=[address])
            answers = await asyncio.wait_for(asked, _ANSWER)
        except Exception as why:
            return _in_a_sentence(why)
        wrong = versions.difference(self._versions, answers[address])
        return f"it {wrong}" if wrong else ""

    def _check_connection(self) -> None:
        if self._is_closed():
            raise FleetError(f"the connection to the scheduler '{shown(self._name)}' was lost")

    def _check_hope(self) -> None:
        self._check_connection()
        if self.now() - self._last_seen >= self._patience:
            raise FleetError(f"the scheduler '{shown(self._name)}' has no worker that can be used")

    def slots(self) -> int:
        slots = 0 if self._is_closed() else super().slots()
        if slots:
            self._last_seen = self.now()
        return slots

    def _is_closed(self) -> bool:
        return self._client.status in ("closing", "closed")  # Dask has tried in vain to connect again

    def _hangs(self, address: str) -> None:
        self._tell(f"the worker at {address} does not answer and gets no more work")

    def _is_stuck(self, address: str) -> None:
        self._tell(f"the worker at {address} gets no more work: a scan hangs there and cannot be ended")


def _in_a_sentence(why: BaseException) -> str:
    name = type(why).__name__
    if name == "KilledWorker":
        return "its workers were lost"
    first = shown((str(why).strip().splitlines() or [""])[0])
    return first or name
