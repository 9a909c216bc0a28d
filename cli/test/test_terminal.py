"""Differences on and off a terminal: widths, colours, progress."""

import json
import os
import pathlib
import re

import pytest

from conftest import as_nobody, command_on_terminal, on_terminal, run, scan, width

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@pytest.mark.parametrize("columns", [40, 41, 59, 60, 80, 123, 200, 500])
def test_the_tree_view_is_as_wide_as_the_terminal(tree, columns):
    code, shown = on_terminal(tree, columns=columns)
    assert code == 0
    widths = [width(ESCAPE.sub("", line)) for line in shown.splitlines()]
    assert max(widths) <= columns


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_off_a_terminal_columns_sets_the_width(tree, columns):
    (tree / ("n" * 250)).write_bytes(b"x" * 900_000)
    lines = scan(str(tree), env={"COLUMNS": columns}).stdout.decode().splitlines()
    assert max(map(width, lines)) == int(columns)


@pytest.mark.parametrize("columns", [None, "", "wide", "-3", "80 "])
def test_without_both_the_width_is_eighty_columns(tree, columns):
    (tree / ("n" * 250)).write_bytes(b"x" * 900_000)
    lines = scan(str(tree), env={"COLUMNS": columns}).stdout.decode().splitlines()
    assert max(map(width, lines)) == 80


@pytest.mark.parametrize("columns", ["0", "1", "39", "99999999", "99999999999999999999"])
def test_invalid_widths_do_no_harm(tree, columns):
    assert scan(str(tree), env={"COLUMNS": columns}).returncode == 0


def test_every_kind_of_entry_is_shown_at_any_width(tree):
    for columns in (40, 60, 200):
        _, shown = on_terminal("--color", "never", tree, columns=columns)
        entries = " ".join(shown.split("Tree by")[0].split())
        assert re.search(r"[\d,]+ entries: \d+ files, \d+ directories, 2 symlinks, 1 other ", entries)


def test_kinds_have_marks_and_colours(tree):
    lines = on_terminal("--tree", "--depth", "1", tree)[1].splitlines()
    painted = {}
    for line in lines[2:]:
        colour, name = re.search(r"(\x1b\[[\d;]*m)?([\w ]+[/@|]?)(?:\x1b\[0m)?$", line).groups()
        painted[name] = None if colour == "\x1b[0m" else colour  # it ends the colour of the lines
    assert {"empty/", "hole", "link@", "dangling@", "pipe|"} < set(painted)
    assert painted["hole"] is None
    assert len({painted["empty/"], painted["link@"], painted["pipe|"]}) == 3
    assert None not in (painted["empty/"], painted["link@"], painted["pipe|"])


def test_plain_has_no_bars_colours_or_progress(tree):
    code, shown = on_terminal("--plain", "--color", "always", tree)
    assert code == 0
    assert "\x1b" not in shown and "\r" not in shown and shown.isascii()
    assert f", 100%, directory {tree}\n" in shown
    assert "Symbolic links: 2\n" in shown
    assert "at least " not in shown


def test_plain_marks_lower_bounds_in_words(guarded):
    shown = scan("--plain", "--largest-dirs", "1", "--all-levels", "--tree", str(guarded), **as_nobody()).stdout
    assert b"Disk usage: at least " in shown
    assert b"\nat least " in shown and b", 100%, directory" in shown


def test_top_and_depth_limit_the_tree_view(tree):
    lines = scan("--tree", "--top", "4", str(tree)).stdout.decode().splitlines()
    assert len(lines) == 1 + 4 + 1  # a title and the rest
    lines = scan("--tree", "--depth", "1", str(tree)).stdout.decode().splitlines()
    assert len(lines) == 1 + 1 + 12 + 1  # further names of a file have no line
    assert lines[-1].split() == ["0", "B", "0%", "and", "1", "more", "entry"]


def test_top_limits_lists_and_reports_it(tree):
    lines = scan("--largest-files", "9", "--top", "2", str(tree)).stdout.decode().splitlines()
    assert len(lines) == 2 + 2 + 1 and lines[-1] == "  and 7 more"
    rows = json.loads(scan("--largest-files", "9", "--top", "2", "--format", "json",
                           str(tree)).stdout)["reports"]["largest_files"]
    assert len(rows) == 2


@pytest.mark.parametrize("arguments", [["--histogram"], ["--ages"]], ids=" ".join)
def test_top_of_a_scale_shows_the_largest_steps(tree, arguments):
    for folder in tree.rglob("file-*"):
        os.utime(folder, (0, 0))

    def rows_of(*more):
        rows = json.loads(scan(*arguments, *more, "--format", "json", str(tree)).stdout)["reports"][arguments[0][2:]]
        # Ages are relative to the second of the scan, which may differ between two scans.
        return [{key: row[key] for key in row if key not in ("from", "until")} for row in rows]

    rows = rows_of()
    top = rows_of("--top", "2")
    largest = sorted(rows, key=lambda row: -row["disk_bytes"])[:2]
    assert top == [row for row in rows if row in largest]
    lines = scan(*arguments, "--top", "2", str(tree)).stdout.decode().splitlines()
    assert len(lines) == 2 + 2 + 1 and lines[-1] == f"  and {len(rows) - 2} more"


def test_depth_zero_shows_only_the_roots(tree, small):
    lines = scan("--tree", "--depth", "0", tree.name, small.name,
                 cwd=tree.parent).stdout.decode().splitlines()
    assert len(lines) == 1 + 2
    assert lines[1].endswith(" a tree/") and lines[2].endswith(" small/")


def test_a_row_with_joined_directories_is_one_level(tmp_path):
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c" / "file").write_bytes(b"x")
    lines = scan("--tree", "--depth", "1", ".", cwd=tmp_path).stdout.decode().splitlines()
    assert len(lines) == 1 + 2 and lines[-1].endswith("a/b/c/file")
    (tmp_path / "a" / "b" / "c" / "another").write_bytes(b"x")
    lines = scan("--tree", "--depth", "1", ".", cwd=tmp_path).stdout.decode().splitlines()
    assert len(lines) == 1 + 2 and lines[-1].endswith("a/b/c/")
    assert "a/b/" in scan("--help").stdout.decode()


def test_plain_shows_sizes_in_bytes(tree):
    summary = json.loads(scan("--format", "json", str(tree)).stdout)["reports"]["summary"]
    lines = scan("--plain", "--summary", str(tree)).stdout.decode().splitlines()
    exact = [line.split(", ", 1)[1] for line in lines if ", " in line and line.endswith(" bytes")]
    assert exact == [f"{summary['disk_bytes']:,} bytes", f"{summary['apparent_bytes']:,} bytes"]


def test_a_narrow_terminal_keeps_the_main_column_of_a_report(tree):
    def narrow(*arguments):
        return on_terminal("--color", "never", *arguments, tree, columns=40)[1]

    assert narrow("--recent", "52w").splitlines()[1].split() == ["Modified", "Path"]
    assert narrow("--largest-files", "3").splitlines()[1].split() == ["Disk", "usage", "Path"]
    stats = narrow("--stats").splitlines()
    assert re.search(r"deeper/file-\d+$", stats[stats.index("  Deepest path") + 1])
    assert max(map(width, stats)) <= 40


def test_dropped_columns_are_reported_once(tree):
    one = on_terminal("--color", "never", "--recent", "52w", tree, columns=40)[1].splitlines()
    note = " ".join(one[one.index("") + 1:])
    assert note == "2 columns hidden: widen the terminal or use --format csv"
    two = on_terminal("--color", "never", "--recent", "52w", "--owners", tree, columns=40)[1]
    assert two.count("hidden:") == 1 and two.endswith("use --format json\n")
    painted = on_terminal("--recent", "52w", tree, columns=60)[1].splitlines()[-1]
    assert painted.startswith("\x1b[2m")
    assert "hidden" not in on_terminal("--recent", "52w", tree, columns=200)[1]
    assert b"hidden" not in scan("--recent", "52w", str(tree), env={"COLUMNS": "40"}).stdout


def test_lists_can_be_sorted(tree):
    paths = [row["path"] for row in json.loads(scan(
        "--largest-dirs", "9", "--sort", "name", "--format", "json", str(tree)
    ).stdout)["reports"]["largest_dirs"]]
    assert paths == sorted(paths) and len(paths) == 9


# ---- The default view, fitted to the height

def many_files(folder):
    for number in range(150):
        (folder / f"file {number}").write_bytes(b"x" * 10_000)
    return folder


def lines_on_screen(shown, columns):
    """The rows that the output takes on a terminal, which breaks lines that are too long."""
    return sum(max(1, -(-width(ESCAPE.sub("", line)) // columns)) for line in shown.splitlines())


@pytest.mark.parametrize("columns", [40, 80, 120, 200])
@pytest.mark.parametrize("rows", [16, 24, 30, 45, 60, 100])
def test_the_default_view_takes_the_whole_screen_but_never_more(tmp_path, columns, rows):
    _, shown = on_terminal(many_files(tmp_path), rows=rows, columns=columns)
    assert lines_on_screen(shown, columns) == rows - 1  # the prompt takes the last one


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_messages_and_notes_have_their_place_on_the_screen(guarded, columns):
    many_files(guarded)
    for rows in (28, 45):
        code, shown = on_terminal("--exclude", "file 1*", "guarded", "--min-size", "1", rows=rows,
                                  columns=columns, cwd=guarded.parent, **as_nobody())
        assert code == 1 and "could not be read" in shown and "Excluded " in shown
        # Names in messages are counted in bytes.
        assert rows - 2 <= lines_on_screen(shown, columns) <= rows - 1


def test_messages_that_go_elsewhere_take_no_place(guarded, tmp_path):
    many_files(guarded)
    with open(tmp_path / "errors", "wb") as errors:
        _, shown = on_terminal(guarded, rows=24, stderr=errors, **as_nobody())
    assert "Sizes are lower bounds" in shown and lines_on_screen(shown, 80) == 23


def test_a_tree_view_alone_takes_the_whole_screen(tmp_path):
    _, shown = on_terminal("--tree", many_files(tmp_path), rows=24)
    assert lines_on_screen(shown, 80) == 23


def test_a_tiny_screen_gets_three_rows(tmp_path):
    _, shown = on_terminal("--tree", "--color", "never", many_files(tmp_path), rows=3)
    assert len(shown.splitlines()) == 1 + 3 + 1


def test_top_sets_the_number_of_rows_whatever_the_height_is(tmp_path):
    _, shown = on_terminal("--tree", "--top", "50", many_files(tmp_path), rows=20)
    assert len(shown.splitlines()) == 1 + 50 + 1


def test_lines_is_the_height_of_a_terminal_that_reports_none(tmp_path):
    many_files(tmp_path)
    for value, lines in (("30", 29), ("", 3 + 2 + 24 + 1), ("0", 30), ("many", 30), ("-5", 30)):
        _, shown = on_terminal(tmp_path, rows=0, env={"LINES": value})
        assert len(shown.splitlines()) == lines
    _, shown = on_terminal(tmp_path, rows=20, env={"LINES": "50"})
    assert len(shown.splitlines()) == 19
    piped = scan(str(tmp_path), env={"LINES": "50"}).stdout
    assert len(piped.splitlines()) == 30


def test_a_wide_terminal_also_shows_counts_times_and_owners(tree):
    old = tree / "old"
    old.mkdir()
    (old / "1").write_bytes(b"x")
    (old / "2").write_bytes(b"x")
    for path in (old / "1", old / "2", old):
        os.utime(path, (0, 1_000_000_000))
    owner = pathlib.Path(tree).owner()
    _, shown = on_terminal("--depth", "1", "--color", "never", tree, columns=120, env={"TZ": "UTC"})
    title = next(line for line in shown.splitlines() if line.startswith("Tree by"))
    assert title.split() == ["Tree", "by", "disk", "usage", "Entries", "Modified", "Owner"]
    line = next(line for line in shown.splitlines() if line.endswith(" old/"))
    assert re.search(rf" 3  2001-09-09  {owner} +[├└]─ old/$", line)
    assert "Modified" not in on_terminal(tree, columns=119)[1]
    assert b"Modified" not in scan(str(tree), env={"COLUMNS": "200"}).stdout


def test_a_directory_is_as_old_as_the_newest_entry_below_it(tmp_path):
    for name, time in (("a", 1_000_000_000), ("b", 1_200_000_000), ("c", 1_100_000_000)):
        below = tmp_path / name / "below"
        below.mkdir(parents=True)
        (below / "file").write_bytes(b"x")
        os.utime(below / "file", (0, time))
        for folder in (below, tmp_path / name):
            os.utime(folder, (0, 900_000_000))
    os.utime(tmp_path / "b", (0, 4_000_000_000))  # a wrong clock: it says nothing
    lines = scan("--tree", "--sort", "mtime", str(tmp_path)).stdout.decode().splitlines()
    assert [re.search(r"(\w)/below/file$", line)[1] for line in lines[2:]] == ["b", "c", "a"]


# ---- Sparse files

def test_a_much_larger_apparent_size_is_explained(tmp_path):
    for name in ("one", "two"):
        with open(tmp_path / name, "wb") as hole:
            hole.truncate(8 << 40)
    lines = scan(str(tmp_path)).stdout.decode().splitlines()
    assert lines[0].endswith(" on disk, 16 TiB apparent: 2 sparse files")
    plain = scan("--plain", str(tmp_path)).stdout.decode()
    assert "\nThe apparent size is larger because of 2 sparse files.\n" in plain
    _, shown = on_terminal("--color", "never", tmp_path, columns=40)
    assert shown.splitlines()[1].strip() == "2 sparse files"
    os.unlink(tmp_path / "two")
    assert b"apparent: 1 sparse file\n" in scan(str(tmp_path)).stdout


def test_files_that_are_merely_small_on_disk_are_not_called_sparse(tmp_path):
    """An export of a filesystem that compresses: each file takes a third of its size."""
    files = ",".join(f'{{"name":"{i}","asize":3000000,"dsize":1000000,"ino":{i}}}' for i in range(9))
    (tmp_path / "export").write_text(f'[1,2,{{"progname":"x"}},[{{"name":"/c"}},{files}]]')
    lines = scan("--from", "export", cwd=tmp_path).stdout.decode().splitlines()
    assert lines[0].endswith("apparent: sparse or compressed files")


def test_sizes_that_do_not_differ_widely_are_not_explained(small):
    assert b"sparse" not in scan(str(small)).stdout
    with open(small / "hole", "wb") as hole:
        hole.truncate(500_000)  # many times the rest, but small
    assert b"sparse" not in scan(str(small)).stdout


def test_a_terminal_without_a_size_is_eighty_columns_wide(tree):
    _, shown = on_terminal(tree, rows=0, columns=0)
    assert max(width(ESCAPE.sub("", line)) for line in shown.splitlines()) <= 80


def test_a_terminal_gets_colours_and_a_pipe_none(tree):
    assert "\x1b[" in on_terminal(tree)[1]
    assert b"\x1b" not in scan(str(tree), env={"TERM": "xterm"}).stdout


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}],
                         ids=["NO_COLOR", "dumb", "no TERM"])
def test_colours_can_be_turned_off_by_the_environment(tree, env):
    assert "\x1b" not in on_terminal(tree, env=env)[1]
    assert "\x1b[" in on_terminal("--color", "always", tree, env=env)[1]


def test_an_empty_no_color_has_no_effect(tree):
    assert "\x1b[" in on_terminal(tree, env={"NO_COLOR": ""})[1]


def test_colours_can_be_forced_and_disabled(tree):
    assert b"\x1b[" in scan("--color", "always", str(tree)).stdout
    assert "\x1b" not in on_terminal("--color", "never", tree)[1]
    assert "\x1b" not in on_terminal("--color", "always", "--color", "never", tree)[1]


def test_colours_change_nothing_but_colours(tree):
    plain = scan("--largest-dirs", "5", str(tree)).stdout.decode()
    coloured = scan("--largest-dirs", "5", "--color", "always", str(tree)).stdout.decode()
    assert plain != coloured
    assert ESCAPE.sub("", coloured) == plain


@pytest.mark.parametrize("env", [{"LANG": "C.UTF-8"}, {"LANG": "C", "LC_ALL": "en_US.utf8"},
                                 {"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}], ids=str)
def test_box_characters_are_used_in_a_utf_8_locale(tree, env):
    assert "├─ ".encode() in scan(str(tree), env=env).stdout


@pytest.mark.parametrize("env", [{"LANG": None}, {"LANG": "C"}, {"LC_ALL": "POSIX"}], ids=str)
def test_the_tree_view_is_ascii_in_other_locales(tree, env):
    assert scan(str(tree), env=env).stdout.isascii()


def test_progress_is_one_line_that_disappears(tree):
    code, shown = on_terminal("--progress", "always", tree, columns=50)
    assert code == 0
    drawn = [part for part in shown.split("\r") if "entries" in part and part.endswith("\x1b[K")]
    assert drawn
    assert all(width(ESCAPE.sub("", part)) < 50 for part in drawn)
    before, results = shown.rsplit("\r\x1b[K", 1)
    assert "\n" not in before
    assert results.startswith("  ") and "on disk" in results


def test_progress_is_only_on_standard_error(tree):
    scanned = scan("--progress", "always", "--format", "json", str(tree))
    assert scanned.stdout.startswith(b'{"schema"')
    assert re.fullmatch(rb"(?:[\d,]+ entries  [^\n]+\n)+", scanned.stderr)
    totals = json.loads(scanned.stdout)["totals"]  # the last line shows them
    assert scanned.stderr.splitlines()[-1].startswith(b"%d entries  " % totals["entries"])


def test_progress_never_shows_none(tree):
    assert "\r" not in on_terminal("--progress", "never", tree)[1]


def test_there_is_no_progress_off_a_terminal(tree):
    assert scan(str(tree)).stderr == b""


def test_a_list_of_any_length_fits_the_screen(tmp_path):
    tree = many_files(tmp_path)
    for report in (["--recent", "9d"], ["--metrics"], ["--symlinks"]):
        _, shown = on_terminal(*report, "--color", "never", tree, rows=24)
        assert len(shown.splitlines()) < 24, report
    _, shown = on_terminal("--recent", "9d", "--color", "never", tree, rows=24)
    lines = shown.splitlines()
    assert len(lines) >= 18 and re.search(r"^ +and [\d,]+ more; --top N shows N rows$", shown, re.M)
    entries = len(scan("--recent", "9d", tree).stdout.splitlines())
    assert entries > 40  # without a terminal, the list is complete
    _, shown = on_terminal("--recent", "9d", "--top", "30", tree, rows=24)
    assert re.search(r"and [\d,]+ more\b(?!;)", shown) and len(shown.splitlines()) > 30
    _, shown = on_terminal("--largest-files", "30", tree, rows=24)
    assert "more" not in shown and shown.count("/file ") == 30


@pytest.mark.parametrize("command", [["log", "--store", "store"], ["clean", "--list-rules"]])
def test_a_narrow_terminal_says_that_it_lacks_columns(tmp_path, command):
    (tmp_path / "tree").mkdir()
    assert run("snapshot", "--store", tmp_path / "store", tmp_path / "tree").returncode == 0
    narrow = " ".join(command_on_terminal(*command, columns=40, cwd=tmp_path)[1].split())
    assert re.search(r"\d columns? hidden: widen the terminal or use --format (csv|json)", narrow)
    assert "hidden" not in command_on_terminal(*command, columns=200, cwd=tmp_path)[1]
