"""--memory and --thread-stats: what the command tells of itself, beside its results."""

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
        pytest.skip("a sanitizer has operators new of its own")
    return ran


def tags(text):
    """What the table of memory says: the words of each line, by the tag."""
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
    """The same of the table of threads."""
    lines = text.decode().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("thread "))
    heading = re.split("  +", lines[begin])
    return [dict(zip(heading, re.split("  +", line))) for line in lines[begin + 1:]]


def test_memory_is_told_by_tag_on_standard_error(tree):
    ran = with_memory("scan", "--extensions", str(tree))
    assert ran.returncode == 0
    told = tags(ran.stderr)
    assert {"tree", "names", "walk", "reports", "totals", "all"} <= set(told)
    # At the end the tree is still there, and the walk is not.
    assert told["tree"][0] != "0 B" and told["walk"][0] == "0 B"
    assert int(told["walk"][4].replace(",", "")) >= 20  # blocks: one for each folder at least


def test_the_results_are_the_same(tree):
    plain = run("scan", "--largest-dirs", "5", str(tree))
    told = with_memory("scan", "--largest-dirs", "5", "--thread-stats", str(tree))
    assert told.stdout == plain.stdout and plain.stderr == b""


def test_json_stays_json(tree):
    ran = with_memory("scan", "--format", "json", str(tree))
    assert json.loads(ran.stdout)["totals"]["files"] == 600


def test_the_calls_that_allocate_are_named(tree):
    told = with_memory("scan", str(tree)).stderr.decode()
    assert "allocation sites, one sample per 512 KiB" in told


def test_memory_of_a_search_for_duplicates_has_a_tag_of_its_own(tree):
    ran = with_memory("dups", str(tree))
    assert ran.returncode == 0
    assert "dups" in tags(ran.stderr)


@pytest.mark.parametrize("engine", ["serial", "pool", "steal", "lockfree"])
def test_threads_are_told_when_they_have_ended(tree, engine):
    ran = run("scan", "--summary", "--engine", engine, "-j2", "--thread-stats", str(tree))
    assert ran.returncode == 0
    told = threads(ran.stderr)
    assert told[0]["thread"] == "fathom" and told[-1]["thread"] == "all"
    ended = [thread for thread in told if thread["thread"].endswith("(ended)")]
    assert len(ended) == (1 if engine == "serial" else 2)


def test_threads_of_a_search_for_duplicates_are_told(tree):
    ran = run("dups", "--summary", "-j2", "--thread-stats", str(tree))
    assert ran.returncode == 0
    # Two that scan, two that compare.
    ended = [thread for thread in threads(ran.stderr) if thread["thread"].endswith("(ended)")]
    assert len(ended) >= 4


def test_without_being_asked_nothing_is_told(tree):
    assert run("scan", "--summary", str(tree)).stderr == b""


@pytest.mark.parametrize("flag", ["--memory", "--thread-stats"])
def test_acts_have_no_figures(tree, flag):
    (tree / "plan").write_text("", encoding="utf-8")
    refused = run("dups", "--apply", str(tree / "plan"), flag)
    assert refused.returncode == 2 and b"--thread-stats" in refused.stderr
