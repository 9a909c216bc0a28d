"""Double and foreign frees are found before the C library aborts the program."""

from __future__ import annotations

from conftest import functions


def test_a_double_free_is_reported_with_all_its_stacks(build, leaks):
    run = leaks([build("bad_frees.c"), "double"])
    assert run.code == 1
    assert run.process()["ended"]["signal"] == "SIGABRT"
    bad, = run.process()["bad_frees"]
    assert (bad["kind"], bad["call"], bad["allocated"]["size"]) == ("double", "free", 2000)
    assert functions(bad["stack"]) == ["release_again", "main"]
    assert functions(bad["freed_before"]) == ["release", "main"]
    assert functions(bad["allocated"]["stack"]) == ["allocate", "main"]


def test_a_foreign_free_is_reported(build, leaks):
    for way in ("stack", "inside"):
        bad, = leaks([build("bad_frees.c"), way]).process()["bad_frees"]
        assert (bad["kind"], bad["call"]) == ("foreign", "free")
        assert functions(bad["stack"]) == ["release_again", "main"]
        assert bad["freed_before"] is None


def test_a_realloc_of_a_freed_block_is_reported(build, leaks):
    bad, = leaks([build("bad_frees.c"), "realloc"]).process()["bad_frees"]
    assert (bad["kind"], bad["call"]) == ("double", "realloc")
    assert functions(bad["stack"]) == ["main"]
    assert functions(bad["freed_before"]) == ["release", "main"]


def test_freeing_an_inner_address_leaves_the_block_leaked(build, leaks):
    assert leaks([build("bad_frees.c"), "inside"]).report["leaked"] == {"bytes": 2000, "blocks": 1}


def test_two_frees_from_one_place_are_a_double_free(build, leaks):
    run = leaks([build("bad_frees.c"), "one place"])
    assert run.code == 1
    bad, = run.process()["bad_frees"]
    assert (bad["kind"], bad["allocated"]["size"]) == ("double", 2000)
    assert functions(bad["stack"]) == functions(bad["freed_before"]) == ["release", "main"]


def test_a_missing_copy_constructor_causes_a_double_free(build, leaks):
    run = leaks([build("copies.cc")])
    assert run.code == 1
    bad, = run.process()["bad_frees"]
    assert (bad["kind"], bad["allocated"]["size"]) == ("double", 2000)
    assert functions(bad["stack"]) == functions(bad["freed_before"]) == ["Holder::~Holder", "main"]


def test_each_double_free_is_reported_once_while_gdb_stops_all_threads(build, leaks):
    process = leaks([build("frees_in_threads.cc", "-rdynamic")]).process()
    assert {bad["kind"] for bad in process["bad_frees"]} == {"double"}
    assert {functions(bad["stack"], "run")[-2:] == ["release_twice", "run"] for bad in process["bad_frees"]} == {True}
    assert len(process["bad_frees"]) == 40


def test_a_double_free_within_the_c_library_is_reported(build, leaks):
    """The caller is the program."""
    bad, = leaks([build("bad_frees.c"), "closedir"]).process()["bad_frees"]
    assert bad["kind"] == "double"
    assert functions(bad["stack"])[-1] == "main"
    assert "closedir" in functions(bad["stack"])[0]
