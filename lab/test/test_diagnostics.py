"""Diagnostics of a launch."""

from __future__ import annotations

import math
import os
import sys

import pytest

from fathom_lab import counters, diagnostics, process
from fathom_lab.process import Finished, Invocation


def python(script: str, **changes: bool) -> Finished:
    return process.run(Invocation((sys.executable, "-c", script)), 60, **changes)  # type: ignore[arg-type]


def test_every_figure_has_a_meaning_and_a_unit() -> None:
    found = python("pass").diagnostics
    assert found and set(found) <= set(diagnostics.MEANINGS)


def test_figures_are_finite_and_not_negative() -> None:
    for value in python("import threading; threading.Thread(target=print).start()").diagnostics.values():
        assert math.isfinite(value) and value >= 0


def test_nothing_is_gathered_when_nobody_watches() -> None:
    assert python("pass", watch=False).diagnostics == {}


def test_context_switches_are_those_that_the_process_counts_itself() -> None:
    script = """
import os, resource, threading
a, b = os.pipe(), os.pipe()
def echo():
    while os.read(a[0], 1): os.write(b[1], b'x')
threading.Thread(target=echo, daemon=True).start()
for _ in range(2000): os.write(a[1], b'x'); os.read(b[0], 1)
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_nvcsw, used.ru_nivcsw)
"""
    finished = python(script)
    voluntary, involuntary = map(int, finished.output.split())
    assert voluntary > 100
    assert abs(finished.diagnostics["switches_voluntary"] - voluntary) < 50
    assert abs(finished.diagnostics["switches_involuntary"] - involuntary) < 50


def test_touching_memory_shows_as_page_faults() -> None:
    pages = 64 << 20 >> 12
    script = "import mmap; m = mmap.mmap(-1, 64 << 20); m.madvise(15)\nfor i in range(0, 64 << 20, 4096): m[i] = 1"
    assert python(script).diagnostics["faults_minor"] >= pages


def test_system_calls_that_write_are_counted() -> None:
    found = python("import os\nfor _ in range(500): os.write(1, b'x')").diagnostics
    if "writes" not in found:
        pytest.skip("this kernel does not count calls for processes")
    assert 500 <= found["writes"] < 600


def test_threads_that_live_are_seen() -> None:
    script = """
import sys, threading, time
done = threading.Event()
threads = [threading.Thread(target=done.wait) for _ in range(4)]
for one in threads: one.start()
end = time.monotonic() + 0.6
while time.monotonic() < end: pass
done.set()
"""
    assert python(script).diagnostics["threads"] == 5


def test_what_the_shell_did_before_exec_does_not_count() -> None:
    found = process.run(Invocation(("/bin/true",)), 60).diagnostics
    assert found["switches_voluntary"] <= 10 and found["run_delay"] < 60


def test_a_kernel_that_says_nothing_leaves_the_exact_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnostics, "_text", lambda path: "")
    found = python("pass").diagnostics
    assert set(found) == {"switches_voluntary", "switches_involuntary", "faults_minor", "faults_major"}


def test_time_that_the_hypervisor_took_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(["cpu 1 2 3 4 5 6 7 100 0 0\n", "cpu 1 2 3 4 5 6 7 350 0 0\n"])
    pressure = iter([1_000_000, 4_500_000])

    def text(path: str) -> str:
        if path == "/proc/stat":
            return next(ticks)
        if path == "/proc/pressure/cpu":
            return f"some avg10=0.00 avg60=0.00 avg300=0.00 total={next(pressure)}\nfull avg10=0 total=0\n"
        return ""

    monkeypatch.setattr(diagnostics, "_text", text)
    monkeypatch.setattr(os, "sysconf", lambda name: 100)
    found = python("pass").diagnostics
    assert (found["stolen"], found["pressure_cpu"]) == (2.5, 3.5)
    assert "pressure_io" not in found


def test_counters_cover_threads_and_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kernel counts page faults, so they replace counters that only some processors have."""
    software, page_faults = 1, 2
    monkeypatch.setattr(counters, "_EVENTS", {"instructions": (software, page_faults)})
    counters.unavailable.cache_clear()
    reason = counters.unavailable()
    counters.unavailable.cache_clear()
    if reason:
        pytest.skip(reason)
    touch = "import mmap; m = mmap.mmap(-1, 8 << 20); m.madvise(15)\nfor i in range(0, 8 << 20, 4096): m[i] = 1"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {touch!r}])"
    found = python(script, watch=False, counters=True).diagnostics
    assert set(found) == {"instructions"} and found["instructions"] >= 2048


def test_counters_that_are_not_there_are_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "_SYSTEM_CALL", {})
    counters.unavailable.cache_clear()
    assert counters.unavailable().startswith("unavailable")
    counters.unavailable.cache_clear()
    assert python("pass", watch=False, counters=True).diagnostics == {}
