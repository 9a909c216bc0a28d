"""The program of a worker: `python -m fathom_fleet.worker`, which the driver starts, over ssh for example.

Its standard input is one line of JSON (see Orders), and stays open: when it ends, because the driver or the connection
has, the worker and its children end. Prints `ready` when it is part of the fleet. Exit codes: 0 told to end, 1 the
scheduler cannot be reached or was lost, 3 the versions differ or the folder is not there; standard error has one
sentence that says why.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import signal
import socket
import sys
import tempfile
import threading

from fathom_fleet import task
from fathom_fleet.credentials import Credentials
from fathom_fleet.dask_import import import_dask
from fathom_fleet.errors import FleetError, shown
from fathom_fleet.scratch import remove_leftovers, scratch

LOST = 1
UNFIT = 3
_LATEST = 60.0  # seconds in which the scheduler must be reached


@dataclasses.dataclass(frozen=True)
class Orders:
    """What a worker has to know."""

    scheduler: str  # address, as Dask writes it
    name: str  # unique among all workers, also those that are gone
    host: str  # as users call it; tasks may ask for the resource host_HOST
    tasks: int  # at a time
    fathom: str
    folder: str  # must be visible here; empty if it need not
    versions: dict[str, str]
    certificate: str
    key: str

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))


def main() -> int:
    try:
        orders = Orders(**json.loads(sys.stdin.readline()))
    except (ValueError, TypeError):
        print("this program is started by `fathom fleet`", file=sys.stderr)
        return LOST
    from fathom_fleet.versions import difference, versions

    try:
        wrong = difference(orders.versions, versions(orders.fathom)) or _unseen(orders.folder)
    except FleetError as why:
        wrong = str(why)
    if wrong:
        print(wrong, file=sys.stderr)
        return UNFIT
    remove_leftovers()
    with scratch() as directory:
        return asyncio.run(_serve(orders, directory))


def _unseen(folder: str) -> str:
    if not folder or os.path.exists(os.path.join(folder, "fleet.json")):
        return ""
    return f"does not see '{shown(folder)}', which all workers must share with this machine"


async def _serve(orders: Orders, directory: str) -> int:
    import_dask()
    from fathom_fleet.quiet import QuietWorker, configure

    configure()
    tempfile.tempdir = directory  # what tasks leave behind is removed with it
    told_to_end = asyncio.Event()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read_to_the_end, args=(loop, told_to_end), daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, told_to_end.set)
    try:
        worker = await asyncio.wait_for(QuietWorker(
            orders.scheduler, nthreads=orders.tasks, name=orders.name, host=_own_address(orders.scheduler),
            resources={f"host_{orders.host}": orders.tasks}, memory_limit=0, local_directory=directory,
            security=Credentials(orders.certificate, orders.key).security(), death_timeout=_LATEST), _LATEST)
    except (OSError, asyncio.TimeoutError, ValueError) as why:
        print(f"cannot reach the driver at {orders.scheduler}: {why or 'no answer'}", file=sys.stderr)
        return LOST
    print("ready", flush=True)
    ends = [asyncio.ensure_future(told_to_end.wait()), asyncio.ensure_future(worker.finished())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    task.terminate()
    if told_to_end.is_set():
        try:
            await asyncio.wait_for(worker.close(timeout=2), 5)
        finally:
            _end_now(0, directory)
    print("the connection to the driver was lost", file=sys.stderr)
    _end_now(LOST, directory)
    return LOST


def _end_now(code: int, directory: str) -> None:
    """Does not wait for threads whose children cannot be ended."""
    import shutil

    shutil.rmtree(directory, ignore_errors=True)
    sys.stderr.flush()
    os._exit(code)


def _read_to_the_end(loop: asyncio.AbstractEventLoop, then: asyncio.Event) -> None:
    while os.read(0, 4096):
        pass
    loop.call_soon_threadsafe(then.set)


def _own_address(scheduler: str) -> str:
    """The address of this machine by which it reaches the scheduler, and so the one by which it can be reached."""
    host, _, port = scheduler.rpartition("://")[2].rpartition(":")
    return own_address_towards(host.strip("[]"), int(port))


def own_address_towards(host: str, port: int = 9) -> str:
    """Raises OSError if there is no route to the host. Sends nothing."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.connect(address)
        return str(probe.getsockname()[0])


if __name__ == "__main__":
    sys.exit(main())
