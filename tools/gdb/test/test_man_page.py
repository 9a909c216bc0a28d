"""The manual page says what --help says."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from conftest import run_command


@pytest.fixture(scope="module")
def page():
    return run_command("--generate", "man", "1.2.3").stdout


def rendered(page):
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-cbou"], input=page, capture_output=True, text=True,
                          check=True)
    assert done.stderr == ""
    # groff hyphenates and justifies.
    return " ".join(re.sub(r"-\n\s+(?=[a-z])", "", done.stdout).split())


def test_the_page_has_the_sections_of_the_other_pages(page):
    assert re.findall(r"(?m)^\.SH (.*)", page) == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
                                                   "SEE ALSO"]
    assert page.splitlines()[1] == '.TH FATHOM\\-LEAKS 1 "" "fathom 1.2.3" "User Commands"'


def test_the_page_says_what_the_help_says(page):
    shown = rendered(page)
    usage, *description, options, exits = run_command("--help").stdout.strip().split("\n\n")
    for line in usage.removeprefix("usage: ").splitlines():
        assert line.strip() in shown
    for paragraph in description:
        assert " ".join(paragraph.split()) in shown
    listed = re.findall(r"(?m)^  (-.*?)(?:  +|\n +)((?:.|\n {24})*)$", options)
    assert len(listed) == len(re.findall(r"(?m)^  -", options)) > 10
    for spellings, meaning in listed:
        tag = re.sub(r" \w+, ", ", ", spellings)  # "-o FILE, --output FILE"
        assert f"{tag} {' '.join(meaning.split())}" in shown
    codes = re.findall(r"(?m)^  (\d+) +(.*)$", exits)
    assert [code for code, _ in codes] == ["0", "1", "2", "130"]
    for code, meaning in codes:
        assert f"{code} {meaning}" in shown


def test_the_page_can_go_to_a_file(page, tmp_path):
    assert run_command("--generate", "man", "1.2.3", "-o", tmp_path / "page").returncode == 0
    assert (tmp_path / "page").read_text(encoding="ascii") == page


def test_nothing_else_is_generated():
    done = run_command("--generate", "pdf", "1.2.3")
    assert (done.returncode, done.stdout) == (2, "")
