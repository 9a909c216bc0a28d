"""An experiment: a question, and the contenders that are compared to answer it. It is read from a TOML file, whose keys
are the attributes of ExperimentFile and the classes above it (EXPERIMENTS.md lists them all).

A round launches every contender once, each in its own process, in random order; a launch may repeat its measurement
several times. Each combination of parameters is a point, and contenders are compared at the same point.

In options, {PARAMETER} is replaced by its value, {contender} by the contender's name, {root} by the project's folder,
where everything is started, and {processors} by the number of processors that contenders may use; {{ and }} are literal
braces. [defaults] holds options of all contenders.
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

import attrs

from fathom_lab import differences, goal, schema, templates
from fathom_lab.errors import LabError
from fathom_lab.goal import Goal
from fathom_lab.schema import InvalidValue, OneOf, Range, doc, filled

Point = tuple[tuple[str, Any], ...]  # names and values of parameters, in the file's order

GOALS = "goals"  # in a document: the table of the goals of all experiments
_TAKEN = {"environment": "a run stores its machine under this name",
          GOALS: "a document has its table of goals under this name"}
AGAIN = "again"  # the contender that is a second copy of the baseline, in every run
BESIDE_AGAIN = "beside again"  # in a duet, the launch of the baseline with which `again` runs
_COPIES = (AGAIN, BESIDE_AGAIN)
AGREEMENTS = ("exactly", "at least", "at most", "shown")  # rules of [[contender]] agree: see agreement.py

# The most that a plan may have. More would take years, or would not fit in memory.
MOST_ROUNDS = 10_000  # also of repetitions, and of both that are dropped
MOST_SECONDS = 7 * 24 * 3600.0
MOST_POINTS = 10_000


@attrs.frozen
class Measure:
    """A measure, in seconds, bytes, or plain numbers."""

    name: str = attrs.field(metadata=doc("a known measure, or a number that contenders report"))
    unit: str = attrs.field(default="s", metadata=doc(
        '"s", "bytes", "per_second", or the thing that is counted', default='that of the known measure, otherwise ""'))
    better: str = attrs.field(default="less", validator=OneOf(("less", "more")), metadata=doc(
        "which values are better", default='that of the known measure, otherwise "less"'))
    exact: bool = attrs.field(default=False, metadata=doc(
        "a count that is the same in each launch", default="that of the known measure, otherwise false"))


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


@attrs.frozen
class Plan:
    """How much to measure."""

    rounds: int = attrs.field(default=10, validator=Range(1, MOST_ROUNDS), metadata=doc(
        "launches of each contender at each point"))
    repetitions: int = attrs.field(default=1, validator=Range(1, MOST_ROUNDS), metadata=doc(
        "measurements in a launch that count"))
    warmup: int = attrs.field(default=0, validator=Range(0, MOST_ROUNDS), metadata=doc(
        "measurements to drop at the start of each launch"))
    warmup_rounds: int = attrs.field(default=1, validator=Range(0, MOST_ROUNDS), metadata=doc(
        "whole rounds to drop at the start: they fill caches"))
    timeout: float = attrs.field(default=300.0, validator=Range(0, MOST_SECONDS, more=True), metadata=doc(
        "time limit for each launch, in seconds"))
    tolerance: float = attrs.field(
        default=0.03, validator=Range(0, 1, more=True, less=True, example="0.03 for 3 %"), metadata=doc(
            "differences up to this fraction do not matter"))
    budget: float = attrs.field(default=0.0, validator=Range(0, MOST_SECONDS), metadata=doc(
        "seconds until which rounds go on, unless each question is decided before; `rounds` is then the most; 0: "
        "exactly `rounds` rounds"))
    duet: bool = attrs.field(default=False, metadata=doc(
        "run the contender and the baseline at once, each on a processor of its own"))


def _agreements(table: Any) -> dict[str, str | float]:
    if not isinstance(table, Mapping):
        raise InvalidValue(f'must be a table, {{ NUMBER = "exactly" }}, not {table!r}')
    for number, rule in table.items():
        if rule not in AGREEMENTS and not (isinstance(rule, float) and 0.0 < rule < 1.0):
            known = ", ".join(AGREEMENTS)
            raise InvalidValue(f"must have {known} or a fraction such as 0.01 for {number}, not {rule!r}")
    return dict(table)


@attrs.frozen
class Contender:
    """A program or function that is measured: its driver and the driver's options."""

    name: str = attrs.field(validator=filled, metadata=doc("its name in reports, and the value of {contender}"))
    driver: str = attrs.field(validator=filled, metadata=doc("command, google-benchmark or go-test"))
    options: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc("all other keys: the driver's options"))
    about: str = attrs.field(default="", metadata=doc("a description for reports"))
    agree: Mapping[str, str | float] = attrs.field(factory=dict, metadata=doc(
        "by number that both print: how it must agree with the baseline's, \"exactly\", \"at least\", \"at most\", a "
        "fraction such as 0.01 for within 1 %, or \"shown\", which only reports the difference",
        kind="a table", read=_agreements))
    version: tuple[str, ...] = attrs.field(default=(), metadata=doc(
        "a command that prints its version, for the run's environment.json"))


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
        facts = {"contender": self.baseline if contender in _COPIES else contender, **dict(point)}
        return not any(all(facts.get(key) == value for key, value in one.items()) for one in self.skip)

    def contender(self, name: str) -> Contender:
        """The contender of that name; `again` is the baseline under another name."""
        wanted = self.baseline if name in _COPIES else name
        found = next((one for one in self.contenders if one.name == wanted), None)
        if found is None:
            raise LabError(f"{self.name}: there is no contender {name}")
        return attrs.evolve(found, name=name)

    def names(self) -> list[str]:
        """The names of all contenders, including the copies of the baseline."""
        return [one.name for one in self.contenders] + list(_COPIES if self.plan.duet else (AGAIN,))

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
        table: dict[str, Any] = {
            "question": self.question, "about": self.about, "baseline": self.baseline, "build": self.build,
            "measures": [attrs.asdict(one) for one in self.measures], "parameters": self.parameters,
            "plan": attrs.asdict(self.plan), "skip": self.skip, "goal": [one.table() for one in self.goals],
            "smoke": {**attrs.asdict(self.smoke), "parameters": self.smoke_parameters},
            "contender": [{**attrs.asdict(one, filter=lambda each, _: each.name != "options"), **one.options}
                          for one in self.contenders],
        }
        if self.seed_table is not None:
            table["seed_table"] = self.seed_table
        plain: dict[str, Any] = json.loads(json.dumps(table, default=str))
        return plain


def _measures(listed: Any) -> tuple[Measure, ...]:
    """Names of known measures, and tables for others."""
    if not isinstance(listed, (list, tuple)) or not listed:
        raise InvalidValue(f"must be a non-empty list, not {listed!r}")
    measures = tuple(map(_measure, listed))
    names = [one.name for one in measures]
    if len(set(names)) < len(names):
        raise InvalidValue(f"has a duplicate name: {', '.join(names)}")
    return measures


def _measure(described: Any) -> Measure:
    table = {"name": described} if isinstance(described, str) and described in KNOWN_MEASURES else described
    if not isinstance(table, Mapping) or not isinstance(name := table.get("name"), str):
        raise InvalidValue(f"must have names of {', '.join(KNOWN_MEASURES)}, or tables with a name, not {described!r}")
    known = KNOWN_MEASURES.get(name, Measure(name, unit=""))
    return schema.read(Measure, {**attrs.asdict(known), **table}, f"measure {name}")


def _no_empty_command(instance: Any, attribute: attrs.Attribute[Any], value: tuple[tuple[str, ...], ...]) -> None:
    if not all(value):
        raise LabError(f"{attribute.name} must be a list of commands, each a non-empty list of strings, not {value!r}")


@attrs.frozen(kw_only=True)
class Smoke(Plan):
    """The short size, for --smoke: what differs from [plan] and [parameters]."""

    parameters: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc(
        "other values of parameters", kind="a table of lists"))


@attrs.frozen(kw_only=True)
class ExperimentFile:
    """The keys of an experiment's file."""

    question: str = attrs.field(metadata=doc("what the experiment answers, in a sentence"))
    baseline: str = attrs.field(metadata=doc("the name of the contender with which the others are compared"))
    contender: tuple[Any, ...] = attrs.field(metadata=doc("what is compared", kind="tables, `[[contender]]`"))
    measures: tuple[Measure, ...] = attrs.field(default=(KNOWN_MEASURES["time"],), metadata=doc(
        "the first one answers the question; known are " + ", ".join(KNOWN_MEASURES),
        kind="a list of names and tables", default='["time"]', read=_measures))
    build: tuple[tuple[str, ...], ...] = attrs.field(
        default=(), validator=_no_empty_command, metadata=doc(
            "commands to run in the project's folder before the first round"))
    about: str = attrs.field(default="", metadata=doc("background for readers of the report"))
    plan: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc("how much to measure"))
    smoke: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc("the same for --smoke"))
    parameters: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc(
        "lists of strings and numbers; each combination, at most 10,000, is a point, at which contenders are compared",
        kind="a table of lists"))
    defaults: Mapping[str, Any] = attrs.field(factory=dict, metadata=doc("keys that contenders have in common"))
    skip: tuple[Any, ...] = attrs.field(default=(), metadata=doc(
        "combinations to skip, such as `{ contender = \"select\", clients = 1024 }`", kind="a list of tables"))
    goal: tuple[Any, ...] = attrs.field(default=(), metadata=doc(
        "limits, which the lab reports as met, missed or open", kind="tables, `[[goal]]`"))
    seed_table: Mapping[str, Any] | None = attrs.field(default=None, metadata=doc(
        "figures of a document to show next to those of this machine", kind="a table", default="none"))


def load(path: Path) -> Experiment:
    """Reads an experiment's file. Raises LabError if it cannot be read or used."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{path} is not valid TOML: {error}") from error
    return parse_text(text, path)


def parse_text(text: str, path: Path) -> Experiment:
    """Makes an experiment from the text of a file. Raises LabError."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"{path} is not valid TOML: {error}") from error
    one = parse(table, path.stem)
    if one.seed_table is not None:
        differences.check(one.seed_table, one.parameters, one.name)
    return one


def parse(table: Mapping[str, Any], name: str) -> Experiment:
    """Makes an experiment from a table. Raises LabError for keys that are missing, unknown or of the wrong type."""
    file = schema.read(ExperimentFile, table, name)
    contenders = tuple(_contender(one, file.defaults, f"{name}: contender", index)
                       for index, one in enumerate(file.contender, 1))
    plan = schema.read(Plan, _without_limit(file.plan), f"{name}: [plan]")
    smoke = attrs.asdict(schema.read(Smoke, {**attrs.asdict(plan), **_without_limit(file.smoke)}, f"{name}: [smoke]"))
    smoke_parameters = _values(smoke.pop("parameters"), f"{name}: [smoke.parameters]")
    experiment = Experiment(
        name=name,
        question=file.question,
        baseline=file.baseline,
        contenders=contenders,
        measures=file.measures,
        parameters=_values(file.parameters, f"{name}: [parameters]"),
        plan=plan,
        smoke=Plan(**smoke),
        smoke_parameters=smoke_parameters,
        build=file.build,
        about=file.about,
        goals=tuple(goal.parse(one, _goal(name, index), file.baseline, file.measures)
                    for index, one in enumerate(file.goal, 1)),
        seed_table=file.seed_table,
        skip=file.skip,
    )
    _check(experiment)
    return experiment


def _contender(table: Any, defaults: Mapping[str, Any], where: str, number: int) -> Contender:
    if not isinstance(table, Mapping):
        raise LabError(f"{where} {number} must be a table, not {table!r}")
    fields = {**defaults, **table}
    own = attrs.fields_dict(Contender).keys() - {"options"}
    options = {name: value for name, value in fields.items() if name not in own}
    kept = {name: value for name, value in fields.items() if name in own}
    one = schema.read(Contender, {**kept, "options": options}, f"{where} {fields.get('name') or number}")
    return attrs.evolve(one, options=templates.fill_only(options, "contender", one.name),
                        version=tuple(templates.fill_only(one.version, "contender", one.name)))


def _goal(name: str, number: int) -> str:
    return f"{name}: goal {number}"


def _without_limit(plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """A budget without a number of rounds lifts their limit."""
    return {"rounds": MOST_ROUNDS, **plan} if plan.get("budget") else plan


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


def _check(experiment: Experiment) -> None:
    if reason := _TAKEN.get(experiment.name):
        raise LabError(f"{experiment.name}: the name {experiment.name} is reserved: {reason}; rename the file")
    names = [one.name for one in experiment.contenders]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise LabError(f"{experiment.name}: two contenders have the name {', '.join(sorted(twice))}")
    for copy in _COPIES:
        if copy in names:
            raise LabError(f"{experiment.name}: the contender name {copy} is reserved for a copy of the baseline")
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
