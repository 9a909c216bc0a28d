"""Stores, exports, plans and journals that older versions wrote, read and carried out by this one.

Each folder of versions/ was written by the version of its name; 0.1-snapshots (commit 710b38ad) and
0.1-plans (28f5473b) by states on the way to the first release. To add this one:

    FATHOM=build/release/bin/fathom python3 cli/test/test_upgrade.py

Plans and journals describe files by their device, inode and times, so the tests make such files and
put their values into the lines. Everything else in them, and every byte of the stores and exports, is
what the older version wrote.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

import schemas
from conftest import run

VERSIONS = pathlib.Path(__file__).parent / "versions"
RECORDED = sorted(folder.name for folder in VERSIONS.iterdir())
IDENTITY = ("device", "inode", "mtime_ns", "ctime_ns")


def make_tree(root):
    """Two equal files, a name that is not UTF-8, a file with two names, and a symbolic link."""
    (root / "one").mkdir(parents=True)
    (root / "two/deep").mkdir(parents=True)
    for name in ("one/equal", "two/deep/equal"):
        (root / name).write_bytes(b"the same bytes\n" * 3000)
    pathlib.Path(os.fsdecode(os.fsencode(root / "one") + b"/\xff\n")).write_bytes(b"odd")
    (root / "two/old.log").write_bytes(b"a line\n" * 2000)
    os.link(root / "two/old.log", root / "one/other name")
    (root / "two/link").symlink_to("nowhere")


def add_to(root):
    """What grows between the two snapshots of a store."""
    (root / "one/grown").write_bytes(b"x" * 100_000)


def ok(*arguments):
    ran = run(*arguments)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


def used(root):
    """The disk usage in bytes, as du counts it."""
    counted = subprocess.run(["du", "-s", "--block-size=1", root], stdout=subprocess.PIPE, check=True)
    return int(counted.stdout.split()[0])


def entries(root):
    return 1 + sum(len(folders) + len(names) for _, folders, names in os.walk(root))


def record(place):
    """Writes the folder of this version, about a tree in `place`."""
    version = ok("--version").decode().split()[1].rpartition(".")[0]
    if (VERSIONS / version).exists():
        sys.exit(f"test_upgrade: {VERSIONS / version} exists; what a released version wrote must not change")
    root = place / "tree"
    folder = place / "folder"
    folder.mkdir()
    make_tree(root)
    facts = {"entries": entries(root), "disk_bytes": used(root)}
    (folder / "scan.ncdu").write_bytes(ok("scan", root, "--format", "ncdu"))
    ok("snapshot", root, "--store", folder / "store", "--tag", "before")
    add_to(root)
    facts["grown_bytes"] = used(root) - facts["disk_bytes"]
    ok("snapshot", root, "--store", folder / "store", "--tag", "after")
    (root / "one/grown").unlink()
    (folder / "facts.json").write_text(json.dumps(facts) + "\n")
    ok("dups", root, "--action", "quarantine", "--plan", folder / "duplicates.plan", "--quarantine", place / "copies")
    ok("dups", "--apply", folder / "duplicates.plan", "--execute")
    ok("find", "old.log", "link", root, "--do", "quarantine", "--plan", folder / "files.plan")
    ok("apply", folder / "files.plan", "--execute", "--quarantine", place / "away")
    shutil.copytree(folder, VERSIONS / f"{version}.new")
    (VERSIONS / f"{version}.new").rename(VERSIONS / version)


@pytest.fixture(name="kept", params=RECORDED)
def kept_fixture(request, tmp_path):
    """A copy, because a store has a file for locks, and the sources may be read-only."""
    return shutil.copytree(VERSIONS / request.param, tmp_path / "kept")


@pytest.fixture(name="facts")
def facts_fixture(kept):
    return json.loads((kept / "facts.json").read_text())


def test_every_file_of_an_older_store_is_intact(kept):
    ok("store", "verify", "--store", kept / "store")


def test_the_log_of_an_older_store_has_its_snapshots_with_their_sums(kept, facts):
    log = json.loads(ok("log", "--store", kept / "store", "--format", "json"))
    assert log["unreadable"] == []
    sums = {one["tag"]: one["totals"]["disk_bytes"] for one in log["snapshots"]}
    assert sums == {"before": facts["disk_bytes"],
                    "after": facts["disk_bytes"] + facts["grown_bytes"]}
    assert {one["tag"]: one["change"] and one["change"]["disk_bytes"] for one in log["snapshots"]} == {
        "before": None, "after": facts["grown_bytes"]}


def test_the_difference_of_two_older_snapshots_is_what_was_added(kept, facts):
    diff = json.loads(ok("diff", "@before", "@after", "--store", kept / "store", "--format", "json"))
    assert diff["balance"]["total"] == facts["grown_bytes"]
    assert [os.path.basename(one["path"]) for one in diff["created"]] == ["grown"]


@pytest.mark.parametrize("source", ["scan.ncdu", "@before"])
def test_older_exports_and_snapshots_are_read_as_the_scan_that_they_are(kept, facts, source):
    options = ["--store", kept / "store"] if source.startswith("@") else []
    path = source if source.startswith("@") else kept / source
    totals = json.loads(ok("scan", "--from", path, *options, "--format", "json"))["totals"]
    assert totals["disk_bytes"] == facts["disk_bytes"]
    assert totals["entries"] == facts["entries"]


def of_this_place(lines, root, where):
    """The lines of a plan or journal, with the paths of `root` and the identities of the files
    at `where(line)`."""
    folder = json.loads(lines[0])["roots"][0]["path"].removesuffix("/tree")
    result = []
    for text in lines:
        line = json.loads(text.replace(folder, str(root.parent)).replace(folder[1:], str(root.parent)[1:]))
        if "host" in line:
            line["host"] = os.uname().nodename
        if "inode" in line:
            status = os.lstat(where(line))
            found = dict(zip(IDENTITY, (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)))
            line.update((name, value) for name, value in found.items() if name in line)
        result.append(json.dumps(line, separators=(",", ":")))
    return "\n".join(result) + "\n"


@pytest.fixture(name="root")
def root_fixture(tmp_path):
    make_tree(tmp_path / "tree")
    return tmp_path / "tree"


@pytest.mark.parametrize("written", sorted(VERSIONS.glob("*/*.plan*")),
                         ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_schema_describes_older_plans_and_journals(written):
    with open(written, encoding="utf-8") as file:
        name = json.loads(file.readline())["schema"]
    schemas.assert_lines_described(written, name)


@pytest.mark.parametrize("written", sorted(VERSIONS.glob("*/*.plan")),
                         ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_older_plan_is_carried_out(written, root, tmp_path):
    lines = written.read_text().splitlines()
    acts = [json.loads(line)["path"] for line in lines if '"do":"quarantine"' in line]
    plan = tmp_path / "plan"
    plan.write_text(of_this_place(lines, root, lambda line: root / line["path"]))
    # A plan of duplicates names its quarantine.
    away = [] if written.stem == "duplicates" else ["--quarantine", tmp_path / "away"]
    ok("apply", plan, *away)
    assert acts
    assert all(os.path.lexists(root / path) for path in acts)
    ok("apply", plan, *away, "--execute")
    assert not any(os.path.lexists(root / path) for path in acts)
    ok("undo", tmp_path / "plan.journal", "--execute")
    assert all(os.path.lexists(root / path) for path in acts)


@pytest.mark.parametrize("written", sorted(VERSIONS.glob("*/*.journal")),
                         ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_older_journal_is_undone(written, root, tmp_path):
    moved = {}

    def move(line):
        """Puts the file where the older version had moved it."""
        place = pathlib.Path(line["place"], line["to"]) if "place" in line else (
            tmp_path / "copies" / str(root / line["path"])[1:])
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (root / line["path"]).rename(place)
        moved[line["path"]] = place
        return place

    journal = tmp_path / "journal"
    journal.write_text(of_this_place(written.read_text().splitlines(), root, move))
    assert moved
    assert not any(os.path.lexists(root / path) for path in moved)
    ok("undo", journal, "--execute")
    assert all(os.path.lexists(root / path) for path in moved)
    assert not any(os.path.lexists(place) for place in moved.values())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder_of_tree:
        record(pathlib.Path(folder_of_tree))


@pytest.mark.parametrize("written", sorted(VERSIONS.glob("*/store/*/meta.json")),
                         ids=lambda path: f"{path.parts[-4]}-{path.parent.name}")
def test_the_schema_describes_the_metadata_of_older_snapshots(written):
    schemas.assert_described(json.loads(written.read_bytes()), "fathom.snapshot/1")
