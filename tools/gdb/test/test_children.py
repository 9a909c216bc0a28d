"""Children are processes of their own."""

from __future__ import annotations

from conftest import leaks_of

_ONE_OF_40 = {("malloc", "leak"): [(40, 1)]}


def test_a_place_that_a_child_has_reached_first_is_followed_in_its_parent_too(build, leaks):
    run = leaks([build("same_place.c")])
    for started in ("run", "fork"):
        process = run.process(started)
        assert (process["allocations"], process["frees"], leaks_of(process)) == (2, 1, _ONE_OF_40)
    assert run.report["bad_frees"] == 0
