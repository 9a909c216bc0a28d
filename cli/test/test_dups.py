"""The results of `fathom dups`: each format, exit codes, odd names, hard links."""

import base64
import csv
import errno
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import schemas
from conftest import (
    FATHOM,
    NOBODY,
    PATIENCE,
    as_nobody,
    catches,
    dups,
    dups_on_terminal,
    environment,
    let_nobody_through,
    make_huge_files,
    needs_proc,
    run,
    until,
    width,
)
from test_hostile import NEEDS_MOUNTS, with_mounts

CONTENT = b"the same in every copy " * 400


def found(*arguments, **options):
    """The JSON result of a complete search."""
    searched = dups("--format", "json", *map(os.fspath, arguments), **options)
    assert (searched.returncode, searched.stderr) == (0, b"")
    return json.loads(searched.stdout)


def fill(root, contents):
    for name, content in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.fixture
def pair(tmp_path):
    """A folder with two equal files, and a different one of the same size."""
    other = CONTENT[:-1] + b"!"
    return fill(tmp_path / "pair", {"one": CONTENT, "two": CONTENT, "other": other})


def test_equal_files_are_a_group(pair):
    result = found(pair)
    assert result["schema"] == "fathom.dups/1"
    [group] = result["groups"]
    assert group["size"] == len(CONTENT)
    assert group["paths"] == [str(pair / "one"), str(pair / "two")]
    assert group["hardlinks"] == [] and group["keep"] == 0
    assert group["wasted_bytes"] == (pair / "two").stat().st_blocks * 512
    assert result["totals"]["groups"] == 1 and result["totals"]["files"] == 2
    assert result["totals"]["wasted_bytes"] == group["wasted_bytes"]
    assert result["accuracy"] == {"complete": True, "unreadable": 0, "changed": 0}


def test_the_default_path_is_the_current_directory(pair):
    assert found(cwd=pair)["groups"][0]["paths"] == ["./one", "./two"]


def test_files_that_differ_in_one_byte_are_not_duplicates(tmp_path):
    for place in (0, 70_000, 139_999):
        content = bytearray(140_000)
        content[place] = 1
        (tmp_path / f"{place}").write_bytes(content)
    assert found(tmp_path)["groups"] == []
    assert dups(str(tmp_path)).stdout.startswith(b"No duplicates, ")


def test_hard_links_are_not_duplicates(tmp_path):
    fill(tmp_path, {"one": CONTENT})
    os.link(tmp_path / "one", tmp_path / "two")
    assert found(tmp_path)["groups"] == []


@pytest.fixture
def linked(tmp_path):
    """A group that is already partly hard-linked."""
    root = fill(tmp_path / "linked", {"a": CONTENT, "b": CONTENT})
    for name, of in {"a again": "a", "b again": "b", "z": "a"}.items():
        os.link(root / of, root / name)
    return root


def test_a_partly_linked_group_has_each_file_once(linked):
    [group] = found(".", cwd=linked)["groups"]
    assert group["paths"] == ["./a", "./b"]
    assert group["hardlinks"] == ["./a again", "./z", "./b again"]
    assert group["hardlink_of"] == [0, 0, 1]
    assert group["wasted_bytes"] == (linked / "b").stat().st_blocks * 512


def test_text_distinguishes_links_from_copies(linked):
    lines = dups(cwd=linked).stdout.decode().splitlines()
    assert [line.split() for line in lines[3:8]] == [
        ["keep", "./a"], ["link", "./a", "again"], ["link", "./z"], ["copy", "./b"],
        ["link", "./b", "again"]]
    assert lines[8] == "  link: another name of the file above"


def test_csv_has_a_line_for_each_name(linked):
    rows = list(csv.reader(io.StringIO(dups("--format", "csv", cwd=linked).stdout.decode(),
                                       newline="")))
    assert rows[0] == ["group", "size", "wasted_bytes", "keep", "path", "hardlink_of", "storage_of"]
    wasted = str((linked / "b").stat().st_blocks * 512)
    start = ["1", str(len(CONTENT)), wasted]
    assert rows[1:] == [
        [*start, "true", "./a", "", ""], [*start, "true", "./a again", "./a", ""],
        [*start, "true", "./z", "./a", ""], [*start, "false", "./b", "", ""],
        [*start, "false", "./b again", "./b", ""]]


def test_empty_files_are_duplicates_only_on_request(tmp_path):
    fill(tmp_path, {"a": b"", "b": b"", "c": b"x"})
    assert found(tmp_path)["groups"] == []
    [group] = found("--empty", tmp_path)["groups"]
    assert group["size"] == 0 and group["wasted_bytes"] == 0 and len(group["paths"]) == 2
    text = dups("--empty", cwd=tmp_path).stdout.decode()
    assert "2 files of 0 B" in text and "./a\n" in text


def test_holes_are_zeros(tmp_path):
    with open(tmp_path / "hole", "wb") as hole:
        hole.truncate(300_000)
    (tmp_path / "zeros").write_bytes(bytes(300_000))
    assert len(found(tmp_path)["groups"][0]["paths"]) == 2


@pytest.mark.parametrize("options, wanted", [
    (["--min-size", "9000"], ["big"]), (["--ext", "txt"], ["small"]),
    (["--exclude", "big*"], ["small"]), (["--newer", "@2000000000"], ["big"]),
    (["--older", "@2000000000"], ["small"]), ([], ["big", "small"])], ids=str)
def test_the_compared_files_can_be_selected(tmp_path, options, wanted):
    fill(tmp_path, {"big": CONTENT, "sub/big": CONTENT, "small.txt": b"x", "sub/small.txt": b"x"})
    for path in tmp_path.rglob("*"):
        os.utime(path, (0, 3_000_000_000 if path.name == "big" else 1_000_000_000))
    groups = found(*options, ".", cwd=tmp_path)["groups"]
    assert [pathlib.Path(group["paths"][0]).stem for group in groups] == wanted


def test_dropping_the_cache_changes_no_result(pair):
    assert found("--drop-cache", pair)["groups"] == found(pair)["groups"]


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_results_are_the_same_for_every_number_of_threads(tree, threads):
    def groups(*options):
        result = found(*options, tree)
        return result["groups"], result["directories"], result["totals"]["wasted_bytes"]
    assert groups("-j", threads) == groups()


@pytest.fixture
def albums(tmp_path):
    """Two equal directories, and a copy of one of their files elsewhere."""
    root = tmp_path / "albums"
    for name in ("first", "second"):
        fill(root / name, {"a.jpg": b"a" * 5000, "b.jpg": b"b" * 6000, "deep/c.jpg": b"c" * 7000,
                           "deep/empty": b""})
        (root / name / "link").symlink_to("a.jpg")
        (root / name / "hollow").mkdir()
    fill(root, {"loose.jpg": b"b" * 6000})
    return root


def test_equal_directories_are_one_line(albums):
    text = dups(cwd=albums).stdout.decode()
    directories, files = text.split("\n\n")[:2]
    assert re.fullmatch(r"Duplicate directories\n +Wasted\n +[\d.]+ KiB  2 directories of 4 files, "
                        r"18 KiB\n +keep  \./first/\n +copy  \./second/", directories)
    # Only files that the directories do not explain are listed.
    assert re.findall(r"\S+\.jpg", files) == ["./first/b.jpg", "./loose.jpg", "./second/b.jpg"]
    assert re.fullmatch(r"3 groups of 7 files \(2 groups within equal directories\), [\d.]+ KiB wasted, "
                        r"[\d.]+ \w+", text.splitlines()[-1])


def test_json_has_the_directories_and_all_groups(albums):
    result = found(".", cwd=albums)
    copies = sum((albums / "second" / name).stat().st_blocks * 512
                 for name in ("a.jpg", "b.jpg", "deep/c.jpg"))
    assert result["directories"] == [{"paths": ["./first", "./second"], "files": 4, "bytes": 18_000,
                                      "wasted_bytes": copies}]
    assert len(result["groups"]) == 3


@pytest.mark.parametrize("spoil", [
    lambda second: (second / "deep" / "empty").write_bytes(b"!"),
    lambda second: (second / "more").touch(),
    lambda second: (second / "hollow").rmdir(),
    lambda second: ((second / "link").unlink(), (second / "link").symlink_to("b.jpg")),
    lambda second: (second / "a.jpg").rename(second / "d.jpg"),
], ids=["content", "more", "less", "link", "name"])
def test_directories_that_differ_are_not_folded(albums, spoil):
    spoil(albums / "second")
    told = [group["paths"] for group in found(".", cwd=albums)["directories"]]
    assert ["./first", "./second"] not in told


def test_a_directory_with_excluded_entries_is_not_equal(albums):
    assert found("--exclude", "a.jpg", ".", cwd=albums)["directories"] == [
        {**found("first/deep", "second/deep", cwd=albums)["directories"][0],
         "paths": ["./first/deep", "./second/deep"]}]


def test_only_what_matches_a_rule_is_compared(albums):
    groups = found("--only", "a.jpg", "--only", "second/deep", ".", cwd=albums)["groups"]
    names = {path for group in groups for path in group["paths"]}
    assert names and all(name.endswith("/a.jpg") or name.startswith("./second/deep/") for name in names)


def test_filters_that_match_nothing_are_reported_in_one_sentence(albums):
    for view in ([], ["--summary"], ["--plain"]):
        searched = dups("--ext", "iso", *view, ".", cwd=albums)
        assert (searched.returncode, searched.stderr) == (0, b"")
        assert re.fullmatch(r"No entries match the filters \(\d+ checked\)\.",
                            searched.stdout.decode().splitlines()[-1])
    some = dups("--ext", "jpg", ".", cwd=albums).stdout.decode()
    assert "filtered out" in some and "No entries match" not in some


def test_the_paths_can_be_equal_directories(albums):
    [group] = found("first", "second", cwd=albums)["directories"]
    assert group["paths"] == ["first", "second"]


def test_top_limits_the_groups_in_every_format(albums):
    result = found("--top", "1", ".", cwd=albums)
    assert len(result["groups"]) == 1 and result["totals"]["groups"] == 3
    rows = dups("--top", "1", "--format", "csv", cwd=albums).stdout.decode().splitlines()
    assert {row.split(",")[0] for row in rows[1:]} == {"1"}
    report = json.loads(dups("--top", "1", "--format", "fclones", cwd=albums).stdout)
    assert len(report["groups"]) == 1


def test_text_reports_what_top_omits(tmp_path):
    for number in range(5):
        fill(tmp_path, {f"{number}-a": b"x" * (number + 1), f"{number}-b": b"x" * (number + 1)})
    text = dups("--top", "2", cwd=tmp_path).stdout.decode()
    assert text.count("keep") == 2
    assert re.search(r"\n  and 3 more groups, [\d.]+ \w+ wasted; --all shows them all\n", text)


def many(root, groups, copies):
    for group in range(groups):
        fill(root, {f"{group:02}-{copy:02}": b"%02d" % group for copy in range(copies)})
    return root


@pytest.mark.parametrize("rows, groups, names", [(24, 3, 4), (45, 4, 7), (60, 4, 10), (100, 7, 10)])
@pytest.mark.parametrize("columns", [80, 120])
def test_the_report_fits_the_screen(tmp_path, rows, groups, names, columns):
    many(tmp_path, 23, 12)
    _, shown = dups_on_terminal("--color", "never", cwd=tmp_path, rows=rows, columns=columns)
    lines = shown.splitlines()
    assert len(lines) < rows  # the prompt takes a line
    assert len(lines) + 1 + names + 1 >= rows - 2  # and no further group would fit
    assert shown.count("keep") == groups
    assert shown.count(f"and {12 - names} more\n") == groups
    assert shown.count("copy") == groups * (names - 1)
    assert f"\n  {23 - groups} more groups of files, each wasting at most 44 KiB; --all shows them all\n\n" in shown


def test_the_report_fits_a_narrow_screen(tmp_path):
    many(tmp_path, 23, 12)
    _, shown = dups_on_terminal("--color", "never", cwd=tmp_path, rows=24, columns=40)
    assert len(shown.splitlines()) < 24 and shown.count("keep") == 2
    assert "\n  21 more groups of files,\n  each wasting at most 44 KiB;\n  --all shows them all\n\n" in shown


def test_the_report_fits_a_screen_that_does_not_report_its_size(tmp_path):
    many(tmp_path, 23, 12)
    assert len(dups_on_terminal(cwd=tmp_path, rows=0, columns=0)[1].splitlines()) in range(20, 24)


def test_the_groups_that_waste_most_are_shown_first(tmp_path):
    """Of both lists, and the closing line is a bound for the others."""
    for number in range(1, 12):
        content = bytes([number]) * 4096 * number
        fill(tmp_path, {f"one/{number}/x": content, f"two/{number}/x": content, f"two/{number}/y{number}": b""}
             if number % 2 else {f"one/{number}": content, f"three/{number}": content})
        if number % 2:
            fill(tmp_path, {f"one/{number}/y{number}": b""})
    _, shown = dups_on_terminal("--color", "never", cwd=tmp_path, rows=24)
    assert re.findall(r"^ +(\d+) KiB  2 (\w+)", shown, re.M) == [
        ("44", "directories"), ("36", "directories"), ("40", "files"), ("32", "files")]
    assert ("\n  4 more groups of directories and 3 of files, each wasting at most 28 KiB;\n"
            "  --all shows them all\n") in shown
    assert "\n11 groups of 22 files (6 groups within equal directories), " in shown


def test_a_terminal_shows_everything_that_fits(tmp_path):
    many(tmp_path, 3, 2)
    _, shown = dups_on_terminal("--color", "never", cwd=tmp_path, rows=24)
    assert shown.count("keep") == 3 and " more" not in shown
    one = dups_on_terminal("--color", "never", cwd=tmp_path, rows=12)[1]
    assert one.count("keep") == 2
    assert re.search(r"\n  1 more group of files, wasting [\d.]+ \w+; --all shows it\n", one)


def test_a_group_has_more_names_where_no_other_group_would_fit(tmp_path):
    many(tmp_path, 1, 12)
    for rows, names in ((24, 10), (16, 9), (12, 5), (8, 2)):
        _, shown = dups_on_terminal("--color", "never", cwd=tmp_path, rows=rows)
        assert shown.count("./00-") == names and f"and {12 - names} more\n" in shown
        assert len(shown.splitlines()) < rows or rows == 8


def test_messages_on_the_same_screen_take_part_of_it(tmp_path):
    many(tmp_path, 23, 2)
    arguments = ["--color", "never", ".", *(f"no such directory {i}" for i in range(9))]
    code, shown = dups_on_terminal(*arguments, "--plan", "../plan", cwd=tmp_path / ".", rows=24)
    assert code == 1 and shown.count("\nfathom: ") >= 5 and 15 < len(shown.splitlines()) < 24


def test_top_is_a_limit_on_a_terminal_too(tmp_path):
    many(tmp_path, 23, 12)
    _, shown = dups_on_terminal("--top", "5", "--color", "never", cwd=tmp_path, rows=24)
    assert shown.count("keep") == 5 and shown.count("and 2 more\n") == 5
    assert re.search(r"\n  and 18 more groups, [\d.]+ \w+ wasted; --all shows them all\n", shown)


def test_everything_is_shown_on_request_and_in_a_pipe(tmp_path):
    many(tmp_path, 23, 12)
    for text in (dups_on_terminal("--all", "--color", "never", cwd=tmp_path)[1],
                 dups(cwd=tmp_path).stdout.decode()):
        assert text.count("keep") == 23 and text.count("copy") == 23 * 11 and " more" not in text


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_text_fits_the_terminal(albums, columns):
    fill(albums, {"long " * 30 + "name": CONTENT, "大きなファイル" * 8: CONTENT})
    code, shown = dups_on_terminal("--color", "never", cwd=albums, columns=columns)
    assert code == 0
    assert max(map(width, shown.splitlines())) <= columns


def test_names_are_complete_in_a_pipe(albums):
    name = "long " * 30 + "name"
    fill(albums, {name: CONTENT, name + "2": CONTENT})
    assert name in dups(cwd=albums, env={"COLUMNS": "40"}).stdout.decode()


def test_the_summary_has_only_sums(albums):
    lines = [line.split(None, 2) for line in
             dups("--summary", cwd=albums).stdout.decode().splitlines()]
    assert lines[0][2] == "wasted"
    assert lines[1] == ["3", "groups", "of 7 files"] and lines[2][:2] == ["1", "group"]
    assert lines[2][2] == "of directories, with 2 of the groups of files"
    assert len(lines) == 6


def test_plain_has_one_fact_per_line(albums):
    os.link(albums / "first" / "b.jpg", albums / "first" / "bb.jpg")
    code, shown = dups_on_terminal("--plain", "--color", "always", cwd=albums)
    assert code == 0
    assert not re.search("[\x1b\r█─│≥…]", shown)
    assert "\nLink, another name of the file above: ./first/bb.jpg\n" in shown
    assert "\nDuplicate files: 3 of 5.9 KiB, 6,000 bytes, wasted: " in shown
    assert "\n3 groups of 7 files\n" in shown


def test_colours_are_for_terminals(albums):
    _, shown = dups_on_terminal(cwd=albums)
    assert "\x1b[1;34m./first/\x1b[0m" in shown
    assert b"\x1b" not in dups(cwd=albums).stdout
    assert "\x1b" not in dups_on_terminal(cwd=albums, env={"NO_COLOR": "1"})[1]


def test_progress_is_for_terminals_and_on_standard_error(pair):
    assert dups(str(pair)).stderr == b""
    searched = dups("--progress", "always", "--format", "json", str(pair))
    assert json.loads(searched.stdout)["totals"]["groups"] == 1
    assert b" entries" in searched.stderr


HOSTILE = [b"new\nline", b"\x1b[2J", b"not \xff utf-8", "\u202egnp.exe".encode(), b" blank ",
           b"back\\slash", b'quote"d,', b"-dash"]


@pytest.fixture
def hostile(tmp_path):
    root = tmp_path / "hostile"
    root.mkdir()
    for name in HOSTILE:
        with open(os.path.join(os.fsencode(root), name), "wb") as file:
            file.write(CONTENT)
    return root


def test_hostile_names_are_escaped_in_text(hostile):
    for shown in (dups(cwd=hostile).stdout.decode(),
                  dups_on_terminal("--color", "never", cwd=hostile)[1]):
        assert shown.count("\n") == 2 + 1 + len(HOSTILE) + 2
        assert "\x1b" not in shown and "\u202e" not in shown
        assert "./not \\xff utf-8" in shown and "./\\x20blank\\x20" in shown


def test_json_and_csv_have_every_byte_of_a_name(hostile):
    [group] = found(".", cwd=hostile)["groups"]
    names = [os.fsencode(path) if coded is None else base64.b64decode(coded)
             for path, coded in zip(group["paths"], group["paths_b64"])]
    assert names == sorted(b"./" + name for name in HOSTILE)
    text = dups("--format", "csv", cwd=hostile).stdout.decode(errors="surrogateescape")
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [os.fsencode(row[4]) for row in rows] == names


def test_json_matches_its_schema(linked, albums, hostile, guarded, tmp_path):
    for arguments in ([linked], [albums, "--top", "1", "--exclude", "*.txt"], [hostile]):
        schemas.assert_described(found(*arguments), "fathom.dups/1")
    told = json.loads(dups("--format", "json", str(guarded), "/nowhere at all", **as_nobody()).stdout)
    schemas.assert_described(told, "fathom.dups/1")
    assert told["errors"]
    assert run("snapshot", str(linked), "--store", str(tmp_path / "store")).returncode == 0
    (linked / "a").write_bytes(b"changed")
    told = json.loads(dups("--format", "json", "--from", "@latest", "--store", str(tmp_path / "store")).stdout)
    schemas.assert_described(told, "fathom.dups/1")
    assert told["changed"]
    told["totals"]["files"] = "many"
    assert not schemas.is_valid(told)


def test_fclones_report_has_every_byte_of_a_name(hostile):
    report = json.loads(dups("--format", "fclones", cwd=hostile).stdout)
    [group] = report["groups"]
    def decoded(text):  # STFU-8
        parts = re.split(r"(\\x[0-9A-F]{2}|\\[\\nrt])", text)
        escapes = {"\\\\": b"\\", "\\n": b"\n", "\\r": b"\r", "\\t": b"\t"}
        return b"".join(escapes.get(part) or bytes.fromhex(part[2:]) if part.startswith("\\")
                        else part.encode() for part in parts)
    here = os.fsencode(hostile.resolve()) + b"/"
    assert [decoded(path) for path in group["files"]] == sorted(here + name for name in HOSTILE)


def test_fclones_report_has_the_format_of_fclones(linked):
    report = json.loads(dups("--format", "fclones", ".", cwd=linked).stdout)
    header = report["header"]
    assert list(report) == ["header", "groups"]
    assert list(header) == ["version", "timestamp", "command", "base_dir", "stats"]
    assert header["command"] == ["fclones", "group", "--", "."]
    assert header["base_dir"] == str(linked.resolve())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", header["timestamp"])
    assert header["stats"] == {
        "group_count": 1, "total_file_count": 5, "total_file_size": 5 * len(CONTENT),
        "redundant_file_count": 4, "redundant_file_size": 4 * len(CONTENT),
        "missing_file_count": 0, "missing_file_size": 0}
    [group] = report["groups"]
    assert list(group) == ["file_len", "file_hash", "files"]
    assert re.fullmatch("[0-9a-f]{32}", group["file_hash"])
    names = ("a", "a again", "z", "b", "b again")
    assert group["files"] == [str(linked.resolve() / name) for name in names]


@pytest.mark.parametrize("command", ["link", "remove"])
def test_fclones_itself_reads_the_report(linked, command):
    if shutil.which("fclones") is None:
        pytest.skip("fclones is not installed")
    report = dups("--format", "fclones", ".", cwd=linked).stdout
    ran = subprocess.run(["fclones", command], input=report, cwd=linked, capture_output=True,
                         timeout=PATIENCE, check=False, env=environment())
    assert ran.returncode == 0, ran.stderr.decode()
    left = {path.name: path.stat().st_ino for path in linked.iterdir()}
    if command == "link":
        assert len(left) == 5 and len(set(left.values())) == 1
    else:
        assert sorted(left) == ["a", "a again", "z"]


def test_unreadable_files_are_in_no_group(pair):
    if os.geteuid() == 0 and as_nobody() == {}:
        pytest.skip("every file is readable for this user")
    (pair / "two").chmod(0)
    let_nobody_through(pair)
    searched = dups("--format", "json", str(pair), **as_nobody())
    assert searched.returncode == 1
    result = json.loads(searched.stdout)
    assert result["groups"] == []
    assert result["accuracy"] == {"complete": False, "unreadable": 1, "changed": 0}
    [error] = result["errors"]
    assert (error["path"], error["operation"], error["errno"]) == (
        str(pair / "two"), "open", errno.EACCES)
    assert searched.stderr.decode() == (
        f"fathom: cannot open {pair / 'two'}: Permission denied\n"
        "fathom: 1 entry could not be read and is in no group\n")
    text = dups(str(pair), **as_nobody()).stdout.decode()
    assert text.endswith("\n1 entry could not be read and is in no group.\n")


def test_a_missing_path_is_an_error_but_the_others_are_searched(pair):
    searched = dups("--format", "json", str(pair), "/nowhere at all")
    assert searched.returncode == 1
    assert json.loads(searched.stdout)["totals"]["groups"] == 1
    assert searched.stderr == b"fathom: cannot open /nowhere at all: No such file or directory\n"
    text = dups(str(pair), "/nowhere at all").stdout
    assert text.endswith(b"\nNot found: 1 path to search.\n")


def test_a_file_gets_the_complete_results(pair, tmp_path):
    results = tmp_path / "results.csv"
    told = dups("-o", str(results), "--format", "csv", ".", cwd=pair)
    assert (told.returncode, told.stdout, told.stderr) == (0, b"", b"")
    assert results.read_bytes() == dups("--format", "csv", ".", cwd=pair).stdout


def test_a_closed_pipe_is_not_an_error(tmp_path):
    many(tmp_path, 90, 12)
    reader, writer = os.pipe()
    os.close(reader)
    searched = dups(str(tmp_path), stdout=writer)
    os.close(writer)
    assert (searched.returncode, searched.stderr) == (0, b"")


@pytest.fixture
def huge(tmp_path):
    """A folder with equal files that take long to read, and two small ones."""
    root = fill(tmp_path / "huge", {"small": CONTENT, "small too": CONTENT})
    make_huge_files(root)
    return root


@needs_proc
def test_a_signal_requests_the_progress_of_the_comparison(huge):
    process = subprocess.Popen([FATHOM, "dups", "--summary", huge], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment())
    until(lambda: catches(process, signal.SIGUSR1))
    line = b"-"
    while line and not line.startswith(b"comparing "):
        process.send_signal(signal.SIGUSR1)
        line = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert re.match(rb"comparing \d+%  [\d.]+ \w+ of 8\.0 TiB  ", line)


def test_interrupting_a_comparison_is_safe(huge):
    for _ in range(3):
        process = subprocess.Popen([FATHOM, "dups", "--progress", "always", "--format", "json", huge],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        told = [process.stderr.readline()]
        while told[-1] and not told[-1].startswith(b"comparing "):
            told.append(process.stderr.readline())
        process.send_signal(signal.SIGINT)
        results, rest = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        result = json.loads(results)
        assert all(len(group["paths"]) == 2 for group in result["groups"])
        assert not result["accuracy"]["complete"]
        assert b"interrupted; the groups confirmed" in rest


@pytest.mark.parametrize("format", ["text", "json"])
def test_an_interrupted_search_prints_confirmed_groups(huge, format):
    process = subprocess.Popen([FATHOM, "dups", "--progress", "always", "--format", format, huge],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    while not process.stderr.readline().startswith(b"comparing "):
        pass
    process.send_signal(signal.SIGINT)
    results, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert told.endswith(b"fathom: interrupted; the groups confirmed so far follow\n")
    if format == "json":
        accuracy = json.loads(results)["accuracy"]
        assert accuracy["complete"] is False and accuracy["interrupted"] is True
    else:
        assert results.endswith(b"\nInterrupted: the results are incomplete.\n")


def test_an_unreadable_directory_is_reported_to_an_ordinary_user(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can act as another user")
    root = fill(tmp_path / "root", {"secret/one": CONTENT, "one": CONTENT})
    (root / "secret").chmod(0)
    os.chown(root, NOBODY, NOBODY)
    let_nobody_through(root)
    searched = dups("--format", "json", str(root), **as_nobody())
    (root / "secret").chmod(0o700)
    assert searched.returncode == 1
    assert json.loads(searched.stdout)["groups"] == []


REFLINKS = """
truncate -s 128M image
mkfs.btrfs -q image >&2 && mount -o loop image top || exit 77
head -c 300000 /dev/urandom >top/a
cp --reflink=always top/a top/z && cp --reflink=always top/a top/y && cp --reflink=never top/a top/b
ln top/z top/zz
sync top/a
"$1" dups top
"$1" dups --format csv top
"$1" dups --format json top
"""


@NEEDS_MOUNTS
@pytest.mark.skipif(not shutil.which("mkfs.btrfs"), reason="mkfs.btrfs is not installed")
def test_files_that_share_blocks_are_distinguished_from_copies(tmp_path):
    (tmp_path / "top").mkdir()
    text, rows, result = re.fullmatch(r"(.*?)(group,.*?)(\{.*)",
                                      with_mounts(REFLINKS, tmp_path).decode(), re.S).groups()
    assert re.findall(r"(\w+)  (top/\w+)$", text, re.M) == [
        ("keep", "top/a"), ("clone", "top/y"), ("clone", "top/z"), ("link", "top/zz"),
        ("copy", "top/b")]
    assert ("\n  link: another name of the file above; clone: shares its blocks with the file above\n\n"
            in text)
    [group] = json.loads(result)["groups"]
    assert group["paths"] == ["top/a", "top/b", "top/y", "top/z"]
    assert [group["storage"][0] == storage for storage in group["storage"]] == [
        True, False, True, True]
    assert 300_000 <= group["wasted_bytes"] < 2 * 300_000  # the bytes of b
    shares = {row["path"]: row["storage_of"] for row in csv.DictReader(io.StringIO(rows))}
    assert shares == {"top/a": "", "top/b": "", "top/y": "top/a", "top/z": "top/a",
                      "top/zz": "top/a"}
