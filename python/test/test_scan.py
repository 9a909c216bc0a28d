"""Scans as tables."""

import contextlib
import datetime
import errno
import os
import pathlib
import signal
import subprocess
import sys
import threading

import duckdb
import pandas
import polars
import pyarrow
import pytest

import fathom
from conftest import BAD_NAME, command, disk_bytes
from fathom import _progress


def test_the_sum_of_a_frame_is_that_of_du(tree):
    frame = fathom.scan(tree).to_pandas()
    assert frame["charged_blocks"].sum() * 512 == disk_bytes(tree)


def test_totals_are_those_of_du_and_the_command(tree):
    scan = fathom.scan(tree)
    assert scan.totals.disk_bytes == disk_bytes(tree)
    assert scan.totals.entries == len(scan) == 10
    assert scan.totals.symlinks == 1
    assert scan.complete
    assert scan.roots == [str(tree)]


def test_entries_are_those_of_format_parquet(tree, tmp_path):
    command("scan", tree, "--format", "parquet", "-o", tmp_path / "tree.parquet")
    wanted = duckdb.sql(f"select * from '{tmp_path}/tree.parquet'").fetchall()
    scan = fathom.scan(tree)
    assert duckdb.sql("select * from scan").fetchall() == wanted
    assert scan.columns == duckdb.sql("select * from scan").columns


def test_the_length_is_the_number_of_rows(tree, tmp_path):
    some = fathom.scan(tree, min_size="100k")
    kept = fathom.snapshot(tree, min_size="100k", store=tmp_path / "store")
    assert len(some) == len(kept) == some.to_arrow().num_rows == 6
    assert len(fathom.open(kept.snapshot.path)) == 6
    assert some.totals.entries == 2
    assert fathom.scan(tree, min_size="1T")


def test_all_libraries_take_a_scan_as_it_is(tree):
    scan = fathom.scan(tree)
    table = pyarrow.table(scan)
    table.validate(full=True)
    assert polars.DataFrame(scan).height == table.num_rows == len(scan)
    assert pandas.DataFrame.from_arrow(scan).shape == scan.to_pandas().shape == (len(scan), len(scan.columns))
    assert duckdb.sql("select count(*) from scan").fetchall()[0] == (len(scan),)


def test_a_table_may_be_read_many_times_and_outlives_the_scan(tree):
    scan = fathom.scan(tree)
    first = scan.to_arrow()
    owners = scan.reports.owners()
    stream = pyarrow.RecordBatchReader.from_stream(scan)
    assert scan.to_arrow().equals(first)
    del scan
    assert stream.read_all().equals(first)
    assert owners[0]["disk_bytes"] == disk_bytes(tree)


def test_the_extension_shows_only_its_entry_point():
    ran = subprocess.run(["nm", "-D", "--defined-only", fathom._fathom.__file__],
                         capture_output=True, text=True, check=True, timeout=300)
    assert [line.split()[-1] for line in ran.stdout.splitlines()] == ["PyInit__fathom"]


def test_a_stream_that_nobody_reads_is_freed(tree):
    scan = fathom.scan(tree)
    for _ in range(100):
        scan.__arrow_c_stream__()


def test_batches_join_without_a_seam(tmp_path):
    for number in range(70):
        (tmp_path / f"{number:02}").mkdir()
        for name in range(1000):
            (tmp_path / f"{number:02}" / f"a longer name of a file {name:03}").touch()
    table = fathom.scan(tmp_path).to_arrow()
    assert table["id"].num_chunks > 1
    assert table["id"].to_pylist() == list(range(70_071))
    paths = [f"{above}/{name}" for above, name in zip(table["dir"].to_pylist()[1:], table["name"].to_pylist()[1:])]
    assert paths == sorted(paths)


def test_selected_columns_have_the_order_that_was_asked(tree):
    some = fathom.scan(tree).select("size", "name").to_arrow()
    assert some.column_names == ["size", "name"]
    with pytest.raises(fathom.Error, match="no column 'nam'"):
        fathom.scan(tree).select("nam").to_arrow()


def test_a_moment_within_a_second_is_not_its_beginning(tmp_path):
    (tmp_path / "file").touch()
    os.utime(tmp_path / "file", (1_600_000_000, 1_600_000_000))
    later = datetime.datetime.fromtimestamp(1_600_000_000.5)
    assert fathom.scan(tmp_path, newer=later).totals.files == 0
    assert fathom.scan(tmp_path, older=later).totals.files == 1


def test_a_moment_that_cannot_be_counted_is_a_wrong_argument(tree):
    with pytest.raises(fathom.UsageError, match="0001-01-01 00:00:00 cannot be counted"):
        fathom.scan(tree, newer=datetime.datetime.min)


def test_names_that_are_not_text_keep_their_bytes(tree):
    row = fathom.scan(tree).sql("select name, name_raw, ext from entries where name_raw is not null").fetchall()[0]
    assert row == ("\\xff\\xfe.Bin", BAD_NAME, "bin")
    largest = fathom.scan(tree, only=["*.Bin"]).reports.largest_files(1)
    assert os.fsencode(largest[0]["path"]) == os.fsencode(tree) + b"/" + BAD_NAME
    assert largest.to_arrow()["path_raw"].to_pylist() == [os.fsencode(tree) + b"/" + BAD_NAME]


def test_options_mean_what_the_flags_mean(tree):
    assert fathom.scan(tree, exclude="projects/").totals.dirs == 1
    assert fathom.scan(tree, ext=["txt", "bin"]).totals.files == 4
    assert fathom.scan(tree, type=["dir", "link"], min_size=0).totals.files == 0
    assert fathom.scan(tree, older=datetime.date(2021, 1, 1)).totals.files == 1
    assert fathom.scan(tree, newer=datetime.timedelta(days=1), type="f").totals.files == 4
    assert fathom.scan(tree, older=datetime.timedelta(milliseconds=1), ext="bin", min_size=10_000).totals.files == 1
    assert fathom.scan(tree, min_size="100k", threads=1, engine="serial").totals.files == 2
    assert fathom.scan(tree, where="size > 100k and age > 1000d").totals.files == 1
    assert fathom.scan([tree / "projects", str(tree / "link"), os.fsencode(tree / "another name")]).totals.entries == 8


def test_words_may_come_from_any_iterable(tree):
    assert fathom.scan(tree, exclude=(rule for rule in ["projects/"])).totals.dirs == 1
    assert fathom.scan(tree, ext={"txt": 1, "bin": 2}.keys()).totals.files == 4
    assert fathom.scan(path for path in [tree / "projects"]).roots == [str(tree / "projects")]


def test_no_paths_do_not_mean_the_current_directory(tree, monkeypatch):
    monkeypatch.chdir(tree)
    for call in (fathom.scan, fathom.snapshot, fathom.duplicates):
        with pytest.raises(fathom.UsageError, match="there are no paths"):
            call([])


def test_switches_are_true_or_false_and_other_options_are_not(tree):
    (tree / ".hidden").touch()
    assert fathom.scan(tree, no_hidden=1).totals.entries == 10  # type: ignore[arg-type]
    assert fathom.scan(tree, no_hidden=0).totals.entries == 11  # type: ignore[arg-type]
    with pytest.raises(fathom.UsageError, match="'no_hidden' takes True or False, not 'yes'"):
        fathom.scan(tree, no_hidden="yes")  # type: ignore[arg-type]
    # Without the check, the next option would be the value.
    with pytest.raises(fathom.UsageError, match="'exclude' needs a value, not True"):
        fathom.scan(tree, exclude=True, min_size=5)  # type: ignore[arg-type]


def test_wrong_options_are_value_errors_that_name_the_argument(tree):
    with pytest.raises(ValueError, match="argument 'min_size' takes a size"):
        fathom.scan(tree, min_size="big")
    with pytest.raises(fathom.UsageError, match="'newer' and 'older' exclude each other"):
        fathom.scan(tree, newer="1d", older="2d")
    for no_file in ("", "-"):
        with pytest.raises(fathom.UsageError, match="argument 'exclude_from' (needs a value|takes .*, not '-')"):
            fathom.scan(tree, exclude_from=no_file)


def test_wrong_arguments_of_reports_are_refused_in_words(tree):
    scan = fathom.scan(tree)
    with pytest.raises(fathom.UsageError, match="'count' takes a number from 0, not -1"):
        scan.reports.largest_files(-1)
    assert len(scan.reports.largest_files(2**70)) == 5
    with pytest.raises(TypeError, match="integer"):
        scan.reports.largest_files(2.5)  # type: ignore[arg-type]
    with pytest.raises(fathom.UsageError, match="is not an age"):
        scan.reports.recent("7\udcff")
    for columns in ((), ("nam",), ("n\udcff",), (["name", "size"],)):
        with pytest.raises(fathom.UsageError, match="column"):
            scan.select(*columns)


def test_examples_of_times_are_those_of_python(tree):
    with pytest.raises(fathom.UsageError, match=r"examples:\n  newer='12h' +ago; .*\n  newer='yesterday'"):
        fathom.scan(tree, newer="soon")


def test_a_missing_path_is_a_file_not_found_error(tmp_path):
    assert repr(fathom.NotFound) == "<class 'fathom.NotFound'>"
    with pytest.raises(FileNotFoundError, match="No such file") as caught:
        fathom.scan(tmp_path / "missing")
    assert isinstance(caught.value, fathom.Error)
    assert caught.value.errno == errno.ENOENT


def test_what_cannot_be_read_is_data(tree):
    scan = fathom.scan([tree, tree / "missing"])
    assert not scan.complete
    assert [(row["path"], row["operation"]) for row in scan.errors] == [(str(tree / "missing"), "open")]


def test_reports_are_those_of_the_command(tree):
    scan = fathom.scan(tree, links=True, explain=True)
    reports = [name for name in dir(scan.reports) if not name.startswith("_")]
    flags = command("scan", "--help").split("Output:")[0]
    assert sorted(reports) == sorted(
        line.split()[0][2:].replace("-", "_") for line in flags.splitlines()
        if line.startswith("      --") and "--tree" not in line)
    for name in reports:
        table = getattr(scan.reports, name)()
        assert table.to_arrow().num_rows == len(table) == len(list(table))
    assert scan.reports.symlinks()[0]["target"] == "nowhere"
    assert scan.reports.largest_files(1)[0]["path"] == str(tree / "projects" / "apollo" / "data.bin")
    assert scan.reports.recent("1d")[-1]["path"] != scan.reports.recent(datetime.timedelta(days=9999))[-1]["path"]
    with pytest.raises(fathom.UsageError, match="is not an age"):
        scan.reports.recent("soon")


def test_a_table_says_how_many_paths_are_too_long_for_it(tree, monkeypatch):
    monkeypatch.chdir(tree / "projects")
    for _ in range(50):
        os.mkdir("d" * 99)
        os.chdir("d" * 99)
    scan = fathom.scan(tree)
    metrics = scan.reports.metrics()
    assert metrics.too_long > 5
    assert len(metrics) + metrics.too_long == scan.totals.dirs == 54
    assert scan.reports.owners().too_long == 0


def test_rows_are_indexed_like_a_list(tree):
    table = fathom.scan(tree).reports.largest_files(3)
    assert table[-1] == table[2] == table[0:3][2]
    with pytest.raises(IndexError, match="3 rows"):
        table[3]


def test_progress_is_called_and_may_stop_the_scan():
    seen: list[fathom.Progress] = []

    def stop(known: fathom.Progress) -> None:
        seen.append(known)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fathom.scan("/", threads=1, max_ops=100, progress=stop)
    assert len(seen) == 1
    with pytest.raises(ValueError, match="not 'line'"):
        fathom.scan("/", progress="line")


@pytest.mark.parametrize("library", ["rich", "tqdm"])
def test_progress_bars_end_with_the_scan(tree, library):
    assert fathom.scan(tree, progress=library).complete


def test_names_do_not_reach_the_terminal_as_they_are(tmp_path):
    folder = tmp_path / "\x1b[31m\n\udcff é"
    folder.mkdir()
    texts = [repr(fathom.scan(folder)), _progress._text(fathom.Progress(1, 1, 1.0, str(folder)))]
    for missing in (lambda: fathom.open(folder / "missing"), lambda: fathom.snapshots(store=folder / "missing")):
        with pytest.raises(fathom.NotFound) as caught:
            missing()
        texts.append(str(caught.value))
    texts[-1] = texts[-1].replace(r"\xff", r"\udcff")
    for text in texts:
        assert "\\x1b[31m\\n\\udcff é" in text
        assert text.isprintable()


def test_control_c_ends_a_scan():
    # No Python code runs in the scan, which therefore has to look for signals itself.
    def scans() -> bool:
        for task in pathlib.Path("/proc/self/task").glob("*/comm"):
            with contextlib.suppress(OSError):  # the thread has ended
                if task.read_text(encoding="utf-8").startswith("fathom"):
                    return True
        return False

    def interrupt() -> None:
        while not scans():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may have been told to ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            fathom.scan("/", threads=1, max_ops=100)
    finally:
        signal.signal(signal.SIGINT, before)
    thread.join()


@pytest.fixture(name="no_switches")
def fixture_no_switches():
    """Python changes the thread only when the one that runs gives its lock away."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


def test_other_threads_run_during_a_scan(no_switches):
    told = threading.Event()
    ran = threading.Event()
    calls: list[fathom.Progress] = []

    def other() -> None:
        told.wait(300)
        ran.set()

    def look_for_other(known: fathom.Progress) -> None:
        calls.append(known)
        told.set()
        if ran.is_set() or len(calls) == 100:
            raise StopIteration

    thread = threading.Thread(target=other)
    thread.start()
    with pytest.raises(StopIteration):
        fathom.scan("/", threads=1, max_ops=100, progress=look_for_other)
    assert ran.is_set()
    thread.join()


def test_other_threads_run_while_rules_are_read(tree, tmp_path, no_switches):
    rules = tmp_path / "rules"
    os.mkfifo(rules)
    for call in (fathom.scan, fathom.duplicates):
        thread = threading.Thread(target=rules.write_text, args=("projects/\n", "utf-8"))
        thread.start()
        call(tree, exclude_from=rules)  # waits for the other thread
        thread.join()


def test_python_may_end_while_a_daemon_thread_scans():
    code = """if True:
        import threading, fathom
        told = threading.Event()
        scan = lambda: fathom.scan("/", threads=1, max_ops=100, progress=lambda known: told.set())
        for _ in range(2):
            threading.Thread(target=scan, daemon=True).start()
        told.wait(300)
        """
    ends_in_silence(code)


def test_python_may_end_while_a_daemon_thread_makes_a_stream():
    code = """if True:
        import os, sys, threading, fathom
        scan = fathom.scan(os.path.dirname(os.__file__))
        sys.setswitchinterval(1000)  # the thread goes on until it works without the lock
        threading.Thread(target=scan.__arrow_c_stream__, daemon=True).start()
        """
    ends_in_silence(code)


def ends_in_silence(code):
    for _ in range(3):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
        assert (ran.returncode, ran.stderr) == (0, "")


def test_any_thread_may_use_a_scan(tree):
    wanted = fathom.scan(tree).to_arrow()
    scan = fathom.scan(tree)
    begin = threading.Barrier(8)
    same: list[bool] = []

    def read() -> None:
        begin.wait(300)
        same.append(scan.to_arrow().equals(wanted) and len(scan.reports.metrics()) == 4)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same == [True] * 8


def test_exports_of_ncdu_are_scans(tree, tmp_path):
    export = tmp_path / "export.json"
    command("scan", tree, "--format", "ncdu", "-o", export)
    scan = fathom.open(export)
    assert scan.totals == fathom.scan(tree).totals
    assert scan.snapshot is None
    assert scan.select("ctime_ns").to_arrow()["ctime_ns"].null_count == len(scan)
    pathlib.Path(export).write_text("[1,", encoding="utf-8")
    with pytest.raises(fathom.Error, match="line 1") as caught:
        fathom.open(export)
    assert not isinstance(caught.value, ValueError)


def test_an_export_that_cannot_be_reached_is_not_said_to_be_missing(tmp_path):
    long = tmp_path / ("x" * 300)
    with pytest.raises(fathom.Error, match="File name too long") as caught:
        fathom.open(long)
    assert not isinstance(caught.value, fathom.NotFound)
