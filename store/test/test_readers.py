"""Other programs read the Parquet files of `fathom scan --format parquet`: every column and every value.

scripts/check-parquet runs this with pyarrow, DuckDB and Polars. FATHOM names the command.
"""

import os
import pathlib
import stat
import subprocess

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest

FATHOM = os.environ["FATHOM"]
PATIENCE = 300  # seconds after which the command counts as hung
NAMES = (b"plain.txt", b"two words.TAR.gz", b"\xff\xfe.Bin", "größe.mp3".encode(), b"new\nline", b".hidden",
         b"x" * 255, b"quote\"'", b"back\\slash")
TYPES = {stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "symlink"}


def export(path: pathlib.Path, to: pathlib.Path, *options: str) -> pathlib.Path:
    ran = subprocess.run([FATHOM, "scan", path, "--format", "parquet", "-o", to, *options], capture_output=True,
                         check=False, timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return to


@pytest.fixture(name="tree", scope="module")
def fixture_tree(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A tree of hostile names, links and a sparse file."""
    root = tmp_path_factory.mktemp("tree")
    for number in range(20):
        below = root / f"dir {number}" / "sub"
        below.mkdir(parents=True)
        for size, name in enumerate(NAMES):
            with open(os.path.join(os.fsencode(below), name), "wb") as file:
                file.write(b"x" * (size * 5000 + number))
    os.link(root / "dir 0" / "sub" / "plain.txt", root / "another name")
    (root / "link").symlink_to("nowhere")
    with open(root / "sparse", "wb") as file:
        file.truncate(1 << 42)
    os.mkfifo(root / "fifo")
    os.utime(root / "sparse", ns=(0, -1_500_000_001))
    return root


@pytest.fixture(name="file", scope="module")
def fixture_file(tree: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return export(tree, tmp_path_factory.mktemp("out") / "tree.parquet")


def sql(query: str) -> list[tuple]:
    return duckdb.sql(query).fetchall()


def raw_name(row: dict) -> bytes:
    return row["name_raw"] if row["name_raw"] is not None else os.fsencode(row["name"])


def expected_row(path: bytes) -> dict:
    seen = os.lstat(path)
    return {"type": TYPES.get(stat.S_IFMT(seen.st_mode), "other"), "mode": seen.st_mode, "size": seen.st_size,
            "blocks": seen.st_blocks, "dev": seen.st_dev, "ino": seen.st_ino, "nlink": seen.st_nlink,
            "uid": seen.st_uid, "gid": seen.st_gid, "mtime_ns": seen.st_mtime_ns, "ctime_ns": seen.st_ctime_ns}


def test_pyarrow_reads_every_value(tree, file):
    table = pyarrow.parquet.read_table(file, page_checksum_verification=True)
    rows = table.to_pylist()
    paths: list[bytes] = []
    for number, row in enumerate(rows):
        assert row["id"] == number
        above = row["parent_id"]
        paths.append(raw_name(row) if above is None else os.path.join(paths[above], raw_name(row)))
        assert {key: row[key] for key in expected_row(paths[-1])} == expected_row(paths[-1]), paths[-1]
        assert row["depth"] == (0 if above is None else rows[above]["depth"] + 1)
        assert row["dir"] == (None if above is None else paths[above].decode())
    below = [os.fsencode(tree), *(os.path.join(folder, name) for folder, folders, names in os.walk(os.fsencode(tree))
                                  for name in folders + names)]
    assert sorted(paths) == sorted(below)


def test_all_readers_agree(file):
    by_pyarrow = pyarrow.parquet.read_table(file).to_pylist()
    columns = list(by_pyarrow[0])
    by_duckdb = [dict(zip(columns, row, strict=True))
                 for row in sql(f"select {', '.join(columns)} from '{file}' order by id")]
    assert by_duckdb == by_pyarrow
    assert polars.read_parquet(file).to_dicts() == by_pyarrow


def test_readers_see_the_documented_types(file):
    unsigned = {**dict.fromkeys(("id", "subtree_end", "parent_id", "dev", "ino"), "uint64"), "mode": "uint16",
                **dict.fromkeys(("depth", "nlink", "uid", "gid"), "uint32"), "flags": "uint8"}
    signed = dict.fromkeys(("size", "blocks", "charged_blocks", "mtime_ns", "ctime_ns", "btime_ns"), "int64")
    text = dict.fromkeys(("dir", "name", "ext", "type", "fs_uuid"), "string")
    schema = pyarrow.parquet.read_schema(file)
    assert {field.name: str(field.type) for field in schema} == {**unsigned, **signed, **text, "name_raw": "binary"}
    assert schema.metadata == {b"fathom.schema": b"fathom.entries/1"}


def test_statistics_contain_every_value(file):
    metadata = pyarrow.parquet.ParquetFile(file).metadata
    table = pyarrow.parquet.read_table(file)
    for index in range(metadata.num_columns):
        column = metadata.row_group(0).column(index)
        values = [value for value in table.column(index).to_pylist() if value is not None]
        assert column.statistics.null_count == len(table) - len(values)
        if column.statistics.has_min_max:
            assert (column.statistics.min, column.statistics.max) == (min(values), max(values)), column.path_in_schema


def test_the_sum_is_that_of_du(tree, file):
    du = subprocess.run(["du", "-s", "--block-size=1", tree], capture_output=True, check=True, timeout=PATIENCE)
    [(total,)] = sql(f"select sum(charged_blocks) * 512 from '{file}'")
    assert int(total) == int(du.stdout.split()[0])


def test_a_subtree_is_an_interval(tree, file):
    [(begin, end)] = sql(f"select id, subtree_end from '{file}' where dir = '{tree}' and name = 'dir 7'")
    [(names,)] = sql(f"select count(*) from '{file}' where id > {begin} and id < {end}")
    assert names == 1 + len(NAMES)


@pytest.fixture(name="snapshot", scope="module")
def fixture_snapshot(tree: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The directory of a snapshot in a store."""
    store = tmp_path_factory.mktemp("keep") / "store"
    subprocess.run([FATHOM, "snapshot", tree, "--store", store], capture_output=True, check=True, timeout=PATIENCE)
    [kept] = [place for place in store.iterdir() if place.is_dir()]
    return kept


def test_all_readers_agree_about_the_tables_of_a_snapshot(snapshot):
    for name in ("entries", "dirs", "errors"):
        file = snapshot / f"{name}.parquet"
        by_pyarrow = pyarrow.parquet.read_table(file, page_checksum_verification=True)
        columns = by_pyarrow.column_names
        rows = by_pyarrow.to_pylist()
        by_duckdb = sql(f"select {', '.join(columns)} from '{file}'")
        assert [dict(zip(columns, row, strict=True)) for row in by_duckdb] == rows
        assert polars.read_parquet(file).to_dicts() == rows


def test_directories_have_the_sums_of_their_entries(snapshot):
    dirs, entries = snapshot / "dirs.parquet", snapshot / "entries.parquet"
    differing = sql(f"""
        select d.id from '{dirs}' as d join '{entries}' as e on e.id >= d.id and e.id < d.subtree_end
        group by d.id, d.disk_bytes, d.files, d.dirs, d.symlinks, d.others
        having sum(e.charged_blocks) * 512 != d.disk_bytes or count_if(e.type = 'file') != d.files
            or count_if(e.type = 'directory') != d.dirs or count_if(e.type = 'symlink') != d.symlinks
            or count_if(e.type = 'other') != d.others""")
    assert differing == []
    assert sql(f"select count(*) from '{dirs}'") == sql(f"select count(*) from '{entries}' where type = 'directory'")


def test_the_subdirectories_of_a_directory_are_an_interval(snapshot):
    rows = pyarrow.parquet.read_table(snapshot / "dirs.parquet").to_pylist()
    for row in rows:
        below = rows[row["first_subdir"]:row["first_subdir"] + row["subdirs"]]
        assert [inside["parent_id"] for inside in below] == [row["id"]] * row["subdirs"]
    assert sum(row["subdirs"] for row in rows) == len(rows) - 1


def test_readers_accept_an_empty_directory(tmp_path):
    (tmp_path / "empty").mkdir()
    file = export(tmp_path / "empty", tmp_path / "empty.parquet")
    assert len(pyarrow.parquet.read_table(file)) == 1
    assert sql(f"select count(*) from '{file}'") == [(1,)]
    assert len(polars.read_parquet(file)) == 1


def test_a_large_tree_has_several_row_groups(tmp_path):
    root = tmp_path / "many"
    count = 140_000
    for folder in range(14):
        (root / f"{folder:02}").mkdir(parents=True)
        for number in range(count // 14):
            os.close(os.open(root / f"{folder:02}" / f"f{number}", os.O_CREAT | os.O_WRONLY))
    file = export(root, tmp_path / "many.parquet")
    assert pyarrow.parquet.ParquetFile(file).metadata.num_row_groups == 2
    assert sql(f"select count(*), count(distinct dir || '/' || name), max(id) from '{file}'") \
        == [(count + 15, count + 14, count + 14)]
    assert polars.scan_parquet(file).filter(polars.col("name") == "f9999").collect().height == 14
