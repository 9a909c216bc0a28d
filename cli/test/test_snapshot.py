"""`fathom snapshot`, `fathom log` and `fathom store`, and snapshots that other commands read."""

import csv
import errno
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import time

import pytest

import schemas
from conftest import (
    FATHOM,
    PATIENCE,
    as_nobody,
    can_mount,
    command_on_terminal,
    environment,
    let_nobody_through,
    run,
    scan,
    sentence_of,
    stalled_pipe,
    until,
)


@pytest.fixture
def srv(tmp_path):
    """A tree of 5 entries."""
    root = tmp_path / "srv"
    (root / "logs").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"x" * 5000)
    (root / "logs" / "b.log").write_bytes(b"y" * 70_000)
    (root / "logs" / os.fsdecode(b"caf\xe9")).write_bytes(b"z")
    return root


@pytest.fixture
def place(tmp_path):
    return tmp_path / "store"


def call(command, *arguments, **options):
    return run(command, *map(os.fspath, arguments), **options)


def keep(*arguments, code=0, **options):
    """Keeps a snapshot; the name of its directory."""
    ran = call("snapshot", *arguments, **options)
    assert ran.returncode == code, ran.stderr
    return re.match(rb"kept (\S+): ", ran.stdout)[1].decode()


def log(*arguments):
    ran = call("log", "--format", "json", *arguments)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return json.loads(ran.stdout)


def refusal(command, *arguments, **options):
    return sentence_of(call(command, *arguments, **options))


def du(path):
    out = subprocess.run(["du", "-s", "--block-size=1", path], check=True, stdout=subprocess.PIPE,
                         timeout=PATIENCE).stdout
    return int(out.split()[0])


def names_in(folder):
    return sorted(name for name in os.listdir(folder) if name not in ("fathom-store", "lock"))


def age(place, name, days):
    """Makes a snapshot older, as only a test may: its time is in its name and in meta.json."""
    meta = json.loads((place / name / "meta.json").read_bytes())
    for key in ("started_ns", "ended_ns"):
        meta[key] -= days * 86_400_000_000_000
    (place / name / "meta.json").write_text(json.dumps(meta))
    when = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(meta["ended_ns"] // 1_000_000_000))
    older = when + name[name.index("-"):]
    (place / name).rename(place / older)
    return older


# ---- Keeping

def test_a_snapshot_says_what_it_kept(srv, place):
    ran = call("snapshot", srv, "--store", place)
    assert (ran.returncode, ran.stderr) == (0, b"")
    [line] = ran.stdout.decode().splitlines()
    kept = re.fullmatch(r"kept (\d{8}T\d{6}Z-[0-9a-f]{8}): 5 entries of .*iB, stored in .*iB", line)
    assert kept, line
    assert names_in(place) == [kept[1]]
    assert sorted(os.listdir(place / kept[1])) == ["dirs.parquet", "entries.parquet", "errors.parquet", "meta.json"]


def test_its_metadata_say_where_and_how_it_was_made(srv, place):
    name = keep(srv, "--store", place, "--exclude", "*.log", "-x", "--tag", "before-upgrade")
    meta = json.loads((place / name / "meta.json").read_bytes())
    assert meta["schema"] == "fathom.snapshot/1"
    assert meta["tag"] == "before-upgrade"
    assert meta["host"] == socket.gethostname()
    assert meta["roots"] == [os.fspath(srv)]
    assert meta["selection"] == ["--exclude=*.log", "--one-file-system"]
    assert meta["totals"]["entries"] == 4
    assert meta["imported"] is False
    assert 0 <= meta["ended_ns"] - meta["started_ns"] < PATIENCE * 1_000_000_000
    assert name.endswith("-" + meta["id"][:8])
    [filesystem] = meta["filesystems"]
    assert filesystem["roots"] == [0]
    size = os.statvfs(srv)
    assert filesystem["size"] == size.f_blocks * size.f_frsize
    assert {"id": os.geteuid()}.items() <= meta["users"][0].items()


def test_its_metadata_match_their_schema(srv, place, tmp_path):
    odd, rules, export = tmp_path / os.fsdecode(b"\xff"), tmp_path / "rules", tmp_path / "export.json"
    odd.mkdir()
    rules.write_text("*.o\n")
    assert scan("--format", "ncdu", "-o", os.fspath(export), os.fspath(srv)).returncode == 0
    names = [keep(srv, odd, "--exclude", os.fsdecode(b"*\xff"), "--exclude-from", rules, "--store", place),
             keep("--from", export, "--store", place)]
    scanned, imported = [json.loads((place / name / "meta.json").read_bytes()) for name in names]
    assert {"roots_b64", "selection_b64", "rules"} < scanned.keys() and imported["imported"]
    for meta in scanned, imported:
        schemas.assert_described(meta, "fathom.snapshot/1")
        assert not schemas.is_valid({**meta, "id": "latest"})


def test_its_metadata_say_how_full_a_filesystem_below_a_root_is(srv, place):
    if not can_mount():
        pytest.skip("mounting is not possible here")
    data = srv / "data"
    data.mkdir()
    script = f"""
        mount -t tmpfs -o size=16m tmpfs {data} || exit 77
        test "$(stat -c %W {data})" -gt 0 || exit 77  # without a time of creation, it has no identity
        "$0" snapshot {srv} --store {place} && "$0" snapshot {srv} --store {place} -x"""
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM], env=environment(),
                         capture_output=True, timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip("this system does not tell when the root of a tmpfs was created")
    assert ran.returncode == 0, ran.stderr
    names = re.findall(r"kept (\S+): ", ran.stdout.decode())
    whole, one = [json.loads((place / name / "meta.json").read_bytes()) for name in names]
    schemas.assert_described(whole, "fathom.snapshot/1")
    [filesystem] = whole["other_filesystems"]
    assert filesystem["fs_uuid"]
    assert (filesystem["mount_point"], filesystem["type"]) == (os.fspath(data), "tmpfs")
    assert (filesystem["roots"], filesystem["size"]) == ([], 16 << 20)
    assert whole["filesystems"] and "other_filesystems" not in one
    # Without it, a comparison says so.
    sides = [place / names[0], place / keep(srv, "--store", place)]
    notes = json.loads(call("diff", "--format", "json", *sides).stdout)["notes"]
    assert f"another filesystem is at {data} now" in notes


def test_a_relative_path_is_kept_as_an_absolute_one(srv, place):
    keep("--store", place, cwd=srv)
    keep("--store", place, "../srv/logs", cwd=srv)
    roots = [one["roots"] for one in log("--store", place)["snapshots"]]
    assert roots == [[{"path": f"{srv}/logs"}], [{"path": os.fspath(srv)}]]


def from_a_removed_directory(tmp_path, *arguments):
    enter = f"mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir ../gone; exec "
    return subprocess.run(["sh", "-c", f'{enter} "$@"', "sh", FATHOM, *arguments],
                          capture_output=True, env=environment(), check=False)


def test_a_relative_path_in_a_removed_directory_is_not_kept(place, tmp_path):
    assert sentence_of(from_a_removed_directory(tmp_path, "snapshot", "--store", place, ".")) == (
        "cannot scan .: the current directory was removed; use an absolute path")
    assert not place.exists()


def test_a_link_that_leads_nowhere_is_kept_beside_what_it_should_lead_to(tmp_path, place):
    os.symlink("nowhere", tmp_path / "link")
    ran = call("snapshot", "--store", place, "link", "link/", cwd=tmp_path)
    assert ran.returncode == 1 and ran.stdout.startswith(b"kept "), ran.stderr


def test_the_order_and_repetition_of_paths_do_not_matter(srv, place):
    logs = srv / "logs"
    for paths in ([srv, logs], [logs, srv], [logs, f"{srv}/", srv, f"{srv}/../srv"]):
        keep(*paths, "--store", place)
    newest, *_, oldest = found = log("--store", place)["snapshots"]
    assert newest["roots"] == [{"path": os.fspath(srv)}, {"path": os.fspath(logs)}]
    assert [one["change"] and one["change"]["since"] for one in found] == [found[1]["id"], oldest["id"], None]
    assert {one["totals"]["entries"] for one in found} == {5}
    for before in ("@~1", "@~2"):
        ran = call("diff", before, "@latest", "--store", place)
        assert (ran.returncode, ran.stdout.decode().splitlines()[-1]) == (0, "No sizes changed.")


def test_a_change_is_that_of_the_same_selection(srv, place):
    for options in ((), ("--min-size", "1G"), ()):
        keep(srv, "--store", place, *options)
    newest, other, oldest = log("--store", place)["snapshots"]
    assert newest["selection"] == oldest["selection"] == [] and other["selection"]
    assert (newest["change"]["since"], newest["change"]["entries"]) == (oldest["id"], 0)
    assert other["change"] is None


def test_a_store_is_private(srv, place):
    name = keep(srv, "--store", place)
    for path, mode in {place: 0o700, place / name: 0o700, place / name / "entries.parquet": 0o600}.items():
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_default_store_is_in_the_users_data(srv, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("the default of root is a place of the system")
    keep(srv, env={"HOME": os.fspath(tmp_path)})
    keep(srv, env={"XDG_DATA_HOME": os.fspath(tmp_path / "data")})
    assert (tmp_path / ".local/share/fathom/snapshots/fathom-store").exists()
    assert (tmp_path / "data/fathom/snapshots/fathom-store").exists()


def test_the_default_store_of_root_does_not_depend_on_variables(srv, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root has a place of the system")
    ran = call("snapshot", srv, "--dry-run", env={"HOME": os.fspath(tmp_path), "XDG_DATA_HOME": os.fspath(tmp_path)})
    assert ran.stdout.decode() == f"would keep a snapshot of {srv} in /var/lib/fathom/snapshots\n"


def test_an_incomplete_snapshot_is_kept_and_says_so(srv, place, tmp_path):
    (srv / "secret").mkdir(mode=0)
    let_nobody_through(srv)
    tmp_path.chmod(0o777)
    ran = call("snapshot", srv, "--store", place, **as_nobody())
    (srv / "secret").chmod(0o755)
    assert ran.returncode == 1
    assert re.match(rb"kept \S+: at least 6 entries", ran.stdout)
    assert b"secret: Permission denied" in ran.stderr


def test_errors_have_absolute_paths(srv, place, tmp_path):
    call("snapshot", "srv", "./none", "--store", place, cwd=tmp_path)
    ran = call("scan", "--from", "@latest", "--store", place, "--errors", "--format", "json")
    assert [row["path"] for row in json.loads(ran.stdout)["reports"]["errors"]] == [f"{tmp_path}/none"]


def test_a_snapshot_is_not_kept_again_as_an_import(srv, place):
    name = keep(srv, "--store", place)
    for options in [], ["--dry-run"]:
        assert refusal("snapshot", "--from", place / name, "--store", place, *options) == (
            f"'{place}/{name}' is a snapshot already")
    assert "is not a snapshot" in refusal("snapshot", "--from", srv, "--store", place)
    assert names_in(place) == [name]


def test_an_export_can_be_kept(srv, place, tmp_path):
    export = tmp_path / "export.json"
    assert scan("--format", "ncdu", "-o", os.fspath(export), os.fspath(srv)).returncode == 0
    keep("--from", export, "--store", place)
    [one] = log("--store", place)["snapshots"]
    assert one["imported"] is True
    assert one["totals"]["entries"] == 5
    assert abs(one["ended"] - export.stat().st_mtime) < PATIENCE
    refused = call("snapshot", "--from", export, "--store", place)
    assert refused.returncode == 1
    assert b"has this snapshot already: " in refused.stderr
    assert len(names_in(place)) == 1


def test_an_interrupted_export_is_not_kept(srv, place, tmp_path):
    export = tmp_path / "export.json"
    assert scan("--format", "ncdu", "-o", os.fspath(export), os.fspath(srv)).returncode == 0
    export.write_bytes(export.read_bytes().replace(b"{", b'{"interrupted":true,', 1))
    assert refusal("snapshot", "--from", export, "--store", place) == (
        "the exported scan was interrupted; nothing was kept")
    assert names_in(place) == []


def test_an_interrupted_scan_is_not_kept(place, tmp_path):
    for number in range(3000):
        (tmp_path / "many" / str(number)).mkdir(parents=True)
    process = subprocess.Popen([FATHOM, "snapshot", "--store", place, "--max-ops", "50", "--progress", "always",
                                tmp_path / "many"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stderr.readline()  # the scan has begun
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert b"interrupted; nothing was kept" in error
    assert names_in(place) == []


def forbid_long_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_snapshot_that_cannot_be_written_is_a_failure(srv, place):
    keep(srv, "--store", place)
    names = names_in(place)
    assert refusal("snapshot", srv, "--store", place, preexec_fn=forbid_long_files) == (
        f"nothing was kept in {place}: cannot write entries.parquet: File too large")
    assert names_in(place) == names


@pytest.mark.parametrize(("room", "left"), [("size=12k", [b"fathom-store", b"lock"]), ("nr_inodes=1", [])],
                         ids=["for two pages of the snapshot", "for no file"])
def test_a_full_disk_says_what_to_do(srv, place, room, left):
    if not can_mount():
        pytest.skip("mounting is not possible here")
    place.mkdir()
    script = f'mount -t tmpfs -o {room} tmpfs {place} || exit 77; "$0" snapshot {srv} --store {place}; echo $?; '
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script + f"ls -A {place}", FATHOM], env=environment(),
                         capture_output=True, timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip("mounting is not possible here")
    assert ran.stdout.split() == [b"2", *left]
    assert re.fullmatch(
        rf"fathom: nothing was kept, because there is no room in {place} \(cannot write [a-z]*\.[-a-z0-9]+: No space "
        r"left on device\); free some, name another directory with --store DIR, or run `fathom diff @latest`, which "
        r"compares with now and writes nothing\n", ran.stderr.decode())


# ---- Removing

def test_rules_remove_older_snapshots_of_the_same_paths(srv, place):
    other = age(place, keep(srv / "logs", "--store", place), 30)
    tagged = age(place, keep(srv, "--store", place, "--tag", "monday"), 20)
    old = [age(place, keep(srv, "--store", place), days) for days in (4, 3)]
    planned = call("snapshot", srv, "--store", place, "--keep", "2d", "--dry-run").stdout.decode()
    assert planned.splitlines()[0] == f"would keep a snapshot of {srv} in {place}"
    assert re.findall("would remove (\\S+):", planned) == old[:1]
    assert names_in(place) == sorted([other, tagged, *old])
    ran = call("snapshot", srv, "--store", place, "--keep", "2d")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert re.findall("removed (\\S+):", ran.stdout.decode()) == old[:1]
    kept = re.match(rb"kept (\S+):", ran.stdout)[1].decode()
    assert names_in(place) == sorted([other, tagged, old[1], kept])


def test_one_that_cannot_be_removed_keeps_no_other(srv, place, tmp_path):
    (srv / "secret").mkdir(mode=0)
    let_nobody_through(srv)
    tmp_path.chmod(0o777)

    def keep_as_nobody(*options):
        return call("snapshot", srv, "--store", place, *options, **as_nobody())
    for days in 4, 3, 2:
        name = re.match(rb"kept (\S+):", keep_as_nobody().stdout)[1].decode()
        age(place, name, days)
    stuck, *others = names_in(place)
    (place / stuck / "folder" / "inside").mkdir(parents=True)  # no file of a snapshot
    (place / stuck / "folder").chmod(0)
    ran = keep_as_nobody("--keep", "1h")
    (place / f".gone-{stuck}" / "folder").chmod(0o755)
    assert ran.returncode == 1
    assert re.findall("removed (\\S+):", ran.stdout.decode()) == others
    failed, unread, _ = ran.stderr.decode().splitlines()
    assert failed.startswith(f"fathom: cannot remove {place}/.gone-{stuck}/folder: ")
    assert "secret: Permission denied" in unread


def test_a_textfile_that_cannot_be_written_stops_no_removal(srv, place):
    old = age(place, keep(srv, "--store", place), 3)
    ran = call("snapshot", srv, "--store", place, "--keep", "1h", "--textfile", "/dev/full")
    assert (ran.returncode, ran.stderr) == (1, b"fathom: cannot write to /dev/full: No space left on device\n")
    assert f"removed {old}: " in ran.stdout.decode()


def test_a_snapshot_of_a_time_when_the_clock_was_wrong_removes_none(srv, place):
    future = age(place, keep(srv, "--store", place), -365)
    old = age(place, keep(srv, "--store", place), 3)
    first = re.match(rb"kept (\S+):", call("snapshot", srv, "--store", place, "--keep", "2d").stdout)[1].decode()
    assert names_in(place) == sorted([future, old, first])
    ran = call("snapshot", srv, "--store", place, "--keep", "1d")
    kept = re.match(rb"kept (\S+):", ran.stdout)[1].decode()
    assert names_in(place) == sorted([future, kept])


def test_a_signal_to_a_kept_snapshot_does_not_say_that_nothing_was_kept(srv, place):
    older = [age(place, keep(srv, "--store", place), days) for days in (40, 20)]
    read, write = stalled_pipe()
    process = subprocess.Popen([FATHOM, "snapshot", srv, "--store", place, "--keep", "1d"], env=environment(),
                               stdout=write, stderr=subprocess.PIPE)
    [name] = until(lambda: [name for name in names_in(place) if re.fullmatch(r"\d{8}T\d{6}Z-\w+", name) and
                            name not in older])
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=PATIENCE)
    os.close(read)
    os.close(write)
    assert process.returncode == 1
    assert error.decode() == (f"fathom: kept {name}\n"
                              "fathom: interrupted; not all older snapshots are removed\n")
    assert names_in(place) == sorted([*older, name])


@pytest.mark.parametrize("joins", [False, True])
def test_a_signal_ends_a_kept_snapshot_also_if_nobody_reads_its_messages(srv, place, tmp_path, joins):
    older = age(place, keep(srv, "--store", place), 40)
    source = [srv]
    if joins:  # parts, of which one is missing
        assert run("scan", "--shard", "--into", tmp_path / "parts", "--budget", "2", srv).returncode == 0
        source = ["--parts", tmp_path / "parts", "--partial"]
    read, write = stalled_pipe()
    process = subprocess.Popen([FATHOM, "snapshot", *source, "--store", place, "--keep", "1d"], env=environment(),
                               stdout=write, stderr=write)
    until(lambda: [name for name in names_in(place) if re.fullmatch(r"\d{8}T\d{6}Z-\w+", name) and name != older])
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=PATIENCE)
    os.close(read)
    os.close(write)
    assert code == 1


def test_rules_never_remove_full_snapshots_for_a_filtered_one(srv, place):
    full = [age(place, keep(srv, "--store", place), days) for days in (40, 30)]
    only = ["--only", "*.log"]
    logs = age(place, keep(srv, "--store", place, *only), 20)
    planned = call("snapshot", srv, "--store", place, "--keep", "1d", "--dry-run", *only).stdout.decode()
    assert re.findall("would remove (\\S+):", planned) == [logs]
    ran = call("snapshot", srv, "--store", place, "--keep", "1d", *only)
    assert re.findall("removed (\\S+):", ran.stdout.decode()) == [logs]
    kept = re.match(rb"kept (\S+):", ran.stdout)[1].decode()
    assert names_in(place) == sorted([*full, kept])


def test_a_dry_run_creates_nothing(srv, place):
    ran = call("snapshot", srv, "--store", place, "--keep", "1d", "--dry-run")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode() == f"would keep a snapshot of {srv} in {place}\n"
    assert not place.exists()


@pytest.mark.parametrize("way", ["file", "link"])
def test_a_dry_run_refuses_a_store_that_cannot_be_created(srv, tmp_path, way):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("link")
    store = tmp_path / way / "new" / "store"
    code = {"file": errno.ENOTDIR, "link": errno.ELOOP}[way]
    assert refusal("snapshot", srv, "--store", store, "--dry-run") == f"cannot write to {store}: {os.strerror(code)}"
    assert call("snapshot", srv, "--store", store).returncode == 2


def test_a_dry_run_with_an_export_says_what_would_be_removed(srv, place, tmp_path):
    export = tmp_path / "export"
    first = tmp_path / "first"
    export.write_bytes(scan("--format", "ncdu", srv).stdout)
    first.write_bytes(re.sub(rb'"timestamp":\d+', b'"timestamp":1000000000', export.read_bytes()))
    older = keep("--from", first, "--store", place)
    keep(srv, "--store", place)  # of another host for all that the export says
    ran = call("snapshot", "--from", export, "--store", place, "--keep", "1d", "--dry-run")
    assert (ran.returncode, ran.stderr) == (0, b"")
    kept, removed = ran.stdout.decode().splitlines()
    assert kept == f"would keep a snapshot of {export} in {place}"
    assert removed.startswith(f"would remove {older}: ")
    real = call("snapshot", "--from", export, "--store", place, "--keep", "1d")
    assert real.stdout.decode().splitlines()[1] == removed.replace("would remove", "removed")


# ---- Metrics

def test_a_file_is_not_for_metrics_and_a_trace(srv, place, tmp_path):
    both = tmp_path / "both"
    assert refusal("snapshot", srv, "--store", place, "--textfile", both, "--trace", f"{tmp_path}/./both") == (
        "options '--textfile' and '--trace' name the same file")
    assert not both.exists()


def test_metrics_have_a_sample_for_each_path(srv, place, tmp_path):
    metrics = tmp_path / "fathom.prom"
    odd = tmp_path / 'a "b" \\c\n'
    odd.mkdir()
    keep(srv, odd, srv / "a.txt", "--store", place, "--textfile", metrics)
    text = metrics.read_text()
    assert f'fathom_snapshot_disk_bytes{{root="{srv}"}} {du(srv)}\n' in text
    assert f'fathom_snapshot_entries{{root="{srv}"}} 5\n' in text
    escaped = os.fspath(tmp_path) + r"/a \"b\" \\c\n"
    assert f'fathom_snapshot_entries{{root="{escaped}"}} 1\n' in text
    stamp = re.search(r'fathom_snapshot_timestamp_seconds\{root="[^"]*"\} (\d+)', text)
    assert abs(int(stamp[1]) - time.time()) < PATIENCE
    size = os.statvfs(srv)
    assert re.search(rf"fathom_filesystem_size_bytes\{{fstype=.*\}} {size.f_blocks * size.f_frsize}\n", text)
    helped = re.findall("# HELP (\\S+) .*\n# TYPE (\\S+) gauge\n", text)
    samples = {line.split("{")[0] for line in text.splitlines() if not line.startswith("#")}
    assert {one for pair in helped for one in pair} == samples
    assert all(re.fullmatch("fathom_[a-z_]+", name) for name in samples)


def test_metrics_of_a_path_inside_of_another_one_are_its_own(srv, place, tmp_path):
    metrics = tmp_path / "fathom.prom"
    inner, file = srv / "logs", srv / "a.txt"
    keep(srv, inner, file, "--store", place, "--textfile", metrics)
    text = metrics.read_text()
    for path, entries in ((srv, 5), (inner, 3), (file, 1)):
        assert f'fathom_snapshot_entries{{root="{path}"}} {entries}\n' in text
        assert f'fathom_snapshot_disk_bytes{{root="{path}"}} {du(path)}\n' in text


# ---- Listing

def test_the_log_lists_the_latest_first_with_the_change(srv, place):
    first = keep(srv, "--store", place)
    before, own = du(srv), srv.stat().st_size
    (srv / "new").write_bytes(b"n" * 200_000)
    second = keep(srv, "--store", place, "--tag", "grown")
    keep(srv / "logs", "--store", place)
    found = log("--store", place)
    assert found["schema"] == "fathom.log/1"
    assert found["unreadable"] == []
    assert found["total"] == 3
    assert log("--store", place, "--top", "1") == {**found, "snapshots": found["snapshots"][:1]}
    assert [one["name"] for one in found["snapshots"]][1:] == [second, first]
    logs, new, old = found["snapshots"]
    assert new["tag"] == "grown"
    assert old["change"] is None
    assert logs["change"] is None
    change = du(srv) - before
    apparent = 200_000 + srv.stat().st_size - own  # a directory may grow with each entry
    assert new["change"] == {"since": old["id"], "entries": 1, "disk_bytes": change, "apparent_bytes": apparent}
    ran = call("log", "--store", place, srv)
    assert (ran.returncode, ran.stderr) == (0, b"")
    title, heading, *rows = ran.stdout.decode().splitlines()
    assert (title, heading.split()) == ("Snapshots", ["Id", "Time", "Entries", "Disk", "usage", "Change", "Tag",
                                                      "Paths"])
    assert [row.split()[0] for row in rows] == [new["id"][:8], old["id"][:8]]
    assert "+196 KiB" in rows[0]
    assert rows[1].split()[-3:] == ["-", "-", os.fspath(srv)]


def test_the_log_of_a_path_has_every_snapshot_that_contains_it(srv, place, tmp_path):
    kept = [keep(*arguments, "--store", place) for arguments in (
        (srv,), (srv / "logs",), (srv, "--exclude", "*.o"), (tmp_path,), (srv,))]
    found = {path: log("--store", place, path)["snapshots"] for path in (srv, srv / "logs")}
    assert [one["name"] for one in found[srv / "logs"]] == kept[::-1]
    assert [one["name"] for one in found[srv]] == [kept[4], kept[3], kept[2], kept[0]]
    newest, *others = found[srv]
    assert newest["change"]["since"] == others[-1]["id"]
    assert [one["change"] for one in others] == [None] * 3


def test_the_log_as_json_matches_its_schema(srv, place):
    keep(srv, "--store", place, "--tag", "before", "--exclude", os.fsdecode(b"*\xff"))
    keep(srv, "--store", place, "--exclude", os.fsdecode(b"*\xff"))
    (place / "20260101T000000Z-00000000").mkdir()
    told = json.loads(call("log", "--format", "json", "--store", place).stdout)
    schemas.assert_described(told, "fathom.log/1")
    assert told["unreadable"] and told["snapshots"][0]["change"] and "selection_b64" in told["snapshots"][0]
    told["snapshots"][0]["id"] = "latest"
    assert not schemas.is_valid(told)


def test_the_log_as_csv_has_the_same_figures(srv, place):
    keep(srv, "--store", place)
    keep(srv, "--store", place)
    ran = call("log", "--store", place, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.stdout.decode())))
    for row, one in zip(rows, log("--store", place)["snapshots"], strict=True):
        assert row["id"] == one["id"]
        assert int(row["disk_bytes"]) == one["totals"]["disk_bytes"]
        assert row["disk_bytes_change"] == ("" if one["change"] is None else str(one["change"]["disk_bytes"]))
        assert row["roots"] == os.fspath(srv)


def test_the_log_shortens_long_paths_before_it_hides_columns(srv, place):
    keep(srv, "--store", place)
    (srv / "new").write_bytes(b"n" * 200_000)
    keep(srv, "--store", place)
    assert len(os.fspath(srv)) > 34
    whole = "Id Time Entries Disk usage Change Paths"
    for columns, headings in ((40, "Id Time Paths"), (80, whole), (200, whole)):
        code, shown = command_on_terminal("log", "--color", "never", "--store", place, columns=columns)
        lines = shown.splitlines()
        assert code == 0 and max(map(len, lines)) <= columns
        assert " ".join(lines[1].split()) == headings
        assert ("3 columns hidden" in shown) == (columns == 40)


def test_the_log_has_a_column_for_tags_only_if_there_are_some(srv, place):
    keep(srv, "--store", place)
    assert b"Tag" not in call("log", "--store", place).stdout
    keep(srv, "--store", place, "--tag", "grown")
    [heading, *rows] = call("log", "--store", place).stdout.decode().splitlines()[1:]
    assert heading.split()[-2:] == ["Tag", "Paths"]
    assert [row.split()[-2:] for row in rows] == [["grown", os.fspath(srv)], ["-", os.fspath(srv)]]


def test_the_log_has_a_column_for_hosts_only_if_there_are_several(srv, place):
    names = [keep(srv, "--store", place) for _ in range(2)]
    assert b"Host" not in call("log", "--store", place).stdout
    for host, name in zip(("", "ada"), names):
        meta = json.loads((place / name / "meta.json").read_bytes())
        (place / name / "meta.json").write_text(json.dumps({**meta, "host": host}))
    assert b"Host" not in call("log", "--store", place).stdout  # an import has no host
    keep(srv, "--store", place)
    [heading, *rows] = call("log", "--store", place).stdout.decode().splitlines()[1:]
    assert heading.split()[-2:] == ["Host", "Paths"]
    assert [row.split()[-2] for row in rows] == [socket.gethostname(), "ada", "-"]
    whole = "Id Time Entries Disk usage Change Host Paths"
    for columns, headings in ((40, "Id Time Paths"), (200, whole)):
        code, shown = command_on_terminal("log", "--color", "never", "--store", place, columns=columns)
        lines = shown.splitlines()
        assert code == 0 and max(map(len, lines)) <= columns
        assert " ".join(lines[1].split()) == headings


def test_the_log_reads_nothing_but_metadata(srv, place):
    name = keep(srv, "--store", place)
    for file in ("entries.parquet", "dirs.parquet", "errors.parquet"):
        (place / name / file).unlink()
    [one] = log("--store", place)["snapshots"]
    assert one["name"] == name


def test_the_log_lists_only_the_latest_if_the_user_wishes(srv, place):
    names = [keep(srv, "--store", place) for _ in range(3)]
    [one] = log("--store", place, "--top", "1")["snapshots"]
    assert one["name"] == names[-1]
    assert one["change"] is not None


def test_the_log_finds_the_snapshot_of_a_link(srv, place):
    link = srv.parent / "link"
    link.symlink_to("srv")
    keep(link, "--store", place)
    [one] = log("--store", place, link)["snapshots"]
    assert one["roots"] == [{"path": os.fspath(link)}]


def test_an_unreadable_snapshot_is_reported_beside_the_others(srv, place):
    good = keep(srv, "--store", place)
    (place / "20200101T000000Z-00000000").mkdir()
    ran = call("log", "--store", place)
    assert ran.returncode == 1
    assert good[-8:].encode() in ran.stdout
    assert ran.stderr.decode() == (f"fathom: cannot read {place}/20200101T000000Z-00000000: "
                                   "meta.json is missing\n")


# ---- Verifying and cleaning up

def test_verifying_finds_a_changed_byte(srv, place):
    name = keep(srv, "--store", place)
    ran = call("store", "verify", "--store", place)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"1 snapshot is intact\n", b"")
    file = place / name / "entries.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    ran = call("store", "verify", "--store", place)
    assert (ran.returncode, ran.stdout) == (1, b"0 snapshots are intact\n")
    assert f"{name}/entries.parquet".encode() in ran.stderr


def test_left_overs_are_removed(srv, place):
    name = keep(srv, "--store", place)
    for rest in (".tmp-0123", ".gone-x"):
        (place / rest).mkdir()
        (place / rest / "entries.parquet").write_bytes(b"x" * 9000)
    ran = call("store", "gc", "--store", place)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.startswith(b"removed 2 leftovers, ")
    assert names_in(place) == [name]


def test_a_snapshot_is_removed_by_deleting_its_directory(srv, place):
    first, second, third = [keep(srv, "--store", place) for _ in range(3)]
    shutil.rmtree(place / second)
    newest, oldest = log("--store", place)["snapshots"]
    assert (newest["name"], oldest["name"], newest["change"]["since"]) == (third, first, oldest["id"])
    assert call("store", "verify", "--store", place).stdout == b"2 snapshots are intact\n"


def test_a_store_lists_what_takes_space(srv, place):
    names = [keep(srv, "--store", place), keep(srv, "--store", place, "--tag", "b")]
    ran = call("store", "list", "--store", place)
    lines = ran.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[:2]] == names
    assert lines[1].endswith(f"{srv}  @b")
    assert re.fullmatch(f"2 snapshots, .*iB, in {place}", lines[2])


# ---- Reading snapshots with other commands

def test_a_snapshot_has_what_a_scan_has(srv, place):
    name = keep(srv, "--store", place)
    reports = ["--summary", "--largest-files", "9", "--extensions", "--format", "json"]
    new = json.loads(scan(*reports, os.fspath(srv)).stdout)
    for saved in (["--from", "@latest", "--store", place], ["--from", place / name]):
        ran = call("scan", *reports, *saved)
        assert (ran.returncode, ran.stderr) == (0, b"")
        old = json.loads(ran.stdout)
        for key in ("roots", "totals", "accuracy"):
            assert old[key] == new[key]
        for report in ("largest_files", "extensions"):
            assert old["reports"][report] == new["reports"][report]


def test_other_commands_take_the_names_of_snapshots(srv, place):
    first = keep(srv, "--store", place)
    (srv / "second.log").write_bytes(b"")
    keep(srv, "--store", place, "--tag", "two")

    def found(name):
        ran = call("find", "*.log", "--from", name, "--store", place, env={"TZ": os.environ.get("TZ")})
        assert (ran.returncode, ran.stderr) == (0, b"")
        return ran.stdout.decode().split()
    both = [f"{srv}/logs/b.log", f"{srv}/second.log"]
    today = time.strftime("@%Y-%m-%d")
    assert found("@latest") == found("@two") == found(today) == both
    assert found("@~1") == found("@" + first[-8:]) == both[:1]


def test_the_names_of_snapshots_that_do_not_exist_are_refused(srv, place):
    keep(srv, "--store", place)
    assert refusal("scan", "--from", "@~1", "--store", place) == (
        "@~1 does not exist: there is only one snapshot of these paths")
    assert refusal("find", "x", "--from", "@7d", "--store", place).startswith(
        "no snapshot is 7d old: the oldest is of ")
    assert refusal("scan", "--from", "@monday", "--store", place).startswith(
        "no snapshot has the tag 'monday', or an id that begins so; the latest is ")
    assert refusal("serve", "--no-open", "--from", "@2001-01-01", "--store", place).startswith(
        "no snapshot is of 2001-01-01 or before: ")


def rename_owner(snapshot, name):
    """As if the snapshot were of a machine where the owner of the test's files has this name."""
    meta = json.loads((snapshot / "meta.json").read_text())
    meta["users"] = [{"id": os.geteuid(), "name": name}]
    (snapshot / "meta.json").write_text(json.dumps(meta))


@pytest.mark.parametrize(("length", "names"), [(255, {"x" * 255}), (256, {None})])
def test_an_owner_without_a_name_of_usual_length_has_none(srv, place, length, names):
    snapshot = place / keep(srv, "--store", place)
    rename_owner(snapshot, "x" * length)
    said = json.loads(call("scan", "--from", snapshot, "--owners", "--format", "json").stdout)
    assert {row["name"] for row in said["reports"]["owners"] if row["kind"] == "user"} == names


def test_owners_have_the_names_that_the_snapshot_has(srv, place):
    snapshot = place / keep(srv, "--store", place)
    rename_owner(snapshot, "ada-of-lab")
    found = call("find", "*.log", "--from", snapshot, "--where", "owner = ada-of-lab")
    assert found.stdout.decode() == f"{srv}/logs/b.log\n"
    said = json.loads(call("scan", "--from", snapshot, "--owners", "--ages", "--format", "json").stdout)
    assert {row["name"] for row in said["reports"]["owners"] if row["kind"] == "user"} == {"ada-of-lab"}
    assert "ada-of-lab" in {row["user"] for row in said["reports"]["ages"]}
    (place / "commands").write_text("view owners\n")
    with open(place / "commands", "rb") as commands:
        assert b"ada-of-lab" in call("browse", "--plain", "--from", snapshot, stdin=commands).stdout


def make_later(place, name):
    """Makes a snapshot one of a later version."""
    meta = place / name / "meta.json"
    meta.write_bytes(meta.read_bytes().replace(b"fathom.snapshot/1", b"fathom.snapshot/2"))
    [why] = json.loads(call("log", "--format", "json", "--store", place).stdout)["unreadable"]
    return f"cannot read {place}/{name}: {why['why']}"


def test_an_unreadable_snapshot_that_a_name_may_mean_is_reported(srv, place):
    first, second, third = [age(place, keep(srv, "--store", place), days) for days in (9, 5, 1)]
    told = make_later(place, second)
    assert "later version" in told

    def chosen(name):
        ran = call("scan", "--from", name, "--store", place, "--format", "json")
        assert ran.returncode == 0
        return ran.stderr.decode()
    assert chosen("@latest") == chosen(f"@{third}") == chosen(f"@{first[-8:]}") == ""
    assert chosen("@~1") == chosen("@3d") == f"fathom: {told}\n"
    for name in second, second[-8:]:
        assert refusal("scan", "--from", f"@{name}", "--store", place) == told
    assert refusal("scan", "--from", "@~2", "--store", place) == (
        "@~2 does not exist: there are only 2 snapshots of these paths; 1 snapshot cannot be read, and `fathom log` "
        "says why")


def test_a_snapshot_is_read_as_a_whole(srv, place):
    keep(srv, "--store", place)
    assert refusal("scan", "--from", "@latest", "--store", place, "--exclude", "x") == (
        "a snapshot is read as a whole; options that select entries apply to scans and exports")
    assert call("find", "--from", "@latest", "--store", place, "--ext", "txt").stdout.decode() == f"{srv}/a.txt\n"


# ---- Wrong usage

def test_without_a_store_the_commands_say_how_to_begin(place):
    for command in (["log"], ["store", "list"], ["scan", "--from", "@latest"]):
        assert refusal(*command, "--store", place) == (
            f"there are no snapshots in {place}: the directory does not exist; `fathom snapshot` keeps the first one")


def test_a_directory_that_is_not_a_store_is_refused_and_unchanged(srv, tmp_path):
    photos = tmp_path / "photos"
    photos.mkdir()
    (photos / "a.jpg").touch()
    assert refusal("snapshot", srv, "--store", photos) == f"{photos} is not a store of snapshots, and not empty"
    assert refusal("log", "--store", photos) == f"{photos} is not a store of snapshots: it has no file fathom-store"
    assert os.listdir(photos) == ["a.jpg"]


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["snapshot", "--tag", "7d"], "option '--tag' takes up to 64 letters, digits and . _ + - that are not a date, "
                                  "an age or 'latest', not '7d'"),
    (["snapshot", "--keep", "7x"], "option '--keep' takes a list of numbers with the units h, d, w and m (months), "
                                   "such as 24h,7d,4w,12m, not '7x'"),
    (["snapshot", "--from", "@latest"], "'@latest' is a snapshot already; for a file of that name, use './@latest'"),
    (["snapshot", "--parts", "x", "--keep", "7d", "--dry-run"],
     "option '--dry-run' does not read parts, so it cannot tell what '--keep' removes"),
    (["log", "a", "b"], "at most one PATH; remove 'b'"),
    (["log", "--csv-safe"], "option '--csv-safe' needs '--format csv'"),
    (["store"], "say what to do: fathom store list, verify or gc"),
    (["store", "verfy"], "fathom store takes list, verify or gc, not 'verfy'"),
    (["store", "gc", "list"], "one act at a time; remove 'list'"),
    (["scan", "--store", "x"], "option '--store' needs '--from' with the name of a snapshot, such as @latest"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "refused")
def test_wrong_usage_is_refused_in_a_sentence(tmp_path, arguments, sentence):
    assert refusal(*arguments, cwd=tmp_path) == sentence
    assert list(pathlib.Path(tmp_path).iterdir()) == []


def test_a_file_that_cannot_be_written_is_found_before_the_scan(srv, place, tmp_path):
    assert "No such file or directory" in refusal("snapshot", srv, "--store", place, "--textfile",
                                                  tmp_path / "none" / "x.prom")
    assert not place.exists() or names_in(place) == []
