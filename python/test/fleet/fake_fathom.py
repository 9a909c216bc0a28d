#!/usr/bin/env python3
"""A `fathom` that scans trees which exist only by calculation, and makes parts as the real one does.

As a program it has `scan --shard`, `snapshot --parts` and `--version`. A root is /SEED/ENTRIES: the tree of that seed.
Its parts contain entries.txt, the paths of all entries, each ended by NUL, in the order in which they were found.

FAKE_FATHOM_GATE is a directory in which scans wait until a test lets them go on; see Gate. FAKE_FATHOM_REAL is a real
`fathom`, which this program then becomes.
"""

import ctypes
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import sys

VERSION = "fathom 0.0.0-fake"
RATE = 4  # entries per second, so that small trees have many parts


class Tree:
    """Directories and files; half of the entries are below one child of the root. Some directories are unreadable."""

    def __init__(self, root):
        self.root = root
        seed, entries = root.strip("/").split("/")
        rng = random.Random(seed)
        self.children = {root: []}
        heavy = root
        folders = [root]
        for number in range(int(entries) - 1):
            if number == 1:
                heavy = folders[-1]
            inside = [path for path in folders if path.startswith(heavy)] if number % 2 and heavy != root else folders
            parent = inside[rng.randrange(len(inside))]
            # No name is UTF-8 all the time.
            name = f"{parent}/{rng.choice(['a', 'b', 'ü', os.fsdecode(bytes([0xff]))])}{number}"
            if number < 2 or rng.random() < 0.25:
                self.children[name] = []
                folders.append(name)
            self.children[parent].append(name)
        self.unreadable = {path for path in folders[3:] if rng.random() < 0.05}

    def is_directory(self, path):
        return path in self.children

    def entries_of(self, path):
        return [] if path in self.unreadable else self.children[path]

    def walk(self):
        """All paths, and the number of unreadable directories among them."""
        found, errors, pending = [], 0, [self.root]
        while pending:
            path = pending.pop()
            found.append(path)
            if self.is_directory(path):
                errors += path in self.unreadable
                pending.extend(self.entries_of(path))
        return found, errors


TREES = {}


def tree_of(root):
    if root not in TREES:
        TREES[root] = Tree(root)
    return TREES[root]


def options(argv):
    """--name=value as a dictionary; the paths."""
    given = [word[2:].partition("=") for word in argv if word.startswith("--")]
    return {name: value for name, _, value in given}, [word for word in argv if not word.startswith("-")]


def child_id(parent, index):
    return hashlib.sha256(f"{parent}/{index}".encode()).hexdigest()[:16]


def seconds_of(budget):
    return int(budget[:-2]) / 1000 if budget.endswith("ms") else int(budget[:-1])


def prepare(argv, rng):
    """The work of `scan --shard`, without the commit: returns the id and the files of the part."""
    given, roots = options(argv)
    budget = given["budget"]
    if budget.endswith("s"):
        most = max(1, round(seconds_of(budget) * RATE))
    else:
        most = int(budget)
    most = rng.randint(1, 2 * most)  # time runs differently each time
    part, pending = "root", list(roots)
    if rest := given.get("rest"):
        parent, index = rest.split("/rest-")
        part = child_id(parent, index)
        listed = pathlib.Path(given["into"], "parts", parent, f"rest-{index}").read_bytes()
        pending = [os.fsdecode(path) for path in listed.split(b"\0")[:-1]]
    found, errors = [], 0
    while pending and len(found) < most:
        path = pending.pop(rng.randrange(len(pending))).rstrip("/")
        tree = tree_of("/".join(path.split("/")[:3]))
        found.append(path)
        if tree.is_directory(path):
            errors += path in tree.unreadable
            pending += [name + "/" * tree.is_directory(name) for name in tree.entries_of(path)]
    count = min(len(pending), int(given.get("batches", 8)))
    batches = [pending[index::count] for index in range(count)]
    told = {"schema": "fathom.part/1", "id": part, "entries": len(found), "disk_bytes": 0, "errors": errors,
            "changed": 0, "seconds": len(found) / RATE, "host": "fake",
            "rest": [{"id": child_id(part, index), "entries": len(batch)} for index, batch in enumerate(batches)]}
    files = {"entries.txt": found, **{f"rest-{index}": batch for index, batch in enumerate(batches)}}
    written = {name: b"".join(os.fsencode(path) + b"\0" for path in paths) for name, paths in files.items()}
    return part, {**written, "part.json": json.dumps(told).encode()}


def commit(folder, part, files):
    """One rename; if the part is there already, it stays. Returns the committed part.json."""
    parts = pathlib.Path(folder, "parts")
    temporary = parts / f".tmp-{part}-{os.urandom(4).hex()}"
    temporary.mkdir()
    for name, content in files.items():
        (temporary / name).write_bytes(content)
    try:
        os.rename(temporary, parts / part)
    except OSError:
        shutil.rmtree(temporary)
    return (parts / part / "part.json").read_bytes()


def join(folder):
    """All entries of all parts, sorted, and the ids of missing parts."""
    found, missing, wanted = [], [], ["root"]
    for part in wanted:
        path = pathlib.Path(folder, "parts", part)
        if not path.exists():
            missing.append(part)
            continue
        wanted += [rest["id"] for rest in json.loads((path / "part.json").read_bytes())["rest"]]
        found += [os.fsdecode(name) for name in (path / "entries.txt").read_bytes().split(b"\0")[:-1]]
    return sorted(found), missing


def wait_at(gate, given):
    """Says that this process has started, and goes on when it gets a byte."""
    if "rest" not in given and (gate / "first-part-passes").exists():
        return
    if "die-with-parent" in given:
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    with open(gate / "started", "w", encoding="ascii") as started:
        started.write(f"{os.getpid()} {os.readlink('/proc/self/ns/pid')}\n")
    with open(gate / "hold", "rb", buffering=0) as hold:
        hold.read(1)


def main(argv):
    given, words = options(argv)
    if real := os.environ.get("FAKE_FATHOM_REAL"):
        if (gate := os.environ.get("FAKE_FATHOM_GATE")) and "shard" in given:
            wait_at(pathlib.Path(gate), given)
        os.execv(real, [real, *argv])
    if "version" in given:
        print(os.environ.get("FAKE_FATHOM_VERSION", VERSION))
        return 0
    if "dry-run" in given:
        return 0
    if gate := os.environ.get("FAKE_FATHOM_GATE"):
        wait_at(pathlib.Path(gate), given)
    if "store" in given and "parts" not in given:
        if not all(root.count("/") == 2 for root in words[1:]):
            print(f"fathom: '{words[-1]}' does not exist", file=sys.stderr)
            return 2
        found, errors = tree_of(words[-1]).walk()
        kept = pathlib.Path(given["store"], "20260101T000000Z-00000000")
        kept.mkdir(parents=True)
        (kept / "entries.parquet").write_bytes(os.fsencode("\n".join(sorted(found))))
        (kept / "meta.json").write_text(json.dumps({"totals": {"entries": len(found)}, "errors": errors}))
        return 1 if errors else 0
    if "parts" in given:
        folder = given["parts"]
        found, missing = join(folder)
        if missing and "partial" not in given:
            print(f"fathom: part {missing[0]} is missing", file=sys.stderr)
            return 2
        print(f"kept {len(found)} entries")
        return 1 if missing else 0
    roots = [word for word in words[1:] if word.startswith("/")]
    if not all(root.count("/") == 2 for root in roots):
        print(f"fathom: '{roots[0]}' does not exist", file=sys.stderr)
        return 2
    part, files = prepare([word for word in argv if word.startswith("--")] + roots, random.Random())
    told = commit(given["into"], part, files)
    print(told.decode())
    return 1 if json.loads(told)["errors"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
