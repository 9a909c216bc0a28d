"""testing/in-memory: a command whose temporary files are in memory."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "testing/in-memory"
REPORT = 'echo "${TMPDIR:-none}"'


def in_memory(script, prepare="", **variables):
    """Runs a shell script with it; `prepare` comes first, in a mount namespace of its own."""
    command = [SCRIPT, "sh", "-c", script]
    if prepare:
        command = ["unshare", "--mount", "sh", "-c", f'{prepare} || exit 77; exec "$@"', "sh", *command]
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"} | variables
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if prepare and (ran.returncode == 77 or "unshare" in ran.stderr):
        pytest.skip("nothing can be mounted here")
    return ran


def has_room():
    if not os.access("/dev/shm", os.W_OK):
        return False
    memory = os.statvfs("/dev/shm")
    return memory.f_bavail * memory.f_frsize >= 1 << 30 and memory.f_flag & os.ST_NOEXEC == 0


needs_room = pytest.mark.skipif(not has_room(), reason="/dev/shm has less than 1 GiB free, or runs no programs")


@needs_room
def test_temporary_files_are_in_memory_and_gone_at_the_end():
    ran = in_memory(f'{REPORT}; echo x > "$TMPDIR/file"; mkdir -m 0 "$TMPDIR/closed"; exit 3')
    folder = pathlib.Path(ran.stdout.strip())
    assert folder.match("/dev/shm/fathom-test-*") and not folder.exists()
    assert (ran.returncode, ran.stderr) == (3, "")


@needs_room
def test_other_users_can_write_there_as_in_tmp():
    assert in_memory('stat --format %a "$TMPDIR"').stdout == "1777\n"


@needs_room
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_killed_command_leaves_nothing_and_its_signal_is_known(number):
    ran = in_memory(f"{REPORT}; kill -{number.value} $$")
    assert ran.stdout.startswith("/dev/shm/") and not pathlib.Path(ran.stdout.strip()).exists()
    assert ran.returncode == -number


@needs_room
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_both_leaves_nothing(number):
    ran = in_memory(f"{REPORT}; kill -{number.value} $PPID $$")
    assert ran.stdout.startswith("/dev/shm/") and not pathlib.Path(ran.stdout.strip()).exists()
    assert ran.returncode == 128 + number


def test_a_command_is_needed():
    ran = subprocess.run([SCRIPT], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (2, "usage: testing/in-memory COMMAND...\n")


def test_the_directory_of_the_caller_is_used(tmp_path):
    assert in_memory(REPORT, TMPDIR=str(tmp_path)).stdout == f"{tmp_path}\n"


@pytest.mark.parametrize("options", ["size=1000m", "noexec"])
def test_without_room_or_programs_the_command_runs_as_it_is(options):
    ran = in_memory(f"{REPORT}; ls -A /dev/shm; exit 3", f"mount -t tmpfs -o {options} tmpfs /dev/shm")
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, "none\n", "")


def test_what_is_mounted_there_is_not_removed():
    outside = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp"))  # the next line hides /dev/shm, where TMPDIR may be
    try:
        (outside / "kept").write_text("x")
        ran = in_memory(f'mkdir "$TMPDIR/mounted" && mount --bind {outside} "$TMPDIR/mounted" && cat "$TMPDIR"/*/kept',
                        "mount -t tmpfs tmpfs /dev/shm")
        assert (ran.returncode, ran.stdout) == (0, "x")
        assert ran.stderr.startswith("in-memory: a filesystem is mounted in /dev/shm/fathom-test-")
        assert (outside / "kept").exists()
    finally:
        shutil.rmtree(outside)
