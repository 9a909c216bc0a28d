"""Moments: what --recent, --newer and --older take, and entries with times in the future."""

import csv
import io
import json
import os
import time

import pytest

from conftest import scan


def touch(path, when):
    path.touch()
    os.utime(path, (when, when))


def listed(*arguments, **options):
    """The names of the files that the JSON of --recent contains, in its order."""
    told = json.loads(scan("--format", "json", *arguments, **options).stdout)
    return [os.path.basename(row["path"]) for row in told["reports"]["recent"]]


NOON = 1_793_514_600  # 2026-11-01, 12:00 in ZONE
ZONE = {"TZ": "Asia/Kolkata"}
DAYS = {"now": 0, "midnight": -43_200, "last evening": -43_201, "yesterday": -129_600, "the day before": -129_601}


@pytest.fixture
def days(tmp_path):
    """A saved scan, so that the results do not depend on the time of day of the test."""
    saved = tmp_path / "saved.json"
    entries = [{"name": name, "mtime": NOON + seconds} for name, seconds in DAYS.items()]
    saved.write_text(json.dumps([1, 2, {"timestamp": NOON}, [{"name": "/srv"}, *entries]]))
    return ["--from", saved]


@pytest.mark.parametrize("when, names", [
    ("1h", ["now"]),
    ("today", ["now", "midnight"]),
    ("2026-11-01", ["now", "midnight"]),
    ("2026-11-01T12:00", ["now"]),
    ("yesterday", ["now", "midnight", "last evening", "yesterday"]),
    ("3d", ["now", "midnight", "last evening", "yesterday", "the day before"]),
    ("@0", ["now", "midnight", "last evening", "yesterday", "the day before"]),
])
def test_recent_takes_the_same_moments_as_newer(days, when, names):
    assert listed("--recent", when, *days, env=ZONE) == names
    assert listed("--recent", "@0", "--newer", when, *days, env=ZONE) == names


def test_a_day_begins_at_its_first_second(days):
    assert listed("--recent", "@0", "--older", "yesterday", *days, env=ZONE) == ["the day before"]
    between = listed("--recent", "@0", "--newer", "yesterday", "--older", "today", *days, env=ZONE)
    assert between == ["last evening", "yesterday"]
    assert listed("--recent", "@0", "--older", "2026-10-31", *days, env=ZONE) == ["the day before"]


def test_whether_an_age_and_a_day_exclude_each_other_depends_on_the_saved_scan(days):
    assert listed("--recent", "@0", "--newer", "13h", "--older", "today", *days, env=ZONE) == ["last evening"]
    assert listed("--recent", "@0", "--newer", "11h", "--older", "today", *days, env=ZONE) == []


def test_the_days_of_a_scan_are_those_of_the_present(tmp_path):
    touch(tmp_path / "now", int(time.time()))
    touch(tmp_path / "three days ago", int(time.time()) - 3 * 86_400)
    assert listed("--recent", "yesterday", tmp_path) == ["now"]


# ---- Times in the future

@pytest.fixture
def future(tmp_path):
    now = int(time.time())
    touch(tmp_path / "just now", now)
    touch(tmp_path / "an hour ago", now - 3600)
    touch(tmp_path / "2065", 3_000_000_000)
    touch(tmp_path / "2400", 13_569_465_600)
    return tmp_path


def test_times_in_the_future_come_last_and_are_marked(future):
    rows = json.loads(scan("--format", "json", "--recent", "1d", future).stdout)["reports"]["recent"]
    assert [(os.path.basename(row["path"]), row["future"]) for row in rows] == [
        ("just now", False), ("an hour ago", False), ("2400", True), ("2065", True)]
    text = scan("--format", "csv", "--recent", "1d", future).stdout.decode()
    assert [row["future"] for row in csv.DictReader(io.StringIO(text))] == ["false", "false", "true", "true"]


def test_text_shows_times_in_the_future_apart_and_counts_them(future):
    parts = scan("--recent", "1d", future).stdout.decode().split("\n\n")
    assert [part.splitlines()[0] for part in parts] == ["Recently modified",
                                                       "Modified in the future: 2 entries"]
    assert "just now" in parts[0] and "2065" not in parts[0]
    assert "2065" in parts[1] and "just now" not in parts[1]
    assert parts[1].splitlines()[1].split()[-1] == "Path"  # without a column that says it again
    plain = scan("--plain", "--recent", "1d", future).stdout.decode()
    assert "\nModified in the future: 2 entries\nPath: " in plain


def test_recent_entries_come_first_in_every_order(future):
    for order, names in (("name", ["an hour ago", "just now", "2065", "2400"]),
                         ("mtime", ["just now", "an hour ago", "2400", "2065"])):
        assert listed("--recent", "1d", "--sort", order, future) == names
    assert listed("--recent", "1d", "--top", "3", future) == ["just now", "an hour ago", "2400"]


def test_the_top_of_recent_still_counts_times_in_the_future(future):
    text = scan("--recent", "1d", "--top", "1", future).stdout.decode()
    assert text.count("and 1 more") == 2
    assert "Modified in the future: 2 entries" in text


def test_without_times_in_the_future_there_is_no_part_for_them(small):
    assert "future" not in scan("--recent", "1d", small).stdout.decode()


# ---- Extensions, and selections that match nothing

def test_an_extension_may_have_its_dot(tmp_path):
    (tmp_path / "a.log").write_text("x")
    (tmp_path / "b.txt").write_text("x")
    told = [scan("--ext", ext, "--largest-files", "9", tmp_path).stdout for ext in ("log", ".log", ".LOG")]
    assert b"a.log" in told[0] and b"b.txt" not in told[0]
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("report", [[], ["--summary"], ["--largest-files", "3"], ["--tree"], ["--plain"]],
                         ids=" ".join)
def test_a_selection_that_matches_nothing_says_so_in_one_sentence(tmp_path, report):
    for number in range(1500):
        (tmp_path / f"{number}.txt").touch()
    scanned = scan("--ext", "log", *report, tmp_path)
    assert (scanned.returncode, scanned.stderr) == (0, b"")
    assert scanned.stdout.decode().splitlines()[-1] == "No entries match the filters (1,501 checked)."
