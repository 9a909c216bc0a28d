"""The contents of a file of results: values of benchmarks, in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from fathom_lab.experiment import Experiment

DRIVER = "imported"  # the driver of contenders that cannot be started


@dataclasses.dataclass(frozen=True)
class Sample:
    """One measurement: values by measure, or why it failed."""

    values: Mapping[str, float] = dataclasses.field(default_factory=dict)
    failure: str = ""


@dataclasses.dataclass(frozen=True)
class Source:
    cases: Mapping[str, Sequence[Sample]]  # by name of the benchmark
    one_process: bool  # all values of a benchmark come, or may come, from one process


def ratio_heading(one: Experiment) -> str:
    """The heading of the ratio. Imported results have no rounds, so they have no ratios by round."""
    return "ratio" if is_imported(one) else "ratio (by round)"


def is_imported(one: Experiment) -> bool:
    """Whether the values were measured elsewhere, one contender after the other."""
    return all(contender.driver == DRIVER for contender in one.contenders)
