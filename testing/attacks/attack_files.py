#!/usr/bin/env python3
"""Attacks the files that `fathom` reads and writes: names that would control a terminal, exports with changed bytes,
links that another user plants in a shared directory while root writes there, and signals while a pipe is opened.
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import signal
import sys
import threading

from attacking import NOBODY, PATIENCE, Attack, Broken, check_plain, main

PIECES = (b"\x1b[31m", b"\x1b]0;title\x07", b"\n", b"\r", b"\t", b"\xff", b"\xc2\x9b2J", "\u202e".encode(), b"=", b"+",
          b"@", b"'", b'"', b",", b"\\", b"-", b" ", "\u2028".encode(), "\u200b".encode(), b"a", b".", b"\x7f",
          "\U000e0041".encode(), "\u0301".encode(), b"%s", b"&lt;", b"$(id)")
REPORTS = (["--summary"], ["--largest-files", "99"], ["--largest-dirs", "99", "--all-levels"], ["--recent", "52w"],
           ["--extensions"], ["--empty-dirs"], ["--symlinks"], ["--metrics"], ["--stats"], ["--owners"], ["--tree"])
COMMANDS = (*(["scan", *report] for report in REPORTS), ["find", "-l"], ["find", "--summary"], ["dups"],
            ["dups", "--all", "--plain"])
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def hostile_name(attack: Attack) -> bytes:
    while True:
        name = b"".join(attack.random.choice(PIECES) for _ in range(attack.random.randint(1, 8)))
        if name not in (b".", b".."):
            return name


def hostile_names(attack: Attack) -> None:
    root = attack.folder / "root"
    top = os.fsencode(root)
    os.mkdir(top)
    for _ in range(25):
        folder = attack.random.choice([found[0] for found in os.walk(top)])
        path = os.path.join(folder, hostile_name(attack))
        with contextlib.suppress(FileExistsError, IsADirectoryError, NotADirectoryError):
            if attack.random.random() < 0.3:
                os.mkdir(path)
            elif attack.random.random() < 0.3:
                os.symlink(hostile_name(attack), path)
            else:
                with open(path, "xb") as file:
                    file.write(b"same")
    for words in attack.random.sample(COMMANDS, 4):
        _, out, _ = attack.run(*words, *(["--color", "always"] if attack.random.random() < 0.3 else []), root)
        check_plain(re.sub(rb"\x1b\[[0-9;]*m", b"", out) if b"\x1b[0m" in out else out, f"the results of {words!r}")
        if "--tree" not in words and "--plain" not in words and words[:2] != ["dups", "--all"]:
            csv_is_safe(attack, [word for word in words if word not in ("-l", "--all-levels")], root)


def csv_is_safe(attack: Attack, words: list[str], root: pathlib.Path) -> None:
    _, out, _ = attack.run(*words, "--format", "csv", "--csv-safe", ".", cwd=root)
    rows = csv.reader(io.StringIO(out.decode("utf-8", errors="surrogateescape"), newline=""), strict=True)
    for field in (field for row in rows for field in row):
        if field[:1] in FORMULAS and not re.fullmatch(r"-?[0-9.]+", field):
            raise Broken(f"{words!r} --csv-safe wrote the formula {field!r}")


# ---- Exports

def hostile_exports(attack: Attack) -> None:
    random = attack.random
    root = attack.folder / "root"
    for folder in ("a", "b/c/d"):
        (root / folder).mkdir(parents=True)
        (root / folder / "file").write_bytes(b"x" * random.randrange(10_000))
    _, good, _ = attack.run("scan", "--format", "ncdu", root)
    export = attack.folder / "export"
    for _ in range(10):
        text = bytearray(good)
        for _ in range(random.choice((1, 1, 3, 20))):
            at = random.randrange(len(text))
            way = random.randrange(4)
            if way == 0:
                text[at] = random.randrange(256)
            elif way == 1:
                del text[at:at + random.choice((1, 1, 5, 100))]
            elif way == 2:
                text[at:at] = random.choice(PIECES)
            else:
                text[at:at] = random.choice((b"[" * 10_000, b"9" * 400, b'"name":', json.dumps("\0\x1b").encode()))
            if not text:
                break
        export.write_bytes(text)
        _, out, _ = attack.run("scan", "--from", export, *random.choice(REPORTS))
        check_plain(out, "the results of a hostile export")
        attack.counts["hostile exports"] += 1


# ---- Links of other users

class Planter(threading.Thread):
    """Another user, who puts links and files at a name in a shared directory, again and again."""

    def __init__(self, name: pathlib.Path, goal: pathlib.Path) -> None:
        super().__init__()
        self._name, self._goal = name, goal
        self._ends = threading.Event()

    def run(self) -> None:
        mine = self._name.with_name("theirs")
        while not self._ends.is_set():
            mine.symlink_to(self._goal)
            os.chown(mine, NOBODY, NOBODY, follow_symlinks=False)
            with contextlib.suppress(OSError):
                mine.rename(self._name)
            with contextlib.suppress(OSError):  # only what belongs to this user: the directory is sticky
                if self._name.lstat().st_uid == NOBODY:
                    self._name.unlink()

    def end(self) -> None:
        self._ends.set()
        self.join()


def planted_links(attack: Attack) -> None:
    if os.geteuid() != 0:
        attack.counts["rounds without another user"] += 1
        return
    shared, root, goal = (attack.folder / name for name in ("shared", "root", "goal"))
    shared.mkdir()
    shared.chmod(0o1777)
    root.mkdir()
    for name in ("one", "two"):
        (root / name).write_bytes(b"same" * 100)
    attack.run("dups", root, "--plan", attack.folder / "plan")
    existing = attack.random.random() < 0.5
    ways: tuple[tuple[str, list[str | pathlib.Path]], ...] = (
        ("results", ["scan", "--summary", "-o", shared / "results", root]),
        ("trace", ["scan", "--summary", "--trace", shared / "trace", root]),
        ("made", ["dups", "--plan", shared / "made", "--force", root]),
        ("plan.journal", ["dups", "--apply", shared / "plan", "--execute"]))
    for name, words in ways:
        if existing:
            goal.write_bytes(b"precious")
        (shared / "plan").write_bytes((attack.folder / "plan").read_bytes())
        planter = Planter(shared / name, goal)
        planter.start()
        try:
            for _ in range(4):
                attack.run(*words)
        finally:
            planter.end()
        if goal.exists() != existing or (existing and goal.read_bytes() != b"precious"):
            raise Broken(f"{words!r} wrote through the link of another user")
        attack.counts["planted names"] += 1


# ---- Signals

def signals(attack: Attack) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # started by nohup, programs rightly ignore it
    pipe, root = attack.folder / "pipe", attack.folder / "root"
    os.mkfifo(pipe)
    root.mkdir()
    ways: tuple[list[str | pathlib.Path], ...] = (
        ["scan", "-o", pipe, root], ["scan", "--exclude-from", pipe, root], ["scan", "--trace", pipe, root],
        ["scan", "--from", pipe], ["find", "-o", pipe, root], ["dups", "--plan", pipe, root],
        ["dups", "-o", pipe, root])
    for words in ways:
        process = attack.start(*words)
        threading.Event().wait(attack.random.uniform(0, 0.05))
        number = attack.random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        process.send_signal(number)
        try:
            process.communicate(timeout=PATIENCE)
        except Exception:
            process.kill()
            raise Broken(f"{process.args!r} ignored {number.name}") from None
        if process.returncode not in (130, -number):  # the latter: before the program has begun
            raise Broken(f"{process.args!r} ended with {process.returncode} after {number.name}")
        attack.counts["signals"] += 1


if __name__ == "__main__":
    sys.exit(main(__doc__, (hostile_names, planted_links, signals, hostile_exports)))
