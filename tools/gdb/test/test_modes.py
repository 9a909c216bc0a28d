"""Options that follow fewer calls, and their notes."""

from __future__ import annotations

import pytest

from conftest import leaks_of


def test_every_nth_allocation_is_followed(build, leaks):
    run = leaks([build("many.c"), "100"], "--sample", "10")
    assert run.process()["allocations"] == 10
    assert leaks_of(run.process()) in ({}, {("malloc", "allocate"): [(100, 10)]})  # each tenth leaks
    assert run.report["sampling"] == {"every": 10, "bytes": 0}
    assert "every 10th allocation" in run.report["notes"][0]
    assert run.report["bad_frees"] == 0


def test_one_allocation_per_n_bytes_is_followed(build, leaks):
    run = leaks([build("many.c"), "100"], "--sample-bytes", "70")
    assert run.process()["allocations"] == 100 * 10 // 70
    assert "70 requested bytes" in run.report["notes"][0]


def test_frees_of_blocks_that_are_not_followed_are_not_double_frees(build, leaks):
    """Such a block may be where a followed one was."""
    run = leaks([build("many.c"), "20"], "--sample", "2")
    assert (run.code, run.report["bad_frees"]) == (0, 0)
    assert run.process()["frees"] == run.process()["allocations"] == 10
    assert "double and foreign frees are not detected" in run.report["notes"][0]


def test_a_followed_block_is_followed_wherever_realloc_moves_it(build, leaks):
    run = leaks([build("moves.c")], "--sample-bytes", "100")
    assert (run.code, run.report["bad_frees"], run.process()["frees"]) == (0, 0, 1)
    assert "double and foreign frees are not detected" in run.report["notes"][0]


def test_following_starts_at_a_function(build, leaks):
    run = leaks([build("marks.c")], "--start-at", "phase_begins")
    assert {leak["bytes"] for leak in run.process()["leaks"]} == {44}
    assert run.process()["allocations"] == 3
    assert run.report["bad_frees"] == 0  # a block that was allocated before is freed, which is not a foreign free
    assert run.process()["ended"]["code"] == 0


def test_following_stops_at_a_function(build, leaks):
    run = leaks([build("marks.c")], "--stop-at", "phase_ends")
    assert {leak["bytes"] for leak in run.process()["leaks"]} == {33}
    assert "until phase_ends" in run.report["notes"][0]
    assert run.process()["ended"]["code"] == 0


def test_a_function_that_is_never_reached_is_reported(build, leaks):
    run = leaks([build("marks.c")], "--start-at", "phase_nine")
    assert run.code == 0
    assert "phase_nine was never reached" in run.report["notes"][0]


@pytest.mark.parametrize("depth", ["1", "3"])
@pytest.mark.parametrize("name, arguments", [("copies.cc", []), ("library.c", []), ("threads.cc", []),
                                             ("bad_frees.c", ["double"]), ("bad_frees.c", ["closedir"])])
def test_what_is_found_does_not_depend_on_the_depth(build, leaks, name, arguments, depth):
    def found(*options):
        run = leaks([build(name), *arguments], *options)
        return run.code, run.report["leaked"], run.report["bad_frees"], run.process()["left_out"]

    assert found("--depth", depth) == found()


def test_truncated_stacks_say_so(build, leaks):
    leak, = leaks([build("many.c"), "20"], "--depth", "2").process()["leaks"]
    assert [frame["function"] for frame in leak["stack"]] == ["allocate"]
    assert leak["stack_whole"] is False
