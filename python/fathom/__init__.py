"""Fathom: what fills a filesystem, as tables.

    >>> import fathom
    >>> scan = fathom.scan("/usr/share")
    >>> scan.totals.disk_bytes == sum(row["disk_bytes"] for row in scan.reports.owners() if row["kind"] == "user")
    True

A scan is a table with a row for each entry, which pyarrow, Polars, DuckDB and pandas take as it is. Options have the
names of the command's flags, with `_` instead of `-`. docs/PYTHON.md has recipes.
"""

from __future__ import annotations

import atexit
import os

from fathom import _fathom
from fathom._errors import Error, NotFound, UsageError
from fathom._progress import Comparing, Progress, Told, told
from fathom._results import Balance, Diff, Duplicates
from fathom._scan import Reports, Scan, Snapshot, Totals
from fathom._table import ArrowTable, Table
from fathom._words import Moment, Path, Paths, Words, file_list, from_anywhere, natural, root_list, shown, words

__all__ = [
    "ArrowTable", "Balance", "Comparing", "Diff", "Duplicates", "Error", "NotFound", "Progress", "Reports", "Scan",
    "Snapshot", "Table", "Totals", "UsageError", "diff", "duplicates", "open", "scan", "snapshot", "snapshots",
]
__version__: str = _fathom.version

atexit.register(_fathom.end_work)  # of daemon threads


def scan(paths: Paths = ".", *, exclude: Words = (), exclude_from: Paths = (), exclude_caches: bool = False,
         exclude_kernfs: bool = False, no_hidden: bool = False, only: Words = (), min_size: int | str | None = None,
         newer: Moment | None = None, older: Moment | None = None, type: Words | None = None, ext: Words | None = None,
         where: str | None = None, apparent_size: bool = False, one_file_system: bool = False,
         threads: int | None = None, engine: str | None = None, max_ops: int | None = None, links: bool = False,
         explain: bool = False, progress: Told = None) -> Scan:
    """Scans one path or several, and everything below. Symbolic links are not followed.

    The options are those of `fathom scan --help`. Sizes are numbers of bytes or text such as "1.5GiB"; moments are
    dates, times (rounded up to whole seconds), timedeltas ("so long ago") or text such as "7d". `apparent_size` says
    which size `min_size` means.
    `links` reads the targets of symbolic links, for `reports.symlinks()`; `explain` asks the filesystems for their
    figures, for `reports.explain()`.

    `progress` is called about ten times a second with a `Progress`; True, "rich" or "tqdm" shows a line. Its exceptions
    end the scan, as does Ctrl-C.

    Other threads of Python run meanwhile. Raises NotFound if none of the paths exists, UsageError for wrong options.
    What cannot be read is in `Scan.errors`.
    """
    selection = words({
        "exclude": exclude, "exclude_from": file_list(exclude_from), "exclude_caches": exclude_caches,
        "exclude_kernfs": exclude_kernfs, "no_hidden": no_hidden, "only": only, "min_size": min_size, "newer": newer,
        "older": older, "type": type, "ext": ext, "where": where, "one_file_system": one_file_system})
    others = words({"apparent_size": apparent_size, "threads": threads, "engine": engine, "max_ops": max_ops})
    options = [*selection, *others]
    with told(progress, Progress) as callback:
        return Scan(_fathom.scan([*options, "--", *root_list(paths)], selection, links, explain, callback),
                    lambda roots: _fathom.scan([*options, "--", *roots], selection, False, False, None))


def snapshot(paths: Paths = ".", *, tag: str | None = None, store: Path | None = None, exclude: Words = (),
             exclude_from: Paths = (), exclude_caches: bool = False, exclude_kernfs: bool = False,
             no_hidden: bool = False, only: Words = (), min_size: int | str | None = None, newer: Moment | None = None,
             older: Moment | None = None, type: Words | None = None, ext: Words | None = None,
             one_file_system: bool = False, threads: int | None = None, engine: str | None = None,
             max_ops: int | None = None, progress: Told = None) -> Scan:
    """Scans, and keeps the result as a snapshot in a store, as `fathom snapshot` does.

    `store`: its directory; None: the user's. The other arguments, and exceptions, are as those of `scan()`. Older
    snapshots stay; `fathom snapshot --keep` removes some.
    """
    options = words({
        "tag": tag, "store": _directory(store), "exclude": exclude, "exclude_from": file_list(exclude_from),
        "exclude_caches": exclude_caches, "exclude_kernfs": exclude_kernfs, "no_hidden": no_hidden, "only": only,
        "min_size": min_size, "newer": newer, "older": older, "type": type, "ext": ext,
        "one_file_system": one_file_system, "threads": threads, "engine": engine, "max_ops": max_ops})
    with told(progress, Progress) as callback:
        return Scan(_fathom.keep([*options, "--", *root_list(paths)], callback))


def open(source: Path, *, store: Path | None = None) -> Scan:
    """Opens what was scanned before.

    `source`: the name of a snapshot ("@latest", "@7d", "@2026-11-20", "@TAG"; `store` is the directory of its store),
    the directory of a snapshot, or the file of an export of `fathom scan --format ncdu`, ncdu or gdu. The entries of a
    snapshot are read when they are needed. Raises NotFound if there is no such thing, Error if it is damaged.
    """
    text = os.fsdecode(source)
    if text.startswith("@"):
        return Scan(_fathom.open_snapshot(_fathom.find_snapshot(text, _directory(store))))
    if not text:
        raise UsageError("the name of what to open is empty")
    text = from_anywhere(text)  # so that the snapshot is known after a change of the directory; and "-" is a file
    if os.path.isdir(text):
        return Scan(_fathom.open_snapshot(text))
    try:
        os.lstat(text)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"cannot open {shown(text)}: {error.strerror}") from None
    except OSError:
        pass  # the next line says why
    return Scan(_fathom.read_export([f"--from={text}"]))


def snapshots(path: Path | None = None, *, store: Path | None = None) -> list[Snapshot]:
    """The snapshots of a store, the oldest first; with a path, those of every host that contain it."""
    kept = _fathom.snapshots(None if path is None else os.fsdecode(path), _directory(store))
    return [Snapshot.of(facts, facts["path"]) for facts in kept]


def diff(a: Scan | Path, b: Scan | Path = "now", *, path: Path | None = None, most: int = 1000,
         apparent_size: bool = False, store: Path | None = None) -> Diff:
    """What changed from `a` to `b`, exactly.

    Each is a scan, or what `open()` takes. If `b` is "now", the paths of `a` are scanned again, with its options.
    `path`: only this directory and what is below. `most`: rows of the tables of entries. Raises NotFound if the two
    have no path in common, or none that contains `path`.
    """
    first = a if isinstance(a, Scan) else open(a, store=store)
    second = b if isinstance(b, Scan) else _again(first) if b == "now" else open(b, store=store)
    only = None if path is None else _real(os.fsdecode(path))
    return Diff(_fathom.diff(first._inner, second._inner, only, natural("most", most), apparent_size))


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError as error:  # it begins in a directory that is removed
        raise NotFound(f"cannot open {shown(path)}: {error.strerror}") from None


def _again(before: Scan) -> Scan:
    kept = before.snapshot
    if kept is None and before._again is not None:
        return Scan(before._again(before.roots), before._again)
    if kept is None or kept.imported:
        raise UsageError("what was imported cannot be compared with now: its options are unknown")
    return Scan(_fathom.scan([*kept.selection, "--", *kept.roots], kept.selection, False, False, None))


def duplicates(paths: Paths = ".", *, min_size: int | str | None = None, empty: bool = False, exclude: Words = (),
               exclude_from: Paths = (), exclude_caches: bool = False, exclude_kernfs: bool = False,
               no_hidden: bool = False, only: Words = (), newer: Moment | None = None, older: Moment | None = None,
               ext: Words | None = None, one_file_system: bool = False, threads: int | None = None,
               drop_cache: bool = False, progress: Told = None) -> Duplicates:
    """The files that have the same content, byte by byte. Nothing is changed.

    `min_size`: only files of so many bytes or more; `empty`: also empty files. The other options are those of
    `fathom dups --help`. `progress` is called with a `Comparing`. Exceptions are those of `scan()`.
    """
    options = words({
        "min_size": min_size, "empty": empty, "exclude": exclude, "exclude_from": file_list(exclude_from),
        "exclude_caches": exclude_caches, "exclude_kernfs": exclude_kernfs, "no_hidden": no_hidden, "only": only,
        "newer": newer, "older": older, "ext": ext, "one_file_system": one_file_system, "threads": threads,
        "drop_cache": drop_cache})
    with told(progress, Comparing) as callback:
        return Duplicates(_fathom.duplicates([*options, "--", *root_list(paths)], callback))


def _directory(store: Path | None) -> str | None:
    # Absolute, so that snapshots are known after a change of the directory.
    return from_anywhere(os.fsdecode(store)) if store else None if store is None else ""
