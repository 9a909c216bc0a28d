"""Fleets whose driver and workers run on the machines of testing/fleet, with its fixtures."""

import os
import pathlib
import subprocess
import sys

import pytest

import fake_fathom
from fleet_fixtures import FATHOM
from test_fleet_cluster import KEPT, Fleet, gone, worker_of

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
LONG = "FATHOM_FLEET_LONG"
takes_long = pytest.mark.skipif(not os.environ.get(LONG), reason=f"takes long; {LONG}=1 runs it")


class MachineFleet(Fleet):
    """The driver runs in a machine. `programs` is a folder with the programs of all machines: `python` has the
    package; `fathom`, which waits at the gate, is the real one on request; `fathom-fleet` is what pip installs."""

    def __init__(self, path, machine, real="", root=None):
        super().__init__(path)
        self.machine = machine
        self.root = root  # of the tree that is scanned
        self.programs = path / "bin"
        self.programs.mkdir()
        python, fathom = self.programs / "python", self.programs / "fathom"
        fake = pathlib.Path(fake_fathom.__file__).resolve()
        gate = path / "gate"
        self.program("python", f'PYTHONPATH={PACKAGE} exec {sys.executable} "$@"')
        # ssh does not pass the environment on.
        self.program("fathom", f"[ -d {gate} ] && export FAKE_FATHOM_GATE={gate}\n"
                                f'FAKE_FATHOM_REAL={real} exec {sys.executable} {fake} "$@"')
        self.program("fathom-fleet", f'case $1 in scan) set -- "$@" --python {python} --fathom {fathom} ;; esac\n'
                                      f'exec {python} -m fathom_fleet "$@"')
        self.fathom = str(fathom)
        self.environment = {"PATH": f"{self.programs}:{os.environ['PATH']}", "PYTHONPATH": str(PACKAGE)}
        self.words = ("--python", str(python))

    def launch(self, words):
        return self.machine.start(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def program(self, name, script):
        """A program of all machines."""
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (self.programs / name).chmod(0o755)


def real_fathom():
    return str(pathlib.Path(FATHOM).resolve())


def says(driver, text):
    """Waits until the driver has written a line with the text, and returns it."""
    while line := driver.stderr.readline():
        if text in line.decode():
            return line.decode()
    raise AssertionError(f"the driver has ended without saying '{text}'")


def check_that_a_killed_driver_leaves_nothing(fleet):
    """Neither a scan nor a worker; and what it committed is not done again."""
    gate = fleet.gate()
    driver = fleet.start(*fleet.words)
    scan = gate.next_scan()
    worker = worker_of(scan)
    driver.kill()
    gone(scan, worker)
    gate.open()
    assert fleet.run(*fleet.words, "--resume", root=None)[:2] == (0, KEPT)
    fleet.check()
