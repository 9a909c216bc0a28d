"""Fixtures and helpers for the tests of the command: running it, and trees to run it on.

Nothing sleeps for a fixed time: a test polls a condition, and gives up only after a time that no
machine should need.
"""

import base64
import contextlib
import errno
import fcntl
import functools
import glob
import os
import pathlib
import pty
import re
import select
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[2] / "testing/fleet"))

FATHOM = os.environ.get("FATHOM", "fathom")
PATIENCE = 300  # seconds after which a process counts as hung
NOBODY = 65534


def run(*arguments, env=None, cwd=None, **options):
    """Runs `fathom ARGUMENTS` without a terminal. The output is bytes."""
    options.setdefault("stdin", subprocess.DEVNULL)
    if "stdout" not in options:
        options["stdout"] = subprocess.PIPE
    if "stderr" not in options:
        options["stderr"] = subprocess.PIPE
    return subprocess.run([FATHOM, *arguments], env=environment(env), cwd=cwd, timeout=PATIENCE,
                          check=False, **options)


def environment(changes=None):
    """A minimal environment: no variables of the user except those that configure sanitizers."""
    kept = {name: value for name, value in os.environ.items()
            if name in ("PATH", "TMPDIR") or name.endswith("SAN_OPTIONS")}
    kept["LANG"] = "C.UTF-8"
    kept.update(changes or {})
    return {name: value for name, value in kept.items() if value is not None}


@functools.lru_cache
def can_mount():
    """Whether `unshare --mount` can create a namespace and mount something in it. This needs root,
    and may be refused even then in a container or below chroot."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", folder],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             timeout=PATIENCE, check=False)
    return ran.returncode == 0


def sentence_of(refused):
    """What a refused command says, which is one sentence."""
    assert (refused.returncode, refused.stdout) == (2, b"")
    said = re.fullmatch(r"fathom: ([^\n]+)\n", refused.stderr.decode())
    assert said and said[1].isprintable(), refused.stderr
    return said[1]


def scan(*arguments, **options):
    return run("scan", *arguments, **options)


def path_of(row):
    """The bytes of a path in JSON."""
    return base64.b64decode(row["path_b64"]) if "path_b64" in row else row["path"].encode()


def dups(*arguments, **options):
    return run("dups", *arguments, **options)


def on_terminal(*arguments, **options):
    """Runs `fathom scan` with all streams on a terminal: (exit code, terminal output)."""
    return command_on_terminal("scan", *arguments, **options)


def dups_on_terminal(*arguments, **options):
    return command_on_terminal("dups", *arguments, **options)


# Whatever takes more than half a second has one, except with --plain.
PROGRESS_LINE = re.compile(r"\r[^\r\n]*\x1b\[K")


def command_on_terminal(*arguments, columns=80, rows=40, env=None, cwd=None, **options):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    changes = {"TERM": "xterm-256color", **(env or {})}
    options.setdefault("stderr", slave)
    process = subprocess.Popen([FATHOM, *map(os.fspath, arguments)], stdin=slave, stdout=slave,
                               env=environment(changes), cwd=cwd, **options)
    shown = read_until_it_ends(process, master)
    os.close(slave)
    os.close(master)
    code = process.wait(timeout=PATIENCE)
    assert code >= 0, f"ended by signal {-code} after {shown!r}"
    text = shown.decode().replace("\r\n", "\n")
    if "--progress" not in arguments and "--plain" not in arguments:
        text = PROGRESS_LINE.sub("", text)
    return code, text


def read_until_it_ends(process, master):
    """What a process writes to a terminal, which the caller has to hold open meanwhile: read() of Linux looks for data
    first and asks then whether the terminal is closed, so it can report the end before the last lines."""
    shown = b""
    ended = os.pidfd_open(process.pid)
    while ended not in select.select([master, ended], [], [])[0]:
        shown += os.read(master, 65536)
    os.close(ended)
    while master in select.select([master], [], [], 0)[0]:
        shown += os.read(master, 65536)
    return shown


def calls_of(calls, *arguments, log):
    """Runs `fathom scan` under strace, and returns its lines about these system calls."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    traced = subprocess.run(
        ["strace", "-f", "-e", f"trace={calls}", "-o", log, FATHOM, "scan", *arguments],
        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE,
        check=False)
    if traced.returncode != 0:
        pytest.skip(f"strace does not work here: {traced.stderr.decode()}")
    return log.read_text(encoding="utf-8").splitlines()


def until(condition):
    """Waits until the condition is true, and returns its value."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.005)
    raise AssertionError("waited in vain")


def stalled_pipe():
    """The two ends of a pipe that is full."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, b"x" * 4096)
    os.set_blocking(write, True)
    return read, write


def make_huge_files(folder):
    """Makes two equal files that nobody waits for to be compared. A page of each GiB of one is stored, because a hole
    that both have would be skipped."""
    size = 2**42
    for name, step in (("huge", 2**30), ("huge too", size)):
        with open(folder / name, "wb") as file:
            for offset in range(0, size, step):
                os.pwrite(file.fileno(), bytes(4096), offset)
            file.truncate(size)


def library_to_preload(folder, source):
    """The value of LD_PRELOAD for a library of this C source. Skips the test if it cannot be made or loaded."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    if b"__asan_init" in pathlib.Path(FATHOM).read_bytes():
        pytest.skip("a sanitizer must be loaded first")
    (folder / "preloaded.c").write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "preloaded.so", folder / "preloaded.c", "-ldl"],
                   check=True, timeout=PATIENCE)
    return str(folder / "preloaded.so")


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/status"),
                                reason="needs /proc of Linux for signals")


def catches(process, number):
    """Whether the process handles the signal, and so is past its start."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"^SigCgt:\s*(\w+)$", status, re.M)[1], 16) >> (number - 1) & 1


def width(text):
    """The columns of the text on a terminal."""
    columns = 0
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def as_nobody():
    """Options for run() that make permissions effective even if root runs the tests."""
    if os.geteuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def pytest_configure(config):
    """Gives each run a folder of its own.

    Otherwise all runs of a user share one, which pytest closes to other users again whenever a run starts, although
    let_nobody_through() has opened it for tests that still run.
    """
    os.umask(0o022)  # as most users have: some tests act as another user in their folders
    config.option.basetemp = tempfile.mkdtemp(prefix="fathom-cli-")


def pytest_unconfigure(config):
    subprocess.run(["rm", "-rf", config.option.basetemp], check=False)
    top = config.option.basetemp
    while not os.path.ismount(top):
        top = os.path.dirname(top)
    remove_what_was_moved(config.option.basetemp, os.path.join(top, f".fathom-quarantine-{os.geteuid()}"))


def remove_what_was_moved(folder, quarantine):
    """Removes the runs that have moved something out of the folder, and the quarantine if that was all.

    `fathom browse` chooses its quarantine itself: at the top of the filesystem, where later runs would find it.
    """
    runs = [pathlib.Path(run) for run in glob.glob(f"{glob.escape(str(quarantine))}/*")]
    mine = [run for run in runs if os.path.lexists(f"{run}{folder}")]
    subprocess.run(["rm", "-rf", *mine], check=False)
    if mine and len(mine) == len(runs):
        try:
            os.rmdir(quarantine)
        except OSError as error:  # another test has moved something there meanwhile, or has removed it
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise


@pytest.fixture
def tree(tmp_path):
    """A tree with every kind of entry, hard links, holes and an empty directory."""
    root = tmp_path / "a tree"
    for folder in range(7):
        below = root / f"folder {folder}" / "deeper" / "still deeper"
        below.mkdir(parents=True)
        for file in range(11):
            (below / f"file-{file}").write_bytes(b"x" * (folder * 4099 + file * 511))
    (root / "empty").mkdir()
    (root / "large").write_bytes(b"y" * 300_000)
    os.link(root / "large", root / "folder 1" / "another name of large")
    os.link(root / "large", root / "folder 2" / "and a third")
    with open(root / "hole", "wb") as hole:
        hole.truncate(50_000_000)
    (root / "link").symlink_to("large")
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    return root


@pytest.fixture
def small(tmp_path):
    """A directory with one file of five bytes."""
    root = tmp_path / "small"
    root.mkdir()
    (root / "file").write_bytes(b"hello")
    return root


@pytest.fixture
def guarded(tmp_path):
    """A tree with a directory that only root can read."""
    root = tmp_path / "guarded"
    (root / "secret" / "inner").mkdir(parents=True)
    (root / "open").mkdir()
    (root / "open" / "file").write_bytes(b"z" * 10_000)
    let_nobody_through(root)
    (root / "secret").chmod(0)
    yield root
    (root / "secret").chmod(0o700)


@pytest.fixture
def sticky(tmp_path):
    """A world-writable folder in which NOBODY may write to `results` but not replace it."""
    if os.geteuid() != 0:
        pytest.skip("only root can create files of another user")
    folder = tmp_path / "sticky"
    folder.mkdir()
    (folder / "results").write_text("old" * 10_000)
    (folder / "results").chmod(0o666)
    folder.chmod(0o1777)
    let_nobody_through(folder)
    return folder


def let_nobody_through(path):
    """Lets NOBODY traverse the path and the directories above it that the tests have created."""
    for above in (path, *path.parents):
        if pathlib.Path(tempfile.gettempdir()) in above.parents:
            above.chmod(above.stat().st_mode | stat.S_IXOTH)
    if not can_be_run_by_nobody("ls", "-d", os.path.join(path, ".")):
        pytest.skip("TMPDIR is a folder that another user cannot enter")
    if not can_be_run_by_nobody(FATHOM, "--version"):
        pytest.skip("another user cannot run the command from its folder")


def can_be_run_by_nobody(*command):
    try:
        found = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               check=False, timeout=PATIENCE, **as_nobody())
    except PermissionError:
        return False
    return found.returncode == 0
