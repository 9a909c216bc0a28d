"""fathom serve as a whole: its output, its end, and its responses."""

import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, command_on_terminal, environment, run, until
from serving import ADDRESS, Serving, listening, serve, serving_under_strace, why_no_loopback

COMPLETE = 0
INCOMPLETE = 1
WRONG_USAGE = 2
INTERRUPTED = 130


@pytest.fixture
def served(tree):
    with Serving(tree) as server:
        yield server.complete()


def children(server, path=None, **parameters):
    """The names in a directory, by size."""
    query = "&".join([*([f"path={encoded(path)}"] if path is not None else []),
                      *(f"{name}={value}" for name, value in parameters.items())])
    return [child["name"] for child in server.ask(f"/api/1/children?{query}").json()["children"]]


def encoded(path):
    return "".join(f"%{byte:02X}" for byte in os.fsencode(path))


# ---- Its output, and its end


def test_standard_output_has_only_the_address(tree):
    with Serving(tree) as server:
        assert server.stop() == COMPLETE
        assert ADDRESS.fullmatch(server.printed.decode())
        said = server.said().decode()
    assert said.splitlines()[-1] == "fathom: open that address in a browser; press Ctrl-C to stop"
    assert server.token not in said


def test_the_token_differs_each_time(tree):
    tokens = set()
    for _ in range(4):
        with Serving(tree) as server:
            tokens.add(server.token)
    assert len(tokens) == 4


def test_the_token_is_not_in_the_process_list(tree):
    with Serving(tree) as server:
        for name in ("cmdline", "environ", "comm"):
            with open(f"/proc/{server.process.pid}/{name}", "rb") as file:
                assert server.token.encode() not in file.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(tree, number):
    with Serving(tree) as server:
        assert server.stop(number) == COMPLETE


def test_a_signal_ends_it_during_a_scan_with_listeners(tree):
    with Serving("--max-ops", "5", tree) as server:
        events = server.events()
        idle = server.connect()
        assert events.event()["state"] == "scanning"
        assert server.stop() == COMPLETE
        while events.event():
            pass
        assert idle.rest() == b""


def test_listeners_that_stay_connected_do_not_keep_it_running(tree):
    with Serving(tree) as server:
        connections = [server.events() for _ in range(5)]
        server.stop()
        assert server.process.returncode == COMPLETE
        del connections


# A client that stays connected delays the end by a second at most. If this machine stalls that long
# between the two signals, the server ends by itself, so the test has several attempts.
def test_a_second_signal_ends_it_immediately(tree):
    codes = []
    while INTERRUPTED not in codes and len(codes) < 10:
        with Serving(tree) as server, server.events() as events:
            server.process.send_signal(signal.SIGINT)
            while events.event():
                pass
            server.process.send_signal(signal.SIGTERM)
            codes.append(server.wait())
    assert codes[-1] == INTERRUPTED and set(codes) <= {COMPLETE, INTERRUPTED}


def test_it_opens_no_browser_with_no_open(tree, tmp_path):
    opened, env = fake_desktop(tmp_path)
    with Serving(tree, env=env) as server:
        assert server.stop() == COMPLETE
    assert not opened.exists()


def test_the_browser_gets_a_file_that_only_the_owner_can_read(tree, tmp_path):
    opened, env = fake_desktop(tmp_path)
    process = subprocess.Popen([FATHOM, "serve", tree], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(env))
    try:
        address = process.stdout.readline().decode().strip()
        token = address.rpartition("=")[2]
        if b"without Node" in process.stderr.readline():
            pytest.skip("this program was built without the page")
        argument = until(lambda: opened.exists() and opened.read_text(encoding="utf-8"))
        assert token not in argument, "every user can read what a command line says"
        page = pathlib.Path(argument)
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        assert page.parent.parent == tmp_path / "runtime"
        text = page.read_text(encoding="utf-8")
        assert f'content="0; url={address}"' in text and "no-referrer" in text
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert process.returncode == COMPLETE
    assert os.listdir(tmp_path / "runtime") == []


def test_a_missing_browser_does_no_harm(tree, tmp_path):
    env = fake_desktop(tmp_path)[1] | {"PATH": os.fspath(tmp_path)}
    process = subprocess.Popen([shutil.which(FATHOM), "serve", tree], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(env))
    assert ADDRESS.fullmatch(process.stdout.readline().decode())
    said = process.stderr.readline()
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == COMPLETE
    assert b"open that address" in said or b"without Node" in said
    assert os.listdir(tmp_path / "runtime") == []


def fake_desktop(folder):
    """A file that will contain the argument of `xdg-open`, and an environment with such a command."""
    opened = folder / "opened"
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    programs = folder / "programs"
    programs.mkdir()
    program = programs / "xdg-open"
    program.write_text(f"#!/bin/sh\nprintf %s \"$1\" >'{opened}.part'\nmv '{opened}.part' '{opened}'\n",
                       encoding="utf-8")
    program.chmod(0o755)
    return opened, {"DISPLAY": ":99", "PATH": f"{programs}:{os.environ['PATH']}",
                    "XDG_RUNTIME_DIR": os.fspath(runtime)}


def test_without_a_path_it_serves_the_current_directory(small):
    with Serving(cwd=small) as server:
        assert server.complete().status()["roots"] == [{"path": os.fspath(small)}]
        assert children(server) == ["file"]


@pytest.mark.parametrize("said", [".", "./", "./sub", "sub/", "sub//", "/whole/"])
def test_paths_are_absolute(said, tmp_path):
    (tmp_path / "sub").mkdir()
    asked = said.replace("/whole", os.fspath(tmp_path))
    with Serving(asked, cwd=tmp_path) as server:
        wanted = tmp_path / "sub" if "sub" in said else tmp_path
        assert server.complete().status()["roots"] == [{"path": os.fspath(wanted)}]


def test_a_trailing_slash_follows_a_link(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub")
    with Serving("link/", cwd=tmp_path) as server:
        assert server.complete().status()["totals"]["dirs"] == 1
    with Serving("link", cwd=tmp_path) as server:
        assert server.complete().status()["totals"]["symlinks"] == 1


def test_help_starts_no_server():
    assert run("serve", "--help").returncode == COMPLETE
    assert b"Usage" in run("serve", "-h").stdout


# ---- Wrong usage


@pytest.mark.parametrize("arguments", [
    ["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--port", ""], ["--bind", "localhost"],
    ["--bind", "a.example"], ["--bind", ""], ["--bind", "127.0.0.1:80"], ["--bind", "[::1]"],
    ["--bind", "256.1.1.1"], ["--unix", ""], ["--unix", "s", "--port", "1"], ["--from", ""],
    ["--unix", "s", "--bind", "127.0.0.1"], ["--from", "f", "."], ["--from", "f", "--max-ops", "1"],
    ["--max-ops", "0"], ["--nonsense"], ["--from", "f", "-x"]], ids=" ".join)
def test_wrong_usage_is_refused(arguments, tmp_path):
    code, printed, said = serve(*arguments, cwd=tmp_path)
    assert (code, printed) == (WRONG_USAGE, b"")
    assert said.startswith((b"fathom: ", b"fathom serve: "))
    assert os.listdir(tmp_path) == []


def test_unavailable_resources_are_refused(small, tmp_path):
    missing = tmp_path / "missing"
    code, printed, said = serve(missing)
    assert (code, printed) == (WRONG_USAGE, b"")
    assert os.fsencode(missing) in said and b"No such file" in said
    assert serve("--from", missing)[0] == WRONG_USAGE
    assert serve("--from", small / "file")[0] == WRONG_USAGE
    assert serve("--unix", missing / "socket", small)[0] == WRONG_USAGE
    assert serve("--unix", tmp_path / ("x" * 120), small)[0] == WRONG_USAGE
    if not why_no_loopback():  # without devices, the kernel binds to any address
        assert serve("--bind", "192.0.2.1", small)[0] == WRONG_USAGE  # assigned to nobody: RFC 5737


def test_a_port_in_use_is_refused(small):
    with Serving(small) as server:
        code, printed, said = serve("--port", str(server.port), small)
        assert (code, printed) == (WRONG_USAGE, b"")
        assert str(server.port).encode() in said and b"in use" in said
        assert server.status()["schema"] == "fathom.serve/1"


def test_the_requested_port_is_used(small):
    with socket.socket() as reserving:  # the kernel gives its port to nobody who asks for any port
        reserving.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserving.bind(("127.0.0.1", 0))
        port = reserving.getsockname()[1]
        for _ in range(2):  # also right after another server has had it
            with Serving("--port", str(port), small) as server:
                assert server.port == port
                assert server.stop() == COMPLETE


def test_one_of_several_paths_can_be_missing(small, tmp_path):
    with Serving(tmp_path / "missing", small) as server:
        status = server.complete().status()
        assert status["accuracy"] == {"complete": False, "unreadable": 1, "changed": 0}
        assert children(server, small) == ["file"]


# ---- Who can connect


def test_nobody_outside_this_machine_can_connect(small):
    with Serving(small) as server:
        assert listening(server.port) == ["0100007F"]


def test_all_addresses_can_be_requested_with_a_warning(small):
    with Serving("--bind", "0.0.0.0", small) as server:
        assert listening(server.port) == ["00000000"]
        assert server.host == f"{socket.gethostname()}:{server.port}"
        until(lambda: b"other machines can connect" in server.said())
        assert server.ask("/api/1/status", host=f"192.0.2.7:{server.port}").status == 200
        assert server.ask("/api/1/status", host=f"evil.example:{server.port}").status == 421
        assert server.ask_plainly("/api/1/status").status == 401


def test_ipv6_loopback(small):
    try:
        socket.socket(socket.AF_INET6, socket.SOCK_STREAM).bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"IPv6 is not available: {error}")
    with Serving("--bind", "::1", small) as server:
        assert server.host == f"[::1]:{server.port}"
        with server.connect("::1") as connection:
            connection.send(server.request("/api/1/status", server.bearer))
            assert connection.reply().status == 200
        assert server.stop() == COMPLETE
        assert b"other machines can connect" not in server.said()


# ---- A Unix domain socket


def test_a_socket_is_private_and_removed_afterwards(small, tmp_path):
    path = tmp_path / "socket"
    with Serving("--unix", path, small) as server:
        found = path.lstat()
        assert stat.S_ISSOCK(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o600
        assert server.host == "localhost"
        assert server.status()["roots"] == [{"path": str(small)}]
        assert server.ask_plainly("/api/1/status").status == 401
        assert server.ask("/api/1/status", host="evil.example").status == 421
        assert server.stop() == COMPLETE
        assert not path.exists()


def test_a_socket_is_private_from_the_start(small, tmp_path):
    path = tmp_path / "socket"
    traced = "umask,bind,chmod,fchmod,fchmodat,listen"
    with serving_under_strace(traced, "--unix", path, small, log=tmp_path / "log"):
        pass
    calls = [line.split(maxsplit=1)[1] for line in
             (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    bound = next(i for i, call in enumerate(calls) if call.startswith("bind(") and "AF_UNIX" in call)
    assert calls[bound - 1].startswith("umask(0177)")
    assert calls[bound + 1].startswith("umask(")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_the_mode_of_a_socket_does_not_depend_on_the_umask(small, tmp_path, umask):
    path = tmp_path / "socket"
    with Serving("--unix", path, small, umask=umask):
        assert stat.S_IMODE(path.lstat().st_mode) == 0o600


def test_a_stale_socket_is_replaced(small, tmp_path):
    path = tmp_path / "socket"
    with Serving("--unix", path, small) as server:
        server.process.kill()
        server.wait()
    assert stat.S_ISSOCK(path.lstat().st_mode)
    with Serving("--unix", path, small) as server:
        assert server.status()["roots"]


def test_a_socket_in_use_is_not_touched(small, tmp_path):
    path = tmp_path / "socket"
    with Serving("--unix", path, small) as server:
        assert serve("--unix", path, small)[0] == WRONG_USAGE
        assert server.status()["roots"]


@pytest.mark.parametrize("make", [
    lambda path: path.write_text("content", encoding="utf-8"), lambda path: path.mkdir(),
    lambda path: path.symlink_to("elsewhere"), os.mkfifo], ids=["file", "folder", "link", "pipe"])
def test_any_other_file_is_not_touched(small, tmp_path, make):
    path = tmp_path / "there"
    make(path)
    before = path.lstat()
    assert serve("--unix", path, small)[0] == WRONG_USAGE
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode,
                                                             before.st_size)
    assert not (tmp_path / "elsewhere").exists()


# ---- Its responses


def test_it_counts_like_scan(served, tree):
    counted = json.loads(run("scan", "--format", "json", tree).stdout)
    status = served.status()
    assert status["totals"]["disk_bytes"] == counted["totals"]["disk_bytes"]
    assert status["totals"]["entries"] == counted["totals"]["entries"]
    entry = served.ask("/api/1/children").json()["entry"]
    assert entry["disk_bytes"] == counted["totals"]["disk_bytes"]
    assert entry["apparent_bytes"] == counted["totals"]["apparent_bytes"]


def test_every_directory_can_be_reached(served, tree):
    seen = set()
    todo = [os.fsencode(tree)]
    while todo:
        path = todo.pop()
        answer = served.ask(f"/api/1/children?path={encoded(path)}&limit=1000").json()
        assert answer["total"] == len(answer["children"])
        for child in answer["children"]:
            below = path + b"/" + child["name"].encode()
            seen.add(below)
            if child["kind"] == "directory":
                todo.append(below)
    found = {os.path.join(folder, name) for folder, folders, files in os.walk(os.fsencode(tree))
             for name in folders + files}
    assert seen == found


def test_excluded_entries_are_not_served(tree):
    with Serving("--exclude", "folder *", "--type", "f,d", tree) as server:
        assert set(children(server.complete())) == {"empty", "hole", "large"}


def test_only_what_matches_a_rule_is_served(tree):
    with Serving("--only", "large", "--only", "folder 1", tree) as server:
        assert server.complete().status()["totals"]["entries"] == 1 + 1 + 2 + 11 + 1


def test_saved_scans_are_served_without_being_scanned_again(tree, tmp_path):
    export = tmp_path / "export"
    with open(export, "wb") as file:
        assert run("scan", "--format", "ncdu", tree, stdout=file).returncode == COMPLETE
    with Serving(tree) as server:
        direct = set(children(server.complete()))
    os.rename(tree, tree.with_name("moved"))
    with Serving("--from", export) as server:
        status = server.complete().status()
        assert status["source"] == "file" and status["state"] == "complete"
        assert status["roots"] == [{"path": str(tree)}]
        assert not status["can_rescan"] and not status["can_find_duplicates"]
        assert set(children(server)) == direct
        for question in ("rescan", "duplicates", "clean"):
            refused = server.ask(f"/api/1/{question}", method="POST")
            assert (refused.status, refused.error()) == (409, "conflict")
        assert server.stop() == COMPLETE


def test_saved_scans_can_come_from_standard_input(tree):
    export = run("scan", "--format", "ncdu", tree).stdout
    process = subprocess.Popen([FATHOM, "serve", "--no-open", "--from", "-"], env=environment(),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdin.write(export)
    process.stdin.close()
    assert ADDRESS.fullmatch(process.stdout.readline().decode())
    process.terminate()
    assert process.wait(timeout=PATIENCE) == COMPLETE
    process.stdout.close()


def test_a_rescan_finds_changes(served, tree):
    before = served.ask("/api/1/children").json()
    (tree / "new").write_bytes(b"x" * 900_000)
    assert served.ask("/api/1/children").json() == before
    asked = served.ask("/api/1/rescan", method="POST")
    assert asked.status == 202 and asked.json()["state"] == "scanning"
    after = served.complete().ask("/api/1/children").json()
    assert after["generation"] > before["generation"]
    assert after["children"][0]["name"] == "new"


def test_events_report_a_rescan(served):
    with served.events() as events:
        first = events.event()
        assert first["state"] == "complete"
        assert served.ask("/api/1/rescan", method="POST").status == 202
        event, generations = first, [first["generation"]]
        while generations[-1] == first["generation"] or event["state"] == "scanning":
            event = events.event()
            generations.append(event["generation"])
        assert generations == sorted(generations)
        assert event == served.status()


def test_duplicates_are_found_on_request(served, tree):
    copies = [tree / "copy 1", tree / "copy 2"]
    for copy in copies:
        copy.write_bytes(b"a copy" * 50_000)
    assert served.ask("/api/1/rescan", method="POST").status == 202
    served.complete()
    assert served.ask("/api/1/duplicates").json()["state"] == "none"
    assert served.ask("/api/1/duplicates", method="POST").status == 202

    def found():
        answer = served.ask("/api/1/duplicates").json()
        return answer if answer["state"] != "running" else None

    answer = until(found)
    assert answer["state"] == "complete"
    assert {"/".join(file["path"].split("/")[-1:]) for file in answer["groups"][0]["files"]} == {
        "copy 1", "copy 2"}
    assert served.ask("/api/1/rescan", method="POST").status == 202
    assert served.complete().ask("/api/1/duplicates").json()["state"] == "none"


def test_what_can_be_cleaned_up_is_found_on_request(served, tree):
    project = tree / "project"
    (project / "target").mkdir(parents=True)
    (project / "Cargo.toml").write_text("[package]\n")
    (project / "target" / ".rustc_info.json").write_text("{}")
    assert served.ask("/api/1/rescan", method="POST").status == 202
    served.complete()
    assert served.ask("/api/1/clean").json()["state"] == "none"
    assert served.ask("/api/1/clean", method="POST").status == 202

    def found():
        answer = served.ask("/api/1/clean").json()
        return answer if answer["state"] != "running" else None

    answer = until(found)
    assert answer["state"] == "done"
    assert [(row["path"], row["rule"]) for row in answer["rows"]] == [(str(project / "target"), "cargo-target")]
    elsewhere = served.ask(f"/api/1/clean?path={encoded(project / 'Cargo.toml')}").json()
    assert elsewhere["rows"] == []
    assert served.ask("/api/1/rescan", method="POST").status == 202
    assert served.complete().ask("/api/1/clean").json()["state"] == "none"


def test_reports_are_those_of_scan(served, tree):
    for kind in ("summary", "largest_files", "largest_dirs", "recent", "extensions", "empty_dirs",
                 "symlinks", "errors", "metrics", "stats", "owners", "ages", "histogram"):
        report = served.ask(f"/api/1/reports/{kind}").json()
        assert report["key"] == kind
        keys = {column["key"] for column in report["columns"]}
        for row in report["rows"]:
            assert keys <= set(row) | {key + "_b64" for key in row} or set(row) <= keys
    links = served.ask("/api/1/reports/symlinks").json()["rows"]
    assert any("nowhere" in json.dumps(row) for row in links)
    assert str(tree) in json.dumps(links)


def test_a_running_scan_can_be_watched(tmp_path):
    for number in range(250):
        (tmp_path / f"{number:03}" / "below").mkdir(parents=True)
    with Serving("--max-ops", "400", tmp_path) as server, server.events() as events:
        seen = []
        while not seen or seen[-1]["state"] == "scanning":
            seen.append(events.event())
    generations = [event["generation"] for event in seen]
    entries = [event["totals"]["entries"] for event in seen]
    assert generations == sorted(generations) and entries == sorted(entries)
    assert len(set(generations) - {0}) >= 2
    assert entries[-1] == 501 and seen[-1]["state"] == "complete"
    for event in seen[:-1]:
        assert event["progress"]["entries"] >= 0
        assert not event["accuracy"]["complete"]


def test_unchanged_responses_are_not_sent_again(served):
    for target in ("/", "/api/1/status", "/api/1/children", "/api/1/reports/extensions"):
        first = served.ask(target)
        if first.status == 503:
            continue  # built without the page
        again = served.ask(target, f"If-None-Match: {first['ETag']}")
        assert (again.status, again.body) == (304, b"")
        assert again["ETag"] == first["ETag"]
        assert not again.all("Content-Length")
        assert served.ask(target, 'If-None-Match: "another"').body == first.body


def test_long_responses_are_compressed_if_the_client_accepts_it(served):
    for target in ("/", "/api/1/children"):
        plain = served.ask(target)
        if plain.status == 503:
            continue  # built without the page
        packed = served.ask(target, "Accept-Encoding: br;q=1.0, gzip;q=0.8, *;q=0.1")
        assert packed["Content-Encoding"] == "gzip" and packed["Vary"] == "Accept-Encoding"
        assert gzip.decompress(packed.body) == plain.body
        assert packed["ETag"] != plain["ETag"]
        assert not served.ask(target, "Accept-Encoding: gzip;q=0, identity").all("Content-Encoding")


def test_head_is_get_without_the_body(served):
    for target in ("/", "/api/1/status", "/api/1/children", "/api/1/nothing"):
        with served.connect() as connection:
            connection.send(served.request(target, served.bearer, method="HEAD"))
            connection.send(served.request(target, served.bearer))
            head, get = connection.reply("HEAD"), connection.reply()
        assert head.status == get.status
        assert [pair for pair in head.headers if pair[0] != "Date"] == [
            pair for pair in get.headers if pair[0] != "Date"]


def test_the_page_and_all_its_files_are_served(served):
    page = served.ask(f"/?token={served.token}")
    if page.status == 503:
        assert b"without its page" in page.body
        pytest.skip("this program was built without the page")
    assert page["Content-Type"] == "text/html; charset=utf-8"
    text = page.body.decode()
    named = re.findall(r'(?:src|href)="([^"#][^"]*)"', text)
    assert named
    for name in named:
        assert "://" not in name
        assert served.ask_plainly("/" + name.removeprefix("/"), served.cookie).status == 200
    assert "<style" not in text and "<script>" not in text and " on" + "click" not in text


def test_a_trace_is_written(small, tmp_path):
    trace = tmp_path / "trace.json"
    with Serving("--trace", trace, small) as server:
        server.complete()
        assert server.stop() == COMPLETE
    assert json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]


def test_a_write_error_is_reported(small):
    with open("/dev/full", "wb") as full:
        ran = run("serve", "--no-open", small, stdout=full)
    assert ran.returncode == INCOMPLETE and b"cannot write to standard output" in ran.stderr
    with Serving("--trace", "/dev/full", small) as server:
        server.complete()
        assert server.stop() == INCOMPLETE
        assert b"cannot write to /dev/full" in server.said()


def test_it_opens_none_of_the_files_that_it_shows(tree, tmp_path):
    log = tmp_path / "log"
    with serving_under_strace("open,openat,openat2,readlink,readlinkat", tree, log=log) as found:
        host, token = found
        with socket.create_connection(("127.0.0.1", int(host.split(":")[1]))) as client:
            client.settimeout(PATIENCE)
            for target in ("/api/1/children", "/api/1/search?q=large"):
                client.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n"
                               f"Authorization: Bearer {token}\r\n\r\n".encode())
                assert client.recv(65536)
    opened = [call for call in log.read_text(encoding="utf-8").splitlines() if '"large"' in call or
              '"file-' in call]
    assert [call for call in opened if "readlink" not in call] == []


def test_it_prints_the_address_on_a_terminal_too(tmp_path):
    code, shown = command_on_terminal("serve", "--no-open", tmp_path / "missing")
    assert code == WRONG_USAGE and "No such file" in shown


def test_a_file_that_replaced_the_socket_is_not_removed(small, tmp_path):
    path = tmp_path / "socket"
    with Serving("--unix", path, small) as server:
        path.unlink()
        path.write_text("somebody else's")
        server.stop()
    assert path.read_text() == "somebody else's"
