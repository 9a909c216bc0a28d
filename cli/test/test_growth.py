"""`fathom growth`: sizes over many snapshots, against du, and the forecast."""

import csv
import io
import json
import os
import re
import shutil
import subprocess

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
    sentence_of,
    width,
)
from test_snapshot import age, du, keep

DAYS = 6
GIB = 1 << 30


class Series:
    """Daily snapshots of a tree, of which the last one was made now."""

    def __init__(self, folder):
        self.root = folder / "srv"
        self.store = folder / "store"
        self.sizes = {}  # by path, then by day

    def grow(self):
        for day in range(DAYS):
            for name, size in (("data/table", 100_000 * (day + 1)), ("logs/app.log", 5000),
                               (f"logs/day-{day}/x", 20_000)):
                path = self.root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"x" * size)
            for path in [self.root, *self.root.rglob("*")]:
                if path.is_dir():
                    self.sizes.setdefault(str(path), {})[day] = du(path)
            name = keep(self.root, "--store", self.store)
            age(self.store, name, DAYS - 1 - day)
            (self.root / "logs" / f"day-{day}" / "x").unlink()
            (self.root / "logs" / f"day-{day}").rmdir()

    def call(self, *arguments, **options):
        return run("growth", "--store", os.fspath(self.store), *map(os.fspath, arguments), **options)

    def growth(self, *arguments, **options):
        ran = self.call("--format", "json", *arguments, **options)
        assert (ran.returncode, ran.stderr) == (0, b"")
        return json.loads(ran.stdout)

    def refusal(self, *arguments):
        return sentence_of(self.call(*arguments))

    def set_available(self, gib_by_day, size=100):
        """Changes what meta.json says of the filesystem."""
        for folder, available in zip(self.folders(), gib_by_day):
            meta = json.loads((folder / "meta.json").read_bytes())
            for filesystem in meta["filesystems"]:
                filesystem["size"] = size * GIB
                filesystem["free"] = filesystem["available"] = round(available * GIB)
            (folder / "meta.json").write_text(json.dumps(meta))

    def folders(self):
        return sorted(path for path in self.store.iterdir() if (path / "meta.json").exists())


@pytest.fixture
def series(tmp_path):
    series = Series(tmp_path)
    series.grow()
    return series


# ---- Sizes

def test_every_size_is_that_of_du(series):
    told = series.growth(series.root, "--depth", "2")
    assert len(told["snapshots"]) == DAYS
    found = {row["path"]: {day: size for day, size in enumerate(row["disk_bytes"]) if size is not None}
             for row in told["dirs"]}
    assert found == series.sizes
    top = told["dirs"][0]
    assert (top["path"], top["depth"]) == (str(series.root), 0)
    assert top["change"] == top["disk_bytes"][-1] - top["disk_bytes"][0]
    assert top["entries"] == [7] * DAYS
    times = [snapshot["time"] for snapshot in told["snapshots"]]
    assert times == sorted(times)


def test_the_depth_is_one_by_default(series):
    assert {row["path"] for row in series.growth(series.root)["dirs"]} == {
        str(series.root), f"{series.root}/data", f"{series.root}/logs"}
    assert len(series.growth(series.root, "--depth", "0")["dirs"]) == 1


def test_directories_are_sorted_by_their_change(series):
    paths = [row["path"].removeprefix(str(series.root)) for row in series.growth(series.root)["dirs"]]
    assert paths == ["", "/data", "/logs"]


def test_without_a_path_it_is_the_current_directory_or_the_newest_root(series, tmp_path):
    assert series.growth(cwd=series.root / "data")["path"] == f"{series.root}/data"
    assert series.growth(cwd=tmp_path)["path"] == str(series.root)


def test_a_link_stands_for_the_directory_behind_it(series, tmp_path):
    (tmp_path / "link").symlink_to("srv/data")
    assert series.growth("link", cwd=tmp_path)["path"] == f"{series.root}/data"
    ran = run("log", "--store", os.fspath(series.store), "--format", "json", "link", cwd=tmp_path)
    assert json.loads(ran.stdout)["total"] == DAYS


def test_sizes_can_be_apparent_ones(series):
    told = series.growth(series.root / "data", "--apparent-size")
    assert told["measure"] == "apparent_bytes"
    own = (series.root / "data").stat().st_size
    assert told["dirs"][0]["apparent_bytes"] == [own + 100_000 * day for day in range(1, DAYS + 1)]


def test_since_leaves_older_snapshots_out(series):
    assert len(series.growth(series.root, "--since", "60h")["snapshots"]) == 3
    assert len(series.growth(series.root, "--since", "12h")["snapshots"]) == 1
    assert re.fullmatch(r"no snapshot since .*; the latest is of .*",
                        series.refusal(series.root, "--since", "2999-01-01"))


def test_snapshots_of_other_paths_do_not_count(series):
    keep(series.root / "data", "--store", series.store)
    assert len(series.growth(series.root)["snapshots"]) == DAYS
    assert len(series.growth(series.root / "data")["snapshots"]) == 1


def test_a_path_inside_of_another_one_is_listed_once_with_its_size(tmp_path):
    inner = tmp_path / "top" / "home"
    inner.mkdir(parents=True)
    (inner / "file").write_bytes(b"x" * 100_000)
    keep(tmp_path / "top", inner, "--store", tmp_path / "store")
    ran = run("growth", "--store", os.fspath(tmp_path / "store"), "--depth", "2", "--format", "csv")
    rows = csv.DictReader(io.StringIO(ran.stdout.decode()))
    assert [(row["path"], int(row["disk_bytes"])) for row in rows] == [
        (os.fspath(path), du(path)) for path in (inner.parent, inner)]


def test_what_a_snapshot_could_not_read_is_a_lower_bound(tmp_path):
    for folder in ("p/r/shut/inner", "p/r/gone", "q"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_bytes(b"x" * 9000)
    let_nobody_through(tmp_path)
    tmp_path.chmod(0o777)
    used = du(tmp_path / "q")

    def keep_unless(shut, code):
        """Names relative paths, which the snapshot has as absolute ones."""
        shut.chmod(0)
        keep("p/r", "q", "--store", "store", code=code, cwd=tmp_path, **as_nobody())
        shut.chmod(0o755)

    def measured(*arguments):
        ran = run("growth", "--store", "store", "--format", "json", "--depth", "2", *arguments, cwd=tmp_path)
        assert ran.returncode == 1
        return {os.path.basename(row["path"]): (row["disk_bytes"], row["lower_bound"])
                for row in json.loads(ran.stdout)["dirs"]}
    keep_unless(tmp_path / "q/file", 0)
    shutil.rmtree(tmp_path / "p/r/gone")
    keep_unless(tmp_path / "p/r/shut", 1)
    assert measured("p/r/shut/inner") == {"inner": ([used, 0], True)}
    assert measured("p/r")["gone"] == ([used, None], False)  # what had contained it was read
    ran = run("growth", "--store", "store", "p/r/shut/typo", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    keep_unless(tmp_path / "p", 1)
    for arguments in ([], ["p/r"]):
        sizes = measured(*arguments)
        assert sizes["r"][0][2] == 0
        assert sizes["inner"] == ([used, 0, 0], True)
        assert sizes["gone"] == ([used, None, 0], True)


def test_a_root_that_no_snapshot_could_read_is_named(tmp_path):
    (tmp_path / "good").mkdir()
    (tmp_path / "shut/root").mkdir(parents=True)
    let_nobody_through(tmp_path)
    tmp_path.chmod(0o777)
    (tmp_path / "shut").chmod(0)
    for _ in range(2):
        keep("good", "shut/root", "--store", "store", code=1, cwd=tmp_path, **as_nobody())
    ran = run("growth", "--store", str(tmp_path / "store"), "--format", "csv", cwd="/")
    assert ran.returncode == 1
    assert ran.stderr.decode() == (
        f"fathom: no snapshot could read {tmp_path}/shut/root as a directory, so it is not listed\n")
    assert b"shut" not in ran.stdout
    told = json.loads(run("growth", "--store", str(tmp_path / "store"), "--format", "json", cwd="/").stdout)
    schemas.assert_described(told, "fathom.growth/1")
    assert [root["path"] for root in told["unread_roots"]] == [f"{tmp_path}/shut/root"]
    (tmp_path / "shut").chmod(0o755)


def test_json_without_a_directory_that_could_be_read_matches_its_schema(tmp_path):
    (tmp_path / "shut").mkdir()
    let_nobody_through(tmp_path)
    tmp_path.chmod(0o777)
    (tmp_path / "shut").chmod(0)
    keep("shut/a", "shut/b", "--store", "store", code=1, cwd=tmp_path, **as_nobody())
    told = json.loads(run("growth", "--store", str(tmp_path / "store"), "--format", "json", cwd="/").stdout)
    (tmp_path / "shut").chmod(0o755)
    schemas.assert_described(told, "fathom.growth/1")
    assert (told["dirs"], len(told["unread_roots"])) == ([], 2)


def test_a_root_that_is_counted_at_another_path_is_named(tmp_path):
    if not can_mount():
        pytest.skip("mounting is not possible here")
    (tmp_path / "srv/data").mkdir(parents=True)
    (tmp_path / "srv/data/file").write_bytes(b"x" * 50_000)
    (tmp_path / "a/b/view").mkdir(parents=True)
    script = 'mount --bind srv/data a/b/view && "$0" snapshot srv a/b/view --store store'
    subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM], env=environment(), cwd=tmp_path,
                   stdout=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    ran = run("growth", "--store", str(tmp_path / "store"), "--format", "json", cwd="/")
    assert (ran.returncode, ran.stderr.decode()) == (
        0, f"fathom: what is in {tmp_path}/a/b/view is counted at another path, by which a snapshot has reached it, "
           "too\n")
    told = json.loads(ran.stdout)
    schemas.assert_described(told, "fathom.growth/1")
    assert [one["path"] for one in told["counted_elsewhere"]] == [f"{tmp_path}/a/b/view"]


# ---- The forecast

def test_a_full_filesystem_is_forecast(series):
    series.set_available([60, 50, 40, 30, 20, 10])
    told = series.growth(series.root)
    forecast = told["forecast"]
    assert forecast["why_none"] is None and forecast["snapshots"] == DAYS
    last = told["snapshots"][-1]["time"]
    assert abs(forecast["full"]["expected"] - (last + 86_400)) < 600
    assert forecast["full"]["least"] <= forecast["full"]["expected"] <= forecast["full"]["most"]
    assert abs(forecast["bytes_per_day"]["expected"] - 10 * GIB) < GIB // 10
    assert re.search(rb"\n\S+ is full on \d{4}-\d\d-\d\d \d\d:\d\d, between", series.call(series.root).stdout)


@pytest.mark.parametrize("available, since, why", [
    ([60, 50, 40, 30, 20, 10], "60h", "at least 5 snapshots, and there are 3"),
    ([60, 10, 70, 20, 50, 40], "30d", "cannot be distinguished from zero"),
    ([10, 20, 30, 40, 50, 60], "30d", "becomes emptier"),
    ([95, 94, 93, 92, 91, 90], "30d", "later than 5 times"),
    ([60, 50, 40, 30, 20, 0], "30d", "is full"),
], ids=["few", "noise", "emptier", "far", "full"])
def test_there_is_no_forecast_that_the_data_do_not_support(series, available, since, why):
    series.set_available(available)
    forecast = series.growth(series.root, "--since", since)["forecast"]
    assert forecast["full"] is None and why in forecast["why_none"]
    assert f"No forecast for {forecast['mount_point']}: ".encode() in series.call(series.root, "--since", since).stdout


def test_there_is_no_forecast_for_a_filesystem_that_was_resized(series):
    series.set_available([60, 50, 40, 30, 20, 10])
    meta = series.folders()[2] / "meta.json"
    meta.write_bytes(meta.read_bytes().replace(b"%d" % (100 * GIB), b"%d" % (99 * GIB)))
    assert "size of the filesystem changed" in series.growth(series.root)["forecast"]["why_none"]


# ---- Formats

def test_json_matches_its_schema(series):
    (series.root / os.fsdecode(b"caf\xe9")).mkdir()
    keep(series.root, "--store", series.store, "--tag", "last")
    for available in ([60, 50, 40, 30, 20, 10, 5], [10, 20, 30, 40, 50, 60, 70]):
        series.set_available(available)
        for arguments in ([series.root, "--depth", "9"], ["--apparent-size"], ["--since", "12h"]):
            told = series.growth(*arguments)
            schemas.assert_described(told, "fathom.growth/1")
    told["dirs"][0]["entries"] = "many"
    assert not schemas.is_valid(told)


def test_csv_has_a_row_for_each_directory_and_snapshot(series):
    ran = series.call(series.root, "--format", "csv", "--depth", "2")
    assert (ran.returncode, ran.stderr) == (0, b"")
    rows = list(csv.DictReader(io.StringIO(ran.stdout.decode())))
    assert len(rows) == len(series.sizes) * DAYS
    found = {}
    for number, row in enumerate(rows):
        if row["disk_bytes"]:
            found.setdefault(row["path"], {})[number % DAYS] = int(row["disk_bytes"])
    assert found == series.sizes


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_text_fits_the_terminal(series, columns):
    code, shown = command_on_terminal("growth", "--store", str(series.store), str(series.root), "--depth", "2",
                                      columns=columns, rows=14)
    assert code == 0
    lines = re.sub("\x1b\\[[0-9;]*m", "", shown).splitlines()
    assert max(map(width, lines)) <= columns
    assert len(lines) < 14
    if columns > 40:  # there, the lowest level does not fit at all
        assert any("and" in line and "more" in line for line in lines)
    assert "▁▂▄▅▇█" in shown


def test_a_terminal_without_unicode_gets_ascii(series):
    text = series.call(series.root, env={"LC_ALL": "C"}).stdout.decode("ascii")
    assert "_.-=*#  " in text and "|- data" in text


def test_plain_text_has_one_fact_per_line(series):
    text = series.call(series.root, "--plain").stdout.decode()
    assert f"\nDirectory: {series.root}/data\nFirst: " in text and "\nSnapshots: 6\n" in text


# ---- Mistakes

def test_mistakes_are_refused_with_a_sentence(series, tmp_path):
    assert series.refusal(tmp_path / "elsewhere") == f"no snapshot contains {tmp_path}/elsewhere"
    assert series.refusal(series.root / "nothing") == (
        f"{series.root}/nothing is not a directory in any of the snapshots")
    assert series.refusal(series.root, "x") == "at most one PATH; remove 'x'"
    assert b"'--since' takes" in series.call("--since", "soon").stderr
    refused = run("growth", "--store", str(tmp_path / "missing"))
    assert refused.returncode == 2 and b"fathom snapshot" in refused.stderr


def test_a_snapshot_that_cannot_be_read_is_reported(series):
    (series.folders()[1] / "meta.json").write_bytes(b"{")
    ran = series.call(series.root, "--format", "json")
    assert ran.returncode == 1 and b"cannot read" in ran.stderr
    assert len(json.loads(ran.stdout)["snapshots"]) == DAYS - 1


def test_a_snapshot_that_lacks_a_file_is_reported_and_left_out(series):
    (series.folders()[1] / "dirs.parquet").unlink()
    (series.folders()[2] / "dirs.parquet").write_bytes(b"damaged")
    ran = series.call(series.root, "--format", "json")
    assert ran.returncode == 1
    lacking, damaged = ran.stderr.decode().splitlines()
    assert lacking.startswith(f"fathom: {series.folders()[1]} is not a snapshot: ")
    assert damaged.startswith(f"fathom: {series.folders()[2]}/dirs.parquet ")
    assert len(json.loads(ran.stdout)["snapshots"]) == DAYS - 2
    for folder in series.folders():
        (folder / "dirs.parquet").unlink(missing_ok=True)
    assert "is not a snapshot" in series.refusal(series.root)
    for folder in series.folders():
        (folder / "meta.json").write_bytes(b"{")
    note = f"; {DAYS} snapshots cannot be read, and `fathom log` says why"
    assert series.refusal(series.root) == f"there are no snapshots in {series.store}{note}"
