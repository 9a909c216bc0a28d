"""Manual page, completions and the README's list say what the table of flags says.

FATHOM_UPDATE_GOLDEN=1 writes the README's list anew; nothing else of it is touched.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import FATHOM, PATIENCE, environment, run, scan

README = pathlib.Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"(<!-- options[^\n]*-->\n)(.*?)(<!-- end of options -->\n)", re.S)
VALUES = {"--format": ["text", "json", "csv"], "--engine": ["serial", "pool", "steal", "lockfree"],
          "--color": ["auto", "always", "never"], "--sort": ["size", "count", "name", "mtime"]}


def generated(what):
    made = run("--generate", what)
    assert made.returncode == 0 and made.stderr == b""
    return made.stdout.decode("ascii")


def flags():
    """Every spelling of every flag, as --help lists them."""
    help_text = scan("--help").stdout.decode()
    listed = [re.findall(r"--?[\w-]+", re.split("  +", line.strip())[0])
              for line in help_text.splitlines() if re.match(r"  (?:-\w|    --)", line)]
    assert len(listed) > 20
    return [spelling for spellings in listed for spelling in spellings]


def test_the_readme_lists_the_options_that_there_are():
    text = README.read_text(encoding="utf-8")
    wanted = generated("readme")
    if os.environ.get("FATHOM_UPDATE_GOLDEN") == "1":
        text = BLOCK.sub(lambda match: match[1] + wanted + match[3], text)
        README.write_text(text, encoding="utf-8")
    assert BLOCK.search(text)[2] == wanted


@pytest.mark.parametrize("what", ["man", "bash", "zsh", "fish", "readme"])
def test_every_flag_is_in_everything_that_is_generated(what):
    text = generated(what).replace("\\-", "-")
    for flag in flags():
        if what == "fish":
            flag = f" -l {flag[2:]} " if flag.startswith("--") else f" -s {flag[1:]} "
        assert flag in text


def test_a_file_may_be_named_for_what_is_generated(tmp_path):
    assert run("--generate", "man", str(tmp_path / "page")).returncode == 0
    assert (tmp_path / "page").read_text(encoding="ascii") == generated("man")


@pytest.mark.parametrize("arguments", [[], ["pdf"], ["man", "a", "b"]], ids=" ".join)
def test_nothing_else_is_generated(arguments):
    refused = run("--generate", *arguments)
    assert refused.returncode == 2 and refused.stdout == b""


@pytest.mark.parametrize("checker", [
    ["groff", "-man", "-Tascii", "-ww", "-z"], ["mandoc", "-man", "-Tlint", "-Wwarning"],
    ["man", "--warnings", "-l"]], ids=lambda checker: checker[0])
def test_the_manual_page_is_rendered_without_a_warning(checker, tmp_path):
    if shutil.which(checker[0]) is None:
        pytest.skip(f"there is no {checker[0]} here")
    page = tmp_path / "fathom-scan.1"
    page.write_text(generated("man"), encoding="ascii")
    checked = subprocess.run([*checker, page], capture_output=True, timeout=PATIENCE, check=False,
                             env=environment({"MANWIDTH": "80"}))
    # A page that is not written every day has no date.
    lines = [line for line in checked.stderr.decode().splitlines() if "missing date" not in line]
    assert lines == []
    assert checked.returncode == 0 or b"missing date" in checked.stderr + checked.stdout


def test_the_manual_page_shows_text_as_it_is(tmp_path):
    if shutil.which("groff") is None:
        pytest.skip("there is no groff here")
    shown = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou"], input=generated("man").encode(),
                           capture_output=True, timeout=PATIENCE, check=True).stdout.decode()
    assert "-o, --output FILE" in shown
    words = " ".join(shown.split())
    assert r"\n, \x1b, \u202e, \\ and the like" in words
    assert "EXIT STATUS 0 complete, or the reader" in words


def offered(tmp_path, *words, env=None):
    """What a real bash offers for the last of the words."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
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
        capture_output=True, timeout=PATIENCE, check=True, env=environment(env))
    told = completed.stderr.decode().splitlines()
    assert all(line == "compopt +o default" for line in told), told
    files = not told  # nothing was said against them
    return completed.stdout.decode().split(), files


def test_bash_completes_commands(tmp_path):
    program = tmp_path / "fathom-echo-it"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    words, files = offered(tmp_path, "", env=env)
    assert {"scan", "help", "--version", "echo-it"} <= set(words) and not files
    assert offered(tmp_path, "sc")[0] == ["scan"]
    assert offered(tmp_path, "help", "sc")[0] == ["scan"]


def test_bash_completes_flags(tmp_path):
    assert sorted(offered(tmp_path, "scan", "-")[0]) == sorted(flags())
    assert offered(tmp_path, "scan", "--largest-f") == (["--largest-files"], False)


@pytest.mark.parametrize("flag", VALUES)
def test_bash_completes_values(tmp_path, flag):
    for words in (["scan", flag, ""], ["scan", flag, "=", ""][:3], ["scan", flag, "=", ""]):
        known, files = offered(tmp_path, *words[:-1], "" if words[-1] != "=" else "=")
        assert set(VALUES[flag]) <= set(known) and not files
    first = VALUES[flag][0]
    assert offered(tmp_path, "scan", flag, "=", first[:-1])[0] == [first]


@pytest.mark.parametrize("words", [["scan", ""], ["scan", "-o", ""], ["scan", "--output", "a"],
                                   ["scan", "--output", "=", ""], ["scan", "--", "-"]], ids=" ".join)
def test_bash_completes_files_where_files_may_stand(tmp_path, words):
    assert offered(tmp_path, *words) == ([], True)


def test_bash_offers_nothing_where_only_the_user_knows(tmp_path):
    assert offered(tmp_path, "scan", "--largest-files", "") == ([], False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_take_what_is_made_for_them(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    script = tmp_path / "completion"
    script.write_text(generated(shell), encoding="ascii")
    checked = subprocess.run([shell, "-n", script], capture_output=True, timeout=PATIENCE,
                             check=False)
    assert (checked.returncode, checked.stderr) == (0, b"")


def test_fish_completes_flags_and_values(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("there is no fish here")
    (tmp_path / "completion").write_text(generated("fish"), encoding="ascii")
    def of(line):
        script = f"source {tmp_path}/completion; complete -C '{line}'"
        shown = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True,
                               timeout=PATIENCE, env=environment({"HOME": str(tmp_path)})).stdout
        return [line.split("\t")[0] for line in shown.decode().splitlines()]
    assert of("fathom sc") == ["scan"]
    assert "--largest-files" in of("fathom scan --lar")
    assert set(VALUES["--engine"]) <= set(of("fathom scan --engine "))
