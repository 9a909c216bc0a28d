import numpy as np
import pytest

from fathom_lab.calibrate import calibrate
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN
from fathom_lab.records import Launch
from fathom_lab.stats import noise


def simulated(model, penalty=0.0):
    """A machine that only adds noise; with a penalty it is unfair to the contender `again`."""

    def launches(experiment, seed):
        rng = np.random.default_rng(seed)
        again, baseline = noise.pairs(noise.MODELS[model], rng, 1, experiment.plan.rounds, effect=penalty)
        values = {AGAIN: again[0, :, 0], experiment.baseline: baseline[0, :, 0]}
        measure = experiment.primary().name
        return [
            Launch(number, order, name, (), 0.0, ({measure: float(values[name][number])},))
            for number in range(experiment.plan.rounds)
            for order, name in enumerate(values)
        ]

    return launches


@pytest.mark.parametrize("model", noise.MODELS)
def test_a_noisy_but_fair_machine_keeps_the_promised_rate(model):
    found = calibrate(comparisons=150, rounds=20, launches=simulated(model))
    assert found.comparisons == 150
    assert found.holds()
    assert found.interval()[0] <= found.expected <= found.interval()[1]


def test_an_unfair_machine_is_detected():
    found = calibrate(comparisons=50, rounds=20, launches=simulated("white", penalty=0.03))
    assert found.alarms > 25
    assert not found.holds()
    assert "do not trust" in found.sentence()


def test_the_sentence_has_the_rate_with_its_interval_and_the_promise():
    found = calibrate(comparisons=40, rounds=20, launches=simulated("white"))
    low, high = found.interval()
    assert f"{found.alarms} of 40" in found.sentence()
    assert f"({100 * low:.1f} to {100 * high:.1f} %)" in found.sentence()
    assert "the expected rate is 4.1 % with 20 rounds, and at most 5 % is promised" in found.sentence()


def test_few_comparisons_are_not_presented_as_a_proof():
    """50 comparisons without an alarm are consistent with a true rate of 7 %."""
    found = calibrate(comparisons=5, rounds=20, launches=simulated("white"))
    assert found.holds()
    assert "promise holds" not in found.sentence()
    assert f"a rate of up to {100 * found.interval()[1]:.0f} %" in found.sentence()
    assert found.interval()[1] > 0.3


def test_one_comparison_is_singular():
    assert "of 1 comparison of a program" in calibrate(comparisons=1, rounds=6, launches=simulated("white")).sentence()


def test_it_ends_with_the_comparisons_so_far_when_time_is_up():
    found = calibrate(comparisons=1000, rounds=6, seconds=0.0, launches=simulated("white"))
    assert found.comparisons == 1


def test_it_ends_with_the_comparisons_so_far_when_it_is_interrupted():
    def interrupted(done, _):
        if done == 3:
            raise KeyboardInterrupt

    found = calibrate(comparisons=9, rounds=6, launches=simulated("white"), on_progress=interrupted)
    assert found.interrupted and "of 3 comparisons" in found.sentence()
    with pytest.raises(KeyboardInterrupt):
        calibrate(comparisons=9, rounds=6, launches=simulated("white"), on_progress=lambda *_: interrupted(3, 9))


def test_too_few_rounds_are_refused():
    with pytest.raises(LabError, match="6 rounds"):
        calibrate(comparisons=1, rounds=5, launches=simulated("white"))


def test_it_runs_real_processes_through_the_real_runner():
    found = calibrate(comparisons=1, rounds=6)
    assert (found.comparisons, found.rounds) == (1, 6)
    assert found.detectable_effect > 0.0


def test_work_that_cannot_run_is_an_error_with_the_reason():
    def broken(experiment, seed):
        return [Launch(0, 0, name, (), 0.0, (), failure="it exited with 127") for name in experiment.names()]

    with pytest.raises(LabError, match="it exited with 127"):
        calibrate(comparisons=1, launches=broken)
