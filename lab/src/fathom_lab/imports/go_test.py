"""Imports the output of `go test -bench`, with -count above 1."""

from __future__ import annotations

import re
from pathlib import Path

from fathom_lab.drivers import go_test
from fathom_lab.errors import LabError, NoResult
from fathom_lab.imports.source import Sample, Source

_PACKAGE = re.compile(r"^pkg: *(\S+)", re.MULTILINE)


def knows(text: str) -> bool:
    return re.search(r"^Benchmark\S*[ \t]+[0-9]+[ \t]", text, re.MULTILINE) is not None


def read(text: str, path: Path) -> Source:
    """Reads the output. Names of benchmarks include the package if there are several."""
    packages = dict.fromkeys(_PACKAGE.findall(text))
    measured: list[tuple[str, str, Sample]] = []
    try:
        for package, part in _parts(text):
            measured += [(package, one.name, Sample(one.values)) for one in go_test.parse(part)]
    except NoResult as error:
        raise LabError(f"{path} cannot be read: {error}") from error
    suffixes = {name.removeprefix(go_test.bare(name)) for _, name, _ in measured}
    cases: dict[str, list[Sample]] = {}
    for package, name, sample in measured:
        shown = go_test.bare(name) if len(suffixes) == 1 else name
        cases.setdefault(f"{package}.{shown}" if len(packages) > 1 else shown, []).append(sample)
    return Source(cases, one_process=True)


def _parts(text: str) -> list[tuple[str, str]]:
    """The packages, each with the output that follows its name."""
    pieces = _PACKAGE.split(text)
    return [("", pieces[0]), *zip(pieces[1::2], pieces[2::2])]
