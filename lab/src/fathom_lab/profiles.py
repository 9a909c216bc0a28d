"""Profiles of an experiment's contenders, for `run --profile`: one more launch of each, after the rounds.

A profile says where the time of a contender goes. Writing it takes time itself, so these launches are not part of any
round and none of their numbers count.

    runs/.../profiles/NAME/CONTENDER-PARAMETER=VALUE.cpu.pprof
"""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fathom_lab import drivers, formatting, process, runner
from fathom_lab.drivers.profiling import NotProfiled, Profiling
from fathom_lab.errors import NoResult
from fathom_lab.experiment import AGAIN, BESIDE_AGAIN, Experiment, Point
from fathom_lab.run_folder import RunFolder


@dataclasses.dataclass(frozen=True)
class Profile:
    contender: str
    point: Point
    kind: str
    reader: tuple[str, ...] = ()  # the command that shows it
    reason: str = ""  # why there is none


def record(folder: RunFolder, name: str, kinds: Sequence[str]) -> list[Profile]:
    """Profiles each contender at each point, and writes the files into the run's folder."""
    one, settings = folder.experiment(name), folder.settings(name)
    roots, cpus = settings.roots_of(one), settings.cpus or None
    into = (folder.path / "profiles" / name).absolute()
    into.mkdir(parents=True, exist_ok=True)
    found = []
    for (point, contender), options in runner.all_options(one, roots, cpus).items():
        if contender in (AGAIN, BESIDE_AGAIN) or contender in settings.missing:
            continue
        stem = _unused(into, contender, point)
        for kind in kinds:
            start = _Start(one, contender, point, kind, roots[contender], settings.cpus, settings.nice)
            found.append(start.profile(options, stem))
    return found


def report_lines(profiles: Sequence[Profile]) -> Iterator[str]:
    """Lines for readers: how to look at each profile, and why others are missing."""
    for one in profiles:
        if not one.reason:
            yield f"{one.kind} profile of {_place(one)}: {shlex.join(one.reader)}"
    reasons = dict.fromkeys((one.kind, one.reason) for one in profiles if one.reason)
    for kind, reason in reasons:
        names = [_place(one) for one in profiles if (one.kind, one.reason) == (kind, reason)]
        yield f"no {kind} profile of {formatting.listed(names)}: {reason}"


def _place(one: Profile) -> str:
    return f"{one.contender} at {formatting.point(one.point)}" if one.point else one.contender


def _unused(into: Path, contender: str, point: Point) -> Path:
    """A name without an ending, with which no other profile begins."""
    text = "-".join([contender, *(f"{name}={value}" for name, value in point)])
    name = re.sub(r"[^A-Za-z0-9=+_-]+", "_", text)
    taken = [file.name.partition(".")[0] for file in into.iterdir()]
    free = (into / (name if number == 1 else f"{name}-{number}") for number in range(1, len(taken) + 2))
    return next(file for file in free if file.name not in taken)


@dataclasses.dataclass(frozen=True)
class _Start:
    """A launch of a contender that is profiled."""

    experiment: Experiment
    contender: str
    point: Point
    kind: str
    root: Path
    cpus: Sequence[int]
    nice: int

    def profile(self, options: dict[str, Any], stem: Path) -> Profile:
        nothing = Profile(self.contender, self.point, self.kind)
        driver = drivers.driver(self.experiment.contender(self.contender).driver)
        try:
            profiling = driver.profiling(options, self.kind, stem)
            self._run(profiling)
        except NotProfiled as reason:
            return dataclasses.replace(nothing, reason=str(reason))
        return dataclasses.replace(nothing, reader=profiling.reader)

    def _run(self, profiling: Profiling) -> None:
        """Raises NotProfiled if the launch leaves no profile."""
        invocation = profiling.invocation
        placed = dataclasses.replace(invocation, folder=self.root / (invocation.folder or "."))
        try:
            done = process.run(placed, self.experiment.plan.timeout, cpus=self.cpus or None, nice=self.nice,
                               watch=False)
        except (NoResult, OSError) as error:
            raise NotProfiled(str(error)) from error
        if done.timed_out or not profiling.file.is_file() or not profiling.file.stat().st_size:
            ended = f"{done.ending()}: {done.summary_line()}" if done.summary_line() else done.ending()
            raise NotProfiled(f"{ended}, without a profile")
