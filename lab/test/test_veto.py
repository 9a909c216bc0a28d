"""Cases in which numbers must not lead to a verdict."""

import json

import numpy as np
import pytest

from fathom_lab import imports, veto
from fathom_lab.analysis import analyze
from fathom_lab.experiment import AGAIN
from fathom_lab.records import Launch
from fathom_lab.rows import Verdict
from fathom_lab.stats.carry_over import Placed, carry_over, residuals
from test_analysis import analyzed, launched, made, noisy


def with_failures(name, rounds, factors, reason="it did not end within 10 s"):
    one = made(rounds=30)
    return analyze(one, [
        Launch(launch.round, launch.order, name, (), 0.0, (), failure=reason)
        if launch.contender == name and launch.round in rounds else launch
        for launch in launched(one, noisy(factors))
    ], {}, True)


def test_a_contender_that_times_out_in_slow_launches_is_not_called_faster():
    found = with_failures("ring", range(11), {"ring": 0.9})
    assert found.rows[0].verdict is Verdict.UNKNOWN
    assert found.answer.startswith("Whether ring and mutex differ in time is undecided (ratio 0.8")
    assert "ring failed in 11 of 30 launches, and the remaining launches may flatter it." in found.answer


def test_a_failing_contender_that_is_slower_is_slower_and_its_failures_are_in_the_headline():
    found = with_failures("ring", range(11), {"ring": 1.5})
    assert found.rows[0].verdict is Verdict.SLOWER
    assert "Warning: ring failed in 11 of 30 launches (it did not end within 10 s)." in found.answer


def test_a_baseline_that_fails_where_it_is_slow_does_not_make_others_slower():
    found = with_failures("mutex", range(4), {"ring": 1.5})
    assert found.rows[0].verdict is Verdict.UNKNOWN
    assert "mutex failed in 4 of 30 launches, and the remaining launches may flatter it" in found.answer


def test_a_contender_that_failed_is_not_the_same_either():
    assert with_failures("ring", {3}, {}).rows[0].verdict is Verdict.UNKNOWN


def test_failures_of_one_of_many_are_in_the_headline():
    one = made(("mutex", "ring", "slow"))
    launches = [
        Launch(launch.round, launch.order, "slow", (), 0.0, (), failure="exit code 3")
        if launch.contender == "slow" and launch.round < 5 else launch
        for launch in launched(one, noisy({"ring": 0.5, "slow": 0.5}))
    ]
    answer = analyze(one, launches, {}, True).answer
    assert "1 faster and 1 undecided" in answer
    assert "No verdict on slow: slow failed in 5 of 20 launches" in answer


def two_clusters(low, high, share):
    def value(name, point, number, measure):
        noise = 1.0 + 0.002 * ((number * 7) % 5)
        return noise * (1.0 if name != "ring" else high if number % 20 < 20 * share else low)

    return value


def test_two_clusters_whose_mean_says_the_opposite_of_their_median_are_undecided():
    found = analyzed(made(), two_clusters(0.9, 2.0, 0.25))
    row = found.rows[0]
    assert row.p_value < 0.05 and row.ratio < 1.0 < np.mean(row.values)
    assert row.verdict is Verdict.UNKNOWN
    assert "on average ring has" in found.answer and "more than mutex" in found.answer


def test_two_clusters_on_one_side_of_the_baseline_keep_the_verdict_and_are_in_the_headline():
    found = analyzed(made(), two_clusters(0.4, 0.6, 0.25))
    assert found.rows[0].verdict is Verdict.FASTER
    assert "but the values of ring form two clusters, around 40" in found.answer


def test_where_there_are_two_clusters_nothing_is_said_to_be_visible():
    found = analyzed(made(), two_clusters(0.9, 2.0, 0.4))
    assert found.rows[0].detectable_effect == float("inf")
    assert "would have been seen" not in found.answer


def test_a_long_tail_that_makes_the_mean_surely_worse_is_no_gain():
    def value(name, point, number, measure):
        return 1.0 if name != "ring" else 9.0 if number % 8 == 0 else 0.95 + 0.001 * (number % 5)

    found = analyzed(made(rounds=80), value)
    assert not found.rows[0].modes
    assert found.rows[0].verdict is Verdict.UNKNOWN


def carrying(penalty, own, seed, contenders=("mutex", "ring"), rounds=20, **plan):
    """Launches right after ring are slower."""
    one = made(contenders, plan={"rounds": rounds, **plan})
    rng = np.random.default_rng(seed)
    launches = []
    for number in range(rounds):
        before = ""
        for order, name in enumerate(rng.permutation(one.names())):
            value = rng.lognormal(0.0, 0.01) * (1.0 + penalty * (before == "ring")) * (own if name == "ring" else 1.0)
            launches.append(Launch(number, order, str(name), (), 0.0, ({"time": float(value)},)))
            before = name
    return analyze(one, launches, {}, True)


def test_what_a_contender_leaves_behind_is_noted():
    notes = carrying(0.05, 0.5, 1).rows[0].notes
    assert any(note.startswith("launches of mutex right after ring were about ") and note.endswith(" slower")
               for note in notes)


def test_a_gain_beyond_what_is_left_behind_keeps_its_verdict():
    assert carrying(0.05, 0.8, 1).rows[0].verdict is Verdict.FASTER


def test_without_a_residue_nothing_is_noted_and_three_percent_are_seen():
    found = [carrying(0.0, 0.96, seed).rows[0] for seed in range(40)]
    assert sum(any("right after" in note for note in row.notes) for row in found) <= 5
    assert sum(row.verdict is Verdict.FASTER for row in found) >= 36


def test_what_the_round_has_in_common_does_not_look_carried_over():
    rounds = [{"a": factor, "b": 2.0 * factor, "again": factor} for factor in (1.0, 5.0, 0.2)]
    assert all(abs(value) < 1e-9 for values in residuals(rounds) for value in values.values())


def test_values_without_a_logarithm_carry_nothing_over():
    assert residuals([{"a": 0.0, "b": 1.0}]) == [{}]
    assert carry_over({}, ["b"]) == {}
    assert carry_over({"here": [Placed(0.0, "b")] * 20}, ["b"]) == {}


def test_tables_of_twenty_points_without_residues_rarely_have_a_note_about_one():
    """Corrected for the contenders of one point only, 65 of these 100 tables had a note."""
    rng = np.random.default_rng(1)
    tables = [{point: [Placed(rng.normal(), str(rng.choice(["", "ring", "again"]))) for _ in range(40)]
               for point in range(20)} for _ in range(100)]
    assert sum(bool(carry_over(table, ["ring"])) for table in tables) <= 8


def test_a_residue_at_one_of_many_points_is_found_there():
    rng = np.random.default_rng(2)
    after = [str(rng.choice(["", "ring", "again"])) for _ in range(40)]
    table = {point: [Placed(rng.normal() + 3 * (point == 7 and one == "ring"), one) for one in after]
             for point in range(20)}
    assert list(carry_over(table, ["ring"])) == [(7, "ring")]


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_results_of_other_tools_never_get_a_verdict(tmp_path, factor):
    """Sequential runs under slow drift: the sign test over unrelated pairs calls nearly all of them different."""
    times = {"old": [1.0 + 0.001 * number for number in range(20)]}
    times["new"] = [factor * (1.02 + 0.001 * number) for number in range(20)]
    rows = [{"command": name, "times": values, "exit_codes": [0] * 20} for name, values in times.items()]
    (tmp_path / "hyperfine.json").write_text(json.dumps({"results": rows}))
    found = imports.load([tmp_path / "hyperfine.json"])
    analysis = analyze(found.experiment, found.launches, {}, True)
    for row in analysis.rows:
        assert (row.verdict, row.interval, row.detectable_effect) == (Verdict.UNKNOWN, None, float("inf"))
        assert 0.9 * factor < row.ratio < 1.1 * factor
    assert "is undecided (ratio" in analysis.answer
    assert "one after the other" in analysis.answer


def test_a_warning_of_the_baseline_compared_with_itself_is_not_vetoed():
    one = made()
    launches = [
        Launch(launch.round, launch.order, AGAIN, (), 0.0, (), failure="it hung")
        if launch.contender == AGAIN and launch.round < 2 else launch
        for launch in launched(one, noisy({AGAIN: 0.5}))
    ]
    found = analyze(one, launches, {}, True)
    assert found.again[0].verdict is Verdict.FASTER
    assert any("mutex compared with itself shows a difference" in note for note in found.rows[0].notes)


def test_the_error_of_a_mean_is_not_underestimated():
    """For two values it is half of their distance, not 0.7 of it (ddof = 1)."""
    assert not veto.mean_contradicts([-0.1, 1.0], clusters=False)
    assert veto.mean_contradicts([-0.1, 1.0], clusters=True)
    assert veto.mean_contradicts([1.0, 1.1], clusters=False)
    assert veto.mean_contradicts([1.0], clusters=False)
