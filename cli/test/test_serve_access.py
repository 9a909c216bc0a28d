"""Access control of fathom serve: each test is an attempt without permission."""

import base64
import hashlib
import json
import os
import re

import pytest

from conftest import as_nobody
from serving import Serving, serve

FIXED_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
READS = ["/", "/page.js", "/api/1/status", "/api/1/children", "/api/1/tree", "/api/1/search?q=a",
         "/api/1/reports/summary", "/api/1/duplicates", "/api/1/clean", "/api/1/events", "/api/1/nothing", "/nothing"]
COMMANDS = ["/api/1/rescan", "/api/1/cancel", "/api/1/duplicates", "/api/1/clean", "/api/1/plan/sums",
            "/api/1/plan/draft", "/api/1/plan/review", "/api/1/plan/apply", "/api/1/plan/undo"]


@pytest.fixture(scope="module", name="served")
def served_fixture(tmp_path_factory):
    root = tmp_path_factory.mktemp("served") / "root"
    (root / "folder" / "below").mkdir(parents=True)
    (root / "folder" / "file").write_bytes(b"x" * 5000)
    (root.parent / "outside").mkdir()
    (root.parent / "outside" / "secret-name").write_bytes(b"secret-content")
    (root / "to outside").symlink_to("../outside")
    (root / "to etc").symlink_to("/etc")
    (root / "to root").symlink_to("/")
    with Serving(root) as server:
        server.root = root
        yield server.complete()


def untouched(server):
    """A value that a scan or a search would change, to check that nothing was done."""
    return (server.status()["generation"], server.ask("/api/1/duplicates").json()["state"],
            server.ask("/api/1/clean").json()["state"])


# ---- The token


@pytest.mark.parametrize("target", READS)
def test_nothing_is_answered_without_the_token(served, target):
    for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE"):
        reply = served.ask_plainly(target, method=method)
        assert reply.status == 401, method
        assert reply["WWW-Authenticate"] == "Bearer"
        assert not reply.all("Set-Cookie") and not reply.all("ETag")
        assert served.token not in reply.head.decode("latin-1") + reply.body.decode()
        assert os.fsencode(served.root) not in reply.body


def test_a_browser_without_the_token_gets_a_page_that_says_what_to_do(served):
    accepts = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
    for target in ("/", "/?token=wrong", "/nothing"):
        reply = served.ask_plainly(target, accepts)
        assert reply.status == 401 and reply["WWW-Authenticate"] == "Bearer"
        assert reply["Content-Type"] == "text/html; charset=utf-8"
        page = reply.body.decode()
        assert "This page needs its token" in page and "fathom serve" in page
        assert "prefers-color-scheme" in page and len(reply.body) < 3000
        assert "<script" not in page and "src=" not in page and "href=" not in page and "style=" not in page
        assert os.fsencode(served.root) not in reply.body and served.token not in page
    for header, title in (("Sec-Fetch-Site: cross-site", "from other sites"), ("X: y", "not an address")):
        host = "evil.example" if header == "X: y" else None
        page = served.ask_plainly("/", accepts, header, host=host).body.decode()
        assert title in page and "evil" not in page
    assert served.ask_plainly("/api/1/status", accepts).error() == "no_token"
    assert served.ask_plainly("/").body.startswith(b"fathom: the token is missing or wrong")


def test_the_style_of_that_page_is_the_one_that_its_policy_allows(served):
    reply = served.ask_plainly("/", "Accept: text/html")
    style = re.search(rb"<style>(.*?)</style>", reply.body, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    assert f"style-src 'self' 'sha256-{digest}';" in reply["Content-Security-Policy"]
    assert "sha256" not in served.ask("/api/1/status")["Content-Security-Policy"]


def wrong_tokens(token):
    other = "B" if token[0] == "A" else "A"
    last = chr(ord(token[-1]) ^ 1)
    return [other + token[1:], token[:-1] + last, token[:-1], token + "A", token + "=", "",
            token.swapcase(), token[::-1], "A" * 43, "\xff" * 43, token[:42] + "\x80"]


def test_no_other_token_is_accepted(served):
    for wrong in wrong_tokens(served.token):
        for header in (f"Authorization: Bearer {wrong}",
                       f"Cookie: fathom-{served.port}={wrong}"):
            assert served.ask_plainly("/api/1/status", header).status == 401, header
        address = f"/?token={wrong}"
        if wrong.isascii():
            assert served.ask_plainly(address).status == 401, address


def test_the_token_of_another_server_is_not_accepted(served, tmp_path):
    with Serving(tmp_path) as other:
        assert served.ask_plainly("/api/1/status", other.bearer).status == 401
        assert served.ask_plainly("/api/1/status", other.cookie).status == 401
        # A browser sends the cookies of both servers to each of them, because cookies ignore ports.
        both = f"{other.cookie}; fathom-{served.port}={served.token}"
        assert served.ask_plainly("/api/1/status", both).status == 200
        assert other.ask_plainly("/api/1/status", both).status == 200
        assert other.ask_plainly(
            "/api/1/status", f"Cookie: fathom-{served.port}={other.token}").status == 401


@pytest.mark.parametrize("spelling", [
    "fathom={token}", "fathom-1={token}", "FATHOM-{port}={token}", "fathom-{port}0={token}",
    "xfathom-{port}={token}", "fathom-{port} ={token}", "fathom-{port}=\"{token}\"", "{token}",
    "a=fathom-{port}={token}", "fathom-{port}={token}, a=b"])
def test_a_cookie_with_another_name_is_not_accepted(served, spelling):
    cookie = spelling.format(token=served.token, port=served.port)
    assert served.ask_plainly("/api/1/status", f"Cookie: {cookie}").status == 401


@pytest.mark.parametrize("target", [
    "/api/1/status?token={token}", "/page.js?token={token}", "/nothing?token={token}",
    "/?a=b&token={token}", "/?token={token}&a=b", "/?Token={token}", "//?token={token}",
    "/./?token={token}", "/%3Ftoken={token}", "/?token=%{token}", "/api/1/children?path=&token={token}"])
def test_the_token_in_the_address_opens_only_the_page(served, target):
    assert served.ask_plainly(target.format(token=served.token)).status == 401
    assert served.ask_plainly(f"/?token={served.token}").status in (200, 503)  # without Node


@pytest.mark.parametrize("header", [
    "Authorization: {token}", "Authorization: Basic {token}", "Authorization: Bearer{token}",
    "Authorization: Bearer  {token}", "Authorization: Bearer {token} x", "X-Authorization: Bearer {token}",
    "Proxy-Authorization: Bearer {token}", "Authorization: Bearer {token},Bearer {token}"])
def test_the_token_in_another_header_is_not_accepted(served, header):
    assert served.ask_plainly("/api/1/status", header.format(token=served.token)).status == 401


def test_a_second_authorization_does_not_help(served):
    reply = served.ask_plainly("/api/1/status", "Authorization: Bearer x", served.bearer)
    assert reply.status == 400


def test_the_cookie_is_only_for_this_server_and_not_for_scripts(served):
    reply = served.ask_plainly(f"/?token={served.token}")
    assert reply["Set-Cookie"] == (
        f"fathom-{served.port}={served.token}; Path=/; HttpOnly; SameSite=Strict")
    assert served.ask_plainly("/api/1/status", served.cookie).status == 200
    for target in ("/", "/api/1/status"):
        assert not served.ask(target).all("Set-Cookie")
    assert not served.ask_plainly(f"/?token={served.token[:-1]}").all("Set-Cookie")


# ---- DNS rebinding


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost.evil.example",
    "127.0.0.1@evil.example", "evil.example@127.0.0.1:{port}", "127.0.0.1:{port}@evil.example",
    "user:password@127.0.0.1:{port}", "localhost.:{port}", "127.0.0.1.:{port}", "127.1:{port}",
    "2130706433:{port}", "0x7f.1:{port}", "0.0.0.0:{port}", "127.0.0.2:{port}", "[::]:{port}",
    "[::ffff:127.0.0.2]:{port}", "::1", "localhost:{port}:80", "localhost:{port}x", "localhost:x", ":{port}",
    "", "localhost/", "localhost:{port}/", "localhost, evil.example", "localhost\tevil.example",
    "evil.example#localhost", "loc\xe4lhost", "xn--lcalhost-n1a:{port}"])
def test_foreign_host_names_are_refused(served, host):
    host = host.format(port=served.port)
    for target in ("/api/1/status", "/", f"/?token={served.token}"):
        reply = served.ask(target, host=host)
        assert reply.status == 421, target
        assert not reply.all("Set-Cookie")
    before = untouched(served)
    for target in COMMANDS:
        assert served.ask(target, method="POST", host=host).status == 421
    assert untouched(served) == before


def test_its_own_host_names_are_accepted(served):
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]", "[::ffff:127.0.0.1]"):
        assert served.ask("/api/1/status", host=f"{host}:{served.port}").status == 200
        assert served.ask("/api/1/status", host=host).status == 200
        assert served.ask("/api/1/status", host=f"{host}:8000").status == 200  # ssh -L


def test_a_request_needs_one_host(served):
    target = "GET /api/1/status HTTP/1.1\r\n"
    ours, evil = f"Host: {served.host}\r\n", "Host: evil.example\r\n"
    for headers in ("", ours + evil, evil + ours, ours + ours, f"Host : {served.host}\r\n",
                    f" {ours}", ours.replace("\r\n", "\r\n ") + "evil.example\r\n"):
        reply = served.ask_raw(f"{target}{headers}{served.bearer}\r\n\r\n")
        assert reply.status == 400, headers


def test_an_absolute_target_does_not_hide_the_host(served):
    for target in ("http://evil.example/api/1/status", f"http://{served.host}/api/1/status"):
        assert served.ask(target, host="evil.example").status == 400
        assert served.ask(target).status == 400


# ---- Other sites


@pytest.mark.parametrize("origin", [
    "null", "http://evil.example", "https://{host}", "http://127.0.0.1", "http://127.0.0.1:1",
    "http://localhost:{port}", "http://{host}.evil.example", "http://{host}@evil.example", "{host}", "file://",
    "http://{host}/", "http://evil.example http://{host}", "chrome-extension://abcdefg", "http://[::1]:{port}"])
def test_no_other_origin_is_answered(served, origin):
    before = untouched(served)
    header = "Origin: " + origin.format(host=served.host, port=served.port)
    for target in READS:
        reply = served.ask(target, header)
        assert reply.status == 403, target
        assert os.fsencode(served.root) not in reply.body
    for target in COMMANDS:
        assert served.ask_plainly(target, header, served.cookie, method="POST").status == 403
        assert served.ask_plainly(target, header, served.bearer, method="POST").status == 403
    assert untouched(served) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site", "CROSS-SITE", "anything"])
def test_requests_that_a_browser_marks_as_cross_site_are_refused(served, site):
    before = untouched(served)
    for target in READS:
        assert served.ask_plainly(target, served.cookie, f"Sec-Fetch-Site: {site}").status == 403
    for target in COMMANDS:
        reply = served.ask_plainly(target, served.cookie, f"Sec-Fetch-Site: {site}", method="POST")
        assert (reply.status, reply.error()) == (403, "cross_site")
    assert untouched(served) == before


def test_requests_of_its_own_page_are_accepted(served):
    for site in ("same-origin", "none"):
        reply = served.ask_plainly("/api/1/status", served.cookie, f"Sec-Fetch-Site: {site}",
                                   f"Origin: http://{served.host}")
        assert reply.status == 200


def test_a_form_of_another_site_starts_nothing(served):
    before = untouched(served)
    body = "a=b"
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
        text = served.request("/api/1/rescan", served.cookie, f"Content-Type: {kind}",
                              f"Content-Length: {len(body)}", "Origin: null", method="POST") + body
        assert served.ask_raw(text).status == 403
    assert untouched(served) == before


def test_no_other_site_may_read_a_response(served):
    for target in READS:
        if target == "/api/1/events":
            continue
        for method in ("GET", "OPTIONS"):
            reply = served.ask(target, "Access-Control-Request-Method: POST",
                               "Access-Control-Request-Headers: authorization", method=method)
            assert not [name for name, _ in reply.headers if name.lower().startswith("access-control")]


# ---- Methods


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND", "X"])
def test_other_methods_do_nothing(served, method):
    before = untouched(served)
    for target in [*READS, "/api/1/rescan"]:
        if target == "/api/1/nothing":
            continue
        reply = served.ask(target, "X-Secret: to be sent back", method=method)
        assert reply.status == 405, target
        assert method not in reply["Allow"].split(", ")
        assert "X-Secret" not in reply.head.decode("latin-1") and b"X-Secret" not in reply.body
    assert untouched(served) == before


def test_reading_starts_nothing(served):
    before = untouched(served)
    for method in ("GET", "HEAD"):
        reply = served.ask("/api/1/rescan", method=method)
        assert (reply.status, reply["Allow"]) == (405, "POST")
    served.ask("/api/1/duplicates")
    assert untouched(served) == before


# ---- Nothing outside is named or read


def outside_of(root):
    """Paths that would lead out of the root if they were followed."""
    root = os.fspath(root)
    up = "/".join([".."] * 12)
    return ["/etc", "/etc/passwd", "/", "//", ".", "..", "", "etc", f"{root}/..", f"{root}/../outside",
            f"{root}/{up}/etc", f"{root}/folder/../../outside", f"{root}/to outside/secret-name",
            f"{root}/to outside/.", f"{root}/to etc/passwd", f"{root}/to root/etc", f"{root}x", f"{root}/.",
            f"{root}//folder", f"/.{root}", f"{root}/folder/..", f"{root}/./folder", root[1:], root[:-1],
            os.path.dirname(root), f"{os.path.dirname(root)}/outside", f"file://{root}", f"~{root}", "~",
            f"{root}\\..\\outside", f"{root}/folder/below/../../..", "/proc/self/environ", "/proc/self/cwd"]


def spellings(path):
    """Spellings of the path by browsers, programs and attackers."""
    bytes_ = os.fsencode(path)
    yield "".join(f"%{byte:02x}" for byte in bytes_)
    yield "".join(f"%{byte:02X}" for byte in bytes_)
    plain = "".join(chr(byte) if chr(byte).isalnum() or chr(byte) in "/._-~:" else f"%{byte:02X}"
                    for byte in bytes_)
    yield plain
    yield plain.replace("..", "%2e%2E")
    yield plain.replace("/", "%2f")
    yield plain.replace("/", "%252f")
    yield plain.replace("..", "%252e%252e")
    yield plain.replace("..", "%c0%ae%c0%ae")
    yield plain + "%00"


def test_no_spelling_of_a_path_finds_anything_outside(served):
    everything = served.ask("/api/1/tree?depth=32&min_share=0").body
    assert b"below" in everything and b"secret-name" not in everything
    with served.connect() as connection:
        for path in outside_of(served.root):
            for spelling in spellings(path):
                for question in ("children?path=", "tree?path=", "search?q=e&path="):
                    connection.send(served.request("/api/1/" + question + spelling, served.bearer))
                    reply = connection.reply()
                    if path == "" and "%00" not in spelling:
                        assert reply.status == 200  # the only root
                        continue
                    assert reply.status in (400, 404), (path, spelling)
                    assert reply.error() in ("bad_request", "not_found")
                    assert set(reply.json()) == {"error"}


@pytest.mark.parametrize("target", [
    "/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "//etc/passwd",
    "/page.js/../../etc/passwd", "/page.js%00.html", "/..\\etc", "/.", "/..", "/api/1/../../etc/passwd",
    "/api/1/children/../../../etc/passwd", "/api/1/reports/../status", "/api/1/reports/..%2f..%2fetc",
    "/api/1/reports/", "/api/1/reports/summary/x", "/api/1/", "/api/1", "/api/", "/api/2/status", "/api/1/Status",
    "/API/1/status", "/api/1//status", "/api/1/status/", "/%61pi/1/status", "/index.html", "/.git/config",
    "/favicon.ico/x", "/\xff", "/api/1/\xff\xfe"])
def test_no_target_leads_to_a_file(served, target):
    reply = served.ask(target)
    assert reply.status in (400, 404)
    assert b"root:" not in reply.body
    if target.startswith("/api/1/"):
        reply.json()


def test_links_are_not_followed(served):
    found = served.ask("/api/1/children").json()["children"]
    links = [child for child in found if child["name"].startswith("to ")]
    assert len(links) == 3
    for link in links:
        assert (link["kind"], link["children"], link["entries"]) == ("symlink", 0, 1)
    assert served.ask("/api/1/search?q=secret-name").json()["matches"] == 0
    assert served.ask("/api/1/search?q=passwd").json()["matches"] == 0


def test_a_root_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret-name").write_bytes(b"x")
    (tmp_path / "link").symlink_to("outside")
    with Serving(tmp_path / "link") as server:
        server.complete()
        assert server.ask("/api/1/search?q=secret-name").json()["matches"] == 0


def test_a_link_that_replaces_a_scanned_entry_is_not_followed(tmp_path):
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    for name in ("same 1", "same 2"):
        (root / "folder" / name).write_bytes(b"inside" * 1000)
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("same 1", "same 2"):
        (outside / name).write_bytes(b"secret" * 1000)
    with Serving(root) as server:
        server.complete()
        os.rename(root / "folder", tmp_path / "moved")
        (root / "folder").symlink_to(outside)
        assert server.ask("/api/1/duplicates", method="POST").status == 202
        with server.events() as events:
            while server.ask("/api/1/duplicates").json()["state"] == "running":
                events.event()
        found = server.ask("/api/1/duplicates").json()
        assert found["state"] == "complete" and found["groups"] == []


def test_it_has_only_the_permissions_of_its_user(guarded):
    with Serving(guarded, **as_nobody()) as server:
        server.complete()
        assert server.status()["accuracy"]["unreadable"] == 1
        path = f"{guarded}/secret/inner".replace("/", "%2F")
        assert server.ask(f"/api/1/children?path={path}").status == 404


# ---- Hostile names

HOSTILE = [
    b"a\r\nSet-Cookie: x=1", b"a\r\n\r\n<html>", b"<script>alert(1)", b"<img src=x onerror=alert(1)>",
    b'"><svg onload=alert(1)>', b"'\"&amp;&lt;", b"\xff\xfe\x80", b"\x1b[31mred\x1b[0m",
    b"\x1b]0;title\x07", b"\x9b31m", b"\x7f\x08\x08", b"\xe2\x80\xaetxt.exe", b"\xe2\x80\xa8line",
    b"%2e%2e%2f", b"${7*7}{{7*7}}", b"\\\\server", b"javascript:alert(1)", b" ", b"\xed\xa0\x80",
    b"__proto__", b"constructor", b"data: event\n\nevent: status\ndata: {}", b"n" * 255,
]


@pytest.fixture(scope="module", name="hostile")
def hostile_fixture(tmp_path_factory):
    root = os.fsencode(tmp_path_factory.mktemp("hostile")) + b"/a\r\nSet-Cookie: root=1 <b>\x1b[31m\xff"
    os.mkdir(root)
    for number, name in enumerate(HOSTILE):
        os.mkdir(os.path.join(root, name))
        with open(os.path.join(root, name, b"copy of " + name[:200]), "wb") as file:
            file.write(b"the same content" * 300)
        if number % 2:
            os.symlink(name, os.path.join(root, b"link to " + name[:200]))
    with Serving(os.fsdecode(root)) as server:
        server.root = root
        yield server.complete()


def percent(path):
    return "".join(f"%{byte:02X}" for byte in path)


def hostile_targets(server):
    yield "/api/1/status"
    yield "/api/1/children?limit=1000"
    yield "/api/1/tree?depth=32&min_share=0"
    yield "/api/1/search?q=*&limit=1000"
    for kind in ("largest_files", "largest_dirs", "recent", "extensions", "symlinks", "owners", "errors"):
        yield f"/api/1/reports/{kind}?limit=1000"
    yield "/api/1/duplicates?limit=1000"
    yield "/api/1/clean?limit=1000"
    for name in HOSTILE:
        for path in (server.root + b"/" + name, server.root + b"/" + name + b"x", name):
            yield f"/api/1/children?path={percent(path)}"
            yield f"/api/1/tree?path={percent(path)}"
        yield f"/api/1/search?q={percent(name[:60])}"
        yield f"/api/1/reports/{percent(name[:60])}"
        yield f"/api/1/children?{percent(name[:60])}=1"
        yield f"/{percent(name[:60])}"


def test_no_name_becomes_a_header_or_markup(hostile):
    assert hostile.ask("/api/1/duplicates", method="POST").status == 202
    while hostile.ask("/api/1/duplicates").json()["state"] == "running":
        pass
    for target in hostile_targets(hostile):
        reply = hostile.ask(target)
        assert reply.status in (200, 400, 404), target
        names = [name for name, _ in reply.headers]
        assert len(set(names)) == len(names) and "Set-Cookie" not in names, target
        assert b"\r\n" not in reply.body and b"\n" not in reply.body.rstrip(b"\n"), target
        assert reply["X-Content-Type-Options"] == "nosniff"
        if target.startswith("/api/1/"):
            assert reply["Content-Type"] == "application/json", target
            json.loads(reply.body.decode("utf-8"))  # strict
            assert not re.search(rb"[\x00-\x1f]", reply.body), target
        else:
            assert reply["Content-Type"].startswith("text/plain"), target
            assert b"<" not in reply.body


def test_names_keep_their_bytes(hostile):
    found = set()
    for child in hostile.ask("/api/1/children?limit=1000").json()["children"]:
        if child["kind"] == "directory":
            found.add(base64.b64decode(child["name_b64"]) if "name_b64" in child else child["name"].encode())
    assert found == set(HOSTILE)
    for name in HOSTILE:
        reply = hostile.ask(f"/api/1/children?path={percent(hostile.root + b'/' + name)}").json()
        below, = reply["children"]
        copy = base64.b64decode(below["name_b64"]) if "name_b64" in below else below["name"].encode()
        assert copy == b"copy of " + name[:200]


def test_no_name_breaks_out_of_an_event(hostile):
    with hostile.connect() as connection:
        connection.send(hostile.request("/api/1/events", hostile.bearer))
        head = connection.until(b"\r\n\r\n")
        assert b"Set-Cookie" not in head
        lines = connection.until(b"\n\n").split(b"\n")
    assert len(lines) == 2 and lines[0] == b"event: status" and lines[1].startswith(b"data: {")
    assert json.loads(lines[1][6:])["state"] == "complete"


def test_names_are_escaped_on_the_terminal(tmp_path):
    root = os.fsencode(tmp_path) + b"/\x1b[31mred\x1b]0;title\x07\x9b\r\n"
    os.mkdir(root)
    for name in HOSTILE:
        os.mkdir(os.path.join(root, name))
    with Serving(os.fsdecode(root)) as server:
        server.complete()
        assert server.stop() == 0
        assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f-\x9f]", server.printed + server.said())


@pytest.mark.parametrize("arguments", [
    ["{evil}"], ["--unix", "{evil}/x/y"], ["--unix", "{evil}"], ["--unix", "{evil}/" + "x" * 200],
    ["--from", "{evil}"], ["--bind", "{evil}"], ["--port", "{evil}"], ["--type", "{evil}"], ["--{evil}"]],
    ids=["path", "folder", "file", "long", "from", "bind", "port", "type", "option"])
def test_arguments_are_escaped_on_the_terminal(arguments, tmp_path):
    evil = f"{tmp_path}/\x1b[31m\x1b]0;t\x07\udc9b"
    if arguments == ["--unix", "{evil}"]:
        with open(evil, "wb"):
            pass
    code, printed, said = serve(*(argument.format(evil=evil) for argument in arguments))
    assert (code, printed) == (2, b"")
    assert b"[31m" in said
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f-\x9f]", said)


def test_a_message_about_a_socket_escapes_only_its_path(tmp_path):
    code, _, said = serve("--unix", f"{tmp_path}/no\nsuch/socket")
    assert code == 2
    assert said == f"fathom: cannot listen on {tmp_path}/no\\nsuch/socket: No such file or directory\n".encode()


# ---- Headers of every response


def answers_of_every_kind(server):
    yield 200, server.ask("/api/1/status")
    yield 200, server.ask("/api/1/children")
    yield 200, server.ask("/api/1/children", "Accept-Encoding: gzip")
    yield 200, server.ask("/api/1/status", method="HEAD")
    yield 304, server.ask("/api/1/children", "If-None-Match: *")
    yield 400, server.ask("/api/1/children?x=1")
    yield 400, server.ask_raw("NONSENSE\r\n\r\n")
    yield 401, server.ask_plainly("/api/1/status")
    yield 401, server.ask_plainly("/")
    yield 403, server.ask("/api/1/status", "Origin: null")
    yield 404, server.ask("/api/1/nothing")
    yield 404, server.ask("/nothing")
    yield 405, server.ask("/api/1/rescan")
    yield 405, server.ask("/", method="POST")
    yield 413, server.ask("/api/1/rescan", "Content-Length: 65537", method="POST")
    yield 414, server.ask("/" + "x" * 9000)
    yield 421, server.ask("/api/1/status", host="evil.example")
    yield 431, server.ask("/api/1/status", "X: " + "x" * 20000)


def test_every_response_restricts_the_browser(served):
    for status, reply in answers_of_every_kind(served):
        assert reply.status == status
        for name, value in FIXED_HEADERS.items():
            assert reply[name] == value, status
        policy = reply["Content-Security-Policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'" and rules["frame-ancestors"] == "'none'"
        assert rules["base-uri"] == "'none'" and rules["form-action"] == "'none'"
        assert rules["script-src"] == "'self'" and rules["connect-src"] == "'self'"
        assert "unsafe" not in policy and "*" not in policy and "http" not in policy
        assert not reply.all("Server") and not reply.all("X-Powered-By")
        if status == 304:
            continue
        assert reply["Content-Type"] in ("application/json", "text/plain; charset=utf-8")
        assert re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", reply["Date"])


def test_errors_of_the_interface_are_json_with_a_reason(served):
    codes = {400: "bad_request", 401: "no_token", 403: "cross_site", 404: "not_found", 405: "method",
             413: "too_large", 414: "too_long", 421: "wrong_host", 431: "too_large"}
    for status, reply in answers_of_every_kind(served):
        if status in codes and reply["Content-Type"] == "application/json":
            assert reply.error() == codes[status]
            assert reply.json()["error"]["message"]


def test_the_page_loads_nothing_from_elsewhere(served):
    page = served.ask(f"/?token={served.token}")
    if page.status == 503:
        pytest.skip("this program was built without the page")
    assert b"http://" not in page.body and b"https://" not in page.body.replace(b"https://www.w3.org", b"")
    assert served.token.encode() not in page.body
