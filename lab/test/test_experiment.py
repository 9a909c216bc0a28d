from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fathom_lab import experiment
from fathom_lab.errors import LabError
from fathom_lab.experiment import Experiment, Measure

EXPERIMENTS = sorted((Path(__file__).parents[1] / "experiments").glob("*.toml"))


def table(**changes: Any) -> dict[str, Any]:
    contenders = [{"name": name, "driver": "command", "command": [name]} for name in ("old", "new")]
    whole = {"question": "Which?", "baseline": "old", "contender": contenders, **changes}
    return {key: value for key, value in whole.items() if value is not None}


def parse(**changes: Any) -> Experiment:
    return experiment.parse(table(**changes), "which")


@pytest.mark.parametrize("file", EXPERIMENTS, ids=lambda file: file.stem)
def test_the_project_s_experiments_can_be_read_and_kept(file: Path) -> None:
    one = experiment.load(file)
    for size in (one, one.in_smoke_size()):
        assert experiment.parse(size.table(), size.name).table() == size.table()
        assert all(any(size.takes_part(name, point) for point in size.points()) for name in size.names())


def test_a_file_s_name_is_the_experiment_s(tmp_path: Path) -> None:
    file = tmp_path / "which.toml"
    file.write_text('question = "?"\nbaseline = "a"\n[[contender]]\nname = "a"\ndriver = "command"\ncommand = ["a"]\n')
    assert experiment.load(file).name == "which"


@pytest.mark.parametrize("content, message", [(None, "cannot be read: No such file"), (b"= 1", "is not valid TOML"),
                                              (b"a = '\xff'", "is not valid TOML")])
def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "which.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(LabError, match=f"which.toml {message}"):
        experiment.load(file)


@pytest.mark.parametrize("differs, refused", [('machine = ["theirs", "{machine}"]', False), ("", True)])
def test_a_file_that_puts_figures_beside_a_document_s_says_what_differs(
    tmp_path: Path, differs: str, refused: bool
) -> None:
    file = tmp_path / "which.toml"
    file.write_text('question = "?"\nbaseline = "a"\n[[contender]]\nname = "a"\ndriver = "command"\ncommand = ["a"]\n'
                    f'[seed_table]\ntitle = "t"\n{"[seed_table.differs]" if differs else ""}\n{differs}\n')
    if refused:
        with pytest.raises(LabError, match=r"which: \[seed_table\] differs is missing: what differs between"):
            experiment.load(file)
    else:
        assert experiment.load(file).seed_table is not None


def test_points_are_all_combinations_in_the_file_s_order() -> None:
    one = parse(parameters={"threads": [2, 1], "size": ["a", "b"]})
    assert list(one.points()) == [(("threads", threads), ("size", size)) for threads in (2, 1) for size in "ab"]
    assert list(parse().points()) == [()]


def test_again_is_the_baseline_under_another_name() -> None:
    one = parse()
    assert one.names() == ["old", "new", "again"]
    assert one.contender("again").options == one.contender("old").options
    assert one.contender("again").name == "again"


def test_again_is_skipped_where_the_baseline_is() -> None:
    one = parse(parameters={"threads": [1, 2]}, skip=[{"contender": "old", "threads": 2}])
    at_two = (("threads", 2),)
    assert [one.takes_part(name, at_two) for name in ("old", "new", "again")] == [False, True, False]


def test_a_skip_without_a_contender_is_for_all() -> None:
    one = parse(parameters={"threads": [1, 2], "size": [1, 2]}, skip=[{"threads": 2, "size": 2}])
    parts = [point for point in one.points() if one.takes_part("new", point)]
    assert len(parts) == 3 and (("threads", 2), ("size", 2)) not in parts


def test_the_smoke_size_has_its_plan_and_parameters() -> None:
    one = parse(plan={"rounds": 20, "timeout": 5}, parameters={"threads": [1, 2], "size": [7]},
                smoke={"rounds": 2, "parameters": {"threads": [1]}})
    small = one.in_smoke_size()
    assert (small.plan.rounds, small.plan.timeout) == (2, 5)
    assert small.parameters == {"threads": (1,), "size": (7,)}
    assert one.plan.rounds == 20


def test_some_contenders_can_be_chosen_and_the_baseline_stays() -> None:
    contenders = [{"name": name, "driver": "command"} for name in ("old", "new", "newer")]
    one = parse(contender=contenders, skip=[]).only(["newer"])
    assert one.names() == ["old", "newer", "again"]
    with pytest.raises(LabError, match="which: there is no contender newest"):
        one.only(["newest"])


def test_a_goal_about_excluded_contenders_is_dropped() -> None:
    one = parse(parameters={"threads": [1, 2]}, goal=[
        {"at_most": 1, "of": "new"}, {"at_most": 2.0}, {"at_most": 3.0, "where": {"threads": 2}}])
    assert [goal.limit for goal in one.only(["old"]).goals] == [2.0, 3.0]
    assert [goal.limit for goal in one.at("threads", ["1"]).goals] == [1.0, 2.0]


def test_a_limit_may_have_a_unit() -> None:
    one = parse(measures=["wall", "peak_memory"], goal=[
        {"at_most": "2.5 ns"}, {"measure": "peak_memory", "at_most": "16 MiB", "plus": {"entries": "100 B"}}])
    assert one.goals[0].limit == pytest.approx(2.5e-9)
    assert (one.goals[1].limit, one.goals[1].plus) == (2.0**24, {"entries": 100.0})


def test_defaults_apply_to_contenders_that_do_not_override_them() -> None:
    contenders = [{"name": "old"}, {"name": "new", "size": 2}]
    one = parse(contender=contenders, defaults={"driver": "command", "size": 1})
    assert [(each.driver, each.options["size"]) for each in one.contenders] == [("command", 1), ("command", 2)]


def test_measures_are_known_ones_or_described() -> None:
    described = {"name": "spins", "unit": "spins", "better": "more", "exact": True}
    one = parse(measures=["wall", described, {"name": "other"}, {"name": "peak_memory", "exact": True}])
    assert one.measures == (Measure("wall"), Measure("spins", "spins", "more", True), Measure("other", ""),
                            Measure("peak_memory", "bytes", "less", True))
    assert one.primary().name == "wall"
    assert parse().measures == (Measure("time"),)


def test_an_experiment_can_be_kept_as_json() -> None:
    one = parse(parameters={"threads": [1, 2], "share": [0.5]}, skip=[{"contender": "new", "threads": 1}],
                measures=["wall", {"name": "spins", "exact": True}], plan={"rounds": 3, "tolerance": 0.05},
                smoke={"rounds": 1, "parameters": {"threads": [2]}}, build=[["make", "all"]], about="a",
                goal=[{"at_most": 1.1, "of": "new", "where": {"threads": 1}}, {"at_least": 2, "says": "more"}],
                seed_table={"rows": [["a", 1]]})
    assert experiment.parse(json.loads(json.dumps(one.table())), "which") == one


def test_the_largest_plan_is_accepted() -> None:
    most: dict[str, Any] = {"rounds": 10_000, "repetitions": 10_000, "warmup": 10_000, "warmup_rounds": 10_000,
                            "timeout": 604_800, "budget": 604_800}
    assert parse(plan=most, parameters={name: list(range(100)) for name in "ab"}).plan == experiment.Plan(**most)


def test_a_budget_lifts_the_limit_of_rounds_unless_one_is_given() -> None:
    assert parse(plan={"budget": 600}).plan.rounds == 10_000
    assert parse(plan={"budget": 600, "rounds": 50}).plan.rounds == 50
    assert parse(plan={"budget": 600}, smoke={"rounds": 7}).smoke == experiment.Plan(rounds=7, budget=600)


@pytest.mark.parametrize("changes, message", [
    ({"plan": {"duet": 1}}, "duet must be true or false, not 1"),
    ({"plan": {"budget": True}}, "budget must be a number, not True"),
    ({"question": None}, "question is missing"),
    ({"question": 1}, "question must be a string, not 1"),
    ({"qestion": "Which?"}, "unknown: qestion"),
    ({"qestion": "Which?", "question": None}, r"unknown: qestion \(did you mean question\?\); known are question, "),
    ({"baseline": "older"}, "the baseline older is not one of the contenders"),
    ({"contender": None}, "contender is missing"),
    ({"contender": ["old"]}, "contender 1 must be a table, not 'old'"),
    ({"contender": [{"name": "old"}]}, "contender old: driver is missing"),
    ({"contender": [{"driver": "command"}]}, "contender 1: name is missing"),
    ({"contender": [{"name": "", "driver": "command"}]}, "contender 1: name must be a non-empty string"),
    ({"contender": [{"name": 1, "driver": "command"}]}, "contender 1: name must be a string, not 1"),
    ({"contender": [{"name": "old", "driver": "command"}] * 2}, "two contenders have the name old"),
    ({"contender": [{"name": name, "driver": "command"} for name in ("old", "again")]}, "name again is reserved"),
    ({"plan": {"round": 3}}, r"\[plan\]: unknown: round"),
    ({"plan": {"tolerance": 3}}, "tolerance must be more than 0 and less than 1, such as 0.03 for 3 %, not 3"),
    ({"plan": {"tolerance": 0}}, "tolerance must be more than 0"),
    ({"plan": {"tolerance": 1.0}}, "tolerance must be .* less than 1"),
    ({"plan": {"repetitions": 0}}, "repetitions must be at least 1 and at most 10,000, not 0"),
    ({"plan": {"rounds": 0}}, "must be at least 1"),
    ({"plan": {"rounds": 2.5}}, "rounds must be a whole number"),
    ({"plan": {"rounds": True}}, "rounds must be a whole number"),
    ({"plan": {"warmup": -1}}, "warmup must be at least 0 and at most 10,000, not -1"),
    ({"plan": {"timeout": float("nan")}}, "timeout must be finite"),
    ({"plan": {"timeout": float("inf")}}, "timeout must be finite"),
    ({"plan": {"timeout": 0}}, "must be more than 0"),
    ({"plan": {"rounds": 10_001}}, r"\[plan\]: rounds must be at least 1 and at most 10,000, not 10001"),
    ({"plan": {"repetitions": 10**30}}, "repetitions must be .* at most 10,000"),
    ({"plan": {"warmup": 10_001}}, "warmup must be .* at most 10,000"),
    ({"plan": {"warmup_rounds": 10_001}}, "warmup_rounds must be .* at most 10,000"),
    ({"plan": {"timeout": 1e300}}, "timeout must be more than 0 and at most 604,800"),
    ({"smoke": {"rounds": 10_001}}, r"\[smoke\]: rounds must be .* at most 10,000"),
    ({"parameters": {name: list(range(101)) for name in "ab"}}, "have 10201 combinations; at most 10000 can be"),
    ({"parameters": {name: list(range(1000)) for name in "abcdefghij"}}, f"have {10**30} combinations"),
    ({"smoke": {"round": 3}}, r"\[smoke\]: unknown: round"),
    ({"smoke": {"parameters": {"threads": [1]}}}, "no such parameter: threads"),
    ({"smoke": {"parameters": [1]}}, r"\[smoke\]: parameters must be a table"),
    ({"parameters": {"threads": 2}}, "threads must be a non-empty list"),
    ({"parameters": {"case": ["one/{contender}"]}}, "case contains 'one/{contender}', but placeholders"),
    ({"parameters": {"threads": []}}, "threads must be a non-empty list"),
    ({"parameters": {"threads": [[1]]}}, "threads must be a non-empty list of strings and numbers"),
    ({"parameters": {"threads": [True]}}, "threads must be a non-empty list of strings and numbers"),
    ({"parameters": {"threads": [float("nan")]}}, "threads must be a non-empty list of strings and numbers"),
    ({"parameters": {"threads": [1, 2, 1]}}, "threads has a duplicate value"),
    ({"parameters": {"root": ["x"]}}, "the parameter name root is reserved"),
    ({"parameters": {"contender": ["x"]}}, "the parameter name contender is reserved"),
    ({"measures": []}, "measures must be a non-empty list"),
    ({"measures": ["tiem"]}, "measures must have names of time,"),
    ({"measures": ["wall", "wall"]}, "measures has a duplicate name"),
    ({"measures": [{"name": "x", "better": "most"}]}, "measure x: better must be \"less\" or \"more\", not 'most'"),
    ({"measures": [{"name": "x", "exact": 1}]}, "measure x: exact must be true or false, not 1"),
    ({"measures": [{"name": "x", "uint": "s"}]}, r"measure x: unknown: uint \(did you mean unit\?\)"),
    ({"build": ["make", "all"]}, "build must be a list of commands"),
    ({"build": [[]]}, "build must be a list of commands"),
    ({"build": [["make", 1]]}, "build must be a list of commands"),
    ({"goal": "fast"}, "goal must be a list"),
    ({"goal": ["fast"]}, "goal 1 must be a table, not 'fast'"),
    ({"goal": [{"at_mots": 1}]}, r"goal 1: unknown: at_mots \(did you mean at_most\?\)"),
    ({"goal": [{}]}, "goal 1: a goal must have one limit, either at_most or at_least"),
    ({"goal": [{"at_most": 1, "at_least": 1}]}, "either at_most or at_least"),
    ({"goal": [{"at_most": 1}, {"at_most": 1, "of": "newest"}]}, "goal 2: there is no contender newest; available: "),
    ({"goal": [{"at_most": 1, "contender": "again"}]}, "there is no contender again"),
    ({"goal": [{"at_most": 1, "of": [1]}]}, "of must be the name of a contender or a list of names"),
    ({"goal": [{"at_most": 1, "measure": "wall"}]}, "'wall' is not one of the measures: time"),
    ({"goal": [{"at_most": "2 MiB"}]}, "a limit must be a number or a string such as \"2 ns\", not '2 MiB'"),
    ({"goal": [{"at_most": "2 ns", "of": "new"}]}, "a limit must be a number, not '2 ns'"),
    ({"goal": [{"at_most": float("nan")}]}, "a limit must be a number"),
    ({"goal": [{"at_most": 1, "where": {"threads": 3}}], "parameters": {"threads": [1]}}, "threads is never 3"),
    ({"goal": [{"at_most": 1, "where": {"thraeds": 1}}], "parameters": {"threads": [1]}}, "no such parameter: thraeds"),
    ({"goal": [{"at_most": 1, "of": "new", "above": "new"}]}, "`of` .a ratio. or `above` .a difference., not both"),
    ({"goal": [{"at_most": 1, "of": "new", "plus": {"n": 1}}]}, "plus cannot be combined with"),
    ({"goal": [{"at_most": 1, "of_where": {}, "given": 3}]}, "given must be a table, not 3"),
    ({"contender": [{"name": "old", "driver": "command", "agree": "all"}]}, "old: agree must be a table"),
    ({"contender": [{"name": "old", "driver": "command", "agree": {"n": "nearly"}}]}, "agree must have exactly, .* n"),
    ({"contender": [{"name": "old", "driver": "command", "agree": {"n": 2.0}}]}, "such as 0.01 for n, not 2.0"),
    ({"contender": [{"name": "old", "driver": "command", "version": "old -V"}]}, "version must be a list of strings"),
    ({"skip": ["new"]}, "skip must be a list of tables"),
    ({"skip": [{}]}, "skip must be a list of tables"),
    ({"skip": [{"thraeds": 1}]}, "skip: no such parameter: thraeds"),
    ({"skip": [{"contender": "newest"}]}, "skip: contender is never 'newest'"),
    ({"skip": [{"threads": 4}], "parameters": {"threads": [1, 2]}}, "skip: threads is never 4"),
])
def test_mistakes_have_a_message(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LabError, match=f"^which.*{message}"):
        parse(**changes)
