"""`fathom find`: entries by name, their sums, and what is a GLOB and what a PATH."""

import csv
import io
import json
import os
import re
import subprocess

import pytest

import schemas
from conftest import PATIENCE, as_nobody, command_on_terminal, run, scan, sentence_of


def find(*arguments, **options):
    return run("find", *map(os.fspath, arguments), **options)


def lines(*arguments, **options):
    """The lines of a complete search."""
    searched = find(*arguments, **options)
    assert (searched.returncode, searched.stderr) == (0, b"")
    return searched.stdout.decode().splitlines()


def as_json(*arguments, **options):
    searched = find("--format", "json", *arguments, **options)
    assert (searched.returncode, searched.stderr) == (0, b"")
    return json.loads(searched.stdout)


def refusal(*arguments, **options):
    return sentence_of(find(*arguments, **options))


def du(*arguments, cwd):
    out = subprocess.run(["du", "-c", "-s", "--block-size=1", *arguments], cwd=cwd, check=True,
                         stdout=subprocess.PIPE, timeout=PATIENCE).stdout
    return int(out.splitlines()[-1].split()[0])


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    for name, size in {"Main.c": 10, "build/main.o": 5000, "build/core": 100_000, "src/a.c": 20,
                       "src/node_modules/x/node_modules/y.js": 30_000, "src/node_modules/z.js": 40,
                       "node_modules/w.js": 50_000, "notes.C": 1}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"x" * size)
    return root


# ---- What is found

@pytest.mark.parametrize("globs, found", [
    (["*.c"], ["./Main.c", "./notes.C", "./src/a.c"]),
    (["core", "main.o"], ["./build/core", "./build/main.o"]),
    (["ma?n.[co]"], ["./Main.c", "./build/main.o"]),
    (["node_modules"], ["./node_modules", "./src/node_modules", "./src/node_modules/x/node_modules"]),
    (["modules"], []), (["*modules"], ["./node_modules", "./src/node_modules",
                                       "./src/node_modules/x/node_modules"]),
], ids=str)
def test_names_are_compared_as_a_whole_and_in_any_case(project, globs, found):
    searched = find(*globs, cwd=project)
    assert searched.returncode == 0
    assert searched.stdout.decode().splitlines() == found


def test_without_a_glob_every_entry_is_found(project):
    wanted = subprocess.run(["find", ".", "-mindepth", "1"], cwd=project, check=True,
                            stdout=subprocess.PIPE, timeout=PATIENCE).stdout.splitlines()
    assert find(cwd=project).stdout.splitlines() == sorted(wanted)
    assert find("*", ".", cwd=project).stdout.splitlines() == sorted(wanted)


def test_the_order_is_that_of_bytes_on_every_run(tmp_path):
    names = [b"B", b"a", b"a b", b"a.x", b"a/x", b"z", "\u00e4".encode()]
    for name in names:
        (tmp_path / os.fsdecode(name)).parent.mkdir(exist_ok=True)
        if name != b"a":
            (tmp_path / os.fsdecode(name)).touch()
    for threads in ("1", "2", "8"):
        found = find("*", "-j", threads, cwd=tmp_path).stdout.splitlines()
        assert found == [b"./" + name for name in names]


def test_several_paths_can_be_searched(project):
    found = lines("*.js", "./node_modules", "./src", cwd=project)
    assert found == ["./node_modules/w.js", "./src/node_modules/x/node_modules/y.js",
                     "./src/node_modules/z.js"]


def test_a_path_itself_is_not_a_match(project):
    assert lines("node_modules", "./src/node_modules", cwd=project) == [
        "./src/node_modules/x/node_modules"]
    assert lines("*.c", "./Main.c", cwd=project) == ["./Main.c"]  # but a file is


@pytest.mark.parametrize("filters, found", [
    (["--exclude", "src/"], ["./node_modules"]),
    (["--only", "src/"], ["./src/node_modules", "./src/node_modules/x/node_modules"]),
    (["--min-size", "48k"], ["./node_modules"]),
    (["--type", "f"], []),
    (["--type", "d", "--min-size", "25k"], ["./node_modules", "./src/node_modules",
                                            "./src/node_modules/x/node_modules"]),
    (["--newer", "yesterday"], ["./node_modules", "./src/node_modules", "./src/node_modules/x/node_modules"]),
    (["--older", "yesterday"], []),
    (["--ext", "js"], []),
], ids=str)
def test_filters_select_among_the_matches(project, filters, found):
    searched = find("node_modules", "--apparent-size", *filters, cwd=project)
    assert searched.returncode == 0
    assert searched.stdout.decode().splitlines() == found


def test_a_saved_scan_is_searched_as_a_directory(project, tmp_path):
    saved = tmp_path / "saved"
    scan("--format", "ncdu", "-o", saved, project)
    for arguments in (["*.js"], ["node_modules", "--only", "src"], ["*", "--min-size", "30k"]):
        assert lines(*arguments, "--from", saved) == lines(*arguments, str(project))
    told = [as_json("node_modules", *source) for source in ([project], ["--from", saved])]
    assert told[0] == told[1]
    # Words can only be GLOBs here, even if they exist.
    assert lines("*.js", "src", "--from", saved, cwd=project) == lines("*.js", "src", "--", project)


def test_no_match_is_reported_in_one_sentence(project):
    searched = find("*.iso", project)
    assert (searched.returncode, searched.stdout) == (0, b"")
    assert searched.stderr == b"fathom: no entries match (15 checked)\n"
    for view in ("--long", "--summary"):
        searched = find("*.iso", view, project)
        assert (searched.returncode, searched.stderr) == (0, b"")
        assert searched.stdout.decode().splitlines()[-1] == "No entries match (15 checked)."
    assert as_json("*.iso", project)["matches"] == []


def test_a_word_that_matches_no_whole_name_has_a_hint(project):
    hint = "no entries match (15 checked); names must match completely, try '*node*'"
    assert find("*.iso", "node", project).stderr.decode() == f"fathom: {hint}\n"
    for flag in ("-l", "--summary"):
        told = find("node", project, flag).stdout.decode().splitlines()[-1]
        assert told == f"{hint[0].upper()}{hint[1:]}."
    assert b"try" not in find("node", "*.c", project).stderr


def test_a_large_number_of_checked_entries_is_grouped(tmp_path):
    for number in range(1500):
        (tmp_path / str(number)).touch()
    assert b"(1,501 checked)" in find("*.iso", tmp_path).stderr


# ---- Sums

def test_sums_count_what_is_in_several_matches_once(project):
    told = as_json("node_modules", "*.js", "core", project, "--summary")
    assert "matches" not in told
    sums = {row["pattern"]: row for row in told["patterns"]}
    assert list(sums) == ["node_modules", "*.js", "core"]
    modules = du("node_modules", "src/node_modules", cwd=project)
    assert sums["node_modules"]["matches"] == 3
    assert sums["node_modules"]["disk_bytes"] == modules
    assert sums["*.js"]["matches"] == sums["*.js"]["entries"] == 3
    core = du("build/core", cwd=project)
    assert sums["core"]["disk_bytes"] == core
    assert told["total"]["disk_bytes"] == modules + core
    assert told["total"]["matches"] == 3 + 3 + 1


def test_sums_count_hard_links_once(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    for name in ("one.iso", "two.iso", "folder/three.iso"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.link(tmp_path / "a", tmp_path / name)
    told = as_json("*.iso", "folder", tmp_path)
    assert told["patterns"][0]["disk_bytes"] == du("one.iso", cwd=tmp_path)
    assert told["patterns"][1]["disk_bytes"] == du("folder", cwd=tmp_path)
    assert told["total"]["disk_bytes"] == du("folder", cwd=tmp_path)
    assert [row["apparent_bytes"] for row in told["matches"] if row["kind"] == "file"] == [100_000] * 3


def test_the_summary_is_a_table(project):
    text = lines("*.c", "node_modules", project, "--summary", "--apparent-size")
    assert text[0] == "Matches by pattern"
    assert {"Pattern", "Matches", "Entries"} <= set(text[1].split())
    assert re.fullmatch(r"6 matches, [\d.]+ KiB together\.", text[-1])
    one = lines("core", project, "--summary")
    assert re.fullmatch(r"1 match, [\d.]+ KiB\.", one[-1])
    rows = list(csv.DictReader(io.StringIO(find("*.c", "node_modules", project, "--summary", "--format", "csv")
                                           .stdout.decode())))
    assert [(row["pattern"], row["matches"]) for row in rows] == [("*.c", "3"), ("node_modules", "3")]


def test_sums_are_lower_bounds_if_something_is_unreadable(guarded):
    searched = find("secret", "open", "--format", "json", "--", guarded)
    assert searched.returncode == (0 if os.geteuid() == 0 else 1)
    arguments = ["--format", "json", "secret", "open", "--", str(guarded)]
    searched = find(*arguments, **as_nobody())
    assert searched.returncode == 1
    told = json.loads(searched.stdout)
    assert [row["lower_bound"] for row in told["patterns"]] == [True, False]
    assert not told["accuracy"]["complete"]
    assert b"Permission denied" in searched.stderr
    text = find("secret", "--summary", "--", str(guarded), **as_nobody()).stdout.decode()
    assert "1 match, at least " in text


def test_many_errors_are_listed_by_a_scan(tmp_path):
    told = find("*", *(str(tmp_path / f"missing {number}") for number in range(5)), str(tmp_path))
    assert told.returncode == 1
    assert b"fathom scan --errors lists them all" in told.stderr


# ---- The list

def test_the_long_list_has_sizes_and_times(project):
    os.utime(project / "build" / "core", (0, 1_000_000_000))
    text = lines("core", "node_modules", project, "-l", "--apparent-size", env={"TZ": "UTC"})
    assert text[0] == "Matches"
    [core] = [line for line in text if line.endswith("/build/core")]
    assert "2001-09-09 01:46" in core and "98 KiB" in core
    assert text[-1].startswith("4 matches, ") and text[-1].endswith(" together.")
    plain = find("core", project, "-l", "--plain", env={"TZ": "UTC"}).stdout.decode()
    assert "Modified: 2001-09-09 01:46\n" in plain


def test_matches_can_be_sorted_and_cut(project):
    assert lines("*.js", "--sort", "size", project) == [
        str(project / name) for name in ("node_modules/w.js", "src/node_modules/x/node_modules/y.js",
                                         "src/node_modules/z.js")]
    assert lines("*.js", "--sort", "size", "--top", "1", project) == [str(project / "node_modules/w.js")]
    told = as_json("*.js", "--top", "1", project)
    assert len(told["matches"]) == 1 and told["total"]["matches"] == 3
    text = lines("*.js", "--top", "1", "-l", project)
    assert any(line.strip() == "and 2 more" for line in text)
    assert text[-1].startswith("3 matches, ")


@pytest.fixture
def odd(tmp_path):
    """The path, and the names of files that are not text."""
    names = [b"two\nlines", b"not \xff utf-8", b"esc\x1b[2J", b"back\\slash", b" blank ", "\u00e4".encode()]
    for name in names:
        try:
            (tmp_path / os.fsdecode(name)).touch()
        except OSError:
            pytest.skip("this filesystem does not accept every name")
    return os.fsencode(tmp_path), sorted(names)


def test_print0_writes_every_path_unchanged(odd):
    root, names = odd
    searched = find("*", "-0", os.fsdecode(root))
    assert (searched.returncode, searched.stderr) == (0, b"")
    assert searched.stdout == b"".join(root + b"/" + name + b"\0" for name in names)
    _, shown = command_on_terminal("find", "blank*", "back*", "-0", "--", os.fsdecode(root))
    assert shown == os.fsdecode(root) + "/back\\slash\0"


def test_a_pipe_gets_paths_unchanged_unless_they_contain_a_newline(odd):
    root, names = odd
    searched = find("*", os.fsdecode(root))
    assert searched.returncode == 0
    expected = [name if b"\n" not in name else b"two\\nlines" for name in names]
    assert searched.stdout == b"".join(root + b"/" + name + b"\n" for name in expected)
    assert searched.stderr == (b"fathom: 1 path contains a newline and is escaped; -0 writes it unchanged\n")


def test_a_terminal_gets_escaped_names(odd):
    root, _ = odd
    code, shown = command_on_terminal("find", "*", os.fsdecode(root), "--color", "never")
    assert code == 0
    names = {line.removeprefix(os.fsdecode(root) + "/") for line in shown.splitlines()}
    assert names == {"two\\nlines", "not \\xff utf-8", "esc\\x1b[2J", "back\\\\slash", "\\x20blank\\x20", "\u00e4"}


def test_json_and_csv_keep_every_name(odd):
    root, names = odd
    told = as_json("*", os.fsdecode(root))
    assert sum("path_b64" in row for row in told["matches"]) == 1
    text = find("*", os.fsdecode(root), "--format", "csv").stdout.decode("utf-8", "surrogateescape")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert [os.fsencode(row["path"]) for row in rows] == [root + b"/" + name for name in names]


def test_results_can_go_to_a_file(project, tmp_path):
    results = tmp_path / "results"
    searched = find("*.c", "-o", results, project)
    assert (searched.returncode, searched.stdout) == (0, b"")
    assert results.read_bytes() == find("*.c", project).stdout


def test_json_matches_its_schema(odd, guarded):
    for arguments in (["*", os.fsdecode(odd[0])], ["--summary", "\udcff*", "*o*", "--", os.fsdecode(odd[0])],
                      ["*", str(guarded), "--only", "open", "--exclude", "file"], ["x", "/nowhere", str(guarded)]):
        told = json.loads(find("--format", "json", *arguments, **as_nobody()).stdout)
        schemas.assert_described(told, "fathom.find/1")
    told["total"]["matches"] = "many"
    assert not schemas.is_valid(told)


# ---- GLOB or PATH

def test_an_argument_with_a_slash_is_a_path_wherever_it_stands(project):
    found = ["./src/a.c"]
    for arguments in (["*.c", "./src"], ["./src", "*.c"], ["src/", "*.c"], ["*.c", "--", "src"]):
        assert [line.replace("src//", "src/").removeprefix("./")
                for line in lines(*arguments, cwd=project)] == [found[0].removeprefix("./")]
    assert lines("a.c", "..", cwd=project / "build") == ["../src/a.c"]


def test_the_first_word_is_a_glob_even_if_it_exists(project):
    assert len(lines("node_modules", cwd=project)) == 3
    assert lines("src", cwd=project) == ["./src"]


def test_a_directory_after_a_glob_with_a_wildcard_is_a_path(project):
    assert lines("*.c", "src", cwd=project) == ["src/a.c"]
    assert lines("*.c", "*.o", "src", "build", cwd=project) == lines("*.c", "*.o", "src/", "build/", cwd=project)


def test_a_later_word_that_exists_is_refused(project):
    for first, word, kind in (("a.c", "src", "directory"), ("*.c", "file", "file")):
        (project / "file").touch()
        assert refusal(first, word, cwd=project) == (
            f"'{word}' may be a GLOB or the existing {kind}; write ./{word} for the PATH, or -- after the GLOBs")
    assert lines("*.c", "./src", cwd=project) == ["./src/a.c"]
    assert "./src" in lines("*.c", "src", "--", cwd=project)
    assert "./src" in lines("*.c", "src", "--", ".", cwd=project)
    assert "./build/core" in lines("*.c", "core", cwd=project)  # is not here, but further down
    assert "./src" in lines("*.c", "sr[c]", cwd=project)


def test_globs_that_the_shell_has_expanded_are_refused(project):
    expanded = sorted(path.name for path in project.iterdir())
    assert "'build' may be a GLOB or the existing directory" in refusal(*expanded, cwd=project)


def test_a_path_with_wildcards_that_does_not_exist_is_refused(project):
    assert refusal("src/*.c", cwd=project) == (
        "'src/*.c' has a slash and is thus a PATH, but does not exist; a GLOB is a name")
    assert "'./src/*.o' has a slash" in refusal("*", "./src", "./src/*.o", cwd=project)
    (project / "a*b").mkdir()
    (project / "a*b" / "f").touch()
    assert lines("f", "./a*b", cwd=project) == ["./a*b/f"]


def test_a_glob_that_is_written_as_a_directory_is_refused(project, tmp_path):
    """Otherwise `target/` is a PATH, and with no GLOB left everything in the other PATH matches."""
    plan = tmp_path / "plan"
    for arguments in (["target/", "./src"], ["./src", "target/"], ["target/"],
                      ["target/", "./src", "--plan", plan, "--do", "delete"]):
        assert refusal(*arguments, cwd=project) == (
            "'target/' has a slash and is thus a PATH, but does not exist; a GLOB is a name")
    assert not plan.exists()
    for arguments in (["./target/", "./src"], ["target/", "*.c", "./src"]):
        assert find(*arguments, cwd=project).returncode == 1


def test_a_glob_that_may_be_a_mistyped_path_is_reported_if_it_matches_nothing(project, tmp_path):
    sentence = b"fathom: nothing matches 'scr'; write ./scr for the PATH, or -- after the GLOBs\n"
    searched = find("*.o", "scr", cwd=project)
    assert (searched.returncode, searched.stdout, searched.stderr) == (0, b"./build/main.o\n", sentence)
    assert scan(".", "--format", "ncdu", "-o", "saved", cwd=project).returncode == 0
    planned = find("*.o", "scr", "--plan", tmp_path / "plan", cwd=project)
    assert planned.returncode == 0 and sentence in planned.stderr
    for arguments in (["scr"], ["*.o", "scr", "--"], ["*.o", "scr", "./src"], ["*.o", "src/", "scr"], ["*.o", "scr*"],
                      ["*.o", "core"], ["*.o", "core", "--min-size", "1G"], ["*.o", "scr", "--from", "saved"]):
        assert b"nothing matches" not in find(*arguments, cwd=project).stderr, arguments


@pytest.mark.parametrize("arguments, sentence", [
    ([""], "a GLOB is empty; '*' matches every name"),
    (["*", "--", ""], "a path is empty; for the current directory, use '.'"),
    (["./src", "--"], "'./src' precedes '--' but is not a GLOB: names contain no slash"),
    (["[a"], "GLOB '[a' is incomplete: '[' needs a ']', and a backslash a character after it"),
    (["a\\"], "GLOB 'a\\\\' is incomplete: '[' needs a ']', and a backslash a character after it"),
    (["*", "--summary", "-l"], "options '--summary' and '--long' exclude each other"),
    (["*", "-0", "-l"], "options '--print0' and '--long' exclude each other"),
    (["*", "-0", "--summary"], "options '--print0' and '--summary' exclude each other"),
    (["*", "-0", "--format", "json"], "option '--print0' works only with --format text"),
    (["*", "-l", "--format", "csv"], "option '--long' works only with --format text"),
    (["*", "--format", "ncdu"], "option '--format' takes text, json or csv, not 'ncdu'"),
    (["*", "--from", "x", "/srv"], "option '--from' replaces the scan; remove '/srv'"),
    (["*", "--from", "x", "-j", "2"], "option '--threads' applies to a scan, but '--from' reads a saved one"),
    (["*", "--from", "missing"], "cannot read missing: No such file or directory"),
    (["*", "--ext", "c", "--type", "d"],
     "options '--ext' and '--type' exclude each other: directories have no extensions"),
    (["*", "--largest-files", "3"],
     "unknown option '--largest-files'; `fathom find --help` lists the options"),
], ids=str)
def test_wrong_usage_is_refused_in_one_sentence(project, arguments, sentence):
    assert refusal(*arguments, cwd=project) == sentence


def test_wrong_usage_writes_no_results(project, tmp_path):
    results = tmp_path / "results"
    refusal("a.c", "src", "-o", results, cwd=project)
    assert not results.exists()


def test_a_missing_path_is_an_error_of_the_search(project):
    for paths in (["/nowhere", project], [project, "/nowhere"], ["--", "/nowhere", project]):
        searched = find("*.c", *paths)
        assert searched.returncode == 1
        assert searched.stderr == b"fathom: cannot open /nowhere: No such file or directory\n"
        assert len(searched.stdout.splitlines()) == 3


def test_a_plan_needs_every_path(project, tmp_path):
    plan = tmp_path / "plan"
    for paths in (["./src", "./gone"], ["--", "./gone", "./src"]):
        assert refusal("--plan", plan, "*.c", *paths, cwd=project) == (
            "'./gone' does not exist; with '--plan', every PATH must")
        assert not plan.exists()
    assert find("*.c", "./src", "--plan", plan, cwd=project).returncode == 0


def test_a_closed_pipe_is_not_an_error(tmp_path):
    for number in range(20_000):
        (tmp_path / f"{number:0100}").touch()
    reader, writer = os.pipe()
    os.close(reader)
    try:
        searched = find("*", tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert (searched.returncode, searched.stderr) == (0, b"")


def test_the_brief_help_fits_one_screen():
    text = find("-h").stdout.decode().splitlines()
    assert len(text) < 24
    assert text[2] == "Usage: fathom find [OPTION...] [GLOB...] [PATH...]"
    assert max(map(len, find("--help").stdout.decode().splitlines())) <= 80


# ---- Conditions

def test_a_condition_selects_entries_by_what_is_known_of_them(project):
    assert lines("--where", "kind = file and size > 20k", cwd=project) == [
        "./build/core", "./node_modules/w.js", "./src/node_modules/x/node_modules/y.js"]
    assert lines("*", "--where", "kind = dir and size > 100k and depth = 1", cwd=project) == ["./build"]
    assert lines("*.c", "--where", "not path ~ 'src/**'", cwd=project) == ["./Main.c", "./notes.C"]
    assert lines("--where", "ext = js && entries = 1 && name != w.js", cwd=project) == [
        "./src/node_modules/x/node_modules/y.js", "./src/node_modules/z.js"]


def test_an_absolute_path_in_a_condition_is_that_of_an_entry_however_it_is_shown(project):
    """Otherwise a condition that spares a directory would spare nothing."""
    spared = f"not path ~ '{project}/src/**'"
    for cwd, path, shown in ((project, ".", "./"), (project / "src", "..", "../"), (project.parent, project.name,
                                                                                   f"{project.name}/")):
        assert lines("*.c", path, "--where", spared, cwd=cwd) == [f"{shown}Main.c", f"{shown}notes.C"]
        assert lines("*.c", path, "--where", f"path = '{project}/Main.c'", cwd=cwd) == [f"{shown}Main.c"]
    assert f"{project}/Main.c" not in lines("*.c", "--where", f"path != '{project}/Main.c'", cwd=project)
    (project.parent / "alias").symlink_to(project)
    alias = project.parent / "alias"
    assert lines("*.c", "--where", f"not path ~ '{alias}/src/**'", cwd=alias, env={"PWD": str(alias)}) == [
        "./Main.c", "./notes.C"]


def test_a_pattern_spares_a_directory_however_the_path_is_typed(project):
    spared_as_shown = "not path ~ './src/**'"
    assert lines("*.c", "--where", spared_as_shown, cwd=project) == ["./Main.c", "./notes.C"]
    assert lines("*.c", "--where", "path ~ './*'", cwd=project) == ["./Main.c", "./notes.C"]
    folder, name = project.parent, project.name
    for path in (f"{folder}//{name}", f"{folder}/./{name}", f"{folder}/{name}/."):
        for spared in (f"{project}/src/**", f"{path}/src/**"):
            assert lines("*.c", path, "--where", f"not path ~ '{spared}'") == [f"{path}/Main.c", f"{path}/notes.C"]


def test_two_dots_behind_a_symbolic_link_do_not_lead_back(project):
    (project / "src/only.c").write_text("")
    (project / "link").symlink_to("src/node_modules")
    assert lines("only.c", "link/..", cwd=project) == ["link/../only.c"]
    for condition in (f"path = '{project}/only.c'", f"not path ~ '{project}/src/**'"):
        assert find("only.c", "link/..", "--where", condition, cwd=project).stdout == b""


def test_a_wrong_condition_is_refused_with_its_column(project):
    refused = find("--where", "age > 90 and x = 1", cwd=project)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode().splitlines() == [
        "fathom: option '--where', column 7: '90' is not an age such as 12h, 90d or 8w",
        "  age > 90 and x = 1",
        "        ^"]
