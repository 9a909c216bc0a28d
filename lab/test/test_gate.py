import dataclasses
import json

import pytest

from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN, KNOWN_MEASURES
from fathom_lab.gate import Outcome, gate, gate_command
from fathom_lab.rows import Failure, Interval
from made_analysis import ALLOCATIONS, TIME, exact_row, made_again, made_analysis, made_experiment, made_row

RATE = KNOWN_MEASURES["items_per_second"]
HERE = {"host": "a", "processor": "one", "processors_online": 2, "kernel": "6", "commit": "c0ffee"}


def with_interval(low, high, contender="ring", **fields):
    row = made_row(contender, (low * high) ** 0.5, **fields)
    return dataclasses.replace(row, interval=Interval(low, high, 0.95))


def judged(low, high, again=(0.99, 1.01), second=None, measure=TIME):
    def run(reach, noise):
        rows = [with_interval(*reach, measure=measure)]
        return made_analysis(rows, [with_interval(*noise, contender=AGAIN, measure=measure)], of=of)

    of = made_experiment(measures=[measure.name])
    return gate(run((low, high), again), run(second, (0.99, 1.01)) if second else None)


def counted(count, before, **fields):
    of = made_experiment(measures=["time", "allocations"])
    same = [made_row(ratio=1.0), exact_row("ring", count, before)]
    return gate(made_analysis(same, [made_again(), exact_row(AGAIN, before, before)], of=of, **fields))


def test_a_slowdown_beyond_the_tolerance_that_a_second_run_confirms_is_a_regression():
    result = judged(1.05, 1.09, second=(1.04, 1.10))
    assert (result.outcome, result.exit_code) == (Outcome.REGRESS, 1)


def test_a_slowdown_that_a_second_run_does_not_confirm_is_undecided():
    assert judged(1.05, 1.09, second=(0.99, 1.10)).outcome is Outcome.UNDECIDED
    assert judged(1.05, 1.09, second=(0.80, 0.90)).outcome is Outcome.UNDECIDED


def test_a_slowdown_without_a_second_run_asks_for_one():
    result = judged(1.05, 1.09)
    assert result.needs_confirmation
    assert result.outcome is Outcome.UNDECIDED


def test_a_slowdown_within_the_tolerance_passes():
    result = judged(1.01, 1.02)
    assert (result.outcome, result.exit_code, result.needs_confirmation) == (Outcome.PASS, 0, False)


def test_an_interval_across_the_tolerance_is_undecided_and_only_strict_stops_it():
    row, again = with_interval(0.98, 1.06), with_interval(0.99, 1.01, contender=AGAIN)
    analysis = made_analysis([row], [again])
    assert gate(analysis).exit_code == 0
    assert gate(analysis, strict=True).exit_code == 2
    assert gate(analysis, strict=True).outcome is Outcome.UNDECIDED


def test_a_gain_has_to_be_confirmed_and_passes_anyway():
    assert judged(0.80, 0.90).outcome is Outcome.PASS
    assert judged(0.80, 0.90, second=(0.81, 0.91)).outcome is Outcome.IMPROVE
    assert judged(0.80, 0.90, second=(0.95, 1.10)).exit_code == 0


def test_where_more_is_better_less_is_a_regression():
    assert judged(0.80, 0.90, second=(0.81, 0.91), measure=RATE).outcome is Outcome.REGRESS
    assert judged(1.10, 1.20, second=(1.10, 1.21), measure=RATE).outcome is Outcome.IMPROVE
    assert judged(0.98, 1.50, measure=RATE).outcome is Outcome.PASS


def test_a_noisy_baseline_makes_the_environment_unusable():
    result = judged(1.05, 1.30, again=(0.95, 1.08), second=(1.05, 1.30))
    assert (result.outcome, result.exit_code) == (Outcome.UNUSABLE, 3)
    assert not result.needs_confirmation


def test_a_baseline_that_differs_from_itself_makes_the_environment_unusable():
    assert judged(1.05, 1.10, again=(1.05, 1.07)).exit_code == 3


def test_a_noisy_baseline_does_not_hide_that_a_row_passes():
    assert judged(0.99, 1.02, again=(0.95, 1.08)).outcome is Outcome.PASS


def test_without_the_baseline_beside_itself_nothing_is_a_regression_in_time():
    row = with_interval(1.2, 1.3)
    assert gate(made_analysis([row], []), made_analysis([row], [])).exit_code == 3


def test_too_few_rounds_are_undecided():
    row = dataclasses.replace(made_row(ratio=1.5, rounds=3), interval=None)
    assert gate(made_analysis([row]), strict=True).exit_code == 2


def test_one_allocation_more_is_a_regression_without_a_second_run():
    result = counted(101, 100)
    assert (result.outcome, result.exit_code, result.needs_confirmation) == (Outcome.REGRESS, 1, False)
    assert "101 allocations, was 100 allocations" in result.rows[0].why


def test_the_first_allocation_is_a_regression_though_it_has_no_ratio():
    assert counted(1, 0).outcome is Outcome.REGRESS


def test_equal_counts_pass_and_fewer_are_an_improvement():
    assert counted(100, 100).outcome is Outcome.PASS
    assert counted(99, 100).outcome is Outcome.IMPROVE


def test_a_count_that_varies_is_judged_by_its_worst():
    row = dataclasses.replace(exact_row("ring", 10, 10), values=(10,) * 9 + (12,))
    of = made_experiment(measures=[dataclasses.asdict(ALLOCATIONS)])
    result = gate(made_analysis([row], [exact_row(AGAIN, 10, 10)], of=of))
    assert result.outcome is Outcome.REGRESS
    assert "varies" in result.rows[0].why


def test_exact_counts_regress_on_an_unusable_machine_too():
    of = made_experiment(measures=["time", "allocations"])
    again = [with_interval(0.7, 1.4, contender=AGAIN), exact_row(AGAIN, 1, 1)]
    result = gate(made_analysis([with_interval(0.9, 1.3), exact_row("ring", 2, 1)], again, of=of))
    assert result.exit_code == 1
    assert [row.outcome for row in result.rows] == [Outcome.REGRESS, Outcome.UNUSABLE]


def test_a_contender_that_failed_is_a_regression_by_name_even_if_its_other_launches_are_fast():
    failure = Failure("ring", (), 1, 10, "it was killed by signal 11", "")
    result = gate(made_analysis([made_row(ratio=1.0)], failures=[failure]))
    assert result.exit_code == 1
    assert result.rows[0].contender == "ring"
    assert "signal 11" in result.rows[0].why


def test_a_contender_that_always_failed_is_told_once_with_the_reason():
    result = gate(made_analysis([], failures=[Failure("ring", (), 3, 3, "exit code 1", "")]))
    assert [row.why for row in result.rows] == ["failed in 3 of 3 launches: exit code 1"]


def test_a_contender_that_failed_in_the_second_run_is_a_regression():
    failure = Failure("ring", (), 1, 10, "it took too long", "")
    assert judged(1.05, 1.09, second=(1.0, 1.02)).exit_code == 0
    first = made_analysis([with_interval(1.05, 1.09)], [with_interval(0.99, 1.01, contender=AGAIN)])
    assert gate(first, dataclasses.replace(first, rows=[], failures=[failure])).exit_code == 1


def test_a_contender_that_did_not_take_part_is_a_regression_by_name():
    of = made_experiment(["mutex", "ring", "gone"])
    result = gate(made_analysis([made_row(ratio=1.0)], of=of, missing={"gone": "bench_rt is not there"}))
    assert result.exit_code == 1
    assert [(row.contender, row.outcome) for row in result.rows] == [("gone", Outcome.REGRESS), ("ring", Outcome.PASS)]


def test_a_contender_that_disappeared_is_a_regression_by_name():
    of = made_experiment(["mutex", "ring", "gone"])
    result = gate(made_analysis([made_row(ratio=1.0)], of=of))
    assert result.exit_code == 1
    assert result.rows[0].contender == "gone"


def test_a_point_that_disappeared_is_a_regression_by_name():
    of = made_experiment(parameters={"threads": [1, 2]})
    at_1 = (("threads", 1),)
    result = gate(made_analysis([made_row(ratio=1.0, point=at_1)], [made_again(point=at_1)], of=of))
    assert result.rows[0].name() == "ring at threads 2, time"
    assert result.exit_code == 1


def test_a_combination_that_is_skipped_is_not_missed():
    of = made_experiment(parameters={"threads": [1, 2]}, skip=[{"contender": "ring", "threads": 2}])
    at_1 = (("threads", 1),)
    assert gate(made_analysis([made_row(ratio=1.0, point=at_1)], [made_again(point=at_1)], of=of)).exit_code == 0


def test_what_an_interrupted_run_did_not_reach_is_undecided():
    of = made_experiment(["mutex", "ring", "later"])
    result = gate(made_analysis([made_row(ratio=1.0)], of=of, complete=False), strict=True)
    assert result.exit_code == 2


def test_a_baseline_that_always_failed_is_no_fault_of_the_new_side():
    failures = [Failure("mutex", (), 10, 10, "exit code 1", "")]
    assert gate(made_analysis([], [], failures=failures)).exit_code == 3


def test_a_tolerance_of_nothing_is_refused():
    with pytest.raises(LabError, match="tolerance"):
        gate(made_analysis(), tolerance=0)


def test_the_command_measures_again_only_if_there_is_something_to_confirm():
    calls = []
    slow = made_analysis([with_interval(1.05, 1.09)], [with_interval(0.99, 1.01, contender=AGAIN)])
    fine = made_analysis([with_interval(0.99, 1.01)], [with_interval(0.99, 1.01, contender=AGAIN)])
    confirm = lambda: calls.append(1) or slow  # noqa: E731
    assert gate_command(fine, confirm, environment=HERE, say=lambda text: None) == 0
    assert calls == []
    assert gate_command(slow, confirm, environment=HERE, say=lambda text: None) == 1
    assert calls == [1]


def test_the_command_says_why_and_how_to_do_it_again():
    said = []
    failure = Failure("ring", (), 1, 10, "it was killed by signal 11", "")
    analysis = made_analysis([made_row(ratio=1.0)], failures=[failure])
    gate_command(analysis, lambda: analysis, environment=HERE, command="fathom-lab gate ring", say=said.append)
    assert said[0].startswith("REGRESS: ring: ")
    assert "ring: failed in 1 of 10 launches: it was killed by signal 11" in said[0]
    assert said[0].endswith("again: fathom-lab gate ring")


def test_history_has_a_line_for_each_gate_and_shows_only_this_machines(tmp_path):
    file, said = tmp_path / "history.jsonl", []
    analysis = made_analysis([with_interval(0.99, 1.01)], [with_interval(0.99, 1.01, contender=AGAIN)])
    for environment in (HERE, {**HERE, "host": "b"}, HERE):
        gate_command(analysis, lambda: analysis, environment=environment, history=file, say=said.append)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["outcome"] for line in lines] == ["pass"] * 3
    assert lines[0]["commit"] == "c0ffee"
    assert "earlier gates" not in said[0] + said[1]
    assert "ring, time: 1.000, now 1.000" in said[2]
    assert "not shown: 1 gate of other machines" in said[2]


def test_history_of_another_experiment_is_not_shown(tmp_path):
    file, said = tmp_path / "history.jsonl", []
    for name in ("one", "other"):
        analysis = made_analysis([made_row(ratio=1.0)], of=made_experiment(name=name))
        gate_command(analysis, lambda: analysis, environment=HERE, history=file, say=said.append)
    assert "earlier gates" not in said[1]


def test_a_torn_line_of_history_costs_only_itself(tmp_path):
    file, said = tmp_path / "history.jsonl", []
    analysis = made_analysis([with_interval(0.99, 1.01)], [with_interval(0.99, 1.01, contender=AGAIN)])
    file.write_text('{"machine": "a | one')
    for _ in range(2):
        gate_command(analysis, lambda: analysis, environment=HERE, history=file, say=said.append)
    assert "ring, time: 1.000, now" in said[1]


def test_history_never_changes_the_outcome(tmp_path):
    file = tmp_path / "history.jsonl"
    fast = made_analysis([with_interval(0.5, 0.51)], [with_interval(0.99, 1.01, contender=AGAIN)])
    slow = made_analysis([with_interval(1.0, 1.01)], [with_interval(0.99, 1.01, contender=AGAIN)])
    gate_command(fast, lambda: fast, environment=HERE, history=file, say=lambda text: None)
    assert gate_command(slow, lambda: slow, environment=HERE, history=file, say=lambda text: None) == 0


def test_a_history_that_cannot_be_written_is_said(tmp_path):
    analysis = made_analysis()
    with pytest.raises(LabError, match="history"):
        gate_command(analysis, lambda: analysis, environment=HERE, history=tmp_path, say=lambda text: None)
