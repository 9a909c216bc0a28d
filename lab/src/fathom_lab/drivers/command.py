"""Driver for any command: measures its time and resources.

    driver = "command"
    command = ["du", "-s", "{tree}"]  # or a string, with shell = true
    check = "^[0-9]+"  # standard output must match it, so that a contender cannot win by doing nothing

A launch is one measurement, since the process itself is what is measured.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from fathom_lab import schema
from fathom_lab.drivers.options import Options, check_ended_well, pattern
from fathom_lab.drivers.profiling import Profiling, with_perf
from fathom_lab.errors import LabError, NoResult
from fathom_lab.process import Finished, Invocation, shortened
from fathom_lab.schema import InvalidValue, Text, doc

_SHELL = ("/bin/sh", "-c")
_SHOWN = 40  # characters to show of unexpected output
_OWN_MEASURES = ("time", "wall", "user", "system", "cpu", "peak_memory")


def _prepare(value: Any) -> Any:
    return (*_SHELL, value) if isinstance(value, str) and value else _words(value)


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)) and all(type(one) in (str, int, float) for one in value):
        return tuple(map(str, value))
    raise InvalidValue(f"must be a list of strings, or a string with shell = true, not {value!r}")


def _exit_codes(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not value or not all(type(one) is int for one in value):
        raise InvalidValue(f"must be a non-empty list of numbers, not {value!r}")
    return tuple(value)


def _patterns(value: Any) -> tuple[re.Pattern[str], ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, (list, tuple)):
        raise InvalidValue(f"must be a list of strings, not {value!r}")
    patterns = tuple(filter(None, map(pattern, texts)))
    for one in patterns:
        if not one.groupindex:
            raise InvalidValue(f"has the pattern {one.pattern!r}, which has no named group: write (?P<NAME>...) around "
                               "the number")
        for name in set(one.groupindex) & set(_OWN_MEASURES):
            raise InvalidValue(f"has a group with the name {name}, but the name {name} is reserved")
    return patterns


@attrs.frozen(kw_only=True)
class CommandOptions(Options):
    command: str | tuple[str, ...] = attrs.field(metadata=doc(
        "what is measured", kind="a list of strings; with shell = true a string", read=lambda value: value))
    shell: bool = attrs.field(default=False, metadata=doc("run the command by /bin/sh"))
    prepare: tuple[str, ...] = attrs.field(default=(), metadata=doc(
        "runs before each launch, in the same folder, and is not measured",
        kind="a list of strings, or a string for the shell", read=_prepare))
    check: re.Pattern[str] | None = attrs.field(default=None, metadata=doc(
        "standard output must match, so that a contender that skips the work cannot win",
        kind="a regular expression; ^ and $ match at each line", default="none", read=pattern))
    numbers: tuple[re.Pattern[str], ...] = attrs.field(default=(), metadata=doc(
        "named groups of standard output become measures; groups with the same name are added up",
        kind="a regular expression, or a list of them", read=_patterns))
    exit_codes: tuple[int, ...] = attrs.field(default=(0,), metadata=doc(
        "accepted exit codes", kind="a non-empty list of numbers", default="[0]", read=_exit_codes))
    needs: tuple[Text, ...] = attrs.field(default=(), metadata=doc(
        'other programs that must be installed, and files and folders, with a slash, such as "{root}/data", that must '
        "exist"))
    writes: tuple[Text, ...] = attrs.field(default=(), metadata=doc(
        "files that must be writable, such as /proc/sys/vm/drop_caches; otherwise the contender does not take part"))

    def __attrs_post_init__(self) -> None:
        self.words()

    def words(self) -> tuple[str, ...]:
        """The program and its arguments. Raises LabError."""
        if self.shell and (not isinstance(self.command, str) or not self.command):
            raise LabError(f"with shell = true command must be a string, not {self.command!r}")
        try:
            words = (*_SHELL, str(self.command)) if self.shell else _words(self.command)
        except InvalidValue as problem:
            raise LabError(f"command {problem}") from None
        if not words or not words[0]:
            raise LabError(f"command must be a list of strings, or a string with shell = true, not {self.command!r}")
        return words


class Command:
    def check(self, options: Mapping[str, Any]) -> None:
        schema.read(CommandOptions, options)

    def missing(self, options: Mapping[str, Any]) -> str:
        chosen = schema.read(CommandOptions, options)
        reasons = (chosen.missing(chosen.words()[0]), *map(chosen.missing_need, chosen.needs),
                   *(f"{one} is not writable here" for one in chosen.writes if not os.access(one, os.W_OK)))
        return next(filter(None, reasons), "")

    def invocation(self, options: Mapping[str, Any], repetitions: int) -> Invocation:
        """Raises LabError for more than one repetition."""
        if repetitions != 1:
            raise LabError(
                f"a command is measured once per launch, not {repetitions} times: "
                "remove repetitions and warmup from the plan, and use more rounds"
            )
        chosen = schema.read(CommandOptions, options)
        return Invocation(
            chosen.words(),
            chosen.environment,
            chosen.place(),
            keeps_output=bool(chosen.check or chosen.numbers),
            prepare=chosen.prepare,
        )

    def read(self, options: Mapping[str, Any], finished: Finished, repetitions: int) -> Sequence[Mapping[str, float]]:
        chosen = schema.read(CommandOptions, options)
        check_ended_well(finished, chosen.exit_codes)
        output = finished.output.decode(errors="replace")
        if chosen.check and not chosen.check.search(output):
            raise NoResult(f"its output does not match {chosen.check.pattern!r}: {_beginning(output)}")
        return [{**_used(finished), **_numbers(chosen.numbers, output)}]

    def profiling(self, options: Mapping[str, Any], kind: str, stem: Path) -> Profiling:
        return with_perf(self.invocation(options, 1), kind, stem)


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
