#!/usr/bin/env python3
"""Attacks `fathom dups --apply` and `--undo`: hostile plans and journals, files that other programs swap meanwhile,
and kills at any moment.

Whatever happens, no content is lost, nothing outside the root and the quarantine is touched, no name is left without
a word, and no message controls the terminal.
"""

import contextlib
import json
import os
import pathlib
import sys
import threading

from attacking import Attack, Broken, check_plain, contents, files, main, snapshot

ACTIONS = ("hardlink", "remove", "quarantine")
EVIL = ("\x1b[31mred\x1b]0;title\x07", "line\nfathom: all is well", "\u202ereversed", "zero\0byte", "=cmd()")
# Values that a hostile plan or journal puts in place of others.
WORDS: tuple[object, ...] = (
    *EVIL, "", ".", "..", "/", "../outside/precious", "out/precious", "out", "/etc/passwd", "a/../../outside/precious",
    "x" * 5000, "x/" * 3000 + "x", 0, 1, -1, 2**63, 2**64 - 1, 2**64, 1.5, None, True, [], {}, ["x"],
    "hardlink", "remove", "quarantine", "keep", "skip")


class Scene:
    """A root with duplicates, a folder outside that links lead to, and the files of a run."""

    def __init__(self, attack: Attack, groups: int = 8) -> None:
        self.attack = attack
        self.root = attack.folder / "root"
        self.outside = attack.folder / "outside"
        self.away = attack.folder / "away"
        self.plan = attack.folder / "plan"
        self.journal = attack.folder / "plan.journal"
        random = attack.random
        self.outside.mkdir()
        (self.outside / "precious").write_bytes(b"group 0" * 10)
        for number in range(groups):
            for copy in range(random.randint(2, 5)):
                folder = self.root / random.choice(("a", "b", "b/deep", "c"))
                folder.mkdir(parents=True, exist_ok=True)
                name = f"{number}-{copy}" + random.choice(("", "", " \x1b[31m", "\n", "\u202e"))
                (folder / name).write_bytes(b"group %d" % number * 10)
                if random.random() < 0.15:
                    os.link(folder / name, folder / (name + " too"))
        (self.root / "out").symlink_to(self.outside)
        self.action = random.choice(ACTIONS)
        code, _, told = attack.run("dups", self.root, "--plan", self.plan, "--action", self.action)
        if code != 0:
            raise Broken(f"no plan was made: {told!r}")
        self.before = contents(self.root)
        self.around = snapshot(self.outside)

    def apply(self, *flags: str) -> list[str]:
        where = ["--quarantine", str(self.away)] if self.action == "quarantine" else []
        return ["dups", "--apply", str(self.plan), *where, *flags]

    def undo(self, *flags: str) -> list[str]:
        return ["dups", "--undo", str(self.journal), *flags]

    def check(self) -> None:
        """Holds at any moment."""
        if missing := self.before - contents(self.root, self.away):
            raise Broken(f"{len(missing)} contents are lost ({self.action})")
        if snapshot(self.outside) != self.around:
            raise Broken(f"something outside the root was touched ({self.action})")

    def check_left(self, out: bytes, told: bytes) -> None:
        """Holds after a run that was not killed."""
        for path in files(self.root):
            if path.name.startswith(".fathom-dups-") and path.name.encode() not in out + told:
                raise Broken(f"{path} was left without a word ({self.action}): {out!r} {told!r}")

    def check_text(self, out: bytes, words: list[str]) -> None:
        check_plain(out, f"the results of {words!r}")


# ---- Hostile files

def mutated(attack: Attack, text: bytes) -> bytes:
    """The text with some lines, values or bytes changed."""
    random = attack.random
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        lines = text.splitlines(keepends=True)
        way = random.randrange(9)
        if way == 0:
            text = text[:random.randint(0, len(text))]
        elif way == 1 and text:
            at = random.randrange(len(text))
            text = text[:at] + bytes([random.randrange(256)]) + text[at + 1:]
        elif way == 2 and lines:
            del lines[random.randrange(len(lines))]
            text = b"".join(lines)
        elif way == 3 and lines:
            lines.insert(random.randint(0, len(lines)), random.choice(lines))
            text = b"".join(lines)
        elif way == 4:
            random.shuffle(lines)
            text = b"".join(lines)
        elif way == 5:
            text += random.choice((b"\0" * 100, b"\xff\n", b"{", b"{}\n", b"[" * 100_000 + b"\n"))
        elif lines:
            at = random.randrange(len(lines))
            with contextlib.suppress(ValueError, RecursionError):  # not JSON, or too deep for Python
                lines[at] = with_other_value(attack, lines[at], lines)
            text = b"".join(lines)
    return text


def with_other_value(attack: Attack, line: bytes, lines: list[bytes]) -> bytes:
    """The line with another value of one member: a hostile one, or that of another line."""
    random = attack.random
    values = json.loads(line)
    if not isinstance(values, dict) or not values:
        return line
    key = random.choice(sorted(values))
    other = json.loads(random.choice(lines))
    if random.random() < 0.5 and isinstance(other, dict) and key in other:
        values[key] = other[key]
    elif key == "roots":
        values[key] = [{"path": random.choice(WORDS)}]
    elif random.random() < 0.1:
        values[random.choice(EVIL)] = values.pop(key)
    else:
        values[key] = random.choice(WORDS)
    return json.dumps(values).encode() + b"\n"


def hostile_plans(attack: Attack) -> None:
    scene = Scene(attack)
    good = scene.plan.read_bytes()
    for _ in range(12):
        scene.plan.write_bytes(mutated(attack, good))
        scene.journal.unlink(missing_ok=True)
        words = scene.apply(*attack.random.choice(((), ("--execute",))))
        code, out, told = attack.run(*words)
        scene.check()
        scene.check_text(out, words)
        if code != 2:
            scene.check_left(out, told)
        attack.counts["hostile plans"] += 1


def hostile_journals(attack: Attack) -> None:
    scene = Scene(attack)
    random = attack.random
    attack.kill_after(random.uniform(0.002, 0.05), *scene.apply("--execute"))
    good = scene.journal.read_bytes() if scene.journal.exists() else b""
    for _ in range(8):
        scene.journal.write_bytes(mutated(attack, good))
        undoes = scene.action == "quarantine" and random.random() < 0.5
        flags = random.choice(((), ("--execute",)))
        words = scene.undo(*flags) if undoes else scene.apply(*flags)
        _, out, _ = attack.run(*words)
        scene.check()
        scene.check_text(out, words)
        attack.counts["hostile journals"] += 1


# ---- Kills

def kills(attack: Attack) -> None:
    scene = Scene(attack, groups=20)
    random = attack.random
    for _ in range(random.randint(1, 6)):
        attack.kill_after(random.uniform(0, 0.06), *scene.apply("--execute"))
        scene.check()
    code, out, told = attack.run(*scene.apply("--execute"))
    scene.check()
    scene.check_left(out, told)
    if code != 0 or list(scene.root.rglob(".fathom-dups-*")):
        raise Broken(f"a killed run ({scene.action}) was not finished by the next one: {out!r} {told!r}")
    if scene.action != "quarantine":
        return
    for _ in range(random.randint(0, 4)):
        attack.kill_after(random.uniform(0, 0.04), *scene.undo("--execute"))
        scene.check()
    code, out, told = attack.run(*scene.undo("--execute"))
    if code != 0 or contents(scene.root) != scene.before or contents(scene.away):
        raise Broken(f"a killed undo was not finished by the next one: {out!r} {told!r}")


# ---- Other programs

class Meddler(threading.Thread):
    """Another program: replaces files as editors do, and directories by links to the outside, and back."""

    def __init__(self, scene: Scene, kept: set[pathlib.Path], seed: int) -> None:
        super().__init__()
        self._random = type(scene.attack.random)(seed)
        self._scene = scene
        self._victims = [path for path in files(scene.root) if path not in kept]
        self._ends = threading.Event()
        self.written: dict[pathlib.Path, bytes] = {}  # what was put there last
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            for number in range(100_000):
                if self._ends.is_set():
                    return
                if self._random.random() < 0.8:
                    self._save(number)
                else:
                    self._swap_folder()
        except Exception as error:
            self.failure = error

    def end(self) -> None:
        self._ends.set()
        self.join()
        if self.failure:
            raise self.failure

    def _save(self, number: int) -> None:
        """Replaces a file by renaming another one over it."""
        path = self._random.choice(self._victims)
        new = self._scene.attack.folder / f"new-{number}"
        content = b"mine %d" % number
        new.write_bytes(content)
        with contextlib.suppress(FileNotFoundError):
            new.replace(path)
            self.written[path] = content

    def _swap_folder(self) -> None:
        """For a moment, a directory is a link to the folder outside, which has the same names."""
        folder = self._random.choice(self._victims).parent
        aside = self._scene.root.with_name("aside")
        folder.rename(aside)
        folder.symlink_to(self._scene.outside)
        folder.unlink()
        aside.rename(folder)


def kept_files(scene: Scene) -> set[pathlib.Path]:
    lines = [json.loads(line) for line in scene.plan.read_bytes().splitlines()]
    return {scene.root / line["path"] for line in lines if line.get("do") == "keep"}


def meddling(attack: Attack) -> None:
    scene = Scene(attack, groups=25)
    for path in list(files(scene.root)):  # the same names outside
        (scene.outside / path.name).write_bytes(path.read_bytes())
    scene.around = snapshot(scene.outside)
    meddler = Meddler(scene, kept_files(scene), attack.random.randrange(2**32))
    meddler.start()
    try:
        _, out, told = attack.run(*scene.apply("--execute"))
    finally:
        meddler.end()
    scene.check()
    scene.check_left(out, told)
    present = {path.read_bytes() for path in files(scene.root, scene.away)}
    for path, content in meddler.written.items():
        if content not in present:
            raise Broken(f"a file that another program put at {path} is lost ({scene.action})")
        attack.counts["swaps"] += 1


if __name__ == "__main__":
    sys.exit(main(__doc__, (kills, hostile_plans, meddling, hostile_journals)))
