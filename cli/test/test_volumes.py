"""`--engine auto` and the engines that read filesystems in bulk."""

import json
import shutil
import subprocess

import pytest

import schemas
from conftest import FATHOM, PATIENCE, as_nobody, environment, let_nobody_through, scan
from test_hostile import NEEDS_MOUNTS, with_mounts

EXT4 = """
truncate -s 64M image
mkfs.ext4 -q OPTIONS image >&2 && mount -o loop image top || exit 77
mkdir top/folder
head -c 100000 /dev/zero >top/folder/file
ln top/folder/file top/again
ln -s folder top/link
sync
"""

pytestmark = pytest.mark.skipif(not shutil.which("mkfs.ext4"), reason="mkfs.ext4 is not installed")


def on_ext4(folder, script, options=""):
    (folder / "top").mkdir()
    return with_mounts(EXT4.replace("OPTIONS", options) + script, folder)


@NEEDS_MOUNTS
def test_a_scan_in_bulk_says_nothing_but_its_results(tmp_path):
    out = on_ext4(tmp_path, """
"$1" scan --format json --engine auto top 2>messages
test ! -s messages
""")
    found = json.loads(out)
    assert found["timing"]["engine"] == "auto"
    assert found["totals"]["files"] == 2
    assert found["totals"]["symlinks"] == 1


@NEEDS_MOUNTS
def test_a_snapshot_in_bulk_has_the_same_bytes_as_that_of_a_walk(tmp_path):
    on_ext4(tmp_path, """
for engine in lockfree ext4 auto; do
  "$1" scan --format parquet --engine $engine -o $engine.parquet top
  "$1" snapshot --engine $engine --store $engine top
done
cmp lockfree.parquet ext4.parquet
cmp lockfree.parquet auto.parquet
for file in entries dirs; do
  cmp "$(find lockfree -name $file.parquet)" "$(find auto -name $file.parquet)"
done
""")


def test_an_image_is_only_read_and_by_any_user_who_may(tmp_path):
    (tmp_path / "srv").mkdir()
    (tmp_path / "srv/file").write_bytes(b"x" * 100_000)
    image = tmp_path / "image"
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", tmp_path / "srv", image, "16M"], check=True)
    image.chmod(0o444)
    let_nobody_through(tmp_path)
    before = image.read_bytes()
    scanned = scan("--engine", "ext4", "--format", "json", image, **as_nobody())
    assert scanned.returncode == 0, scanned.stderr.decode()
    assert json.loads(scanned.stdout)["totals"]["files"] == 1
    assert image.read_bytes() == before


def test_an_image_that_cannot_be_read_is_an_error_but_a_file_beside_it_is_none(tmp_path):
    image, other = tmp_path / "image", tmp_path / "file"
    subprocess.run(["mke2fs", "-q", "-t", "ext4", image, "16M"], check=True)
    with open(image, "r+b") as file:
        file.seek(1400)  # in the superblock
        file.write(b"?")
    other.write_bytes(b"x" * 2000)
    scanned = scan("--engine", "ext4", "--format", "json", image, other)
    assert scanned.returncode == 1
    result = json.loads(scanned.stdout)
    assert not result["accuracy"]["complete"]
    assert b"not read as an ext4: the checksum of its superblock is wrong" in scanned.stderr
    assert scan("--engine", "ext4", other).returncode == 0


@pytest.mark.parametrize("flags, why", [
    (["--symlinks"], "the targets of symbolic links are wanted"),
    (["--exclude-caches"], "tagged caches are to be excluded"),
    (["--max-ops", "100000"], "the rate of operations is limited"),
])
def test_an_image_whose_entries_need_a_walk_is_an_error_but_a_file_beside_it_is_none(tmp_path, flags, why):
    image, other = tmp_path / "image", tmp_path / "file"
    subprocess.run(["mke2fs", "-q", "-t", "ext4", image, "16M"], check=True)
    other.write_bytes(b"x" * 2000)
    scanned = scan("--engine", "ext4", "--format", "json", *flags, image, other)
    assert scanned.returncode == 1
    assert not json.loads(scanned.stdout)["accuracy"]["complete"]
    assert f"{image} is counted as a file, not read as an ext4: {why}\n" in scanned.stderr.decode()
    assert scan("--engine", "ext4", *flags, other).returncode == 0


def test_an_engine_for_a_type_of_filesystem_that_is_not_there_says_so(tmp_path):
    engines = ("btrfs", "xfs")
    said = [scan("--engine", engine, "--summary", tmp_path).stderr.decode() for engine in engines]
    assert any(text == f"fathom: no filesystem here is of the type {engine}, so all of them are walked\n"
               for engine, text in zip(engines, said, strict=True))


@NEEDS_MOUNTS
@pytest.mark.parametrize("options, flags, why", [
    ("-O ^metadata_csum", "", "its metadata has no checksums (the feature metadata_csum)"),
    ("", "--symlinks", "the targets of symbolic links are wanted"),
    ("", "--exclude-caches", "tagged caches are to be excluded"),
    ("", "--max-ops 100000", "the rate of operations is limited"),
])
def test_a_filesystem_that_is_walked_is_named_with_the_reason(tmp_path, options, flags, why):
    out = on_ext4(tmp_path, f'"$1" scan --engine ext4 {flags} top 2>&1 >results', options)
    assert out.decode() == f"fathom: the ext4 filesystem of top is walked, not read in bulk: {why}\n"


@NEEDS_MOUNTS
def test_a_user_who_may_not_read_the_device_gets_a_walk(tmp_path):
    (tmp_path / "top").mkdir()
    tmp_path.chmod(0o755)
    out = with_mounts(EXT4.replace("OPTIONS", "") + """
rmdir top/lost+found
setpriv --reuid=65534 --regid=65534 --clear-groups "$1" scan --engine auto --format json top 2>&1 || exit 77
""", tmp_path)
    results, message = out.decode().split("\n", 1)
    assert json.loads(results)["totals"]["files"] == 2
    assert "its block device cannot be read: " in message


@NEEDS_MOUNTS
@pytest.mark.parametrize("user, advice", [(0, " (the engine ext4 reads it anyway)"), (65534, "")])
def test_only_root_is_told_to_read_a_part_in_bulk(tmp_path, user, advice):
    tmp_path.chmod(0o755)
    out = on_ext4(tmp_path, f"""
setpriv --reuid={user} --regid={user} --clear-groups "$1" scan --engine auto top/folder 2>&1 >/dev/null || exit 77
""")
    assert out.decode().endswith(f": the directory is only a part of it{advice}\n")


def test_a_filesystem_of_another_type_is_walked_without_a_message(tmp_path):
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    script = 'mount -t tmpfs tmpfs "$2" || exit 77; exec "$1" scan --engine auto "$2"'
    made = subprocess.run(["unshare", "--mount", "sh", "-ec", script, "sh", FATHOM, tmp_path],
                          env=environment(), capture_output=True, timeout=PATIENCE, check=False)
    if made.returncode in (1, 77):
        pytest.skip(f"mounting is not possible here: {made.stderr.decode()}")
    assert made.returncode == 0
    assert made.stderr == b""


def test_an_unknown_engine_is_refused_with_the_list_of_them():
    refused = scan("--engine", "ntfs")
    assert refused.returncode == 2
    assert b"auto" in refused.stderr and b"btrfs" in refused.stderr


# ---- Snapshots that begin with the one before


def on_image(folder, kind, script):
    """Runs a script in a directory that has `top`, where a new filesystem is mounted."""
    if not shutil.which(f"mkfs.{kind}"):
        pytest.skip(f"mkfs.{kind} is not installed")
    (folder / "top").mkdir()
    return with_mounts(f"""
truncate -s 512M image
mkfs.{kind} -q image >&2 && mount -o loop image top || exit 77
for i in $(seq 50); do mkdir top/$i; echo $i >top/$i/file; done
sync
{script}""", folder).decode()


CHANGES = """
echo more >>top/3/file
rm -r top/4
mv top/5 top/6/moved
mkdir top/new
ln top/7/file top/new/link
"""


@NEEDS_MOUNTS
@pytest.mark.parametrize("kind", ["btrfs", "ext4", "xfs"])
def test_an_incremental_snapshot_has_the_same_bytes_as_a_full_one(tmp_path, kind):
    on_image(tmp_path, kind, '"$1" snapshot --incremental --store store top 2>first' + CHANGES + """
id=$("$1" snapshot --incremental --store store top 2>messages | sed 's/kept \\([^:]*\\).*/\\1/')
test ! -s messages || grep -q 'only btrfs and XFS' messages
"$1" snapshot --store full top
for file in entries dirs errors; do cmp store/$id/$file.parquet full/*/$file.parquet; done
"$1" store verify --store store
""")


@NEEDS_MOUNTS
def test_a_first_incremental_snapshot_says_that_it_reads_everything(tmp_path):
    out = on_image(tmp_path, "btrfs", '"$1" snapshot --incremental --store store top 2>&1')
    assert ("fathom: everything was read: the store has no earlier snapshot of these paths and this selection\n"
            in out)


@NEEDS_MOUNTS
def test_the_metadata_of_an_incremental_snapshot_match_their_schema(tmp_path):
    out = on_image(tmp_path, "btrfs", '"$1" snapshot --incremental --store store top >kept; cat store/*/meta.json')
    meta = json.loads(out)
    assert meta["transactions"]
    schemas.assert_described(meta, "fathom.snapshot/1")


@NEEDS_MOUNTS
def test_an_incremental_snapshot_says_that_an_earlier_one_cannot_be_read(tmp_path):
    out = on_image(tmp_path, "btrfs", """
"$1" snapshot --engine auto --store store top
truncate -s 0 store/*/meta.json
"$1" snapshot --incremental --store store top 2>&1""")
    assert ("everything was read: the store has no earlier snapshot of these paths and this selection; "
            "1 snapshot cannot be read, and `fathom log` says why\n") in out


@NEEDS_MOUNTS
@pytest.mark.parametrize("other", ["--exclude='*.o' top", "top/6"])
def test_an_incremental_snapshot_begins_only_with_one_of_the_same_paths_and_selection(tmp_path, other):
    out = on_image(tmp_path, "btrfs", f"""
"$1" snapshot --engine auto --store store top
"$1" snapshot --incremental --store store {other} 2>&1""")
    assert "no earlier snapshot of these paths and this selection" in out


@NEEDS_MOUNTS
def test_an_incremental_snapshot_names_the_filesystem_that_cannot_tell_what_has_changed(tmp_path):
    out = on_image(tmp_path, "btrfs", """
"$1" snapshot --store store top
"$1" snapshot --incremental --store store top 2>&1""")
    assert ("fathom: everything was read on the btrfs filesystem of top: "
            "the earlier scan walked it, and does not know its state then\n") in out


@NEEDS_MOUNTS
def test_an_incremental_snapshot_begins_with_the_latest_one_that_was_not_walked(tmp_path):
    out = on_image(tmp_path, "btrfs", """
"$1" snapshot --incremental --store store top 2>first
"$1" snapshot --store store top
"$1" snapshot --incremental --store store top 2>&1""")
    assert "everything was read" not in out


@NEEDS_MOUNTS
@pytest.mark.parametrize("option", ["--exclude-caches", "--max-ops=100000"])
def test_an_incremental_snapshot_that_has_to_walk_gives_the_reason_alone(tmp_path, option):
    out = on_image(tmp_path, "btrfs", f'"$1" snapshot --incremental {option} --store store top 2>&1')
    assert "the btrfs filesystem of top is walked, not read in bulk: " in out
    assert "everything was read" not in out


@NEEDS_MOUNTS
def test_a_damaged_snapshot_is_not_the_beginning_of_the_next_one(tmp_path):
    out = on_image(tmp_path, "btrfs", """
"$1" snapshot --incremental --store store top 2>first
truncate -s 100 store/2*/entries.parquet
"$1" snapshot --incremental --store store top 2>&1""")
    assert "fathom: everything was read: " in out
    assert "entries.parquet" in out
    assert out.count("kept ") == 2


@NEEDS_MOUNTS
def test_a_user_gets_a_full_snapshot_and_the_reason(tmp_path):
    tmp_path.chmod(0o777)
    out = on_image(tmp_path, "btrfs", """
chmod 755 top
setpriv --reuid=65534 --regid=65534 --clear-groups \
  "$1" snapshot --incremental --store store top 2>&1 || exit 77""")
    assert "its tree cannot be searched: Operation not permitted" in out
    assert "kept " in out


@NEEDS_MOUNTS
@pytest.mark.parametrize("part", ["", "/6"])
def test_an_incremental_snapshot_after_a_crash_has_what_is_on_the_disk(tmp_path, part):
    """Nothing has written the changes to the disk but the snapshot itself."""
    on_image(tmp_path, "btrfs", f"""
mount -o remount,commit=300 top
head -c 1000000 /dev/urandom >top/6/file
"$1" snapshot --incremental --store store top{part} 2>first
cp image crashed
umount top
mount -o loop crashed top
id=$("$1" snapshot --incremental --store store top{part} 2>messages | sed 's/kept \\([^:]*\\).*/\\1/')
"$1" snapshot --store full top{part}
for file in entries dirs; do cmp store/$id/$file.parquet full/*/$file.parquet; done
""")


@NEEDS_MOUNTS
def test_what_a_scan_saw_while_others_wrote_stays_after_a_crash(tmp_path):
    on_image(tmp_path, "btrfs", """
mount -o remount,commit=300 top
for i in $(seq 20); do mkdir top/d$i; for f in $(seq 200); do : >top/d$i/$f; done; done
sync
(while :; do for i in $(seq 20); do echo x >>top/d$i/100; : >top/d$i/new$((n += 1)); done; done) &
writer=$!
for round in 1 2 3; do "$1" snapshot --incremental --store store top 2>messages; done
kill $writer
wait $writer || :
cp image crashed
umount top
mount -o loop crashed top
id=$("$1" snapshot --incremental --store store top 2>messages | sed 's/kept \\([^:]*\\).*/\\1/')
"$1" snapshot --store full top
for file in entries dirs; do cmp store/$id/$file.parquet full/*/$file.parquet; done
""")


@NEEDS_MOUNTS
def test_an_incremental_snapshot_of_a_part_of_an_ext4_says_that_it_reads_everything(tmp_path):
    out = on_image(tmp_path, "ext4", '"$1" snapshot --incremental --store store top/6 2>&1')
    assert ("fathom: everything was read: only btrfs and XFS can tell root what has changed, "
            "XFS only of a whole filesystem\n") in out


# ---- Snapshots of subvolumes


@NEEDS_MOUNTS
def test_a_scan_of_snapshots_gives_what_a_walk_gives_and_leaves_nothing_behind(tmp_path):
    on_image(tmp_path, "btrfs", """
btrfs -q subvolume create top/inner
mkdir top/inner/folder
echo x >top/inner/folder/file
sync
btrfs -q subvolume snapshot -r top/inner top/copy
"$1" scan --format parquet -o walk.parquet top
"$1" scan --snapshot --format parquet -o frozen.parquet top 2>messages
test ! -s messages
cmp walk.parquet frozen.parquet
test -z "$(find top -name '.fathom*')"
btrfs subvolume list top | wc -l | grep -qx 2
""")


@NEEDS_MOUNTS
def test_snapshots_of_processes_that_were_killed_are_removed_and_no_others(tmp_path):
    on_image(tmp_path, "btrfs", """
for name in 1 2 3; do btrfs -q subvolume snapshot -r top top/.fathom-snapshot-$name; done
btrfs -q subvolume snapshot top top/.fathom-snapshot-writable
mkdir top/.fathom-snapshot-folder
exec 9<top/.fathom-snapshot-2
flock 9
"$1" scan --snapshot --summary top >results
ls -d top/.fathom* | tr '\\n' ' ' >left
exec 9<&-
grep -qx 'top/.fathom-snapshot-2 top/.fathom-snapshot-folder top/.fathom-snapshot-writable ' left
""")


@NEEDS_MOUNTS
def test_what_is_not_read_from_a_snapshot_is_named(tmp_path):
    out = on_image(tmp_path, "ext4", '"$1" scan --snapshot --summary top 2>&1 >results')
    assert out == ("fathom: top was not read from a snapshot, "
                   "so changes during the scan may be seen there\n")


@NEEDS_MOUNTS
def test_a_part_of_a_subvolume_has_no_snapshot(tmp_path):
    out = on_image(tmp_path, "btrfs", '"$1" scan --snapshot --engine btrfs --summary top/7 2>&1 >results')
    assert "the directory is only a part of it, which has no snapshots" in out


@pytest.mark.parametrize("command", ["scan", "snapshot"])
@pytest.mark.parametrize("engine", ["serial", "xfs"])
def test_engines_that_do_not_read_btrfs_have_no_snapshots(tmp_path, command, engine):
    run = subprocess.run(
        [FATHOM, command, "--snapshot", "--engine", engine, tmp_path],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False)
    assert run.returncode == 2
    assert f"options '--snapshot' and '--engine {engine}' exclude each other" in run.stderr


@pytest.mark.parametrize("engine", ["serial", "pool", "steal"])
def test_engines_that_look_at_everything_are_not_incremental(tmp_path, engine):
    run = subprocess.run(
        [FATHOM, "snapshot", "--incremental", "--engine", engine, "--store", tmp_path / "store", tmp_path],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(), check=False)
    assert run.returncode == 2
    assert f"options '--incremental' and '--engine {engine}' exclude each other" in run.stderr
    assert not (tmp_path / "store").exists()
