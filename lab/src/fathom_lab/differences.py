"""What differs between a document's figures and those of this machine: the table [seed_table.differs] of an experiment.

    [seed_table.differs]
    machine = ["eight cores", "{machine}"]          # required: theirs, and ours
    threads = ["not said", "{threads}"]
    messages = ["100 from each client", "20 from each client"]
    tcp_wmem = ["4096 87380 16777216", "{tcp_wmem}"]

The first text says what the document has, the second what the experiment has. In the second, {machine} is the machine
of the run, each parameter of the experiment is replaced by the values that were measured, and a limit of TCP such as
{tcp_rmem} by that of the machine's kernel (environment.py lists them). A report shows the lines whose texts differ. A
figure beside a foreign one looks comparable unless something says otherwise, so an experiment's file with a
[seed_table] and without this table is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fathom_lab import environment, templates
from fathom_lab.errors import LabError

_MACHINE = "machine"
_NOT_KNOWN = "not known"


@dataclasses.dataclass(frozen=True)
class Difference:
    subject: str
    theirs: str
    ours: str


def check(table: Mapping[str, Any], parameters: Collection[str], where: str) -> None:
    """Raises LabError if the [seed_table] does not say what differs."""
    differs = table.get("differs")
    if differs is None:
        raise LabError(f"{where}: [seed_table] differs is missing: what differs between the document's figures and "
                       'ours, such as machine = ["eight cores", "{machine}"]')
    if not isinstance(differs, Mapping) or _MACHINE not in differs:
        raise LabError(f"{where}: [seed_table] differs must be a table with at least machine")
    known = dict.fromkeys((_MACHINE, *parameters, *environment.TCP_LIMITS), "")
    for subject, texts in differs.items():
        at = f"{where}: [seed_table] differs.{subject}"
        if not _is_pair(texts):
            raise LabError(f"{at} must be two texts, theirs and ours, not {texts!r}")
        if texts[0] == texts[1]:
            raise LabError(f"{at}: both texts are {texts[0]!r}, so nothing differs")
        templates.fill(texts[1], known, at)


def of_machine(machine: str, facts: Mapping[str, Any]) -> dict[str, str]:
    """What a machine's facts, environment.json, contribute to the second text."""
    limits = facts.get("tcp_limits", {})
    return {_MACHINE: machine or _NOT_KNOWN, **{name: str(limits.get(name, _NOT_KNOWN))
                                                for name in environment.TCP_LIMITS}}


def between(
    differs: Mapping[str, Any], parameters: Mapping[str, Sequence[Any]], machine: Mapping[str, str]
) -> list[Difference]:
    """The differences in a checked [seed_table.differs], for a run with these values of parameters on this machine."""
    values = {**machine, **{name: ", ".join(map(templates.plain, chosen)) for name, chosen in parameters.items()}}
    filled = [Difference(subject, theirs, templates.fill(ours, values, subject))
              for subject, (theirs, ours) in differs.items()]
    return [one for one in filled if one.theirs != one.ours]


def _is_pair(texts: Any) -> bool:
    return (isinstance(texts, (list, tuple)) and len(texts) == 2
            and all(isinstance(one, str) and one.strip() for one in texts))
