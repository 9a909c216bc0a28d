"""An experiment: a question, and the contenders that are compared to answer it. It is read from a TOML file.

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

In options, {PARAMETER} is replaced by its value, {contender} by the contender's name, {root} by the project's
folder, where everything is started, and {processors} by the number of processors that contenders may use; {{ and }}
are literal braces. [defaults] holds options of all contenders.

A round launches every contender once, each in its own process, in random order; a launch may repeat its measurement
several times. Each combination of parameters is a point, and contenders are compared at the same point.
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

from fathom_lab import differences, goal, templates
from fathom_lab.errors import LabError, unknown
from fathom_lab.goal import Goal

Point = tuple[tuple[str, Any], ...]  # names and values of parameters, in the file's order

GOALS = "goals"  # in a document: the table of the goals of all experiments
_TAKEN = {"environment": "a run stores its machine under this name",
          GOALS: "a document has its table of goals under this name"}
AGAIN = "again"  # the contender that is a second copy of the baseline, in every run
AGREEMENTS = ("exactly", "at least", "at most", "shown")  # rules of [[contender]] agree: see agreement.py


@dataclasses.dataclass(frozen=True)
class Measure:
    """A measure, in seconds, bytes, or plain numbers."""

    name: str
    unit: str = "s"  # "s", "bytes", "per_second", or the thing that is counted
    better: str = "less"  # or "more"
    exact: bool = False  # a count that is the same in each launch


# Measures that drivers report without a declaration. Others are counters, which an experiment must declare.
KNOWN_MEASURES = {
    measure.name: measure
    for measure in (
        Measure("time"),  # of one operation, wall time
        Measure("cpu_time"),  # of one operation, CPU time
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
    """How much to measure."""

    rounds: int = 10  # launches of each contender at each point
    repetitions: int = 1  # measurements in a launch that count
    warmup: int = 0  # measurements to drop at the start of each launch
    warmup_rounds: int = 1  # whole rounds to drop at the start: they fill caches
    timeout: float = 300.0  # time limit for a launch, in seconds
    tolerance: float = 0.03  # smaller effects do not matter


# The most that a plan may have. More would take years, or would not fit in memory.
MOST_ROUNDS = 10_000  # also of repetitions, and of both that are dropped
MOST_SECONDS = 7 * 24 * 3600.0
MOST_POINTS = 10_000


@dataclasses.dataclass(frozen=True)
class Contender:
    """A program or function that is measured: its driver and the driver's options."""

    name: str
    driver: str
    options: Mapping[str, Any]
    about: str = ""
    agree: Mapping[str, str | float] = dataclasses.field(default_factory=dict)  # with the baseline: see agreement.py
    version: tuple[str, ...] = ()  # a command that prints its version


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
    build: tuple[tuple[str, ...], ...] = ()  # commands to run first, in the project's folder
    about: str = ""  # background for readers of the report
    goals: tuple[Goal, ...] = ()
    seed_table: Mapping[str, Any] | None = None  # figures of a document to compare with: see report/seed_table.py
    skip: tuple[Mapping[str, Any], ...] = ()  # {"contender": ..., PARAMETER: value}: combinations to skip

    def points(self) -> Iterator[Point]:
        names = list(self.parameters)
        for values in itertools.product(*self.parameters.values()):
            yield tuple(zip(names, values))

    def takes_part(self, contender: str, point: Point) -> bool:
        facts = {"contender": self.baseline if contender == AGAIN else contender, **dict(point)}
        return not any(all(facts.get(key) == value for key, value in one.items()) for one in self.skip)

    def contender(self, name: str) -> Contender:
        """The contender of that name; `again` is the baseline under another name."""
        wanted = self.baseline if name == AGAIN else name
        found = next((one for one in self.contenders if one.name == wanted), None)
        if found is None:
            raise LabError(f"{self.name}: there is no contender {name}")
        return dataclasses.replace(found, name=name)

    def names(self) -> list[str]:
        """The names of all contenders, including `again`."""
        return [one.name for one in self.contenders] + [AGAIN]

    def primary(self) -> Measure:
        return self.measures[0]

    def in_smoke_size(self) -> Experiment:
        parameters = {**self.parameters, **self.smoke_parameters}
        return _of_what_is_left(dataclasses.replace(self, plan=self.smoke, parameters=parameters))

    def has_smoke_size(self) -> bool:
        return self.smoke != self.plan or bool(self.smoke_parameters)

    def only(self, names: Collection[str]) -> Experiment:
        """The experiment with only these contenders and the baseline."""
        for name in names:
            self.contender(name)
        contenders = tuple(one for one in self.contenders if one.name in names or one.name == self.baseline)
        return _of_what_is_left(dataclasses.replace(self, contenders=contenders))

    def at(self, parameter: str, values: Collection[str]) -> Experiment:
        """The experiment with other values of a parameter, given as strings: converted to numbers if its values are
        numbers."""
        if parameter not in self.parameters:
            known = ", ".join(self.parameters) or "it has none"
            raise LabError(f"{self.name} has no parameter {parameter}: {known}")
        typed = self.parameters[parameter]
        numbers = not any(isinstance(one, str) for one in typed)
        try:
            chosen = [_number(one) if numbers else one for one in values]
        except ValueError:
            given = ", ".join(values)
            raise LabError(f"{self.name}: {parameter} must be a number such as {typed[0]}, not {given}") from None
        checked = _values({parameter: chosen}, self.name)
        changed = dataclasses.replace(self, parameters={**self.parameters, **checked})
        _check_points(changed.name, changed.parameters)
        return _of_what_is_left(changed)

    def table(self) -> dict[str, Any]:
        """The table from which parse() makes this experiment, in JSON types: a run stores the experiment as it was run.
        """
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
    """Reads an experiment's file. Raises LabError if it cannot be read or used."""
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LabError(f"{path} is not valid TOML: {error}") from error
    one = parse(table, path.stem)
    if one.seed_table is not None:
        differences.check(one.seed_table, one.parameters, one.name)
    return one


def parse(table: Mapping[str, Any], name: str) -> Experiment:
    """Makes an experiment from a table. Raises LabError for keys that are missing, unknown or of the wrong type."""
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
    """Takes the keys of a table. Misspelled keys are errors, reported before the missing key that they stand for."""

    _MISSING = object()

    def __init__(self, table: dict[str, Any], where: str):
        self._table = table
        self._where = where

    def take(self, key: str, kind: type, default: Any = _MISSING) -> Any:
        value = self._table.pop(key, default)
        if value is self._MISSING:
            raise LabError(f"{self._where}: {key} is missing")
        if value is not default and not isinstance(value, kind):
            raise LabError(f"{self._where}: {key} must be {_KINDS[kind]}, not {value!r}")
        return value

    def check(self, known: Collection[str]) -> None:
        if left := self._table.keys() - set(known):
            raise LabError(f"{self._where}: {unknown(left, known)}")


def _contender(table: Any, defaults: Mapping[str, Any], where: str) -> Contender:
    if not isinstance(table, dict):
        raise LabError(f"{where}: a contender must be a table, [[contender]]")
    fields = {**defaults, **table}
    name, driver = fields.pop("name", None), fields.pop("driver", None)
    if name is None or driver is None:
        of = f" {name}" if name else ""
        raise LabError(f"{where}: a contender needs a name and a driver:{of} has no {'driver' if name else 'name'}")
    for key, value in (("name", name), ("driver", driver)):
        if not isinstance(value, str) or not value:
            raise LabError(f"{where}: the {key} of a contender must be a non-empty string, not {value!r}")
    about, agree, version = str(fields.pop("about", "")), fields.pop("agree", {}), fields.pop("version", [])
    if not isinstance(version, (list, tuple)) or not all(isinstance(one, str) for one in version):
        raise LabError(f"{where}: version must be a command, a list of strings, not {version!r}")
    return Contender(
        name, driver, templates.fill_only(fields, "contender", name), about, _agree(agree, f"{where}: {name}"),
        tuple(templates.fill_only(version, "contender", name)),
    )


def _agree(table: Any, where: str) -> dict[str, str | float]:
    if not isinstance(table, dict):
        raise LabError(f'{where}: agree must be a table, {{ NUMBER = "exactly" }}, not {table!r}')
    for number, rule in table.items():
        if rule not in AGREEMENTS and not (isinstance(rule, float) and 0.0 < rule < 1.0):
            raise LabError(f"{where}: agree: {number} must be {', '.join(AGREEMENTS)} or a fraction such as 0.01, "
                           f"not {rule!r}")
    return dict(table)


def _goal(name: str, number: int) -> str:
    return f"{name}: goal {number}"


def _command(listed: Any, where: str) -> tuple[str, ...]:
    if not isinstance(listed, list) or not listed or not all(isinstance(one, str) for one in listed):
        raise LabError(f"{where}: build must be a list of commands, each a list of strings, not {listed!r}")
    return tuple(listed)


def _plan(table: Mapping[str, Any], default: Plan, where: str) -> Plan:
    kinds = {field.name: type(field.default) for field in dataclasses.fields(Plan)}
    for key, value in table.items():
        kind = kinds.get(key)
        if kind is None:
            raise LabError(f"{where}: {unknown([key], kinds)}")
        if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else int):
            wanted = "number" if kind is float else "whole number"
            raise LabError(f"{where}: {key} must be a {wanted}, not {value!r}")
        if not 0 <= value < math.inf:
            raise LabError(f"{where}: {key} must be finite and not negative, not {value!r}")
        most = MOST_SECONDS if key == "timeout" else MOST_ROUNDS
        if value > most:
            raise LabError(f"{where}: {key} must be at most {most:g}, not {value!r}")
    plan = dataclasses.replace(default, **table)
    if plan.rounds < 1 or plan.repetitions < 1 or plan.timeout <= 0:
        key = next(key for key in ("rounds", "repetitions", "timeout") if getattr(plan, key) <= 0)
        raise LabError(f"{where}: {key} must be more than 0, not {getattr(plan, key)!r}")
    if not 0 < plan.tolerance < 1:
        raise LabError(f"{where}: tolerance must be a fraction, such as 0.03 for 3 %, not {plan.tolerance!r}")
    return plan


def _values(table: Any, where: str) -> dict[str, tuple[Any, ...]]:
    if not isinstance(table, dict):
        raise LabError(f"{where} must be a table of lists")
    for key, values in table.items():
        if not isinstance(values, list) or not values or not all(map(_is_value, values)):
            raise LabError(f"{where}: {key} must be a non-empty list of strings and numbers")
        if len(set(values)) < len(values):
            raise LabError(f"{where}: {key} has a duplicate value")
        nested = [one for one in values if isinstance(one, str) and re.search(r"\{\w+\}", one)]
        if nested:
            raise LabError(f"{where}: {key} contains '{nested[0]}', but placeholders are not replaced in values")
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
        raise LabError(f"{where}: measures has a duplicate name: {', '.join(names)}")
    return measures


def _measure(described: Any, where: str) -> Measure:
    """The name of a known measure, or a table {name, unit, better, exact} for a counter."""
    if isinstance(described, str) and described in KNOWN_MEASURES:
        return KNOWN_MEASURES[described]
    if not isinstance(described, dict) or not isinstance(described.get("name"), str):
        known = ", ".join(KNOWN_MEASURES)
        raise LabError(f"{where}: a measure must be one of {known}, or a table with a name, not {described!r}")
    default = KNOWN_MEASURES.get(described["name"], Measure(described["name"], unit=""))
    for key, value in described.items():
        kind = {"name": str, "unit": str, "better": str, "exact": bool}.get(key)
        if kind is None:
            raise LabError(f"{where}: measure {default.name}: {unknown([key], ('name', 'unit', 'better', 'exact'))}")
        if not isinstance(value, kind) or (key == "better" and value not in ("less", "more")):
            allowed = {"better": '"less" or "more"', "exact": "true or false"}.get(key, "a string")
            raise LabError(f"{where}: measure {default.name}: {key} must be {allowed}, not {value!r}")
    return dataclasses.replace(default, **described)


def _check(experiment: Experiment) -> None:
    if reason := _TAKEN.get(experiment.name):
        raise LabError(f"{experiment.name}: the name {experiment.name} is reserved: {reason}; rename the file")
    names = [one.name for one in experiment.contenders]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise LabError(f"{experiment.name}: two contenders have the name {', '.join(sorted(twice))}")
    if AGAIN in names:
        raise LabError(f"{experiment.name}: the contender name {AGAIN} is reserved for the second copy of the baseline")
    if experiment.baseline not in names:
        raise LabError(f"{experiment.name}: the baseline {experiment.baseline} is not one of the contenders")
    _check_points(experiment.name, experiment.parameters)
    _check_points(experiment.name, {**experiment.parameters, **experiment.smoke_parameters})
    unknown = set(experiment.smoke_parameters) - set(experiment.parameters)
    if unknown:
        raise LabError(f"{experiment.name}: [smoke.parameters]: no such parameter: {', '.join(sorted(unknown))}")
    for name in {"root", "contender", "processors"} & set(experiment.parameters):
        raise LabError(f"{experiment.name}: the parameter name {name} is reserved")
    for one in experiment.skip:
        _check_skip(experiment, one)
    for number, each in enumerate(experiment.goals, 1):
        goal.check(each, _goal(experiment.name, number), names, _all_values(experiment))


def _check_points(name: str, parameters: Mapping[str, Collection[Any]]) -> None:
    points = math.prod(map(len, parameters.values()))
    if points > MOST_POINTS:
        raise LabError(f"{name}: the parameters have {points} combinations; at most {MOST_POINTS} can be measured")


def _check_skip(experiment: Experiment, skip: Any) -> None:
    """Checks an entry of skip. One that never matches is an error."""
    where = f"{experiment.name}: skip"
    if not isinstance(skip, dict) or not skip:
        raise LabError(f"{where} must be a list of tables, {{contender = ..., PARAMETER = ...}}, not {skip!r}")
    for key, value in skip.items():
        if key != "contender" and key not in experiment.parameters:
            raise LabError(f"{where}: no such parameter: {key}; known: {', '.join(experiment.parameters) or 'none'}")
        if value not in _skippable(experiment, key):
            raise LabError(f"{where}: {key} is never {value!r}")


def _skippable(experiment: Experiment, key: str) -> list[Any]:
    if key == "contender":
        return [one.name for one in experiment.contenders]
    return _all_values(experiment)[key]


def _all_values(experiment: Experiment) -> dict[str, list[Any]]:
    """All values of the parameters, in both sizes."""
    return {key: [*values, *experiment.smoke_parameters.get(key, ())] for key, values in experiment.parameters.items()}


def _of_what_is_left(experiment: Experiment) -> Experiment:
    """Removes skips and goals that cannot match anymore, so that parse() still accepts the experiment."""
    skip = (one for one in experiment.skip if all(value in _skippable(experiment, key) for key, value in one.items()))
    names, values = [one.name for one in experiment.contenders], _all_values(experiment)
    goals = (one for one in experiment.goals if goal.fits(one, names, values))
    return dataclasses.replace(experiment, skip=tuple(skip), goals=tuple(goals))
