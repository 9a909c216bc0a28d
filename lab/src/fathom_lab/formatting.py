"""Formats numbers with human-readable units, such as 1.53 s, 12.4 ns, 93 MiB, 2.1 times. Used by terminal, HTML and
Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fathom_lab.experiment import AGAIN, Measure, Point
from fathom_lab.rows import Analysis, Interval, Row, Verdict

NONE = "–"  # shown for a missing number

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps"))
_BYTES = ((2.0**50, "PiB"), (2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))
_COUNTS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_RATES = frozenset({"per_second"})


def number(value: float, digits: int = 3) -> str:
    """Formats with that many significant digits, but whole numbers in full: 3,180,886, 12.4, 0.00031."""
    if not math.isfinite(value):
        return NONE
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return _fixed(value, digits)


def seconds(value: float) -> str:
    if not math.isfinite(value):
        return NONE
    if abs(value) >= 119.5:
        minutes, rest = divmod(round(abs(value)), 60)
        return f"{'-' if value < 0 else ''}{minutes:,} min {rest} s"
    return _scaled(value, _TIMES) if value else "0 s"


def size(value: float) -> str:
    return _scaled(value, _BYTES, plain="B")


def rate(value: float) -> str:
    return _scaled(value, _COUNTS, plain="") + "/s" if math.isfinite(value) else NONE


def quantity(value: float, measure: Measure) -> str:
    """Formats a value with the measure's unit."""
    if not math.isfinite(value):
        return NONE
    if measure.unit == "s":
        return seconds(value)
    if measure.unit == "bytes":
        return size(value)
    if measure.unit in _RATES:
        return f"{size(value)}/s" if measure.name.startswith("bytes") else rate(value)
    return f"{number(value)} {_singular(measure.unit) if value == 1 else measure.unit}".rstrip()


def unit(value: float, measure: Measure) -> tuple[float, str]:
    """The unit that quantity() would use: its divisor and name."""
    if measure.unit == "s":
        return _unit(value, _TIMES)
    if measure.unit == "bytes":
        return _unit(value, _BYTES, "B")
    if measure.unit in _RATES:
        factor, name = _unit(value, _BYTES, "B") if measure.name.startswith("bytes") else _unit(value, _COUNTS, "")
        return factor, f"{name}/s"
    return 1.0, measure.unit


def ratio(value: float) -> str:
    """Formats a ratio: three significant digits, near 1 three decimals: 0.481, 1.004, 12.3."""
    if not math.isfinite(value):
        return NONE
    if 0.9 <= value <= 1.1:
        return f"{value:.3f}"
    return _fixed(value, 3)


def _end(value: float) -> str:
    """Formats an end of an interval. An end that is not 1 must not be rounded to 1."""
    text = ratio(value)
    if text != "1.000" or value == 1.0:
        return text
    return "1.001" if value > 1.0 else "0.999"


def interval(given: Interval | None) -> str:
    return f"{_end(given.low)} to {_end(given.high)}" if given else NONE


def percent(fraction: float) -> str:
    """Formats a fraction: 0.0213 becomes 2.1 %."""
    if not math.isfinite(fraction):
        return NONE
    return f"{_fixed(100 * fraction, 2)} %" if abs(fraction) < 1 else f"{number(round(100 * fraction))} %"


def times(value: float) -> str:
    """Formats a factor: 2.1 times."""
    return f"{_fixed(value, 2)} times" if math.isfinite(value) else NONE


def effect(row: Row) -> str:
    """The ratio in words: 2.1 times as fast, 7 % more time. Empty without a ratio."""
    if not math.isfinite(row.ratio) or row.ratio <= 0:
        return ""
    if row.measure.unit == "s":
        large, more, less = "times as long", "more time", "less time"
        if row.ratio <= 1 / 1.5:
            return f"{times(1 / row.ratio)} as fast"
    elif row.measure.unit in _RATES:
        large, more, less = "times the rate", "higher rate", "lower rate"
    else:
        large, more, less = "times as much", "more", "less"
    if row.ratio >= 1.5 or row.ratio <= 1 / 1.5:
        return f"{_fixed(row.ratio, 2)} {large}"
    return f"{percent(abs(row.ratio - 1))} {more if row.ratio >= 1 else less}"


def verdict(given: Verdict, measure: Measure) -> str:
    """The verdict in words: faster or slower for times and rates, better or worse for other measures."""
    if measure.unit == "s" or measure.unit in _RATES or given in (Verdict.SAME, Verdict.UNKNOWN):
        return given.value
    return "better" if given is Verdict.FASTER else "worse"


def measure(given: Measure) -> str:
    """The name of a measure: peak memory."""
    return given.name.replace("_", " ")


def point(given: Point) -> str:
    """Formats a point: threads 4, size 1,024. Empty for the only point."""
    return ", ".join(f"{name} {parameter(value)}" for name, value in given)


def parameter(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def contender(name: str, baseline: str) -> str:
    return f"{baseline} again (A/A)" if name == AGAIN else name


def several(count: int, one: str, many: str = "") -> str:
    """Formats a count: 1 round, 2 rounds."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _singular(unit: str) -> str:
    """The singular of a unit: "wake-ups a message" becomes "wake-up a message"."""
    first, space, rest = unit.partition(" ")
    return f"{first.removesuffix('s')}{space}{rest}"


def listed(words: Sequence[str]) -> str:
    """Joins words: a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def deviations(analysis: Analysis) -> list[str]:
    """Deviations of contenders from the baseline, one line for each number and point."""
    lines: dict[tuple[Point, str], list[str]] = {}
    for one in analysis.deviations:
        off = f"{100 * one.relative:+.2g} %" if one.relative else "the same"
        lines.setdefault((one.point, one.number), []).append(f"{one.contender} {off}")
    return [
        f"{number.replace('_', ' ')} relative to {analysis.experiment.baseline}{f' at {point(at)}' if at else ''}: "
        f"{', '.join(found)}"
        for (at, number), found in lines.items()
    ]


def _scaled(value: float, units: Sequence[tuple[float, str]], plain: str | None = None) -> str:
    if not math.isfinite(value):
        return NONE
    factor, name = _unit(value, units, plain)
    text = number(value) if name == plain else _fixed(value / factor, 3)
    return f"{text} {name}".rstrip()


def _unit(value: float, units: Sequence[tuple[float, str]], plain: str | None = None) -> tuple[float, str]:
    """The largest unit in which the value is at least 1, otherwise the plain or the smallest unit."""
    def rounded(factor: float) -> float:
        return float(f"{abs(value) / factor:.2e}")  # 999.9 ns is 1 µs

    fits = (one for one in units if math.isfinite(value) and rounded(one[0]) >= 1)
    return next(fits, units[-1] if plain is None else (1.0, plain))


def _fixed(value: float, digits: int) -> str:
    """Formats with that many significant digits, with trailing zeros, without exponent; from 1000 on whole."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    after_the_point = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{min(max(after_the_point, 0), 12)}f}" if after_the_point >= 0 else f"{value:,.0f}"
