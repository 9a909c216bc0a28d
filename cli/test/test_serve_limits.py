"""Limits of fathom serve: headers, bodies, time, connections, memory; and where a request ends."""

import contextlib
import os
import re
import resource
import select
import socket
import threading

import pytest

from conftest import until
from serving import Serving

KIB = 1024
MIB = KIB * KIB


@pytest.fixture(name="served")
def served_fixture(tmp_path):
    (tmp_path / "root" / "folder").mkdir(parents=True)
    with Serving(tmp_path / "root") as server:
        yield server.complete()
        assert server.process.poll() is None, "it has died of this"
        assert server.status()["state"] in ("complete", "scanning")


# ---- Size


def filled(server, size, **parts):
    """A request whose head has exactly that many bytes."""
    empty = server.request("/api/1/status", server.bearer, "X: ", **parts)
    return server.request("/api/1/status", server.bearer, "X: " + "x" * (size - len(empty)), **parts)


def test_a_head_can_have_16_kib_and_no_more(served):
    assert len(filled(served, 16 * KIB)) == 16 * KIB
    assert served.ask_raw(filled(served, 16 * KIB)).status == 200
    for size in (16 * KIB + 1, 17 * KIB, 100 * KIB, MIB):
        reply = served.ask_raw(filled(served, size))
        assert (reply.status, reply.error()) == (431, "too_large")
        assert reply["Connection"] == "close"


def test_many_headers_count_like_one(served):
    few = [f"X-{number}: y" for number in range(500)]
    assert served.ask("/api/1/status", *few).status == 200
    assert served.ask("/api/1/status", *few * 4).status == 431


def test_an_endless_head_is_refused_at_the_limit(served):
    with served.connect() as connection:
        connection.send(f"GET / HTTP/1.1\r\nHost: {served.host}\r\n")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(1000):
                connection.send("X: " + "x" * 1000 + "\r\n")
        assert connection.reply().status == 431
        connection.rest()


def test_a_target_can_have_8_kib_and_no_more(served):
    def target(size):
        return "/api/1/search?q=" + "a" * (size - len("/api/1/search?q="))

    assert served.ask(target(8 * KIB)).status == 400  # a name is at most 255 characters
    for size in (8 * KIB + 1, 12 * KIB, 15 * KIB, 20 * KIB, MIB):
        reply = served.ask(target(size))
        assert (reply.status, reply.error()) == (414, "too_long"), size
        assert reply["Connection"] == "close"


def test_a_body_can_have_64_kib_and_no_more(served):
    def posted(size, sent):
        text = served.request("/api/1/children", served.bearer, f"Content-Length: {size}",
                              method="POST")
        return served.ask_raw(text + "x" * sent).status

    assert posted(64 * KIB, 64 * KIB) == 405
    assert posted(64 * KIB + 1, 0) == 413
    assert posted(10**18, 0) == 413
    assert posted(2**64 - 1, 0) in (400, 413)
    assert posted(2**64, 0) in (400, 413)


def test_a_body_of_unknown_length_is_refused(served):
    for encoding in ("chunked", "gzip, chunked", "identity"):
        text = served.request("/api/1/children", served.bearer, f"Transfer-Encoding: {encoding}",
                              method="POST")
        reply = served.ask_raw(text + "3\r\nabc\r\n0\r\n\r\n")
        assert (reply.status, reply["Connection"]) == (400, "close")


def test_a_response_does_not_wait_for_a_body(served):
    with served.connect() as connection:
        connection.send(served.request("/api/1/children", served.bearer, "Content-Length: 60000",
                                       method="POST"))
        assert connection.reply().status == 405
        for _ in range(6):
            connection.send("GET / HTTP/1.1\r\n\r\n".ljust(10000))
        connection.send(served.request("/api/1/status", served.bearer))
        assert connection.reply().status == 200
        connection.send(served.request("/api/1/status", served.bearer, "Connection: close"))
        assert (connection.reply().status, connection.rest()) == (200, b"")


# ---- Boundaries of requests


@pytest.mark.parametrize("headers", [
    "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5", "Transfer-Encoding: identity",
    "Transfer-Encoding: chunked", "X: y\r\nTransfer-Encoding:\r\n chunked",
    "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity\r\nContent-Length: 5",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding:\x0bchunked",
    "Transfer-Encoding\x20: chunked", "Transfer-Encoding\x09: chunked", "Content-Length: +5",
    "Content-Length: 5,6", "Content-Length: 0x5", "Content-Length: 5\x00", "Content-Length: -0",
    "Content-Length : 5", "\x20Content-Length: 5", "Content-Length\n: 5", "X: y\n\nGET / HTTP/1.1"])
def test_no_request_hides_in_the_body_of_another(served, headers):
    hidden = served.request("/api/1/rescan", served.bearer, method="POST")
    generation = served.status()["generation"]
    with served.connect() as connection:
        connection.send(f"POST /api/1/children HTTP/1.1\r\nHost: {served.host}\r\n{served.bearer}\r\n"
                        f"{headers}\r\n\r\n0\r\n\r\n{hidden}")
        reply = connection.reply()
        assert (reply.status, reply["Connection"]) == (400, "close")
        assert connection.rest() == b"", "the second was answered"
    assert served.status()["generation"] == generation


def test_the_next_request_follows_the_body(served):
    for headers, body in (("Content-Length: 3", "abc"), ("Content-Length: 0", ""), ("X: y", "")):
        with served.connect() as connection:
            connection.send(served.request("/api/1/children", served.bearer, headers,
                                           method="POST") + body)
            connection.send(served.request("/api/1/status", served.bearer))
            assert (connection.reply().status, connection.reply().status) == (405, 200)


def test_a_request_can_arrive_in_any_pieces(served):
    text = (served.request("/api/1/status", served.bearer, "Content-Length: 4", method="POST") +
            "body").encode()
    for size in (1, 2, 3, 7, 50):
        with served.connect() as connection:
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for begin in range(0, len(text), size):
                connection.send(text[begin:begin + size])
            assert connection.reply().status == 405


@pytest.mark.parametrize("text", [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"SSH-2.0-OpenSSH_9\r\n\r\n", b"\r\n\r\n\r\n\r\n",
    b"GET\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/1.1\n\n", b"\x00" * 100 + b"\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/0.9\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"GET / FTP/1.1\r\n\r\n", b"G\x00T / HTTP/1.1\r\n\r\n", b"GET /\x00 HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", b"GET / HTTP/1.1\r\nNo colon\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", b"GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n"])
def test_an_invalid_request_ends_its_connection(served, text):
    with served.connect() as connection:
        connection.send(text)
        reply = connection.reply()
        assert reply.status == 400
        assert reply["Connection"] == "close"
        assert connection.rest() == b""


def test_http_1_0_is_answered_and_its_connection_closed(served):
    for header in ("X: y", "Connection: keep-alive"):
        with served.connect() as connection:
            connection.send(served.request("/api/1/status", served.bearer, header,
                                           version="HTTP/1.0"))
            reply = connection.reply()
            assert (reply.status, reply.version) == (200, "HTTP/1.1")
            assert connection.rest() == b""


def test_a_connection_is_kept_until_the_client_closes_it(served):
    with served.connect() as connection:
        for _ in range(100):
            connection.send(served.request("/api/1/status", served.bearer))
            assert not connection.reply().all("Connection")
        connection.send(served.request("/api/1/status", served.bearer, "Connection: close"))
        assert connection.reply()["Connection"] == "close"
        assert connection.rest() == b""


# ---- Time


# Waits for the time limit of the server, ten seconds, with several connections at the same time.
def test_slow_requests_are_ended(served):
    text = served.request("/api/1/status", served.bearer, "X: " + "x" * 1000)
    with contextlib.ExitStack() as stack:
        again = stack.enter_context(served.connect())
        again.send(text)
        assert again.reply().status == 200
        again.send(text[:-1])
        silent, begun, dripping = (stack.enter_context(served.connect()) for _ in range(3))
        begun.send(text[:20])
        over = threading.Event()
        dripper = threading.Thread(target=drip, args=(dripping, text, over))
        dripper.start()
        for connection in (begun, again):
            reply = connection.reply()
            assert (reply.status, reply.error()) == (408, "timeout")
            assert reply["Connection"] == "close"
            assert connection.rest() == b""
        assert silent.rest() == b""
        dripper.join()
        assert over.is_set()


def drip(connection, text, over):
    """Sends an incomplete request byte by byte until the server closes the connection."""
    for byte in text[:-2]:
        connection.send(byte)
        readable, _, _ = select.select([connection.socket], [], [], 0.5)
        if readable:
            reply = connection.reply()
            assert reply.status == 408
            over.set()
            return


# ---- Many connections


def allow_descriptors(number):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < number:
        pytest.skip(f"the limit of {hard} descriptors is too low")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    return soft


def test_idle_connections_take_little_memory(served):
    before = allow_descriptors(3000)
    try:
        with contextlib.ExitStack() as stack:
            base = served.memory()
            for _ in range(2000):
                stack.enter_context(served.connect()).send("GET / HTTP/1.1\r\nX: " + "x" * 100)
            stack.enter_context(served.connect())
            assert served.status()
            assert served.memory() - base < 32 * MIB
    finally:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


@pytest.fixture(name="large", scope="module")
def large_fixture(tmp_path_factory):
    """A tree whose responses have hundreds of kilobytes."""
    root = tmp_path_factory.mktemp("large")
    for folder in range(20):
        below = root / f"{folder:03}"
        below.mkdir()
        for number in range(100):
            (below / (f"{number:03}" + "n" * 240)).touch()
    with Serving(root) as server:
        yield server.complete()


def stuff(connection, text, most):
    """Sends the text repeatedly until the server stops reading."""
    connection.socket.setblocking(False)
    sent = 0
    rest = b""
    while sent < most:
        rest = rest or text.encode()
        try:
            count = connection.socket.send(rest)
        except BlockingIOError:
            if not select.select([], [connection.socket], [], 1)[1]:
                return sent
            continue
        rest = rest[count:]
        sent += count
    return sent


def test_unread_responses_do_not_fill_the_memory(large):
    text = large.request("/api/1/tree?nodes=10000&min_share=0", large.bearer)
    size = len(large.ask_raw(text).body)
    assert size > 300 * KIB
    base = large.memory()
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            connection = stack.enter_context(large.connect())
            stuff(connection, text, 20 * MIB)  # a hundred thousand requests if the server read them all
        assert large.status()["state"] == "complete"
        assert large.memory() - base < 4 * (size + MIB) + 32 * MIB


# Each would hold a quarter of a megabyte and a response.
def test_many_clients_that_do_not_read_take_a_bounded_amount_of_memory(large):
    target = "/api/1/tree?nodes=10000&min_share=0"
    size = len(large.ask(target).body)
    clients = 400
    assert clients * size > 2 * 64 * MIB
    base = large.memory()
    with contextlib.ExitStack() as stack:
        for _ in range(clients):
            connection = stack.enter_context(large.connect())
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                connection.send(large.request(target, large.bearer) * 20)
        assert len(large.ask(target).body) == size, "who reads is served"
        assert large.memory() - base < 64 * MIB + 48 * MIB


def test_a_client_that_reads_late_gets_every_response(large):
    requests = 50
    text = large.request("/api/1/tree?nodes=10000&min_share=0", large.bearer)
    body = large.ask_raw(text).body
    with large.connect() as connection:
        sender = threading.Thread(target=connection.send, args=(text * requests,))
        sender.start()
        for _ in range(requests):
            assert connection.reply().body == body
        sender.join()


def test_distinct_requests_do_not_fill_the_memory(large):
    base = large.memory()
    answered = 0
    with large.connect() as connection:
        for number in range(600):
            path = f"search?q=n&limit=1000&offset={number}"
            connection.send(large.request("/api/1/" + path, large.bearer))
            answered += len(connection.reply().body)
    assert answered > 200 * MIB
    assert large.memory() - base < 128 * MIB


def test_a_client_that_does_not_read_events_delays_no_other(served):
    deaf = [served.events() for _ in range(10)]
    try:
        for _ in range(5):
            served.complete()
            assert served.ask("/api/1/rescan", method="POST").status == 202
        newest = served.complete().status()
        for connection in deaf:
            while event := connection.event():
                if event == newest:
                    break
            assert event == newest
    finally:
        for connection in deaf:
            connection.socket.close()


def test_the_number_of_listeners_is_limited(served):
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(served.events())
        refused = served.ask("/api/1/events")
        assert (refused.status, refused.error(), refused["Retry-After"]) == (503, "busy", "1")
        assert served.ask("/api/1/status").status == 200

    def heard():
        with served.connect() as connection:
            connection.send(served.request("/api/1/events", served.bearer))
            return connection.until(b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")

    until(heard)


def test_closed_connections_leave_nothing_behind(served):
    descriptors = f"/proc/{served.process.pid}/fd"
    before = len(os.listdir(descriptors))
    for number in range(300):
        connection = served.connect()
        connection.send([served.request("/api/1/search?q=a&offset=" + str(number), served.bearer),
                         served.request("/api/1/events", served.bearer), "GET / HTTP/1.1\r\nHo",
                         "", "NONSENSE\r\n\r\n"][number % 5])
        if number % 2:  # without a shutdown
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                         b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.socket.close()
    until(lambda: len(os.listdir(descriptors)) <= before)


# ---- Requests


@pytest.mark.parametrize("question", [
    "children?limit=0", "children?limit=1001", "children?limit=-1", "children?limit=1e3", "children?limit=",
    "children?limit=99999999999999999999", "children?offset=4294967296", "children?sort=x", "children?order=x",
    "children?measure=x", "children?path=%", "children?path=%0", "children?path=%zz", "children?path=%00",
    "children?x=y", "children?path=a&path=b", "children?limit=1&limit=1", "tree?depth=0", "tree?depth=33",
    "tree?nodes=0", "tree?nodes=10001", "tree?min_share=2", "tree?min_share=-1", "tree?min_share=nan",
    "tree?min_share=inf", "search", "search?q=", "search?q=" + "a" * 256, "search?q=a&kind=x",
    "reports/largest_files?count=0", "reports/largest_files?count=10001", "reports/summary?count=1",
    "reports/recent?within=-1", "reports/recent?within=4294967296", "status?x=1", "events?x=1",
    "duplicates?q=x", "clean?class=x", "clean?limit=0", "rescan?x=1"])
def test_invalid_requests_are_refused(served, question):
    method = "POST" if question.startswith("rescan") else "GET"
    with served.connect() as connection:
        connection.send(served.request("/api/1/" + question, served.bearer, method=method))
        head = connection.until(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
    answer = served.ask("/api/1/" + question, method=method).json()
    assert answer["error"]["code"] == "bad_request" and answer["error"]["message"]


@pytest.mark.parametrize("pattern", ["*" * 255, "*a" * 127, "[" * 255, "[a-" * 80, "?" * 255, "[!]" * 80,
                                     "*[a-z]?" * 36, "\\" * 255, "a" * 255])
def test_no_pattern_takes_exponential_time(large, pattern):
    encoded = "".join(f"%{byte:02X}" for byte in pattern.encode())
    assert large.ask(f"/api/1/search?q={encoded}").status == 200


def test_a_body_is_not_parsed_as_the_next_request(served):
    body = "GET /api/1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    first = served.request("/api/1/status", served.bearer, f"Content-Length: {len(body)}", method="GET") + body
    second = served.request("/api/1/status", served.bearer, "Connection: close")
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall((first + second).encode())
        answers = b"".join(iter(lambda: connection.recv(65536), b""))
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answers) == [b"200", b"200"]
