"""Starts `fathom serve`, sends it requests over sockets, and stops it.

Sockets are used directly, so that tests can send bytes that no library would send, and see the exact response.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

from conftest import FATHOM, PATIENCE, environment

ADDRESS = re.compile(r"http://([^/]+)/\?token=([A-Za-z0-9_-]{43})\n")


class Reply:
    """A response: its status, its headers in order, and its body."""

    def __init__(self, head, body=b""):
        lines = head.decode("latin-1").split("\r\n")
        self.head = head
        self.version, status, self.reason = lines[0].split(" ", 2)
        self.status = int(status)
        self.headers = [tuple(line.split(": ", 1)) for line in lines[1:]]
        self.body = body

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def __getitem__(self, name):
        values = self.all(name)
        assert len(values) == 1, f"{name} occurs {len(values)} times"
        return values[0]

    def json(self):
        return json.loads(self.body)

    def error(self):
        return self.json()["error"]["code"]


class Connection:
    """One connection to a server."""

    def __init__(self, family, address):
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        if family != socket.AF_UNIX:  # with a time limit, a Unix socket would not wait for its turn
            self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        self.socket.settimeout(PATIENCE)
        self.unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))

    def receive(self):
        part = self.socket.recv(65536)
        self.unread += part
        return part

    def until(self, mark):
        """The bytes before the mark, which is consumed; None if the connection ends first."""
        while mark not in self.unread:
            try:
                if not self.receive():
                    return None
            except ConnectionResetError:
                return None
        found, self.unread = self.unread.split(mark, 1)
        return found

    def reply(self, method="GET"):
        """The next response, after interim ones; None at the end of the connection."""
        while True:
            head = self.until(b"\r\n\r\n")
            if head is None:
                return None
            reply = Reply(head)
            if reply.status >= 200:
                break
        if method != "HEAD" and reply.status != 304:
            length = int(reply["Content-Length"])
            while len(self.unread) < length:
                assert self.receive(), "the body is truncated"
            reply.body, self.unread = self.unread[:length], self.unread[length:]
        return reply

    def rest(self):
        """All remaining bytes until the end."""
        with contextlib.suppress(ConnectionResetError):
            while self.receive():
                pass
        rest, self.unread = self.unread, b""
        return rest

    def event(self):
        """The data of the next event; None at the end of the stream."""
        while True:
            text = self.until(b"\n\n")
            if text is None:
                return None
            if not text.startswith(b":"):
                name, data = text.split(b"\n")
                assert name == b"event: status" and data.startswith(b"data: ")
                return json.loads(data[6:])


@functools.lru_cache
def why_no_loopback():
    """Why connecting to 127.0.0.1 fails, as in a network namespace without devices; None if it works."""
    try:
        with (socket.create_server(("127.0.0.1", 0)) as listener,
              socket.create_connection(listener.getsockname())):
            return ""
    except OSError as error:
        return f"127.0.0.1 cannot be connected to: {error}"


class Serving:
    """A running `fathom serve`: `with Serving(tree) as server: server.ask("/api/1/status")`."""

    def __init__(self, *arguments, program=FATHOM, env=None, cwd=None, **options):
        self.unix = None
        given = list(map(os.fspath, arguments))
        if "--unix" in given:
            self.unix = given[given.index("--unix") + 1]
        elif why_no_loopback():
            pytest.skip(why_no_loopback())
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        self.process = subprocess.Popen(
            [program, "serve", "--no-open", *given], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors, env=environment(env), cwd=cwd, **options)
        self.line = self.process.stdout.readline().decode()
        matched = ADDRESS.fullmatch(self.line)
        if not matched:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it did not start: {self.line!r} {self.said()!r}")
        self.host, self.token = matched.groups()
        self.port = int(self.host.rpartition(":")[2]) if ":" in self.host else 0
        self.printed = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdout.close()
        self.process.wait(timeout=PATIENCE)
        self.errors.close()

    @property
    def bearer(self):
        return f"Authorization: Bearer {self.token}"

    @property
    def cookie(self):
        return f"Cookie: fathom-{self.port}={self.token}"

    def said(self):
        """Its standard error so far."""
        size = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), size, 0)  # the command shares the file offset

    def stop(self, number=signal.SIGINT):
        """Stops it by the signal, and returns its exit code; `printed` has its standard output."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        code = self.process.wait(timeout=PATIENCE)
        self.printed = self.line.encode() + self.process.stdout.read()
        return code

    def connect(self, address="127.0.0.1"):
        if self.unix is not None:
            return Connection(socket.AF_UNIX, self.unix)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return Connection(family, (address, self.port))

    def request(self, target, *headers, method="GET", host=None, version="HTTP/1.1"):
        """The text of a request with exactly these headers and a Host."""
        lines = [f"{method} {target} {version}", f"Host: {self.host if host is None else host}"]
        return "\r\n".join([*lines, *headers, "", ""])

    def ask(self, target, *headers, method="GET", host=None):
        """The response to a request with the token."""
        return self.ask_plainly(target, self.bearer, *headers, method=method, host=host)

    def ask_plainly(self, target, *headers, method="GET", host=None):
        """The response to a request with exactly these headers and a Host."""
        return self.ask_raw(self.request(target, *headers, method=method, host=host), method)

    def ask_raw(self, text, method="GET"):
        with self.connect() as connection:
            connection.send(text)
            return connection.reply(method)

    def status(self):
        return self.ask("/api/1/status").json()

    def events(self):
        """A connection that receives events."""
        connection = self.connect()
        connection.send(self.request("/api/1/events", self.bearer))
        head = connection.until(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        return connection

    def complete(self):
        """Waits for the end of the scan, and returns itself."""
        with self.events() as events:
            while event := events.event():
                if event["state"] != "scanning":
                    return self
        raise AssertionError("the events have ended")

    def memory(self):
        """The bytes of its resident memory."""
        with open(shutil.which(FATHOM), "rb") as program:
            if b"__asan_init" in program.read():
                pytest.skip("a sanitizer keeps freed memory")
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            found = re.search(r"^VmRSS:\s+(\d+) kB$", status.read(), re.MULTILINE)
        return int(found[1]) * 1024


@contextlib.contextmanager
def serving_under_strace(calls, *arguments, log):
    """Runs `fathom serve` under strace, which writes its system calls to the log: its host and token."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    if why_no_loopback():
        pytest.skip(why_no_loopback())
    process = subprocess.Popen(
        ["strace", "-f", "-e", f"trace={calls}", "-o", log, FATHOM, "serve", "--no-open",
         *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment())
    line = process.stdout.readline().decode()
    if not line:
        said = process.communicate(timeout=PATIENCE)[1].decode()
        pytest.skip(f"strace does not work here: {said}")
    try:
        yield ADDRESS.fullmatch(line).groups()
    finally:
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        with open(children, encoding="ascii") as numbers:
            os.kill(int(numbers.read().split()[0]), signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


def serve(*arguments, **options):
    """Runs a `fathom serve` that is expected to fail at its start: (exit code, stdout, stderr)."""
    ran = subprocess.run([FATHOM, "serve", "--no-open", *map(os.fspath, arguments)],
                         stdin=subprocess.DEVNULL, capture_output=True,
                         env=environment(), timeout=PATIENCE, check=False, **options)
    return ran.returncode, ran.stdout, ran.stderr


def listening(port):
    """The local addresses, in the kernel's hex, of the sockets that listen on the port."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            with open(table, encoding="ascii") as lines:
                for fields in map(str.split, list(lines)[1:]):
                    address, _, number = fields[1].rpartition(":")
                    if fields[3] == "0A" and int(number, 16) == port:
                        found.append(address)
    return found
