"""The project's own experiments: their checks accept correct output, and nothing else."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from fathom_lab import drivers, experiment, runner, standing
from fathom_lab.process import Finished
from fathom_lab.report import seed_table
from fathom_lab.stats.effect import rounds_needed

FOLDER = Path(__file__).parents[1] / "experiments"
EXPERIMENTS = {path.stem: experiment.load(path) for path in sorted(FOLDER.glob("*.toml"))}
COMMANDS = {
    f"{name} {one.name}": one
    for name, each in EXPERIMENTS.items() for one in each.contenders if one.driver == "command"
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_proves_that_it_did_the_work(name):
    options = COMMANDS[name].options
    assert options.get("check") or options.get("numbers")


@pytest.mark.parametrize(
    "name, done, not_done",
    [
        ("scan fathom", "  Files  4\n  Entries            6,153\n", "  Entries                0\n"),
        ("scan floor", "6153 entries\n12 bytes\n", "0 entries\n"),
        ("scan du", "139317248\t/usr/share/doc\n", ""),
        ("scan gdu", "139251712 doc\n", "        0 doc\n"),
        ("scan ncdu", "/usr/a  4579 files\n", "Error obtaining full path: No such file or directory.\n"),
        ("duplicates fathom", "        8  groups of 16 files\n", "     0  groups of directories\n"),
        ("duplicates fathom", "        1  group of 2 files\n", "     0  candidates (same size as another file)\n"),
        ("duplicates floor", "16 files\n74770 bytes\n", "0 files\n0 bytes\n"),
        ("duplicates jdupes", "\n1 duplicate files (in 1 sets), occupying 2 KB\n", "No duplicates found.\n"),
        ("duplicates fclones", "# Redundant: 2897 B (2.9 KB) in 1 files\n", "# Redundant: 0 B (0 B) in 0 files\n"),
        ("duplicates rdfind", "It seems like you have 2 files that are not unique\n",
         "It seems like you have 0 files that are not unique\n"),
        ("start-up fathom", "  Entries              1\n", "  Entries              0\n"),
        ("echo-servers raw", "disconnections 0\ndisconnections_closed 0\nwrong_bytes 0\nper_op 0.1 s\n",
         "disconnections 0\ndisconnections_closed 0\nwrong_bytes 1\nper_op 0.1 s\n"),
        ("echo-switches reactor", "messages 3200\ndisconnections 0\ndisconnections_closed 0\nwrong_bytes 0\n",
         "messages 3100\ndisconnections 1\ndisconnections_closed 1\nwrong_bytes 0\n"),
    ],
)
def test_a_contender_that_does_not_do_the_work_does_not_win(name, done, not_done):
    """Outputs of the programs, for a tree that exists and for one that does not."""
    check = re.compile(COMMANDS[name].options["check"], re.MULTILINE)
    assert check.search(done)
    assert not check.search(not_done)


def test_du_of_a_tree_that_is_missing_is_refused():
    one = COMMANDS["scan du"].options
    command = [word.replace("{tree}", "/there/is/no/such/tree") for word in one["command"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in one["exit_codes"]
    assert not re.search(one["check"], done.stdout, re.MULTILINE)


def test_a_contender_that_drops_caches_does_not_run_without_permission(monkeypatch):
    one = EXPERIMENTS["scan-cold"]
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    options = runner.all_options(one, dict.fromkeys(one.names(), FOLDER))
    reasons = {name: drivers.driver("command").missing(chosen) for (_, name), chosen in options.items()}
    assert reasons["fathom"] == reasons["floor"] == "/proc/sys/vm/drop_caches is not writable here"
    assert all("drop_caches" in chosen["prepare"] for chosen in options.values())


@pytest.mark.parametrize("name, number, output, found", [
    ("scan fathom", "disk_bytes", "  Entries  6\n  Disk usage  660 MiB  691,806,208 bytes\n", 691806208),
    ("scan fathom", "disk_bytes", "  Entries  6\n  Disk usage  0 B  0 bytes\n", 0),
    ("scan fathom", "disk_bytes", "  Entries  6\n  Disk usage  ≥5.8 GiB  6,182,104,576 bytes\n", 6182104576),
    ("scan pdu", "disk_bytes", "6770688 ┌──/usr│███│100%\n", 6770688),
    ("scan du", "disk_bytes", "139317248\t/usr/share/doc\n", 139317248),
    ("scan gdu", "disk_bytes", "  139251712 doc\n", 139251712),
    ("duplicates fathom", "files", "    10  groups of 31 files\n    40  candidates (same size as another file)\n", 31),
    ("duplicates fathom", "candidates", " 1  group of 2 files\n 40  candidates (same size as another file)\n", 40),
    ("duplicates jdupes", "files", "\n21 duplicate files (in 10 sets), occupying 2 KB\n", 31),
])
def test_numbers_are_those_that_are_printed(name, number, output, found):
    options = {**COMMANDS[name].options, "command": ["true"], "check": ""}
    finished = Finished(0, False, 1.0, 1.0, 0.0, 1, output.encode(), b"", {})
    assert drivers.driver("command").read(options, finished, 1)[0][number] == found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_goals_have_words_of_their_own(name):
    """Two lines of a table must not look the same."""
    one = EXPERIMENTS[name]
    told = [(standing.sentence(one, goal), point) for goal, point in standing.places(one)]
    assert len(set(told)) == len(told)
    assert all(any(goal == each for each, _ in standing.places(one)) for goal in one.goals)


@pytest.mark.parametrize("name", ["scan floor", "duplicates floor"])
def test_a_floor_has_as_many_threads_as_fathom(name):
    assert "{processors}" in COMMANDS[name].options["command"]


def test_engines_name_cases_that_are_there_on_every_machine():
    source = (FOLDER.parents[1] / "bench" / "bench_fs.cc").read_text()
    assert "threads:2/" in EXPERIMENTS["engines"].table()["contender"][0]["benchmark"]
    assert "default_concurrency" not in source


def test_round_trips_stand_beside_round_trips():
    table = EXPERIMENTS["echo-servers"].seed_table
    assert {one["measure"] for one in table["ours"].values()} == {"round_trip"}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_plan_has_rounds_enough_to_show_something_in_each_row(name):
    one = EXPERIMENTS[name]
    rows = sum(one.takes_part(other.name, point) for point in one.points() for other in one.contenders
               if other.name != one.baseline)
    assert one.plan.rounds > rounds_needed(max(rows, 1))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_all_options_can_be_filled_in(name):
    """Braces in a check are interpreted as a template first."""
    one = EXPERIMENTS[name]
    for each in (one, one.in_smoke_size()):
        options = runner.all_options(each, dict.fromkeys(each.names(), FOLDER))
        assert options
        for chosen in options.values():
            re.compile(chosen.get("check", ""))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_document_s_table_can_be_shown(name):
    seed_table.check(EXPERIMENTS[name])
