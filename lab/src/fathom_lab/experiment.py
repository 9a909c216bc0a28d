"""An experiment: a question, and who is compared on what to answer it. Read from a TOML file.

    question = "Is the ring faster than a queue with a lock?"
    baseline = "mutex_queue"

    [plan]
    rounds = 20

    [parameters]
    threads = [1, 2]

    [defaults]
    driver = "google-benchmark"
    program = "build/release/bin/bench_rt"
    benchmark = "rt/mpmc/{threads}P{threads}C/{contender}"

    [[contender]]
    name = "mutex_queue"

    [[contender]]
    name = "mpmc_ring"

In options {PARAMETER} stands for its value, {contender} for the name, {root} for the project's folder, from which
everything is started, {processors} for the number of those that contenders may use; {{ and }} stand for braces.
[defaults] holds options of all contenders.

A round launches every contender once, each in a process of its own, in a random order; a launch may repeat its
measurement several times. Each combination of parameters is a point, and contenders are compared at the same point.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom_lab import goal, templates
from fathom_lab.errors import LabError, unknown
from fathom_lab.goal import Goal

Point = tuple[tuple[str, Any], ...]  # names and values of parameters, in the file's order

GOALS = "goals"  # in a document: the table of all experiments' goals
_TAKEN = {"environment": "a run keeps its machine under this name", GOALS: "a document has its table of goals there"}
AGAIN = "again"  # the contender that is the baseline once more, in every run
AGREEMENTS = ("exactly", "at least", "at most", "shown")  # what [[contender]] agree asks for: see agreement.py


@dataclasses.dataclass(frozen=True)
class Measure:
    """What is measured, in seconds, bytes, or plain numbers."""

    name: str
    unit: str = "s"  # "s", "bytes", "per_second", or what is counted
    better: str = "less"  # or "more"
    exact: bool = False  # the same in each launch: a count, not a time


# What drivers report without being asked. Others are counters, which an experiment has to describe.
KNOWN_MEASURES = {
    measure.name: measure
    for measure in (
        Measure("time"),  # of one operation, wall time
        Measure("cpu_time"),  # the same, processor time
        Measure("wall"),  # of the whole process
        Measure("user"),
        Measure("system"),
        Measure("cpu"),  # user and system
        Measure("peak_memory", "bytes"),
        Measure("items_per_second", "per_second", "more"),
        Measure("bytes_per_second", "per_second", "more"),
        Measure("allocations", "allocations", exact=True),
        Measure("allocated_bytes", "bytes"),
    )
}


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured."""

    rounds: int = 10  # launches of each contender at each point
    repetitions: int = 1  # measurements in a launch, after those that are dropped
    warmup: int = 0  # measurements at the start of each launch that are dropped
    warmup_rounds: int = 1  # whole rounds that are dropped: they fill caches
    timeout: float = 300.0  # seconds that a launch may take
    tolerance: float = 0.03  # effects that are smaller do not matter


@dataclasses.dataclass(frozen=True)
class Contender:
    """A driver, and how to start it."""

    name: str
    driver: str
    options: Mapping[str, Any]
    about: str = ""
    agree: Mapping[str, str | float] = dataclasses.field(default_factory=dict)  # with the baseline: see agreement.py
    version: tuple[str, ...] = ()  # a command that prints it


@dataclasses.dataclass(frozen=True)
class Experiment:
    name: str  # of the file, without .toml
    question: str
    baseline: str
    contenders: tuple[Contender, ...]
    measures: tuple[Measure, ...]  # the first one answers the question
    parameters: Mapping[str, tuple[Any, ...]]
    plan: Plan
    smoke: Plan
    smoke_parameters: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)
    build: tuple[tuple[str, ...], ...] = ()  # commands to run before, from the project's folder
    about: str = ""  # what a reader of the report should know
    goals: tuple[Goal, ...] = ()
    seed_table: Mapping[str, Any] | None = None  # what the document says that asked first: see report/
    skip: tuple[Mapping[str, Any], ...] = ()  # {"contender": ..., PARAMETER: value}: combinations that make no sense

    def points(self) -> Iterator[Point]:
        names = list(self.parameters)
        for values in itertools.product(*self.parameters.values()):
            yield tuple(zip(names, values))

    def takes_part(self, contender: str, point: Point) -> bool:
        facts = {"contender": self.baseline if contender == AGAIN else contender, **dict(point)}
        return not any(all(facts.get(key) == value for key, value in one.items()) for one in self.skip)

    def contender(self, name: str) -> Contender:
        """Also `again`, which is the baseline under another name."""
        wanted = self.baseline if name == AGAIN else name
        found = next((one for one in self.contenders if one.name == wanted), None)
        if found is None:
            raise LabError(f"{self.name}: there is no contender {name}")
        return dataclasses.replace(found, name=name)

    def names(self) -> list[str]:
        """Of all contenders, with the baseline once more."""
        return [one.name for one in self.contenders] + [AGAIN]

    def primary(self) -> Measure:
        return self.measures[0]

    def in_smoke_size(self) -> Experiment:
        parameters = {**self.parameters, **self.smoke_parameters}
        return _of_what_is_left(dataclasses.replace(self, plan=self.smoke, parameters=parameters))

    def has_smoke_size(self) -> bool:
        return self.smoke != self.plan or bool(self.smoke_parameters)

    def only(self, names: Collection[str]) -> Experiment:
        """With these contenders and the baseline."""
        for name in names:
            self.contender(name)
        contenders = tuple(one for one in self.contenders if one.name in names or one.name == self.baseline)
        return _of_what_is_left(dataclasses.replace(self, contenders=contenders))

    def at(self, parameter: str, values: Collection[str]) -> Experiment:
        """With other values of a parameter, as somebody typed them: numbers where the experiment has numbers."""
        if parameter not in self.parameters:
            known = ", ".join(self.parameters) or "it has none"
            raise LabError(f"{self.name} has no parameter {parameter}: {known}")
        typed = self.parameters[parameter]
        numbers = not any(isinstance(one, str) for one in typed)
        try:
            chosen = [_number(one) if numbers else one for one in values]
        except ValueError:
            raise LabError(f"{self.name}: {parameter} is a number, as in {typed[0]}; not {', '.join(values)}") from None
        checked = _values({parameter: chosen}, self.name)
        return _of_what_is_left(dataclasses.replace(self, parameters={**self.parameters, **checked}))

    def table(self) -> dict[str, Any]:
        """What parse() makes this of, in types that JSON has: a run keeps the experiment as it was run."""
        table = dataclasses.asdict(self)
        contenders = [{"name": one.name, "driver": one.driver, "about": one.about, "agree": one.agree,
                       "version": one.version, **one.options} for one in self.contenders]
        table |= {"contender": contenders, "smoke": {**table["smoke"], "parameters": table.pop("smoke_parameters")},
                  "goal": [one.table() for one in self.goals]}
        del table["name"], table["contenders"], table["goals"]
        if self.seed_table is None:
            del table["seed_table"]
        plain: dict[str, Any] = json.loads(json.dumps(table, default=str))
        return plain


def load(path: Path) -> Experiment:
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LabError(f"{path} is no TOML: {error}") from error
    return parse(table, path.stem)


def parse(table: Mapping[str, Any], name: str) -> Experiment:
    """The experiment that the table describes. Raises LabError for what is missing, unknown or of the wrong kind."""
    fields = _Fields(dict(table), name)
    fields.check(_KEYS)
    defaults = fields.take("defaults", dict, {})
    contenders = tuple(_contender(one, defaults, name) for one in fields.take("contender", list))
    plan = _plan(fields.take("plan", dict, {}), Plan(), f"{name}: [plan]")
    smoke = dict(fields.take("smoke", dict, {}))
    smoke_parameters = _values(smoke.pop("parameters", {}), f"{name}: [smoke.parameters]")
    baseline = fields.take("baseline", str)
    measures = _measures(fields.take("measures", list, ["time"]), name)
    goals = fields.take("goal", list, [])
    experiment = Experiment(
        name=name,
        question=fields.take("question", str),
        baseline=baseline,
        contenders=contenders,
        measures=measures,
        parameters=_values(fields.take("parameters", dict, {}), f"{name}: [parameters]"),
        plan=plan,
        smoke=_plan(smoke, plan, f"{name}: [smoke]"),
        smoke_parameters=smoke_parameters,
        build=tuple(_command(one, name) for one in fields.take("build", list, [])),
        about=fields.take("about", str, ""),
        goals=tuple(goal.parse(one, _goal(name, index), baseline, measures) for index, one in enumerate(goals, 1)),
        seed_table=fields.take("seed_table", dict, None),
        skip=tuple(fields.take("skip", list, [])),
    )
    _check(experiment)
    return experiment


_KEYS = ("question", "baseline", "measures", "build", "plan", "smoke", "parameters", "defaults", "contender", "about",
         "goal", "seed_table", "skip")
_KINDS: dict[type, str] = {str: "a string", dict: "a table", list: "a list"}


class _Fields:
    """Takes a table apart. A misspelt key must not be silent, and is told before the one that is missing for it."""

    _MISSING = object()

    def __init__(self, table: dict[str, Any], where: str):
        self._table = table
        self._where = where

    def take(self, key: str, kind: type, default: Any = _MISSING) -> Any:
        value = self._table.pop(key, default)
        if value is self._MISSING:
            raise LabError(f"{self._where}: {key} is missing")
        if value is not default and not isinstance(value, kind):
            raise LabError(f"{self._where}: {key} must be {_KINDS[kind]}, and is {value!r}")
        return value

    def check(self, known: Collection[str]) -> None:
        if left := self._table.keys() - set(known):
            raise LabError(f"{self._where}: {unknown(left, known)}")


def _contender(table: Any, defaults: Mapping[str, Any], where: str) -> Contender:
    if not isinstance(table, dict):
        raise LabError(f"{where}: a contender is a table, [[contender]]")
    fields = {**defaults, **table}
    name, driver = fields.pop("name", None), fields.pop("driver", None)
    if name is None or driver is None:
        of = f" {name}" if name else ""
        raise LabError(f"{where}: a contender needs a name and a driver:{of} has no {'driver' if name else 'name'}")
    for key, value in (("name", name), ("driver", driver)):
        if not isinstance(value, str) or not value:
            raise LabError(f"{where}: the {key} of a contender must be a string that is not empty, and is {value!r}")
    about, agree, version = str(fields.pop("about", "")), fields.pop("agree", {}), fields.pop("version", [])
    if not isinstance(version, (list, tuple)) or not all(isinstance(one, str) for one in version):
        raise LabError(f"{where}: version is a command, a list of strings; not {version!r}")
    return Contender(
        name, driver, templates.fill_only(fields, "contender", name), about, _agree(agree, f"{where}: {name}"),
        tuple(templates.fill_only(version, "contender", name)),
    )


def _agree(table: Any, where: str) -> dict[str, str | float]:
    if not isinstance(table, dict):
        raise LabError(f'{where}: agree is a table, {{ NUMBER = "exactly" }}; not {table!r}')
    for number, rule in table.items():
        if rule not in AGREEMENTS and not (isinstance(rule, float) and 0.0 < rule < 1.0):
            raise LabError(f"{where}: agree: {number} is one of {', '.join(AGREEMENTS)}, or a fraction such as 0.01; "
                           f"not {rule!r}")
    return dict(table)


def _goal(name: str, number: int) -> str:
    return f"{name}: goal {number}"


def _command(listed: Any, where: str) -> tuple[str, ...]:
    if not isinstance(listed, list) or not listed or not all(isinstance(one, str) for one in listed):
        raise LabError(f"{where}: build is a list of commands, each a list of strings; not {listed!r}")
    return tuple(listed)


def _plan(table: Mapping[str, Any], default: Plan, where: str) -> Plan:
    kinds = {field.name: type(field.default) for field in dataclasses.fields(Plan)}
    for key, value in table.items():
        kind = kinds.get(key)
        if kind is None:
            raise LabError(f"{where}: {unknown([key], kinds)}")
        if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else int):
            wanted = "number" if kind is float else "whole number"
            raise LabError(f"{where}: {key} must be a {wanted}, and is {value!r}")
        if not 0 <= value < math.inf:
            raise LabError(f"{where}: {key} must be finite and not negative, and is {value!r}")
    plan = dataclasses.replace(default, **table)
    if plan.rounds < 1 or plan.repetitions < 1 or plan.timeout <= 0:
        key = next(key for key in ("rounds", "repetitions", "timeout") if getattr(plan, key) <= 0)
        raise LabError(f"{where}: {key} must be more than 0, and is {getattr(plan, key)!r}")
    if not 0 < plan.tolerance < 1:
        raise LabError(f"{where}: tolerance is a fraction: 0.03 for 3 %; not {plan.tolerance!r}")
    return plan


def _values(table: Any, where: str) -> dict[str, tuple[Any, ...]]:
    if not isinstance(table, dict):
        raise LabError(f"{where} must be a table of lists")
    for key, values in table.items():
        if not isinstance(values, list) or not values or not all(map(_is_value, values)):
            raise LabError(f"{where}: {key} must be a list of strings and numbers that is not empty")
        if len(set(values)) < len(values):
            raise LabError(f"{where}: {key} has a value twice")
        nested = [one for one in values if isinstance(one, str) and re.search(r"\{\w+\}", one)]
        if nested:
            raise LabError(f"{where}: {key} has '{nested[0]}', but names in braces are not filled in within a value")
    return {key: tuple(values) for key, values in table.items()}


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _is_value(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return number or isinstance(value, str)


def _measures(listed: list[Any], where: str) -> tuple[Measure, ...]:
    measures = tuple(_measure(one, where) for one in listed)
    names = [one.name for one in measures]
    if not names:
        raise LabError(f"{where}: measures is empty")
    if len(set(names)) < len(names):
        raise LabError(f"{where}: measures has a name twice: {', '.join(names)}")
    return measures


def _measure(described: Any, where: str) -> Measure:
    """The name of a known measure, or a table {name, unit, better, exact} for a counter."""
    if isinstance(described, str) and described in KNOWN_MEASURES:
        return KNOWN_MEASURES[described]
    if not isinstance(described, dict) or not isinstance(described.get("name"), str):
        known = ", ".join(KNOWN_MEASURES)
        raise LabError(f"{where}: a measure is one of {known}, or a table with a name; not {described!r}")
    default = KNOWN_MEASURES.get(described["name"], Measure(described["name"], unit=""))
    for key, value in described.items():
        kind = {"name": str, "unit": str, "better": str, "exact": bool}.get(key)
        if kind is None:
            raise LabError(f"{where}: measure {default.name}: {unknown([key], ('name', 'unit', 'better', 'exact'))}")
        if not isinstance(value, kind) or (key == "better" and value not in ("less", "more")):
            allowed = {"better": '"less" or "more"', "exact": "true or false"}.get(key, "a string")
            raise LabError(f"{where}: measure {default.name}: {key} cannot be {value!r}; it is {allowed}")
    return dataclasses.replace(default, **described)


def _check(experiment: Experiment) -> None:
    if reason := _TAKEN.get(experiment.name):
        raise LabError(f"{experiment.name}: no experiment may be called {experiment.name}: {reason}; rename the file")
    names = [one.name for one in experiment.contenders]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise LabError(f"{experiment.name}: two contenders have the name {', '.join(sorted(twice))}")
    if AGAIN in names:
        raise LabError(f"{experiment.name}: no contender may be called {AGAIN}: that is the baseline once more")
    if experiment.baseline not in names:
        raise LabError(f"{experiment.name}: the baseline {experiment.baseline} is none of the contenders")
    unknown = set(experiment.smoke_parameters) - set(experiment.parameters)
    if unknown:
        raise LabError(f"{experiment.name}: [smoke.parameters]: no such parameter: {', '.join(sorted(unknown))}")
    for name in {"root", "contender", "processors"} & set(experiment.parameters):
        raise LabError(f"{experiment.name}: no parameter may be called {name}: it has a meaning of its own")
    for one in experiment.skip:
        _check_skip(experiment, one)
    for number, each in enumerate(experiment.goals, 1):
        goal.check(each, _goal(experiment.name, number), names, _all_values(experiment))


def _check_skip(experiment: Experiment, skip: Any) -> None:
    """One that never matches is a misspelling."""
    where = f"{experiment.name}: skip"
    if not isinstance(skip, dict) or not skip:
        raise LabError(f"{where} is a list of tables, {{contender = ..., PARAMETER = ...}}; not {skip!r}")
    for key, value in skip.items():
        if key != "contender" and key not in experiment.parameters:
            raise LabError(f"{where}: no such parameter: {key}; there are {', '.join(experiment.parameters) or 'none'}")
        if value not in _skippable(experiment, key):
            raise LabError(f"{where}: {key} is never {value!r}")


def _skippable(experiment: Experiment, key: str) -> list[Any]:
    if key == "contender":
        return [one.name for one in experiment.contenders]
    return _all_values(experiment)[key]


def _all_values(experiment: Experiment) -> dict[str, list[Any]]:
    """Of the parameters, in either size."""
    return {key: [*values, *experiment.smoke_parameters.get(key, ())] for key, values in experiment.parameters.items()}


def _of_what_is_left(experiment: Experiment) -> Experiment:
    """Without skips and goals that cannot match any more: the experiment is still one that parse() takes."""
    skip = (one for one in experiment.skip if all(value in _skippable(experiment, key) for key, value in one.items()))
    names, values = [one.name for one in experiment.contenders], _all_values(experiment)
    goals = (one for one in experiment.goals if goal.fits(one, names, values))
    return dataclasses.replace(experiment, skip=tuple(skip), goals=tuple(goals))
