import math

import pytest

from fathom_lab import formatting
from fathom_lab.experiment import KNOWN_MEASURES, Measure
from fathom_lab.rows import Interval, Verdict
from made_analysis import ALLOCATIONS, made_row


@pytest.mark.parametrize(
    "value, text",
    [(1.53, "1.53 s"), (12.4e-9, "12.4 ns"), (0, "0 s"), (999.94e-9, "1.00 µs"), (0.05, "50.0 ms"), (3e-13, "0.300 ps"),
     (119.4, "119 s"), (130, "2 min 10 s"), (-2e-3, "-2.00 ms"), (math.nan, "–"), (math.inf, "–")],
)
def test_seconds_have_the_unit_that_fits(value, text):
    assert formatting.seconds(value) == text


@pytest.mark.parametrize(
    "value, text",
    [(0, "0 B"), (12, "12 B"), (1023, "1,023 B"), (1024, "1.00 KiB"), (93 * 2**20, "93.0 MiB"), (5e12, "4.55 TiB")],
)
def test_sizes_have_the_unit_that_fits(value, text):
    assert formatting.size(value) == text


def test_a_value_has_its_measures_unit():
    assert formatting.quantity(12.4e-9, KNOWN_MEASURES["time"]) == "12.4 ns"
    assert formatting.quantity(97517568, KNOWN_MEASURES["peak_memory"]) == "93.0 MiB"
    assert formatting.quantity(3180886, KNOWN_MEASURES["items_per_second"]) == "3.18 M/s"
    assert formatting.quantity(2**31, KNOWN_MEASURES["bytes_per_second"]) == "2.00 GiB/s"
    assert formatting.quantity(1234, ALLOCATIONS) == "1,234 allocations"
    assert formatting.quantity(3, Measure("late", "")) == "3"
    assert formatting.quantity(math.nan, ALLOCATIONS) == "–"


@pytest.mark.parametrize(
    "value, measure, unit",
    [(2e-6, KNOWN_MEASURES["time"], (1e-6, "µs")), (3e6, KNOWN_MEASURES["items_per_second"], (1e6, "M/s")),
     (12, KNOWN_MEASURES["peak_memory"], (1.0, "B")), (12, ALLOCATIONS, (1.0, "allocations"))],
)
def test_a_column_of_values_can_share_a_unit(value, measure, unit):
    assert formatting.unit(value, measure) == unit


def test_near_1_a_ratio_shows_three_decimals():
    assert [formatting.ratio(value) for value in (0.4812, 1.0041, 12.34, 1234.5)] == ["0.481", "1.004", "12.3", "1,234"]


def test_no_ratio_and_no_interval_are_a_dash():
    assert formatting.ratio(math.nan) == formatting.ratio(math.inf) == formatting.percent(math.inf) == "–"
    assert formatting.interval(None) == "–"
    assert formatting.interval(Interval(0.9, 1.2, 0.95)) == "0.900 to 1.20"


def test_one_allocation_is_singular():
    assert formatting.quantity(1, ALLOCATIONS) == "1 allocation"
    assert formatting.quantity(1, Measure("wakes", "wake-ups a message")) == "1 wake-up a message"
    assert formatting.quantity(0, ALLOCATIONS) == "0 allocations"


def test_an_end_of_an_interval_next_to_one_is_not_shown_as_one():
    assert formatting.interval(Interval(1.0004, 1.16, 0.95)) == "1.001 to 1.16"
    assert formatting.interval(Interval(0.93, 0.9996, 0.95)) == "0.930 to 0.999"
    assert formatting.interval(Interval(1.0, 1.3, 0.95)) == "1.000 to 1.30"


def test_whole_numbers_are_shown_in_full():
    assert formatting.number(3180886) == "3,180,886"
    assert formatting.number(0.00031) == "0.000310"
    assert formatting.number(12.444) == "12.4"


def test_effects_are_written_in_ordinary_words():
    rate = KNOWN_MEASURES["items_per_second"]
    memory = KNOWN_MEASURES["peak_memory"]
    assert formatting.effect(made_row(ratio=0.48)) == "2.1 times as fast"
    assert formatting.effect(made_row(ratio=2.1)) == "2.1 times as long"
    assert formatting.effect(made_row(ratio=0.93)) == "7.0 % less time"
    assert formatting.effect(made_row(ratio=1.07)) == "7.0 % more time"
    assert formatting.effect(made_row(ratio=2.1, measure=rate)) == "2.1 times the rate"
    assert formatting.effect(made_row(ratio=1.07, measure=memory)) == "7.0 % more"
    assert formatting.effect(made_row(ratio=1.5, value=1.0, measure=ALLOCATIONS)) == "1.5 times as much"


def test_only_times_and_rates_are_faster():
    assert formatting.verdict(Verdict.FASTER, KNOWN_MEASURES["time"]) == "faster"
    assert formatting.verdict(Verdict.SLOWER, KNOWN_MEASURES["items_per_second"]) == "slower"
    assert formatting.verdict(Verdict.FASTER, KNOWN_MEASURES["peak_memory"]) == "better"
    assert formatting.verdict(Verdict.SLOWER, ALLOCATIONS) == "worse"
    assert formatting.verdict(Verdict.UNKNOWN, ALLOCATIONS) == "cannot tell"


def test_points_lists_and_counts_read_as_sentences():
    assert formatting.point((("threads", 4), ("size", 65536), ("kind", "flat"))) == "threads 4, size 65,536, kind flat"
    assert formatting.listed(["a"]) == "a"
    assert formatting.listed(["a", "b", "c"]) == "a, b and c"
    assert formatting.several(1, "launch", "launches") == "1 launch"
    assert formatting.several(2, "launch", "launches") == "2 launches"
    assert formatting.contender("again", "mutex") == "mutex again (A/A)"
