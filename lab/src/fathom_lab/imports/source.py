"""What a file of results holds: values of benchmarks, in their order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Sample:
    """One measurement: values by name of measure, or why there are none."""

    values: Mapping[str, float] = dataclasses.field(default_factory=dict)
    failure: str = ""


@dataclasses.dataclass(frozen=True)
class Source:
    cases: Mapping[str, Sequence[Sample]]  # by name of the benchmark
    one_process: bool  # all values of a benchmark come from one process, or nobody knows
