"""fathom leaks --from: the same report again, without the program and without GDB."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest

from conftest import LEAKS, PROGRAMS, functions, run_command
from fathom_leaks import launcher

BARE = {"PATH": "/nowhere", "COLUMNS": "100"}


def again(trace, *options):
    """Reports from a trace with no GDB in reach."""
    return subprocess.run([sys.executable, LEAKS, "--from", trace, *options], capture_output=True, text=True,
                          check=False, timeout=120, env=BARE)


class Recorded(NamedTuple):
    """What the recording run answered."""

    code: int
    report: str


@pytest.fixture
def recorded(build, tmp_path):
    """Records a program, and removes it before the report is made again."""
    def record(name, *arguments, options=()):
        program = shutil.copy(build(name), tmp_path / "program")
        trace, report = tmp_path / "trace", tmp_path / "report"
        done = run_command("--trace", trace, "-o", report, *options, "--", program, *arguments,
                           env=dict(os.environ, COLUMNS="100"))
        os.remove(program)
        return trace, Recorded(done.returncode, report.read_text(encoding="utf-8"))

    return record


def plain(report):
    """Without what differs between two runs."""
    if isinstance(report, list):
        return [plain(each) for each in report]
    if not isinstance(report, dict):
        return report
    return {key: plain(value) for key, value in report.items()
            if key not in ("pid", "thread", "threads", "peak") and not key.endswith("_us")}


@pytest.mark.parametrize("name, arguments, options", [
    ("objects.cc", [], []), ("objects.cc", [], ["--json"]), ("library.c", [], ["--all"]), ("forks.c", [], ["--json"]),
    ("threads.cc", [], ["--json"]), ("bad_frees.c", ["double"], []), ("bad_frees.c", ["double"], ["--json"]),
    ("bad_frees.c", ["none"], []), ("endings.c", ["exec"], ["--json"]), ("endings.c", ["crash"], []),
    ("many.c", ["100"], ["--sample", "10"]), ("many.c", ["100"], ["--sample-bytes", "70", "--json"]),
    ("marks.c", [], ["--start-at", "phase_begins", "--stop-at", "phase_nine"]), ("chains.c", [], ["--depth", "2"]),
    ("starts.c", ["system", "vfork", "fork"], []), ("starts.c", ["posix_spawn", "vfork"], ["--json"]),
], ids=str)
def test_the_report_from_a_trace_equals_the_one_made_live(recorded, name, arguments, options):
    trace, live = recorded(name, *arguments, options=options)
    read = again(trace, *(option for option in options if option in ("--all", "--json")))
    assert (read.returncode, read.stdout, read.stderr) == (live.code, "", live.report)
    assert len(live.report.splitlines()) >= 3


@pytest.mark.parametrize("name, depth", [("chains.c", "1"), ("library.c", "1"), ("library.c", "2"), ("library.c", "3"),
                                         ("objects.cc", "2"), ("objects.cc", "3")])
def test_another_depth_gives_what_recording_with_it_gives(recorded, name, depth):
    trace, _ = recorded(name)
    read = again(trace, "--json", "--all-leaks", "--depth", depth)
    _, live = recorded(name, options=["--json", "--all-leaks", "--depth", depth])
    assert plain(json.loads(read.stderr)) == plain(json.loads(live.report))
    assert read.returncode == live.code


def test_a_depth_beyond_the_recorded_one_changes_nothing(recorded):
    trace, live = recorded("many.c", "20", options=["--depth", "2", "--json"])
    assert again(trace, "--json", "--depth", "50").stderr == live.report


def test_all_adds_what_the_c_library_keeps(recorded):
    trace, _ = recorded("library.c", options=["--json"])
    some, everything = (json.loads(again(trace, "--json", *more).stderr)["processes"][0] for more in ([], ["--all"]))
    assert some["left_out"]["blocks"] > 0
    assert everything["leaked"]["blocks"] == some["leaked"]["blocks"] + some["left_out"]["blocks"]


def test_the_trace_can_come_from_a_pipe(recorded):
    trace, live = recorded("endings.c", "return")
    with open(trace, "rb") as file:
        read = subprocess.run([sys.executable, LEAKS, "--from", "/dev/stdin"], input=file.read(), capture_output=True,
                              check=False, timeout=120, env=BARE)
    assert (read.returncode, read.stderr.decode()) == (1, live.report)


def test_a_trace_that_ends_too_early_gives_what_it_has_and_exit_code_2(recorded, tmp_path):
    trace, _ = recorded("bad_frees.c", "double")
    lines = trace.read_bytes().splitlines(keepends=True)
    first_free = next(number for number, line in enumerate(lines) if line.startswith(b'["free"'))
    short = tmp_path / "short"
    short.write_bytes(b"".join(lines[:first_free]) + lines[first_free][:20])
    read = again(short, "--json")
    report = json.loads(read.stderr)
    assert (read.returncode, report["leaked"]) == (2, {"bytes": 2000, "blocks": 1})
    assert report["notes"] == ["the trace ends within a record: what came after it is missing"]
    leak, = report["processes"][0]["leaks"]
    assert functions(leak["stack"]) == ["allocate", "main"]
    first, second, *_ = again(short).stderr.splitlines()
    assert first == "fathom leaks: 2,000 bytes in 1 block not freed so far"
    assert second == "note: the trace ends within a record: what came after it is missing"


def test_paths_are_whole_if_the_current_directory_was_removed(recorded, tmp_path):
    trace, _ = recorded("many.c", "20")
    gone = tmp_path / "gone"
    gone.mkdir()
    read = subprocess.run(["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", sys.executable, LEAKS, "--from", trace],
                          capture_output=True, text=True, check=False, timeout=120, cwd=gone,
                          env=dict(os.environ, COLUMNS="100"))
    assert (read.returncode, read.stdout) == (1, "")
    assert f"      main  {PROGRAMS / 'many.c'}:10\n" in read.stderr


def test_a_report_that_cannot_be_written_gives_exit_code_2(recorded):
    trace, _ = recorded("bad_frees.c", "none")
    for path, code in (("/dev/null", 0), ("/dev/full", 2)):
        with open(path, "wb") as file:
            done = subprocess.run([sys.executable, LEAKS, "--from", trace], stderr=file, check=False, timeout=120)
        assert done.returncode == code


def test_an_internal_error_gives_exit_code_2(monkeypatch, capsys):
    """Not 1, which means that leaks were found."""
    def fail(_chosen):
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr(launcher, "_read", fail)
    assert launcher.main(["--from", "trace"], LEAKS.parent) == 2
    assert capsys.readouterr().err.endswith("ZeroDivisionError: a fault\n")


def test_a_trace_without_a_program_is_refused(recorded, tmp_path):
    trace, _ = recorded("endings.c", "return")
    heading = tmp_path / "heading"
    heading.write_bytes(trace.read_bytes().splitlines(keepends=True)[0])
    read = again(heading)
    assert (read.returncode, read.stderr) == (
        2, f"fathom leaks: {heading} has no process: the recording ended before the program began\n")


@pytest.mark.parametrize("content, sentence", [
    ("", "is not a trace of fathom leaks"), ("#!/bin/sh\n", "is not a trace of fathom leaks"),
    ('["trace", 4, {}]\n', "has format 4, of a newer fathom; use that one (this one reads format 3)"),
    ('["trace", 1]\n', "has format 1, of an older fathom; record it again (this one reads format 3)"),
    ('["trace", 3, {"command": []}]\n["alloc"]\n', "is damaged: line 2 is not a record of a trace"),
])
def test_a_bad_trace_is_refused_in_one_sentence(tmp_path, content, sentence):
    file = tmp_path / "file"
    file.write_text(content)
    for form in ([], ["--json"]):
        read = again(file, *form)
        assert (read.returncode, read.stdout, read.stderr) == (2, "", f"fathom leaks: {file} {sentence}\n")


@pytest.mark.parametrize("line", [
    '["alloc",5,0,1,"malloc",10,-1,0]', '["alloc",5,0,1,"malloc",-1,4096,-1]', '["region",5,0,-1,4096,"[heap]"]',
    '["region",5,0,8192,4096,"[heap]"]', f'["alloc",{1 << 53},0,1,"malloc",10,4096,-1]'])
def test_a_map_of_impossible_numbers_is_refused_in_one_sentence(tmp_path, line):
    file = tmp_path / "file"
    file.write_text('["trace",3,{"command":["program"]}]\n["process",1,0,100,"/bin/program","run",null]\n'
                    f'["stack",2,0,[],true,[],[]]\n{line}\n')
    read = again(file, "--map", tmp_path / "map.html")
    assert (read.returncode, read.stdout, read.stderr) == (
        2, "", f"fathom leaks: {file} is damaged: line 4 is not a record of a trace\n")


@pytest.mark.parametrize("arguments, sentence", [
    (["--from", "/nowhere/trace"], "cannot read /nowhere/trace: No such file or directory"),
    (["--from", "/"], "cannot read /: Is a directory"),
    (["--from"], "argument --from: expected one argument"),
    (["--from", "trace", "--", "true"], "--from reads a trace and runs no command"),
    (["--from", "trace", "true"], "--from reads a trace and runs no command"),
    (["--from", "trace", "--sample", "1"], "--sample is for recording: --from only reads a trace"),
    (["--from", "trace", "--sample-bytes", "9"], "--sample-bytes is for recording"),
    (["--from", "trace", "--start-at", "main"], "--start-at is for recording"),
    (["--from", "trace", "--stop-at", "main"], "--stop-at is for recording"),
    (["--from", "trace", "--trace", "other"], "--trace is for recording"),
    (["--from", "trace", "--gdb", "gdb"], "--gdb is for recording"),
    (["--from", "trace", "--depth", "0"], "argument --depth: '0' is not a positive integer"),
    (["--from", "trace", "-o", "./trace"], "the report and the trace cannot both be ./trace"),
    (["--from", "trace", "--map", "./trace"], "the map and the trace cannot both be ./trace"),
    (["--from", "trace", "-o", "x", "--map", "x"], "the report and the map cannot both be x"),
    (["--from", "trace", "--map", "/nowhere/map"], "cannot write /nowhere/map: No such file"),
])
def test_wrong_usage_is_refused_with_exit_code_2(tmp_path, arguments, sentence):
    kept = tmp_path / "trace"
    kept.write_text("kept")
    done = run_command(*arguments, cwd=tmp_path)
    assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
    assert kept.read_text() == "kept"
