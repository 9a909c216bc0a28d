"""The ncdu format: an import of an export gives the same results as the scan."""

import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import as_nobody, environment, run, scan, sentence_of

TIMED = {"seconds", "entries_per_second"}
REPORTS = ["--summary", "--largest-files", "99", "--largest-dirs", "99", "--extensions",
           "--empty-dirs", "--symlinks", "--errors", "--metrics", "--stats", "--owners",
           "--histogram"]
HEADER = '[1,2,{"progname":"ncdu","progver":"1.18","timestamp":1700000000},'


def exported(*arguments, **options):
    result = scan("--format", "ncdu", *arguments, **options)
    assert result.returncode in (0, 1), result.stderr
    return result.stdout


def untimed(result):
    """JSON without the fields that differ between scans."""
    told = json.loads(result.stdout)
    del told["timing"]
    summary = told["reports"].get("summary", {})
    for field in TIMED & summary.keys():
        del summary[field]
    return told


def read(text, *arguments, folder, **options):
    """`fathom scan --from -` with the text as standard input."""
    file = folder / "export.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with open(file, "rb") as stdin:
        return scan("--from", "-", *arguments, stdin=stdin, **options)


@pytest.fixture
def aged(tree):
    """A tree with times, sizes and names for the selection flags."""
    (tree / ".hidden").mkdir()
    (tree / ".hidden" / "x").write_bytes(b"x" * 9000)
    (tree / "folder 1" / "old.LOG").write_bytes(b"x" * 70_000)
    os.utime(tree / "folder 1" / "old.LOG", (1_000_000_000, 1_000_000_000))
    os.utime(tree / "hole", (-5, -5))
    return tree


def test_an_import_has_the_results_of_the_scan(aged, tmp_path):
    live = scan("--format", "json", *REPORTS, str(aged))
    back = read(exported(str(aged)), "--format", "json", *REPORTS, folder=tmp_path)
    assert (back.returncode, back.stderr) == (0, b"")
    assert untimed(back) == untimed(live)


@pytest.mark.parametrize("report", [["--summary"], ["--metrics"], ["--largest-files", "5"]])
def test_an_import_has_every_format(aged, tmp_path, report):
    text = exported(str(aged))
    for form in ("text", "csv"):
        arguments = [*report, "--format", form]
        live = scan(*arguments, str(aged)).stdout.decode()
        back = read(text, *arguments, folder=tmp_path).stdout.decode()
        if report == ["--summary"]:
            # The widest number, which may be the rate, determines the column width.
            timed = r"(?m)^  (Time|Rate).*$|(,[^,\n]*){2}$"
            live, back = (re.sub(r" +", " ", re.sub(timed, "", one)) for one in (live, back))
        assert back == live
    tree_view = read(text, folder=tmp_path).stdout.decode().splitlines()[3:]
    assert tree_view == scan(str(aged)).stdout.decode().splitlines()[3:]


@pytest.mark.parametrize("arguments", [
    ["--exclude", "file-*"], ["--exclude", "deeper/"], ["--exclude", "/folder 1/*/"],
    ["--exclude", "*", "--exclude", "!folder 2"], ["--no-hidden"], ["--min-size", "9k"],
    ["--min-size", "9k", "--apparent-size"], ["--older", "2010-01-01"], ["--newer", "2010-01-01"],
    ["--type", "f"], ["--type", "d,l"], ["--ext", "log"],
    ["--exclude", "file-1*", "--type", "file", "--min-size", "1", "--no-hidden"],
], ids=" ".join)
def test_selection_works_on_an_import(aged, tmp_path, arguments):
    live = scan("--format", "json", *REPORTS, *arguments, str(aged))
    back = read(exported(str(aged)), "--format", "json", *REPORTS, *arguments, folder=tmp_path)
    assert untimed(back) == untimed(live)
    # An export of the selected entries gives the same results.
    selected = exported(*arguments, str(aged))
    again = read(selected, "--format", "json", *REPORTS, folder=tmp_path)
    assert untimed(again)["totals"] == untimed(live)["totals"]
    assert untimed(again)["accuracy"] == untimed(live)["accuracy"]
    assert untimed(again)["reports"]["empty_dirs"] == untimed(live)["reports"]["empty_dirs"]
    # Except for the time in its header, an export of an import equals the first export.
    assert read(selected, "--format", "ncdu", folder=tmp_path).stdout == selected


def test_ages_are_relative_to_the_time_of_the_export(tmp_path):
    entries = ",".join(f'{{"name":"{days}","asize":1,"mtime":{1_700_000_000 - days * 86400}}}'
                       for days in (1, 6, 8))
    text = HEADER + '[{"name":"/srv"},' + entries + "]]"

    def names(*arguments):
        told = json.loads(read(text, "--format", "json", *arguments, folder=tmp_path).stdout)
        report = told["reports"].get("recent") or told["reports"]["largest_files"]
        return sorted(row["path"] for row in report)

    assert names("--recent", "1w") == ["/srv/1", "/srv/6"]
    assert names("--newer", "1w", "--largest-files", "9") == ["/srv/1", "/srv/6"]
    assert names("--older", "1w", "--largest-files", "9") == ["/srv/8"]
    ages = json.loads(read(text, "--ages", "--format", "json", folder=tmp_path).stdout)
    assert [row["age"] for row in ages["reports"]["ages"]][:3] == ["1 day", "1 week", "1 month"]


def test_excluded_entries_of_an_export_are_counted(tmp_path):
    text = (HEADER + '[{"name":"/srv"},{"name":"a","excluded":"pattern"},'
            '[{"name":"b","excluded":"otherfs"}],[{"name":"c","excluded":"othfs"}],'
            '[{"name":"d","excluded":"kernfs"}],[{"name":"e"}]]]')
    told = untimed(read(text, "--format", "json", "--empty-dirs", folder=tmp_path))
    assert told["accuracy"]["left_out"] == 4
    assert told["totals"]["entries"] == 2
    assert [row["path"] for row in told["reports"]["empty_dirs"]] == ["/srv/e"]
    lines = read(text, "--format", "ncdu", folder=tmp_path).stdout.decode().splitlines()
    assert [line.strip(",]") for line in lines[2:6]] == [
        '{"name":"a","excluded":"pattern"}', '[{"name":"b","excluded":"otherfs"}',
        '[{"name":"c","excluded":"otherfs"}', '[{"name":"d","excluded":"kernfs"}']


def test_a_condition_on_what_an_export_does_not_say_selects_nothing(tmp_path):
    text = HEADER + '[{"name":"/t","dsize":512},[{"name":"d","dsize":512}],{"name":"f","asize":5}]]'
    saved = tmp_path / "saved"
    saved.write_text(text)

    def found(condition):
        return run("find", "*", "--from", str(saved), "--where", condition).stdout.decode().splitlines()

    def counted(condition):
        result = read(text, "--where", condition, "--format", "json", folder=tmp_path)
        return json.loads(result.stdout)["totals"]["entries"]

    for unknown in ("mode = 0", "mode = 0644", "links = 1", "links > 1"):
        for condition in (f"kind = dir and {unknown}", f"kind = dir and not {unknown}"):
            assert (found(condition), counted(condition)) == ([], 0)
    assert found("links = 1") == found("kind = file") == ["/t/f"]
    assert found("mode = 0 or not mode = 0") == []


def test_an_export_says_which_modes_are_zero(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(0)
    saved = tmp_path / "saved"
    saved.write_bytes(exported(str(tmp_path)))
    found = run("find", "file", "--from", str(saved), "--where", "mode = 0")
    assert found.stdout.decode().splitlines() == [f"{tmp_path}/file"]


def test_an_unreadable_directory_stays_one_in_the_import(guarded, tmp_path):
    text = exported(str(guarded), **as_nobody())
    back = read(text, "--format", "json", "--errors", folder=tmp_path)
    live = scan("--format", "json", "--errors", str(guarded), **as_nobody())
    assert back.returncode == live.returncode == 1
    assert untimed(back) == untimed(live)
    assert back.stderr == live.stderr


def test_an_error_without_a_number_is_reported_as_not_recorded(tmp_path):
    text = HEADER + '[{"name":"/srv"},[{"name":"closed","read_error":true}]]]'
    back = read(text, "--errors", "--format", "json", folder=tmp_path)
    assert json.loads(back.stdout)["reports"]["errors"] == [
        {"path": "/srv/closed", "operation": "list", "errno": None, "message": "not recorded"}]
    assert b"Success" not in back.stderr
    shown = read(text, folder=tmp_path)
    assert shown.returncode == 1
    assert b"cannot list /srv/closed: not recorded\n" in shown.stderr


def test_the_root_is_named_by_its_absolute_path(small):
    (small / "sub").mkdir()
    for path, cwd in ((".", small), ("sub/..", small), (str(small) + "//", None)):
        assert json.loads(exported(path, cwd=cwd))[3][0]["name"] == str(small)
    header = json.loads(exported(str(small)))[2]
    assert header["progname"] == "fathom"
    assert re.fullmatch(r"\d+\.\d+\.\d+", header["progver"])
    assert header["timestamp"] > 1_700_000_000


def test_an_import_can_overwrite_its_file(aged, tmp_path):
    export = tmp_path / "export.json"
    assert scan("--format", "ncdu", "-o", export, str(aged)).returncode == 0
    before = export.read_bytes()
    assert scan("--from", export, "--format", "ncdu", "-o", export).returncode == 0
    assert export.read_bytes() == before


@pytest.mark.skipif(shutil.which("ncdu") is None, reason="ncdu is not installed")
def test_ncdu_reads_our_exports_and_we_read_its_exports(aged, tmp_path):
    ours = exported(str(aged))
    file = tmp_path / "ours.json"
    file.write_bytes(ours)
    theirs = subprocess.run(["ncdu", "-0", "-e", "-f", file, "-o", "-"], stdout=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, env=environment({"TERM": "xterm"}),
                            check=True).stdout
    live = untimed(scan("--format", "json", "--metrics", str(aged)))
    assert untimed(read(theirs, "--format", "json", "--metrics", folder=tmp_path)) == live
    scanned = subprocess.run(["ncdu", "-0", "-e", "-o", "-", aged], stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL, env=environment({"TERM": "xterm"}),
                             check=True).stdout
    assert untimed(read(scanned, "--format", "json", "--metrics", folder=tmp_path)) == live


@pytest.mark.parametrize("arguments, sentence", [
    (["--from", "export", "."], "option '--from' replaces the scan; remove '.'"),
    *((["--from", "export", *words], f"option '{name}' applies to a scan, but '--from' reads a "
       "saved one")
      for words, name in ((["-x"], "--one-file-system"), (["-j", "2"], "--threads"),
                          (["--engine", "pool"], "--engine"),
                          (["--exclude-caches"], "--exclude-caches"),
                          (["--exclude-kernfs"], "--exclude-kernfs"),
                          (["--explain"], "--explain"))),
    (["--from", "export", "--progress", "always"],
     "options '--progress always' and '--from' exclude each other"),
    (["--from", ""], "option '--from' takes a file name, - for standard input, or a snapshot such as @latest, not ''"),
    (["--from", "missing"], "cannot read missing: No such file or directory"),
    (["--from", "."], ". is not a snapshot: cannot open meta.json: No such file or directory"),
    (["--from", "file"],
     "cannot read file: this is not an ncdu export, which begins with '[' (line 1, byte 1)"),
    (["--from", "-"], "cannot read standard input: the input is empty (line 1, byte 1)"),
    (["--format", "ncdu", ".", "sub"], "--format ncdu can hold only one directory; scan each PATH separately"),
    (["--format", "ncdu", "file"], "--format ncdu exports a directory, but file is not one"),
    (["--format", "ncdu", "link"], "--format ncdu exports a directory, but link is not one"),
    (["--format", "ncdu", "missing"], "cannot export missing: No such file or directory"),
    *((["--format", "ncdu", *report],
       "--format ncdu exports the tree, not reports; remove the report option")
      for report in (["--summary"], ["--tree"], ["--errors", "."])),
    (["--format", "ncdu", "--from", "export", "--stats"],
     "--format ncdu exports the tree, not reports; remove the report option"),
], ids=str)
def test_wrong_usage_is_refused(small, arguments, sentence):
    (small / "sub").mkdir()
    (small / "link").symlink_to("sub")
    (small / "export").write_bytes(exported("sub", cwd=small))
    results = small / "results"
    assert sentence_of(scan(*arguments, "-o", "results", cwd=small)) == sentence
    assert not results.exists()


def test_a_truncated_export_gives_no_results(aged, tmp_path):
    text = exported(str(aged))
    for length in (1, 20, len(text) // 2, len(text) - 2):
        refused = read(text[:length], "--summary", folder=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert re.fullmatch(rb"fathom: cannot read standard input: [^\n]+\n", refused.stderr)
