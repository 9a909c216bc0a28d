"""The commits of a history, in git's order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from fathom_lab import revisions
from fathom_lab.errors import LabError
from fathom_lab.process import printable


@dataclasses.dataclass(frozen=True)
class Commit:
    id: str
    date: str = ""  # of the commit, YYYY-MM-DD; empty if the repository does not have it
    subject: str = ""

    def short(self) -> str:
        return self.id[:10]


def ordered(root: str, ids: Iterable[str]) -> list[Commit]:
    """Parents come before their children. If the repository does not have all of them, the given order stays."""
    wanted = dict.fromkeys(ids)
    known: dict[str, Commit] = {}
    try:
        log = revisions.git(Path(root), "log", "--ignore-missing", "--topo-order", "--reverse",
                            "--format=%H%x00%cs%x00%s", "--end-of-options", *wanted)
    except LabError:
        log = ""
    for line in log.splitlines():
        commit, date, subject = line.split("\0", 2)
        if commit in wanted:
            known[commit] = Commit(commit, date, printable(subject))
    return list(known.values()) if len(known) == len(wanted) else [known.get(one, Commit(one)) for one in wanted]


def between(root: str, first: Commit, last: Commit) -> int:
    """How many commits there are after the first one up to the last; 0 if that is not known."""
    try:
        return int(revisions.git(Path(root), "rev-list", "--count", f"{first.id}..{last.id}"))
    except LabError:
        return 0
