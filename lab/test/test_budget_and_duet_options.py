"""The options --budget and --duet of the command, with real programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fathom_lab.experiment import AGAIN, BESIDE_AGAIN
from fathom_lab.run_folder import RunFolder
from test_cli import here, lab, only_folder, rounds, write

__all__ = ["here"]

SLEEP = f'["{sys.executable}", "-I", "-S", "-c", "import time; time.sleep(0.2)"]'


def test_a_clear_difference_takes_six_rounds_or_few_more(here: Path) -> None:
    result = lab("run", write(here, new=SLEEP), "--budget", "2h")
    assert result.exit_code == 0 and "takes" in result.stdout
    assert 6 <= len(rounds(only_folder())) < 30


def test_the_budget_is_kept_with_the_run(here: Path) -> None:
    lab("run", write(here), "--budget", "1.5min", "--rounds", 1)
    plan = only_folder().experiment("which").plan
    assert (plan.budget, plan.rounds) == (90.0, 1)


@pytest.mark.parametrize("given, seconds", [("90", 90.0), ("90s", 90.0), ("10min", 600.0), ("0.5h", 1800.0)])
def test_a_budget_has_a_unit(here: Path, given: str, seconds: float) -> None:
    lab("run", write(here), "--budget", given, "--rounds", 1)
    assert only_folder().experiment("which").plan.budget == seconds


@pytest.mark.parametrize("given, message", [
    ("5x", "5x is not a time, such as 90s, 10min or 2h"), ("soon", "soon is not a time"), ("nan", "not a number"),
    ("0", "not in the range"), ("-3s", "not in the range"), ("200h", "not in the range"),
])
def test_a_budget_that_is_not_a_time_is_refused(here: Path, given: str, message: str) -> None:
    result = lab("run", write(here), f"--budget={given}")
    assert result.exit_code == 2 and message in " ".join(result.stderr.split())
    assert not Path("runs").exists()


def test_the_smoke_size_has_the_budget_of_the_plan(here: Path) -> None:
    file = write(here)
    file.write_text(file.read_text().replace("rounds = 7", "budget = 3600"))
    assert lab("run", file, "--smoke").exit_code == 0
    assert rounds(only_folder()) == [0, 1]


def test_a_gate_ends_when_it_is_decided_and_so_does_its_second_run(here: Path) -> None:
    result = lab("gate", write(here, new=SLEEP), "--budget", "2h")
    assert result.exit_code == 1 and "REGRESS" in result.stdout and "confirmed" in result.stdout
    assert [6 <= len(rounds(RunFolder(path))) < 60 for path in Path("runs").iterdir()] == [True, True]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a duet needs two processors")
def test_a_duet_of_the_command_compares_the_baseline_with_itself_too(here: Path) -> None:
    result = lab("run", write(here, new=SLEEP), "--duet")
    assert result.exit_code == 0 and "old again (A/A)" in result.stdout
    names = {launch.contender for launch in only_folder().launches("which")}
    assert names == {"old", "new", AGAIN, BESIDE_AGAIN}


def test_a_duet_on_one_processor_is_refused_before_a_folder_is_made(here: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    result = lab("run", write(here), "--duet", "--pin", cpu)
    assert result.exit_code == 2
    assert "which: a duet needs two processors, and the lab may use only one" in result.stderr
    assert not Path("runs").exists()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a duet needs two processors")
def test_a_duet_can_be_resumed(here: Path) -> None:
    lab("run", write(here), "--duet", "--rounds", 2)
    folder = only_folder()
    folder.change("which", complete=False)
    result = lab("run", "--resume", folder.path)
    assert result.exit_code == 0
    assert rounds(folder) == [0, 1]
