"""The results of a scan match those of du and find, in every format."""

import json
import os
import re
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, scan

ENGINES = ["serial", "pool", "steal", "lockfree", "auto", "ext4"]


def du(*arguments):
    out = subprocess.run(["du", "-s", "--block-size=1", *map(str, arguments)], check=True,
                         stdout=subprocess.PIPE, timeout=PATIENCE).stdout
    return int(out.split()[0])


def lengths(root):
    """The sum of the lengths of all inodes, which du --apparent-size printed up to coreutils 9.1."""
    paths = [root, *(os.path.join(folder, name) for folder, folders, names in os.walk(os.fsencode(root))
                     for name in folders + names)]
    return sum({(status.st_dev, status.st_ino): status.st_size for status in map(os.lstat, paths)}.values())


def found(root, kind):
    out = subprocess.run(["find", str(root), "-type", kind, "-printf", "."], check=True,
                         stdout=subprocess.PIPE, timeout=PATIENCE).stdout
    return len(out)


def as_json(*arguments, **options):
    scanned = scan("--format", "json", *map(str, arguments), **options)
    assert scanned.returncode == 0, scanned.stderr
    return json.loads(scanned.stdout)


def without_timing(result):
    del result["timing"]
    for key in ("seconds", "entries_per_second"):
        result["reports"].get("summary", {}).pop(key, None)
    return result


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("threads", ["1", "2", "8"])
def test_totals_equal_those_of_du_and_find(tree, engine, threads):
    totals = as_json("--engine", engine, "-j", threads, tree)["totals"]
    assert totals["disk_bytes"] == du(tree)
    assert totals["apparent_bytes"] == lengths(tree)
    assert totals["files"] == found(tree, "f")
    assert totals["dirs"] == found(tree, "d")
    assert totals["symlinks"] == found(tree, "l")
    assert totals["others"] == found(tree, "p")
    kinds = ("files", "dirs", "symlinks", "others")
    assert totals["entries"] == sum(totals[kind] for kind in kinds)


def test_every_engine_finds_the_same(tree):
    reports = ["--summary", "--largest-files", "20", "--largest-dirs", "20", "--errors"]
    results = [without_timing(as_json(*reports, "--engine", engine, tree)) for engine in ENGINES]
    assert all(result == results[0] for result in results)


def test_json_has_the_documented_keys(tree):
    result = as_json("--largest-files", "2", "--largest-dirs", "2", "--errors", "--summary", tree)
    assert list(result) == ["schema", "roots", "totals", "accuracy", "timing", "reports"]
    assert result["schema"] == "fathom.scan/1"
    assert set(result["totals"]) == {"files", "dirs", "symlinks", "others", "entries", "disk_bytes",
                                     "apparent_bytes"}
    assert result["accuracy"] == {"complete": True, "unreadable": 0, "changed": 0}
    assert set(result["timing"]) == {"seconds", "entries_per_second", "threads", "engine"}
    assert list(result["reports"]) == ["largest_files", "largest_dirs", "errors", "summary"]


def test_json_without_a_report_is_the_summary(small):
    assert list(as_json(small)["reports"]) == ["summary"]


def test_json_is_never_coloured_and_nothing_follows_it(small):
    out = scan("--format", "json", "--color", "always", str(small)).stdout
    assert out.count(b"\n") == 1 and b"\x1b" not in out


def test_the_timing_names_the_engine_and_the_threads(small):
    timing = as_json("--engine", "pool", "-j", "3", small)["timing"]
    assert timing["engine"] == "pool"
    assert 1 <= timing["threads"] <= 3


def test_a_root_given_twice_counts_once(tree):
    once = as_json(tree)["totals"]
    assert as_json(tree, tree)["totals"] == once
    assert as_json(tree, tree / "folder 1")["totals"] == once
    assert as_json(tree / "folder 1", tree)["totals"] == once


def test_several_roots_add_up(tree):
    first, second = tree / "folder 3", tree / "folder 4"
    assert as_json(first, second)["totals"]["disk_bytes"] == du(first) + du(second)


def test_a_file_can_be_a_root(small):
    totals = as_json(small / "file")["totals"]
    assert (totals["files"], totals["dirs"], totals["apparent_bytes"]) == (1, 0, 5)
    text = scan(str(small / "file")).stdout.decode()
    assert "1  entry: 1 file\n" in text
    assert text.endswith(str(small / "file")[-10:] + "\n")


def test_the_default_is_the_current_directory(small):
    assert as_json(cwd=small)["roots"] == [{"path": "."}]


def test_one_filesystem_means_the_same_as_in_du(tree):
    assert as_json("-x", tree)["totals"]["disk_bytes"] == du("-x", tree)


def test_reports_print_in_the_order_given(tree):
    text = scan("--largest-dirs", "1", "--all-levels", "--summary", "--largest-files", "2",
                "--errors", "--summary", str(tree)).stdout.decode()
    headings = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert headings == ["Largest directories", "Summary", "Largest files", "Errors", "Summary"]


def test_the_summary_has_exact_bytes(tree):
    text = scan("--summary", str(tree)).stdout.decode()
    assert f"{du(tree):,} bytes" in text
    assert f"{lengths(tree):,} bytes" in text
    figures = {line[:16].strip(): line[16:].split()[0] for line in text.splitlines()[1:]}
    assert figures["Files"] == str(found(tree, "f"))
    assert figures["Directories"] == str(found(tree, "d"))
    assert figures["Others"] == "1"


def test_the_largest_files_come_first(tree):
    lines = scan("--largest-files", "3", str(tree)).stdout.decode().splitlines()
    assert lines[0] == "Largest files"
    assert re.split("  +", lines[1]) == ["", "Disk usage", "Apparent size", "Modified", "Path"]
    # Of the three names of the largest file, the smallest path owns its bytes.
    assert re.split("  +", lines[2])[-1] == str(tree / "folder 1" / "another name of large")
    assert len(lines) == 5
    by_length = scan("--largest-files", "1", "--apparent-size", str(tree)).stdout.decode()
    assert re.split("  +", by_length.splitlines()[2])[2:5:2] == ["48 MiB", str(tree / "hole")]


def test_the_largest_directory_is_the_root(tree):
    lines = scan("--largest-dirs", "4", "--all-levels", str(tree)).stdout.decode().splitlines()
    assert lines[0] == "Largest directories"
    assert lines[2].endswith("iB  " + str(tree))
    assert len(lines) == 6


def test_sizes_can_be_in_powers_of_a_thousand(tree):
    options = ["--largest-files", "1", "--apparent-size", str(tree)]
    assert b"  48 MiB  " in scan(*options).stdout
    assert b"  50 MB  " in scan("--si", *options).stdout


def test_standard_error_is_empty_on_success(tree):
    assert scan(str(tree)).stderr == b""


def test_few_descriptors_are_enough(tmp_path):
    below = tmp_path
    for _ in range(120):
        below = below / "deeper"
    os.makedirs(below)
    for folder in range(200):
        (tmp_path / f"wide {folder}").mkdir()
    limited = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", FATHOM, "scan", "--format", "json",
               str(tmp_path)]
    ran = subprocess.run(limited, stdout=subprocess.PIPE, check=False, timeout=PATIENCE)
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["totals"]["dirs"] == found(tmp_path, "d")
