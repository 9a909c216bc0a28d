"""The progress display of a long run on standard error, with the remaining time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fathom_lab.runner import Step

# Launches take different times, so the estimate uses a long window.
_LOOK_BACK = 3600.0  # seconds


@contextlib.contextmanager
def shown() -> Iterator[Callable[[Step], None]]:
    """Shows the progress of a run while the block lasts. Shows nothing without a terminal."""
    tasks: dict[str, TaskID] = {}
    with _bars() as bars:
        if bars is None:
            yield lambda step: None
            return

        def show(step: Step) -> None:
            if step.experiment not in tasks:
                for before in tasks.values():
                    bars.update(before, visible=False)
                tasks[step.experiment] = bars.add_task("", total=step.total)
            task = tasks[step.experiment]
            bars.update(task, description=_description(step), completed=step.done, total=step.total)
            bars.refresh()

        yield show


@contextlib.contextmanager
def counted(text: str) -> Iterator[Callable[[int, int], None]]:
    """Shows the progress of anything that is counted."""
    with _bars() as bars:
        if bars is None:
            yield lambda done, total: None
            return
        tasks: list[TaskID] = []  # one task, once the total is known

        def show(done: int, total: int) -> None:
            if not tasks:
                tasks.append(bars.add_task(text, total=total))
            bars.update(tasks[0], completed=done, total=total)
            bars.refresh()

        yield show


@contextlib.contextmanager
def _bars() -> Iterator[Progress | None]:
    """The display is drawn only between launches: one that refreshes itself would disturb the measurements."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, auto_refresh=False, transient=True, speed_estimate_period=_LOOK_BACK
    ) as bars:
        yield bars


def _description(step: Step) -> str:
    point = " ".join(f"{name}={value}" for name, value in step.point)
    where = "warm-up" if step.round < 0 else f"round {step.round + 1}"
    return escape(f"{step.experiment}, {where}: {step.contender} {point}".rstrip())
