"""The promises of runs with a budget, in fewer comparisons than `calibrate --simulate` makes."""

import functools

import numpy as np
import pytest
from click.testing import CliRunner

from fathom_lab import cli
from fathom_lab.rows import Verdict
from fathom_lab.simulate import EFFECT, FIXED, simulate, table
from fathom_lab.stats import noise

COMPARISONS = 100


@functools.cache
def simulated():
    return {one.model: one for one in simulate(COMPARISONS, 300)}


def verdicts(ended):
    return [one.verdict for one in ended]


def different(found):
    return sum(one in (Verdict.FASTER, Verdict.SLOWER) for one in found)


@pytest.mark.parametrize("model", noise.MODELS)
def test_equal_programs_are_rarely_called_different(model):
    """At most 5 %, give or take chance."""
    assert different(verdicts(simulated()[model].equal)) <= 10


@pytest.mark.parametrize("model", [one for one in noise.MODELS if one != "bursts"])
def test_three_percent_are_found_and_equal_programs_called_so(model):
    assert verdicts(simulated()[model].slower).count(Verdict.SLOWER) >= 93
    assert verdicts(simulated()[model].equal).count(Verdict.SAME) >= 90


def test_a_neighbour_with_bursts_hides_three_percent_from_twenty_rounds_but_not_from_many():
    found = simulated()["bursts"]
    assert found.slower_fixed.count(Verdict.SLOWER) <= 25
    assert verdicts(found.slower).count(Verdict.SLOWER) >= 55
    assert verdicts(found.slower).count(Verdict.FASTER) <= 3


@pytest.mark.parametrize("model", noise.MODELS)
def test_clear_differences_take_six_rounds(model):
    rounds = [one.rounds for one in simulated()[model].clearly]
    assert np.median(rounds) == 6 and max(rounds) <= 30


def test_the_table_has_a_line_for_each_kind_of_noise():
    lines = table(list(simulated().values())).splitlines()
    assert len(lines) == 2 + len(noise.MODELS)
    assert {line.count("|") for line in lines} == {10}
    assert f"| {100 * EFFECT:.0f} % slower: found |" in lines[0] and f"| {FIXED} rounds: equal" in lines[0]


def test_the_command_prints_the_same_table_each_time():
    command = ["calibrate", "--simulate", "--comparisons", "3", "--rounds", "30"]
    first, second = (CliRunner().invoke(cli.main, command) for _ in range(2))
    assert first.exit_code == 0 and first.output == second.output
    assert first.output.rstrip() == table(simulate(3, 30))
