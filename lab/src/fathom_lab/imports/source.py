"""What a file of results holds: values of benchmarks, in their order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from fathom_lab.experiment import Experiment

DRIVER = "imported"  # of contenders that nobody can start


@dataclasses.dataclass(frozen=True)
class Sample:
    """One measurement: values by name of measure, or why there are none."""

    values: Mapping[str, float] = dataclasses.field(default_factory=dict)
    failure: str = ""


@dataclasses.dataclass(frozen=True)
class Source:
    cases: Mapping[str, Sequence[Sample]]  # by name of the benchmark
    one_process: bool  # all values of a benchmark come from one process, or nobody knows


def ratio_heading(one: Experiment) -> str:
    """What is imported has no rounds, and so no ratios by round."""
    return "ratio" if is_imported(one) else "ratio (by round)"


def is_imported(one: Experiment) -> bool:
    """Its values were measured elsewhere, and one contender after the other."""
    return all(contender.driver == DRIVER for contender in one.contenders)
