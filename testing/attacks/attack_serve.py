#!/usr/bin/env python3
"""Attacks `fathom serve` at random, as strangers and as careless clients do, while its owner asks.

  attack_serve.py --fathom PATH [--seconds N] [--seed N]

Strangers do not know the token: they connect and are silent, send a byte now and then, send requests that are refused,
or garbage, by the thousand, and end their connections in every way. Careless clients know it: they ask and go away, or
never read. Meanwhile the owner asks over a connection that it keeps, and over new ones. Servers with many and with few
descriptors, on a port and on a Unix socket, are attacked in turn.

Exit code 0 if nothing was found, and one line of figures; 1 if the server ended, an answer was wrong or missing, took
longer than --bound, or if the server kept memory or descriptors. 2: it could not run.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import pathlib
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

PATIENCE = 60.0  # seconds after which an answer counts as missing
MEMORY = 512 << 20  # bytes that the server may take
FEW = 64  # descriptors
ATTACKERS = 2
HELD = 3000  # connections that an attacker holds at a time
TURN = 5.0  # seconds for which one server is attacked

ADDRESS = re.compile(r"http://([^/]+)/\?token=([\w-]{43})\n")


class Found(Exception):
    """The attack has found something."""


@dataclasses.dataclass(frozen=True)
class Target:
    """How to reach a server."""

    address: str  # a path, or a port
    host: str
    token: str

    def connect(self, patience: float = PATIENCE) -> socket.socket:
        unix = not self.address.isdigit()
        made = socket.socket(socket.AF_UNIX if unix else socket.AF_INET, socket.SOCK_STREAM)
        try:
            if not unix:  # with a time limit, a Unix socket would not wait for its turn
                made.settimeout(patience)
            made.connect(self.address if unix else ("127.0.0.1", int(self.address)))
            made.settimeout(patience)
        except OSError:
            made.close()
            raise
        return made

    def request(self, target: str, *headers: str, method: str = "GET") -> bytes:
        return "\r\n".join([f"{method} {target} HTTP/1.1", f"Host: {self.host}", *headers, "", ""]).encode()

    def authorized(self, target: str, *headers: str, method: str = "GET") -> bytes:
        return self.request(target, f"Authorization: Bearer {self.token}", *headers, method=method)


# ---- The owner


def read_answer(connection: socket.socket) -> tuple[int, bytes]:
    """The status and the body. Raises ConnectionError if the connection ends first."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += received(connection)
    head, _, body = text.partition(b"\r\n\r\n")
    length = int(re.search(rb"\r\nContent-Length: (\d+)", head)[1])  # type: ignore[index]
    while len(body) < length:
        body += received(connection)
    return int(head.split()[1]), body


def received(connection: socket.socket) -> bytes:
    part = connection.recv(1 << 16)
    if not part:
        raise ConnectionResetError("the connection was closed")
    return part


@dataclasses.dataclass
class Figures:
    waits: list[float] = dataclasses.field(default_factory=list)  # seconds that each answer took
    again: int = 0  # new connections that were displaced before their request had arrived
    peak: int = 0  # bytes of memory of a server
    attacks: int = 0

    def line(self, seconds: float) -> str:
        waits = sorted(self.waits)
        median, late = waits[len(waits) // 2], waits[-1 - len(waits) // 100]
        return (f"serve: {self.attacks} attacks in {seconds:.0f} s; {len(waits)} questions of the owner were answered: "
                f"median {1000 * median:.1f} ms, 99 % {1000 * late:.1f} ms, most {1000 * waits[-1]:.1f} ms; "
                f"{self.again} connections tried again; peak memory {self.peak >> 20} MiB")


class Owner:
    """Asks, and checks the answers."""

    def __init__(self, target: Target, figures: Figures, bound: float):
        self._target = target
        self._figures = figures
        self._bound = bound
        self._kept = target.connect()

    def ask(self) -> None:
        """Asks over the connection that is kept, and over a new one."""
        began = time.monotonic()
        try:
            self._check(self._kept)
        except OSError as error:
            raise Found(f"the owner's connection has ended: {error}") from error
        self._note(began)
        self._ask_anew()

    def _ask_anew(self) -> None:
        began = time.monotonic()
        while True:
            try:
                with self._target.connect() as connection:
                    self._check(connection)
                return self._note(began)
            except TimeoutError as error:
                raise Found(f"the owner was not answered for {PATIENCE:.0f} s") from error
            except ConnectionError as error:
                self._figures.again += 1
                if time.monotonic() - began > self._bound:
                    raise Found(f"the owner does not get in: {error}") from error

    def _check(self, connection: socket.socket) -> None:
        connection.sendall(self._target.authorized("/api/1/status"))
        status, body = read_answer(connection)
        if status != 200 or b'"state":' not in body:
            raise Found(f"a wrong answer to the owner: {status} {body[:200]!r}")

    def _note(self, began: float) -> None:
        waited = time.monotonic() - began
        self._figures.waits.append(waited)
        if waited > self._bound:
            raise Found(f"the owner waited for {waited:.2f} s")


# ---- The attackers

Say = Callable[[Target, random.Random], bytes]


def nothing(_target: Target, _dice: random.Random) -> bytes:
    return b""


def beginning(target: Target, dice: random.Random) -> bytes:
    text = target.request("/api/1/status", "X: " + "x" * dice.choice([1, 100, 10_000, 15_000]))
    return text[: dice.randrange(1, len(text) - 1)]


def refused(target: Target, dice: random.Random) -> bytes:
    headers = dice.choice([[], ["Authorization: Bearer " + "x" * 43], ["Origin: http://example.com"],
                           ["Cookie: " + "fathom-1=x; " * 500], ["Content-Length: 65536"]])
    method = dice.choice(["GET", "HEAD", "POST", "PUT"])
    return target.request("/api/1/status", *headers, method=method) * dice.choice([1, 1, 2, 100])


def garbage(_target: Target, dice: random.Random) -> bytes:
    return dice.randbytes(dice.choice([1, 100, 20_000])) + dice.choice([b"", b"\r\n\r\n", b"\n\n"])


def of_search(target: Target, dice: random.Random) -> bytes:
    """A question of one who knows the token, and does not wait for the answer."""
    return target.authorized(f"/api/1/search?q=n&limit=1000&offset={dice.randrange(10_000)}")


def of_tree(target: Target, dice: random.Random) -> bytes:
    """Many long answers, which are not read."""
    return target.authorized(f"/api/1/tree?nodes={dice.randrange(5000, 10_000)}&min_share=0") * 20


def body(dice: random.Random) -> bytes:
    """A body of a plan, or some of it, or what is none."""
    text = b'{"paths":[' + b'"/nothing",' * dice.choice([1, 1000, 9000]) + b'"/"]}'
    return dice.choice([text, text[: dice.randrange(len(text))], dice.randbytes(10_000), b"[" * 100_000])


def of_body(target: Target, dice: random.Random) -> bytes:
    """A stranger sends the body of a plan."""
    text = body(dice)
    return target.request("/api/1/plan/sums", f"Content-Length: {len(text)}", method="POST") + text


def of_plan(target: Target, dice: random.Random) -> bytes:
    """One who knows the token announces more than is sent, and at most 4 MiB."""
    name = dice.choice(["sums", "draft", "review", "apply", "undo"])
    text = body(dice)
    length = len(text) + dice.choice([0, 0, 1, 4 * 1024 * 1024 - len(text)])
    return target.authorized(f"/api/1/plan/{name}", f"Content-Length: {length}", method="POST") + text


STRANGERS: list[Say] = [nothing, beginning, refused, garbage, of_body]
CARELESS: list[Say] = [of_search, of_tree, of_plan]


def end(connection: socket.socket, dice: random.Random) -> None:
    with contextlib.suppress(OSError):
        how = dice.randrange(3)
        if how == 0:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        elif how == 1:
            connection.shutdown(socket.SHUT_WR)
    connection.close()


def attack(target: Target, dice: random.Random) -> None:
    """Runs until the process is ended. Each campaign uses few kinds of connections, so that there are many of each."""
    held: list[socket.socket] = []
    while True:
        says = dice.sample(STRANGERS, dice.randrange(1, 3)) + dice.sample(CARELESS, dice.randrange(0, 2))
        most = dice.choice([10, 500, HELD])
        for _ in range(dice.choice([100, 1000, 5000])):
            say = dice.choice(says)
            if say in CARELESS and dice.random() < 0.9:  # some of them are enough to fill queues and buffers
                continue
            with contextlib.suppress(OSError):
                connection = target.connect()
                connection.setblocking(False)
                held.append(connection)
                connection.send(say(target, dice))
            if held and dice.random() < 0.3:  # one byte after the other
                with contextlib.suppress(OSError):
                    dice.choice(held).send(b"x")
            while len(held) > most:
                end(held.pop(dice.randrange(len(held))), dice)


# ---- The servers


def make_tree(root: pathlib.Path) -> None:
    for folder in range(50):
        (root / f"{folder:03}").mkdir(parents=True)
        for number in range(100):
            (root / f"{folder:03}" / (f"{number:03}" + "n" * 200)).touch()


@contextlib.contextmanager
def serving(fathom: str, root: pathlib.Path, unix: pathlib.Path | None,
            few: bool) -> Iterator[tuple[subprocess.Popen[bytes], Target]]:
    """A server of the tree."""
    limit = f"ulimit -n {FEW} && " if few else ""
    options = ["--unix", str(unix)] if unix else []
    server = subprocess.Popen(["sh", "-c", f'{limit}exec "$0" "$@"', fathom, "serve", "--no-open", *options, str(root)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert server.stdout is not None
        matched = ADDRESS.fullmatch(server.stdout.readline().decode())
        if not matched:
            sys.exit(f"attack_serve: {fathom} serve did not start")
        host, token = matched.groups()
        yield server, Target(str(unix) if unix else host.rpartition(":")[2], host, token)
    finally:
        server.kill()
        server.wait()


def memory_of(process: int) -> int:
    status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return 1024 * int(re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)[1])  # type: ignore[index]


def descriptors_of(process: int) -> int:
    return len(os.listdir(f"/proc/{process}/fd"))


def in_process(target: Target, seed: str) -> int:
    """Starts an attacker; returns its process."""
    child = os.fork()
    if child != 0:
        return child
    try:
        attack(target, random.Random(seed))
    finally:
        os._exit(1)


def siege(server: subprocess.Popen[bytes], target: Target, seed: str, seconds: float, bound: float,
          figures: Figures) -> None:
    """Attacks one server for a while. Raises Found."""
    owner = Owner(target, figures, bound)
    owner.ask()
    before = descriptors_of(server.pid)
    attackers = [in_process(target, f"{seed}/{number}") for number in range(ATTACKERS)]
    figures.attacks += 1
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            owner.ask()
            time.sleep(0.005)  # the owner is not an attacker
    finally:
        for attacker in attackers:
            os.kill(attacker, signal.SIGKILL)
            os.waitpid(attacker, 0)
        if server.poll() is not None:
            raise Found(f"the server has ended: {server.returncode}")
        figures.peak = max(figures.peak, memory_of(server.pid))
    if memory_of(server.pid) > MEMORY:
        raise Found(f"the server took {memory_of(server.pid) >> 20} MiB")
    patience = time.monotonic() + PATIENCE
    while descriptors_of(server.pid) > before:
        owner.ask()
        if time.monotonic() > patience:
            raise Found(f"{descriptors_of(server.pid) - before} descriptors stay open")
        time.sleep(0.05)


def run(fathom: str, seconds: float, seed: int, bound: float) -> int:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, HELD + 500)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    dice = random.Random(seed)
    figures = Figures()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "tree"
        make_tree(root)
        while (left := seconds - (time.monotonic() - began)) > 0:
            few, unix = figures.attacks % 2 == 1, pathlib.Path(folder) / "socket" if figures.attacks % 4 >= 2 else None
            try:
                with serving(fathom, root, unix, few) as (server, target):
                    siege(server, target, str(dice.random()), min(TURN, left), bound, figures)
            except Found as found:
                kind = f"{'few' if few else 'many'} descriptors, {'a Unix socket' if unix else 'a port'}"
                print(f"serve: found with --seed {seed} after {figures.attacks} attacks ({kind}): {found}")
                return 1
    print(figures.line(time.monotonic() - began))
    return 0


def main() -> NoReturn:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fathom", required=True, help="the command to attack")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long (default: 20)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), help="of the attacks (default: random)")
    parser.add_argument("--bound", type=float, default=2.0,
                        help="seconds that an answer may take on a busy machine (default: 2)")
    given = parser.parse_args()
    sys.exit(run(given.fathom, given.seconds, given.seed, given.bound))


if __name__ == "__main__":
    main()
