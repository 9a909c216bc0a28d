"""`fathom-lab doctor`: finds what disturbs measurements on this machine.

Each finding has a name, a state, what was found, what that means for measurements, and the command that fixes it.

    warning      it disturbs measurements
    unknown      it cannot be seen from here, such as the governor in a virtual machine; it may be good or bad
    information  worth knowing when reading results
    ok           in order

Within a state, the most costly findings come first. The last line counts warnings and unknowns.

Without `--apply` it changes nothing. `--apply` changes settings that can be changed at run time and restored by one
write: energy preference, governor, turbo, huge pages, NUMA balancing, the NMI watchdog, perf_event_paranoid, and
ASLR if it is off. Before the first change it saves the old values to ~/.local/state/fathom-lab/doctor.json. `--undo`
restores them, the last change first, and leaves values alone that were changed by others in the meantime. A reboot
also undoes everything. Both need root:

    sudo fathom-lab doctor --apply
    fathom-lab run EXPERIMENT
    sudo fathom-lab doctor --undo

ASLR stays on where it is on: each launch then gets its own memory layout, and the rounds average over the layouts.
Without it all launches share one layout, whose bias looks like a difference between contenders.

Exit codes: 0 nothing disturbs measurements, 1 something does, 2 invalid usage or a setting could not be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from fathom_lab.doctor import apply as changes
from fathom_lab.doctor import clock, container, frequency, kernel, memory, noise, processors, speed, text
from fathom_lab.doctor.apply import Step
from fathom_lab.doctor.check import Check, Finding, State, in_order
from fathom_lab.doctor.machine import Machine
from fathom_lab.errors import LabError

CHECKS: tuple[Check, ...] = (
    frequency.check,
    speed.check,
    processors.check,
    noise.check,
    memory.check,
    clock.check,
    kernel.check,
    container.check,
)


def examine(machine: Machine) -> list[Finding]:
    """All findings, the most important first. Takes two seconds: one between two looks at the running
    processes, and one in which it samples the speed of a processor."""
    return in_order(finding for check in CHECKS for finding in check(machine))


def command(
    apply: bool, undo: bool, json: bool, state: Path | None, out: TextIO, machine: Machine | None = None
) -> int:
    """Runs the command and returns the exit code. Raises LabError for invalid usage, or if nothing may be changed at
    all; the caller exits with 2."""
    if apply and undo:
        raise LabError("--apply and --undo are mutually exclusive")
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
            out.write("--apply has nothing to change here.\n")
        text.write(findings, steps, out)
    if _failed(steps):
        return 2
    return 1 if any(one.state is State.WARNING for one in findings) else 0


def _failed(steps: Sequence[Step]) -> bool:
    return any(step.problem and not step.left for step in steps)
