"""Runs an experiment in interleaved rounds in random order, and writes every raw sample to disk after its round."""

from __future__ import annotations

import collections
import dataclasses
import math
import os
import random
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom_lab import agreement, drivers, formatting, process, templates
from fathom_lab.drivers import Driver
from fathom_lab.duet import Duet, Outcome, Part
from fathom_lab.errors import LabError, NoResult
from fathom_lab.experiment import AGAIN, BESIDE_AGAIN, Experiment, Plan, Point
from fathom_lab.process import Finished, Invocation
from fathom_lab.records import Launch
from fathom_lab.run_folder import RunFolder

GIVE_UP_AFTER = 3  # consecutive failures of a contender at a point
_OUTPUT_KEPT = 4000  # characters of a failed launch
_REASON = 200  # characters: output of a contender must not fill the report

Place = tuple[Point, str]  # a contender at a point
Undecided = Callable[[Sequence[Launch]], Collection[Point]]  # the points at which more rounds are needed


class NothingToCompare(LabError):
    """The contenders to compare are not installed here. Other experiments may still run."""


@dataclasses.dataclass(frozen=True)
class Step:
    """The launch that runs now, for a progress display."""

    experiment: str
    round: int
    contender: str
    point: Point
    done: int  # launches
    total: int


def run(
    experiment: Experiment,
    folder: RunFolder,
    *,
    seed: int,
    cpus: Sequence[int] | None = None,
    nice: int = 0,
    counters: bool = False,
    on_progress: Callable[[Step], None] = lambda step: None,
    undecided: Undecided | None = None,
) -> None:
    """Runs the remaining rounds of an experiment that has been added to the folder. Any exception discards the current
    round.

    If the plan has a budget, rounds go on until `undecided` returns no point or the budget is spent, but at most for
    the plan's rounds, and only the points that it returns take part. Warm-up rounds are part of the budget, and a
    resumed run has all of it again.

    A resumed run repeats the warm-up rounds, with lower numbers than those in the folder, because the caches are
    cold. It also tries contenders again that it had given up, because they may have been fixed.
    """
    with folder.locked():
        budget = _Budget(experiment.plan, undecided)
        if not experiment.plan.duet:
            _run(experiment, folder, seed, cpus, nice, counters, on_progress, budget)
            return
        with Duet() as duet:
            _run(experiment, folder, seed, cpus, nice, counters, on_progress, budget, duet)


def _run(experiment: Experiment, folder: RunFolder, seed: int, cpus: Sequence[int] | None, nice: int, counters: bool,
         on_progress: Callable[[Step], None], budget: _Budget, duet: Duet | None = None) -> None:
    roots = folder.settings(experiment.name).roots_of(experiment)
    options = all_options(experiment, roots, cpus)
    missing = _missing(experiment, options, roots)
    folder.change(experiment.name, missing=_reasons(experiment, missing))
    _check_something_to_compare(experiment, missing)
    folder.cut(experiment.name)
    kept = folder.launches(experiment.name)
    launcher = _Launcher(experiment, options, roots, cpus, nice, counters, duet)
    streaks = _Streaks()
    places = [place for place in options if place not in missing]
    rounds = _rounds_left(experiment, kept)
    done = 0
    for index, number in enumerate(rounds):
        places = budget.left(places, kept)
        order = [place for place in shuffled(places, f"{seed}/{experiment.name}/{number}") if streaks.may_start(place)]
        order = _with_baseline(order, experiment)
        total = budget.launches(done, done + (len(rounds) - index) * len(order))
        launches: list[Launch] = []
        for together in _launched_together(experiment, order):
            point, contender = together[0]
            on_progress(Step(experiment.name, number, contender, point, done, total))
            done += len(together)
            place_in_point = sum(launch.point == point for launch in launches)
            launches += launcher(number, place_in_point, together)
        launches = agreement.checked(experiment, launches)
        folder.append(experiment.name, launches)
        kept += launches
        streaks.note(launches)
        if not order:
            break
    folder.change(experiment.name, complete=True)


def all_options(
    experiment: Experiment, roots: Mapping[str, Path], cpus: Sequence[int] | None = None
) -> dict[Place, dict[str, Any]]:
    """The options of each contender at each of its points. Raises LabError for options with which it could not be
    started.

    `roots` holds the project's folder of each contender.
    """
    if experiment.plan.duet:
        cpus = _duet_cpus(experiment, cpus)[:1]
    found = {}
    for point in experiment.points():
        for name in experiment.names():
            if experiment.takes_part(name, point):
                found[point, name] = _options(experiment, name, point, roots[name], cpus)
    return found


def _duet_cpus(experiment: Experiment, cpus: Sequence[int] | None) -> tuple[int, ...]:
    """The two processors of a duet. Raises LabError where a duet is impossible or means nothing."""
    if len(experiment.contenders) != 2:
        count = formatting.several(len(experiment.contenders), "contender")
        raise LabError(f"{experiment.name}: a duet compares two contenders, and there are {count}: choose one to "
                       "compare with the baseline by --only, or measure without a duet")
    if any("{processors}" in str(one.options) for one in experiment.contenders):
        raise LabError(f"{experiment.name}: a duet gives each contender one processor, and {{processors}} asks for "
                       "all: measure without a duet")
    usable = sorted(cpus or os.sched_getaffinity(0))
    if len(usable) < 2:
        raise LabError(f"{experiment.name}: a duet needs two processors, and the lab may use only one: measure without "
                       "a duet")
    return usable[0], usable[1]


def programs(experiment: Experiment, roots: Mapping[str, Path]) -> dict[str, Path]:
    """The program of each contender at its first point. Programs that do not exist are missing."""
    wanted = experiment.plan.warmup + experiment.plan.repetitions
    found: dict[str, Path] = {}
    for (_, name), options in all_options(experiment, roots).items():
        driver = drivers.driver(experiment.contender(name).driver)
        invocation = _placed(driver.invocation(options, wanted), roots[name])
        command = invocation.command[0]
        path = (invocation.folder or Path()) / command if "/" in command else Path(shutil.which(command) or "")
        if name not in found and path.is_file():
            found[name] = path
    return found


def shuffled(places: Iterable[Place], seed: str) -> list[Place]:
    """The points in random order, and the contenders of each point in random order, next to each other.

    Contenders that are compared run at almost the same time, so that changes of the machine affect all of them.
    """
    generator = random.Random(seed)
    by_point: dict[Point, list[Place]] = collections.defaultdict(list)
    for place in places:
        by_point[place[0]].append(place)
    groups = list(by_point.values())
    generator.shuffle(groups)
    for group in groups:
        generator.shuffle(group)
    return [place for group in groups for place in group]


def _options(
    experiment: Experiment, name: str, point: Point, root: Path, cpus: Sequence[int] | None
) -> dict[str, Any]:
    contender = experiment.contender(name)
    where = f"{experiment.name}: {contender.name}"
    values = {**dict(point), "root": str(root), "processors": len(cpus or os.sched_getaffinity(0))}
    options: dict[str, Any] = templates.fill(contender.options, values, where)
    try:
        driver = drivers.driver(contender.driver)
        driver.check(options)
        driver.invocation(options, experiment.plan.warmup + experiment.plan.repetitions)
    except LabError as error:
        raise LabError(f"{where}: {error}") from error
    return options


def _missing(
    experiment: Experiment, options: Mapping[Place, Mapping[str, Any]], roots: Mapping[str, Path]
) -> dict[Place, str]:
    found = {}
    wanted = experiment.plan.warmup + experiment.plan.repetitions
    for (point, name), chosen in options.items():
        driver = drivers.driver(experiment.contender(name).driver)
        reason = driver.missing(chosen) or _no_program(_placed(driver.invocation(chosen, wanted), roots[name]))
        if reason:
            found[point, name] = reason
    return found


def _placed(invocation: Invocation, root: Path) -> Invocation:
    return dataclasses.replace(invocation, folder=root / (invocation.folder or "."))


def _no_program(invocation: Invocation) -> str:
    """Why the program is missing, relative to the root, which drivers do not know."""
    program = invocation.command[0]
    there = "/" not in program or ((invocation.folder or Path()) / program).is_file()
    return "" if there else f"the program {program} does not exist in {invocation.folder}"


def _reasons(experiment: Experiment, missing: Mapping[Place, str]) -> dict[str, str]:
    """The first reason for each contender, in the experiment's order."""
    found: dict[str, str] = {}
    for name in experiment.names():
        reasons = [reason for (_, missed), reason in missing.items() if missed == name]
        if reasons and name not in (AGAIN, BESIDE_AGAIN):
            found[name] = reasons[0]
    return found


def _check_something_to_compare(experiment: Experiment, missing: Mapping[Place, str]) -> None:
    reasons = _reasons(experiment, missing)
    present = {name for point in experiment.points() for name in experiment.names()
               if experiment.takes_part(name, point) and (point, name) not in missing}
    if experiment.baseline not in present:
        reason = reasons.get(experiment.baseline, "skip excludes all its points")
        raise NothingToCompare(f"{experiment.name}: the baseline {experiment.baseline} cannot run: {reason}")
    if len(experiment.contenders) > 1 and present <= {experiment.baseline, AGAIN, BESIDE_AGAIN}:
        listed = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise NothingToCompare(f"{experiment.name}: there is nothing to compare with {experiment.baseline}: {listed}")


def _launched_together(experiment: Experiment, order: Sequence[Place]) -> Iterator[tuple[Place, ...]]:
    """What is launched together. In a duet, the first of both gets the first processor."""
    left = list(order)
    while left:
        point, name = left.pop(0)
        partner = (point, _partner(experiment, name))
        if partner in left:
            left.remove(partner)
            yield (point, name), partner
        else:
            yield ((point, name),)


def _partner(experiment: Experiment, name: str) -> str:
    if not experiment.plan.duet:
        return ""
    first, second = (one.name for one in experiment.contenders)
    return {first: second, second: first, AGAIN: BESIDE_AGAIN, BESIDE_AGAIN: AGAIN}[name]


def _with_baseline(order: list[Place], experiment: Experiment) -> list[Place]:
    """Drops points at which the baseline cannot run: nothing can be compared there."""
    points = {point for point, name in order if name == experiment.baseline}
    return [place for place in order if place[0] in points]


def _rounds_left(experiment: Experiment, kept: Iterable[Launch]) -> list[int]:
    rounds = {launch.round for launch in kept}
    left = [number for number in range(experiment.plan.rounds) if number not in rounds]
    first = min(rounds | {0})
    return [*range(first - experiment.plan.warmup_rounds, first), *left] if left else []


class _Budget:
    """Decides after each round which places take part in the next one."""

    def __init__(self, plan: Plan, undecided: Undecided | None):
        self._seconds = plan.budget
        self._undecided = undecided
        self._began = time.monotonic()

    def left(self, places: Sequence[Place], launches: Sequence[Launch]) -> list[Place]:
        """At least one round is measured. Points that were decided before are not looked at again."""
        if not self._seconds or self._undecided is None or not any(launch.round >= 0 for launch in launches):
            return list(places)
        points = self._undecided(launches) if self._spent() < self._seconds else ()
        return [place for place in places if place[0] in points]

    def launches(self, done: int, most: int) -> int:
        """The number of launches for which the time will suffice, an estimate for a progress display."""
        if not self._seconds or not done:
            return most
        return min(most, math.ceil(done * max(self._seconds / self._spent(), 1.0)))

    def _spent(self) -> float:
        return time.monotonic() - self._began


class _Streaks:
    """Counts consecutive failures. A contender that always fails is not started again, to save time; its failures are
    recorded."""

    def __init__(self) -> None:
        self._failures: dict[Place, int] = collections.defaultdict(int)

    def note(self, launches: Iterable[Launch]) -> None:
        for launch in launches:
            place = (launch.point, launch.contender)
            self._failures[place] = self._failures[place] + 1 if launch.failure else 0

    def may_start(self, place: Place) -> bool:
        return self._failures[place] < GIVE_UP_AFTER


@dataclasses.dataclass(frozen=True)
class _Launcher:
    experiment: Experiment
    options: Mapping[Place, Mapping[str, Any]]
    roots: Mapping[str, Path]
    cpus: Sequence[int] | None
    nice: int
    counters: bool
    duet: Duet | None

    def __call__(self, number: int, order: int, places: Sequence[Place]) -> list[Launch]:
        """Runs a launch, or two at once. A failure of a contender is a result and raises nothing."""
        began = time.time()
        outcomes = self._alone(places[0]) if self.duet is None else self._together(self.duet, places)
        launches = [Launch(number, order + index, contender, point, began, ())
                    for index, (point, contender) in enumerate(places)]
        return [self._recorded(launch, outcome) for launch, outcome in zip(launches, outcomes)]

    def _alone(self, place: Place) -> list[Outcome]:
        timeout = self.experiment.plan.timeout
        try:
            return [process.run(self._invocation(place), timeout, cpus=self.cpus, nice=self.nice,
                                counters=self.counters)]
        except (NoResult, OSError) as error:
            return [error]

    def _together(self, duet: Duet, places: Sequence[Place]) -> list[Outcome]:
        cpus = _duet_cpus(self.experiment, self.cpus)
        timeout = self.experiment.plan.timeout
        return duet.run([Part(self._invocation(place), timeout, cpu, self.nice, self.counters)
                         for place, cpu in zip(places, cpus)])

    def _invocation(self, place: Place) -> Invocation:
        contender = place[1]
        driver = drivers.driver(self.experiment.contender(contender).driver)
        return _placed(driver.invocation(self.options[place], self._wanted()), self.roots[contender])

    def _wanted(self) -> int:
        return self.experiment.plan.warmup + self.experiment.plan.repetitions

    def _recorded(self, launch: Launch, outcome: Outcome) -> Launch:
        finished = outcome if isinstance(outcome, Finished) else None
        try:
            values = self._values(launch, outcome)
        except NoResult as error:
            reason = process.shortened(str(error), _REASON)
            return dataclasses.replace(launch, failure=reason, output=_output(finished), why=_diagnostics(finished))
        kept = tuple(values[self.experiment.plan.warmup :])
        return dataclasses.replace(launch, repetitions=kept, why=_diagnostics(finished))

    def _values(self, launch: Launch, outcome: Outcome) -> list[dict[str, float]]:
        options = self.options[launch.point, launch.contender]
        driver = drivers.driver(self.experiment.contender(launch.contender).driver)
        if isinstance(outcome, OSError):
            program = driver.invocation(options, self._wanted()).command[0]
            raise NoResult(f"{program} cannot be started: {outcome.strerror}") from outcome
        if not isinstance(outcome, Finished):
            raise outcome
        if outcome.timed_out:
            raise NoResult(f"it did not finish within {self.experiment.plan.timeout:g} s")
        values = _read(driver, options, outcome, self._wanted())
        self._check(values, self._wanted())
        return values

    def _check(self, values: Sequence[Mapping[str, float]], wanted: int) -> None:
        if len(values) != wanted:
            raise NoResult(f"it reported {len(values)} measurements, expected {wanted}")
        primary = self.experiment.primary().name
        for measurement in values:
            if primary not in measurement:
                raise NoResult(f"it did not report {primary}")
            for name, value in measurement.items():
                if not math.isfinite(value):
                    raise NoResult(f"it reported {value} as {name}")


def _read(driver: Driver, options: Mapping[str, Any], finished: Finished, wanted: int) -> list[dict[str, float]]:
    """Reads the values. Unexpected output must not end the run, so any error becomes NoResult."""
    try:
        return [dict(one) for one in driver.read(options, finished, wanted)]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NoResult(f"its output could not be read: {type(error).__name__}: {error}") from error


def _output(finished: Finished | None) -> str:
    """The end of its output, with standard error last, because it is the most informative."""
    if finished is None:
        return ""
    return b"\n".join(filter(None, (finished.output, finished.errors))).decode(errors="replace")[-_OUTPUT_KEPT:]


def _diagnostics(finished: Finished | None) -> dict[str, float]:
    found = {} if finished is None else finished.diagnostics
    return {name: value for name, value in found.items() if math.isfinite(value)}
