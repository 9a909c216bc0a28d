"""Scans, their reports, and snapshots."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom import _fathom
from fathom._errors import UsageError
from fathom._table import ArrowTable, Table
from fathom._words import natural, shown

if TYPE_CHECKING:
    import duckdb


class Totals(NamedTuple):
    """Sums over a scan, as `du` counts: a file with several names once, a directory with its own size."""

    entries: int
    files: int
    dirs: int
    symlinks: int
    others: int
    disk_bytes: int
    apparent_bytes: int


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """What a store knows about a snapshot without reading its entries."""

    id: str
    tag: str
    host: str
    roots: list[str]
    selection: list[str]  # the options that decided what counts, as of the command: "--exclude=*.o"
    imported: bool
    started: datetime.datetime
    ended: datetime.datetime
    entries: int
    disk_bytes: int
    apparent_bytes: int
    complete: bool
    path: str  # its directory, with the files entries.parquet, dirs.parquet and errors.parquet

    @staticmethod
    def of(facts: dict[str, Any], path: str) -> Snapshot:
        """Of a dictionary of the extension."""
        names = {field.name for field in dataclasses.fields(Snapshot)}
        known = {name: value for name, value in facts.items() if name in names}
        known |= {"started": _time(facts["started_ns"]), "ended": _time(facts["ended_ns"]), "path": path}
        return Snapshot(**known)


def _time(nanoseconds: int) -> datetime.datetime:
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return epoch + datetime.timedelta(microseconds=nanoseconds // 1000)


class Selected(ArrowTable):
    """Some columns of the entries of a scan."""

    def __init__(self, inner: _fathom.Scan, columns: list[str]) -> None:
        self._inner = inner
        self.columns = columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._inner.stream(self.columns)


class Scan(ArrowTable):
    """The entries of a filesystem at one moment, as a table. `fathom.scan()` and `fathom.open()` make one.

    Each entry is a row; docs/SNAPSHOT.md describes the columns. Everything below a directory is one interval of rows.
    Immutable, and safe to use from several threads.
    """

    def __init__(self, inner: _fathom.Scan, again: Callable[[list[str]], _fathom.Scan] | None = None) -> None:
        self._inner = inner
        self._again = again  # scans roots with the same options; None: see `snapshot`, or they are unknown
        self.reports = Reports(inner)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._inner.stream([])

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return _fathom.columns()

    def select(self, *columns: str) -> Selected:
        """The table with only these columns: what is not selected is not computed."""
        known = self.columns
        if not columns:
            raise UsageError("select() takes the name of at least one column")
        for name in columns:
            if name not in known:
                raise UsageError(f"there is no column {name!r}; there are {', '.join(known)}")
        return Selected(self._inner, list(columns))

    def __len__(self) -> int:
        """The number of rows: `totals.entries`, and the directories that options left out but for their contents."""
        return self._inner.rows()

    def __bool__(self) -> bool:
        return True  # without counting rows

    @property
    def roots(self) -> list[str]:
        """The absolute paths that were scanned."""
        return self._inner.roots()

    @property
    def totals(self) -> Totals:
        """Sums over everything."""
        return Totals(**self._inner.totals())

    @property
    def complete(self) -> bool:
        """Whether everything could be read. If not, sizes are lower bounds, and `errors` says where."""
        return self._inner.complete()

    @property
    def errors(self) -> Table:
        """What could not be read, and why."""
        return self.reports.errors()

    @property
    def seconds(self) -> float:
        """How long the scan, or the reading of the export or snapshot, took."""
        return self._inner.seconds()

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot that this is; None if it is a scan or an export."""
        facts, folder = self._inner.facts(), self._inner.folder()
        return None if facts is None or folder is None else Snapshot.of(facts, folder)

    def sql(self, query: str, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
        """Asks in SQL, with the entries as the table `entries`. Needs DuckDB.

        Of a snapshot, DuckDB reads only the columns and rows that the query needs. With a connection of your own, other
        tables can be joined; its temporary view `entries` is replaced, so read a result before you ask another scan.

            scan.sql("select ext, sum(charged_blocks) * 512 as bytes from entries group by ext order by bytes desc")
        """
        import duckdb

        connection = connection or duckdb.connect()
        folder = self._inner.folder()
        # Whatever is there of an earlier call: the one kind of view does not replace the other.
        connection.unregister("entries")
        connection.execute("drop view if exists temp.entries")
        file = None if folder is None else _quoted(os.path.join(folder, "entries.parquet"))
        if file is None:
            connection.register("entries", self)
        else:
            # The names of directories are not columns.
            table = f"read_parquet({file}, hive_partitioning = false)"
            connection.execute(f"create temp view entries as select * from {table}")
        return connection.sql(query)

    def __repr__(self) -> str:
        totals = self.totals
        return (f"<fathom.Scan of {', '.join(map(shown, self.roots))}: {'' if self.complete else 'at least '}"
                f"{totals.entries:,} entries, {totals.disk_bytes:,} bytes on disk>")


def _quoted(file: str) -> str | None:
    """The path in SQL. None if DuckDB would take it for a pattern, or cannot take it because it is not UTF-8."""
    if any(c in "*?[\\" or "\udc80" <= c <= "\udcff" for c in file):
        return None
    return "'" + file.replace("'", "''") + "'"


Age = str | datetime.timedelta


class Reports:
    """The reports of `fathom scan`. They sort by the size on the disk, or with `apparent_size` by that of `ls -l`."""

    def __init__(self, inner: _fathom.Scan) -> None:
        self._inner = inner

    def _report(self, key: str, *, count: int = 0, within: float = 0, apparent_size: bool = False) -> Table:
        most = natural("count", count)
        return Table(self._inner.report(key, most, within, apparent_size), key)

    def summary(self) -> Table:
        """One row: the number of entries, their sizes, and the time."""
        return self._report("summary")

    def largest_files(self, count: int = 10, *, apparent_size: bool = False) -> Table:
        """The largest files, the largest first."""
        return self._report("largest_files", count=count, apparent_size=apparent_size)

    def largest_dirs(self, count: int = 10, *, apparent_size: bool = False) -> Table:
        """The largest directories with everything below them, the largest first."""
        return self._report("largest_dirs", count=count, apparent_size=apparent_size)

    def recent(self, within: Age = "7d", *, apparent_size: bool = False) -> Table:
        """The entries that were modified at most so long before the scan, the latest first."""
        seconds = within.total_seconds() if isinstance(within, datetime.timedelta) else _fathom.age(within)
        return self._report("recent", within=seconds, apparent_size=apparent_size)

    def extensions(self, *, apparent_size: bool = False) -> Table:
        """Files and sizes by extension, the largest first."""
        return self._report("extensions", apparent_size=apparent_size)

    def empty_dirs(self) -> Table:
        """The empty directories, by path."""
        return self._report("empty_dirs")

    def symlinks(self) -> Table:
        """The symbolic links and their targets, by path. Targets are known after `fathom.scan(links=True)`."""
        return self._report("symlinks")

    def errors(self) -> Table:
        """What could not be read, and why, by path."""
        return self._report("errors")

    def metrics(self, *, apparent_size: bool = False) -> Table:
        """Every directory, with counts and sizes of its own entries and of everything below it."""
        return self._report("metrics", apparent_size=apparent_size)

    def stats(self, *, apparent_size: bool = False) -> Table:
        """One row: averages, quantiles and extremes."""
        return self._report("stats", apparent_size=apparent_size)

    def owners(self, *, apparent_size: bool = False) -> Table:
        """Sizes by user, then by group, the largest first."""
        return self._report("owners", apparent_size=apparent_size)

    def ages(self, *, apparent_size: bool = False) -> Table:
        """Sizes by time since the last modification, for all users together and for each user."""
        return self._report("ages", apparent_size=apparent_size)

    def histogram(self, *, apparent_size: bool = False) -> Table:
        """The number of files by size, the smallest first."""
        return self._report("histogram", apparent_size=apparent_size)

    def explain(self) -> Table:
        """What uses the space that `df` reports. Has rows after `fathom.scan(explain=True)`."""
        return self._report("explain")
