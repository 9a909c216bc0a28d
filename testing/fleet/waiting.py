"""Waiting for a condition. Nothing here sleeps for a fixed time: the condition is asked again and again, and counts
as failed only after a time that no machine should need."""

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 120  # seconds after which something counts as hung

Value = TypeVar("Value")


def until(condition: Callable[[], Value], what: str = "", patience: float = PATIENCE) -> Value:
    """The value of the condition, as soon as it counts as true. Raises TimeoutError."""
    deadline = time.monotonic() + patience
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {patience:g} s in vain{f' for {what}' if what else ''}")
        time.sleep(0.01)
