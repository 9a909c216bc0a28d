"""`fathom-lab doctor`: what on this machine disturbs measurements.

Each finding has a name, a state, what was found, what that means for measurements, and the command that mends it.

    warning      it disturbs measurements
    unknown      it cannot be seen from here: no governor in a virtual machine, say. That is not the same as good
    information  worth knowing when reading results
    ok           in order

Within a state, what costs most comes first. The last line counts the first two.

It changes nothing, unless `--apply` is given. That sets what can be set while the machine runs and be restored by one
write: energy preference, governor, turbo, huge pages, NUMA balancing, the NMI watchdog, perf_event_paranoid, and ASLR
if it is off. The old values are in ~/.local/state/fathom-lab/doctor.json before the first one is changed, and `--undo`
restores them, the last change first; a value that somebody else has changed meanwhile is left alone. A restart of the
machine undoes everything too. Both need root:

    sudo fathom-lab doctor --apply
    fathom-lab run EXPERIMENT
    sudo fathom-lab doctor --undo

Where ASLR is on it stays on: each launch then gets a memory layout of its own, and the rounds average over them. With
it off all launches share one layout, and its bias looks like a difference between contenders.

Exit codes: 0 nothing disturbs, 1 something does, 2 wrong usage, or something could not be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from fathom_lab.doctor import apply as changes
from fathom_lab.doctor import clock, container, frequency, kernel, memory, noise, processors, text
from fathom_lab.doctor.apply import Step
from fathom_lab.doctor.check import Check, Finding, State, in_order
from fathom_lab.doctor.machine import Machine
from fathom_lab.errors import LabError

CHECKS: tuple[Check, ...] = (
    frequency.check,
    processors.check,
    noise.check,
    memory.check,
    clock.check,
    kernel.check,
    container.check,
)


def examine(machine: Machine) -> list[Finding]:
    """All findings, those first that matter most. Takes a second: it looks twice at who is at work."""
    return in_order(finding for check in CHECKS for finding in check(machine))


def command(
    apply: bool, undo: bool, json: bool, state: Path | None, out: TextIO, machine: Machine | None = None
) -> int:
    """The exit code. Raises LabError for wrong usage and where nothing may be changed at all, which stand for 2."""
    if apply and undo:
        raise LabError("--apply and --undo are opposites: give one of them")
    machine = machine or Machine()
    file = state or changes.state_file()
    if undo:
        steps = changes.undo(machine, file)
        if json:
            text.write_json(None, steps, out)
        else:
            text.write_undone(steps, out)
        return 2 if _failed(steps) else 0
    findings = examine(machine)
    steps = []
    if apply:
        steps = changes.apply(machine, findings, file)
        findings = examine(machine) if steps else findings
    if json:
        text.write_json(findings, steps, out)
    else:
        if apply and not steps:
            out.write("There is nothing that --apply changes here.\n")
        text.write(findings, steps, out)
    if _failed(steps):
        return 2
    return 1 if any(one.state is State.WARNING for one in findings) else 0


def _failed(steps: Sequence[Step]) -> bool:
    return any(step.problem and not step.left for step in steps)
