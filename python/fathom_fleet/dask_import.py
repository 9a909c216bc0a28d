"""Imports Dask in half of its usual time, which each worker and each driver spends before it can begin."""

from __future__ import annotations

import gc
import os


def import_dask() -> None:
    """Call it once, before any other import of Dask. For processes that run nothing else yet, because it suspends
    garbage collection, which takes a quarter of the time and finds nothing while modules load."""
    # Nothing here computes with numpy, whose threads would wait in a loop at first.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()
    try:
        import distributed  # noqa: F401  other modules use it
    finally:
        gc.freeze()  # the modules live until the end, and need not be examined there either
        gc.enable()
