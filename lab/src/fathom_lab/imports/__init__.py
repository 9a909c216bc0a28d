"""Results that other tools wrote, as if they came from a run: `fathom-lab import FILE...`.

Of one file the benchmarks in it are the contenders. Of several, each file is a contender, and the benchmarks are the
points at which they are compared, as with an old and a new result.

Much is lost, and `Imported.lost` says what, for the report: these tools measure one contender after the other, so the
n-th value of one has nothing to do with the n-th value of another. Ratios between them hold only if the machine stayed
the same meanwhile, which nothing in the files can show, and there is no baseline once more that would tell.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom_lab.errors import LabError
from fathom_lab.experiment import KNOWN_MEASURES, Contender, Experiment, Measure, Plan, Point
from fathom_lab.imports.source import DRIVER, Sample, Source
from fathom_lab.records import Launch

_POINT = "benchmark"  # the parameter that tells benchmarks apart where files are the contenders

_SEQUENTIAL = (
    "Contenders were measured one after the other, not in turns: a machine that became slower meanwhile looks like a "
    "slower contender. There are no pairs, and no baseline once more."
)


@dataclasses.dataclass(frozen=True)
class Imported:
    experiment: Experiment
    launches: Sequence[Launch]
    lost: Sequence[str]  # sentences for the report; also in experiment.about


def load(paths: Sequence[Path], baseline: str = "") -> Imported:
    """The baseline is the first contender unless another one is named. Raises LabError for what cannot be read."""
    if not paths:
        raise LabError("there is no file to import")
    sources = {name: _source(path) for name, path in zip(_names(paths), paths)}
    for name, source in sources.items():
        if not any(source.cases.values()):
            raise LabError(f"{name} holds no measurements")
    one = next(iter(sources.values()))
    table: _Table
    if len(sources) == 1:
        table = {(case, ()): samples for case, samples in one.cases.items()}
    else:
        table = {
            (name, ((_POINT, case),)): samples
            for name, source in sources.items()
            for case, samples in source.cases.items()
        }
    lost = _lost(sources.values(), table)
    return Imported(_experiment(table, baseline, lost), list(_launches(table)), lost)


_Table = Mapping[tuple[str, Point], Sequence[Sample]]


def _source(path: Path) -> Source:
    from fathom_lab.imports import criterion, go_test, google_benchmark, hyperfine

    if path.is_dir():
        return criterion.read(path)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error
    table, wrong = _json(text)
    if table is not None and google_benchmark.knows(table):
        return google_benchmark.read(table, path)
    if table is not None and hyperfine.knows(table):
        return hyperfine.read(table, path)
    if table is None and go_test.knows(text):
        return go_test.read(text, path)
    raise LabError(
        f"{path} is none of these: JSON of Google Benchmark or hyperfine, the output of go test -bench, "
        "or criterion's folder, target/criterion" + (f"; {wrong}" if wrong and text.lstrip()[:1] in "{[" else "")
    )


def _json(text: str) -> tuple[Any, str]:
    """What it is, or where it ends to be JSON."""
    try:
        return json.loads(text), ""
    except ValueError as error:
        return None, f"as JSON it breaks at {error}"


def _names(paths: Sequence[Path]) -> list[str]:
    """Of the files: short where that tells them apart."""
    for names in ([path.stem for path in paths], [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return names
    raise LabError(f"a file is named twice: {', '.join(map(str, paths))}")


def _lost(sources: Iterable[Source], table: _Table) -> tuple[str, ...]:
    sentences = [_SEQUENTIAL]
    if any(source.one_process for source in sources):
        sentences.append(
            "The values of a benchmark come from one process, or that is not known: what differs from one launch to "
            "the next, such as the layout of memory, is in no interval. A difference may be that alone."
        )
    counts = {len(samples) for samples in table.values()}
    if len(counts) > 1:
        sentences.append(
            f"There are between {min(counts)} and {max(counts)} values: of the longer rows only the beginning counts."
        )
    return tuple(sentences)


def _experiment(table: _Table, baseline: str, lost: Sequence[str]) -> Experiment:
    names = list(dict.fromkeys(name for name, _ in table))
    baseline = baseline or names[0]
    if baseline not in names:
        raise LabError(f"the baseline {baseline} is none of {', '.join(names)}")
    if len(names) < 2:
        raise LabError(f"there is only {names[0]}, and nothing to compare it with: import another file with it")
    points = list(dict.fromkeys(point for _, point in table))
    plan = Plan(rounds=max(map(len, table.values())), warmup_rounds=0)
    return Experiment(
        name="imported",
        question=f"How do they compare with {baseline}?",
        baseline=baseline,
        contenders=tuple(Contender(name, DRIVER, {}) for name in names),
        measures=_measures(table.values()),
        parameters={_POINT: tuple(dict(point)[_POINT] for point in points)} if points != [()] else {},
        plan=plan,
        smoke=plan,
        about=" ".join(lost),
        skip=tuple(
            {"contender": name, **dict(point)} for name in names for point in points if (name, point) not in table
        ),
    )


def _measures(rows: Iterable[Sequence[Sample]]) -> tuple[Measure, ...]:
    """Those that all values have, and that the lab knows: of others nobody says whether more or less is better."""
    taken = [sample.values for samples in rows for sample in samples if not sample.failure]
    if not taken:
        raise LabError("all measurements failed")
    return tuple(measure for name, measure in KNOWN_MEASURES.items() if all(name in values for values in taken))


def _launches(table: _Table) -> Iterator[Launch]:
    """Each value as if it were a launch of its own."""
    order: dict[tuple[int, Point], int] = {}
    for (name, point), samples in table.items():
        for number, sample in enumerate(samples):
            place = order.setdefault((number, point), 0)
            order[number, point] += 1
            repetitions = () if sample.failure else (sample.values,)
            yield Launch(number, place, name, point, 0.0, repetitions, failure=sample.failure)
