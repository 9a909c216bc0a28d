import dataclasses
import json
import random

import pytest

from fathom_lab.analysis import analyze
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN, KNOWN_MEASURES
from fathom_lab.gate import Outcome, check, gate, gate_command, markdown, undecided, worst
from fathom_lab.records import Launch
from fathom_lab.rows import Failure, Interval
from made_analysis import TIME, exact_row, made_again, made_analysis, made_experiment, made_row

RATE = KNOWN_MEASURES["items_per_second"]
HERE = {"host": "a", "processor": "one", "processors_online": 2, "kernel": "6", "commit": "c0ffee"}


def with_interval(low, high, *, contender="ring", **fields):
    row = made_row(contender, (low * high) ** 0.5, **fields)
    return dataclasses.replace(row, interval=Interval(low, high, 0.95), alone=Interval(low, high, 0.95))


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


def test_a_slowdown_without_a_second_run_requests_one():
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
    assert gate(analysis, strict=True).exit_code == 4
    assert gate(analysis, strict=True).outcome is Outcome.UNDECIDED


def test_an_unconfirmed_gain_passes():
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


def test_without_the_baseline_compared_with_itself_nothing_is_a_regression_in_time():
    row = with_interval(1.2, 1.3)
    assert gate(made_analysis([row], []), made_analysis([row], [])).exit_code == 3


def test_too_few_rounds_are_undecided():
    row = dataclasses.replace(made_row(ratio=1.5, rounds=3), interval=None, alone=None)
    assert gate(made_analysis([row]), strict=True).exit_code == 4


def test_one_allocation_more_is_a_regression_without_a_second_run():
    result = counted(101, 100)
    assert (result.outcome, result.exit_code, result.needs_confirmation) == (Outcome.REGRESS, 1, False)
    assert "101 allocations, was 100 allocations" in result.rows[0].reason


def test_the_first_allocation_is_a_regression_though_it_has_no_ratio():
    assert counted(1, 0).outcome is Outcome.REGRESS


def test_equal_counts_pass_and_fewer_are_an_improvement():
    assert counted(100, 100).outcome is Outcome.PASS
    assert counted(99, 100).outcome is Outcome.IMPROVE


def counted_launches(value, rounds=20, measures=("allocations",)):
    """Analyses from analyze(), as the gate gets them."""
    of = made_experiment(measures=list(measures), plan={"rounds": rounds})
    return analyze(of, [
        Launch(number, order, name, (), 0.0, (value(name, number),))
        for number in range(rounds) for order, name in enumerate(of.names())
    ], {}, True)


def test_a_count_that_varies_on_both_sides_is_not_gated_by_chance():
    """Mostly 24, sometimes 25 and 26: the maxima differ in every third run."""
    codes = []
    for seed in range(60):
        dice = random.Random(seed)
        runs = [counted_launches(lambda *_: {"allocations": float(dice.choice([24] * 5 + [25, 26]))}) for _ in "12"]
        codes.append(gate(*runs).exit_code)
    assert codes.count(1) <= 1


def test_a_count_that_varies_and_is_surely_larger_has_to_be_confirmed():
    dice = random.Random(1)
    run = lambda: counted_launches(  # noqa: E731
        lambda name, _: {"allocations": dice.choice([24.0, 25.0]) * (2 if name == "ring" else 1)})
    first, second = run(), run()
    assert gate(first).needs_confirmation
    assert gate(first, second).exit_code == 1


def test_a_count_that_varies_beside_hardly_any_has_to_be_confirmed():
    """A median of 0 has no ratio."""
    run = counted_launches(
        lambda name, number: {"allocations": 3.0 + number % 2 if name == "ring" else number % 7 // 6})
    assert gate(run).needs_confirmation
    assert gate(run, run).exit_code == 1
    assert gate(run, counted_launches(lambda *_: {"allocations": 0.0})).exit_code == 0


def test_a_count_that_is_nearly_absent_on_the_new_side_is_a_regression():
    def value(name, number):
        return {"time": 1.0} if name == "ring" and number != 7 else {"time": 1.0, "allocations": 5.0}

    result = gate(counted_launches(value, measures=("time", "allocations")))
    assert result.exit_code == 1
    assert (result.rows[0].measure, result.rows[0].reason) == ("allocations", "reported in 1 of 20 launches")


def test_a_count_that_is_nearly_absent_on_the_old_side_is_not_a_regression_of_the_new_one():
    def value(name, number):
        return {"time": 1.0} if name == "mutex" and number != 7 else {"time": 1.0, "allocations": 5.0}

    assert gate(counted_launches(value, measures=("time", "allocations"))).exit_code == 3


def test_a_count_that_neither_side_reports_is_not_a_regression_of_the_new_one():
    result = gate(counted_launches(lambda *_: {"time": 1.0}, measures=("time", "allocations")))
    assert (result.exit_code, result.rows[0].reason) == (3, "mutex has no number either")


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
    assert "signal 11" in result.rows[0].reason


def test_a_contender_that_always_failed_is_reported_once_with_the_reason():
    result = gate(made_analysis([], failures=[Failure("ring", (), 3, 3, "exit code 1", "")]))
    assert [row.reason for row in result.rows] == ["failed in 3 of 3 launches: exit code 1"]


def test_a_contender_that_failed_in_the_second_run_is_a_regression():
    failure = Failure("ring", (), 1, 10, "it took too long", "")
    assert judged(1.05, 1.09, second=(1.0, 1.02)).exit_code == 0
    first = made_analysis([with_interval(1.05, 1.09)], [with_interval(0.99, 1.01, contender=AGAIN)])
    assert gate(first, dataclasses.replace(first, rows=[], failures=[failure])).exit_code == 1


def test_a_contender_that_did_not_run_is_a_regression_by_name():
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


def test_parts_that_an_interrupted_run_did_not_reach_are_undecided():
    of = made_experiment(["mutex", "ring", "later"])
    result = gate(made_analysis([made_row(ratio=1.0)], of=of, complete=False), strict=True)
    assert result.exit_code == 4


def test_a_baseline_that_always_failed_is_not_a_regression_of_the_new_side():
    failures = [Failure("mutex", (), 10, 10, "exit code 1", "")]
    assert gate(made_analysis([], [], failures=failures)).exit_code == 3


def test_a_baseline_that_mostly_failed_makes_the_environment_unusable_with_the_reason():
    failures = [Failure("mutex", (), 16, 20, "exit code 1", "")]
    result = gate(made_analysis([made_row(ratio=1.0)], failures=failures))
    assert result.exit_code == 3
    assert "failed in 16 of 20 launches: exit code 1" in result.rows[0].reason


def test_failing_as_often_as_the_baseline_is_not_a_regression():
    """For example because of a missing input."""
    failures = [Failure(name, (), 3, 3, "no such file", "") for name in ("mutex", AGAIN, "ring")]
    result = gate(made_analysis([], [], failures=failures))
    assert result.exit_code == 3
    assert any("so did mutex, the baseline: no such file" in row.reason for row in result.rows)


def test_failing_more_often_than_the_baseline_is_a_regression():
    failures = [Failure("mutex", (), 1, 20, "a crash", ""), Failure("ring", (), 15, 20, "a crash", "")]
    assert gate(made_analysis([], failures=failures)).exit_code == 1


def test_a_contender_missing_on_both_sides_is_not_a_regression():
    missing = {"mutex": "there is no program", "ring": "there is no program"}
    assert gate(made_analysis([], [], missing=missing)).exit_code == 3


def test_a_new_program_that_is_missing_is_a_regression_also_when_nothing_ran():
    """The analysis of a run that could not start."""
    of = made_experiment(("ring@main", "ring@."), name="ring")
    result = gate(analyze(of, [], {"ring@.": "there is no program build/ring"}, False))
    assert result.exit_code == 1
    assert [row.name() for row in result.rows] == ["ring@."]


def test_a_slowdown_far_beyond_the_noise_is_a_regression_on_a_noisy_machine():
    assert judged(1.9, 2.2, again=(0.95, 1.08), second=(1.9, 2.1)).exit_code == 1


def test_a_gain_on_a_noisy_machine_is_not_unusable():
    assert judged(0.80, 0.96, again=(0.80, 1.20)).outcome is Outcome.PASS
    assert judged(0.40, 0.50, again=(0.90, 1.10), second=(0.40, 0.50)).outcome is Outcome.IMPROVE


@pytest.mark.parametrize("deviation", [0.02, 0.04, 0.06])
def test_twice_as_slow_is_a_regression_in_modest_noise(deviation):
    def run(seed):
        dice = random.Random(seed)
        return counted_launches(lambda name, _: {"time": dice.lognormvariate(0, deviation) * (1 + (name == "ring"))},
                                measures=("time",))

    assert [gate(run(seed), run(100 + seed)).exit_code for seed in range(10)] == [1] * 10


def test_a_row_without_a_verdict_passes_nothing():
    row = dataclasses.replace(with_interval(0.5, 0.6), vetoed="its values form two clusters")
    assert gate(made_analysis([row]), strict=True).exit_code == 4


def test_a_tolerance_that_is_not_a_fraction_is_refused():
    for wrong in (0, 1, 3, 5.0):
        with pytest.raises(LabError, match="tolerance must be a fraction.*0.03 for 3 %"):
            gate(made_analysis(), tolerance=wrong)
        with pytest.raises(LabError, match="tolerance must be a fraction"):
            check(made_experiment(), wrong)


def test_plans_that_can_never_decide_are_refused_before_measuring():
    with pytest.raises(LabError, match="3 rounds cannot decide anything, at least 6 are needed"):
        check(made_experiment(plan={"rounds": 3}), 0.03)
    check(made_experiment(plan={"rounds": 6}), 0.03)
    check(made_experiment(plan={"rounds": 1}, measures=["allocations"]), 0.03)


def test_an_experiment_with_its_baseline_alone_is_refused_before_measuring():
    with pytest.raises(LabError, match="only its baseline"):
        check(made_experiment(("mutex",)), 0.03)


def test_the_worst_of_several_exit_codes_is_that_of_a_regression():
    assert [worst(codes) for codes in ((0, 1, 3), (4, 3), (0, 4), (0,))] == [1, 3, 4, 0]


def test_the_command_measures_again_only_to_confirm_a_row():
    calls = []
    slow = made_analysis([with_interval(1.05, 1.09)], [with_interval(0.99, 1.01, contender=AGAIN)])
    fine = made_analysis([with_interval(0.99, 1.01)], [with_interval(0.99, 1.01, contender=AGAIN)])

    def confirm():
        calls.append(1)
        return slow

    assert gate_command(fine, confirm, environment=HERE, say=lambda text: None).exit_code == 0
    assert calls == []
    assert gate_command(slow, confirm, environment=HERE, say=lambda text: None).exit_code == 1
    assert calls == [1]


def test_the_command_says_why_and_how_to_repeat_it():
    said = []
    failure = Failure("ring", (), 1, 10, "it was killed by signal 11", "")
    analysis = made_analysis([made_row(ratio=1.0)], failures=[failure])
    gate_command(analysis, lambda: analysis, environment=HERE, command="fathom-lab gate ring", say=said.append)
    assert said[0].startswith("REGRESS: ring: ")
    assert "ring: failed in 1 of 10 launches: it was killed by signal 11" in said[0]
    assert said[0].endswith("to repeat: fathom-lab gate ring")


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
    assert "not shown: 1 gate on other machines" in said[2]


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
    assert gate_command(slow, lambda: slow, environment=HERE, history=file, say=lambda text: None).exit_code == 0


def test_a_history_that_cannot_be_written_is_reported(tmp_path):
    analysis = made_analysis()
    with pytest.raises(LabError, match="history"):
        gate_command(analysis, lambda: analysis, environment=HERE, history=tmp_path, say=lambda text: None)


@pytest.mark.parametrize("interval, noise, left", [
    ((0.99, 1.02), (0.99, 1.01), False),  # passes
    ((1.05, 1.09), (0.99, 1.01), False),  # a second run must confirm it, not more rounds
    ((0.98, 1.06), (0.99, 1.01), True),
    ((1.01, 1.05), (0.99, 1.01), True),  # certainly slower, but perhaps within the tolerance
    ((0.9, 1.2), (0.8, 1.3), True),
])
def test_rounds_go_on_where_they_may_change_the_outcome(interval, noise, left):
    analysis = made_analysis([with_interval(*interval)], [with_interval(*noise, contender=AGAIN)])
    assert undecided(analysis, 0.03) == ({()} if left else set())
    assert undecided(dataclasses.replace(analysis, rounds=5), 0.03) == {()}


# The comment for a pull request


def commented(*analyses, **facts):
    return markdown.text([gate(one, one) for one in analyses], {**HERE, "command": "fathom-lab gate ring", **facts})


def test_a_comment_shows_what_fails_and_folds_what_passes():
    rows = [with_interval(1.08, 1.12), with_interval(0.99, 1.01, contender="other")]
    of = made_experiment(("mutex", "ring", "other"))
    text = commented(made_analysis(rows, [with_interval(0.99, 1.01, contender=AGAIN)], of=of))
    assert text.startswith(f"{markdown.MARK}\n### ✗ ring: regress\n\n1 regress, 1 pass; tolerance 3.0 %.\n")
    shown, folded = text.split("<details><summary>What passes</summary>")
    assert "| ✗ regress | ring |  | time |" in shown and "confirmed: 1.100, 1.080 to 1.12" in shown
    assert "| ✓ pass | other |" in folded and "other" not in shown
    assert "fathom-lab gate ring" in folded and "Linux 6" in folded


def test_a_comment_of_hostile_names_is_text():
    of = made_experiment(("mutex", "<b>|@you"))
    failure = Failure("<b>|@you", (), 1, 10, "exit code 1 </details>", "")
    text = commented(made_analysis([with_interval(0.99, 1.01, contender="<b>|@you")], failures=[failure], of=of))
    assert "<b>" not in text and "@you" not in text and text.count("</details>") == text.count("<details>")


def test_a_comment_stays_short():
    rows = [with_interval(1.08, 1.12, point=(("size", size),)) for size in range(500)]
    noise = [with_interval(0.99, 1.01, contender=AGAIN, point=row.point) for row in rows]
    of = made_experiment(parameters={"size": list(range(500))})
    text = commented(made_analysis(rows, noise, of=of))
    assert "440 more are not shown." in text and len(text) < 20_000
