"""The project's own experiments: their checks accept correct output, and nothing else."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from fathom_lab import drivers, experiment, goal_results, runner
from fathom_lab.errors import NoResult
from fathom_lab.process import Finished
from fathom_lab.report import document, seed_table
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
    ("duplicates fclones", "files", "# Total: 20680 B (20.7 KB) in 2637 files in 478 groups\n", 2637),
    ("duplicates fclones", "groups", "# Total: 20680 B (20.7 KB) in 2637 files in 478 groups\n", 478),
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
    sentences = [(goal_results.sentence(one, goal), point) for goal, point in goal_results.places(one)]
    assert len(set(sentences)) == len(sentences)
    assert all(any(goal == each for each, _ in goal_results.places(one)) for goal in one.goals)


@pytest.mark.parametrize("name", ["scan floor", "duplicates floor"])
def test_a_floor_has_as_many_threads_as_fathom(name):
    assert "{processors}" in COMMANDS[name].options["command"]


def test_the_full_plan_of_engines_has_all_cases_of_their_benchmark():
    published = {*(f"overhead_{folders}" for folders in (1, 5, 20, 100)), "flat", "nested", "balanced", "skewed",
                 *(f"granularity_{shape}" for shape in ("10x200", "100x20", "500x4", "1000x2"))}
    assert set(EXPERIMENTS["engines"].parameters["tree"]) == published | {"one_folder"}
    assert {one["tree"] for one in EXPERIMENTS["engines"].seed_table["where"]} == published
    assert EXPERIMENTS["scaling"].parameters["threads"] == (1, 2, 4, 8, 16)


def test_fresh_deques_are_measured_and_shown_as_steady_ones_are():
    where = [tuple(one.values()) for one in EXPERIMENTS["deque"].seed_table["where"]]
    assert where == [(deque, items) for deque in ("fresh", "steady") for items in (64, 512, 4096)]


@pytest.mark.parametrize("name", ["engines-tree", "engines-tree-cold"])
def test_engines_on_a_real_tree_must_find_the_same(name):
    one = EXPERIMENTS[name].at("tree", ["/srv"])
    assert all(other.agree == {"entries": "exactly", "disk_bytes": "exactly"} for other in one.contenders[1:])
    assert all("/srv" in chosen["command"]
               for chosen in runner.all_options(one, dict.fromkeys(one.names(), FOLDER)).values())
    assert any("drop_caches" in each for each in one.contenders[0].options.get("writes", ())) == name.endswith("cold")


def test_engines_name_cases_that_are_there_on_every_machine():
    source = (FOLDER.parents[1] / "bench" / "bench_fs.cc").read_text()
    assert "threads:2/" in EXPERIMENTS["engines"].table()["contender"][0]["benchmark"]
    assert "default_concurrency" not in source


@pytest.mark.parametrize("name", ["coarse-and-fine-locks", "lock-waits"])
def test_queues_with_one_lock_and_two_are_compared_only_with_readers_that_wait_alike(name):
    one = EXPERIMENTS[name]
    assert one.baseline == "one_lock" and "two_locks" in one.names()
    assert one.parameters["readers"] == ("polled", "sleeping")
    for (point, _), chosen in runner.all_options(one, dict.fromkeys(one.names(), FOLDER)).items():
        at = dict(point)
        assert f"/locks/{at['threads']}/{at['readers']}/" in chosen["benchmark"]
    assert {"4x4", "16x16", "50x50"} <= set(one.parameters["threads"])


def test_one_lock_and_two_are_the_only_contenders_of_their_question():
    assert [one.name for one in EXPERIMENTS["coarse-and-fine-locks"].contenders] == ["one_lock", "two_locks"]


@pytest.mark.parametrize("name", ["echo-servers", "echo-socket-buffers", "echo-switches"])
def test_echo_servers_beside_the_article_have_its_clients(name):
    """A thread for each client, and 100 messages from each."""
    one = EXPERIMENTS[name]
    for chosen in runner.all_options(one, dict.fromkeys(one.names(), FOLDER)).values():
        command = chosen["command"]
        assert command[command.index("--client") + 1] == "threads"
        assert command[command.index("--messages") + 1] == "100"
        assert "--seconds" not in command


def test_echo_servers_have_as_many_clients_as_in_the_article():
    assert EXPERIMENTS["echo-servers"].parameters["clients"] == (4, 128, 1024)
    assert EXPERIMENTS["echo-socket-buffers"].parameters["clients"] == (1024,)
    assert {one.name for one in EXPERIMENTS["echo-socket-buffers"].contenders} == {"1024000", "87380", "10240", "128"}


def test_a_figure_that_cannot_be_a_round_trip_does_not_stand_beside_round_trips():
    """30 us for each of 1,024 messages on their way at the same time would be 34 million messages a second."""
    columns = EXPERIMENTS["echo-servers"].seed_table["ours"]
    assert {title: one["measure"] for title, one in columns.items()} == {
        "epoll": "per_op", "thread per client": "per_op",
        "round trip, epoll": "round_trip", "round trip, thread per client": "round_trip"}
    assert EXPERIMENTS["echo-epoll-client"].seed_table is None, "which has other clients"


def test_a_lost_connection_is_a_result_only_where_it_is_counted():
    output = b"disconnections 3\ndisconnections_closed 0\ndisconnections_reset 2\ndisconnections_timed_out 1\n" \
             b"disconnections_other 0\nwrong_bytes 0\nserver_send_buffer 4608\nserver_receive_buffer 2304\n" \
             b"per_op 0.5 s\nround_trip 0.7 s\n"
    finished = Finished(1, False, 1.0, 1.0, 0.0, 1, output, b"", {})
    counted = COMMANDS["echo-socket-buffers 128"].options
    found = drivers.driver("command").read({**counted, "command": ["true"]}, finished, 1)[0]
    assert (found["disconnections"], found["disconnections_reset"], found["receive_buffer"]) == (3, 2, 2304)
    with pytest.raises(NoResult):
        drivers.driver("command").read({**COMMANDS["echo-servers raw"].options, "command": ["true"]}, finished, 1)


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


def test_what_the_scan_of_a_fleet_needs_is_found_again_for_each_build():
    """`lab ab` measures two, with the same tree."""
    prepare = EXPERIMENTS["fleet-waiting"].contenders[0].options["prepare"]
    assert prepare.endswith("&& bench/fleet/measure-fleet list $tree --threads 64 --delay-us 0")


def test_a_tree_whose_making_was_interrupted_is_not_measured(tmp_path):
    """xargs, the last program of each directory, fails in the second one."""
    tree, programs = tmp_path / "tree", tmp_path / "programs"
    programs.mkdir()
    (programs / "xargs").write_text(f"#!/bin/sh\nmkdir {programs}/once && exec /usr/bin/xargs \"$@\"\n")
    (programs / "xargs").chmod(0o755)
    one = EXPERIMENTS["python-million"]
    chosen = next(iter(runner.all_options(one, dict.fromkeys(one.names(), FOLDER)).values()))
    prepare = chosen["prepare"].replace("/dev/shm/fathom-million", str(tree)).replace("seq 5000", "seq 3")
    interrupted = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    assert subprocess.run(["sh", "-c", prepare], env=interrupted, capture_output=True, check=False).returncode != 0
    assert not tree.exists()
    for _ in range(2):
        subprocess.run(["sh", "-c", prepare], check=True)
        assert len([*tree.glob("*/a name of *")]) == 600


def test_less_than_a_million_rows_do_not_meet_a_goal_about_a_million():
    assert [goal.given for goal in EXPERIMENTS["python-million"].goals] == [{"rows": 1_000_000}]


def test_all_contenders_that_look_for_duplicates_are_compared_with_fathom():
    one = EXPERIMENTS["duplicates"]
    assert all(other.agree for other in one.contenders if other.name != one.baseline)


def test_the_sum_of_a_query_must_be_right():
    one = EXPERIMENTS["python-sql"]
    assert [(other.name, other.agree["bytes"]) for other in one.contenders[1:]] == [("all_blocks", "exactly")]


def test_all_reports_are_those_of_the_command():
    """--explain looks beyond the entries."""
    source = (FOLDER.parents[1] / "fs/include/fathom/fs/report.h").read_text()
    kinds = re.search(r"enum class ReportKind[^{]*{([^}]*)}", source)[1].replace(",", "").split()
    reports = {"--" + kind.replace("_", "-") for kind in kinds} - {"--explain"}
    assert reports <= set(COMMANDS["reports all_text"].options["command"])
    assert reports <= set(COMMANDS["reports all_json"].options["command"].split())


def test_the_document_s_goals_are_those_of_the_experiments():
    """`lab report --document` without a run keeps all lines of goals that have not changed."""
    text = (FOLDER.parents[1] / "docs/BENCHMARKING.md").read_text()
    table = re.search(r"<!-- lab goals -->\n(.*?)<!-- /lab -->", text, re.DOTALL)[1]
    assert document.goals([], [*EXPERIMENTS.values()], table) == table
