"""Imports results of other tools as if they came from a run: `fathom-lab import FILE...`.

The benchmarks in a single file are the contenders. Of several files, each is a contender, and the benchmarks are the
points at which they are compared, as with an old and a new result.

Much is lost, and `Imported.lost` lists it for the report: these tools measure one contender after the other, so the
n-th values of two contenders are unrelated. Ratios hold only if the machine did not change in the meantime, which
the files cannot show, and there is no second copy of the baseline to check it.
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
from fathom_lab.process import printable
from fathom_lab.records import Launch

_POINT = "benchmark"  # the parameter that holds the benchmark where files are the contenders

_SEQUENTIAL = (
    "Contenders were measured one after the other, not interleaved: if the machine became slower in the meantime, that "
    "looks like a slower contender. There are no pairs, and no second copy of the baseline."
)


@dataclasses.dataclass(frozen=True)
class Imported:
    experiment: Experiment
    launches: Sequence[Launch]
    lost: Sequence[str]  # sentences for the report; also in experiment.about


def load(paths: Sequence[Path], baseline: str = "") -> Imported:
    """Imports files. `baseline` names the baseline; the default is the first contender. Raises LabError for files that
    cannot be imported."""
    if not paths:
        raise LabError("no file to import")
    sources = {name: _source(path) for name, path in zip(_names(paths), paths)}
    for name, source in sources.items():
        if not any(source.cases.values()):
            raise LabError(f"{name} contains no measurements")
    one = next(iter(sources.values()))
    table: _Table
    if len(sources) == 1:
        table = {(printable(case), ()): samples for case, samples in one.cases.items()}
    else:
        table = {
            (printable(name), ((_POINT, printable(case)),)): samples
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
        f"{path} is not in a known format: JSON of Google Benchmark or hyperfine, the output of go test -bench, "
        "or criterion's folder, target/criterion" + (f"; {wrong}" if wrong and text.lstrip()[:1] in "{[" else "")
    )


def _json(text: str) -> tuple[Any, str]:
    """The parsed JSON, or the error."""
    try:
        return json.loads(text), ""
    except ValueError as error:
        return None, f"it is not valid JSON: {error}"


def _names(paths: Sequence[Path]) -> list[str]:
    """Names for the files: short if that distinguishes them."""
    for names in ([path.stem for path in paths], [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return names
    raise LabError(f"a file is given twice: {', '.join(map(str, paths))}")


def _lost(sources: Iterable[Source], table: _Table) -> tuple[str, ...]:
    sentences = [_SEQUENTIAL]
    if any(source.one_process for source in sources):
        sentences.append(
            "The values of a benchmark come, or may come, from one process, so intervals do not include variation "
            "between launches, such as the memory layout, which alone may explain a difference."
        )
    counts = {len(samples) for samples in table.values()}
    if len(counts) > 1:
        sentences.append(
            f"The rows have {min(counts)} to {max(counts)} values: only the beginning of longer rows counts."
        )
    return tuple(sentences)


def _experiment(table: _Table, baseline: str, lost: Sequence[str]) -> Experiment:
    names = list(dict.fromkeys(name for name, _ in table))
    baseline = baseline or names[0]
    if baseline not in names:
        raise LabError(f"the baseline {baseline} is not one of {', '.join(names)}")
    if len(names) < 2:
        raise LabError(f"there is only {names[0]}, and nothing to compare it with: import a second file with it")
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
    """The measures that all values have and that the lab knows: for others it is not known whether less or more is
    better."""
    taken = [sample.values for samples in rows for sample in samples if not sample.failure]
    if not taken:
        raise LabError("all measurements failed")
    return tuple(measure for name, measure in KNOWN_MEASURES.items() if all(name in values for values in taken))


def _launches(table: _Table) -> Iterator[Launch]:
    """Each value as a launch of its own."""
    order: dict[tuple[int, Point], int] = {}
    for (name, point), samples in table.items():
        for number, sample in enumerate(samples):
            place = order.setdefault((number, point), 0)
            order[number, point] += 1
            repetitions = () if sample.failure else (sample.values,)
            yield Launch(number, place, name, point, 0.0, repetitions, failure=sample.failure)
