"""Launcher: starts a worker in each place, and again if it ends."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from fathom_fleet.errors import shown
from fathom_fleet.place import Place
from fathom_fleet.worker import UNFIT

_FIRST_DELAY = 1.0  # seconds before a worker is started again; doubles until one comes
_LONGEST_DELAY = 60.0
_COMING = 300.0  # seconds in which a started worker must report, if its place has no shorter patience
_ENDING = 8.0  # seconds for workers to end by themselves


class Launcher:
    """`orders(place, number)` is the line that the number-th worker of a place gets on its standard input. `tell` gets
    one sentence for each thing that the user should know. All calls are made in one event loop."""

    def __init__(self, places: list[Place], orders: Callable[[Place, int], str], tell: Callable[[str], None]) -> None:
        self.given_up: dict[str, str] = {}  # places, and why
        self._places = places
        self._orders = orders
        self._tell = tell
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._ending = asyncio.Event()

    def start(self) -> None:
        self._keepers = [asyncio.create_task(self._keep(place)) for place in self._places]

    @property
    def hopeless(self) -> bool:
        """No place has a worker, or will have one."""
        return len(self.given_up) == len(self._places)

    def restart(self, name: str) -> None:
        """Kills the worker of that place, or the connection to it; another one is started."""
        if process := self._processes.get(name):
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    def give_up(self, name: str, why: str) -> None:
        """No worker is started in that place again."""
        if name not in self.given_up:
            self.given_up[name] = why
            self._tell(f"{shown(name)} gets no more work: {why}")
            self.restart(name)

    async def stop(self) -> None:
        """Ends all workers."""
        self._ending.set()
        for process in self._processes.values():
            if process.stdin:
                process.stdin.close()
        if self._keepers:
            await asyncio.wait(self._keepers, timeout=_ENDING)
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def _keep(self, place: Place) -> None:
        last_seen = time.monotonic()
        delay = _FIRST_DELAY
        number = 0
        told = False
        while not self._ending.is_set() and place.name not in self.given_up:
            number += 1
            came, code, why = await self._run(place, number)
            if self._ending.is_set() or place.name in self.given_up:
                return
            if code == UNFIT:
                self.give_up(place.name, f"it {why}" if why.startswith(("has ", "does ")) else why)
                return
            if came:
                last_seen = time.monotonic()
                delay = _FIRST_DELAY
                told = False
                self._tell(f"{shown(place.name)}: the worker was lost ({why}); starting it again")
            elif time.monotonic() - last_seen >= place.patience:
                self.give_up(place.name, f"no worker could be started there ({why})")
                return
            elif not told:
                told = True  # at once, because the scan may end before the place is given up
                self._tell(f"{shown(place.name)}: no worker could be started there ({why}); trying again")
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ending.wait(), delay)
            delay = min(_LONGEST_DELAY, 2 * delay)

    async def _run(self, place: Place, number: int) -> tuple[bool, int, str]:
        """Whether the worker came, its exit code, and why it ended."""
        try:
            # Ctrl-C in the terminal is for the driver alone, which ends its workers in order.
            process = await asyncio.create_subprocess_exec(
                *place.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE, start_new_session=True)
        except OSError as why:
            return False, -1, f"cannot run {place.command[0]}: {why.strerror}"
        self._processes[place.name] = process
        try:
            assert process.stdin and process.stdout and process.stderr
            last_line = asyncio.create_task(_last_line(process.stderr))
            with contextlib.suppress(ConnectionError):
                process.stdin.write(self._orders(place, number).encode() + b"\n")
                await process.stdin.drain()
            if self._ending.is_set():
                process.stdin.close()
            came = asyncio.create_task(_says_ready(process.stdout))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(came), max(_COMING, place.patience))
            if not came.done():
                process.kill()
            code = await process.wait()
            return await came, code, await last_line or f"exit code {code}"
        finally:
            self._processes.pop(place.name, None)
            with contextlib.suppress(ProcessLookupError):
                process.kill()


async def _says_ready(output: asyncio.StreamReader) -> bool:
    """The shell of a remote host may say other things first."""
    try:
        while line := await output.readline():
            if line.strip() == b"ready":
                return True
    except ValueError:  # a line without end
        pass
    return False


async def _last_line(output: asyncio.StreamReader) -> str:
    last = b""
    while some := await output.read(4096):
        last = (last + some)[-4096:]
    lines = last.decode(errors="replace").strip().splitlines()
    return shown(lines[-1]) if lines else ""
