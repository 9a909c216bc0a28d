"""`fathom clean`: what is listed, what is not, and why."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

import schemas
from conftest import PATIENCE, command_on_terminal, library_to_preload, run

TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n"
DAY = 24 * 60 * 60
CLEAN_MD = pathlib.Path(__file__).parents[2] / "docs" / "CLEAN.md"


def clean(*arguments, **options):
    return run("clean", *map(os.fspath, arguments), **options)


def as_json(*arguments, **options):
    listed = clean("--format", "json", *arguments, **options)
    assert (listed.returncode, listed.stderr) == (0, b"")
    return json.loads(listed.stdout)


def items(*arguments, **options):
    """(class, rule, name of the project) of each item."""
    return [(item["class"], item["rule"], pathlib.Path(item["path"]).parent.name)
            for item in as_json(*arguments, **options)["items"]]


def refusal(*arguments, **options):
    refused = clean(*arguments, **options)
    assert (refused.returncode, refused.stdout) == (2, b"")
    return refused.stderr.decode().splitlines()[0].removeprefix("fathom: ")


def put(root, files, days=100):
    """Creates files of so many bytes, which were modified so many days ago, as their directories were."""
    then = time.time() - days * DAY
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else b"x" * content)
        os.utime(path, (then, then))
        while (path := path.parent) != root:
            os.utime(path, (then, then))


def cargo(project, size):
    return {f"{project}/Cargo.toml": 10, f"{project}/target/CACHEDIR.TAG": TAG,
            f"{project}/target/.rustc_info.json": 10, f"{project}/target/debug/a.o": size}


@pytest.fixture
def home(tmp_path):
    root = tmp_path / "home"
    root.mkdir()
    put(root, cargo("old", 300_000), days=200)
    put(root, cargo("young", 100_000), days=2)
    put(root, {"env/venv/pyvenv.cfg": b"home = /usr/bin\n", "env/venv/bin/python": 10,
               "node/package.json": 10, "node/node_modules/.yarn-integrity": 200_000,
               "decoy/target/x": 50_000, "decoy/node_modules/y": 50_000})
    return root


# ---- What is listed

def test_items_are_listed_by_class_and_what_may_be_work_is_not(home):
    assert items(home) == [("probably", "node-modules", "node"), ("safe", "cargo-target", "old"),
                           ("probably", "cargo-target", "young")]
    assert items("--class", "yours", home) == [("yours", "venv", "env")]
    assert items("--class", "safe,yours", home) == [("yours", "venv", "env"), ("safe", "cargo-target", "old")]


def test_json_says_why(home):
    [item] = as_json("--class", "safe", home)["items"]
    assert item["evidence"] == [".rustc_info.json", "../Cargo.toml"]
    assert item["rebuild"] == "cargo build" and item["demotions"] == []
    assert item["frees"] == item["disk_bytes"] >= 300_000 and item["entries"] == 5
    [young] = as_json("--rule", "cargo-target", "--class", "probably", home)["items"]
    assert young["demotions"] == ["its newest file is 2 days old"]


def test_json_matches_its_schema(home):
    put(home, {os.fsdecode(b"\xff/Cargo.toml"): 10, os.fsdecode(b"\xff/target/CACHEDIR.TAG"): TAG,
               os.fsdecode(b"\xff/target/debug/a.o"): 1000})
    for arguments in ([home], ["--class", "yours,safe", home], ["--need", "1T", home], ["--older", "900d", home]):
        schemas.assert_described(as_json(*arguments), "fathom.clean/1")
    with open(home / "old/target/debug/a.o", "rb"):
        told = as_json(home)
    schemas.assert_described(told, "fathom.clean/1")
    assert told["skipped"] and any("path_b64" in item for item in told["items"])
    told["items"][0]["class"] = "unsafe"
    assert not schemas.is_valid(told)


def test_filters_select_items(home):
    assert items("--older", "150d", home) == [("safe", "cargo-target", "old")]
    assert items("--min-size", "150k", home) == [("probably", "node-modules", "node"),
                                                 ("safe", "cargo-target", "old")]
    assert items("--rule", "cargo-target", home) == [("safe", "cargo-target", "old"),
                                                     ("probably", "cargo-target", "young")]
    assert items("--where", "class = safe or path ~ '**/node/*'", home) == [
        ("probably", "node-modules", "node"), ("safe", "cargo-target", "old")]
    assert items("--where", "rule = cargo-target and age < 30d and entries > 1", home) == [
        ("probably", "cargo-target", "young")]
    assert items("--exclude", "debug/", home) == [("probably", "node-modules", "node")]


def test_only_as_much_as_is_needed_is_listed(home):
    assert items("--need", "1k", home) == [("safe", "cargo-target", "old")]
    # then what was not changed for longest
    assert items("--need", "320k", home) == [("safe", "cargo-target", "old"),
                                             ("probably", "node-modules", "node")]
    everything = as_json("--need", "1T", home)
    assert len(everything["items"]) == 3 and not everything["total"]["enough"]
    assert "That is less than the 1.0 TiB of --need." in clean("--need", "1T", home).stdout.decode()


def test_nothing_is_changed(home):
    before = subprocess.run(["find", home, "-printf", "%p %s %T@ %C@\n"], check=True, timeout=PATIENCE,
                            stdout=subprocess.PIPE).stdout
    clean(home)
    after = subprocess.run(["find", home, "-printf", "%p %s %T@ %C@\n"], check=True, timeout=PATIENCE,
                           stdout=subprocess.PIPE).stdout
    assert after == before


def test_what_is_open_is_skipped(home):
    with open(home / "old/target/debug/a.o", "rb"):
        listed = as_json(home)
    [skipped] = listed["skipped"]
    assert skipped["path"].endswith("/old/target")
    assert skipped["why"].startswith(f"is open in process {os.getpid()} (")


def test_caches_of_the_user_are_found_by_the_environment(tmp_path):
    put(tmp_path, {"caches/pip/wheels/x": 1000, "home/.cache/pip/wheels/x": 1000})
    changes = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "caches")}
    assert items(tmp_path, env=changes) == [("safe", "pip-cache", "caches")]
    changes["XDG_CACHE_HOME"] = ""  # empty is unset
    assert items(tmp_path, env=changes) == [("safe", "pip-cache", ".cache")]


# ---- Explanations

def why(entry, *arguments, **options):
    explained = clean("--why", entry, *arguments, **options)
    assert (explained.returncode, explained.stderr) == (0, b"")
    return explained.stdout.decode().splitlines()


def test_an_item_is_explained_condition_by_condition(home):
    assert why(home / "old/target")[:4] == [
        f"{home}/old/target: safe, by the rule cargo-target (build directories of Cargo)",
        "  yes  .rustc_info.json is a regular file",
        "  yes  ../Cargo.toml is a regular file",
        "  made again by: cargo build"]
    assert "  less safe than safe: its newest file is 2 days old" in why(home / "young/target")


def test_what_is_not_listed_is_explained_too(home):
    lines = why("target", cwd=home / "decoy")
    assert lines[0].endswith("/decoy/target: not listed, by the rule cargo-target (build directories of Cargo)")
    assert lines[1] == "  no   .rustc_info.json is a regular file"
    assert why("debug/", cwd=home / "old/target") == [f"No rule applies to {home}/old/target/debug."]
    assert why(home / "old/target/debug", home) == [
        f"{home}/old/target/debug is part of {home}/old/target, which is listed"]
    assert refusal("--why", home / "nothing") == f"the scan did not find {home}/nothing"


def test_the_name_of_a_relative_path_is_a_part_of_a_place_that_is_never_touched(tmp_path):
    store = tmp_path / ".local/share"
    (store / "evolution").mkdir(parents=True)
    (store / "evolution/mail").touch()
    (store / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55")
    assert "  skipped: it contains a mailbox (evolution)" in why(".local/share", ".local", cwd=tmp_path)


# ---- Rules

def test_the_document_lists_every_rule_with_its_class():
    """docs/CLEAN.md has one row for each rule: id, class, what, file."""
    rules = json.loads(clean("--list-rules", "--format", "json").stdout)["rules"]
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| ([^|]*) \|", CLEAN_MD.read_text(encoding="utf-8"), re.M)
    assert rows == [(rule["rule"], rule["class"], rule["title"]) for rule in rules]


def test_json_of_rules_matches_its_schema(tmp_path):
    own = tmp_path / os.fsdecode(b"rules\xff")
    own.mkdir()
    (own / "decoys.toml").write_text('[[rule]]\nid = "decoy"\ntitle = "decoys"\nclass = "yours"\nnames = ["target"]\n')
    told = json.loads(clean("--rules", own, "--list-rules", "--format", "json").stdout)
    schemas.assert_described(told, "fathom.clean.rules/1")
    assert {rule["class"] for rule in told["rules"]} == {"safe", "probably", "yours", "tool"}
    for field in ("rebuild", "command", "file_b64"):
        assert any(field in rule for rule in told["rules"]), field
    assert any(rule["demotions"] for rule in told["rules"])
    told["rules"][0]["class"] = "unsafe"
    assert not schemas.is_valid(told)


def test_rules_of_the_user_are_added(home, tmp_path):
    own = tmp_path / "rules"
    own.mkdir()
    (own / "decoys.toml").write_text(
        '[[rule]]\nid = "decoy"\ntitle = "decoys"\nclass = "probably"\nnames = ["target"]\n'
        'not_below = ["**/old/**", "**/young/**"]\n')
    assert items("--rules", own, "--rule", "decoy", home) == [("probably", "decoy", "decoy")]
    (own / "decoys.toml").write_text('[[rule]]\nid = "decoy"\n')
    assert refusal("--rules", own, home) == f"{own}/decoys.toml:1: the key 'title' is missing"


def test_what_a_rule_leaves_to_a_tool_is_not_planned(tmp_path):
    for name in ("data/free/decoy", "data/held/decoy/tools"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_bytes(b"x" * 8192)
    own = tmp_path / "rules"
    own.mkdir()
    (own / "decoys.toml").write_text(
        '[[rule]]\nid = "decoy"\ntitle = "decoys"\nclass = "probably"\nnames = ["decoy"]\n'
        'demote = [{ to = "tool", if = [{ directory = ["tools"] }], why = "a tool holds it" }]\n')
    plan = tmp_path / "plan"
    assert items("--rules", own, "--rule", "decoy", tmp_path / "data") == [
        ("probably", "decoy", "free"), ("tool", "decoy", "held")]
    assert clean("--rules", own, "--rule", "decoy", "--plan", plan, tmp_path / "data").returncode == 0
    assert [json.loads(line).get("path") for line in plan.read_text().splitlines()] == [None, "free/decoy", None]
    assert items("--rules", own, "--rule", "decoy", "--need", "1T", "--class", "probably,tool", tmp_path / "data") == [
        ("probably", "decoy", "free")]


# ---- Output

def test_csv_has_a_row_for_each_item(home):
    rows = list(csv.DictReader(io.StringIO(clean("--format", "csv", home).stdout.decode())))
    assert [row["rule"] for row in rows] == ["node-modules", "cargo-target", "cargo-target"]
    assert list(rows[0]) == ["class", "rule", "newest", "entries", "disk_bytes", "frees", "path"]


@pytest.mark.parametrize("columns", [40, 60, 80, 132, 200])
def test_lines_fit_the_terminal(home, columns):
    code, shown = command_on_terminal("clean", "--color", "never", home, columns=columns)
    assert code == 0
    assert max(map(len, shown.splitlines())) <= columns
    assert "safe" in shown and "cargo-target" in shown
    _, shown = command_on_terminal("clean", "--color", "never", "--list-rules", columns=columns)
    assert max(map(len, shown.splitlines())) <= columns
    _, shown = command_on_terminal("clean", "--color", "never", "--why", home / "old/target", columns=columns)
    assert max(map(len, shown.splitlines())) <= max(columns, len(str(home)) + 20)


def test_names_are_escaped(tmp_path):
    put(tmp_path, cargo("a\x1b[2J\nb", 1000))
    shown = clean(tmp_path).stdout
    assert b"\x1b" not in shown and b"a\\x1b[2J\\nb/target" in shown
    assert b"\x1b" not in b"\n".join(line.encode() for line in why(tmp_path / "a\x1b[2J\nb/target"))


def test_nothing_is_found_in_an_empty_directory(tmp_path):
    assert clean(tmp_path).stdout == b"Nothing to clean up was found.\n"


def test_plain_text_has_a_fact_in_each_line(home):
    assert "Rule: cargo-target" in clean("--plain", home).stdout.decode().splitlines()


def test_the_words_of_a_rule_do_not_change_the_terminal(tmp_path):
    evil = r"evil\u001b[31m\u0007\u202eword"
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/mine.toml").write_text(f"""
        [[rule]]
        id = "{evil}"
        title = "{evil}"
        class = "tool"
        names = ["evil"]
        rebuild = "{evil}"
        command = "{evil}"
        """)
    put(tmp_path / "data", {"evil/file": 1000})
    ways = [[], ["--plain"], ["--why", tmp_path / "data/evil"], ["--list-rules"]]
    for way in ways:
        shown = clean("--rules", tmp_path / "rules", *way, tmp_path / "data")
        assert shown.returncode == 0, shown.stderr
        assert b"evil" in shown.stdout and not re.search(rb"[^\n -~]", shown.stdout)
        shown = clean("--rules", tmp_path / "rules", *way, tmp_path / "data", env={"LANG": "C.UTF-8"})
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", shown.stdout.decode())


# ---- Wrong usage

@pytest.mark.parametrize("arguments, sentence", [
    (["--class", "unsafe"], "option '--class' takes a comma-separated list of safe, probably, yours and tool, "
                            "not 'unsafe'"),
    (["--rule", "cargo"], "there is no rule 'cargo'; `fathom clean --list-rules` lists them"),
    (["--where", "not rule in (cargo)"], "there is no rule 'cargo'; `fathom clean --list-rules` lists them"),
    (["--where", "class != probaly"], "there is no class 'probaly'; `fathom clean --help` explains them"),
    (["--why", "x", "--list-rules"], "options '--why' and '--list-rules' exclude each other"),
    (["--why", "x", "--format", "json"], "option '--why' works only with --format text"),
    (["--where", "class ="], "option '--where', column 8: a value must come here, not the end"),
    (["--rules", "/nowhere"], "cannot read the directory /nowhere: No such file or directory"),
], ids=str)
def test_wrong_usage_is_refused(tmp_path, arguments, sentence):
    assert refusal(*arguments, cwd=tmp_path) == sentence


def test_git_is_not_needed(home):
    """What git tracks is read from its index, not by running it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    project = home / "old"
    for command in (["init", "-q"], ["add", "-f", "target/debug/a.o"]):
        subprocess.run(["git", *command], cwd=project, check=True, timeout=PATIENCE)
    changes = {"PATH": "/nowhere"}
    assert ("probably", "cargo-target", "old") in items(home, env=changes)


def test_a_plan_deletes_what_is_safe_and_moves_the_rest_and_is_undone(home, tmp_path):
    plan = tmp_path / "plan"
    made = run("clean", home, "--plan", plan)
    assert made.returncode == 0, made.stderr.decode()
    does = {item["path"]: item["do"] for item in map(json.loads, plan.read_text().splitlines()) if "do" in item}
    assert does == {"node/node_modules": "quarantine", "old/target": "delete", "young/target": "quarantine"}
    promised = json.loads(plan.read_text().splitlines()[0])["freed_bytes"]
    applied = run("apply", plan, "--quarantine", tmp_path / "away", "--execute", "--format", "json")
    assert applied.returncode == 0, applied.stdout.decode()
    assert json.loads(applied.stdout)["freed_bytes"] == promised > 300_000
    assert not (home / "old/target").exists() and not (home / "young/target").exists()
    undone = run("undo", f"{plan}.journal", "--execute")
    assert undone.returncode == 0
    assert (home / "young/target").exists() and not (home / "old/target").exists()


def test_with_a_quarantine_a_plan_deletes_nothing(home, tmp_path):
    plan = tmp_path / "plan"
    assert run("clean", home, "--plan", plan, "--quarantine", tmp_path / "away").returncode == 0
    assert b'"do":"delete"' not in plan.read_bytes()
    assert run("apply", plan, "--execute").returncode == 0
    assert (tmp_path / "away" / str(home / "old/target").lstrip("/")).exists()


def test_evidence_that_has_gone_since_the_plan_stops_the_act(home, tmp_path):
    plan = tmp_path / "plan"
    assert run("clean", home, "--rule", "cargo-target", "--plan", plan).returncode == 0
    (home / "old/Cargo.toml").unlink()
    applied = run("apply", plan, "--quarantine", tmp_path / "away", "--execute")
    assert applied.returncode == 1
    assert b"its evidence '../Cargo.toml' is missing" in applied.stdout
    assert (home / "old/target").exists()


def test_quarantines_are_shown_and_emptied(tmp_path):
    state = tmp_path / "state"
    runs = {"2020-01-01T000000Z-01234567": 50_000, "2099-01-01T000000Z-89abcdef": 20_000}
    for name, size in runs.items():
        folder = state / "fathom/quarantine" / name / "srv"
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * size)
    (state / "fathom/quarantine/notes").mkdir()
    (state / "fathom/quarantine").chmod(0o700)
    env = {"XDG_STATE_HOME": str(state)}

    def purge(*options):
        shown = run("clean", "--purge", state, *options, env=env)
        assert shown.returncode == 0, shown.stderr.decode()
        return shown.stdout.decode()

    assert "2020-01-01" in purge() and "Dry run" in purge()
    assert "2099" not in purge("--older", "7d")
    purge("--older", "7d", "--execute")
    left = sorted(path.name for path in (state / "fathom/quarantine").iterdir())
    assert left == ["2099-01-01T000000Z-89abcdef", "notes"]


def test_a_quarantine_beside_a_root_is_found_below_the_directory_that_is_named(tmp_path):
    number = os.geteuid()
    run_folder = tmp_path / f".fathom-quarantine-{number}/2020-01-01T000000Z-01234567"
    run_folder.mkdir(parents=True)
    run_folder.parent.chmod(0o700)
    (run_folder / "file").write_bytes(b"x" * 1000)
    (tmp_path / "other").mkdir()
    env = {"XDG_STATE_HOME": str(tmp_path)}
    assert run("clean", "--purge", tmp_path / "other", "--execute", env=env).returncode == 0
    assert run_folder.exists()
    assert run("clean", "--purge", tmp_path, "--execute", env=env).returncode == 0
    assert not run_folder.parent.exists()


def test_files_that_are_still_open_or_have_other_names_are_not_counted_as_freed_by_a_purge(tmp_path):
    run_folder = tmp_path / "fathom/quarantine/2020-01-01T000000Z-01234567"
    put(run_folder, {"srv/open": 50_000, "srv/other": 20_000, "srv/linked": 60_000})
    (tmp_path / "outside").hardlink_to(run_folder / "srv/linked")
    file = run_folder / "srv/open"
    run_folder.parent.chmod(0o700)
    env = {"XDG_STATE_HOME": str(tmp_path)}
    with file.open("rb"):
        for options in ((), ("--execute",)):
            *_, freed, told = run("clean", "--purge", tmp_path, *options, env=env).stdout.decode().splitlines()
            assert 20_000 <= float(re.search(r"[Ff]re(?:ed|es) ([\d.]+) KiB", freed)[1]) * 1024 < 50_000
            assert told.startswith(f"{file} is open in process {os.getpid()} (")
            assert told.endswith(" KiB become free when it is closed.")
    assert not run_folder.exists()


def test_a_purge_goes_on_to_its_end_if_its_results_cannot_be_written(tmp_path):
    quarantine = tmp_path / "fathom/quarantine"
    for name in ("2020-01-01T000000Z-01234567", "2021-01-01T000000Z-89abcdef"):
        put(quarantine / name, {"srv/file": 1000})
    quarantine.chmod(0o700)
    ran = run("clean", "--purge", tmp_path, "--execute", "-o", "/dev/full", env={"XDG_STATE_HOME": str(tmp_path)})
    assert (ran.returncode, ran.stderr) == (1, b"fathom: cannot write to /dev/full: No space left on device\n")
    assert not list(quarantine.iterdir())


TERMINATE_AT_THE_FIRST_REMOVAL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
int unlinkat(int folder, const char* name, int flags) {
  static int removals;
  if (__atomic_fetch_add(&removals, 1, __ATOMIC_SEQ_CST) == 0) kill(getpid(), SIGTERM);
  return ((int (*)(int, const char*, int))dlsym(RTLD_NEXT, "unlinkat"))(folder, name, flags);
}
"""


def test_a_purge_that_is_interrupted_finishes_what_it_has_begun(tmp_path):
    library = library_to_preload(tmp_path, TERMINATE_AT_THE_FIRST_REMOVAL)
    quarantine = tmp_path / "state/fathom/quarantine"
    for name in ("2020-01-01T000000Z-01234567", "2021-01-01T000000Z-89abcdef"):
        put(quarantine / name, {f"srv/{number}": 1000 for number in range(20)})
    quarantine.chmod(0o700)
    ran = run("clean", "--purge", tmp_path / "state", "--execute", "-o", tmp_path / "results",
              env={"XDG_STATE_HOME": str(tmp_path / "state"), "LD_PRELOAD": library})
    assert (ran.returncode, ran.stderr) == (130, b"")
    assert [path.name for path in quarantine.iterdir()] == ["2021-01-01T000000Z-89abcdef"]
    assert re.fullmatch(r"emptied +\S+2020-01-01T000000Z-01234567: 21 entries, .*\nFreed .*\n",
                        (tmp_path / "results").read_text())
    assert not list(tmp_path.glob(".fathom-*"))


@pytest.mark.parametrize("options", (
    ("--min-size", "1G"), ("--class", "tool"), ("--rule", "trash"), ("--need", "1"), ("--where", "size > 1G"),
    ("--exclude", "*"), ("-x",), ("--top", "1"), ("--rules", "rules")))
def test_a_purge_refuses_options_that_it_would_ignore(tmp_path, options):
    assert refusal("--purge", tmp_path, *options, "--execute").startswith("option '--purge' excludes '--")


def test_a_purge_of_a_missing_directory_is_refused(tmp_path):
    assert refusal("--purge", tmp_path / "absent") == f"cannot scan {tmp_path}/absent: No such file or directory"


def test_a_quarantine_that_others_can_enter_is_not_emptied(tmp_path):
    folder = tmp_path / "fathom/quarantine/2020-01-01T000000Z-01234567"
    folder.mkdir(parents=True)
    (tmp_path / "fathom/quarantine").chmod(0o755)
    run("clean", "--purge", tmp_path, "--execute", env={"XDG_STATE_HOME": str(tmp_path)})
    assert folder.exists()
