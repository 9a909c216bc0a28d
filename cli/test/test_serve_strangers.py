"""Strangers, who do not know the token, connect to fathom serve by the thousand; its owner must always be answered.

Each test is an attack that once locked the owner out until connections timed out. No time is measured: while the owner
is answered, the attack goes on, and none of the connections that the server still had was ended by a timeout.
"""

import contextlib
import os
import resource
import select
import threading

import pytest

from conftest import until
from serving import Serving, serve

MOST = 4096  # connections of a server that may open many files


@contextlib.contextmanager
def many_descriptors(number):
    """Lets this process open that many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < number:
        pytest.skip(f"the limit of {hard} descriptors is too low")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def limit_of(process):
    with open(f"/proc/{process}/limits", encoding="ascii") as limits:
        line, = (line for line in limits if line.startswith("Max open files"))
    return int(line.split()[3])


def few_descriptors(number):
    """An option for Serving: the limit of the server, which it cannot raise."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))}


@pytest.fixture(name="folder", scope="module")
def folder_fixture(tmp_path_factory):
    """Wide and deep, so that a scan holds many directories open at a time."""
    root = tmp_path_factory.mktemp("strangers")
    for arm in range(20):
        at = root / f"arm {arm}"
        for _ in range(10):
            for name in ("a", "z"):
                (at / name).mkdir(parents=True)
                (at / name / "file").touch()
            at = at / "m"
    return root


@pytest.fixture(name="served", params=["many descriptors", "64 descriptors", "a Unix socket"])
def served_fixture(request, folder, tmp_path):
    options = few_descriptors(64) if request.param == "64 descriptors" else {}
    unix = ["--unix", tmp_path / "socket"] if request.param == "a Unix socket" else []
    with Serving(*unix, folder, **options) as server, many_descriptors(2 * MOST + 500):
        server.most = min(MOST, limit_of(server.process.pid) // 4)
        yield server.complete()
        assert server.process.poll() is None, "it has died of this"


def silent(connection, _server):
    """Sends nothing."""
    del connection


def slow(connection, server):
    """Begins a request."""
    connection.send(server.request("/api/1/status")[:20])


def refused(connection, server):
    """Sends a request without the token. It does not read the response, so the connection stays half open."""
    connection.send(server.request("/api/1/status"))


def with_wrong_token(connection, server):
    connection.send(server.request("/", "Authorization: Bearer " + "x" * 43))


def from_another_site(connection, server):
    connection.send(server.request("/", "Origin: http://example.com"))


def with_a_body(connection, server):
    connection.send(server.request("/", "Content-Length: 60000", method="POST") + "x" * 100)


ATTACKS = [silent, slow, refused, with_wrong_token, from_another_site, with_a_body]


def is_open(connection):
    """Whether the server has not closed it. Must not have been sent a response."""
    poll = select.poll()
    poll.register(connection.socket, select.POLLIN)
    return not poll.poll(0)


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_owner_is_answered_while_strangers_hold_more_connections_than_there_are(served, attack):
    with contextlib.ExitStack() as stack:
        before = stack.enter_context(served.connect())
        before.send(served.request("/api/1/status", served.bearer))
        assert before.reply().status == 200
        held = []
        for number in range(served.most + served.most // 2):
            connection = stack.enter_context(served.connect())
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                attack(connection, served)
            held.append(connection)
            if number % (served.most // 4) == 0:
                assert served.status()["state"] == "complete"
        before.send(served.request("/api/1/children", served.bearer))
        assert before.reply().status == 200, "a connection with the token is not displaced"
        for _ in range(10):
            assert served.status()["state"] == "complete"
        if attack in (silent, slow):
            newest = held[-min(100, served.most // 2):]
            assert all(map(is_open, newest)), "the owner was answered only after a timeout"


def test_bytes_from_time_to_time_do_not_help_a_stranger(served):
    """Connections that send one byte after the other, on which the server spends a call each."""
    text = served.request("/api/1/status", "X: " + "x" * 15_000).encode()
    over = threading.Event()

    def drip(connections):
        at = 0
        while not over.is_set():
            for connection in connections:
                with contextlib.suppress(OSError):
                    connection.socket.send(text[at:at + 1])
            at = min(at + 1, len(text) - 5)

    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(served.connect()) for _ in range(served.most)]
        dripper = threading.Thread(target=drip, args=(held,))
        dripper.start()
        try:
            for _ in range(50):
                assert served.status()["state"] == "complete"
        finally:
            over.set()
            dripper.join()


def ask_until_it_is_in_time(server):
    """A connection over which the owner was answered. Its first request must arrive before as many others connect as
    the server can have, which are few if it can open few files."""
    while True:
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            connection = server.connect()
            connection.send(server.request("/api/1/status", server.bearer))
            if reply := connection.reply():
                assert reply.status == 200
                return connection


def test_the_owner_is_answered_while_strangers_connect_without_end(served):
    over = threading.Event()
    counts = []

    def flood():
        count = 0
        held = []
        while not over.is_set():
            with contextlib.suppress(OSError):
                connection = served.connect()
                connection.send(served.request("/api/1/status"))
                held.append(connection)
            if len(held) > 500:
                held.pop(0).socket.close()
            count += 1
        for connection in held:
            connection.socket.close()
        counts.append(count)

    flooders = [threading.Thread(target=flood) for _ in range(2)]
    for flooder in flooders:
        flooder.start()
    try:
        with ask_until_it_is_in_time(served) as connection:
            for _ in range(50):
                connection.send(served.request("/api/1/status", served.bearer))
                assert connection.reply().status == 200, "its own connection was displaced"
                ask_until_it_is_in_time(served).socket.close()
    finally:
        over.set()
        for flooder in flooders:
            flooder.join()
    assert all(counts)


def test_the_newest_connections_are_those_that_stay(served):
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(served.connect()) for _ in range(2 * served.most)]
        assert served.status()["state"] == "complete"
        until(lambda: not is_open(held[0]))
        assert held[0].rest() == b""
        newest = held[-min(100, served.most // 2):]
        assert all(map(is_open, newest))
        newest[0].send(served.request("/api/1/status", served.bearer))
        assert newest[0].reply().status == 200, "any of them may turn out to be the owner's"


def test_idle_strangers_are_sent_away_sooner_than_the_owner(served):
    """Waits for the time limit for a first request, five seconds; later ones have ten."""
    with contextlib.ExitStack() as stack:
        owner, stranger, begun = (stack.enter_context(served.connect()) for _ in range(3))
        owner.send(served.request("/api/1/status", served.bearer))
        assert owner.reply().status == 200
        owner.send(served.request("/api/1/status", served.bearer)[:-1])
        begun.send("GET / HTTP/1.1\r\n")
        assert begun.reply().status == 408
        assert stranger.rest() == b""
        owner.send("\n")
        assert owner.reply().status == 200


# ---- Descriptors


def test_strangers_take_no_descriptors_from_a_scan(folder):
    """A scan that lacks descriptors would count directories as unreadable."""
    with Serving(folder, **few_descriptors(64)) as server, contextlib.ExitStack() as stack:
        expected = server.complete().status()["totals"]
        for _ in range(5):
            assert server.ask("/api/1/rescan", method="POST").status == 202
            for _ in range(40):
                stack.enter_context(server.connect())
            status = server.complete().status()
            assert status["accuracy"] == {"complete": True, "unreadable": 0, "changed": 0}
            assert status["totals"] == expected
        assert server.ask("/api/1/duplicates", method="POST").status == 202
        until(lambda: server.ask("/api/1/duplicates").json()["state"] == "complete")
        assert server.ask("/api/1/reports/errors").json()["total"] == 0


@pytest.mark.parametrize("limit", [5, 6, 7, 8, 12, 16, 24])
def test_too_few_descriptors_are_refused(folder, limit):
    code, printed, said = serve(folder, **few_descriptors(limit))
    assert (code, printed) == (2, b"")
    assert said.startswith(f"fathom: cannot serve with a limit of {limit} open files: it needs ".encode()), said
    assert said.count(b"\n") == 1


def test_the_least_number_of_descriptors_is_enough(folder):
    _, _, said = serve(folder, **few_descriptors(8))
    least = int(said.split(b"it needs ")[1].split()[0])
    assert serve(folder, **few_descriptors(least - 1))[0] == 2
    with Serving(folder, **few_descriptors(least)) as server, contextlib.ExitStack() as stack:
        for _ in range(3 * least):
            stack.enter_context(server.connect())
        assert server.complete().status()["accuracy"]["complete"]
        assert server.ask("/api/1/reports/owners").status == 200
        browser = [stack.enter_context(server.connect()) for _ in range(4)]
        for _ in range(20):
            for connection in browser:
                connection.send(server.request("/api/1/status", server.bearer))
            assert [connection.reply().status for connection in browser] == [200] * 4


def test_inherited_descriptors_count(folder):
    read, write = os.pipe()
    copies = [os.dup(read) for _ in range(40)]
    try:
        code, _, said = serve(folder, pass_fds=copies, **few_descriptors(64))
    finally:
        for descriptor in (read, write, *copies):
            os.close(descriptor)
    assert code == 2
    assert b"because 43 are open already" in said


# ---- Cookies


def test_servers_on_unix_sockets_have_different_cookies(tmp_path):
    """Two proxies or tunnels to them may have the same host, whose ports share cookies."""
    names = set()
    for number in range(3):
        with Serving("--unix", tmp_path / f"socket {number}", tmp_path) as server:
            reply = server.ask_plainly(f"/?token={server.token}")
            name, _, value = reply["Set-Cookie"].partition("=")
            assert value.split(";")[0] == server.token
            assert server.ask_plainly("/api/1/status", f"Cookie: {name}={server.token}").status == 200
            for other in names:
                assert server.ask_plainly("/api/1/status", f"Cookie: {other}={server.token}").status == 401
            names.add(name)
    assert len(names) == 3
    assert all(name.startswith("fathom-") and len(name) == len("fathom-") + 12 for name in names)
