"""Acts from the page of `fathom serve --allow-apply`: what it moves, and everything that it must refuse."""

import base64
import json
import os
import re

import pytest

from conftest import run
from serving import Serving, serve

CODE = re.compile(rb"code in the page: ([A-Z2-9]{4}-[A-Z2-9]{4})\n")


class Acting(Serving):
    """A server with a tree of two files, which keeps its journals in a directory of its own."""

    def __init__(self, folder, *arguments, allow=True):
        self.tree = folder / "tree"
        self.state = folder / "state"
        self.tree.mkdir()
        (self.tree / "a").write_bytes(b"a" * 5000)
        (self.tree / "b").write_bytes(b"b" * 10)
        super().__init__(*(["--allow-apply"] if allow else []), *arguments, self.tree,
                         env={"XDG_STATE_HOME": str(self.state)})
        self.complete()

    def __exit__(self, *given):
        """Also moves back what the tests have left in the quarantine of the filesystem."""
        for journal in self.state.glob("fathom/plans/*.journal"):
            run("undo", journal, "--execute")
        super().__exit__(*given)

    def post(self, name, body, *headers):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = self.request(f"/api/1/plan/{name}", self.bearer, f"Content-Length: {len(text)}", *headers,
                               method="POST")
        return self.ask_raw(request.encode() + text)

    def paths(self, *names):
        return [str(self.tree / name) for name in names]

    def review(self, *names, do="quarantine"):
        return self.post("review", {"paths": self.paths(*names), "do": do}).json()

    def code(self):
        """The last code that the terminal shows."""
        return CODE.findall(self.said())[-1].decode()

    def apply(self, review, code=None, items=None, headers=()):
        return self.post("apply", {"digest": review["digest"],
                                   "items": len(review["items"]) if items is None else items,
                                   "code": self.code() if code is None else code}, *headers)


@pytest.fixture(name="acting")
def acting_fixture(tmp_path):
    with Acting(tmp_path) as server:
        yield server


def refusal(reply):
    return reply.status, reply.error()


def test_a_reviewed_plan_is_applied_with_the_code_of_the_terminal_and_undone(acting):
    assert acting.status()["can_apply"] is True
    review = acting.review("a", "b")
    assert review["can_apply"] and not review["refused"]
    assert b"asks to move 2 items to the quarantine" in acting.said()
    applied = acting.apply(review).json()
    assert (applied["done"], applied["refused"]) == (2, 0)
    assert not os.listdir(acting.tree)
    assert applied["journal"].startswith(str(acting.state))
    assert b"fathom undo " + applied["journal"].encode() in acting.said()
    undone = acting.post("undo", {"journal": applied["journal"], "code": acting.code()}).json()
    assert undone["done"] == 2
    assert sorted(os.listdir(acting.tree)) == ["a", "b"]


def test_the_terminal_names_the_journal_before_anything_is_moved(acting):
    journal = acting.apply(acting.review("a", "b")).json()["journal"]
    before, moved, _ = acting.said().partition(b"the page moved 2 items")
    assert moved
    assert f"the page moves 2 items to the quarantine. If this program is ended meanwhile, move back with: " \
           f"fathom undo {journal} --execute\n".encode() in before


def test_the_terminal_alone_has_the_code(acting):
    review = acting.post("review", {"paths": acting.paths("a")})
    assert acting.code() not in review.body.decode()
    assert acting.code() not in acting.ask("/api/1/status").body.decode()


def test_a_code_is_valid_once(acting):
    review = acting.review("a")
    code = acting.code()
    assert acting.apply(review, code).status == 200
    assert refusal(acting.apply(review, code)) == (403, "wrong_code")


def test_a_wrong_code_changes_nothing(acting):
    review = acting.review("a")
    for wrong in ("", "AAAA-AAAA", "0", acting.token):
        assert refusal(acting.apply(review, wrong)) == (403, "wrong_code")
    assert sorted(os.listdir(acting.tree)) == ["a", "b"]


def test_the_code_of_one_plan_does_not_apply_another(acting):
    small = acting.review("b")
    code = acting.code()
    large = acting.review("a", "b")
    assert refusal(acting.apply(large, code)) == (403, "wrong_code")
    assert acting.apply(small, code).status == 200
    assert os.listdir(acting.tree) == ["a"]


def test_more_items_than_were_reviewed_are_not_applied(acting):
    review = acting.review("a")
    assert refusal(acting.apply(review, items=2)) == (409, "conflict")
    assert sorted(os.listdir(acting.tree)) == ["a", "b"]


def test_a_file_that_has_changed_since_the_review_stays(acting):
    review = acting.review("a", "b")
    (acting.tree / "a").write_bytes(b"something new")
    applied = acting.apply(review).json()
    assert (applied["done"], applied["refused"]) == (1, 1)
    assert os.listdir(acting.tree) == ["a"]


def test_a_file_that_was_replaced_by_a_link_since_the_review_stays(acting, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"x")
    review = acting.review("a")
    (acting.tree / "a").unlink()
    (acting.tree / "a").symlink_to(secret)
    assert acting.apply(review).json()["refused"] == 1
    assert secret.exists() and (acting.tree / "a").is_symlink()


@pytest.mark.parametrize("header", ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site",
                                    "Sec-Fetch-Site: same-site", "Origin: null"])
def test_a_page_of_another_site_can_neither_review_nor_apply(acting, header):
    review = acting.review("a")
    said = acting.said()
    assert refusal(acting.apply(review, headers=[header])) == (403, "cross_site")
    assert refusal(acting.post("review", {"paths": acting.paths("b")}, header)) == (403, "cross_site")
    assert acting.said() == said
    assert sorted(os.listdir(acting.tree)) == ["a", "b"]


def test_without_the_token_nothing_is_reviewed_or_applied(acting):
    review = acting.review("a")
    body = json.dumps({"digest": review["digest"], "items": 1, "code": acting.code()})
    for name in ("apply", "review", "undo", "draft", "sums"):
        request = acting.request(f"/api/1/plan/{name}", f"Content-Length: {len(body)}", method="POST") + body
        assert refusal(acting.ask_raw(request)) == (401, "no_token")
    assert sorted(os.listdir(acting.tree)) == ["a", "b"]


def test_nothing_is_deleted(acting):
    review = acting.review("a", do="delete")
    assert len(review["items"]) == 1 and not review["can_apply"]
    assert not CODE.search(acting.said())
    assert refusal(acting.apply(review, "AAAA-AAAA")) == (409, "conflict")
    assert sorted(os.listdir(acting.tree)) == ["a", "b"]


def test_only_journals_of_this_server_are_undone(acting, tmp_path):
    acting.apply(acting.review("a"))
    (tmp_path / "journal").write_text("{}\n")
    for journal in (str(tmp_path / "journal"), "/etc/passwd", ""):
        assert refusal(acting.post("undo", {"journal": journal, "code": acting.code()})) == (404, "not_found")
    other = base64.b64encode(b"/\xff").decode()
    assert refusal(acting.post("undo", {"journal_b64": other, "code": acting.code()})) == (404, "not_found")


@pytest.mark.parametrize("path", ["/etc/passwd", "/", "", "..", "{tree}/../secret", "{tree}/a/../../secret"])
def test_a_path_outside_of_the_scan_is_in_no_plan(acting, tmp_path, path):
    (tmp_path / "secret").write_bytes(b"x")
    review = acting.post("review", {"paths": [path.format(tree=acting.tree)]}).json()
    assert review["items"] == []
    draft = acting.post("draft", {"paths": [path.format(tree=acting.tree)]}).body
    assert draft.count(b"\n") == 2, "only the first and the last line"


@pytest.mark.parametrize("name", ["sums", "draft", "review", "apply", "undo"])
def test_bodies_that_are_not_what_they_should_be_are_refused(acting, name):
    deep = b'{"paths":' + b"[" * 100_000
    for body in (b"", b"{", b"[]", b'"paths"', b'{"paths":7}', b'{"path":[]}', b"\xff", b'{"paths":[]}\0', deep):
        assert refusal(acting.post(name, body)) == (400, "bad_request"), body[:20]
    assert refusal(acting.post("sums", {"paths": ["/"] * 10_001})) == (400, "bad_request")
    assert acting.post("sums", {"paths": ["/"] * 10_000}).status == 200
    huge = acting.request(f"/api/1/plan/{name}", acting.bearer, f"Content-Length: {4 * 1024 * 1024 + 1}",
                          method="POST")
    assert refusal(acting.ask_raw(huge)) == (413, "too_large")


def test_without_the_flag_a_plan_is_only_made(tmp_path):
    with Acting(tmp_path, allow=False) as server:
        assert server.status()["can_apply"] is False
        review = server.review("a")
        assert len(review["items"]) == 1 and not review["can_apply"]
        assert refusal(server.apply(review, "AAAA-AAAA")) == (403, "not_allowed")
        assert refusal(server.post("undo", {"journal": "/j", "code": ""})) == (403, "not_allowed")
        assert not CODE.search(server.said())
        assert sorted(os.listdir(server.tree)) == ["a", "b"]


def test_a_unix_socket_may_allow_acts(tmp_path):
    with Acting(tmp_path, "--unix", str(tmp_path / "socket")) as server:
        assert server.apply(server.review("b")).json()["done"] == 1


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_address_of_a_network_does_not_allow_acts(tmp_path, address):
    code, printed, said = serve("--allow-apply", "--bind", address, tmp_path)
    assert (code, printed) == (2, b"")
    assert b"'--allow-apply' needs a loopback address" in said


def test_a_saved_scan_does_not_allow_acts(tmp_path):
    (tmp_path / "saved").write_text('[1,2,{"progname":"x"},[{"name":"/srv"}]]')
    code, _, said = serve("--allow-apply", "--from", tmp_path / "saved")
    assert code == 2 and b"'--allow-apply' excludes '--from'" in said


def test_the_plan_of_the_page_is_one_for_fathom_apply(acting):
    draft = acting.post("draft", {"paths": acting.paths("a"), "do": "trash"})
    assert draft["Content-Type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in draft.body.splitlines()]
    assert lines[0]["schema"] == "fathom.plan/1"
    assert [(line["do"], line["path"]) for line in lines[1:-1]] == [("trash", "a")]
