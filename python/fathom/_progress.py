"""Progress: the functions that the extension calls while it works."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fathom._errors import UsageError
from fathom._words import shown


class Progress(NamedTuple):
    """What a scan has found so far."""

    entries: int
    disk_bytes: int
    seconds: float
    directory: str  # one that is being read; empty before the first


class Comparing(NamedTuple):
    """How far a search for duplicates is. While the tree is scanned, `bytes_total` is 0."""

    files: int
    files_total: int
    bytes: int
    bytes_total: int
    seconds: float


Told = bool | str | Callable[[Any], object] | None
Callback = Callable[..., object]


@contextlib.contextmanager
def told(progress: Told, kind: type[Progress] | type[Comparing]) -> Iterator[Callback | None]:
    """The function to pass to the extension for what the user asked: a function of their own, a bar, or nothing."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        call = progress
        yield lambda *values: call(kind(*values))
    else:
        with _bar(_library(progress)) as show:
            yield lambda *values: show(kind(*values))


def _library(progress: bool | str) -> str:
    known = ("rich", "tqdm")
    if progress is not True and progress not in known:
        raise UsageError(f"argument 'progress' takes a function, True, 'rich' or 'tqdm', not {progress!r}")
    for name in known if progress is True else (str(progress),):
        if importlib.util.find_spec(name):
            return name
    raise ModuleNotFoundError("a progress bar needs rich or tqdm; pass a function to do without")


def _text(known: Progress | Comparing) -> str:
    if isinstance(known, Progress):
        return f"{known.entries:,} entries, {known.disk_bytes / 2**30:,.1f} GiB  {shown(known.directory)}"
    if known.bytes_total == 0:
        return f"{known.files:,} entries"
    return f"{known.files:,} of {known.files_total:,} files, {100 * known.bytes / known.bytes_total:.0f} %"


@contextlib.contextmanager
def _bar(library: str) -> Iterator[Callable[[Progress | Comparing], None]]:
    if library == "tqdm":
        import tqdm

        with tqdm.tqdm(bar_format="{desc} [{elapsed}]") as bar:
            yield lambda known: bar.set_description_str(_text(known))
    else:
        import rich.console
        import rich.markup

        with rich.console.Console(stderr=True).status("starting") as status:
            yield lambda known: status.update(rich.markup.escape(_text(known)))
