import dataclasses
import math

import numpy as np
import pytest

from fathom_lab import experiment
from fathom_lab.analysis import analyze
from fathom_lab.experiment import AGAIN, KNOWN_MEASURES
from fathom_lab.records import Launch
from fathom_lab.rows import Verdict
from fathom_lab.stats.comparison import compare

ROUNDS = 20


def made(contenders=("mutex", "ring"), measures=("time",), rounds=ROUNDS, **table):
    return experiment.parse(
        {
            "question": "Which is faster?",
            "baseline": contenders[0],
            "contender": [{"name": name, "driver": "command"} for name in contenders],
            "measures": list(measures),
            "plan": {"rounds": rounds},
            **table,
        },
        "made",
    )


def launched(made_experiment, value, rounds=None, repetitions=1):
    """Launches whose value is value(contender, point, round, measure), in random order as from the runner."""
    rng = np.random.default_rng(1)
    launches = []
    for number in range(made_experiment.plan.rounds if rounds is None else rounds):
        places = [(name, point) for point in made_experiment.points() for name in made_experiment.names()]
        for order, index in enumerate(rng.permutation(len(places))):
            name, point = places[index]
            values = tuple(
                {one.name: value(name, dict(point), number, one.name) for one in made_experiment.measures}
                for _ in range(repetitions)
            )
            launches.append(Launch(number, order, name, point, 0.0, values))
    return launches


def noisy(factors, deviation=0.01, seed=2):
    rng = np.random.default_rng(seed)
    return lambda name, point, number, measure: factors.get(name, 1.0) * float(rng.lognormal(0.0, deviation))


def analyzed(made_experiment, value, **arguments):
    return analyze(made_experiment, launched(made_experiment, value, **arguments), {}, True)


def test_the_answer_says_twice_as_fast():
    found = analyzed(made(parameters={"threads": [2]}), lambda name, *_: 0.5 if name == "ring" else 1.0)
    assert found.rows[0].verdict is Verdict.FASTER
    assert found.rows[0].ratio == pytest.approx(0.5)
    assert found.answer == "ring is 2 times as fast as mutex at threads 2."


def test_the_answer_contains_the_interval_of_the_ratio():
    found = analyzed(made(), noisy({"ring": 2.0}, 0.05))
    low, high = found.rows[0].interval.low, found.rows[0].interval.high
    assert found.rows[0].verdict is Verdict.SLOWER
    assert found.answer == f"ring takes {found.rows[0].ratio:.2f} times as long as mutex ({low:.2f} to {high:.2f})."
    assert "(1.90 to 2.04)" in found.answer


def test_a_gain_is_inverted_with_its_interval():
    found = analyzed(made(), noisy({"ring": 0.25}, 0.05))
    row = found.rows[0]
    low, high = 1 / row.interval.high, 1 / row.interval.low
    assert low < 4.0 < high
    assert found.answer == f"ring is {1 / row.ratio:.2f} times as fast as mutex ({low:.2f} to {high:.2f})."


def test_what_would_have_been_seen_takes_the_other_rows_into_account():
    row = analyzed(made(parameters={"threads": [1, 2, 3]}), noisy({}, 0.03)).rows[0]
    compared = compare(row.values, row.baseline_values)
    assert row.detectable_effect == compared.detectable_effect(0.05 / 3) > compared.detectable_effect(0.05)


def test_ratio_interval_and_p_value_are_those_of_the_comparison_that_the_simulations_test():
    found = analyzed(made(), noisy({"ring": 1.01}, 0.02), repetitions=3)
    row = found.rows[0]
    compared = compare(row.values, row.baseline_values)
    assert (row.ratio, row.p_value) == (compared.ratio, compared.p_value)
    assert (row.interval.low, row.interval.high, row.interval.confidence) == compared.bounds
    assert len(row.values) == ROUNDS


def test_the_value_of_a_launch_is_the_median_of_its_repetitions():
    one = made(rounds=1)
    times = {"mutex": (1.0, 2.0, 9.0), "ring": (4.0, 40.0, 1.0), AGAIN: (2.0, 2.0, 2.0)}
    launches = [
        Launch(0, 0, name, (), 0.0, tuple({"time": time} for time in values)) for name, values in times.items()
    ]
    row = analyze(one, launches, {}, True).rows[0]
    assert (row.value, row.baseline_value) == (4.0, 2.0)
    assert row.ratio == pytest.approx(2.0)


def test_launches_are_compared_with_those_of_their_own_round():
    """The machine slows down by a factor of ten; only pairs show that the contender is 5 % slower."""
    found = analyzed(made(), lambda name, point, number, _: (1.0 + number / 2) * (1.05 if name == "ring" else 1.0))
    assert found.rows[0].ratio == pytest.approx(1.05)
    assert found.rows[0].verdict is Verdict.SLOWER


def test_the_same_launches_in_another_order_give_the_same_analysis():
    one = made(parameters={"threads": [1, 2]}, measures=["time", "peak_memory"])
    launches = launched(one, noisy({"ring": 1.02}))
    assert repr(analyze(one, launches, {}, True)) == repr(analyze(one, launches[::-1], {}, True))


def test_records_that_were_written_and_read_again_give_the_same_analysis():
    one = made(parameters={"threads": [1, 2]})
    launches = launched(one, noisy({"ring": 1.02}))
    again = [Launch.from_json(launch.to_json()) for launch in launches]
    assert repr(analyze(one, launches, {}, True)) == repr(analyze(one, again, {}, True))


def test_rounds_of_warm_up_do_not_count():
    one = made()
    launches = launched(one, lambda *_: 1.0)
    warm = [Launch(-1, 0, name, (), 0.0, ({"time": 1000.0},)) for name in one.names()]
    found = analyze(one, warm + launches, {}, True)
    assert found.rounds == ROUNDS
    assert max(found.rows[0].values) == 1.0


def test_no_difference_within_the_tolerance_is_reported_as_such():
    row = analyzed(made(), noisy({}, 0.005)).rows[0]
    assert row.verdict is Verdict.SAME
    assert 1 / 1.03 <= row.interval.low < 1.0 < row.interval.high <= 1.03


def test_a_real_difference_that_does_not_matter_is_only_a_note():
    row = analyzed(made(), noisy({"ring": 1.01}, 0.001)).rows[0]
    assert row.p_value < 0.05
    assert row.verdict is Verdict.SAME
    assert any("significant" in note for note in row.notes)


def test_a_real_difference_that_may_matter_keeps_its_verdict():
    row = analyzed(made(), noisy({"ring": 1.028}, 0.006)).rows[0]
    assert row.interval.low < 1.03 < row.interval.high
    assert row.verdict is Verdict.SLOWER


def test_noisy_rows_are_undecided_and_say_what_would_have_been_seen():
    found = analyzed(made(), noisy({}, 0.2))
    row = found.rows[0]
    assert row.verdict is Verdict.UNKNOWN
    assert 0.03 < row.detectable_effect < 1.0
    assert "is undecided" in found.answer
    assert f"{100 * row.detectable_effect:.2g} %" in found.answer


def test_three_rounds_are_too_few_and_say_so():
    found = analyzed(made(rounds=3), lambda name, *_: 0.5 if name == "ring" else 1.0)
    row = found.rows[0]
    assert (row.interval, row.verdict, row.detectable_effect) == (None, Verdict.UNKNOWN, math.inf)
    assert any("at least 6" in note for note in row.notes)
    assert "3 rounds are too few" in found.answer


def test_more_rows_need_more_rounds_and_the_note_says_how_many():
    one = made(parameters={"threads": list(range(30))}, rounds=10)
    found = analyzed(one, lambda name, *_: 0.5 if name == "ring" else 1.0)
    assert {row.verdict for row in found.rows} == {Verdict.UNKNOWN}
    assert any("at least 11" in note and "30 rows" in note for note in found.rows[0].notes)


def test_p_values_are_corrected_over_all_points_of_a_measure_and_not_over_other_measures():
    one = made(parameters={"threads": [1, 2, 3, 4]}, measures=["time", "wall"])
    found = analyzed(one, lambda name, *_: 0.5 if name == "ring" else 1.0)
    assert {row.p_value for row in found.rows} == {4 * 2.0 ** (1 - ROUNDS)}


def test_a_difference_alone_is_not_one_among_many_rows():
    disagree = {0, 1, 2, 3, 4}  # 15 of 20: p = 0.04

    def value(name, point, number, measure):
        slower = name == "ring" and (number not in disagree if point["threads"] == 0 else number % 2)
        return 1.1 if slower else 1.0 if name != "ring" else 0.91

    row = analyzed(made(parameters={"threads": [0, 1, 2]}), value).rows[0]
    assert row.verdict is Verdict.UNKNOWN
    assert any("alone" in note for note in row.notes)


def test_a_row_is_significant_if_and_only_if_its_interval_excludes_one():
    """Six rows, five of which differ clearly: by Holm's correction the sixth would be tested as if it were alone,
    though its interval in the table holds for all six."""
    one = made(tuple("abcdefg"))
    for seed in range(40):
        for row in analyzed(one, noisy({**dict.fromkeys("bcdef", 2.0), "g": 1.02}, 0.02, seed)).rows:
            outside = row.interval.low > 1.0 or row.interval.high < 1.0
            assert outside == (row.p_value < 0.05)


def test_the_intervals_of_a_table_rarely_miss_the_truth():
    """Ten equal contenders: intervals that each hold for one row only would miss 1 in a third of the tables."""
    one = made(tuple("abcdefghijk"))
    rows = [analyzed(one, noisy({}, 0.02, seed)).rows for seed in range(60)]
    missed = [any(not row.interval.low <= 1.0 <= row.interval.high for row in table) for table in rows]
    alone = [any(not row.alone.low <= 1.0 <= row.alone.high for row in table) for table in rows]
    assert np.mean(missed) <= 0.08 < 0.15 < np.mean(alone)


def test_more_is_better_for_rates():
    found = analyzed(made(measures=["items_per_second"]), lambda name, *_: 300.0 if name == "ring" else 100.0)
    assert found.rows[0].verdict is Verdict.FASTER
    assert found.answer == "ring is 3 times as fast as mutex."


def test_the_answer_says_needs_for_measures_other_than_times():
    found = analyzed(made(measures=["peak_memory"]), lambda name, *_: 40.0 if name == "ring" else 100.0)
    assert found.answer == "ring needs 0.4 times the peak memory of mutex."


def test_of_many_rows_the_largest_gain_is_named_and_the_rest_is_counted():
    factors = {("ring", 1): 0.5, ("ring", 2): 0.25, ("slow", 1): 3.0, ("slow", 2): 1.0}
    one = made(("mutex", "ring", "slow"), parameters={"threads": [1, 2]})
    found = analyzed(one, lambda name, point, *_: factors.get((name, point["threads"]), 1.0))
    assert found.answer == (
        "ring is 4 times as fast as mutex at threads 2, the largest gain; of 4 comparisons 2 faster, 1 slower "
        "and 1 without a difference that matters."
    )


def test_no_contender_is_named_the_fastest_if_none_is_faster():
    one = made(("mutex", "slow", "slower"))
    found = analyzed(one, lambda name, *_: {"slow": 2.0, "slower": 3.0}.get(name, 1.0))
    assert found.answer == (
        "Nothing is shown to be faster than mutex: slow takes 2 times as long as mutex, the smallest loss; "
        "of 2 comparisons 2 slower."
    )


def test_a_contender_that_always_fails_is_reported_by_name_and_has_no_row():
    one = made(("mutex", "ring", "broken"))
    launches = [
        Launch(launch.round, 0, "broken", (), 0.0, (), failure="it crashed", output="boom")
        if launch.contender == "broken"
        else launch
        for launch in launched(one, lambda *_: 1.0)
    ]
    found = analyze(one, launches, {}, True)
    assert [row.contender for row in found.rows] == ["ring"]
    (failure,) = found.failures
    assert (failure.contender, failure.launches, failure.of) == ("broken", ROUNDS, ROUNDS)
    assert (failure.reason, failure.output) == ("it crashed", "boom")
    assert "broken (it crashed)" in found.answer


def test_a_contender_that_was_given_up_in_warm_up_is_reported():
    one = made(("mutex", "ring", "broken"))
    launches = [launch for launch in launched(one, lambda *_: 1.0) if launch.contender != "broken"]
    gone = [Launch(number, 0, "broken", (), 0.0, (), failure="it hung") for number in (-3, -2, -1)]
    found = analyze(one, gone + launches, {}, True)
    assert [(failure.contender, failure.launches, failure.of) for failure in found.failures] == [("broken", 3, 3)]
    assert "broken (it hung)" in found.answer


def test_a_failed_launch_removes_its_round_and_is_never_a_number():
    one = made()
    launches = launched(one, lambda name, *_: 0.5 if name == "ring" else 1.0)
    broken = [
        Launch(launch.round, 0, "ring", (), 0.0, ({"time": 99.0},), failure="exit code 3")
        if launch.contender == "ring" and launch.round < 4
        else launch
        for launch in launches
    ]
    row = analyze(one, broken, {}, True).rows[0]
    assert row.rounds == ROUNDS - 4
    assert set(row.values) == {0.5}
    assert any(f"ring failed in 4 of {ROUNDS} launches" in note for note in row.notes)


def test_the_reason_is_that_of_the_first_failure_in_whatever_order_they_were_read():
    one = made()
    failed = [Launch(number, 0, "ring", (), 0.0, (), failure=f"reason {number}") for number in (2, 0, 1)]
    assert analyze(one, failed, {}, False).failures[0].reason == "reason 0"


def test_without_the_baseline_nothing_is_compared():
    one = made()
    launches = [launch for launch in launched(one, lambda *_: 1.0) if launch.contender != "mutex"]
    found = analyze(one, launches, {}, True)
    assert not found.rows and not found.again
    assert found.answer.startswith("Nothing could be compared with mutex.")


def test_a_contender_that_could_not_run_is_named():
    one = made(("mutex", "ring", "tbb"))
    launches = [launch for launch in launched(one, lambda *_: 1.0) if launch.contender != "tbb"]
    found = analyze(one, launches, {"tbb": "it is not built"}, True)
    assert found.missing == {"tbb": "it is not built"}
    assert "tbb (it is not built)" in found.answer


def test_an_interrupted_run_says_so_and_keeps_its_rounds():
    one = made()
    found = analyze(one, launched(one, lambda *_: 1.0, rounds=7), {}, False)
    assert (found.rounds, found.complete) == (7, False)
    assert "interrupted after 7 of 20 rounds" in found.answer


def test_the_baseline_compared_with_itself_is_separate():
    found = analyzed(made(parameters={"threads": [1, 2]}), noisy({}))
    assert [row.contender for row in found.again] == [AGAIN, AGAIN]
    assert AGAIN not in {row.contender for row in found.rows}
    assert all(row.verdict is Verdict.SAME for row in found.again)


def test_a_machine_that_shows_differences_where_there_are_none_is_not_silent():
    def value(name, point, number, measure):
        return 1.2 if name == AGAIN and point["threads"] == 2 else 1.0

    found = analyzed(made(parameters={"threads": [1, 2]}), value)
    quiet, suspect = found.rows
    assert not quiet.notes
    assert any("mutex compared with itself shows a difference" in note for note in suspect.notes)
    assert "Warning: mutex also differs from itself, at threads 2." in found.answer


def test_a_machine_too_noisy_to_compare_the_baseline_with_itself_is_not_silent():
    row = analyzed(made(), noisy({"ring": 0.2}, 0.2)).rows[0]
    assert row.verdict is Verdict.FASTER
    assert any("mutex compared with itself is known only within" in note for note in row.notes)


def test_an_a_a_row_of_fewer_rounds_is_not_silent():
    one = made()
    launches = [item for item in launched(one, lambda *_: 1.0) if item.contender != AGAIN or item.round < 3]
    notes = analyze(one, launches, {}, True).rows[0].notes
    assert notes == ("mutex compared with itself has values in only 3 of 20 rounds",)


def test_without_an_a_a_row_the_rows_say_so():
    one = made()
    launches = [launch for launch in launched(one, lambda *_: 1.0) if launch.contender != AGAIN]
    assert any("not compared with itself" in note for note in analyze(one, launches, {}, True).rows[0].notes)


def test_values_in_two_clusters_are_shown_as_modes_with_a_note():
    rng = np.random.default_rng(3)

    def value(name, *_):
        return float(rng.lognormal(0.0, 0.005)) * (1.5 if name == "ring" and rng.random() < 0.5 else 1.0)

    row = analyzed(made(), value).rows[0]
    assert row.modes == pytest.approx((1.0, 1.5), rel=0.02)
    assert any("values of ring form two clusters" in note for note in row.notes)


def test_a_baseline_in_two_clusters_is_noted_too():
    found = analyzed(made(), lambda name, point, number, _: 1.5 if name == "mutex" and number % 2 else 1.0)
    assert found.rows[0].modes == ()
    assert any("values of mutex form two clusters" in note for note in found.rows[0].notes)


def test_rounds_that_are_correlated_are_noted():
    found = analyzed(made(), lambda name, point, number, _: 1.0 + (0.01 * number if name == "ring" else 0.0))
    assert found.rows[0].autocorrelation > 0.3
    assert any("consecutive rounds" in note for note in found.rows[0].notes)


def test_rounds_that_are_correlated_are_noted_in_a_long_table():
    one = made(parameters={"threads": list(range(60))})
    found = analyzed(one, lambda name, point, number, _: 1.0 + (0.01 * number if name == "ring" else 0.0))
    assert all(any("consecutive rounds" in note for note in row.notes) for row in found.rows)


def test_tables_of_twenty_rows_of_white_noise_are_rarely_said_to_be_correlated():
    """With a limit of 0.3 for the autocorrelation of each row, half of these tables had a note."""
    one = made(parameters={"threads": list(range(20))})
    tables = [analyzed(one, noisy({}, 0.02, seed)).rows for seed in range(25)]
    assert sum(any("consecutive" in note for row in rows for note in row.notes) for rows in tables) <= 3
    assert sum(any(row.autocorrelation > 0.3 for row in rows) for rows in tables) > 8


def test_alternating_rounds_are_not_mistaken_for_correlated_rounds():
    found = analyzed(made(), lambda name, point, number, _: 1.0 + (0.01 * (number % 2) if name == "ring" else 0.0))
    assert found.rows[0].autocorrelation < -0.5
    assert not any("consecutive rounds" in note for note in found.rows[0].notes)


def test_exact_measures_that_are_equal_are_the_same_with_a_single_round():
    found = analyzed(made(measures=["allocations"], rounds=1), lambda *_: 17.0)
    row = found.rows[0]
    assert (row.verdict, row.ratio, row.detectable_effect) == (Verdict.SAME, 1.0, 0.0)


def test_a_single_allocation_more_is_a_difference_whatever_the_tolerance():
    found = analyzed(made(measures=["allocations"], rounds=1), lambda name, *_: 1001.0 if name == "ring" else 1000.0)
    row = found.rows[0]
    assert (row.verdict, row.p_value) == (Verdict.SLOWER, 0.0)
    assert found.answer == "ring needs 1.001 times the allocations of mutex."


def test_an_exact_measure_that_varies_is_undecided_and_noted():
    one = made(measures=["allocations"])
    row = analyzed(one, lambda name, point, number, _: 5.0 + (number % 2) * (name == "ring")).rows[0]
    assert row.verdict is Verdict.UNKNOWN
    assert any("between 5 allocations and 6 allocations" in note for note in row.notes)


def test_zero_against_three_is_a_difference_without_a_ratio():
    found = analyzed(made(measures=["allocations"]), lambda name, *_: 3.0 if name == "ring" else 0.0)
    row = found.rows[0]
    assert (row.verdict, row.interval) == (Verdict.SLOWER, None)
    assert math.isnan(row.ratio)
    assert found.answer == "ring has more allocations than mutex (3, against 0)."


def test_zero_on_both_sides_is_the_same():
    counter = {"name": "stalls", "unit": "stalls"}
    row = analyzed(made(measures=[counter]), lambda *_: 0.0).rows[0]
    assert (row.verdict, row.ratio) == (Verdict.SAME, 1.0)


def test_counts_that_are_sometimes_zero_are_compared_by_differences():
    counter = {"name": "stalls", "unit": "stalls"}
    found = analyzed(
        made(measures=[counter]), lambda name, point, number, _: 5.0 if name == "ring" else 10.0 if number else 0.0
    )
    row = found.rows[0]
    assert row.verdict is Verdict.FASTER
    assert row.ratio == 0.5
    assert any("by differences" in note for note in row.notes)


def test_diagnostics_are_shown_for_both():
    one = made(rounds=3)
    extra = {"mutex": {"faults": 3.0}, "ring": {"steals": 4.0, "switches": 100.0}}
    launches = [
        Launch(number, 0, name, (), 0.0, ({"time": 1.0},), why={"switches": float(number), **extra.get(name, {})})
        for number in range(3)
        for name in one.names()
    ]
    assert analyze(one, launches, {}, True).rows[0].diagnostics == {"switches": (100.0, 1.0)}


def test_a_measure_that_only_some_report_is_compared_where_both_have_it():
    one = made(measures=["time", "peak_memory"], rounds=8)
    launches = []
    for launch in launched(one, lambda *_: 1.0):
        quiet = launch.contender == "ring" and launch.round >= 6
        repetitions = ({"time": 1.0},) if quiet else launch.repetitions
        launches.append(Launch(launch.round, 0, launch.contender, (), 0.0, repetitions))
    rounds = {row.measure.name: row.rounds for row in analyze(one, launches, {}, True).rows}
    assert rounds == {"time": 8, "peak_memory": 6}


def test_a_measure_that_is_nearly_absent_is_noted():
    one = made(measures=["time", {"name": "syscalls", "unit": "", "exact": True}])
    launches = []
    for launch in launched(one, lambda *_: 7.0):
        quiet = launch.contender == "ring" and launch.round > 0
        launches.append(dataclasses.replace(launch, repetitions=({"time": 7.0},)) if quiet else launch)
    row = analyze(one, launches, {}, True).rows[1]
    assert (row.reported, row.launches, row.baseline_reported) == (1, ROUNDS, ROUNDS)
    assert "ring reported syscalls in only 1 of 20 launches" in row.notes
    assert row.verdict is Verdict.UNKNOWN


def test_an_exact_measure_that_varies_is_decided_by_its_interval():
    """By chance one side rarely has the larger value in all rounds, but the larger maximum in every third run."""
    one = made(measures=["allocations"])
    verdicts = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        verdicts.append(analyzed(one, lambda *_: float(rng.choice([24] * 5 + [25, 26]))).rows[0])
    assert not any(row.exact for row in verdicts)
    assert sum(row.verdict in (Verdict.FASTER, Verdict.SLOWER) for row in verdicts) <= 3


def test_a_baseline_that_varies_compared_with_itself_makes_a_count_inexact():
    one = made(measures=["allocations"])
    row = analyzed(one, lambda name, point, number, _: 5.0 + (name == AGAIN and number == 3)).rows[0]
    assert not row.exact


def test_allocated_bytes_are_not_exact_unless_an_experiment_says_so():
    assert not KNOWN_MEASURES["allocated_bytes"].exact and KNOWN_MEASURES["allocations"].exact


def test_more_of_a_further_count_reaches_the_headline():
    one = made(measures=["time", "allocations", "allocated_bytes"])
    found = analyzed(one, lambda name, point, number, what: 2.0 if name == "ring" and what != "time" else 1.0)
    assert found.answer.endswith("ring is worse in allocations and allocated bytes.")


def test_too_few_rounds_never_show_no_difference():
    """Seven rounds are enough for one row, but too few for five."""
    one = made(tuple("abcdef"), rounds=7)
    found = analyzed(one, noisy({}, 0.001))
    assert {row.verdict for row in found.rows} == {Verdict.UNKNOWN}
    assert all(any("too few rounds" in note for note in row.notes) for row in found.rows)


def test_no_difference_holds_for_all_rows_jointly():
    """Ten rows, each truly at the edge of the tolerance: hardly any run reports no difference for one of them."""
    one = made(tuple("abcdefghijk"))
    edge = dict.fromkeys("bcdefghijk", 1.03)
    wrong = [
        any(row.verdict is Verdict.SAME for row in analyzed(one, noisy(edge, 0.01, seed)).rows) for seed in range(60)
    ]
    assert np.mean(wrong) <= 0.08


def test_the_named_row_has_the_interval_of_all_rows_together():
    found = analyzed(made(tuple("abcdef")), noisy({"c": 0.5}, 0.05))
    row = next(row for row in found.rows if row.contender == "c")
    assert row.interval.low < row.alone.low and row.alone.high < row.interval.high
    assert f"({1 / row.interval.high:.2f} to {1 / row.interval.low:.2f})" in found.answer


def test_an_interval_next_to_one_is_not_rounded_to_it():
    def value(name, point, number, measure):
        return 1.0 if name != "ring" else math.exp(0.0004) if number < 6 else math.exp(0.15)

    assert "(1.001 to 1.16)" in analyzed(made(), value).answer


def test_an_effect_that_the_interval_cannot_exclude_is_not_said_to_be_visible():
    """Skewed values: a third of ring's rounds are twice as slow."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        mixed = lambda name, *_: float(rng.lognormal(0, 0.1) * (1 + rng.exponential(0.8) * (name == "ring")))  # noqa: E731
        row = analyzed(made(rounds=12), mixed).rows[0]
        reach = max(row.interval.high / row.ratio, row.ratio / row.interval.low) - 1.0
        assert row.detectable_effect >= 0.999 * reach


def test_a_large_effect_that_would_have_been_seen_is_a_factor():
    answer = analyzed(made(rounds=8), noisy({}, 1.5)).answer
    assert "only a factor of" in answer


def test_rows_come_in_the_order_of_the_experiment():
    one = made(("mutex", "z", "a"), parameters={"threads": [8, 1]}, measures=["wall", "user"])
    rows = analyzed(one, lambda *_: 1.0).rows
    assert [(row.measure.name, row.point[0][1], row.contender) for row in rows] == [
        (measure, threads, name) for measure in ("wall", "user") for threads in (8, 1) for name in ("z", "a")
    ]


def test_an_empty_run_is_not_an_error():
    found = analyze(made(), [], {}, False)
    assert (found.rows, found.again, found.failures, found.rounds) == ([], [], [], 0)


def test_whole_runs_without_a_difference_rarely_claim_one():
    """Three rows and 20 rounds per run: at most 5 % of the runs claim a difference, tested through analyze()."""
    one = made(("mutex", "b", "c", "d"))
    alarms = [
        any(row.p_value < 0.05 for row in analyzed(one, noisy({}, 0.02, seed)).rows) for seed in range(200)
    ]
    assert np.mean(alarms) <= 0.08


def test_the_answer_for_many_undecided_rows_says_so():
    one = made(("mutex", "ring", "slow"), rounds=6)
    found = analyzed(one, lambda name, _, number, *rest: 1.0 + 0.1 * ((number + len(name)) % 2))
    assert found.answer == "Nothing is shown to be faster or slower than mutex; of 2 comparisons 2 undecided."
