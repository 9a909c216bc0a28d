"""Trees, and what a program must report about them: for the tests of packages."""

import json
import os
import pathlib
import subprocess
from collections.abc import Callable

PATIENCE = 600  # seconds after which a program counts as hung
ALICE, NOBODY_KNOWN = 20001, 20002

# Runs the program with these arguments: its standard output.
Program = Callable[..., str]


class Failed(Exception):
    pass


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")
    print(f"  {what}: {found}")


def output(*command: str | pathlib.Path) -> str:
    """The standard output of a command that must succeed."""
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                         check=False)
    if ran.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def make_tree(tree: pathlib.Path) -> None:
    """Directories, links, names that are not UTF-8, owners, and the same content with three names."""
    for number in range(5):
        below = tree / f"folder {number}/deeper"
        below.mkdir(parents=True)
        for file in range(7):
            (below / f"file-{file}").write_bytes(bytes([number]) * (number * 4099 + file * 511))
    for name in ("one", "two"):
        (tree / name).write_bytes(b"the same" * 10_000)
        os.chown(tree / name, ALICE, ALICE)
    os.link(tree / "one", tree / "folder 1/another name")
    os.chown(tree / "folder 2/deeper", NOBODY_KNOWN, NOBODY_KNOWN)
    (tree / "link").symlink_to("one")
    pathlib.Path(os.fsdecode(os.fsencode(tree) + b"/not \xff UTF-8")).touch()


def check_reports(program: Program, tree: pathlib.Path, seen_as: str) -> None:
    """The program sees the tree at the path `seen_as`."""
    totals = json.loads(program("scan", seen_as, "--format", "json"))["totals"]
    wanted = output("du", "-s", "--block-size=1", tree).split()[0]
    expect("bytes on disk, as of du", totals["disk_bytes"], int(wanted))
    found = json.loads(program("dups", seen_as, "--format", "json"))
    paths = [sorted(group["paths"] + group["hardlinks"]) for group in found["groups"]]
    expect("duplicates", paths, [[f"{seen_as}/{name}" for name in ("folder 1/another name", "one", "two")]])
