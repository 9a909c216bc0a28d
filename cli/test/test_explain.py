"""The report `--explain`: the usage that df shows, compared with the entries found."""

import csv
import io
import json
import os
import re
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, calls_of, environment, on_terminal, scan, sentence_of, width


def rows_of(*arguments):
    scanned = scan("--explain", "--format", "json", *map(str, arguments))
    assert scanned.returncode == 0
    return json.loads(scanned.stdout)["reports"]["explain"]


def explained(*arguments):
    """The rows by item; the last row of several with the same item."""
    return {row["item"]: row for row in rows_of(*arguments)}


def test_the_parts_add_up(tree):
    rows = rows_of(tree)
    of = {row["item"]: row["bytes"] for row in rows}
    for whole in ("size", "used"):
        parts = [row["bytes"] for row in rows if row["of"] == whole and row["bytes"] is not None]
        assert sum(parts) == of[whole]
    assert of["size"] >= of["used"] >= 0


def test_the_found_bytes_are_those_of_the_summary(tree):
    found = json.loads(scan("--explain", "--format", "json", str(tree)).stdout)
    rows = {row["item"]: row for row in found["reports"]["explain"]}
    assert rows["found"]["bytes"] == found["totals"]["disk_bytes"]
    assert rows["found"]["count"] == found["totals"]["entries"]


def test_the_size_is_the_one_that_the_system_reports(tree):
    system = os.statvfs(tree)
    rows = explained(tree)
    assert rows["size"]["bytes"] == system.f_blocks * system.f_frsize


def test_a_directory_that_is_not_a_mount_point_is_not_a_whole_filesystem(tree):
    assert "The scanned paths are only part of this filesystem" in explained(tree)["size"]["note"]
    assert b"\n  The scanned paths are only part" in scan("--explain", str(tree)).stdout


def test_an_open_deleted_file_is_named(tmp_path, small):
    with open(tmp_path / "a log", "wb") as file:
        file.write(b"x" * 100_000)
        file.flush()
        os.fsync(file.fileno())
        os.unlink(tmp_path / "a log")
        scanned = scan("--explain", "--verbose", str(small)).stdout.decode()
    assert f"deleted but still open: {tmp_path}/a log (" in scanned
    assert f", process {os.getpid()})" in scanned


def test_a_deleted_file_that_only_fathom_has_open_is_not_reported(tmp_path, small):
    """A shell passes a heredoc like this: it deletes and closes the file immediately."""
    gone = tmp_path / "heredoc"
    gone.write_bytes(b"x" * 100_000)
    given = os.open(gone, os.O_RDONLY)
    os.unlink(gone)
    process = subprocess.Popen(
        ["sh", "-c", 'read go; exec "$@"', "sh", FATHOM, "scan", "--explain", small],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[given], env=environment())
    os.close(given)
    told, _ = process.communicate(b"go\n", timeout=PATIENCE)
    assert process.returncode == 0
    assert told.startswith(b"Disk usage explained\n") and os.fsencode(gone) not in told


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc of Linux")
def test_an_unreachable_server_is_not_waited_for(tmp_path, small):
    with open(tmp_path / "gone", "wb") as file:
        os.unlink(tmp_path / "gone")
        calls = calls_of("statx,newfstatat", "--explain", small, log=tmp_path / "log")
        assert not file.closed
    of_open_files = [call for call in calls if re.search(r'\(\d+, "\d+"', call)]
    assert of_open_files
    for call in of_open_files:
        assert "statx(" in call and "AT_STATX_DONT_SYNC" in call and "AT_NO_AUTOMOUNT" in call


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_numbers_are_never_cut(tree, columns):
    _, shown = on_terminal("--explain", "--verbose", "--color", "never", tree, columns=columns)
    assert max(map(width, shown.splitlines())) <= columns
    figures = {f"{row[key]:,}" for row in rows_of(tree) for key in ("bytes", "count")
               if row["item"] in ("size", "found") and row[key] is not None}
    assert all(re.search(rf"(?<![\d,…]){figure}(?![\d,…])", shown) for figure in figures)


def test_plain_uses_words(tree):
    lines = scan("--explain", "--verbose", "--plain", tree).stdout.decode().splitlines()
    assert lines[0] == "Disk usage explained"
    assert lines[1].startswith("Filesystem: ")
    size = explained(tree)["size"]
    assert lines[2].startswith(f"{size['bytes']:,} bytes, size")
    assert re.fullmatch(r"[\d,]+ bytes of the size, free for all users", lines[3])
    assert any(re.match(r"(minus )?[\d,]+ bytes of the used space, unaccounted for: ", line) for line in lines)
    assert not any(line.startswith(" ") or ": -" in line for line in lines)


def test_sizes_have_units_and_verbose_has_bytes(tree):
    size = explained(tree)["size"]["bytes"]
    lines = scan("--explain", str(tree)).stdout.decode().splitlines()
    assert re.fullmatch(r" +[\d.]+ [KMGTP]?i?B  size(: [\d,]+ inodes)?", lines[2])
    assert "," not in lines[2].split("size")[0]
    assert re.match(r" +[\d.]+ [kMGTP]?B  size", scan("--explain", "--si", str(tree)).stdout.decode().splitlines()[2])
    verbose = scan("--explain", "--verbose", str(tree)).stdout.decode().splitlines()
    assert verbose[2].split()[0] == f"{size:,}"
    plain = scan("--explain", "--plain", str(tree)).stdout.decode().splitlines()
    assert re.match(r"[\d.]+ [KMGTP]iB, size", plain[2])


def test_rows_that_explain_nothing_are_counted_and_left_out(tree):
    verbose = scan("--explain", "--verbose", str(tree)).stdout.decode()
    short = scan("--explain", str(tree)).stdout.decode()
    # Other processes may open and close deleted files at any time.
    rows = [row for row in rows_of(tree) if row["command"] is None]
    lines = [line for line in verbose.splitlines() if re.match(r" +([-\d]|\?)", line)]
    assert len([line for line in lines if ", process " not in line]) == len(rows)
    assert " ?  " not in short  # this directory is not a whole filesystem
    left_out = re.search(r"\n\n(\d+) minor rows? hidden; --verbose shows (?:them|it)\.\n", short)
    shown = len([line for line in short.splitlines() if re.match(r" +[-\d.]+ [KMGTP]?i?B  ", line)])
    joined = short.count(" smaller file")
    assert int(left_out[1]) > 0
    assert 0 < shown - joined - short.count(", process ") < len(rows)
    assert "hidden;" not in verbose


def test_used_shows_its_growth_during_the_scan(tree):
    rows = rows_of(tree)
    for row in rows:
        assert (row["grown_bytes"] is not None) == (row["item"] == "used")


def test_csv_has_the_same_columns(small):
    scanned = scan("--explain", "--format", "csv", str(small)).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(scanned)))
    assert list(rows[0]) == list(rows_of(small)[0])
    assert [row["item"] for row in rows[:4]] == ["size", "available", "reserved", "used"]


def test_order_and_number_of_rows_are_fixed(tree):
    def items_of(*arguments):
        # Other tests mount and unmount filesystems meanwhile, and delete files that are open.
        return [row["item"] for row in rows_of(*arguments) if row["item"] not in ("hidden", "deleted_open")]

    items = items_of(tree)
    assert items_of("--top", "1", "--sort", "name", tree) == items
    assert items[0] == "size"
    assert items[-1] == "rest"


def test_an_import_cannot_be_explained(tree, tmp_path):
    export = tmp_path / "export"
    assert scan("--format", "ncdu", "-o", export, str(tree)).returncode == 0
    assert "'--explain'" in sentence_of(scan("--explain", "--from", export))
