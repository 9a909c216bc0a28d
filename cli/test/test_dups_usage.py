"""`fathom dups`: wrong usage is refused in one sentence, and help covers everything."""

import re

import pytest

from conftest import dups, run, sentence_of

FLAGS = ["--format FORMAT", "-o, --output FILE", "--summary", "--top N", "--all", "--si",
         "--min-size SIZE", "--empty", "--ext EXTS", "--exclude GLOB", "--exclude-from FILE",
         "--exclude-caches", "--exclude-kernfs", "--no-hidden", "--newer WHEN", "--older WHEN",
         "-x, --one-file-system", "-j, --threads N", "--nice", "--drop-cache", "--plain",
         "--progress WHEN", "--color WHEN", "-h", "--help"]


def test_help_lists_every_flag_and_every_exit_code():
    help_text = dups("--help").stdout.decode()
    for flag in FLAGS:
        assert flag + " " in help_text
    for code in ("0", "1", "2", "130"):
        assert re.search(rf"^ +{code}  \w", help_text, re.M)
    assert max(map(len, help_text.splitlines())) <= 80


def test_the_brief_help_fits_one_screen():
    lines = dups("-h").stdout.decode().splitlines()
    assert len(lines) < 24  # the prompt takes the last line
    assert max(map(len, lines)) <= 80
    assert "`man fathom-dups`" in lines[-1]


def test_help_has_the_usual_names():
    asked = run("help", "dups")
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, dups("--help").stdout, b"")
    assert b"\n  dups [PATH...]  " in run("help").stdout


@pytest.mark.parametrize("arguments", [
    ["--no-such-flag"], ["-q"], ["--format", "xml"], ["--format", "ncdu"], ["--top", "0"],
    ["--min-size", "large"], ["--min-size", "-1"], ["--empty", "--min-size", "1"],
    ["--summary", "--format", "csv"], ["--ext", "a/b"], ["-j", "0"], ["--output", ""], [""],
    ["--type", "f"], ["--engine", "serial"], ["--exclude-from", "/nowhere"],
    ["-o", "/nowhere/results"]], ids=" ".join)
def test_wrong_usage_is_refused_in_one_sentence(arguments, small):
    results = small / "results"
    assert sentence_of(dups("-o", str(results), str(small), *arguments))
    assert not results.exists()


def test_a_path_may_begin_with_a_dash_after_two_dashes(small):
    (small / "-x").mkdir()
    assert dups("--", "-x", cwd=small).returncode == 0
