"""Exclusion and selection: what a scan excludes, and which of the other entries it counts."""

import json
import os
import random
import re
import shutil
import subprocess
import time

import pytest

from conftest import as_nobody, let_nobody_through, scan, sentence_of

TAG = "Signature: 8a477f597d28d172789f06886806bc55"


def found(root, *arguments, **options):
    """From the JSON: (paths of counted files and directories in the root, accuracy)."""
    result = scan("--format", "json", "--metrics", "--largest-files", "100000", *arguments,
                  str(root), **options)
    assert result.stderr == b""
    assert result.returncode == 0
    told = json.loads(result.stdout)
    paths = {os.path.relpath(row["path"], root) for row in told["reports"]["largest_files"]}
    return paths, told["accuracy"]


def files(root, *arguments, **options):
    return found(root, *arguments, **options)[0]


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    for name in ("a.o", "a.c", ".hidden/x", "src/b.o", "src/keep.o", "src/tmp/x", "tmp/x",
                 "build/x", "src/build"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


ALL = {"a.o", "a.c", ".hidden/x", "src/b.o", "src/keep.o", "src/tmp/x", "tmp/x", "build/x",
       "src/build"}


@pytest.mark.parametrize("rules, gone", [
    ([], set()),
    (["*.o"], {"a.o", "src/b.o", "src/keep.o"}),
    (["*.o", "!keep.o"], {"a.o", "src/b.o"}),
    (["!keep.o", "*.o"], {"a.o", "src/b.o", "src/keep.o"}),
    (["build/"], {"build/x"}),
    (["build"], {"build/x", "src/build"}),
    (["/tmp"], {"tmp/x"}),
    (["tmp"], {"tmp/x", "src/tmp/x"}),
    (["src/**"], {"src/b.o", "src/keep.o", "src/tmp/x", "src/build"}),
    (["s?c/*.o"], {"src/b.o", "src/keep.o"}),
], ids=str)
def test_rules_exclude_like_those_of_git(project, rules, gone):
    arguments = [word for rule in rules for word in ("--exclude", rule)]
    assert files(project, *arguments) == ALL - gone


def test_rules_keep_their_order_across_options_and_files(project, tmp_path):
    some = tmp_path / "some rules"
    some.write_text("# objects\n*.o\n\n!keep.o\r\n")
    others = tmp_path / "others"
    others.write_text("keep.o\n")
    kept = "src/keep.o"
    assert kept in files(project, "--exclude-from", some)
    assert kept not in files(project, "--exclude-from", some, "--exclude", "keep.o")
    assert kept in files(project, "--exclude", "keep.o", "--exclude-from", some)
    assert kept not in files(project, "--exclude-from", some, "--exclude-from", others)
    assert kept in files(project, "--exclude-from", others, "--exclude-from", some)


@pytest.mark.parametrize("rules, kept", [
    (["*.o"], {"a.o", "src/b.o", "src/keep.o"}),
    (["*.o", "!keep.o"], {"a.o", "src/b.o"}),
    (["build"], {"build/x", "src/build"}),
    (["build/"], {"build/x"}),
    (["/tmp"], {"tmp/x"}),
    (["src"], {"src/b.o", "src/keep.o", "src/tmp/x", "src/build"}),
    (["src/*.o"], {"src/b.o", "src/keep.o"}),
    (["nothing"], set()),
], ids=str)
def test_only_counts_what_exclude_would_leave_out(project, rules, kept):
    only = [word for rule in rules for word in ("--only", rule)]
    exclude = [word for rule in rules for word in ("--exclude", rule)]
    assert files(project, *only) == kept == ALL - files(project, *exclude)


def test_only_is_the_same_for_a_saved_scan(project, tmp_path):
    saved = tmp_path / "saved"
    scan("--format", "ncdu", "-o", saved, project)
    for rule in ("*.o", "build/", "/tmp", "src/*.o"):
        told = [json.loads(scan("--format", "json", "--only", rule, *source).stdout)
                for source in ([project], ["--from", saved])]
        assert told[0]["totals"] == told[1]["totals"]
        assert told[0]["accuracy"] == told[1]["accuracy"]
        assert told[0]["totals"]["entries"] + told[0]["accuracy"]["unwanted"] == 15


def test_only_says_how_much_it_filtered_out(project):
    lines = scan("--only", "*.o", project).stdout.decode().splitlines()
    assert lines[-1] == "12 entries filtered out."
    assert scan("--only", "*.iso", project).stdout == b"No entries match the filters (15 checked).\n"


def test_only_counts_directories_with_their_contents(project):
    totals = json.loads(scan("--format", "json", "--only", "src", project).stdout)["totals"]
    inside = json.loads(scan("--format", "json", project / "src").stdout)["totals"]
    assert totals == inside


def test_hidden_names_are_excluded_on_request(project):
    assert files(project, "--no-hidden") == ALL - {".hidden/x"}


def test_caches_are_recognized_by_their_signature(project):
    (project / "build" / "CACHEDIR.TAG").write_text(TAG + "\n")
    (project / "tmp" / "CACHEDIR.TAG").write_text("Signature: something else, as long as the other")
    assert files(project, "--exclude-caches") == ALL - {"build/x"} | {"tmp/CACHEDIR.TAG"}


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc of Linux")
def test_a_kernel_filesystem_is_scanned_as_a_root():
    told = scan("--exclude-kernfs", "--format", "json", "/proc/sys/kernel/random")
    assert json.loads(told.stdout)["totals"]["files"] > 0


def test_excluded_entries_are_never_read(guarded):
    arguments = ["--summary", str(guarded)]
    assert scan(*arguments, **as_nobody()).returncode == 1
    assert scan("--exclude", "secret/", *arguments, **as_nobody()).returncode == 0


@pytest.mark.parametrize("size, wanted", [
    ("1000", {"1000", "1024", "1500", "1536"}), ("1kB", {"1000", "1024", "1500", "1536"}),
    ("1K", {"1024", "1500", "1536"}), ("1k", {"1024", "1500", "1536"}),
    ("1KiB", {"1024", "1500", "1536"}), ("1.5kB", {"1500", "1536"}), ("1.5 KiB", {"1536"}),
    ("1M", set()), ("0", {"999", "1000", "1024", "1500", "1536"}),
], ids=str)
def test_units_have_their_usual_meaning(tmp_path, size, wanted):
    for length in (999, 1000, 1024, 1500, 1536):
        (tmp_path / str(length)).write_bytes(b"x" * length)
    assert files(tmp_path, "--apparent-size", "--min-size", size) == wanted


def test_size_on_disk_is_selected_separately(tmp_path):
    with open(tmp_path / "hole", "wb") as hole:
        hole.truncate(1 << 20)
    assert files(tmp_path, "--min-size", "1M", "--apparent-size") == {"hole"}
    assert files(tmp_path, "--min-size", "1M") == set()


def at(path, *date, zone="UTC"):
    when = int(subprocess.run(["date", "-d", " ".join(date), "+%s"], env={"TZ": zone,
               "PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, check=True).stdout)
    os.utime(path, (when, when))


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_dates_are_in_the_local_time_zone(tmp_path, zone):
    for name, date in {"before": "2024-02-28 23:59:59", "at": "2024-02-29 00:00:00",
                       "noon": "2024-02-29 12:00:00"}.items():
        (tmp_path / name).touch()
        at(tmp_path / name, date, zone=zone)
    env = {"TZ": zone}
    assert files(tmp_path, "--newer", "2024-02-29", env=env) == {"at", "noon"}
    assert files(tmp_path, "--older", "2024-02-29", env=env) == {"before"}
    assert files(tmp_path, "--older", "2024-02-29T12:00:00", env=env) == {"before", "at"}
    assert files(tmp_path, "--newer", "2024-02-29", "--older", "2024-02-29T12:00:00",
                 env=env) == {"at"}


def test_ages_are_relative_to_now(tmp_path):
    now = time.time()
    for days in (1, 6, 8):
        (tmp_path / str(days)).touch()
        os.utime(tmp_path / str(days), (now - days * 86400,) * 2)
    assert files(tmp_path, "--newer", "7d") == {"1", "6"}
    assert files(tmp_path, "--newer", "1w", "--older", "2d") == {"6"}
    assert files(tmp_path, "--older", "7d") == {"8"}


@pytest.mark.parametrize("types, kinds", [
    ("f", {"files"}), ("d", {"dirs"}), ("l", {"symlinks"}), ("o", {"others"}),
    ("file,link", {"files", "symlinks"}), ("dir,other", {"dirs", "others"}),
    ("f,d,l,o", {"files", "dirs", "symlinks", "others"}),
])
def test_types_can_be_combined(tree, types, kinds):
    whole = json.loads(scan("--format", "json", "--type", types, str(tree)).stdout)["totals"]
    every = json.loads(scan("--format", "json", str(tree)).stdout)["totals"]
    for kind in ("files", "dirs", "symlinks", "others"):
        assert every[kind] > 0
        assert whole[kind] == (every[kind] if kind in kinds else 0)


def test_extensions_can_be_given_in_several_forms(project):
    (project / "UPPER.C").touch()
    for arguments in (["--ext", "o,c"], ["--ext", "o", "--ext", "c"], ["--ext", ".o,.C"]):
        assert files(project, *arguments) == {"a.o", "a.c", "UPPER.C", "src/b.o", "src/keep.o"}


def test_every_option_narrows_the_others(project):
    os.utime(project / "a.o", (0, 0))
    assert files(project, "--ext", "o", "--newer", "1d", "--exclude", "keep.*", "--type", "f",
                 "--min-size", "1", "--apparent-size") == {"src/b.o"}


def test_results_report_how_much_was_excluded(project):
    _, accuracy = found(project, "--exclude", "*.o", "--ext", "c")
    assert accuracy == {"complete": True, "unreadable": 0, "changed": 0, "left_out": 3,
                        "unwanted": 11}
    assert "left_out" not in found(project)[1]
    lines = scan("--exclude", "*.o", "--ext", "c", str(project)).stdout.decode().splitlines()
    assert lines[-2:] == ["Excluded 3 entries and everything in them.",
                          "11 entries filtered out."]


@pytest.mark.parametrize("arguments, sentence", [
    (["--exclude", ""], "option '--exclude' takes a rule such as '*.o', build/ or /tmp, not ''"),
    (["--exclude", "# x"],
     "option '--exclude' takes a rule such as '*.o', build/ or /tmp, not '# x'"),
    (["--only", ""], "option '--only' takes a rule such as '*.log', build/ or /tmp, not ''"),
    (["--only", "!a", "--only", "!b"],
     "option '--only' needs a rule without '!'; to leave something out, use --exclude"),
    (["--exclude-from", "missing"],
     "cannot read the rules in missing: No such file or directory"),
    (["--exclude-from", "."], "cannot read the rules in .: Is a directory"),
    (["--exclude-from", ""], "option '--exclude-from' takes a file name, not ''"),
    *((["--min-size", size], "option '--min-size' takes a size such as 4096, 10M, 1.5GiB or 2GB, "
       f"not '{size}'")
      for size in ("", "many", "-1", "1X", "1 0", "99999999999999999999", "1..5K")),
    *(([option, when], f"option '{option}' takes a time, not '{when}'; examples:\n"
       f"  {option} 12h                   ago; units: s, m, h, d, w; up to 366000d\n"
       f"  {option} yesterday             its start, local time; also today\n"
       f"  {option} 2026-01-31            the start of a day, local time\n"
       f"  {option} 2026-01-31T08:00      local time\n"
       f"  {option} 2026-01-31T08:00:00   local time\n"
       f"  {option} @1767225600           seconds since 1970")
      for option in ("--newer", "--older", "--recent")
      for when in ("", "tomorrow", "last week", "7", "h", "1y", "0d", "99999w", "2026-13-01", "2026-02-30",
                   "2026-00-10", "0000-01-01", "2026-1-1", "2026-01-31T24:00:00", "2026-01-31T12:60:00",
                   "2026-01-31T12", "2026-01-31T12:00:00Z", "@", "@today")),
    *((["--type", types], "option '--type' takes a comma-separated list of f, d, l and o "
       f"(file, dir, link, other), not '{types}'") for types in ("", "x", "f,", "fd", "files")),
    *((["--ext", given], "option '--ext' takes a comma-separated list of extensions such as log,gz, "
       f"each the part of a name after the last dot, not '{given}'")
      for given in ("", ",", "a,,b", "tar.gz", "a/b", ".")),
], ids=str)
def test_invalid_values_are_refused(small, arguments, sentence):
    refused = scan(*arguments, ".", cwd=small)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode() == f"fathom: {sentence}\n"


EXCLUDE_EACH_OTHER = ("options '--newer' and '--older' exclude each other: no time is at or after "
                      "the one and before the other")


@pytest.mark.parametrize("arguments, sentence", [
    *((["--newer", newer, "--older", older], EXCLUDE_EACH_OTHER) for newer, older in (
        ("1d", "2d"), ("1d", "1d"), ("today", "yesterday"), ("today", "today"),
        ("2026-02-01", "2026-01-31"), ("@5", "@5"), ("1d", "1970-01-01"), ("9999-01-01", "1d"))),
    (["--ext", "log", "--type", "d"],
     "options '--ext' and '--type' exclude each other: directories have no extensions"),
], ids=str)
def test_filters_that_can_never_match_are_refused(small, arguments, sentence):
    assert sentence_of(scan(*arguments, ".", cwd=small)) == sentence


@pytest.mark.parametrize("arguments", [
    ["--newer", "2d", "--older", "1d"], ["--newer", "yesterday", "--older", "today"],
    ["--newer", "1970-01-01", "--older", "1d"],
    ["--ext", "log", "--type", "d,f"]], ids=" ".join)
def test_filters_that_could_match_are_accepted(small, arguments):
    assert scan(*arguments, small).returncode == 0


def test_an_empty_selection_is_reported(small):
    scanned = scan("--min-size", "1000000GiB", small)
    assert scanned.returncode == 0
    assert scanned.stdout.decode() == ("No entries match the filters (2 checked).\n")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_moments_can_have_the_formats_of_date_and_find(tmp_path, zone):
    for name, date in {"before": "2024-02-29 11:59:59", "at": "2024-02-29 12:00:00"}.items():
        (tmp_path / name).touch()
        at(tmp_path / name, date, zone=zone)
    second = int((tmp_path / "at").stat().st_mtime)
    for noon in ("2024-02-29T12:00", "2024-02-29 12:00", "2024-02-29 12:00:00", f"@{second}"):
        assert files(tmp_path, "--newer", noon, env={"TZ": zone}) == {"at"}
        assert files(tmp_path, "--older", noon, env={"TZ": zone}) == {"before"}


def test_an_endless_file_of_rules_is_refused(small):
    assert sentence_of(scan("--exclude-from", "/dev/zero", small)) == (
        "cannot read the rules in /dev/zero: line 1 has more than 65,536 bytes")


def test_a_line_of_rules_can_have_64_kib(small, tmp_path):
    rules = tmp_path / "rules"
    rules.write_bytes(b"*.o\n" + b"x" * 65_536 + b"\n")
    assert scan("--exclude-from", rules, small).returncode == 0
    rules.write_bytes(b"*.o\n" + b"x" * 65_537)
    refused = scan("--exclude-from", rules, small)
    assert refused.returncode == 2
    assert b": line 2 has more than 65,536 bytes\n" in refused.stderr


def test_a_file_of_rules_can_have_64_mib(small, tmp_path):
    rules = tmp_path / "rules"
    with open(rules, "wb") as file:
        file.write((b"#" * 1023 + b"\n") * (64 * 1024))
    assert scan("--exclude-from", rules, small).returncode == 0
    with open(rules, "ab") as file:
        file.write(b"\n")
    assert sentence_of(scan("--exclude-from", rules, small)) == (
        f"cannot read the rules in {rules}: the file has more than 64 MiB")


def test_unreadable_rules_are_refused(tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("*.o\n")
    let_nobody_through(tmp_path)
    rules.chmod(0)
    refused = scan("--exclude-from", rules, tmp_path, **as_nobody())
    assert refused.returncode == 2
    told = refused.stderr.decode()
    assert told == f"fathom: cannot read the rules in {rules}: Permission denied\n"


NAMES = ["a", "b", "ab", "abc", "a.o", "b.o", ".a", "a b", "a ", "#a", "!a", "a*", "[a]", "a\\b",
         "-", "]", "A", "\udcff", "\xe9"]
PIECES = ["a", "b", "c", "*", "?", "[a-c]", "[!a]", "[]a]", "[[:alpha:]]", "\\*", "\\#", ".o", "."]


def made_up_rule(dice):
    """A random rule of gitignore(5), sometimes an odd one."""
    def name():
        return "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 3)))
    # git 2.39 misinterprets two stars after another byte, so they are used only as a whole name.
    parts = [re.sub(r"\*{2,}", "*", name()) for _ in range(dice.randint(1, 3))]
    if dice.random() < 0.3:
        parts.insert(dice.choice([0, len(parts)]), "**")
    rule = "/".join(parts)
    if dice.random() < 0.3:
        rule = "/" + rule
    if dice.random() < 0.2:
        rule += "/"
    if dice.random() < 0.25:
        rule = "!" + rule
    return rule


def tree_of_names(root, dice):
    paths = []
    for outer in dice.sample(NAMES, 9):
        if dice.random() < 0.4:
            paths.append(outer)
            continue
        for inner in dice.sample(NAMES, 5):
            if dice.random() < 0.6:
                paths.append(f"{outer}/{inner}")
            else:
                paths.extend(f"{outer}/{inner}/{last}" for last in dice.sample(NAMES, 4))
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        try:
            (root / path).touch()
        except OSError:  # some filesystems require UTF-8
            paths = [other for other in paths if other != path]
    return paths


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("seed", range(12))
def test_rules_match_like_those_of_git(tmp_path, seed):
    dice = random.Random(seed)
    root = tmp_path / "root"
    root.mkdir()
    paths = tree_of_names(root, dice)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    git = ["git", "-c", "core.ignorecase=false"]
    subprocess.run([*git, "init", "-q", "."], cwd=root, env=environment, check=True)
    for _ in range(6):
        rules = [made_up_rule(dice) for _ in range(dice.randint(1, 5))]
        (tmp_path / "rules").write_text("\n".join(rules) + "\n")
        shutil.copy(tmp_path / "rules", root / ".git" / "info" / "exclude")
        asked = subprocess.run([*git, "check-ignore", "--no-index", "--stdin", "-z"], cwd=root,
                               env=environment, input=b"".join(os.fsencode(path) + b"\0"
                                                               for path in paths),
                               stdout=subprocess.PIPE, check=False)
        assert asked.returncode in (0, 1)
        ignored = {os.fsdecode(path) for path in asked.stdout.split(b"\0") if path}
        kept = kept_paths(root, "--exclude-from", tmp_path / "rules", "--exclude", "/.git")
        assert kept == set(paths) - ignored, rules
        if any(not rule.startswith("!") for rule in rules):
            only = [word for rule in rules for word in ("--only", rule)]
            assert kept_paths(root, *only, "--exclude", "/.git") == ignored, rules


def kept_paths(root, *arguments):
    """The paths, as bytes, of the files that a scan counts."""
    export = scan("--format", "ncdu", *arguments, str(root))
    assert export.returncode == 0, export.stderr
    told = json.loads(os.fsdecode(export.stdout), strict=False)
    kept = set()
    waiting = [("", told[3])]
    while waiting:
        prefix, directory = waiting.pop()
        for entry in directory[1:]:
            if isinstance(entry, list):
                if "excluded" not in entry[0]:
                    waiting.append((f"{prefix}{entry[0]['name']}/", entry))
            elif "excluded" not in entry:
                kept.add(prefix + entry["name"])
    return kept


# ---- Conditions

def test_a_condition_counts_only_entries_that_satisfy_it(project):
    (project / "big").write_bytes(b"x" * 50_000)
    assert files(project, "--where", "kind = file and size > 40k") == {"big"}
    assert files(project, "--where", "ext = O and not name ~ 'keep*'") == {"a.o", "src/b.o"}
    assert files(project, "--where", "uid != " + str(os.getuid())) == set()


@pytest.mark.parametrize("expression, sentence", [
    ("entries > 3", "the field 'entries' is known only after a scan; `fathom find` takes it"),
    ("path ~ '/srv/**'", "the field 'path' is known only after a scan; `fathom find` takes it"),
    ("class = safe", "the field 'class' belongs to `fathom clean`"),
    ("entry > 3", "there is no field 'entry'; there are size, used, age, mtime, owner, group, uid, gid, mode, kind, "
                  "ext, name, links")])
def test_a_condition_needs_fields_that_a_running_scan_knows(project, expression, sentence):
    refused = scan("--where", expression, str(project))
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode() == (
        f"fathom: option '--where', column 1: {sentence}\n  {expression}\n  ^\n")
