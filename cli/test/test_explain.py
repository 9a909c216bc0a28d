"""The report `--explain`: what df says against what was found."""

import csv
import io
import json
import os
import re
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, calls_of, environment, on_terminal, scan, width


def rows_of(*arguments):
    scanned = scan("--explain", "--format", "json", *map(str, arguments))
    assert scanned.returncode == 0
    return json.loads(scanned.stdout)["reports"]["explain"]


def ledger(*arguments):
    """The rows by their items; of several the last."""
    return {row["item"]: row for row in rows_of(*arguments)}


def test_the_parts_add_up(tree):
    rows = rows_of(tree)
    of = {row["item"]: row["bytes"] for row in rows}
    for whole in ("size", "used"):
        parts = [row["bytes"] for row in rows if row["of"] == whole and row["bytes"] is not None]
        assert sum(parts) == of[whole]
    assert of["size"] >= of["used"] >= 0


def test_what_was_found_is_what_the_summary_says(tree):
    found = json.loads(scan("--explain", "--format", "json", str(tree)).stdout)
    rows = {row["item"]: row for row in found["reports"]["explain"]}
    assert rows["found"]["bytes"] == found["totals"]["disk_bytes"]
    assert rows["found"]["count"] == found["totals"]["entries"]


def test_the_size_is_that_of_the_system(tree):
    system = os.statvfs(tree)
    rows = ledger(tree)
    assert rows["size"]["bytes"] == system.f_blocks * system.f_frsize


def test_a_directory_that_is_no_mount_point_is_no_whole_filesystem(tree):
    assert "No PATH is a mount point of the whole filesystem" in ledger(tree)["size"]["note"]
    assert b"\n  No PATH is a mount point" in scan("--explain", str(tree)).stdout


def test_a_deleted_file_that_is_open_is_named(tmp_path, small):
    with open(tmp_path / "a log", "wb") as file:
        file.write(b"x" * 100_000)
        file.flush()
        os.fsync(file.fileno())
        os.unlink(tmp_path / "a log")
        scanned = scan("--explain", str(small)).stdout.decode()
    assert f"deleted, but open: {tmp_path}/a log (" in scanned
    assert f", process {os.getpid()})" in scanned


def test_what_fathom_alone_was_given_open_is_nobodys(tmp_path, small):
    """As a shell gives it a heredoc, whose file it deletes and closes at once."""
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


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="asks Linux's /proc")
def test_no_server_that_is_gone_is_waited_for(tmp_path, small):
    with open(tmp_path / "gone", "wb") as file:
        os.unlink(tmp_path / "gone")
        calls = calls_of("statx,newfstatat", "--explain", small, log=tmp_path / "log")
        assert not file.closed
    of_open_files = [call for call in calls if re.search(r'\(\d+, "\d+"', call)]
    assert of_open_files
    for call in of_open_files:
        assert "statx(" in call and "AT_STATX_DONT_SYNC" in call and "AT_NO_AUTOMOUNT" in call


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_no_number_is_cut_however_narrow_the_terminal(tree, columns):
    _, shown = on_terminal("--explain", "--color", "never", tree, columns=columns)
    assert max(map(width, shown.splitlines())) <= columns
    figures = {f"{row[key]:,}" for row in rows_of(tree) for key in ("bytes", "count")
               if row["item"] in ("size", "found") and row[key] is not None}
    assert all(re.search(rf"(?<![\d,…]){figure}(?![\d,…])", shown) for figure in figures)


def test_plain_is_words(tree, tmp_path):
    lines = scan("--explain", "--plain", tree).stdout.decode().splitlines()
    assert lines[0] == "Disk usage explained"
    assert lines[1].startswith("Filesystem: ")
    size = ledger(tree)["size"]
    assert lines[2].startswith(f"{size['bytes']:,} bytes, size")
    assert re.fullmatch(r"[\d,]+ bytes of the size, free to anyone", lines[3])
    assert any(re.match(r"(minus )?[\d,]+ bytes of what is used, the rest: ", line) for line in lines)
    assert not any(line.startswith(" ") or ": -" in line for line in lines)


def test_used_says_how_much_it_grew_meanwhile(tree):
    rows = rows_of(tree)
    for row in rows:
        assert (row["grown_bytes"] is not None) == (row["item"] == "used")


def test_csv_has_the_same_columns(small):
    scanned = scan("--explain", "--format", "csv", str(small)).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(scanned)))
    assert list(rows[0]) == list(rows_of(small)[0])
    assert [row["item"] for row in rows[:4]] == ["size", "available", "reserved", "used"]


def test_order_and_number_of_rows_are_a_ledgers_own(tree):
    items = [row["item"] for row in rows_of(tree)]
    assert [row["item"] for row in rows_of("--top", "1", "--sort", "name", tree)] == items
    assert items[0] == "size"
    assert items[-1] == "rest"


def test_an_export_says_nothing_of_the_filesystem(tree, tmp_path):
    export = tmp_path / "export"
    assert scan("--format", "ncdu", "-o", export, str(tree)).returncode == 0
    scanned = scan("--explain", "--from", export)
    assert scanned.returncode == 2
    assert b"'--explain'" in scanned.stderr
