"""Valgrind and LeakSanitizer find the same leaks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from xml.etree import ElementTree

import pytest


def found_by_leaks(process) -> Counter[tuple[str, int]]:
    """(function, size) and the number of blocks of that size that leaked. The function is the program's innermost."""
    result: Counter[tuple[str, int]] = Counter()
    for leak in process["leaks"]:
        for size in leak["sizes"]:
            result[plain(leak["stack"][0]["function"]), size["size"]] += size["blocks"]
    return result


def found_by_valgrind(program, output) -> Counter[tuple[str, int]]:
    """The same, from blocks that it calls lost or still reachable."""
    subprocess.run(["valgrind", "--leak-check=full", "--show-leak-kinds=all", "--xml=yes", f"--xml-file={output}",
                    program], capture_output=True, check=False)
    result: Counter[tuple[str, int]] = Counter()
    for error in ElementTree.parse(output).getroot().iter("error"):
        frames = list(error.find("stack").iter("frame"))
        names = [frame.findtext("fn") for frame in frames if frame.findtext("obj") == str(program)]
        if error.findtext("kind").startswith("Leak_") and names:
            size, blocks = (int(error.findtext(f"xwhat/leaked{what}")) for what in ("bytes", "blocks"))
            result[plain(names[0]), size // blocks] += blocks
    return result


def plain(function: str) -> str:
    """The name without arguments, namespaces and results, which tools print differently."""
    return re.search(r"(\w+)(<.*>)?(\(.*\))?$", function)[1]


@pytest.mark.parametrize("name", ["calls.c", "chains.c", "objects.cc", "threads.cc"])
def test_valgrind_agrees(build, leaks, tmp_path, name):
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    program = build(name, "-DWITHOUT_PVALLOC")  # at which valgrind gives up
    theirs = found_by_valgrind(program, tmp_path / "valgrind.xml")
    ours = found_by_leaks(leaks([program]).process())
    assert ours == theirs
    assert ours


@pytest.mark.parametrize("name", ["calls.c", "chains.c"])
def test_leak_sanitizer_agrees(build, leaks, name):
    """LeakSanitizer reports only blocks without a pointer to them: these programs drop their pointers."""
    try:
        sanitized = build(name, "-fsanitize=leak", "-DWITHOUT_PVALLOC")  # whose blocks it calls whole pages
    except subprocess.CalledProcessError:
        pytest.skip("the compiler has no LeakSanitizer")
    done = subprocess.run([sanitized], capture_output=True, text=True, check=False,
                          env=dict(os.environ, LSAN_OPTIONS="allocator_may_return_null=1"))
    summary = re.search(r"SUMMARY: LeakSanitizer: (\d+) byte\(s\) leaked in (\d+) allocation", done.stderr)
    if summary is None:
        pytest.skip("LeakSanitizer does not work here: " + done.stderr[-200:])
    process = leaks([build(name, "-DWITHOUT_PVALLOC")]).process()
    empty = sum(size["blocks"] for leak in process["leaks"] for size in leak["sizes"] if size["size"] == 0)
    found = process["leaked"]
    assert (found["bytes"] + empty, found["blocks"]) == (int(summary[1]), int(summary[2]))  # it says 1 byte for none
