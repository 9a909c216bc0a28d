"""Manual pages, completions and the README's lists match the tables of flags.

FATHOM_UPDATE_GOLDEN=1 rewrites the lists in the README, and nothing else in it.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import PATIENCE, environment, run

README = pathlib.Path(__file__).parents[2] / "README.md"
COMMANDS = ["scan", "browse", "dups", "find", "clean", "serve", "snapshot", "log", "diff", "growth", "store",
            "apply", "undo", "threads"]
MARKS = {"scan": "<!-- options:", **{command: f"<!-- options of {command}:" for command in COMMANDS[1:]}}
VALUES = {"--format": ["text", "json", "csv"],
          "--engine": ["serial", "pool", "steal", "lockfree", "auto", "btrfs", "ext4", "xfs"],
          "--color": ["auto", "always", "never"], "--sort": ["size", "count", "name", "mtime"]}


def generated(what):
    made = run("--generate", what)
    assert made.returncode == 0 and made.stderr == b""
    return made.stdout.decode("ascii")


def flags(command):
    """Every spelling of every flag, as --help lists them."""
    help_text = run(command, "--help").stdout.decode()
    listed = [re.findall(r"--?[\w-]+", re.split("  +", line.strip())[0])
              for line in help_text.splitlines() if re.match(r"  (?:-\w|    --)", line)]
    assert len(listed) >= 5
    return [spelling for spellings in listed for spelling in spellings]


def assert_in_readme(block, wanted, compared=str):
    """The group `text` of the pattern is the wanted text, as far as `compared` returns it."""
    text = README.read_text(encoding="utf-8")
    found = block.search(text)
    shown, printed = [compared(each).splitlines(keepends=True) for each in (found["text"], wanted)]
    if shown == printed:
        return
    if os.environ.get("FATHOM_UPDATE_GOLDEN") == "1":
        README.write_text(text[:found.start("text")] + wanted + text[found.end("text"):], encoding="utf-8")
        return
    diff = "".join(difflib.unified_diff(shown, printed, "README.md", "printed by Fathom"))
    pytest.fail(f"README.md is out of date; FATHOM_UPDATE_GOLDEN=1 rewrites it:\n{diff}", pytrace=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_lists_exactly_the_existing_options(command):
    block = re.compile(rf"{MARKS[command]}[^\n]*-->\n(?P<text>.*?)<!-- end of options -->\n", re.S)
    if not block.search(README.read_text(encoding="utf-8")):
        pytest.skip(f"the README does not list the options of {command}")
    assert_in_readme(block, generated(f"readme-{command}"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", ["man", "bash", "zsh", "fish", "readme"])
def test_every_flag_is_in_all_generated_files(what, command):
    shell = what in ("bash", "zsh", "fish")
    text = generated(what if shell else f"{what}-{command}").replace("\\-", "-")
    if what == "fish":
        text = "".join(line + "\n" for line in text.splitlines()
                       if f"__fish_seen_subcommand_from {command}'" in line)
    for flag in flags(command):
        in_fish = f" -l {flag[2:]} " if flag.startswith("--") else f" -s {flag[1:]} "
        assert (in_fish if what == "fish" else flag) in text


def test_the_page_of_fathom_lists_every_command():
    page = generated("man").replace("\\-", "-")
    for command in [*COMMANDS, "leaks", "fleet", "help"]:
        assert f"\\fB{command}\\fR" in page
    for command in [*COMMANDS, "leaks"]:
        assert f".BR fathom-{command} (1)" in page
    assert "fathom-fleet (1)" not in page  # a Python package has no manual page


def test_the_build_makes_the_page_of_every_command():
    build = (README.parent / "cli" / "Generated.cmake").read_text(encoding="utf-8")
    assert re.search(r"foreach\(command (.*?)\)", build)[1].split() == COMMANDS


def test_the_output_can_go_to_a_file(tmp_path):
    assert run("--generate", "man", str(tmp_path / "page")).returncode == 0
    assert (tmp_path / "page").read_text(encoding="ascii") == generated("man")


@pytest.mark.parametrize("arguments", [[], ["pdf"], ["man", "a", "b"], ["man-help"], ["man-leaks"], ["readme"],
                                       ["bash-scan"]], ids=" ".join)
def test_wrong_usage_is_refused(arguments):
    refused = run("--generate", *arguments)
    assert refused.returncode == 2 and refused.stdout == b""


@pytest.mark.parametrize("page", ["man", *(f"man-{command}" for command in COMMANDS)])
@pytest.mark.parametrize("checker", [
    ["groff", "-man", "-Tascii", "-ww", "-z"], ["mandoc", "-man", "-Tlint", "-Wwarning"],
    ["man", "--warnings", "-l"]], ids=lambda checker: checker[0])
def test_the_manual_page_is_rendered_without_a_warning(checker, page, tmp_path):
    if shutil.which(checker[0]) is None:
        pytest.skip(f"{checker[0]} is not installed")
    file = tmp_path / f"{page.replace('man', 'fathom')}.1"
    file.write_text(generated(page), encoding="ascii")
    checked = subprocess.run([*checker, file], capture_output=True, timeout=PATIENCE, check=False,
                             env=environment({"MANWIDTH": "80"}))
    # The page is not regenerated every day, so it has no date.
    lines = [line for line in checked.stderr.decode().splitlines() if "missing date" not in line]
    assert lines == []
    assert checked.returncode == 0 or b"missing date" in checked.stderr + checked.stdout


def test_the_manual_page_shows_text_unchanged():
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    shown = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou"], input=generated("man-scan").encode(),
                           capture_output=True, timeout=PATIENCE, check=True).stdout.decode()
    assert "-o, --output FILE" in shown
    words = " ".join(shown.split())
    assert r"\n, \x1b, \u202e, \\ and the like" in words
    assert "EXIT STATUS 0 complete, or the reader" in words


def offered(tmp_path, *words, env=None, cwd=None):
    """The completions of a real bash for the last of the words."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    (tmp_path / "completion").write_text(generated("bash"), encoding="ascii")
    script = """
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        compopt() { echo "compopt $*" >&2; }
        _fathom
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    completed = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", tmp_path / "completion", "fathom", *words],
        capture_output=True, timeout=PATIENCE, check=True, env=environment(env), cwd=cwd)
    told = completed.stderr.decode().splitlines()
    assert set(told) <= {"compopt +o default", "compopt -o filenames"}, told
    files = "compopt +o default" not in told  # no option turned them off
    return completed.stdout.decode().split(), files


def test_bash_completes_commands(tmp_path):
    program = tmp_path / "fathom-echo-it"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    words, _ = offered(tmp_path, "", env=env)
    assert {"scan", "dups", "serve", "leaks", "help", "echo-it"} <= set(words)
    assert offered(tmp_path, "sc", cwd=tmp_path)[0] == ["scan"]
    assert offered(tmp_path, "help", "sc")[0] == ["scan"]
    assert offered(tmp_path, "du", cwd=tmp_path)[0] == ["dups"]


def test_bash_completes_a_scan_without_its_name(tmp_path):
    (tmp_path / "scenery").mkdir()
    assert offered(tmp_path, "sc", cwd=tmp_path)[0] == ["scan", "scenery"]
    assert sorted(offered(tmp_path, "-")[0]) == sorted([*flags("scan"), "--version"])
    assert offered(tmp_path, "--largest-f") == (["--largest-files"], False)
    assert offered(tmp_path, "--format", "c") == (["csv"], False)
    assert offered(tmp_path, "--summary", "") == ([], True)
    for path in (".", "/usr", "scenery"):
        assert offered(tmp_path, path, "--largest-f", cwd=tmp_path) == (["--largest-files"], False)
    assert offered(tmp_path, "dups", "--largest-f", cwd=tmp_path)[0] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_bash_completes_flags(tmp_path, command):
    assert sorted(offered(tmp_path, command, "-")[0]) == sorted(flags(command))


def test_bash_completes_known_values(tmp_path):
    assert offered(tmp_path, "dups", "--drop") == (["--drop-cache"], False)
    assert offered(tmp_path, "dups", "--format", "fc") == (["fclones"], False)
    assert offered(tmp_path, "dups", "-o", "") == ([], True)
    assert offered(tmp_path, "scan", "--format", "fc")[0] == []
    assert offered(tmp_path, "echo-it", "-")[0] == []
    assert offered(tmp_path, "scan", "--largest-f") == (["--largest-files"], False)
    assert offered(tmp_path, "scan", "--type", "d") == (["dir"], False)
    assert offered(tmp_path, "dups", "--keep", "old") == (["oldest"], False)
    assert offered(tmp_path, "store", "") == (["list", "verify", "gc"], False)
    assert offered(tmp_path, "store", "--si", "v") == (["verify"], False)
    assert offered(tmp_path, "store", "list", "") == ([], False)


@pytest.mark.parametrize("flag", VALUES)
def test_bash_completes_values(tmp_path, flag):
    for words in (["scan", flag, ""], ["scan", flag, "=", ""][:3], ["scan", flag, "=", ""]):
        known, files = offered(tmp_path, *words[:-1], "" if words[-1] != "=" else "=")
        assert set(VALUES[flag]) <= set(known) and not files
    first = VALUES[flag][0]
    assert offered(tmp_path, "scan", flag, "=", first[:-1])[0] == [first]


@pytest.mark.parametrize("words", [["scan", ""], ["scan", "-o", ""], ["scan", "--output", "a"],
                                   ["scan", "--output", "=", ""], ["scan", "--", "-"]], ids=" ".join)
def test_bash_completes_files_where_files_are_expected(tmp_path, words):
    assert offered(tmp_path, *words) == ([], True)


def test_bash_offers_nothing_for_free_text(tmp_path):
    assert offered(tmp_path, "scan", "--largest-files", "") == ([], False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_accept_their_completions(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "completion"
    script.write_text(generated(shell), encoding="ascii")
    checked = subprocess.run([shell, "-n", script], capture_output=True, timeout=PATIENCE,
                             check=False)
    assert (checked.returncode, checked.stderr) == (0, b"")


def test_fish_completes_flags_and_values(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (tmp_path / "completion").write_text(generated("fish"), encoding="ascii")
    def of(line):
        script = f"source {tmp_path}/completion; complete -C '{line}'"
        shown = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True,
                               timeout=PATIENCE, env=environment({"HOME": str(tmp_path)})).stdout
        return [line.split("\t")[0] for line in shown.decode().splitlines()]
    assert "scan" in of("fathom sc") and "dups" in of("fathom ")
    assert "--largest-files" in of("fathom --lar") and "--version" in of("fathom --ver")
    assert "--largest-files" in of("fathom / --lar") and "--largest-files" in of("fathom -x --lar")
    assert "--largest-files" not in of("fathom dups --lar")
    assert "--largest-files" in of("fathom scan --lar")
    assert set(VALUES["--engine"]) <= set(of("fathom scan --engine "))
    assert "fclones" in of("fathom dups --format ") and "--drop-cache" in of("fathom dups --dr")
    assert of("fathom store ") == ["gc", "list", "verify"] and of("fathom store --si v") == ["verify"]
    assert not {"gc", "list"} & {*of("fathom dups store "), *of("fathom store list "), *of("fathom store gc l")}
