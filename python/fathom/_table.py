"""Tables: rows that Arrow libraries take without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

from fathom import _fathom

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class ArrowTable:
    """Anything with columns. Arrow libraries take it as it is: `polars.DataFrame(table)`, `pyarrow.table(table)`."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface. The schema that is requested is ignored, as the interface permits."""
        raise NotImplementedError

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a `pyarrow.Table`. Needs pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """All rows as a `polars.DataFrame`. Needs Polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a `pandas.DataFrame`. Needs pandas and pyarrow."""
        return self.to_arrow().to_pandas()


class Table(ArrowTable):
    """A report: named columns and rows. Iterating over it yields a dictionary for each row.

    In rows, paths are text as of `os.fsdecode()`, and times seconds since the epoch. In Arrow columns, times are
    timestamps; bytes of a path that are not UTF-8 are written as `\\xHH`, and the column `path_raw` has the original.
    `too_long` is the number of directories that have no row, because their paths have more than 4,095 bytes.
    """

    def __init__(self, rows: _fathom.Rows, name: str) -> None:
        self._rows = rows
        self.name = name
        self.columns: list[str] = rows.columns()
        self.too_long: int = rows.too_long()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.stream()

    def __len__(self) -> int:
        return self._rows.size()

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"the table has {len(self)} rows")
        return dict(zip(self.columns, self._rows.row(index)))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<fathom.Table {self.name}: {len(self):,} rows of {', '.join(self.columns)}>"
