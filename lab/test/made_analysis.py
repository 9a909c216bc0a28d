"""Hand-made analyses for tests of reports."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom_lab import experiment, goal_results
from fathom_lab.analysis import verdict
from fathom_lab.experiment import AGAIN, Experiment, Measure, Point
from fathom_lab.records import Launch
from fathom_lab.rows import Analysis, Failure, Interval, Row
from fathom_lab.stats.comparison import compare, compare_exactly

TIME = Measure("time")
TOLERANCE = 0.03
ALLOCATIONS = Measure("allocations", "allocations", exact=True)


def made_experiment(contenders: Sequence[str] = ("mutex", "ring"), name: str = "ring", **fields: Any) -> Experiment:
    table = {
        "question": "Is the ring faster than a queue with a lock?",
        "baseline": contenders[0],
        "contender": [{"name": name, "driver": "command", "command": ["true"]} for name in contenders],
        "plan": {"rounds": 10},
        **fields,
    }
    return experiment.parse(table, name)


def made_row(
    contender: str = "ring",
    ratio: float = 0.5,
    *,
    baseline: str = "mutex",
    measure: Measure = TIME,
    point: Point = (),
    value: float = 12.4e-9,
    noise: float = 0.01,
    rounds: int = 10,
    **fields: Any,
) -> Row:
    """Values with the given ratio and noise, the same on each call; interval and verdict follow as in analyze()."""
    source = random.Random(f"{contender}{point}{measure.name}{ratio}{noise}".encode("utf-8", "replace"))
    baseline_values = tuple(value * math.exp(source.gauss(0, noise)) for _ in range(rounds))
    values = tuple(one * ratio * math.exp(source.gauss(0, noise)) for one in baseline_values)
    compared = compare(values, baseline_values)
    interval = Interval(*compared.bounds) if compared.bounds else None
    p_value = compared.p_value
    row = Row(
        measure=measure, point=point, contender=contender, baseline=baseline, rounds=rounds,
        value=float(np.median(values)), baseline_value=float(np.median(baseline_values)), ratio=ratio,
        interval=interval, p_value=p_value, verdict=verdict(measure, compared, p_value, TOLERANCE),
        detectable_effect=0.021, values=values, baseline_values=baseline_values, modes=(),
        autocorrelation=math.nan, diagnostics={}, notes=(), alone=interval, reported=rounds, launches=rounds,
        baseline_reported=rounds, baseline_launches=rounds,
    )
    return Row(**{**row.__dict__, **fields})


def exact_row(contender: str, count: float, before: float, point: Point = (), measure: Measure = ALLOCATIONS) -> Row:
    row = made_row(contender, 1.0, measure=measure, point=point)
    values, baseline_values = (count,) * row.rounds, (before,) * row.rounds
    compared = compare_exactly(values, baseline_values)
    return dataclasses.replace(
        row, ratio=compared.ratio, value=count, baseline_value=before, interval=None, alone=None, values=values,
        baseline_values=baseline_values, exact=True, p_value=compared.p_value, detectable_effect=0.0,
        verdict=verdict(measure, compared, compared.p_value, TOLERANCE, exact=True),
    )


def made_again(**fields: Any) -> Row:
    return made_row(AGAIN, fields.pop("ratio", 1.0), **fields)


def made_analysis(
    rows: Sequence[Row] | None = None,
    again: Sequence[Row] | None = None,
    *,
    of: Experiment | None = None,
    failures: Sequence[Failure] = (),
    missing: Mapping[str, str] | None = None,
    complete: bool = True,
    answer: str = "ring is 2.0 times as fast as mutex.",
) -> Analysis:
    """The goals are open, because nothing was launched."""
    of = of or made_experiment()
    return Analysis(
        experiment=of, rows=[made_row()] if rows is None else rows,
        again=[made_again()] if again is None else again, failures=failures, missing=missing or {}, rounds=10,
        complete=complete, answer=answer,
        goals=[goal_results.unknown(of, goal, point, "nobody ran") for goal, point in goal_results.places(of)],
    )


def scaling_analysis(contenders: Sequence[str] = ("mutex", "ring", "moodycamel"), **fields: Any) -> Analysis:
    """An analysis of contenders that scale differently with the number of threads."""
    threads = [1, 2, 4, 8, 16]
    of = made_experiment(contenders, name="scaling", question="Which queue scales best?",
                         parameters={"threads": threads, **fields.pop("parameters", {})})
    rows, again = [], []
    for point in of.points():
        count = dict(point)["threads"]
        for index, name in enumerate(contenders[1:], 1):
            rows.append(made_row(name, 0.9**index * count ** (-0.9 * index / len(contenders)), baseline=contenders[0],
                                 point=point, value=40e-9 * count, noise=0.03))
        again.append(made_again(baseline=contenders[0], point=point, value=40e-9 * count, noise=0.03))
    return made_analysis(rows, again, of=of, answer="ring is faster than mutex from 1 to 16 threads.", **fields)


def made_launches(analysis: Analysis) -> list[Launch]:
    """The launches that would have led to the rows of the first measure."""
    launches = []
    for row in [*analysis.rows, *analysis.again]:
        if row.measure == analysis.experiment.primary():
            for number, value in enumerate(row.values):
                launches.append(Launch(number, 0, row.contender, row.point, 0.0, ({row.measure.name: value},)))
    return launches

