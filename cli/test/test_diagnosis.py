"""--memory and --thread-stats: reports about the command itself, in addition to its results."""

import json
import re

import pytest

from conftest import run


@pytest.fixture(name="tree")
def a_tree(tmp_path):
    for folder in range(20):
        (tmp_path / f"folder-{folder}").mkdir()
        for file in range(30):
            (tmp_path / f"folder-{folder}" / f"file-{file}").write_bytes(b"the same")
    return tmp_path


def with_memory(*arguments):
    ran = run(*arguments, "--memory")
    if ran.returncode == 2 and b"build with sanitizers" in ran.stderr:
        pytest.skip("a sanitizer replaces operator new")
    return ran


def tags(text):
    """The table of memory: the words of each line, by tag."""
    lines = text.decode().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("memory by tag"))
    table = {}
    for line in lines[begin + 1:]:
        cells = re.split("  +", line)
        if len(cells) != 6:
            break
        table[cells[0]] = cells[1:]
    return table


def threads(text):
    """The table of threads: the words of each line, by name."""
    lines = text.decode().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("thread "))
    heading = re.split("  +", lines[begin])
    return [dict(zip(heading, re.split("  +", line))) for line in lines[begin + 1:]]


def test_memory_is_reported_by_tag_on_standard_error(tree):
    ran = with_memory("scan", "--extensions", str(tree))
    assert ran.returncode == 0
    told = tags(ran.stderr)
    assert {"tree", "names", "walk", "reports", "totals", "all"} <= set(told)
    # At the end, the memory of the tree is still allocated, and that of the walk is not.
    assert told["tree"][0] != "0 B" and told["walk"][0] == "0 B"
    assert int(told["walk"][4].replace(",", "")) >= 20  # at least one block per folder


def test_the_results_are_the_same(tree):
    plain = run("scan", "--largest-dirs", "5", str(tree))
    told = with_memory("scan", "--largest-dirs", "5", "--thread-stats", str(tree))
    assert told.stdout == plain.stdout and plain.stderr == b""


def test_json_stays_json(tree):
    ran = with_memory("scan", "--format", "json", str(tree))
    assert json.loads(ran.stdout)["totals"]["files"] == 600


def test_allocating_calls_are_named(tree):
    told = with_memory("scan", str(tree)).stderr.decode()
    assert "allocation sites, one sample per 512 KiB" in told


def test_a_search_for_duplicates_has_its_own_memory_tag(tree):
    ran = with_memory("dups", str(tree))
    assert ran.returncode == 0
    assert "dups" in tags(ran.stderr)


@pytest.mark.parametrize("engine", ["serial", "pool", "steal", "lockfree"])
def test_threads_are_reported_after_they_end(tree, engine):
    ran = run("scan", "--summary", "--engine", engine, "-j2", "--thread-stats", str(tree))
    assert ran.returncode == 0
    told = threads(ran.stderr)
    assert told[0]["thread"] == "fathom" and told[-1]["thread"] == "all"
    ended = [thread for thread in told if thread["thread"].endswith("(ended)")]
    assert len(ended) == (1 if engine == "serial" else 2)


def test_threads_of_a_search_for_duplicates_are_reported(tree):
    ran = run("dups", "--summary", "-j2", "--thread-stats", str(tree))
    assert ran.returncode == 0
    # Two threads scan, two compare.
    ended = [thread for thread in threads(ran.stderr) if thread["thread"].endswith("(ended)")]
    assert len(ended) >= 4


def test_nothing_is_reported_by_default(tree):
    assert run("scan", "--summary", str(tree)).stderr == b""


@pytest.mark.parametrize("flag", ["--memory", "--thread-stats"])
def test_applying_a_plan_takes_no_diagnosis_flags(tree, flag):
    (tree / "plan").write_text("", encoding="utf-8")
    refused = run("dups", "--apply", str(tree / "plan"), flag)
    assert refused.returncode == 2 and f"option '{flag}' applies to a search".encode() in refused.stderr
