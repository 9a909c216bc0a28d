"""The results of comparisons: differences between scans, and duplicates."""

from __future__ import annotations

from typing import Any, NamedTuple

from fathom import _fathom
from fathom._table import ArrowTable, Table


class Balance(NamedTuple):
    """How a change is composed, in bytes.

    total = created + grown - removed - shrunk + moved_in - moved_out + reattributed
    """

    created: int
    grown: int
    removed: int
    shrunk: int
    moved_in: int
    moved_out: int
    reattributed: int  # counted at another path now, because the smallest path of an inode came or went
    total: int


class Diff:
    """What changed between two scans. Sizes are in bytes; columns are those of docs/JSON-diff.md."""

    def __init__(self, inner: _fathom.Diff) -> None:
        self._inner = inner
        self.before: int = inner.before()
        self.after: int = inner.after()
        self.balance = Balance(**inner.balance())
        self.notes: list[str] = inner.notes()  # what makes the comparison less than it seems

    def _by(self, by: _fathom.By, name: str) -> Table:
        return Table(self._inner.by(by), name)

    @property
    def dirs(self) -> Table:
        """The directories in which something changed, the largest absolute change first."""
        return self._by(_fathom.By.directory, "dirs")

    @property
    def owners(self) -> Table:
        """Changes by user, the largest first."""
        return self._by(_fathom.By.owner, "owners")

    @property
    def groups(self) -> Table:
        """Changes by group, the largest first."""
        return self._by(_fathom.By.group, "groups")

    @property
    def extensions(self) -> Table:
        """Changes by extension, the largest first."""
        return self._by(_fathom.By.extension, "extensions")

    @property
    def created(self) -> Table:
        """The largest entries that were created. A directory is one row, with everything in it."""
        return Table(self._inner.items(_fathom.Items.created), "created")

    @property
    def removed(self) -> Table:
        """The largest entries that were removed."""
        return Table(self._inner.items(_fathom.Items.removed), "removed")

    @property
    def changed(self) -> Table:
        """The entries that grew or shrank, the largest change first."""
        return Table(self._inner.items(_fathom.Items.changed), "changed")

    @property
    def moved(self) -> Table:
        """The largest entries that were moved; `from` is the path before."""
        return Table(self._inner.items(_fathom.Items.moved), "moved")

    @property
    def counts(self) -> dict[str, int]:
        """How many entries were created, removed, changed and moved, also beyond those that the tables list."""
        names = ("created", "removed", "changed", "moved")
        return {name: self._inner.count(getattr(_fathom.Items, name)) for name in names}

    def __repr__(self) -> str:
        return f"<fathom.Diff: {self.before:,} to {self.after:,} bytes, {self.balance.total:+,}>"


class Duplicates(ArrowTable):
    """Files of equal content, each byte of which was compared. A row for each name of a file in a group."""

    def __init__(self, inner: _fathom.Duplicates) -> None:
        self._inner = inner
        self.groups: int = inner.groups()
        self.files: int = inner.files()
        self.wasted_bytes: int = inner.wasted_bytes()  # what removing all but one file of each group would free

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._inner.names().stream()

    @property
    def rows(self) -> Table:
        """The rows, to iterate over."""
        return Table(self._inner.names(), "duplicates")

    @property
    def complete(self) -> bool:
        """Whether everything could be read, and nothing changed meanwhile."""
        return self._inner.complete()

    @property
    def errors(self) -> list[dict[str, Any]]:
        """What could not be read: `path`, `operation`, `errno` and `message`."""
        return self._inner.errors()

    @property
    def changed(self) -> list[str]:
        """Files that changed while they were compared; they are in no group."""
        return self._inner.changed()

    def __repr__(self) -> str:
        return (f"<fathom.Duplicates: {self.groups:,} groups of {self.files:,} files, "
                f"{self.wasted_bytes:,} bytes wasted>")
