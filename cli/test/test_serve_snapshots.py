"""`fathom serve --store`: the snapshots of a store over HTTP, against the output of the commands."""

import json
import os
import shutil
import threading

import pytest

from conftest import run
from serving import Serving
from test_serve import encoded
from test_snapshot import age, keep, log, rename_owner


class Place:
    """A tree with two snapshots, between which it changed, and a server for them."""

    def __init__(self, folder):
        self.root = folder / "srv"
        self.store = folder / "store"
        self.write("data/table", 100_000)
        self.write("data/old/gone", 20_000)
        self.write("logs/app.log", 5000)
        os.link(self.root / "data" / "table", self.root / "logs" / "linked")
        self.write(os.fsdecode(b"caf\xe9/menu"), 7000)
        self.first = age(self.store, keep(self.root, "--store", self.store), 3)
        self.write("data/table", 300_000)
        self.write("data/new/file.csv", 40_000)
        shutil.rmtree(self.root / "data" / "old")
        self.second = keep(self.root, "--store", self.store, "--tag", "grown")

    def write(self, name, size):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)

    def told(self, command, *arguments):
        """What a command writes about the store as JSON."""
        ran = run(command, "--store", os.fspath(self.store), "--format", "json", *map(os.fspath, arguments))
        assert (ran.returncode, ran.stderr) == (0, b"")
        return json.loads(ran.stdout)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture
def served(place):
    with Serving("--store", place.store, place.root) as server:
        yield server.complete()


def get(server, request, /, **parameters):
    """The JSON of an answer."""
    reply = server.ask(target(request, **parameters))
    assert reply.status == 200, reply.body
    return reply.json()


def target(request, /, **parameters):
    query = "&".join(f"{name.rstrip('_')}={encoded(str(value))}" for name, value in parameters.items())
    return f"/api/1/{request}?{query}"


def refused(server, request, /, **parameters):
    """The status, the code and the sentence of a refusal."""
    reply = server.ask(target(request, **parameters))
    error = reply.json()["error"]
    return reply.status, error["code"], error["message"]


def test_owners_have_the_names_that_the_served_snapshot_has(place):
    rename_owner(place.store / place.second, "ada-of-lab")
    with Serving("--from", place.store / place.second) as server:
        server.complete()
        answer = get(server, "children", path=place.root)
    assert answer["entry"]["owner"] == answer["children"][0]["owner"] == "ada-of-lab"


# ---- The list

def test_the_list_is_that_of_the_log(place, served):
    answer = get(served, "snapshots")
    assert answer.pop("offset") == 0
    assert answer == log("--store", place.store)
    assert [one["name"] for one in answer["snapshots"]] == [place.second, place.first]


def test_the_list_has_pages(place, served):
    answer = get(served, "snapshots", offset=1, limit=1)
    assert (answer["total"], answer["offset"]) == (2, 1)
    assert [one["name"] for one in answer["snapshots"]] == [place.first]
    assert get(served, "snapshots", offset=9)["snapshots"] == []


def test_the_list_can_be_of_a_path(place, served, tmp_path):
    (tmp_path / "other").mkdir()
    other = keep(tmp_path / "other", "--store", place.store)
    assert get(served, "snapshots")["total"] == 3
    found = get(served, "snapshots", path=f"{tmp_path}/other")["snapshots"]
    assert [one["name"] for one in found] == [other]
    # Only one series, so that they can be compared with each other: the newest one.
    filtered = keep(place.root, "--store", place.store, "--no-hidden")
    found = get(served, "snapshots", path=place.root)["snapshots"]
    assert [one["name"] for one in found] == [filtered]


def test_snapshots_that_come_and_go_are_seen_at_once(place, served):
    keep(place.root / "logs", "--store", place.store)
    assert get(served, "snapshots")["total"] == 3
    shutil.rmtree(place.store / place.first)
    assert get(served, "snapshots")["total"] == 2
    assert refused(served, "children", snapshot=place.first)[:2] == (404, "not_found")


def test_a_store_that_does_not_exist_is_empty(place, tmp_path):
    with Serving("--store", tmp_path / "nowhere", place.root) as server:
        answer = get(server, "snapshots")
        assert (answer["snapshots"], answer["total"], answer["unreadable"]) == ([], 0, [])
        for path in ("diff", "growth", "children?snapshot=@latest"):
            reply = server.ask(f"/api/1/{path}")
            assert (reply.status, reply.json()["error"]["message"]) == (404, "the store has no snapshots")
    assert not (tmp_path / "nowhere").exists()


def test_the_default_store_is_that_of_the_other_commands(place, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("for root, it is a directory of the system")
    env = {"XDG_DATA_HOME": os.fspath(tmp_path / "data")}
    name = keep(place.root, env=env)
    with Serving(place.root, env=env) as server:
        assert [one["name"] for one in get(server, "snapshots")["snapshots"]] == [name]


def test_snapshots_are_served_beside_a_saved_scan(place):
    with Serving("--store", place.store, "--from", "@latest") as server:
        assert get(server, "snapshots")["total"] == 2
        assert server.status()["source"] == "file"


# ---- Differences

def test_a_difference_is_that_of_the_command(place, served):
    expected = place.told("diff", "@~1", "@latest", "--top", "1000")
    assert get(served, "diff") == expected
    assert get(served, "diff", from_="@~1", to="@latest") == expected
    assert get(served, "diff", to="grown") == expected
    assert get(served, "diff", from_=place.first) == expected
    assert expected["balance"]["total"] != 0


def test_a_difference_has_the_options_of_the_command(place, served):
    data = place.root / "data"
    assert (get(served, "diff", path=data, by="owner,ext", top=1, depth=1, measure="apparent")
            == place.told("diff", "@~1", "@latest", data, "--by", "owner,ext", "--top", "1", "--depth", "1",
                          "--apparent-size"))
    assert get(served, "diff", path=f"{data}/") == get(served, "diff", path=data)


def test_a_difference_to_the_scan_is_that_of_the_command(place):
    (place.root / "data" / "table").rename(place.root / "moved")
    place.write("data/new/file.csv", 70_000)
    expected = place.told("diff", "@latest", "now", place.root)
    with Serving("--store", place.store, place.root) as server:
        served = get(server.complete(), "diff", to="now", path=place.root)
        assert refused(server, "diff", from_="nope", to="now")[:2] == (404, "not_found")
    for side in (expected["to"], served["to"]):
        assert side.pop("id") is None
        for key in ("started", "time", "host"):
            side.pop(key, None)
    assert served == expected


def test_a_difference_that_cannot_be_answered_is_refused(place, served):
    assert refused(served, "diff", from_=place.first, to="nope") == (
        404, "not_found", f"no snapshot has the tag 'nope', or an id that begins so; the latest is {place.second}")
    assert refused(served, "diff", to=place.first) == (
        404, "not_found", f"there is no snapshot of the same host, paths and selection before {place.first}")
    assert refused(served, "diff", path=place.root / "nope") == (
        404, "not_found", f"{place.root}/nope is not a directory in either snapshot")
    assert refused(served, "diff", from_="now")[:2] == (400, "bad_request")
    assert refused(served, "diff", by="size") == (
        400, "bad_request", "by must be a list of dir, owner, group and ext, separated by commas")


# ---- Growth

def test_growth_is_that_of_the_command(place, served):
    assert get(served, "growth", path=place.root) == place.told("growth", place.root)
    assert get(served, "growth") == place.told("growth", place.root)
    assert (get(served, "growth", path=place.root / "data", depth=0, measure="apparent")
            == place.told("growth", place.root / "data", "--depth", "0", "--apparent-size"))
    assert get(served, "growth", since="30d") == place.told("growth", place.root, "--since", "30d")
    assert len(get(served, "growth", since="1d")["snapshots"]) == 1


def test_growth_that_cannot_be_answered_is_refused(place, served):
    assert refused(served, "growth", path="/nowhere") == (404, "not_found", "no snapshot contains /nowhere")
    assert refused(served, "growth", path=place.root / "nope") == (
        404, "not_found", f"{place.root}/nope is not a directory in any of the snapshots")
    assert refused(served, "growth", since=32503680000)[:2] == (404, "not_found")
    assert refused(served, "growth", since="30m") == (
        400, "bad_request", "since must be an age such as 12h, 30d or 8w, or seconds since the epoch")


# ---- Directories

def below(server, path, **parameters):
    """The answers about a directory and those in it."""
    pending, found = [os.fspath(path)], []
    while pending:
        answer = get(server, "children", path=pending.pop(), limit=1000, **parameters)
        found.append(answer)
        pending.extend(f"{answer['path']}/{child['name']}" for child in answer["children"]
                       if child["kind"] == "directory" and "name_b64" not in child)
    return found


@pytest.mark.parametrize("sort", ["size", "name", "entries", "modified", "owner"])
def test_directories_of_a_snapshot_are_those_of_the_scan(place, served, sort):
    scanned = below(served, place.root, sort=sort)
    kept = below(served, place.root, sort=sort, snapshot="@latest")
    for answer in scanned:
        del answer["generation"]
        for entry in (answer["entry"], *answer["children"]):
            entry["exclusive_bytes"] = None
    for answer in kept:
        assert answer.pop("generation") == 0
        assert answer.pop("snapshot")["name"] == place.second
    assert kept == scanned


def test_directories_are_as_they_were(place, served):
    was = get(served, "children", path=place.root / "data", snapshot="@~1", sort="name")
    assert [child["name"] for child in was["children"]] == ["old", "table"]
    assert was["children"][1]["apparent_bytes"] == 100_000


def test_names_that_are_not_utf8_are_found(place, served):
    answer = get(served, "children", path=os.fspath(place.root) + os.fsdecode(b"/caf\xe9"), snapshot="@latest")
    assert [child["name"] for child in answer["children"]] == ["menu"]
    assert answer["path_b64"]


def test_a_directory_that_a_snapshot_does_not_have_is_refused(place, served):
    status, code, message = refused(served, "children", path=place.root / "nope", snapshot="@latest")
    assert (status, code) == (404, "not_found")
    assert message.startswith(f"{place.root}/nope is not in the snapshot ")
    assert refused(served, "children", snapshot="@~9")[:2] == (404, "not_found")
    assert refused(served, "children", snapshot="@latest", limit=0)[:2] == (400, "bad_request")


def test_snapshots_are_not_named_by_paths(place, served):
    for name in (place.store / place.first, f"../store/{place.first}", ".", "..", "/", ""):
        assert refused(served, "children", snapshot=name)[:2] == (404, "not_found"), name


# ---- Conditional requests, and others at the same time

@pytest.mark.parametrize("path", ["snapshots", "diff", "growth", "children?snapshot=@latest"])
def test_an_answer_has_the_same_tag_until_the_store_changes(place, served, path):
    first = served.ask(f"/api/1/{path}")
    assert served.ask(f"/api/1/{path}", f"If-None-Match: {first['ETag']}").status == 304
    place.write("data/table", 500_000)
    keep(place.root, "--store", place.store)
    later = served.ask(f"/api/1/{path}", f"If-None-Match: {first['ETag']}")
    assert later.status == 200
    assert later["ETag"] != first["ETag"]


def test_many_clients_get_the_same_answers(place, served):
    targets = ["/api/1/snapshots", "/api/1/diff", "/api/1/growth",
               *(target("children", snapshot=name, path=place.root) for name in (place.first, place.second))]
    expected = {one: served.ask(one).body for one in targets}
    wrong = []

    def ask_all():
        for _ in range(5):
            wrong.extend(one for one in targets if served.ask(one).body != expected[one])

    clients = [threading.Thread(target=ask_all) for _ in range(8)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert not wrong


def test_every_request_needs_the_token(served):
    for path in ("snapshots", "diff", "growth", "children?snapshot=@latest"):
        assert served.ask_plainly(f"/api/1/{path}").status == 401


# ---- Damage

def test_a_damaged_snapshot_is_an_error_that_names_it(place, served):
    with open(place.store / place.second / "dirs.parquet", "r+b") as file:
        file.truncate(100)
    for path in ("diff", "growth", "children?snapshot=@latest"):
        reply = served.ask(f"/api/1/{path}")
        error = reply.json()["error"]
        assert (reply.status, error["code"]) == (500, "unreadable"), path
        assert place.second in error["message"]
    assert served.ask(target("children", snapshot=place.first)).status == 200


def test_a_summary_that_cannot_be_read_is_listed_apart(place):
    (place.store / place.first / "meta.json").write_text("{")
    with Serving("--store", place.store, place.root) as server:
        listed = get(server, "snapshots")
    assert [one["name"] for one in listed["snapshots"]] == [place.second]
    assert [one["name"] for one in listed["unreadable"]] == [place.first]


def test_a_directory_that_is_not_a_store_is_an_error(place):
    with Serving("--store", place.root, place.root) as server:
        assert refused(server, "snapshots")[:2] == (500, "unreadable")


def test_the_store_is_only_read(place, served):
    def state():
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in place.store.rglob("*")}
    before = state()
    for path in ("snapshots", "diff", "growth", "children?snapshot=@latest"):
        assert served.ask(f"/api/1/{path}").status == 200
    assert state() == before
