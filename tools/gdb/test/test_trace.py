"""The format of traces: what is written is read, and nothing else is."""

from __future__ import annotations

import json

import pytest

from fathom_leaks.options import Options
from fathom_leaks.replay import replay
from fathom_leaks.trace import VERSION, BadTrace, TraceWriter, create_trace, read_trace

OPTIONS = Options(("program", "", "two words", "\udcff"), 7, 2, 0, "here", "there")
PROCESS = (0, 100, "/bin/program", "run", None)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace"
    create_trace(str(path), OPTIONS)
    writer = TraceWriter(str(path))
    writer.write("process", *PROCESS)
    writer.write("frame", 0, None, None, 0, None, 16, [])
    writer.write("stack", 0, [0], True, [], ["_Znwm", "operator new"])
    writer.write("alloc", 0, 1, "malloc", 10, 0x1000, -1)
    writer.close()
    return path


def add(path, *lines):
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)


def refusal(path):
    with pytest.raises(BadTrace) as refused:
        replay(str(path), with_own=False)
    return str(refused.value)


def test_a_trace_has_its_options_and_records_whose_times_increase(trace):
    options, records = read_trace(trace)
    assert options == OPTIONS
    read = list(records)
    assert [record[0] for record in read] == ["process", "frame", "stack", "alloc"]
    assert tuple(read[0][2:]) == PROCESS
    times = [record[1] for record in read]
    assert times == sorted(set(times))


def test_a_new_recording_replaces_the_file(trace):
    create_trace(str(trace), Options())
    options, records = read_trace(trace)
    assert (options, list(records)) == (Options(), [])


def test_a_torn_last_line_becomes_a_note(trace):
    add(trace, json.dumps(["free", 10**9, 0, 1, 0x1000, 0])[:-3])
    report = replay(str(trace), with_own=False)
    assert report.blocks == 1
    assert any("ends within a record" in note for note in report.caveats())


@pytest.mark.parametrize("content", [
    b"", b"\n", b"hello\n", b"\x7fELF\x02\x01" + bytes(100), b'["snapshot", 2, {}]\n', b'{"trace": 2}\n',
    b"[" * 100_000, b'["trace", "two", {}]\n', b'["trace"]\n', b"[]\n", b"\xff\xfe\n", b"null\n",
    b'["trace", true, {}]\n',
], ids=lambda content: repr(content[:20]))
def test_a_foreign_file_is_refused(tmp_path, content):
    file = tmp_path / "file"
    file.write_bytes(content)
    assert refusal(file) == f"{file} is not a trace of fathom leaks"


@pytest.mark.parametrize("version, why", [
    (VERSION + 1, "of a newer fathom; use that one"), (1, "of an older fathom; record it again")])
def test_another_format_is_refused(tmp_path, version, why):
    file = tmp_path / "file"
    file.write_text(f'["trace", {version}, "whatever it has"]\n')
    assert refusal(file) == f"{file} has format {version}, {why} (this one reads format {VERSION})"


@pytest.mark.parametrize("options", [
    [], ["more", "than one"], ["text"], [{}], [{"command": "text"}], [{"command": [1]}],
    [{"command": [], "depth": "2"}], [{"command": [], "colour": "red"}], [{"command": [], "depth": None}],
], ids=json.dumps)
def test_a_trace_without_options_is_refused(tmp_path, options):
    file = tmp_path / "file"
    file.write_text(json.dumps(["trace", VERSION, *options]) + "\n")
    assert "its first line lacks the options" in refusal(file)


@pytest.mark.parametrize("line", [
    "\n", "text\n", "[]\n", "{}\n", "[1]\n", '["alloc"]\n', '["colour", 900000000]\n', "[" * 100_000 + "\n", "\xff\n",
    ["alloc", 10**9, 0, 1, "malloc", 10, 0x1000],            # a field is missing
    ["alloc", 10**9, 0, 1, "malloc", 10, 0x1000, -1, 0],     # one too many
    ["alloc", 10**9, 0, 1, "malloc", "10", 0x1000, -1],      # of the wrong type
    ["alloc", 10**9, 0, 1, "malloc", 1.5, 0x1000, -1],
    ["alloc", 10**9, 0, 1, "malloc", True, 0x1000, -1],
    ["alloc", 10**9, 0, 1, "malloc", -2, 0x1000, -1],
    ["alloc", 10**9, 0, 1, "malloc", -1, 0x1000, 0],
    ["alloc", 10**9, 0, 1, "malloc", 10, -1, 0],
    ["alloc", 10**9, 0, -1, "malloc", 10, 0x1000, 0],
    ["alloc", 10**9, 0, 1, "malloc", 10, 0x1000, -2],
    ["alloc", 10**9, 0, 1, "malloc", 10**40, 0x1000, -1],
    ["free", 10**9, 0, 1, -1, 0],
    ["moved", 10**9, 0, 1, "realloc", 0x1000, 10, -1, 0],
    ["region", 10**9, 0, -1, 0x1000, "[heap]"],
    ["region", 10**9, 0, 0x2000, 0x1000, "[heap]"],          # ends before it begins
    ["region", 10**9, 0, 0x1000, 0x1000, "[heap]"],          # empty
    ["stack", 10**9, -1, [0], True, [], []],                 # the number of unknown stacks
    ["alloc", 0, 0, 1, "malloc", 10, 0x1000, -1],            # before the record above it
    ["alloc", 10**9, 1, 1, "malloc", 10, 0x1000, -1],        # no such process
    ["alloc", 10**9, 0, 1, "malloc", 10, 0x1000, 3],         # no such stack
    ["stack", 10**9, 4, [3], True, [], []],                  # no such frame
    ["stack", 10**9, 4, ["3"], True, [], []],
    ["stack", 10**9, 4, [0], True, [], ["a", 1]],
    ["free", 10**9, 0, 1, [], 0],
    ["child", 10**9, 1, "vfork", "", -1],                    # no such process
    ["child", 10**9, 0, "vfork", None, -1],
], ids=str)
def test_a_damaged_line_is_refused_by_its_number(trace, line):
    before = len(trace.read_text().splitlines())
    add(trace, line, ["note", 2 * 10**9, "more"])
    assert refusal(trace) == f"{trace} is damaged: line {before + 1} is not a record of a trace"


@pytest.mark.parametrize("line", [
    ["alloc", 10**9, 0, 1, "malloc", 0, 0x2000, -1],
    ["free", 10**9, 0, 1, 0x1000, -1],
    ["moved", 10**9, 0, 1, "realloc", 0x1000, 0, 0, -1],
    ["region", 10**9, 0, 0, 0x1000, ""],
    ["begin", 10**9, -1],
    ["pause", 10**9, -1],
], ids=str)
def test_zeros_and_unknown_stacks_and_processes_are_read(trace, line):
    add(trace, line)
    assert list(read_trace(trace)[1])[-1] == line


@pytest.mark.parametrize("name, why", [("nowhere", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name, why):
    assert refusal(tmp_path / name) == f"cannot read {tmp_path / name}: {why}"
