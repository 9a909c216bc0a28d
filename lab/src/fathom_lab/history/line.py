"""A line of a history: one value for each commit, and the changes."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from fathom_lab import formatting
from fathom_lab.history import commits
from fathom_lab.history.commits import Commit
from fathom_lab.history.series import Series
from fathom_lab.stats.change_points import FEWEST, change_points


@dataclasses.dataclass(frozen=True)
class Change:
    index: int  # of the first commit after it
    before: float  # median of the values up to the change before it
    after: float  # median of the values up to the next change
    candidates: int  # commits since the last one that was measured before; 0: not known
    options_changed: bool  # the experiment measures something else since then

    @property
    def ratio(self) -> float:
        return self.after / self.before if self.before else math.nan


@dataclasses.dataclass(frozen=True)
class Line:
    series: Series
    commits: Sequence[Commit]
    values: Sequence[float]  # by commit: the median of its runs
    changes: Sequence[Change]

    def name(self) -> str:
        at = f" at {formatting.point(self.series.point)}" if self.series.point else ""
        of = f" relative to {self.series.experiment.baseline}" if self.series.ratio else ""
        measure = formatting.measure(self.series.measure)
        return f"{self.series.experiment.name}: {self.series.contender}{at}, {measure}{of}"

    def shown(self, value: float) -> str:
        return formatting.ratio(value) if self.series.ratio else formatting.quantity(value, self.series.measure)

    def worse(self, change: Change) -> bool:
        return (change.after > change.before) == (self.series.measure.better == "less")

    def matters(self, change: Change) -> bool:
        """Whether the change exceeds the experiment's tolerance."""
        tolerance = 1 + self.series.experiment.plan.tolerance
        return not 1 / tolerance <= change.ratio <= tolerance

    def effect(self, change: Change) -> str:
        """How the value changed: "7.0 % more (worse)"."""
        side = "worse" if self.worse(change) else "better"
        if not math.isfinite(change.ratio):
            return side
        percent = formatting.percent(abs(change.ratio - 1))
        small = "" if self.matters(change) else ", within the tolerance"
        return f"{percent} {'more' if change.ratio > 1 else 'less'} ({side}{small})"

    def origin(self, change: Change) -> str:
        """Which commits may have caused it."""
        commit = self.commits[change.index]
        named = f"{commit.short()} {commit.subject}".rstrip()
        if change.candidates == 1:
            origin = f"by {named}"
        else:
            of = f"one of {change.candidates} commits" if change.candidates else "a commit"
            origin = f"by {of} after {self.commits[change.index - 1].short()} up to {named}"
        return f"{origin}; the experiment's options of {self.series.contender} changed as well" \
            if change.options_changed else origin

    def summary(self) -> str:
        if len(self.values) < FEWEST:
            return f"{formatting.several(len(self.values), 'commit')}, at least {FEWEST} are needed to find a change"
        return f"{len(self.values)} commits, " + (formatting.several(len(self.changes), "change") if self.changes
                                                 else "no change")


def line(series: Series, root: str) -> Line:
    """Finds the changes of a series. `root` is the project's folder."""
    ordered = commits.ordered(root, (one.commit for one in series.values))
    of_commit = {each.id: [one for one in series.values if one.commit == each.id] for each in ordered}
    values = [statistics.median(one.value for one in of_commit[each.id]) for each in ordered]
    scale = [math.log(value) for value in values] if min(values) > 0 else values
    places = change_points(scale)
    ends = [0, *places, len(values)]
    changes = [
        Change(
            index, statistics.median(values[start:index]), statistics.median(values[index:end]),
            commits.between(root, ordered[index - 1], ordered[index]),
            of_commit[ordered[index].id][0].options != of_commit[ordered[index - 1].id][-1].options,
        )
        for start, index, end in zip(ends, places, ends[2:])
    ]
    return Line(series, ordered, values, changes)
