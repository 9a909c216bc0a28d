"""Output of results: files are complete or absent, pipes may close, disks may be full."""

import fcntl
import os
import re
import resource
import signal
import stat
import struct
import subprocess
import termios

import pytest

from conftest import (
    FATHOM,
    NOBODY,
    PATIENCE,
    as_nobody,
    calls_of,
    catches,
    environment,
    let_nobody_through,
    library_to_preload,
    needs_proc,
    run,
    scan,
    stalled_pipe,
    until,
)


def folder_of(path):
    return sorted(os.listdir(path.parent))


@pytest.mark.parametrize("option", [["-o"], ["--output"]])
def test_a_file_gets_the_same_output_as_standard_output(tree, tmp_path, option):
    results = tmp_path / "results"
    told = scan(*option, str(results), "--largest-files", "5", str(tree))
    assert (told.returncode, told.stdout, told.stderr) == (0, b"", b"")
    assert results.read_bytes() == scan("--largest-files", "5", str(tree)).stdout


def waiting_in(pipe):
    """The number of bytes that can be read from the pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"))[0]



def test_a_new_file_gets_the_default_permissions(small, tmp_path):
    results = tmp_path / "results"
    subprocess.run(["sh", "-c", 'umask 027; exec "$@"', "sh", FATHOM, "scan", "-o", results, small],
                   check=True, timeout=PATIENCE)
    assert stat.S_IMODE(results.stat().st_mode) == 0o640


def test_an_old_file_keeps_its_permissions(small, tmp_path):
    results = tmp_path / "results"
    results.write_text("old" * 10_000)
    results.chmod(0o604)
    assert scan("-o", str(results), "--summary", str(small)).returncode == 0
    assert stat.S_IMODE(results.stat().st_mode) == 0o604
    assert results.read_bytes().startswith(b"Summary\n")
    assert b"old" not in results.read_bytes()


PREFER_THEM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int close(int descriptor) {
  struct stat status;
  const char* wanted = getenv("FULL_WHEN_CLOSED");
  struct stat full;
  int is_full = wanted && !fstat(descriptor, &status) && !stat(wanted, &full) &&
                status.st_dev == full.st_dev && status.st_ino == full.st_ino;
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
  int result = real(descriptor);
  if (!is_full) return result;
  errno = ENOSPC;
  return -1;
}
"""


@pytest.fixture
def full_when_closed(tmp_path):
    """An environment in which closing `results` fails, as on a full network disk."""
    return {"LD_PRELOAD": library_to_preload(tmp_path, PREFER_THEM), "FULL_WHEN_CLOSED": str(tmp_path / "results")}


@pytest.mark.parametrize("way", ["standard output", "/dev/fd", "written directly"])
def test_an_error_of_close_is_reported(small, tmp_path, full_when_closed, way):
    results = tmp_path / "results"
    results.touch()
    arguments = {"standard output": [], "/dev/fd": ["-o", "/dev/fd/2"]}.get(way)
    if arguments is None:
        results.unlink()
        os.mkfifo(results)  # not a regular file, so it is not replaced
        arguments = ["-o", str(results)]
        reader = os.open(results, os.O_RDONLY | os.O_NONBLOCK)
    with open(results if way != "written directly" else tmp_path / "log", "wb") as file:
        streams = {"stdout": subprocess.DEVNULL, "stderr": file} if way == "/dev/fd" else {
            "stdout": file}
        failed = scan(*arguments, "--summary", str(small), env=full_when_closed, **streams)
    assert failed.returncode == 1
    if way == "standard output":
        assert failed.stderr == (b"fathom: cannot write to standard output: No space left on "
                                 b"device\n")
    if way == "written directly":
        os.close(reader)


def test_a_replacement_file_is_private_from_the_start(small, tmp_path):
    results = tmp_path / "results"
    results.touch()
    results.chmod(0o600)
    made = [line for line in calls_of("openat", "-o", results, small, log=tmp_path / "log")
            if "/.fathom-" in line]
    assert made and all(re.search(r"O_CREAT.*, 0600\)", line) for line in made)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can create files of another user")
@pytest.mark.parametrize("groups, before, after_replacing", [
    ([3000], 0o660, (3000, 0o660)), ([3000], 0o6660, (3000, 0o660)), ([], 0o666, (NOBODY, 0o606))], ids=str)
def test_a_replaced_file_of_another_user_opens_to_no_other_group(tmp_path, groups, before, after_replacing):
    results = tmp_path / "results"
    results.touch()
    os.chown(results, 2000, 3000)
    results.chmod(before)
    tmp_path.chmod(0o777)
    let_nobody_through(tmp_path)
    ran = scan("-o", str(results), "--summary", "/dev/null", **as_nobody() | {"extra_groups": groups})
    assert (ran.returncode, ran.stderr) == (0, b"")
    now = results.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (NOBODY, *after_replacing)


def test_nothing_else_is_left_beside_the_file(small, tmp_path):
    results = tmp_path / "results"
    before = folder_of(results)
    assert scan("-o", str(results), str(small)).returncode == 0
    assert folder_of(results) == sorted([*before, "results"])


def test_the_scan_does_not_find_its_own_output(small):
    text = scan("-o", "results", "--summary", ".", cwd=small)
    assert text.returncode == 0
    assert re.search(r"^  Files +1$", (small / "results").read_text(), re.M)


def test_a_link_to_a_file_stays_a_link(small, tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to("target")
    assert scan("-o", str(link), "--summary", str(small)).returncode == 0
    assert link.is_symlink()
    assert target.read_bytes().startswith(b"Summary\n")


def test_a_dangling_link_gets_its_file(small, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("target")
    assert scan("-o", str(link), "--summary", str(small)).returncode == 0
    assert (tmp_path / "target").read_bytes().startswith(b"Summary\n")


def test_a_dangling_link_gets_its_file_only_with_the_results(small):
    (small / "first link").symlink_to("second link")
    (small / "second link").symlink_to(small / "results")
    assert scan("-o", "first link", "--summary", ".", cwd=small).returncode == 0
    assert (small / "first link").is_symlink() and (small / "second link").is_symlink()
    assert re.search(r"^  Files +1$", (small / "results").read_text(), re.M)


def test_a_link_to_itself_is_refused(small, tmp_path):
    (tmp_path / "link").symlink_to("link")
    assert scan("-o", str(tmp_path / "link"), str(small)).returncode == 2
    assert (tmp_path / "link").is_symlink()


def test_a_file_that_cannot_be_replaced_is_written_to(sticky):
    before = (sticky / "results").stat().st_ino
    written = scan("-o", str(sticky / "results"), "--summary", "/dev/null", **as_nobody())
    assert (written.returncode, written.stderr) == (0, b"")
    assert (sticky / "results").stat().st_ino == before
    assert (sticky / "results").read_bytes().startswith(b"Summary\n")
    assert b"old" not in (sticky / "results").read_bytes()
    assert os.listdir(sticky) == ["results"]


def test_an_existing_temporary_name_is_not_touched(small, tmp_path):
    ran = subprocess.run(["sh", "-c", 'echo theirs > .fathom-$$-0; exec "$@"', "sh", FATHOM, "scan",
                          "-o", "results", small], cwd=tmp_path, check=False, timeout=PATIENCE)
    assert ran.returncode == 0
    taken, = tmp_path.glob(".fathom-*")
    assert taken.read_text() == "theirs\n"


@pytest.mark.parametrize("name", ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"])
def test_an_open_file_gets_the_results_at_its_offset(small, tmp_path, name):
    log = tmp_path / "log"
    with open(log, "wb", buffering=0) as opened:
        opened.write(b"before\n")
        assert scan("-o", name, "--summary", str(small), stderr=opened).returncode == 0
        assert os.path.samestat(os.fstat(opened.fileno()), log.stat())
    assert log.read_bytes().startswith(b"before\nSummary\n")


def test_any_descriptor_can_be_named(small):
    read, write = os.pipe()
    scanned = scan("-o", f"/dev/fd/{write}", "--summary", str(small), pass_fds=[write])
    os.close(write)
    with open(read, "rb") as results:
        assert results.read().startswith(b"Summary\n")
    assert (scanned.returncode, scanned.stdout) == (0, b"")


@pytest.mark.parametrize("name", ["/dev/fd/999", "/dev/fd/0"], ids=["closed", "read-only"])
def test_a_descriptor_that_cannot_be_written_is_refused(small, name):
    with open("/dev/null", "rb") as null:
        refused = scan("-o", name, str(small), stdin=null)
    assert refused.returncode == 2
    assert refused.stderr == f"fathom: cannot write to {name}: Bad file descriptor\n".encode()


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_has_names(small, name):
    assert scan("-o", name, "--summary", str(small)).stdout.startswith(b"Summary\n")


def test_a_device_is_written_and_not_replaced(small):
    assert scan("-o", "/dev/null", str(small)).returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("name", ["missing/results", "folder", "folder/", "file/results", "new/"])
def test_an_unwritable_output_is_refused_before_the_scan(tmp_path, small, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    refused = scan("-o", str(tmp_path / name) + ("/" if name.endswith("/") else ""), str(small))
    assert refused.returncode == 2
    assert re.fullmatch(rb"fathom: cannot write to [^\n]+\n", refused.stderr)


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


def test_a_file_that_cannot_be_completed_is_not_created(small, tmp_path):
    results = tmp_path / "results"
    results.write_text("old")
    before = folder_of(results)
    failed = scan("-o", str(results), "--summary", str(small), preexec_fn=limit_file_size)
    assert failed.returncode == 1
    assert re.fullmatch(rb"fathom: cannot write to [^\n]+: File too large\n", failed.stderr)
    assert results.read_text() == "old"
    assert folder_of(results) == before


def test_a_full_disk_is_an_error(small):
    for arguments in (["-o", "/dev/full"], []):
        with open("/dev/full", "wb") as full:
            failed = scan(*arguments, str(small), stdout=full)
        assert failed.returncode == 1
        assert re.fullmatch(rb"fathom: cannot write to [^\n]+: No space left on device\n",
                            failed.stderr)


@pytest.mark.parametrize("arguments", [["--largest-files", "100"], ["--format", "json"], []],
                         ids=["report", "json", "tree view"])
def test_a_closed_pipe_is_not_an_error(tree, arguments):
    read, write = os.pipe()
    os.close(read)
    scanned = scan(*arguments, str(tree), stdout=write)
    os.close(write)
    assert (scanned.returncode, scanned.stderr) == (0, b"")


def test_a_pipe_that_closes_early_is_not_an_error(tmp_path):
    for number in range(700):
        (tmp_path / f"{number:0200}").touch()
    process = subprocess.Popen([FATHOM, "scan", "--largest-files", "1000", str(tmp_path)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout.read(10) == b"Largest fi"
    process.stdout.close()
    assert process.wait(timeout=PATIENCE) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_nonblocking_pipe_gets_everything(tmp_path):
    for number in range(700):
        (tmp_path / f"{number:0200}").touch()
    read, write = os.pipe()
    os.set_blocking(write, False)
    process = subprocess.Popen([FATHOM, "scan", "--largest-files", "1000", str(tmp_path)],
                               stdout=write, env=environment())
    size = fcntl.fcntl(write, fcntl.F_GETPIPE_SZ)
    until(lambda: waiting_in(read) >= size)
    os.close(write)
    with open(read, "rb") as results:
        assert results.read().count(b"\n") == 2 + 700
    assert process.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["scan", "--help"]], ids=" ".join)
def test_help_to_a_closed_pipe_is_not_an_error(arguments):
    read, write = os.pipe()
    os.close(read)
    helped = run(*arguments, stdout=write)
    os.close(write)
    assert (helped.returncode, helped.stderr) == (0, b"")


def test_a_scan_with_a_stalled_reader_can_be_ended(tmp_path):
    for number in range(700):
        (tmp_path / f"{number:0200}").touch()
    read, write = os.pipe()
    process = subprocess.Popen([FATHOM, "scan", "--largest-files", "1000", str(tmp_path)],
                               stdout=write, env=environment())
    size = fcntl.fcntl(write, fcntl.F_GETPIPE_SZ)
    until(lambda: waiting_in(read) >= size)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    os.close(read)
    os.close(write)


@needs_proc
@pytest.mark.parametrize("arguments", [["clean", "--list-rules"], ["clean", "--purge"], ["log"], ["growth"],
                                       ["store", "list"], ["snapshot", "--dry-run"]], ids=" ".join)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_command_that_writes_results_ends_with_130_by_a_signal(tmp_path, arguments, number):
    where = [] if arguments[0] == "clean" else ["--store", str(tmp_path / "store")]
    assert run("snapshot", tmp_path, "--store", tmp_path / "store").returncode == 0
    read, write = stalled_pipe()
    process = subprocess.Popen([FATHOM, *arguments, *where], stdout=write, stderr=subprocess.PIPE, cwd=tmp_path,
                               env=environment())
    until(lambda: catches(process, number))
    process.send_signal(number)
    _, error = process.communicate(timeout=PATIENCE)
    os.close(read)
    os.close(write)
    assert (process.returncode, error) == (130, b"")


@pytest.mark.parametrize("closed", ["0", "1", "2", "012"])
def test_closed_standard_streams_do_no_harm(tree, tmp_path, closed):
    results = tmp_path / "results"
    redirections = " ".join(f"{fd}>&-" for fd in closed)
    ran = subprocess.run(["sh", "-c", f'exec "$@" {redirections}', "sh", FATHOM, "scan", "-o",
                          results, "--summary", tree, tmp_path / "missing"], check=False,
                         timeout=PATIENCE)
    assert ran.returncode == 1
    assert results.read_bytes().startswith(b"Summary\n")
    assert b"fathom:" not in results.read_bytes()


def test_a_closed_standard_output_is_an_error(tree):
    ran = subprocess.run(["sh", "-c", 'exec "$@" 1>&-', "sh", FATHOM, "scan", tree], check=False,
                         stderr=subprocess.PIPE, timeout=PATIENCE)
    assert ran.returncode == 1
    assert b"cannot write to standard output" in ran.stderr
