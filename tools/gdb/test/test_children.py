"""Children are processes of their own."""

from __future__ import annotations

import os

import pytest

from conftest import functions, leaks_of, run_command

_ONE_OF_40 = {("malloc", "leak"): [(40, 1)]}


def test_a_place_that_a_child_has_reached_first_is_followed_in_its_parent_too(build, leaks):
    run = leaks([build("same_place.c")])
    for started in ("run", "fork"):
        process = run.process(started)
        assert (process["allocations"], process["frees"], leaks_of(process)) == (2, 1, _ONE_OF_40)
    assert run.report["bad_frees"] == 0


@pytest.mark.parametrize("when", [[], ["child first"]])
def test_a_call_that_a_library_makes_does_not_concern_a_child_with_another_library_there(build, leaks, when):
    plugin, other = (build(name, "-shared", "-fPIC") for name in ("plugin.c", "other_plugin.c"))
    process = leaks([build("relatives.c", "-rdynamic"), plugin, other, *when]).process()
    assert process["ended"] == {"how": "exit", "code": 0, "signal": None}
    assert leaks_of(process) == {("malloc", "leak_in_plugin"): [(61, 1)]}


@pytest.mark.parametrize("way, command", [
    ("system", "{} child"), ("popen", "{} child"), ("posix_spawn", "{} child 'two words'"),
    ("posix_spawnp", "{} child 'two words'"), ("vfork", None), ("fork", "{} child 'two words'")])
def test_a_child_that_is_not_followed_is_named_with_its_command(build, leaks, way, command):
    program = build("starts.c")
    run = leaks([program, way])
    child, = run.process()["not_followed"]
    assert (child["call"], child["children"]) == (way, 1)
    assert child["command"] == (command and command.format(program))
    assert functions(child["stack"]) == ["start", "main"]
    assert run.report["not_followed"] == 1
    assert "1 child was not followed: its leaks and invalid frees are not in this report" in run.report["notes"]


@pytest.mark.parametrize("way", ["system", "popen", "posix_spawn", "posix_spawnp", "vfork", "fork"])
def test_what_such_a_child_leaks_is_not_its_parents(build, leaks, way):
    run = leaks([build("starts.c"), way])
    assert leaks_of(run.process()) == {("malloc", "main"): [(5, 1)]}
    assert (run.code, run.process()["ended"]["code"], run.report["bad_frees"]) == (1, 0, 0)


def test_children_of_one_place_with_one_command_are_counted_together(build):
    program = build("starts.c")
    report = run_command("--", program, "system", "posix_spawn", "system", env=dict(os.environ, COLUMNS="1000")).stderr
    assert f"  not followed: 2 children by system: {program} child\n      start  " in report
    assert f"  not followed: 1 child by posix_spawn: {program} child 'two words'\n      start  " in report
    assert "\nnote: 3 children were not followed: " in report


def test_a_program_without_children_has_none_that_were_not_followed(build, leaks):
    run = leaks([build("same_place.c")])
    assert (run.report["not_followed"], run.process()["not_followed"], run.report["notes"]) == (0, [], [])


def test_a_block_that_a_child_of_vfork_allocated_is_not_foreign_to_its_parent(build, leaks):
    run = leaks([build("starts.c"), "vfork"])
    assert (run.report["bad_frees"], run.process()["unknown_frees"]) == (0, 1)
    assert any("shared with children of vfork" in note and "1 free of a block" in note for note in run.report["notes"])


def test_a_child_of_the_c_library_leaves_foreign_frees_to_be_found(build, leaks):
    for way in ("system", "posix_spawn"):
        run = leaks([build("starts.c"), way, "foreign"])
        assert [bad["kind"] for bad in run.process()["bad_frees"]] == ["foreign"]
        assert not any("vfork" in note for note in run.report["notes"])


def test_the_function_that_starts_a_child_is_known_however_short_the_stacks_are(build, leaks):
    run = leaks([build("starts.c"), "system"], "--depth", "1")
    assert [child["call"] for child in run.process()["not_followed"]] == ["system"]
    assert not any("vfork" in note for note in run.report["notes"])


def test_a_double_free_after_a_child_of_vfork_is_found(build, leaks):
    bad, = leaks([build("starts.c"), "vfork", "double"]).process()["bad_frees"]
    assert (bad["kind"], bad["allocated"]["size"]) == ("double", 2000)


def test_a_command_of_two_lines_is_shown_in_one(build):
    report = run_command("--", build("starts.c"), "two lines").stderr
    assert "  not followed: 1 child by system: true\\ntrue\n" in report
