"""Programs that leak a known number of blocks of known sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import functions, leaks_of


def test_each_allocating_function_is_followed(build, leaks):
    run = leaks([build("calls.c")])
    assert run.code == 1
    found = leaks_of(run.process())
    # One function in glibc up to 2.37.
    memalign = next(function for function, caller in found if caller == "leak_memalign")
    assert memalign in ("aligned_alloc", "memalign")
    assert found == {
        ("malloc", "leak_malloc"): [(300, 3)],
        ("malloc", "leak_nothing_bytes"): [(0, 1)],
        ("calloc", "leak_calloc"): [(210, 1)],
        ("posix_memalign", "leak_posix_memalign"): [(320, 1)],
        ("aligned_alloc", "leak_aligned_alloc"): [(640, 1)],
        (memalign, "leak_memalign"): [(77, 1)],
        ("valloc", "leak_valloc"): [(88, 1)],
        ("pvalloc", "leak_pvalloc"): [(99, 1)],
    }
    assert run.process()["allocations"] == 17
    assert run.process()["frees"] == 7
    assert run.report["bad_frees"] == 0


def test_leaks_are_sorted_by_bytes_and_show_their_places(build, leaks):
    first = leaks([build("calls.c")]).process()["leaks"][0]
    assert (first["bytes"], first["sizes"]) == (640, [{"size": 640, "blocks": 1}])
    assert functions(first["stack"]) == ["leak_aligned_alloc", "main"]
    place = first["stack"][0]
    assert place["file"].endswith("programs/calls.c")
    assert "aligned_alloc(64, 640)" in Path(place["file"]).read_text(encoding="utf-8").splitlines()[place["line"] - 1]


def test_a_chain_of_reallocs_is_one_block_of_its_last_size(build, leaks):
    run = leaks([build("chains.c")])
    assert leaks_of(run.process()) == {
        ("realloc", "leak_grown"): [(16384, 1)],
        ("realloc", "leak_shrunk"): [(40, 1)],
        ("reallocarray", "leak_array"): [(300, 1)],
        ("malloc", "leak_what_could_not_grow"): [(123, 1)],
    }
    reallocs = {leak["stack"][0]["function"]: leak["reallocs"] for leak in run.process()["leaks"]}
    assert reallocs == {"leak_grown": 6, "leak_shrunk": 1, "leak_array": 2, "leak_what_could_not_grow": 0}
    assert run.report["bad_frees"] == 0


def test_operator_new_is_named_as_in_the_source(build, leaks):
    run = leaks([build("objects.cc")])
    assert leaks_of(run.process()) == {
        ("operator new", "shop::leak_item"): [(48, 1)],
        ("operator new[]", "shop::leak_items"): [(152, 1)],
        ("operator new[]", "shop::leak_numbers"): [(20, 1)],
        ("operator new", "shop::leak_shelf"): [(256, 1)],
        ("operator new[]", "shop::leak_nothrow"): [(17, 1)],
        ("operator new", "shop::leak_many<long>"): [(32, 4)],
        ("operator new", "shop::Registry::Registry"): [(48, 1)],
    }


def test_blocks_of_all_threads_are_found(build, leaks):
    run = leaks([build("threads.cc")])
    process = run.process()
    assert [(leak["bytes"], leak["blocks"], len(leak["threads"])) for leak in process["leaks"]] == [(288, 12, 4)]
    assert functions(process["leaks"][0]["stack"], "(anonymous namespace)::work") == [
        "(anonymous namespace)::leak_in_thread", "(anonymous namespace)::work"]
    assert run.report["bad_frees"] == 0


def test_each_process_after_a_fork_has_its_own_leaks(build, leaks):
    run = leaks([build("forks.c")])
    by_code = {process["ended"]["code"]: process for process in run.report["processes"]}
    assert {code: leaks_of(process) for code, process in by_code.items()} == {
        4: {("malloc", "leak_in_parent"): [(1001, 1)]},
        5: {("malloc", "leak_in_child"): [(2002, 1), (2002, 1)]},
        6: {("calloc", "leak_in_grandchild"): [(3003, 1)]},
    }
    assert by_code[4]["parent"] is None
    assert by_code[5]["parent"] == by_code[4]["process"]
    assert by_code[6]["parent"] == by_code[5]["process"]
    assert run.report["bad_frees"] == 0  # all three freed one block, each its own copy


def test_blocks_that_the_c_library_keeps_are_excluded(build, leaks):
    run = leaks([build("library.c")])
    process = run.process()
    entered = {tuple(functions(leak["stack"])[-2:]): leak["bytes"] for leak in process["leaks"]}
    assert entered == {("leak_copy", "main"): 12, ("leak_file", "main"): entered[("leak_file", "main")]}
    assert process["left_out"]["blocks"] > 0
    everything = leaks([build("library.c")], "--all").process()
    assert everything["leaked"]["blocks"] == process["leaked"]["blocks"] + process["left_out"]["blocks"]
    assert everything["leaked"]["bytes"] == process["leaked"]["bytes"] + process["left_out"]["bytes"]


def test_blocks_from_less_known_functions_of_the_c_library_are_leaked(build, leaks):
    process = leaks([build("gives.c")]).process()
    forgotten = {functions(leak["stack"])[-2] for leak in process["leaks"]}
    assert forgotten == {"forget_mounts", "forget_own_attributes", "forget_attributes", "forget_processors",
                         "forget_word", "forget_wide_word"}


@pytest.mark.parametrize("name", ["__isoc23_sscanf", "__isoc99_vfscanf", "scanf", "__isoc23_vwscanf"])
def test_all_names_of_scanf_pass_ownership_to_the_caller(name):
    from fathom_leaks.frame import Frame, Stack
    from fathom_leaks.ownership import is_librarys_own

    library = Frame(name, None, 0, "/lib/libc.so.6", 16, (name,))
    program = Frame("main", None, 0, "/bin/program", 32, ())
    assert not is_librarys_own(Stack((library, library, program), True, (name,), ()))
    assert is_librarys_own(Stack((library, library, program), True, ("setlocale",), ()))


def test_a_program_that_frees_everything_has_no_findings(build, leaks):
    run = leaks([build("bad_frees.c"), "none"])
    assert run.code == 0
    assert run.report["leaked"] == {"bytes": 0, "blocks": 0}


def test_libraries_that_are_loaded_and_unloaded_are_followed(build, leaks):
    plugin = build("plugin.c", "-shared", "-fPIC")
    run = leaks([build("loads.c"), plugin])
    assert leaks_of(run.process()) == {("malloc", "leak_in_plugin"): [(122, 2)]}


def test_a_library_that_is_loaded_where_another_one_was_runs_unchanged(build, leaks):
    plugin, other = (build(name, "-shared", "-fPIC") for name in ("plugin.c", "other_plugin.c"))
    process = leaks([build("unloads.c"), plugin, other]).process()
    assert process["ended"] == {"how": "exit", "code": 0, "signal": None}
    assert leaks_of(process) == {("malloc", "leak_in_plugin"): [(61, 1)]}


def test_data_that_is_mapped_where_code_allocated_is_not_changed(build, leaks):
    process = leaks([build("maps_code.c")]).process()
    assert process["ended"] == {"how": "exit", "code": 0, "signal": None}


def test_a_child_that_is_forked_after_a_library_was_unloaded_is_followed(build, leaks):
    run = leaks([build("unloads.c"), build("plugin.c", "-shared", "-fPIC")])
    assert run.code == 1
    assert leaks_of(run.process()) == {("malloc", "leak_in_plugin"): [(61, 1)], ("malloc", "leak_in_parent"): [(12, 1)]}
    assert leaks_of(run.process("fork")) == {("malloc", "leak_in_child"): [(300, 1)]}


def test_the_programs_own_malloc_is_followed(build, leaks):
    program = build("own_allocator.c", "-rdynamic")
    run = leaks([program])
    assert run.process()["allocator"] == str(program)
    assert leaks_of(run.process()) == {("malloc", "main"): [(123, 1)]}


def test_calls_after_one_that_longjmp_left_are_followed(build, leaks):
    program = build("jumps.c", "-rdynamic")
    assert leaks_of(leaks([program, "deeper"]).process()) == {("malloc", "deeper"): [(500, 5)]}
    assert leaks_of(leaks([program, "again"]).process()) == {("malloc", "allocate"): [(50, 1)]}


def test_a_block_that_realloc_left_by_longjmp_can_be_freed(build, leaks):
    run = leaks([build("jumps.c", "-rdynamic"), "grow"])
    assert leaks_of(run.process()) == {}
    assert run.report["bad_frees"] == 0


def test_of_functions_that_call_each_other_only_the_outermost_counts(build, leaks):
    run = leaks([build("jumps.c", "-rdynamic"), "whole"])
    assert leaks_of(run.process()) == {("realloc", "main"): [(20, 1)]}
    assert run.process()["allocations"] == 1


def test_the_outermost_function_counts_where_gdb_cannot_unwind(build, leaks):
    assert leaks_of(leaks([build("by_hand.c", "-rdynamic")]).process()) == {("calloc", "leak_zeros"): [(210, 1)]}


def test_a_static_program_is_followed(build, leaks):
    run = leaks([build("calls.c", "-static")])
    by_program = [leak for (_, function), leak in leaks_of(run.process()).items() if function.startswith("leak_")]
    assert sum(blocks for leak in by_program for _, blocks in leak) == 10
    assert sum(size for leak in by_program for size, _ in leak) == 1734


def test_an_optimised_program_is_followed(build, leaks):
    run = leaks([build("objects.cc", "-O2", "-fno-allocation-dce")])
    assert run.report["leaked"] == {"bytes": 573, "blocks": 10}
