"""Driver for any command: measures its time and resources.

    driver = "command"
    command = ["du", "-s", "{tree}"]  # or a string, with shell = true
    check = "^[0-9]+"  # standard output must match it, so that a contender cannot win by doing nothing

Other options: environment, folder, prepare (a command before each launch, not measured), exit_codes (default [0]),
needs (other programs that must be installed, and files and folders that must exist, starting with "{root}/" or "/"),
writes (files that must be writable, such as /proc/sys/vm/drop_caches), numbers (regular expressions whose named
groups become measures, in the units that the experiment declares; groups with the same name are added up).

A launch is one measurement, since the process itself is what is measured.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom_lab.drivers.options import Options, Where, check_ended_well, pattern
from fathom_lab.drivers.profiling import Profiling, with_perf
from fathom_lab.errors import LabError, NoResult
from fathom_lab.process import Finished, Invocation, shortened

_SHOWN = 40  # characters to show of unexpected output
_OWN_MEASURES = ("time", "wall", "user", "system", "cpu", "peak_memory")


@dataclasses.dataclass(frozen=True)
class _Chosen:
    command: tuple[str, ...]
    where: Where
    prepare: tuple[str, ...]
    output: re.Pattern[str] | None
    exit_codes: tuple[int, ...]
    needs: tuple[str, ...]
    writes: tuple[str, ...]
    numbers: tuple[re.Pattern[str], ...]


class Command:
    def check(self, options: Mapping[str, Any]) -> None:
        _chosen(options)

    def missing(self, options: Mapping[str, Any]) -> str:
        chosen = _chosen(options)
        reasons = (chosen.where.missing(chosen.command[0]), *map(chosen.where.missing_need, chosen.needs),
                   *(f"{one} is not writable here" for one in chosen.writes if not os.access(one, os.W_OK)))
        return next(filter(None, reasons), "")

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        """Raises LabError for more than one repetition."""
        if repetitions != 1:
            raise LabError(
                f"a command is measured once per launch, not {repetitions} times: "
                "remove repetitions and warmup from the plan, and use more rounds"
            )
        chosen = _chosen(options)
        return Invocation(
            chosen.command,
            chosen.where.environment,
            chosen.where.folder,
            keeps_output=bool(chosen.output or chosen.numbers),
            prepare=chosen.prepare,
        )

    def read(self, options: Mapping[str, Any], finished: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        chosen = _chosen(options)
        check_ended_well(finished, chosen.exit_codes)
        output = finished.output.decode(errors="replace")
        if chosen.output and not chosen.output.search(output):
            raise NoResult(f"its output does not match {chosen.output.pattern!r}: {_beginning(output)}")
        return [{**_used(finished), **_numbers(chosen.numbers, output)}]

    def profiling(self, options: Mapping[str, Any], kind: str, stem: Path) -> Profiling:
        return with_perf(self.invocation(options, 1), kind, stem)


def _chosen(options: Mapping[str, Any]) -> _Chosen:
    taken = Options(options)
    shell = taken.flag("shell")
    check = taken.text("check", "")
    chosen = _Chosen(
        command=_command(taken.take("command", None), shell, "command"),
        where=Where.take(taken),
        prepare=_prepare(taken.take("prepare", ())),
        output=pattern(check, "check") if check else None,
        exit_codes=_exit_codes(taken.take("exit_codes", [0])),
        needs=taken.texts("needs"),
        writes=taken.texts("writes"),
        numbers=_patterns(taken.take("numbers", ())),
    )
    taken.end()
    return chosen


def _command(value: Any, shell: bool, key: str) -> tuple[str, ...]:
    if shell:
        if not isinstance(value, str) or not value:
            raise LabError(f"with shell = true {key} must be a string, not {value!r}")
        return ("/bin/sh", "-c", value)
    words = Options({key: value}).texts(key) if not isinstance(value, str) else ()
    if not words or not words[0]:
        raise LabError(f"{key} must be a list of strings, or a string with shell = true, not {value!r}")
    return words


def _prepare(value: Any) -> tuple[str, ...]:
    """A string is run by the shell, because a preparation is seldom a single program."""
    return _command(value, isinstance(value, str), "prepare") if value else ()


def _exit_codes(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value or not all(type(one) is int for one in value):
        raise LabError(f"exit_codes must be a non-empty list of numbers, not {value!r}")
    return tuple(value)


def _patterns(value: Any) -> tuple[re.Pattern[str], ...]:
    texts = Options({"numbers": [value] if isinstance(value, str) else value}).texts("numbers")
    patterns = tuple(pattern(text, "numbers") for text in texts)
    for one in patterns:
        if not one.groupindex:
            raise LabError(f"numbers: {one.pattern!r} has no named group: write (?P<NAME>...) around the number")
        for name in set(one.groupindex) & set(_OWN_MEASURES):
            raise LabError(f"numbers: the name {name} is reserved")
    return patterns


def _used(finished: Finished) -> dict[str, float]:
    return {
        "time": finished.wall,
        "wall": finished.wall,
        "user": finished.user,
        "system": finished.system,
        "cpu": finished.user + finished.system,
        "peak_memory": float(finished.peak_memory),
    }


def _numbers(patterns: Sequence[re.Pattern[str]], output: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in patterns:
        match = one.search(output)
        if match is None:
            raise NoResult(f"its output does not match {one.pattern!r}: {_beginning(output)}")
        for name, text in match.groupdict().items():
            found[name] = found.get(name, 0.0) + _number(name, text)
    return found


def _number(name: str, text: str | None) -> float:
    """Parses a number; commas between thousands are allowed."""
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        raise NoResult(f"it printed {shortened(text or '', _SHOWN)!r} as {name}, which is not a number") from None
    if not math.isfinite(value):
        raise NoResult(f"it printed {text} as {name}")
    return value


def _beginning(output: str) -> str:
    if not output.strip():
        return "it printed nothing"
    return f"it begins with {shortened(output.strip(), _SHOWN)!r}"
