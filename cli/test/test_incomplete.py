"""Read errors and interrupts: the results and the exit code report them."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, as_nobody, environment, needs_proc, on_terminal, scan, sentence_of, until


def test_an_unreadable_directory_makes_a_lower_bound(guarded):
    scanned = scan("--summary", str(guarded), **as_nobody())
    assert scanned.returncode == 1
    assert re.search(rb"^  Unreadable +1$", scanned.stdout, re.M)
    assert b"Sizes are lower bounds: 1 entry could not be read.\n" in scanned.stdout
    assert re.fullmatch(rb"fathom: cannot open [^\n]*/secret: Permission denied\n"
                        rb"fathom: 1 entry could not be read, so the totals are lower bounds\n",
                        scanned.stderr)


def test_the_tree_view_marks_lower_bounds_up_to_the_root(guarded):
    lines = scan(str(guarded), **as_nobody()).stdout.decode().splitlines()
    marked = [line for line in lines if line.startswith("≥")]
    assert [re.search(r"(\w+)/$", line)[1] for line in marked] == ["guarded", "secret"]
    assert lines[-1] == "Sizes are lower bounds: 1 entry could not be read."


@pytest.mark.parametrize("lang, mark", [("C.UTF-8", "≥"), ("C", ">")])
def test_reports_mark_lower_bounds_too(guarded, lang, mark):
    options = {"env": {"LANG": lang}, **as_nobody()}
    lines = scan("--largest-dirs", "9", "--all-levels", str(guarded), **options).stdout.decode().splitlines()
    marks = {line.rsplit("/", 1)[1]: line.count(mark) for line in lines[2:5]}
    assert marks == {"guarded": 2, "open": 0, "secret": 2}  # for both sizes
    summary = scan("--summary", str(guarded), **options).stdout.decode()
    assert re.findall(rf"^  ([\w ]+?) +{mark}", summary, re.M) == ["Disk usage", "Apparent size"]
    headline = scan(str(guarded), **options).stdout.decode().splitlines()[0]
    assert re.fullmatch(rf"  {mark} *[\d.]+ \w+  on disk, {mark}[\d.]+ \w+ apparent", headline)


def test_exact_values_have_no_mark(tree):
    for report in (["--largest-dirs", "9"], ["--summary"], []):
        assert "≥" not in scan(*report, str(tree)).stdout.decode()


def test_json_lists_read_errors(guarded):
    scanned = scan("--format", "json", "--errors", str(guarded), **as_nobody())
    assert scanned.returncode == 1
    result = json.loads(scanned.stdout)
    assert result["accuracy"] == {"complete": False, "unreadable": 1, "changed": 0}
    assert len(result["reports"]["errors"]) == 1
    assert result["reports"]["errors"][0]["path"] == str(guarded / "secret")


def test_errors_are_listed_on_request(guarded):
    scanned = scan("--errors", str(guarded), **as_nobody())
    title, headings, listed = scanned.stdout.decode().splitlines()[:3]
    assert title == "Errors"
    assert headings.split() == ["Operation", "Errno", "Error", "Path"]
    assert re.split("  +", listed)[1:] == ["open", "13", "Permission denied",
                                           str(guarded / "secret")]
    assert scanned.stderr == b"fathom: 1 entry could not be read, so the totals are lower bounds\n"


def test_many_errors_are_counted_and_the_first_ones_shown(tmp_path):
    missing = [str(tmp_path / f"missing-{number}") for number in range(9)]
    scanned = scan(*missing, str(tmp_path))
    lines = scanned.stderr.decode().splitlines()
    assert scanned.returncode == 1
    assert lines == [
        *(f"fathom: cannot open {path}: No such file or directory" for path in missing[:3]),
        "fathom: 9 entries could not be read; --errors lists them all",
    ]


def test_a_missing_root_does_not_stop_the_others(small, tmp_path):
    scanned = scan("--format", "json", str(tmp_path / "missing"), str(small))
    assert scanned.returncode == 1
    assert json.loads(scanned.stdout)["totals"]["files"] == 1


@pytest.mark.parametrize("command", [["scan"], ["scan", "--format", "json"], ["dups"], ["find", "*"]],
                         ids=" ".join)
def test_if_no_path_exists_there_is_only_a_message(tmp_path, command):
    results = tmp_path / "results"
    (tmp_path / "file").touch()
    for paths, told in ((["nowhere"], "cannot scan nowhere: No such file or directory"),
                        (["file/"], "cannot scan file/: Not a directory"),
                        (["a", "b", "c"], "none of the 3 paths exists, from a to c")):
        ran = subprocess.run([FATHOM, *command, "-o", str(results), "--", *paths], cwd=tmp_path, env=environment(),
                             capture_output=True, check=False, timeout=PATIENCE)
        assert sentence_of(ran) == told
        assert not results.exists()


def test_a_missing_root_is_reported_once_and_makes_no_lower_bound(small, tmp_path):
    missing = tmp_path / "missing"
    scanned = scan(str(missing), str(small))
    assert scanned.returncode == 1
    assert scanned.stderr.decode() == f"fathom: cannot open {missing}: No such file or directory\n"
    assert "≥" not in scanned.stdout.decode() and b"lower bound" not in scanned.stdout
    code, shown = on_terminal("--color", "never", missing, small)
    assert code == 1 and shown.count("cannot open") == 1
    assert "Not found" not in shown and "ower bound" not in shown


def test_a_terminal_shows_read_errors_once(guarded):
    code, shown = on_terminal(guarded, **as_nobody())
    assert code == 1
    assert shown.count("could not be read") == 1


def test_a_link_to_a_directory_as_a_root_is_a_link_with_a_note(small):
    link = small / "link"
    link.symlink_to(".")
    scanned = scan("--summary", str(link))
    assert scanned.returncode == 0
    assert scanned.stderr.decode() == (f"fathom: {link} is a symbolic link and is not followed; "
                                       f"its target is {link}/\n")
    assert scan(f"{link}/").stderr == b""
    (small / "to a file").symlink_to("file")
    assert scan(str(small / "to a file")).stderr == b""


def test_a_link_to_an_image_as_a_root_is_a_link_with_a_note(small):
    link = small / "disk"
    link.symlink_to("file")
    assert scan("--summary", "--engine", "ext4", str(link)).stderr.decode() == (
        f"fathom: {link} is a symbolic link and is not followed; its target is {small}/file\n")
    link.unlink()
    link.symlink_to("missing")
    assert scan("--summary", "--engine", "ext4", str(link)).stderr == b""


class Waiting:
    """A scan that waits at its start for a reader of its output pipe."""

    def __init__(self, tmp_path, tree, *arguments, **options):
        self.pipe = tmp_path / "results"
        os.mkfifo(self.pipe)
        self.process = subprocess.Popen([FATHOM, "scan", "-o", self.pipe, *arguments, tree],
                                        stderr=subprocess.PIPE, env=environment(), **options)

    def signals(self, name):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(rf"^{name}:\s*(\w+)$", status.read(), re.M)[1], 16)

    def until_ready(self, number, name="SigCgt"):
        until(lambda: self.signals(name) >> (number - 1) & 1)

    def results(self):
        return self.pipe.read_bytes()

    def end(self):
        _, told = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, told


class Slow:
    """A scan at one entry per second, whose first line of progress has been read."""

    def __init__(self, tree, *arguments, **options):
        self.process = subprocess.Popen(
            [FATHOM, "scan", "--max-ops", "1", "--progress", "always", *arguments, tree],
            stderr=subprocess.PIPE, env=environment(), **{"stdout": subprocess.PIPE, **options})
        assert b" entr" in self.process.stderr.readline()

    def end(self):
        """The exit code, the results and what was said about them."""
        results, told = self.process.communicate(timeout=PATIENCE)
        said = [line for line in told.splitlines(keepends=True) if line.startswith(b"fathom: ")]
        return self.process.returncode, results, b"".join(said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_scan_prints_partial_results(tree, number):
    scanning = Slow(tree, "--summary")
    scanning.process.send_signal(number)
    code, results, told = scanning.end()
    assert code == 130
    assert results.startswith(b"Summary\n")
    assert b"\nInterrupted: the results are incomplete.\n" in results
    assert told == b"fathom: interrupted; the results so far follow\n"


def test_an_interrupted_scan_is_not_complete_in_json(tree):
    scanning = Slow(tree, "--format", "json")
    scanning.process.send_signal(signal.SIGINT)
    code, results, _ = scanning.end()
    assert code == 130
    accuracy = json.loads(results)["accuracy"]
    assert accuracy["complete"] is False
    assert accuracy["interrupted"] is True


def test_a_second_interrupt_ends_the_scan_immediately(tree):
    read, write = os.pipe()  # full, so the partial results cannot be written
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, b"x")
    os.set_blocking(write, True)
    scanning = Slow(tree, stdout=write)

    def ended_by_another():
        scanning.process.send_signal(signal.SIGINT)
        return scanning.process.poll() is not None

    until(ended_by_another)  # an earlier one counts as an echo of the first
    assert scanning.end()[0] == 130  # although the pipe was never read
    os.close(read)
    os.close(write)


def test_the_echo_of_an_interrupt_does_not_lose_the_results(tree):
    scanning = Slow(tree, "--summary")
    scanning.process.send_signal(signal.SIGSTOP)  # so that both signals are pending and arrive together
    scanning.process.send_signal(signal.SIGTERM)
    scanning.process.send_signal(signal.SIGHUP)
    scanning.process.send_signal(signal.SIGCONT)
    code, results, _ = scanning.end()
    assert code == 130
    assert b"\nInterrupted: the results are incomplete.\n" in results


@needs_proc
def test_an_ignored_interrupt_stays_ignored(tmp_path, tree):
    scanning = Waiting(tmp_path, tree, "--summary",
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    scanning.until_ready(signal.SIGINT, "SigIgn")
    scanning.until_ready(signal.SIGTERM)
    scanning.process.send_signal(signal.SIGINT)
    results = scanning.results()
    assert scanning.end()[0] == 0
    assert b"Interrupted" not in results


@needs_proc
def test_a_scan_raises_its_limit_of_open_files(tmp_path, tree):
    hard = min(512, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    scanning = Waiting(tmp_path, tree, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (64, hard)))
    scanning.until_ready(signal.SIGHUP)
    assert resource.prlimit(scanning.process.pid, resource.RLIMIT_NOFILE) == (hard, hard)
    assert scanning.results()
    assert scanning.end()[0] == 0


def test_interrupting_at_any_moment_is_safe(tmp_path):
    for folder in range(60):
        below = tmp_path / f"{folder}"
        below.mkdir()
        for file in range(60):
            (below / f"{file}").touch()
    codes = set()
    for _ in range(5):
        process = subprocess.Popen([FATHOM, "scan", "--progress", "always", "--summary", tmp_path],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        assert b" entries" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        results, told = process.communicate(timeout=PATIENCE)
        codes.add(process.returncode)
        if process.returncode == 0:  # the scan ended before the signal
            assert b"Interrupted" not in results
        elif results:
            assert b"Interrupted" in results
            assert b"interrupted" in told
    assert codes <= {0, 130}
