"""Every row of docs/SEEDS.md names something that exists, and its commands work.

Commands of fathom run (FATHOM is its path). Experiments, tests and examples are not run here, because `make lab` and
the other tests run them all; that they exist with the values named is checked.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/SEEDS.md").read_text(encoding="utf-8")
ROWS = re.findall(r"(?m)^\| (\d+) \| (.+?) \| (.+) \|$", PAGE)
FEATURES = 139
FATHOM = pathlib.Path(os.environ["FATHOM"])


def check(shown):
    """Returns what is wrong with a cell of the last column."""
    if re.fullmatch(r"Declined: .+\.", shown):
        return None
    found = re.fullmatch(r"`([^`]+)`", shown)
    if not found:
        return "it is neither one command or file in backticks nor declined with a sentence"
    words = shlex.split(found[1])
    if words[0] in COMMANDS:
        return COMMANDS[words[0]](words)
    path, _, text = found[1].partition(":")
    if not (ROOT / path).exists():
        return f"{path} does not exist"
    if text and text not in (ROOT / path).read_text(encoding="utf-8"):
        return f"{path} does not contain {text}"
    return None


def run_fathom(words):
    program = FATHOM if words[0] == "fathom" else FATHOM.parent / "bench" / words[0]
    ran = subprocess.run([program, *words[1:]], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=60, check=False)
    return None if ran.returncode == 0 else f"exit code {ran.returncode}: {ran.stderr}"


def check_lab(words):
    if words[1] != "run" or "--help" in words:
        return run_lab(words[1], "--help")
    experiment = tomllib.loads((ROOT / f"lab/experiments/{words[2]}.toml").read_text(encoding="utf-8"))
    for option, value in zip(words[3::2], words[4::2], strict=True):
        if option == "--only":
            known = {contender["name"] for contender in experiment["contender"]}
            named = value.split(",")
        elif option == "--set":
            parameter, _, values = value.partition("=")
            if parameter not in experiment["parameters"]:
                return f"{words[2]} does not have the parameter {parameter}"
            known = {str(one) for one in experiment["parameters"][parameter]}
            named = [one for one in values.split(",") if parameter != "tree" or not one.startswith("/")]  # any folder
        else:
            return f"{option} is not an option of this page"
        if not known.issuperset(named):
            return f"{words[2]} has only {sorted(known)}"
    return None


def run_lab(*arguments):
    ran = subprocess.run([sys.executable, "-m", "fathom_lab", *arguments], cwd=ROOT, capture_output=True, text=True,
                         env=os.environ | {"PYTHONPATH": "lab/src"}, check=False)
    return None if ran.returncode == 0 else ran.stderr


def check_ctest(words):
    tests = subprocess.run(["ctest", "-N", *words[1:]], cwd=FATHOM.parents[1], capture_output=True,
                           text=True, check=True).stdout
    return None if re.search(r"Total Tests: [1-9]", tests) else "no test has that name"


def check_make(words):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return None if re.search(rf"(?m)^{words[1]}:", makefile) else "the Makefile does not have this target"


COMMANDS = {"fathom": run_fathom, "fathom-echo": run_fathom, "scripts/lab": check_lab, "ctest": check_ctest,
            "make": check_make}


def test_the_page_has_every_feature_in_order():
    assert [int(number) for number, _, _ in ROWS] == list(range(1, FEATURES + 1))


@pytest.mark.parametrize(("number", "feature", "shown"), ROWS, ids=[number for number, _, _ in ROWS])
def test_a_row_names_what_exists(number, feature, shown):
    assert check(shown) is None


@pytest.mark.parametrize("shown", ["see the code", "`no/file.h`", "`docs/STYLE.md:not in it at all`", "`rm -rf x`",
                                   "`scripts/lab run deque --only nobody`", "`scripts/lab run deque --set items=3`",
                                   "`scripts/lab run deque --set tree=/usr`", "`scripts/lab run deque --rounds 3`",
                                   "`ctest -R no_such_test`", "`make nothing`", "`fathom scan --no-such-flag`",
                                   "Declined:"])
def test_a_wrong_row_is_found(shown):
    assert check(shown)
