"""Snapshots, differences and duplicates."""

import os
import shutil

import duckdb
import pytest

import fathom
from conftest import command, disk_bytes


def test_a_snapshot_is_the_scan_that_was_kept(tree, store):
    kept = fathom.snapshot(tree, tag="first", store=store)
    opened = fathom.open("@first", store=store)
    assert opened.to_arrow().equals(kept.to_arrow())
    assert opened.to_arrow().equals(fathom.scan(tree).to_arrow())
    assert opened.totals == kept.totals
    assert fathom.open(kept.snapshot.path).snapshot == kept.snapshot
    assert opened.select("name", "fs_uuid").to_arrow().num_rows == len(opened)
    assert opened.reports.largest_files(1)[0]["path"] == str(tree / "projects" / "apollo" / "data.bin")


def test_a_snapshot_may_be_read_by_any_engine(tree, store):
    kept = fathom.snapshot(tree, store=store, engine="serial")
    assert kept.to_arrow().equals(fathom.scan(tree).to_arrow())
    with pytest.raises(fathom.UsageError, match="argument 'engine'"):
        fathom.snapshot(tree, store=store, engine="none")


def test_the_command_knows_a_snapshot_that_python_kept(tree, store):
    fathom.snapshot(tree, tag="mine", store=store, exclude=["*.Bin"], no_hidden=True)
    assert "mine" in command("log", "--store", store)
    assert fathom.open("@mine", store=store).snapshot.selection == ["--exclude=*.Bin", "--no-hidden"]
    command("snapshot", tree, "--store", store, "--exclude=*.Bin", "--no-hidden", "--tag", "theirs")
    assert [snapshot.tag for snapshot in fathom.snapshots(tree, store=store)] == ["mine", "theirs"]


def test_the_snapshots_of_a_path_are_all_that_contain_it(tree, store):
    fathom.snapshot(tree, tag="whole", store=store)
    fathom.snapshot(tree / "projects", tag="part", store=store)
    fathom.snapshot(tree, tag="filtered", store=store, no_hidden=True)
    assert [one.tag for one in fathom.snapshots(tree / "projects", store=store)] == ["whole", "part", "filtered"]
    assert [one.tag for one in fathom.snapshots(tree, store=store)] == ["whole", "filtered"]


def test_a_snapshot_is_known_after_a_change_of_the_directory(tree, store, monkeypatch):
    monkeypatch.chdir(store.parent)
    kept = fathom.snapshot(tree, store=store.name)
    scans = [kept, fathom.open("@latest", store=store.name), fathom.open(os.path.relpath(kept.snapshot.path))]
    assert {scan.snapshot.path for scan in scans} == {fathom.snapshots(store=store.name)[0].path}
    monkeypatch.chdir(tree)
    for scan in scans:
        assert scan.sql("select count(*) from entries").fetchall()[0] == (10,)


def test_sql_reads_the_files_of_a_snapshot(tree, store):
    strange = store.parent / "it's a store"
    scan = fathom.snapshot(tree, store=strange)
    assert scan.sql("select sum(charged_blocks) * 512 from entries").fetchall()[0] == (disk_bytes(tree),)
    connection = duckdb.connect()
    connection.execute("create table mine as select 'bin' as ext")
    assert scan.sql("select count(*) from entries join mine using (ext)", connection).fetchall()[0] == (3,)


@pytest.mark.parametrize("name", ["s*", "s?", "[s]", "a\\b", "name=zzz", "uid=5", "size=abc", "\udcff"])
def test_sql_of_a_snapshot_does_not_depend_on_the_path_of_its_store(tree, tmp_path, name):
    fathom.snapshot(tree / "projects", store=tmp_path / "s1")
    scan = fathom.snapshot(tree, store=tmp_path / name)
    entries = scan.sql("select count(*), sum(charged_blocks) * 512, sum(uid), max(name) from entries")
    live = fathom.scan(tree)
    wanted = live.sql("select count(*), sum(charged_blocks) * 512, sum(uid), max(name) from entries")
    assert entries.fetchall() == wanted.fetchall()
    assert scan.sql("from entries").columns == scan.columns


def test_now_is_scanned_with_the_same_rules_after_a_change_of_the_directory(tree, store, tmp_path, monkeypatch):
    (tmp_path / "rules").write_text("*.bin\n")
    monkeypatch.chdir(tmp_path)
    scans = [fathom.scan(tree, exclude_from="rules"), fathom.snapshot(tree, store=store, exclude_from="rules")]
    monkeypatch.chdir("/")
    for scan in scans:
        assert fathom.diff(scan, "now").balance.total == 0


def test_dots_after_a_link_lead_to_the_folder_above_its_target(tree, tmp_path, monkeypatch):
    (tmp_path / "there" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("there/inner")
    (tmp_path / "there" / "rules").write_text("*.bin\n")
    (tmp_path / "rules").write_text("projects/\n")
    monkeypatch.chdir(tmp_path)
    assert fathom.scan(tree, exclude_from="link/../rules").totals == fathom.scan(tree, exclude="*.bin").totals
    kept = fathom.snapshot(tree, store="link/../store")
    assert (tmp_path / "there" / "store").is_dir()
    assert fathom.open(f"link/../store/{os.path.basename(kept.snapshot.path)}").totals == kept.totals


def test_options_are_kept_as_the_command_keeps_them(tree, store, tmp_path, monkeypatch):
    (tmp_path / "rules").write_text("*.bin\n")
    monkeypatch.chdir(tmp_path)
    for name in ("rules", "././/rules", tmp_path / "rules"):
        command("snapshot", tree, "--store", store, "--exclude-from", name)
        fathom.snapshot(tree, store=store, exclude_from=name)
        assert {tuple(one.selection) for one in fathom.snapshots(store=store)} == {
            (f"--exclude-from={tmp_path}/rules",)}
        assert fathom.diff("@latest", fathom.scan(tree, exclude_from=name), store=store).notes == []


def test_a_relative_path_in_a_removed_directory_is_not_found(tree, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    scan = fathom.scan(tree)
    for call in (lambda: fathom.scan(tree, exclude_from="rules"), lambda: fathom.snapshot(tree, store="store"),
                 lambda: fathom.open("snapshot"), lambda: fathom.snapshots(store="store"),
                 lambda: fathom.diff(scan, scan, path="projects")):
        with pytest.raises(fathom.Error, match="No such file|does not exist"):
            call()
    assert fathom.scan(tree, exclude_from="/dev/null").complete
    assert fathom.diff(scan, scan, path=tree / "projects").notes == []


def test_sql_leaves_no_view_in_a_database(tree, store, tmp_path):
    kept, scan = fathom.snapshot(tree, store=store), fathom.scan(tree / "projects")
    with duckdb.connect(tmp_path / "mine.duckdb") as connection:
        connection.execute("create view entries as select 'mine' as name")
        for source in (kept, scan, kept):
            assert source.sql("select count(*) from entries", connection).fetchall()[0] == (len(source),)
    with duckdb.connect(tmp_path / "mine.duckdb") as connection:
        assert connection.execute("select * from entries").fetchall()[0] == ("mine",)


def test_what_is_not_there_is_not_found(tree, store):
    with pytest.raises(fathom.NotFound, match="there are no snapshots"):
        fathom.open("@latest", store=store)
    fathom.snapshot(tree, store=store)
    with pytest.raises(FileNotFoundError, match="no snapshot is 7d old"):
        fathom.open("@7d", store=store)
    with pytest.raises(fathom.NotFound, match="No such file"):
        fathom.open(tree / "missing")
    with pytest.raises(fathom.NotFound, match="no snapshot has the tag"):
        fathom.open("@\udcff", store=store)
    with pytest.raises(fathom.Error, match="is not a snapshot"):
        fathom.open(tree)


def test_a_damaged_snapshot_is_an_error(tree, store):
    path = fathom.snapshot(tree, store=store).snapshot.path
    damaged = fathom.open(path)
    with open(os.path.join(path, "entries.parquet"), "r+b") as file:
        file.write(b"\0" * 200)
    with pytest.raises(Exception, match="damaged"):
        damaged.to_arrow()


def test_a_diff_balances_to_the_byte(tree, store):
    before = fathom.snapshot(tree, tag="before", store=store)
    (tree / "new.log").write_bytes(b"n" * 100_000)
    (tree / "projects" / "gemini" / "notes.TXT").write_bytes(b"n" * 50_000)
    (tree / "projects" / "apollo").rename(tree / "apollo")
    (tree / "link").unlink()
    diff = fathom.diff("@before", "now", store=store)
    assert (diff.before, diff.after) == (before.totals.disk_bytes, disk_bytes(tree))
    balance = diff.balance
    assert balance.total == diff.after - diff.before == (
        balance.created + balance.grown - balance.removed - balance.shrunk + balance.moved_in - balance.moved_out
        + balance.reattributed)
    assert diff.counts == {"created": 1, "removed": 1, "changed": len(diff.changed), "moved": 1}
    assert [(row["path"], row["from"]) for row in diff.moved] == [
        (str(tree / "apollo"), str(tree / "projects" / "apollo"))]
    assert diff.created.to_arrow()["path"].to_pylist() == [str(tree / "new.log")]
    assert sum(row["change"] for row in diff.owners) == sum(row["change"] for row in diff.extensions) == balance.total
    assert fathom.diff(before, fathom.scan(tree)).balance == balance
    assert fathom.diff(before, "now", path=tree / "projects", store=store).after < diff.after
    with pytest.raises(fathom.UsageError, match="'most' takes a number from 0, not -1"):
        fathom.diff(before, most=-1)


def test_a_scan_is_repeated_with_its_options(tree, tmp_path):
    for options in ({"exclude": "projects/"}, {"min_size": "400k", "apparent_size": True}, {"where": "size > 5000"}):
        before = fathom.scan(tree, **options)
        same = fathom.diff(before)
        assert (same.counts["created"], same.balance.total, same.notes) == (0, 0, []), options
    export = tmp_path / "export.json"
    command("scan", tree, "--format", "ncdu", "-o", export)
    with pytest.raises(fathom.UsageError, match="its options are unknown"):
        fathom.diff(export)


def test_unlike_scans_are_compared_with_a_note_or_refused(tree):
    some = fathom.scan(tree, exclude="*.Bin")
    assert any("--exclude=*.Bin" in note for note in fathom.diff(fathom.scan(tree), some).notes)
    with pytest.raises(fathom.NotFound):
        fathom.diff(fathom.scan(tree / "projects"), fathom.scan(tree))


def test_duplicates_are_files_of_equal_bytes(tree):
    same = fathom.duplicates(tree, min_size="100k")
    assert (same.groups, same.files) == (1, 2)
    assert same.complete
    assert [row["path"] for row in same.rows] == [
        str(tree / "projects" / "apollo" / "data.bin"), str(tree / "projects" / "gemini" / "copy.bin")]
    assert same.to_arrow()["keep"].to_pylist() == [True, False]
    with pytest.raises(FileNotFoundError):
        fathom.duplicates(tree / "missing")
    with pytest.raises(ValueError, match="'empty' and 'min_size' exclude each other"):
        fathom.duplicates(tree, empty=True, min_size=5)


def test_a_removed_snapshot_can_be_read_to_the_end(tree, store):
    scan = fathom.snapshot(tree, store=store)
    opened = fathom.open(scan.snapshot.path)
    wanted = scan.to_arrow()
    shutil.rmtree(scan.snapshot.path)
    assert opened.to_arrow().equals(wanted)
