"""Scheduler and worker of Dask without their web servers, which are neither encrypted nor ask who is there."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import dask
from distributed import Scheduler, Worker

# A lost link is noticed after this time. Below 11 s, Dask's own time limits contradict each other.
LINK_TIMEOUT = "15s"


def silence() -> None:
    """Hides the messages of Dask, which are for developers; a worker's end, or a task's, is reported otherwise. To be
    called in a running loop."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    asyncio.get_running_loop().set_exception_handler(_tell)


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Where Dask ends a connection, it leaves waits with a time limit to themselves: nobody asks how they ended."""
    if not isinstance(context.get("exception"), asyncio.TimeoutError):
        loop.default_exception_handler(context)


def configure() -> None:
    """As silence(). Requires that nothing of Dask runs in this process yet."""
    silence()
    dask.config.set({"distributed.comm.timeouts.tcp": LINK_TIMEOUT, "distributed.comm.require-encryption": True,
                     "distributed.worker.profile.enabled": False})


class QuietScheduler(Scheduler):
    """`dashboard_address` is where the dashboard listens; without it, nothing but the scheduler does."""

    def start_http_server(self, routes: Any, dashboard_address: Any, *others: Any, **more: Any) -> None:
        if dashboard_address:
            super().start_http_server(routes, dashboard_address, *others, **more)  # type: ignore[no-untyped-call]


class QuietWorker(Worker):
    def start_http_server(self, *nothing: Any, **more: Any) -> None:
        """Does nothing."""
