"""Moments as users write them, made absolute once, so that all tasks on all hosts mean the same one."""

from __future__ import annotations

import datetime
import re

from fathom_fleet.errors import FleetError, shown

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}

# As `fathom scan`.
_OLDEST = 1000 * 366 * 86_400
_SECONDS = 1 << 63


def absolute(flag: str, when: str, now: datetime.datetime) -> str:
    """`7d`, `today` or `2026-01-31T08:00` as `@1767225600`. `now` is a local time with its zone. Raises FleetError."""
    try:
        if re.fullmatch(r"@-?\d{1,19}", when) and -_SECONDS <= int(when[1:]) < _SECONDS:
            return when
        if age := re.fullmatch(r"([1-9]\d*)([smhdw])", when):
            seconds = int(age[1]) * _UNITS[age[2]]
            if seconds <= _OLDEST:
                return f"@{int(now.timestamp()) - seconds}"
        if when in ("today", "yesterday"):
            day = now.date() - datetime.timedelta(days=when == "yesterday")
            return f"@{int(datetime.datetime.combine(day, datetime.time()).timestamp())}"
        if re.fullmatch(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?", when):
            return f"@{int(datetime.datetime.fromisoformat(when).timestamp())}"
    except (ValueError, OverflowError):
        pass
    raise FleetError(f"option '{flag}' takes a time such as 7d, today, 2026-01-31 or @1767225600, not '{shown(when)}'")
