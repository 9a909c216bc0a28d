"""`fathom scan --shard` and `fathom snapshot --parts`: a scan that several processes share."""

import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import schemas
from conftest import FATHOM, PATIENCE, can_mount, catches, environment, needs_proc, run, until
from test_snapshot import from_a_removed_directory

TABLES = ("entries.parquet", "dirs.parquet", "errors.parquet")


@pytest.fixture
def many(tmp_path):
    """A tree of some hundred entries, with hostile names and shared inodes."""
    root = tmp_path / "many"
    for folder in ("a", "a/b", "a/b/c", "a-", "huge", "new\nline", os.fsdecode(b"caf\xe9")):
        (root / folder).mkdir(parents=True, exist_ok=True)
        for i in range(120 if folder == "huge" else 8):
            (root / folder / f"{i}.log").write_bytes(b"x" * (i * 700))
    for folder in ("a-", "a/b/c", "new\nline"):
        os.link(root / "huge/7.log", root / folder / "link")
    (root / "dangling").symlink_to("nowhere")
    return root


def shard(folder, *arguments):
    return run("scan", "--shard", "--into", os.fspath(folder), *map(os.fspath, arguments))


def part(folder, *arguments, code=0):
    """What part.json says."""
    ran = shard(folder, *arguments)
    assert (ran.returncode, ran.stderr) == (code, b"")
    [line] = ran.stdout.splitlines()
    return json.loads(line)


def scan_all(folder, *arguments):
    """Scans in parts until nothing is left; the parts."""
    done = [part(folder, *arguments)]
    for each in done:
        for index, rest in enumerate(each["rest"]):
            done.append(part(folder, "--rest", f"{each['id']}/rest-{index}", *arguments))
            assert done[-1]["id"] == rest["id"]
    return done


def tables(store):
    [snapshot] = [name for name in os.listdir(store) if name not in ("fathom-store", "lock")]
    return [(store / snapshot / name).read_bytes() for name in TABLES]


def kept_parts(folder, store, *flags, code=0):
    ran = run("snapshot", "--parts", os.fspath(folder), "--store", os.fspath(store), *flags)
    assert ran.returncode == code, ran.stderr
    return ran


def kept_scan(store, *arguments):
    ran = run("snapshot", "--store", os.fspath(store), *map(os.fspath, arguments))
    assert ran.returncode == 0, ran.stderr


def test_parts_are_joined_also_in_a_directory_that_was_removed(many, tmp_path):
    scan_all(tmp_path / "scan", many)
    ran = from_a_removed_directory(tmp_path, "snapshot", "--parts", tmp_path / "scan", "--store", tmp_path / "store")
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("budget, selection", [
    (("--budget", "2", "--batches", "1000"), ()),
    (("--budget", "20", "--batches", "3"), ("--exclude", "huge/1*", "--exclude", "c", "-x")),
    (("--budget", "20", "--batches", "3"), ("--only", "/a/b", "--min-size", "1k")),
    (("--budget", "20", "--batches", "3"), ("--type", "f,l", "--ext", "log", "--ext", "gz")),
    (("--budget", "20", "--batches", "3"), ("--type", "dir")),
    (("--budget", "1ms"), ()),
    ((), ()),
])
def test_parts_are_joined_to_the_snapshot_of_one_scan(many, tmp_path, budget, selection):
    parts = scan_all(tmp_path / "scan", *budget, *selection, many)
    if not selection:
        assert sum(each["entries"] for each in parts) == sum(1 for _ in many.rglob("*")) + 1
    kept_parts(tmp_path / "scan", tmp_path / "of parts")
    kept_scan(tmp_path / "of one", *selection, many)
    assert tables(tmp_path / "of parts") == tables(tmp_path / "of one")
    assert len(parts) > 2 or budget[-1:] != ("3",)


@pytest.mark.skipif(not can_mount(), reason="cannot mount anything here")
def test_mounts_and_bind_mounts_are_counted_as_by_one_scan(many, tmp_path):
    script = """
        mkdir "$1/other" "$1/again"
        mount -t tmpfs none "$1/other"
        mkdir -p "$1/other/x/y"
        for i in 1 2 3 4 5 6 7 8 9; do echo $i >"$1/other/x/y/$i"; done
        mount --bind "$1/a" "$1/again"
        "$0" scan --shard --into "$2" --budget 5 "$1" >"$2.json" || exit
        python3 - "$0" "$1" "$2" <<'PYTHON'
import json, subprocess, sys
fathom, root, folder = sys.argv[1:]
parts = [json.load(open(folder + ".json"))]
for part in parts:
    for index, rest in enumerate(part["rest"]):
        ran = subprocess.run([fathom, "scan", "--shard", "--into", folder, "--budget", "5", "--rest",
                              f"{part['id']}/rest-{index}", root], capture_output=True, check=True)
        parts.append(json.loads(ran.stdout))
PYTHON
        "$0" snapshot --parts "$2" --store "$2-of-parts" && "$0" snapshot "$1" --store "$2-of-one"
    """
    subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM, many, tmp_path / "scan"], check=True,
                   env=environment(), stdout=subprocess.DEVNULL, timeout=PATIENCE)
    assert tables(tmp_path / "scan-of-parts") == tables(tmp_path / "scan-of-one")


@needs_proc
def test_a_shard_that_is_asked_to_hand_back_keeps_what_it_has_found(many, tmp_path):
    folder = tmp_path / "scan"
    process = subprocess.Popen([FATHOM, "scan", "--shard", "--into", folder, "--max-ops", "2", many],
                               stdout=subprocess.PIPE, env=environment())
    until(lambda: catches(process, signal.SIGURG))
    process.send_signal(signal.SIGURG)
    printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert json.loads(printed)["rest"]
    assert len(scan_all(folder, many)) > 1
    kept_parts(folder, tmp_path / "of parts")
    kept_scan(tmp_path / "of one", many)
    assert tables(tmp_path / "of parts") == tables(tmp_path / "of one")


def test_a_joined_snapshot_can_be_compared_with_one_of_a_single_process(many, tmp_path):
    scan_all(tmp_path / "scan", "--budget", "50", many)
    kept_parts(tmp_path / "scan", tmp_path / "store", "--tag", "first")
    for part_meta in (tmp_path / "scan/parts").glob("*/meta.json"):
        assert json.loads(part_meta.read_text())["host"]
    kept_scan(tmp_path / "store", "--tag", "second", many)
    ran = run("diff", "@first", "@second", "--store", os.fspath(tmp_path / "store"))
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_part_that_was_scanned_twice_is_added_once(many, tmp_path):
    first = part(tmp_path / "scan", "--budget", "10", many)
    second = part(tmp_path / "scan", "--budget", "1", "--batches", "1", many)
    assert first == second
    # It is not scanned again, which would take minutes.
    assert part(tmp_path / "scan", "--max-ops", "1", many) == first
    assert os.listdir(tmp_path / "scan/parts") == ["root"]


def test_parts_of_another_scan_are_refused(many, tmp_path):
    part(tmp_path / "scan", "--budget", "10", many)
    for arguments in ((many / "a",), ("--exclude", "*.log", many)):
        refused = shard(tmp_path / "scan", *arguments)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert refused.stderr.decode().rstrip().endswith("is part of another scan: its paths or its selection differ")


def test_a_missing_part_is_refused_or_counts_as_unreadable(many, tmp_path):
    first = part(tmp_path / "scan", "--budget", "10", "--batches", "1", many)
    missing = first["rest"][0]["id"]
    refused = kept_parts(tmp_path / "scan", tmp_path / "store", code=2)
    assert refused.stdout == b""
    assert f"the part {missing}, which continues root/rest-0, is missing" in refused.stderr.decode()
    partial = kept_parts(tmp_path / "scan", tmp_path / "store", "--partial", code=1)
    assert b"1 part is missing; their entries count as unreadable" in partial.stderr
    assert partial.stdout.startswith(b"kept ")
    assert b"at least" in partial.stdout


def test_what_cannot_be_read_is_in_the_exit_code_and_in_the_part(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "gone").mkdir()
    ran = shard(tmp_path / "scan", root, tmp_path / "missing")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["errors"] == 1


def test_an_interrupted_shard_adds_nothing(many, tmp_path):
    program = subprocess.Popen([FATHOM, "scan", "--shard", "--into", tmp_path / "scan", "--max-ops", "1", many],
                               env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (tmp_path / "scan/parts").exists():
        assert program.poll() is None
    program.send_signal(signal.SIGTERM)
    out, _ = program.communicate(timeout=PATIENCE)
    assert out == b""
    assert os.listdir(tmp_path / "scan/parts") == []


def started_by_a_shell(*arguments):
    """A shell that waits, and the process id of the command that it has started."""
    shell = subprocess.Popen(["sh", "-c", '"$0" "$@" & echo $!; read line', FATHOM, *arguments], env=environment(),
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return shell, int(shell.stdout.readline())


def end_both(parent, child):
    """Kills the parent, and waits for the end of the child."""
    parent.kill()
    parent.communicate(timeout=PATIENCE)

    def ended():
        try:
            return pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    while not ended():
        os.sched_yield()


def test_a_shard_dies_with_the_process_that_started_it(many, tmp_path):
    parent, child = started_by_a_shell("scan", "--shard", "--die-with-parent", "--into", tmp_path / "scan",
                                       "--max-ops", "1", many)
    while not (tmp_path / "scan/parts").exists():
        assert parent.poll() is None
    end_both(parent, child)


def test_a_join_dies_with_the_process_that_started_it(many, tmp_path):
    part(tmp_path / "scan", many)
    kept_parts(tmp_path / "scan", tmp_path / "store")
    with open(tmp_path / "store/lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        parent, child = started_by_a_shell("snapshot", "--parts", tmp_path / "scan", "--die-with-parent",
                                           "--store", tmp_path / "store")
        until(lambda: re.search(rf"-> FLOCK .* {child} ", pathlib.Path("/proc/locks").read_text()))
        end_both(parent, child)


def test_a_snapshot_dies_with_the_process_that_started_it(many, tmp_path):
    store = tmp_path / "store"
    parent, child = started_by_a_shell("snapshot", "--die-with-parent", "--max-ops", "10", "--store", store, many)
    until(store.exists)
    end_both(parent, child)
    assert not list(store.glob("2*"))


@pytest.mark.parametrize("arguments, sentence", [
    (("--shard", "."), "option '--shard' needs '--into FOLDER'"),
    (("--into", "x", "."), "option '--into' needs '--shard'"),
    (("--budget", "2s", "."), "option '--budget' needs '--shard'"),
    (("--shard", "--into", "x", "--stats", "."), "options '--stats' and '--shard' exclude each other"),
    (("--shard", "--into", "x", "--format", "json", "."), "options '--format' and '--shard' exclude each other"),
    (("--shard", "--into", "x", "--budget", "0"), "option '--budget' takes a time such as 2s or 250ms, "
                                                  "or a number of entries, not '0'"),
    (("--shard", "--into", "x", "--budget", "2m"), "option '--budget' takes a time such as 2s or 250ms, "
                                                   "or a number of entries, not '2m'"),
    (("--shard", "--into", "x", "--rest", "../rest-0"), "option '--rest' takes a batch of a part, such as "
                                                        "root/rest-0, not '../rest-0'"),
    (("--shard", "--into", "x", "--rest", "root/rest-0"), "no part was added: "),
    (("--shard", "--into", "x", ".", "sub"), "no part was added: a scan in shards needs roots that do not "
                                             "contain each other"),
])
def test_mistakes_are_refused_in_a_sentence(tmp_path, arguments, sentence):
    (tmp_path / "sub").mkdir()
    ran = run("scan", *arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode().startswith(f"fathom: {sentence}")


@pytest.mark.parametrize("arguments, sentence", [
    (("--partial",), "option '--partial' needs '--parts FOLDER'"),
    (("--parts", "x", "."), "option '--parts' and a PATH exclude each other"),
    (("--parts", "x", "--exclude", "*.o"), "options '--exclude' and '--parts' exclude each other"),
    (("--parts", "x", "-x"), "options '-x' and '--parts' exclude each other"),
])
def test_mistakes_about_parts_are_refused(tmp_path, arguments, sentence):
    ran = run("snapshot", "--store", "store", *arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode().startswith(f"fathom: {sentence}")


# ---- `fathom fleet status`, which reads what shards have written


def test_parts_match_their_schema(many, tmp_path):
    parts = scan_all(tmp_path / "scan", "--budget", "50", "--batches", "3", many)
    assert len(parts) > 3
    for one in parts:
        schemas.assert_described(one, "fathom.part/1")
        assert one == json.loads((tmp_path / "scan" / "parts" / one["id"] / "part.json").read_bytes())
        assert not schemas.is_valid({**one, "id": "../etc"})


def python(*words):
    """What the interpreter prints, with the package fathom_fleet."""
    package = pathlib.Path(__file__).parents[2] / "python"
    ran = subprocess.run([sys.executable, *words], check=True, stdout=subprocess.PIPE, timeout=PATIENCE,
                         env=environment({"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}))
    return json.loads(ran.stdout)


REQUEST = """
import datetime, sys
from fathom_fleet.request import Request
root, flag, each_host, began = sys.argv[1:]
began = datetime.datetime.fromisoformat(began) if began else None
print(Request((root,), (flag,), "fathom 1.0.0", each_host == "yes", began).to_json())
"""


@pytest.mark.parametrize("root, flag, fields", [
    ("/srv", "--exclude=*.o", set()),
    (os.fsdecode(b"/srv/\xff"), "--exclude=*.o", {"roots_b64"}),
    ("/srv", os.fsdecode(b"--exclude=\xff"), {"flags_b64"}),
])
def test_the_request_of_a_fleet_matches_its_schema(root, flag, fields):
    for each_host, began in ("yes", "2026-01-31T08:00:00+01:00"), ("no", ""):
        told = python("-c", REQUEST, root, flag, each_host, began)
        assert {name for name in told if name.endswith("_b64")} == fields
        assert ("began" in told) == bool(began) and told["each_host"] == (each_host == "yes")
        schemas.assert_described(told, "fathom.fleet/1")
        assert not schemas.is_valid({**told, "roots": root})


FINISHED = """
import pathlib, sys
from fathom_fleet.folder import Finished, Folder
folder = Folder(pathlib.Path(sys.argv[1]))
folder.finish(Finished(1, 7, 2, ("h1",), "kept x"))
print((folder.path / "finished.json").read_text())
"""


def test_the_end_of_a_fleet_matches_its_schema(tmp_path):
    told = python("-c", FINISHED, tmp_path)
    schemas.assert_described(told, "fathom.fleet.finished/1")
    assert not schemas.is_valid({**told, "exit_code": 2})


def fleet_status(folder):
    return python("-m", "fathom_fleet", "status", folder, "--format", "json")


@pytest.mark.parametrize("each_host", [False, True])
def test_json_of_the_status_of_a_fleet_matches_its_schema(many, tmp_path, each_host):
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    (fleet / "fleet.json").write_text(json.dumps({
        "schema": "fathom.fleet/1", "version": "fathom 1.0.0", "roots": [str(many)], "flags": [],
        "each_host": each_host}))
    if each_host:
        assert run("snapshot", many, "--store", tmp_path / "store").returncode == 0
        [snapshot] = (path for path in (tmp_path / "store").iterdir() if path.is_dir())
        snapshot.rename(fleet / "host=here")
    else:
        part(fleet / "parts", many, "--budget", "100", "--batches", "2")
    told = [fleet_status(fleet)]
    (fleet / "finished.json").write_text(json.dumps({
        "schema": "fathom.fleet.finished/1", "exit_code": 1, "entries": 1, "parts": 1, "given_up": ["there"],
        "snapshot": ""}))
    told.append(fleet_status(fleet))
    with open(fleet / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told.append(fleet_status(fleet))
    assert [one["state"] for one in told] == ["interrupted", "finished", "running"]
    for one in told:
        schemas.assert_described(one, "fathom.fleet.status/1")
        assert not schemas.is_valid({**one, "state": "unknown"})
