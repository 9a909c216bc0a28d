"""CSV and JSON, parsed as other programs would."""

import base64
import csv
import json
import os
import pathlib
import re

import pytest

import schemas
from conftest import run, scan, sentence_of
from test_names import HOSTILE

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTS = {
    "summary": ["--summary"],
    "largest_files": ["--largest-files", "9"],
    "largest_dirs": ["--largest-dirs", "9"],
    "recent": ["--recent", "52w"],
    "extensions": ["--extensions"],
    "empty_dirs": ["--empty-dirs"],
    "symlinks": ["--symlinks"],
    "errors": ["--errors"],
    "metrics": ["--metrics"],
    "stats": ["--stats"],
    "owners": ["--owners"],
    "ages": ["--ages"],
    "histogram": ["--histogram"],
}
TIMED = {"seconds", "entries_per_second"}
ALL = [argument for report in REPORTS.values() for argument in report]


@pytest.fixture
def hostile_tree(tree):
    """A tree of every kind of entry and every kind of name that the filesystem accepts."""
    for name in HOSTILE.values():
        try:
            (tree / os.fsdecode(name)).mkdir()
            (tree / os.fsdecode(name) / os.fsdecode(name + b".x"[:255 - len(name)])).touch()
        except OSError:
            continue
    return tree


def as_json(*arguments):
    return json.loads(scan("--format", "json", *arguments).stdout)


def as_csv(*arguments, path):
    """The rows of a CSV file, parsed as docs/CSV.md describes."""
    written = scan("--format", "csv", "-o", path, *arguments)
    assert written.stdout == b""
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file, strict=True))


def as_field(value):
    """The CSV field for a JSON value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def csv_row_of(row):
    """The CSV row for a JSON object."""
    fields = {}
    for key, value in row.items():
        if key.endswith("_b64"):
            fields[key[:-4]] = os.fsdecode(base64.b64decode(value))
        else:
            fields[key] = as_field(value)
    return fields


@pytest.mark.parametrize("report", REPORTS)
def test_csv_has_the_same_data_as_json(hostile_tree, tmp_path, report):
    arguments = [*REPORTS[report], str(hostile_tree), str(tmp_path / "missing")]
    rows = as_csv(*arguments, path=tmp_path / "results.csv")
    result = as_json(*arguments)["reports"][report]
    expected = [csv_row_of(row) for row in (result if isinstance(result, list) else [result])]
    assert rows
    for row, other in zip(rows, expected, strict=True):
        assert list(row) == list(other)
        for key in row:
            if key in ("share", *TIMED) and row[key]:
                # JSON truncates what CSV rounds.
                assert key in TIMED or abs(float(row[key]) - float(other[key])) < 2e-6
            elif report != "ages" or key not in ("from", "until"):  # they depend on the current time
                assert row[key] == other[key]


def test_csv_preserves_every_name(hostile_tree, tmp_path):
    rows = as_csv("--metrics", str(hostile_tree), path=tmp_path / "results.csv")
    found = {os.fsencode(row["path"]) for row in rows}
    assert found == {folder for folder, _, _ in os.walk(os.fsencode(hostile_tree))}


def test_csv_is_never_cut_or_coloured(hostile_tree):
    out = scan("--format", "csv", "--largest-files", "1000", "--color", "always",
               str(hostile_tree), env={"COLUMNS": "40"}).stdout
    assert b"...," not in out and "…".encode() not in out and b"\x1b[1m" not in out
    assert out.startswith(b"path,disk_bytes,apparent_bytes,mtime\r\n") and out.endswith(b"\r\n")


def test_csv_without_a_report_is_the_summary(small):
    assert scan("--format", "csv", str(small)).stdout.startswith(b"files,dirs,symlinks,")


def test_csv_of_two_reports_is_refused(small):
    assert sentence_of(scan("--format", "csv", "--summary", "--metrics", str(small))) == (
        "--format csv can hold only one report; request one at a time, or use json")


# ---- formulas ----

STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]


@pytest.fixture
def formulas(tmp_path):
    """Names, extensions and targets of links that a spreadsheet would compute."""
    root = tmp_path / "formulas"
    root.mkdir()
    for start in STARTS:
        (root / f"link{start}").symlink_to(f"{start}cmd()")
        for copy in ("one", "two"):
            (root / f"{copy}.{start}ext").write_text("same" + start)
    return root


def fields_of(written):
    return [field for row in csv.reader(written.decode().splitlines(keepends=True), strict=True)
            for field in row]


@pytest.mark.parametrize("arguments", [
    ["scan", "--symlinks"], ["scan", "--extensions"], ["scan", "--largest-files", "99"],
    ["scan", "--metrics"], ["find"], ["find", "--summary"], ["dups"]], ids=" ".join)
def test_no_field_is_a_formula_if_the_user_wishes(formulas, arguments):
    exact = fields_of(run(*arguments, "--format", "csv", ".", cwd=formulas).stdout)
    safe = fields_of(run(*arguments, "--format", "csv", "--csv-safe", ".", cwd=formulas).stdout)

    def is_text(field):
        return not field.lstrip("-").replace(".", "").isdigit()
    assert len(safe) == len(exact)
    assert not [field for field in safe if field[:1] in STARTS and is_text(field)]
    for one, other in zip(safe, exact, strict=True):
        dangerous = other[:1] in STARTS and is_text(other)
        assert one == ("'" + other if dangerous else other)
    if arguments[-1] in ("--symlinks", "--extensions"):
        assert {f"'{start}" for start in STARTS} <= {field[:2] for field in safe}


# With the settings of many countries, a spreadsheet splits a line there, and does not look at quotes within a field.
@pytest.mark.parametrize("separator", [";", "\t", "\n"])
def test_no_part_of_a_field_is_a_formula_if_the_user_wishes(tmp_path, separator):
    root = tmp_path / "parts"
    root.mkdir()
    (root / "link").symlink_to(f"a{separator}=cmd(){separator};+1")
    fields = fields_of(run("scan", "--symlinks", "--format", "csv", "--csv-safe", str(root)).stdout)
    assert f"a{separator}'=cmd(){separator};'+1" in fields


def test_without_that_wish_names_are_exact(formulas):
    assert "=cmd()" in fields_of(scan("--symlinks", "--format", "csv", str(formulas)).stdout)


@pytest.mark.parametrize("arguments", [["scan"], ["find"], ["dups"], ["scan", "--format", "json"],
                                       ["threads", "--", "true"]], ids=" ".join)
def test_only_csv_can_have_formulas(arguments):
    assert sentence_of(run(arguments[0], "--csv-safe", *arguments[1:])) == "option '--csv-safe' needs '--format csv'"


# ---- depth ----

DEPTH = 200_000


@pytest.fixture(scope="session")
def abyss(tmp_path_factory):
    """An export of a chain of directories, each in the one before it."""
    file = tmp_path_factory.mktemp("abyss") / "export"
    file.write_text('[1,2,{"progname":"test"},[{"name":"/top"}' + ',[{"name":"d"}' * DEPTH +
                    "]" * (DEPTH + 2), encoding="ascii")
    return file


@pytest.mark.parametrize("flags", [[], ["--sort", "name"], ["--sort", "size"]], ids=" ".join)
def test_a_row_for_each_directory_does_not_grow_with_the_square_of_the_depth(abyss, flags):
    ran = scan("--from", str(abyss), "--metrics", "--format", "json", *flags)
    result = json.loads(ran.stdout)
    paths = [row["path"] for row in result["reports"]["metrics"]]
    listed = 1 + (4095 - len("/top")) // len("/d")
    assert ran.returncode == 0 and len(ran.stdout) < 32 * 2**20
    assert sorted(map(len, paths)) == [len("/top") + 2 * level for level in range(listed)]
    assert result["accuracy"]["too_long"] == DEPTH + 1 - listed
    assert result["totals"]["dirs"] == result["reports"]["metrics"][0]["dirs"] or flags
    assert ran.stderr.decode() == (
        f"fathom: --metrics leaves out {DEPTH + 1 - listed:,} directories with paths of more than "
        "4,095 bytes; the sums of those above include them\n")


def test_the_other_formats_leave_the_same_rows_out(abyss):
    written = scan("--from", str(abyss), "--metrics", "--format", "csv")
    assert written.stdout.count(b"\r\n") == 1 + 1 + (4095 - len("/top")) // len("/d")
    assert b"leaves out" in written.stderr
    assert b"leaves out" in scan("--from", str(abyss), "--metrics", "--top", "1").stderr
    assert "too_long" not in as_json("--from", str(abyss), "--summary")["accuracy"]


def test_json_has_all_reports_in_the_requested_order(tree):
    assert list(as_json(*ALL, str(tree))["reports"]) == list(REPORTS)
    backwards = [argument for report in reversed(REPORTS) for argument in REPORTS[report]]
    assert list(as_json(*backwards, str(tree))["reports"]) == list(reversed(REPORTS))


def test_the_tree_view_can_be_among_reports(tree):
    text = scan("--summary", "--tree", "--errors", "--tree", str(tree)).stdout.decode()
    headings = [line for line in text.split("\n") if line and not line.startswith(" ")]
    assert headings == ["Summary", "Tree by disk usage", "Errors", "Tree by disk usage"]
    assert "├─ " in text


def test_json_matches_its_schema(hostile_tree, tmp_path):
    result = as_json(*ALL, "--explain", str(hostile_tree), str(tmp_path / "missing"))
    schemas.assert_described(result, "fathom.scan/1")
    broken = as_json(str(hostile_tree))
    broken["totals"]["files"] = "many"
    assert not schemas.is_valid(broken)


def test_json_of_several_blocks_is_one_object(tree):
    """The output is written in blocks; together they are one object."""
    for number in range(3000):
        (tree / f"{number:0100}").touch()
    out = scan("--format", "json", "--largest-files", "5000", str(tree)).stdout
    assert len(out) > 4 * 65536
    assert len(json.loads(out)["reports"]["largest_files"]) > 3000


def test_the_keys_that_only_csv_has_are_those_of_its_document(tmp_path):
    (tmp_path / "tree").mkdir()
    store = tmp_path / "store"
    assert run("snapshot", "--store", store, tmp_path / "tree").returncode == 0
    arguments = {"dups": [tmp_path / "tree"], "clean": [tmp_path / "tree"], "log": ["--store", store]}
    rows = re.findall(r"(?m)^\| `fathom (\w+)` \| (`\w+`(?:, `\w+`)+) \|$", (ROOT / "docs/CSV.md").read_text())
    assert {command for command, _ in rows} == set(arguments)
    for command, keys in rows:
        written = run(command, "--format", "csv", *arguments[command]).stdout.decode()
        assert written.splitlines()[0].split(",") == re.findall(r"`(\w+)`", keys)
