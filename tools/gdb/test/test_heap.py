"""Tests of the analyzer with traces alone, without programs."""

from __future__ import annotations

import itertools
import signal

from fathom_leaks.findings import findings
from fathom_leaks.heap import Heap
from fathom_leaks.options import Options
from fathom_leaks.replay import exit_code
from fathom_leaks.report import Report, View, write_text

PROCESS = ["process", 0, 100, "/bin/program", "run", None]
FRAMES = [["frame", 0, "malloc", None, 0, "/lib/libc.so.6", 16, ["malloc"]],
          ["frame", 1, "main", "/src/main.c", 7, "/bin/program", 32, []],
          ["frame", 2, "other", "/src/other.c", 9, "/bin/program", 64, []],
          ["stack", 0, [0, 1], True, [], []], ["stack", 1, [0, 2, 1], True, [], []]]
A, B = 0x1000, 0x2000


def timed(*records):
    """With the time after the kind: one microsecond later each."""
    return [[record[0], time, *record[1:]] for record, time in zip(records, itertools.count())]


def replayed(*records, knows_all=True, depth=0):
    heap = Heap(knows_all, depth)
    heap.replay(timed(PROCESS, *FRAMES, *records))
    return heap


def alloc(address, size, stack=0, process=0, thread=1):
    return ["alloc", process, thread, "malloc", size, address, stack]


def free(address, stack=0, process=0, thread=1):
    return ["free", process, thread, address, stack]


def sizes(process):
    return sorted(block.size for block in process.leaked())


def test_an_allocated_block_that_is_not_freed_is_leaked():
    heap = replayed(alloc(A, 10), alloc(B, 20), free(A))
    assert sizes(heap.processes[0]) == [20]


def test_a_reused_address_is_another_block():
    heap = replayed(alloc(A, 10), free(A), alloc(A, 30), free(A), alloc(A, 50))
    assert sizes(heap.processes[0]) == [50]
    assert heap.processes[0].bad_frees == []


def test_another_thread_can_get_the_address_of_a_block_in_a_realloc():
    """During a realloc, another thread may get the old address."""
    heap = replayed(alloc(A, 10), ["move", 0, 1, A, 99, 0], alloc(A, 20, thread=2),
                    ["moved", 0, 1, "realloc", A, 99, B, 0])
    assert sizes(heap.processes[0]) == [20, 99]
    assert heap.processes[0].bad_frees == []


def test_a_failed_realloc_keeps_the_block():
    heap = replayed(alloc(A, 10), ["move", 0, 1, A, 99, 0], ["moved", 0, 1, "realloc", A, 99, 0, 0])
    assert sizes(heap.processes[0]) == [10]


def test_a_realloc_to_size_zero_frees():
    heap = replayed(alloc(A, 10), ["move", 0, 1, A, 0, 0], ["moved", 0, 1, "realloc", A, 0, 0, 0], free(A))
    assert sizes(heap.processes[0]) == []
    assert [bad.kind for bad in heap.processes[0].bad_frees] == ["double"]


def test_an_inherited_block_stays_inherited_wherever_realloc_moves_it():
    heap = replayed(alloc(A, 10), ["process", 1, 101, "/bin/program", "fork", 0], ["move", 1, 2, A, 99, 0],
                    ["moved", 1, 2, "realloc", A, 99, B, 0], alloc(A, 20, process=1, thread=2))
    assert [sizes(process) for process in heap.processes] == [[10], [20]]


def test_a_realloc_interrupted_by_the_end_keeps_the_block():
    heap = replayed(alloc(A, 10), ["move", 0, 1, A, 99, 0], ["end", 0, "signal", 11])
    assert sizes(heap.processes[0]) == [10]


def test_the_exit_code_says_whether_sigint_ended_the_program_but_not_its_children():
    def code_of(of_child, of_program):
        heap = replayed(["process", 1, 101, "/bin/program", "fork", 0], ["end", 1, *of_child], ["end", 0, *of_program])
        return exit_code(Report(Options(), heap, tuple(findings(heap, with_own=False))))

    by_sigint, returned = ("signal", signal.SIGINT), ("exit", 0)
    assert code_of(by_sigint, returned) == 0
    assert code_of(by_sigint, by_sigint) == code_of(returned, by_sigint) == 130


def test_foreign_frees_are_not_reported_when_sampling():
    assert [bad.kind for bad in replayed(free(A)).processes[0].bad_frees] == ["foreign"]
    assert replayed(free(A), knows_all=False).processes[0].bad_frees == []


def test_a_child_may_free_an_inherited_block_only_once():
    fork = ["process", 1, 101, "/bin/program", "fork", 0]
    heap = replayed(alloc(A, 10), fork, free(A, process=1), free(A, process=1, stack=1), free(A))
    parent, child = heap.processes
    assert (sizes(parent), sizes(child)) == ([], [])
    assert parent.bad_frees == []
    assert [bad.kind for bad in child.bad_frees] == ["double"]


def test_a_child_does_not_leak_what_its_parent_allocated():
    heap = replayed(alloc(A, 10), ["process", 1, 101, "/bin/program", "fork", 0], alloc(B, 5, process=1))
    assert [sizes(process) for process in heap.processes] == [[10], [5]]


def test_leaks_are_grouped_by_stack_and_the_largest_come_first():
    heap = replayed(alloc(A, 10), alloc(B, 90, stack=1), alloc(B + 256, 30))
    found, = findings(heap, with_own=False)
    assert [(leak.bytes, len(leak.blocks), leak.frames[0].name) for leak in found.leaks] == \
        [(90, 1, "other"), (40, 2, "main")]


def test_text_fits_whatever_the_names_are():
    frame = ["frame", 3, "n" * 300, "/a/" + "d" * 300 + "/file.c", 1, "/" + "m" * 300, 1, []]
    heap = replayed(frame, ["stack", 2, [0, 3], False, [], []], alloc(A, 10, stack=2))
    report = Report(Options(("program",)), heap, tuple(findings(heap, with_own=False)))
    for width in (40, 80, 200):
        lines = write_text(report, View(width, 5, 6)).splitlines()
        assert max(map(len, lines)) <= width
        assert any(line.endswith("file.c:1") for line in lines)
