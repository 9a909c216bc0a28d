"""The output of --trace: a JSON parser and Perfetto's trace processor can read it."""

import collections
import itertools
import json
import os
import re
import resource
import signal
import stat
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, dups, environment, run, scan, sentence_of

ENGINES = ["serial", "pool", "steal", "lockfree"]


class Trace:
    """A trace from a file, with times in whole nanoseconds."""

    def __init__(self, path):
        # Exact decimals: floats would round times that must be compared exactly.
        parsed = json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str)
        assert set(parsed) == {"displayTimeUnit", "traceEvents", "otherData"}
        self.events = parsed["traceEvents"]
        self.switches = parsed["otherData"].pop("context_switches", None)
        self.told = {key: int(value) for key, value in parsed["otherData"].items()}
        self.names = {event["tid"]: event["args"]["name"] for event in self.events
                      if event["ph"] == "M" and event["name"] == "thread_name"}
        for event in self.events:
            for key in ("ts", "dur"):
                if key in event:
                    event[key] = nanoseconds(event[key])

    def of_phase(self, phase):
        return [event for event in self.events if event["ph"] == phase]

    def spans(self, name=None):
        return [event for event in self.of_phase("X") if name in (None, event["name"])]

    def workers(self):
        return {tid for tid, name in self.names.items() if name.startswith("fathom/")}


def nanoseconds(text):
    matched = re.fullmatch(r"(\d+)(?:\.(\d{1,3}))?", text)
    assert matched, f"{text} is no number of microseconds"
    return int(matched[1]) * 1000 + int((matched[2] or "").ljust(3, "0"))


def overlapping(spans):
    """A pair of spans that overlap without nesting; None if there is none."""
    ends = []
    for span in sorted(spans, key=lambda span: (span["ts"], -span["dur"])):
        end = span["ts"] + span["dur"]
        while ends and ends[-1] <= span["ts"]:
            ends.pop()
        if ends and end > ends[-1]:
            return span, ends[-1]
        ends.append(end)
    return None


def check(trace):
    """Checks the properties of every trace."""
    assert trace.told["lost"] == 0
    tracks = collections.defaultdict(list)
    for event in trace.events:
        assert event["ph"] in "MXiCsf"
        if event["ph"] in "Xisf":
            assert event["tid"] in trace.names
        if event["ph"] == "X":
            assert event["dur"] >= 0
            tracks[event["tid"]].append(event)
    for spans in tracks.values():
        assert overlapping(spans) is None
    assert trace.told["events"] == sum(len(trace.of_phase(phase)) for phase in "XiC")
    arrows = {phase: [event["id"] for event in trace.of_phase(phase)] for phase in "sf"}
    assert arrows["s"] == arrows["f"] and len(set(arrows["s"])) == len(arrows["s"])


def values(trace, name):
    found = [event for event in trace.of_phase("C") if event["name"] == name]
    assert [event["ts"] for event in found] == sorted(event["ts"] for event in found)
    return [int(event["args"]["value"]) for event in found]


def test_the_overlap_check_finds_an_overlap():
    def spans(*pairs):
        return [{"ts": begin, "dur": end - begin} for begin, end in pairs]

    assert overlapping(spans((0, 9), (0, 4), (4, 9), (5, 9), (9, 12))) is None
    assert overlapping(spans((0, 5), (4, 6)))
    assert overlapping(spans((0, 9), (1, 3), (2, 4)))


def test_a_trace_shows_context_switches_where_the_system_allows_it(tree, tmp_path):
    file = tmp_path / "trace.json"
    assert scan("--threads", "3", "--trace", str(file), str(tree)).returncode == 0
    trace = Trace(file)
    check(trace)
    threads = {tid: name for tid, name in trace.names.items() if not name.startswith("processor of ")}
    if trace.switches.startswith("not recorded: "):
        assert threads == trace.names
        pytest.skip(trace.switches)
    assert trace.switches == f"recorded for {len(threads)} threads"
    tids = {name: tid for tid, name in trace.names.items()}
    for name in threads.values():
        states = sorted((span for span in trace.spans() if span["tid"] == tids[f"processor of {name}"]),
                        key=lambda span: span["ts"])
        assert states[0]["name"] == "runs"
        for state, following in itertools.pairwise(states):
            assert state["ts"] + state["dur"] == following["ts"]
        assert {state["name"] for state in states} <= {"runs", "waits", "preempted"}
        assert all(int(state["args"]["processor"]) < os.sysconf("SC_NPROCESSORS_CONF")
                   for state in states if state["name"] == "runs")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_scan_is_traced(tree, tmp_path, engine):
    file = tmp_path / "trace.json"
    plain = scan("--engine", engine, "--threads", "3", "--format", "json", str(tree))
    traced = scan("--engine", engine, "--threads", "3", "--format", "json", "--trace", str(file),
                  str(tree))
    assert (traced.returncode, traced.stderr) == (0, b"")
    assert json.loads(traced.stdout)["totals"] == json.loads(plain.stdout)["totals"]
    trace = Trace(file)
    check(trace)
    totals = json.loads(traced.stdout)["totals"]
    assert "main" in trace.names.values()
    assert {span["tid"] for span in trace.spans("task")} <= trace.workers()
    # Each directory is one task, which reads its listing to the end.
    assert len(trace.spans("task")) >= int(totals["dirs"])
    assert len(trace.spans("list")) == 2 * int(totals["dirs"])
    for phase in ("links", "totals", "reports"):
        assert [trace.names[span["tid"]] for span in trace.spans(phase)] == ["main"]
    entries = values(trace, "entries")
    assert entries == sorted(entries)
    assert entries[-1] == int(totals["entries"])
    if engine != "serial":
        assert values(trace, "queue")[-1] == 0


@pytest.mark.parametrize("engine", ["pool", "steal"])
def test_every_worker_has_a_track(tree, tmp_path, engine):
    file = tmp_path / "trace.json"
    assert scan("--engine", engine, "--threads", "3", "--trace", file, str(tree)).returncode == 0
    names = Trace(file).names.values()
    assert {"fathom/0", "fathom/1", "fathom/2"} <= set(names)


def test_every_worker_that_started_has_a_track(tree, tmp_path):
    file = tmp_path / "trace.json"
    told = scan("--threads", "3", "--format", "json", "--trace", file, str(tree))
    assert len(Trace(file).workers()) == json.loads(told.stdout)["timing"]["threads"]


def test_a_search_for_duplicates_is_traced(tree, tmp_path):
    file = tmp_path / "trace.json"
    for number in range(20):
        (tree / f"{number}").write_bytes(b"z" * 50_000 + b"%d" % (number % 3))
    traced = dups("--format", "json", "--trace", str(file), str(tree))
    plain = dups("--format", "json", str(tree))
    assert (traced.returncode, traced.stderr) == (0, b"")
    assert json.loads(traced.stdout)["groups"] == json.loads(plain.stdout)["groups"]
    trace = Trace(file)
    check(trace)
    for phase in ("links", "candidates", "order", "directories"):
        assert [trace.names[span["tid"]] for span in trace.spans(phase)] == ["main"]
    assert trace.spans("read") and len(trace.spans("read")) == len(trace.spans("compare"))
    compared = values(trace, "bytes compared")
    assert compared == sorted(compared) and compared[-1] > 0


def test_the_scan_does_not_find_its_own_trace(tree):
    plain = scan("--format", "json", str(tree))
    traced = scan("--format", "json", "--trace", str(tree / "trace.json"), str(tree))
    assert json.loads(traced.stdout)["totals"] == json.loads(plain.stdout)["totals"]
    check(Trace(tree / "trace.json"))
    assert not [name for name in os.listdir(tree) if "trace.json" in name and name != "trace.json"]


def test_the_results_can_go_to_a_file_too(tree, tmp_path):
    traced = scan("--summary", "-o", str(tmp_path / "results"), "--trace", str(tmp_path / "trace"),
                  str(tree))
    assert (traced.returncode, traced.stdout, traced.stderr) == (0, b"", b"")
    assert (tmp_path / "results").read_bytes().startswith(b"Summary\n")
    check(Trace(tmp_path / "trace"))


@pytest.mark.parametrize("command", ["scan", "dups"])
def test_an_unusable_trace_is_refused_before_the_scan(small, tmp_path, command):
    def refused(*arguments):
        ran = run(command, *arguments)
        assert (ran.returncode, ran.stdout) == (2, b"")
        assert re.fullmatch(rb"fathom: [^\n]+\n", ran.stderr)
        return ran.stderr

    assert b"cannot write to" in refused("--trace", "/nonexistent/trace", str(small))
    assert b"cannot write to" in refused("--trace", str(small), str(small))  # a folder
    assert b"a file name" in refused("--trace", "-", str(small))
    assert b"needs a value" in refused("--trace=", str(small))
    both = str(tmp_path / "both")
    assert b"name the same file" in refused("--trace", both, "-o", both, str(small))
    elsewhere = os.path.join(os.path.dirname(both), ".", os.path.basename(both))
    assert b"name the same file" in refused("--trace", both, "-o", elsewhere, str(small))
    assert not os.path.exists(both)


def refused_for_the_results(ran):
    assert ran.returncode == 2
    assert ran.stderr == b"fathom: option '--trace' names the destination of the results\n"


@pytest.mark.parametrize("command", ["scan", "dups"])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_trace_does_not_spoil_a_pipe_of_results(small, command, name):
    ran = run(command, "--trace", name, str(small))
    refused_for_the_results(ran)
    assert ran.stdout == b""
    refused_for_the_results(run(command, "--trace", name, "-o", "-", str(small)))


def test_a_trace_does_not_spoil_a_file_of_results(small, tmp_path):
    file = tmp_path / "results"
    with open(file, "wb") as results:
        for name in (str(file), "/dev/stdout"):
            ran = subprocess.run([FATHOM, "scan", "--trace", name, small], env=environment(),
                                 stdout=results, stderr=subprocess.PIPE, check=False,
                                 timeout=PATIENCE)
            refused_for_the_results(ran)
    assert file.read_bytes() == b""


def test_a_trace_does_not_spoil_a_terminal_with_results(small):
    master, terminal = os.openpty()
    try:
        for name in ("/dev/stdout", os.ttyname(terminal)):
            ran = subprocess.run([FATHOM, "scan", "--trace", name, small], env=environment(),
                                 stdout=terminal, stderr=subprocess.PIPE, check=False,
                                 timeout=PATIENCE)
            refused_for_the_results(ran)
    finally:
        os.close(terminal)
        os.close(master)


def test_a_trace_can_go_to_standard_output_if_the_results_do_not(small, tmp_path):
    results = tmp_path / "results"
    ran = scan("--summary", "--trace", "/dev/stdout", "-o", str(results), str(small))
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)["traceEvents"]
    assert results.read_bytes().startswith(b"Summary\n")


def test_the_results_and_the_trace_can_both_be_discarded(small):
    ran = subprocess.run([FATHOM, "scan", "--trace", "/dev/null", small], env=environment(),
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                         timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_only_searches_can_be_traced(tmp_path):
    for arguments in (["scan", "--from", "x"], ["dups", "--apply", "x"], ["dups", "--undo", "x"]):
        assert "'--trace' applies to a " in sentence_of(run(*arguments, "--trace", str(tmp_path / "trace")))


def test_a_full_disk_is_reported_and_the_results_are_printed(small):
    failed = scan("--summary", "--trace", "/dev/full", str(small))
    assert failed.returncode == 1
    assert failed.stdout.startswith(b"Summary\n")
    assert failed.stderr == b"fathom: cannot write to /dev/full: No space left on device\n"


def test_a_disk_that_fills_up_keeps_the_old_trace(tree, tmp_path):
    file = tmp_path / "trace.json"
    file.write_text("old")

    def few_bytes():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    failed = scan("--summary", "--trace", str(file), str(tree), preexec_fn=few_bytes)
    assert failed.returncode == 1
    assert failed.stdout.startswith(b"Summary\n")
    assert b": File too large\n" in failed.stderr
    assert file.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("command", ["scan", "dups"])
def test_an_interrupted_search_has_a_complete_trace(tree, tmp_path, command):
    if command == "scan":
        slow = ["--max-ops", "1", "--progress", "always"]
    else:
        slow = ["--progress", "always"]
        for number in range(3000):
            (tree / f"{number}").write_bytes(b"%08d" % number)
    file = tmp_path / "trace.json"
    with subprocess.Popen([FATHOM, command, *slow, "--trace", file, tree], env=environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr.readline()  # so it has started
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    if process.returncode == 0:
        pytest.skip("the scan ended before the interrupt")
    if not file.exists():
        # The interrupt arrived when no work was left, and so ended the process.
        assert process.returncode == 130 and b"interrupted" not in told
        pytest.skip("the scan ended during the interrupt")
    assert process.returncode == 130
    check(Trace(file))


def test_a_trace_shows_memory_by_tag_if_it_is_counted(tree, tmp_path):
    file = tmp_path / "trace.json"
    ran = scan("--memory", "--trace", str(file), str(tree))
    if ran.returncode == 2 and b"build with sanitizers" in ran.stderr:
        pytest.skip("a sanitizer replaces operator new")
    counters = {event["name"] for event in Trace(file).of_phase("C")}
    assert {"memory: tree", "memory: names"} <= counters


def test_a_new_trace_gets_the_default_permissions(small, tmp_path):
    file = tmp_path / "trace.json"
    subprocess.run(["sh", "-c", 'umask 027; exec "$@"', "sh", FATHOM, "scan", "--trace", file, small],
                   stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_perfetto_reads_it(tree, tmp_path):
    processor = pytest.importorskip("perfetto.trace_processor")
    file = tmp_path / "trace.json"
    assert scan("--threads", "3", "--trace", str(file), str(tree)).returncode == 0
    trace = Trace(file)
    try:
        perfetto = processor.TraceProcessor(trace=str(file))
    except Exception as error:
        pytest.skip(f"the trace processor cannot be downloaded: {error}")
    with perfetto:
        def ask(query):
            return [tuple(row.__dict__.values()) for row in perfetto.query(query)]

        # An arrow from a victim that is between two tasks has no start, and is omitted.
        assert ask("select count(*) as n from stats where severity in ('error', 'data_loss') "
                   "and value > 0 and name != 'flow_no_enclosing_slice'") == [(0,)]
        tasks = "select count(*) as n from slice where name = 'task'"
        assert ask(tasks) == [(len(trace.spans("task")),)]
        assert ask("select count(*) as n from slice where dur < 0") == [(0,)]
        names = {name for (name,) in ask("select name from thread where name is not null")}
        assert set(trace.names.values()) <= names
        (arrows,), = ask("select count(*) as n from flow")
        assert arrows <= len(trace.of_phase("s"))
