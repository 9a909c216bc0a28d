"""Scheduler and worker of Dask without their web servers, which are neither encrypted nor ask who is there."""

from __future__ import annotations

from typing import Any

import dask
from distributed import Scheduler, Worker

# A lost link is noticed after this time. Below 11 s, Dask's own time limits contradict each other.
LINK_TIMEOUT = "15s"


def configure() -> None:
    """Requires that nothing of Dask runs in this process yet."""
    dask.config.set({"distributed.comm.timeouts.tcp": LINK_TIMEOUT, "distributed.comm.require-encryption": True,
                     "distributed.worker.profile.enabled": False})


class QuietScheduler(Scheduler):  # type: ignore[misc,unused-ignore]
    """`dashboard_address` is where the dashboard listens; without it, nothing but the scheduler does."""

    def start_http_server(self, routes: Any, dashboard_address: Any, *others: Any, **more: Any) -> None:
        if dashboard_address:
            super().start_http_server(routes, dashboard_address, *others, **more)


class QuietWorker(Worker):  # type: ignore[misc,unused-ignore]
    def start_http_server(self, *nothing: Any, **more: Any) -> None:
        """Does nothing."""
