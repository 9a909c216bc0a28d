"""Wrong usage is refused in one sentence, and help covers everything."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, environment, run, scan, sentence_of

FLAGS = ["--summary", "--tree", "--largest-files N", "--largest-dirs N", "--recent WHEN",
         "--extensions", "--empty-dirs", "--symlinks", "--errors", "--metrics", "--stats",
         "--owners", "--ages", "--histogram", "--format FORMAT",
         "-o, --output FILE", "--csv-safe", "--apparent-size", "--si", "-x, --one-file-system", "-j, --threads N",
         "--engine ENGINE", "--snapshot", "--progress WHEN", "--color WHEN", "-h", "--help",
         "--sort ORDER", "--top N", "--depth N", "--plain", "--explain", "--nice", "--max-ops N",
         "--exclude GLOB", "--exclude-from FILE", "--exclude-caches", "--exclude-kernfs",
         "--no-hidden", "--only GLOB", "--min-size SIZE", "--newer WHEN", "--older WHEN", "--type TYPES",
         "--ext EXTS", "--where EXPR", "--shard", "--into FOLDER", "--rest BATCH", "--budget BUDGET",
         "--batches N", "--die-with-parent", "--from FILE", "--store DIR", "--trace FILE", "--memory",
         "--thread-stats", "--backtrace", "--all-levels", "--verbose"]


def test_help_lists_every_flag_and_every_exit_code():
    help_text = scan("--help").stdout.decode()
    for flag in FLAGS:
        assert flag + " " in help_text
    assert len(FLAGS) == len(re.findall(r"^  (?:-\w|    --)", help_text, re.M))
    for code in ("0", "1", "2", "130"):
        assert re.search(rf"^ +{code}  \w", help_text, re.M)
    assert max(map(len, help_text.splitlines())) <= 80


def test_help_explains_each_exit_code():
    words = " ".join(scan("--help").stdout.decode().split("Exit codes:")[1].split())
    assert "0 complete, or the reader of the results closed the pipe early" in words
    assert "or a FILE of -o, --from or --exclude-from cannot be opened; nothing was done" in words
    assert "130 interrupted by Ctrl-C, SIGTERM or SIGHUP;" in words


def test_the_brief_help_fits_one_screen():
    lines = scan("-h").stdout.decode().splitlines()
    assert len(lines) < 24  # the prompt takes the last line
    assert max(map(len, lines)) <= 80
    assert "--help" in lines[-1]
    assert all(flag + " " in "\n".join(lines) for flag in ["--largest-files N", "--format FORMAT"])


@pytest.mark.parametrize("arguments, same", [
    (["help"], ["--help"]), (["help", "help"], ["--help"]), (["help", "scan"], ["scan", "--help"]),
    (["-V"], ["--version"])], ids=str)
def test_help_and_version_have_the_usual_names(arguments, same):
    asked = run(*arguments)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, run(*same).stdout, b"")


def test_help_of_the_build_lists_no_programs_of_benchmarks():
    listed = set(re.findall(r"(?m)^  ([a-z-]+) ", run("help", env={"PATH": "/nowhere"}).stdout.decode()))
    assert "leaks" in listed
    assert listed.isdisjoint(["echo", "echo-server", "floor", "read-floor", "make-snapshots", "compare-snapshots"])


def test_help_runs_the_help_of_another_command(tmp_path):
    program = tmp_path / "fathom-echo-it"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    assert run("help", "echo-it", env={"PATH": f"{tmp_path}:/bin:/usr/bin"}).stdout == b"--help|"


@pytest.mark.parametrize("arguments, meant", [
    (["scna"], "scan"), (["hepl"], "help"), (["--hepl"], "--help"), (["--verison"], "--version"),
    (["scan", "--hepl"], "--help"), (["scan", "-help"], "--help"),
    (["scan", "-summary", "."], "--summary"), (["--sumary"], "--summary"),
    (["--largest"], "--largest-files"), (["--thread=2"], "--threads"), (["--verison"], "--version"),
    (["dupes"], "dups"), (["dup"], "dups"), (["dups", "--hepl"], "--help"), (["dups", "-summary", "."], "--summary"),
    (["dups", "--min-sise", "1"], "--min-size")], ids=str)
def test_misspelt_words_get_a_suggestion(arguments, meant):
    assert sentence_of(run(*arguments)).endswith(f"; did you mean '{meant}'?")


def test_help_goes_to_standard_output():
    for arguments in (["--help"], ["-h"], ["scan", "-h"], ["scan", "--help", "nowhere"]):
        asked = run(*arguments)
        assert asked.returncode == 0
        assert b"Usage: fathom" in asked.stdout
        assert asked.stderr == b""


def test_the_version_is_a_number():
    version = run("--version")
    assert version.returncode == 0
    assert re.fullmatch(rb"fathom \d+\.\d+\.\d+\n", version.stdout)


@pytest.mark.parametrize("arguments", [
    ["--no-such-flag"], ["-q"], ["--largest-files"], ["--largest-files", "0"],
    ["--largest-files", "-1"], ["--largest-dirs", "many"], ["--largest-dirs", "1.5"],
    ["--format", "xml"], ["--format="], ["--engine", "warp"], ["-j", "0"], ["-j", "1025"],
    ["--threads", ""], ["--progress", "sometimes"], ["--color", "blue"], ["--summary=yes"],
    ["--output", ""], [""], ["-5"], ["--depth", "-1"], ["--top", "0"],
    ["--format", "json", "--tree"], ["--format", "csv", "--summary", "--stats"],
    ["--all-levels"], ["--all-levels", "--largest-files", "3"], ["--verbose"],
], ids=" ".join)
def test_wrong_usage_is_refused_in_one_sentence(arguments, small):
    results = small / "results"
    assert sentence_of(scan("-o", str(results), str(small), *arguments))
    assert not results.exists()


def test_wrong_usage_keeps_the_old_output_file(small):
    results = small / "results"
    results.write_text("old")
    assert scan("-o", str(results), "--engine", "warp", str(small)).returncode == 2
    assert results.read_text() == "old"


def test_a_misspelt_flag_gets_a_suggestion():
    assert b"did you mean '--largest-files'?" in scan("--largest-fils", "3").stderr


def test_a_hostile_argument_is_escaped_in_the_message():
    refused = scan("--color", "\x1b[2J\n")
    assert b"\x1b" not in refused.stderr
    assert refused.stderr.count(b"\n") == 1


def test_a_path_may_begin_with_a_dash_after_two_dashes(small):
    (small / "-x").mkdir()
    assert scan("--summary", "--", "-x", cwd=small).returncode == 0


def test_another_command_runs_a_program_from_the_path(tmp_path):
    program = tmp_path / "fathom-echo-it"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = run("echo-it", "--help", "two words", env=env)
    assert (ran.returncode, ran.stdout) == (7, b"--help|two words|")
    assert b"echo-it" in run("--help", env=env).stdout


@pytest.mark.skipif(not os.path.exists("/proc/self/exe"), reason="needs /proc of Linux")
def test_another_command_can_be_beside_fathom(tmp_path):
    shutil.copy(FATHOM, tmp_path / "fathom")
    program = tmp_path / "fathom-echo-it"
    program.write_text('#!/bin/sh\necho "$1"\n')
    program.chmod(0o755)

    def output(*arguments):
        return subprocess.run([tmp_path / "fathom", *arguments], capture_output=True, check=True, timeout=PATIENCE,
                              env=environment()).stdout

    assert output("echo-it", "beside") == b"beside\n"
    assert b"\n  echo-it " in output("--help")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc of Linux")
@pytest.mark.parametrize("ignored", [False, True])
def test_another_command_inherits_the_handling_of_closed_pipes(tmp_path, ignored):
    program = tmp_path / "fathom-ignored"
    program.write_text("#!/bin/sh\nexec grep SigIgn /proc/self/status\n")
    program.chmod(0o755)
    action = signal.SIG_IGN if ignored else signal.SIG_DFL
    ran = run("ignored", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
              preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
    signals = int(ran.stdout.split()[1], 16)
    assert bool(signals >> (signal.SIGPIPE - 1) & 1) == ignored


def test_help_about_an_unknown_command_is_refused(tmp_path):
    (tmp_path / "frobnicate").mkdir()
    assert sentence_of(run("help", "frobnicate", env={"PATH": str(tmp_path)}, cwd=tmp_path)) == (
        "unknown command 'frobnicate'; `fathom --help` lists the commands")


@pytest.mark.parametrize("option", ["--foo", "--human", "--du", "--quiet=1", "-q", "--x", "--hidden"])
def test_a_wrong_option_gets_no_suggestion_that_is_not_close(option):
    for arguments in ([option], ["scan", option]):
        assert sentence_of(run(*arguments)) == (
            f"unknown option '{option.split('=')[0]}'; `fathom scan --help` lists the options")


@pytest.mark.parametrize("arguments, unknown, meant", [
    (["--max-depth", "3"], "--max-depth", "--depth"), (["--max-depth=3"], "--max-depth", "--depth"),
    (["-d", "1"], "-d", "--depth"), (["-d1"], "-d1", "--depth"), (["-n", "5"], "-n", "--top"),
    (["-sh"], "-sh", "--depth 0"), (["-a"], "-a", "--largest-files"), (["--size", "10M"], "--size", "--min-size"),
    (["dups", "-s", "10M"], "-s", "--min-size"), (["dups", "-d"], "-d", "--action"),
    (["find", "-d", "1", "x"], "-d", None), (["--json"], "--json", "--format json"),
    (["dups", "--csv"], "--csv", "--format csv"),
], ids=str)
def test_options_of_other_programs_are_translated(arguments, unknown, meant):
    refused = run(*arguments)
    assert refused.returncode == 2
    hint = f"did you mean '{meant}'?" if meant else "`fathom find --help` lists the options"
    assert refused.stderr.decode() == f"fathom: unknown option '{unknown}'; {hint}\n"


def test_a_path_that_begins_with_a_dash_goes_after_two_dashes(tmp_path):
    (tmp_path / "-q").touch()
    refused = run("scan", "-q", cwd=tmp_path)
    assert refused.stderr == (b"fathom: unknown option '-q'; the path '-q' goes after '--'; "
                              b"`fathom scan --help` lists the options\n")
    assert run("scan", "--", "-q", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name, meant", [("-dash", "--depth"), ("-summary", "--summary"), ("--sumary", "--summary")])
def test_an_existing_path_is_suggested_before_an_option(tmp_path, name, meant):
    (tmp_path / name).touch()
    assert run(name, cwd=tmp_path).stderr.decode() == (
        f"fathom: unknown option '{name}'; the path '{name}' goes after '--'; did you mean '{meant}'?\n")


def test_a_wrong_time_gets_one_example_per_line():
    lines = scan("--newer", "soon").stderr.decode().splitlines()
    assert lines[0] == "fathom: option '--newer' takes a time, not 'soon'; examples:"
    assert len(lines) > 3 and all(line.startswith("  --newer ") for line in lines[1:])
    assert max(map(len, lines)) <= 80


def test_a_command_name_cannot_be_a_path(tmp_path):
    (tmp_path / "fathom-").mkdir()
    program = tmp_path / "evil"
    program.write_text("#!/bin/sh\necho ran\n")
    program.chmod(0o755)
    assert run("/../evil", cwd=tmp_path).returncode == 2


def test_a_program_that_cannot_be_run_is_refused(tmp_path):
    program = tmp_path / "fathom-broken"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    assert run("broken", env={"PATH": str(tmp_path)}).returncode == 2


def test_a_command_whose_program_is_not_installed_is_named():
    assert sentence_of(run("fleet", "scan", env={"PATH": "/nowhere"})) == (
        "the program fathom-fleet is not installed: it comes with the Python package fathom-fs")
