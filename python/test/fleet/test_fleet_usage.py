"""What `fathom fleet` says about wrong usage, and its help."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys

import pytest

import fake_fathom
from fathom_fleet import cli, place
from fathom_fleet.arguments import scan_parser
from fathom_fleet.driver import Figures
from fathom_fleet.errors import FleetError
from fathom_fleet.folder import Folder
from fathom_fleet.progress import text
from fathom_fleet.request import Request
from fathom_fleet.versions import difference

FAKE = os.path.abspath(fake_fathom.__file__)


@pytest.mark.parametrize("words, message", [
    (["scan", "/srv"], "the following arguments are required: --into; see `fathom fleet scan --help`"),
    (["scan", "--into", "f"], "no PATH is given; see `fathom fleet scan --help`"),
    (["scan", "/srv", "--into", "f", "--local", "0"],
     "argument --local: takes a number from 1 to 1,024, not '0'; see `fathom fleet scan --help`"),
    (["scan", "/srv", "--into", "f", "--local", "1", "--slurm"],
     "argument --slurm: not allowed with argument --local; see `fathom fleet scan --help`"),
    (["scan", "/srv", "--into", "f", "--jobs", "2"], "options '--jobs' and '--slurm-options' need '--slurm'"),
    (["scan", "/srv", "--into", "f", "--each-host"], "option '--each-host' needs '--ssh HOSTS' or '--slurm'"),
    (["scan", "/srv", "--into", "f", "--each-host", "--slurm"],
     "options '--each-host' and '--slurm' work together only inside an allocation"),
    (["scan", "/srv", "--into", "f", "--budget", "soon"],
     "option '--budget' takes a time from 10ms to 3600s, or a number of entries, not 'soon'"),
    (["scan", "/srv", "--into", "f", "--fathom", FAKE, "--newer", "soon"],
     "option '--newer' takes a time such as 7d, today, 2026-01-31 or @1767225600, not 'soon'"),
    (["scan", "--resume", "--into", "f", "--fathom", FAKE], "there is no scan to resume in 'FOLDER'"),
    (["scan", "/srv", "--into", "f", "--fathom", "/nowhere/fathom"],
     "cannot run '/nowhere/fathom': No such file or directory"),
    (["scan", "/srv", "--into", "f", "--fathom", FAKE, "--scheduler-file", "/nowhere/file"],
     "cannot read the scheduler file '/nowhere/file': No such file or directory"),
    (["scan", "/srv", "--into", "f", "--fathom", FAKE, "--slurm", "--jobs", "1", "--slurm-options", "'x"],
     "option '--slurm-options' takes words as a shell does, not ''x'"),
    (["scan", "/srv", "--into", "f", "--fathom", FAKE, "--ssh=-oProxyCommand=x"],
     "option '--ssh' takes hosts separated by commas, not '-oProxyCommand=x'"),
    (["scan", "/dev", "/dev/shm", "-x", "--into", "f", "--fathom", FAKE], "option "
     "'--one-file-system' may keep the scan of '/dev' out of '/dev/shm'; scan the two into different folders"),
    (["status", "f"], "'FOLDER' does not hold a fleet scan"),
    (["go"], "'go' is not a command of `fathom fleet`; see `fathom fleet --help`"),
])
def test_wrong_usage_is_one_sentence(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "_check_packages", lambda: None)
    monkeypatch.setattr(cli, "_fathom_here", lambda: FAKE)
    assert cli.main(words) == 2
    assert capsys.readouterr().err == f"fathom: {message.replace('FOLDER', str(tmp_path / 'f'))}\n"


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", b"\xff"])
def test_a_file_that_is_not_of_a_scheduler_is_refused(content, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cli, "_check_packages", lambda: None)
    file = tmp_path / "file"
    file.write_bytes(content)
    words = ["scan", "/srv", "--into", str(tmp_path / "f"), "--fathom", FAKE, "--scheduler-file", str(file)]
    assert cli.main(words) == 2
    assert capsys.readouterr().err == f"fathom: '{file}' is not the file of a scheduler of Dask\n"


def test_a_folder_in_a_removed_directory_is_not_found(tmp_path, monkeypatch, capsys):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (["scan", "/srv", "--into", "f"], ["status", "f"]):
        assert cli.main(words) == 2
        assert capsys.readouterr().err == ("fathom: cannot find 'f' from the current directory: No such file or "
                                           "directory\n")


def test_what_follows_two_dashes_is_a_path(tmp_path, monkeypatch, capsys):
    asked = []

    def scan(given):
        asked.append((given.paths, given.nice))
        return 0

    monkeypatch.setattr(cli, "_scan", scan)
    for words in (["a", "--nice", "--", "-d", "--"], ["--", "-d"], ["a", "--nice"]):
        assert cli.main(["scan", "--into", "f", *words]) == 0
    assert asked == [(["a", "-d", "--"], True), (["-d"], False), (["a"], True)]


def test_without_dask_one_sentence_says_how_to_install_it(tmp_path, monkeypatch, capsys):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "distributed" else there(name))
    assert cli.main(["scan", "/srv", "--into", str(tmp_path / "f"), "--fathom", FAKE]) == 2
    assert capsys.readouterr().err == ("fathom: the Python package distributed is missing; "
                                       "`pip install distributed` installs it\n")
    assert not (tmp_path / "f").exists()


@pytest.mark.parametrize("words", [["--help"], ["scan", "--help"], ["status", "--help"]])
def test_help_fits_into_80_columns(words, capsys):
    try:
        assert cli.main(words) == 0
    except SystemExit as end:
        assert end.code == 0
    shown = capsys.readouterr().out
    assert "Usage: fathom fleet" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_no_example_has_the_parts_in_what_is_scanned():
    parser = scan_parser()
    examples = re.findall(r"(?m)^  fathom fleet scan (.*)$", parser.format_help())
    for given in (parser.parse_intermixed_args(shlex.split(example)) for example in examples):
        assert not any(given.into.is_relative_to(path) for path in given.paths), given.into
    assert len(examples) == 4


@pytest.mark.parametrize("words", [["--help"], ["scan", "--help"], ["status", "FOLDER"]])
@pytest.mark.parametrize("where, why", [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
def test_what_cannot_be_printed_is_an_error_in_a_sentence(words, where, why, tmp_path):
    folder = Folder(tmp_path)
    folder.begin(Request(("/a",), (), "fathom 1"), {})
    ran = subprocess.run(["sh", "-c", f'exec "$@" {where}', "sh", sys.executable, "-m", "fathom_fleet",
                          *(word.replace("FOLDER", str(tmp_path)) for word in words)], capture_output=True, text=True,
                         check=False)
    assert (ran.returncode, ran.stderr) == (1, f"fathom: cannot write to standard output: {why}\n")


def test_the_progress_line_leaves_out_what_has_no_room():
    figures = Figures(entries=1_234_567, disk_bytes=5 << 30, parts=1, running=3, waiting=20, given_up=2, slots=4,
                      seconds=10, slowest=45)
    whole = text(figures)
    assert whole == ("1,234,567 entries  5.0 GiB  123,457/s  3 of 4 tasks  1 part done, 20 waiting  2 unreadable  "
                     "the oldest task runs for 45 s")
    assert text(figures, 50) == "1,234,567 entries  5.0 GiB  123,457/s"


def test_workers_of_this_machine_share_the_tasks():
    assert [one.tasks for one in place.local(130)] == [44, 43, 43]
    assert [one.tasks for one in place.local(1)] == [1]


def test_hosts_are_named_without_their_users():
    assert [one.name for one in place.ssh(["me@h1", "h2"], "python3", 2)] == ["h1", "h2"]
    for wrong in (["h1", "me@h1"], [""], ["a b"]):
        with pytest.raises(FleetError):
            place.ssh(wrong, "python3", 2)


def test_outside_an_allocation_slurm_needs_the_number_of_jobs(monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    with pytest.raises(FleetError, match="needs .--jobs N."):
        place.slurm(None, [], "python3", 1)
    assert place.slurm(2, ["--time=5"], "python3", 1)[1].command[-4:] == ("--time=5", "python3", "-m",
                                                                          "fathom_fleet.worker")


def test_versions_that_differ_are_named():
    ours = {"fathom": "fathom 2", "fathom_fleet": "abc", "Python": "3.11", "distributed": "1"}
    assert difference(ours, ours) == ""
    assert difference(ours, ours | {"fathom": "fathom 1"}) == "has fathom 1, and this machine has fathom 2"
    assert difference(ours, ours | {"Python": "3.12"}) == "has Python 3.12, and this machine has 3.11"
    assert difference(ours, ours | {"fathom_fleet": "x"}) == ("has another version of the package fathom-fs than this "
                                                              "machine")
