"""What the attacks share: the command line, the work folder, and what must hold whatever was done.

An attack is a program attack_NAME.py that tries to make `fathom` break a promise of SECURITY.md:

    testing/attacks/attack_plans.py --fathom build/release/bin/fathom --seconds 20 --seed 1

It exits with 0 if no promise was broken, and with 1 after it has said which one and kept the evidence. The seed
decides what is attempted; when it happens also depends on the machine.
"""

import argparse
import collections
import contextlib
import hashlib
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence

PATIENCE = 120  # seconds after which a process counts as hung
NOBODY = 65534


class Broken(Exception):
    """A promise was broken; the message says which one, and how."""


class Attack:
    """One run of an attack: its command, its random numbers, its folder and its time."""

    def __init__(self, fathom: pathlib.Path, seconds: float, seed: int, folder: pathlib.Path) -> None:
        self.fathom = fathom
        self.random = random.Random(seed)
        self.folder = folder
        self.counts: collections.Counter[str] = collections.Counter()
        self._end = time.monotonic() + seconds

    def goes_on(self) -> bool:
        return time.monotonic() < self._end

    def arguments(self, *words: str | os.PathLike[str]) -> list[str]:
        return [os.fspath(self.fathom), *(os.fspath(word) for word in words)]

    def start(self, *words: str | os.PathLike[str], cwd: pathlib.Path | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.arguments(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment(), cwd=cwd)

    def run(self, *words: str | os.PathLike[str], cwd: pathlib.Path | None = None) -> tuple[int, bytes, bytes]:
        """Runs fathom to its end: (exit code, output, messages), all of which must be as promised."""
        return self.end(self.start(*words, cwd=cwd))

    def end(self, process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
        try:
            out, told = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Broken(f"{process.args!r} does not end") from None
        self.counts["runs"] += 1
        if process.returncode not in (0, 1, 2, 130):
            raise Broken(f"{process.args!r} ended with {process.returncode}: {told[-2000:]!r}")
        check_plain(told, f"the messages of {process.args!r}")
        return process.returncode, out, told

    def kill_after(self, seconds: float, *words: str | os.PathLike[str]) -> bool:
        """Starts fathom and kills it after that time; whether it was still running."""
        process = self.start(*words)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
        running = process.poll() is None
        process.kill()
        process.communicate()
        self.counts["kills"] += running
        if not running and process.returncode not in (0, 1, 2):
            raise Broken(f"{process.args!r} ended with {process.returncode}")
        return running


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR") or "SAN_OPTIONS" in name}
    return kept | {"LANG": "C.UTF-8"}


def check_plain(text: bytes, what: str) -> None:
    """No byte of the text controls a terminal or hides what it says; only newlines separate its lines."""
    shown = text.decode("utf-8", errors="surrogateescape")
    for character in shown:
        if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            continue
        if character not in "\u200c\u200d":  # Persian and emoji need them
            raise Broken(f"{what} contain {character!r}: {text[:2000]!r}")


# ---- Files

def contents(*folders: pathlib.Path) -> set[str]:
    """The digests of all regular files in the folders."""
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in files(*folders)}


def files(*folders: pathlib.Path) -> Iterator[pathlib.Path]:
    for folder in folders:
        for above, _, names in os.walk(folder):
            for name in names:
                path = pathlib.Path(above, name)
                with contextlib.suppress(FileNotFoundError):
                    if stat.S_ISREG(path.lstat().st_mode):
                        yield path


def snapshot(folder: pathlib.Path) -> dict[str, tuple[object, ...]]:
    """Everything that a change in the folder would change, except access times."""
    seen: dict[str, tuple[object, ...]] = {}
    for above, folders, names in os.walk(folder):
        for path in (pathlib.Path(above), *(pathlib.Path(above, name) for name in (*names, *folders))):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            seen[str(path)] = (status.st_ino, status.st_nlink, status.st_mode, status.st_uid, status.st_mtime_ns,
                               content)
    return seen


def empty(*folders: pathlib.Path) -> None:
    """Removes files and folders; a pipe, for example, must not be opened for that."""
    for folder in folders:
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
        else:
            folder.unlink(missing_ok=True)


# ---- The program

def main(description: str | None, rounds: Sequence[Callable[[Attack], None]]) -> int:
    """Repeats the rounds in turn, each on an empty folder, until the time is over."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--fathom", type=pathlib.Path, required=True, metavar="PATH", help="the command to attack")
    parser.add_argument("--seconds", type=float, default=20, metavar="N", help="how long (default: 20)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="what to attempt (default: 1)")
    given = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fathom-attack-"))
    attack = Attack(given.fathom.resolve(), given.seconds, given.seed, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    name = pathlib.Path(sys.argv[0]).stem
    number = 0
    try:
        while number < len(rounds) or attack.goes_on():
            for path in folder.iterdir():
                empty(path)
            attacked = rounds[number % len(rounds)]
            attacked(attack)
            number += 1
    except Broken as broken:
        print(f"{name}: {attacked.__name__}, round {number}: {broken}\nThe files are in {folder}", file=sys.stderr)
        return 1
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    counted = ", ".join(f"{count} {what}" for what, count in sorted(attack.counts.items()))
    print(f"{name}: {number} rounds, {counted}: no promise was broken")
    return 0
