"""Namespaces of Linux as machines: processes with a network, mounts, a host name and process numbers of their own.

    with Machine("hub") as machine:
        machine.run(["hostname"])        # hub
        driver = machine.start(["fathom", "fleet", "scan", "/srv"])

What happens in a machine stays there: its mounts, interfaces and processes end with it, and it ends with the process
that made it, even if that is killed. It shares the files of the real machine, except those below PRIVATE.
"""

import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from waiting import PATIENCE, until

PRIVATE = pathlib.Path("/run")  # each machine has its own, in memory

_PROGRAMS = ["unshare", "nsenter", "setpriv", "mount", "ip", "hostname", "bash"]
# Everything that is done in a machine, tried once where it leaves nothing behind.
_PROBE = """
mount -t tmpfs tmpfs /run && hostname probe && ip link set lo up && ip link add br0 type bridge &&
ip netns add other && ip link add v1 type veth peer name eth0 netns other
"""
# The first process of a machine waits for the end of its input. A shell does that, because it reaps the processes
# whose parents have ended; `sleep` would not.
_FIRST = """
mount -t tmpfs -o mode=755 tmpfs /run && hostname "$1" && ip link set lo up || exit
echo ready
while read -r _; do :; done
"""

_CLONE_NEWPID = 0x20000000
_libc = ctypes.CDLL(None, use_errno=True)

Word = str | os.PathLike[str]
Stream = int | IO[bytes] | None


def why_not(*programs: str) -> str:
    """Why machines that need these programs cannot run here; "" if they can."""
    if os.geteuid() != 0:
        return "only root can create namespaces"
    if missing := [program for program in [*_PROGRAMS, *programs] if shutil.which(program, path=search_path()) is None]:
        return f"not installed: {', '.join(missing)}"
    ran = subprocess.run([*_unshare("--net"), "bash", "-c", _PROBE], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, check=False, timeout=PATIENCE)
    return "" if ran.returncode == 0 else f"namespaces cannot be created here: {ran.stderr.strip()}"


def search_path() -> str:
    """PATH with the folders of system programs, which a minimal PATH lacks."""
    return os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/local/sbin:/usr/sbin:/sbin"


class Machine:
    """Starts at once. With `network`, that is the name of a namespace of `ip netns` in `inside`, another machine; such
    a machine ends with the other one, too."""

    def __init__(self, name: str, inside: "Machine | None" = None, network: str = "") -> None:
        self.name = name
        self.environment: dict[str, str] = {}  # of everything that starts here, besides the usual
        self._started: list[subprocess.Popen[bytes]] = []
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        words: list[Word] = [*_unshare(*([] if network else ["--net"])), "bash", "-c", _FIRST, "bash", name]
        if inside is None:
            words = ["setpriv", "--pdeathsig", "KILL", *words]
            start = _start
        else:
            words = ["nsenter", f"--net={PRIVATE}/netns/{network}", *words]
            start = inside.start
        self._first = start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        try:
            assert self._first.stdout is not None
            if self._first.stdout.readline() != b"ready\n":
                raise RuntimeError(f"{name} does not start: {self.messages()}")
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def messages(self) -> str:
        """What its first process has written to its standard error."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def namespaces(self) -> set[str]:
        """The names of its namespaces, such as net:[4026532213], in which its processes are."""
        folder = f"/proc/{self._first.pid}/ns"
        return {os.readlink(f"{folder}/{kind}") for kind in ("net", "mnt", "uts", "pid_for_children")}

    def start(self, words: Sequence[Word], *, cwd: Word = "/", env: Mapping[str, str] | None = None,
              **options: Any) -> subprocess.Popen[bytes]:
        """Starts a program. `pid` of the result is that of the program itself, as the caller sees it: signals reach
        it. It ends with the caller, and with the machine."""
        settings = [f"{name}={value}" for name, value in {**self.environment, **(env or {})}.items()]
        # Entering a mount namespace leaves a chroot, so the root has to be named.
        inside = ["nsenter", f"--target={self._first.pid}", "--net", "--mount", "--uts", "--root", "setpriv",
                  "--pdeathsig", "KILL", "env", f"--chdir={os.fspath(cwd)}", *settings, *words]
        with _children_in(f"/proc/{self._first.pid}/ns/pid_for_children"):
            self._started.append(_start(inside, **options))
        return self._started[-1]

    def run(self, words: Sequence[Word], *, check: bool = True, patience: float = PATIENCE,
            **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end, and returns what it printed."""
        process = self.start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        with process:
            try:
                printed, messages = (text.decode(errors="surrogateescape")
                                     for text in process.communicate(timeout=patience))
            except BaseException:
                process.kill()
                raise
        if check and process.returncode != 0:
            command = " ".join(os.fspath(word) for word in words)
            raise RuntimeError(f"{self.name}: {command}: exit code {process.returncode}: {messages or printed}")
        return subprocess.CompletedProcess(list(words), process.returncode, printed, messages)

    def stop(self) -> None:
        """Ends all its processes, as if its power failed. Does nothing if that has happened."""
        running = self._first.poll() is None
        gone = self.namespaces() if running else set()
        self._first.kill()  # unshare then kills the first process of the machine, and the kernel kills the others
        for process in [self._first, *self._started]:
            process.wait(PATIENCE)
        for stream in (self._first.stdin, self._first.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._log.close()
        until(lambda: not processes_in(gone), f"the end of {self.name}")


def processes_in(namespaces: set[str]) -> set[int]:
    """The processes that are in any of the namespaces and not about to end."""
    found = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, though its parent may not know yet
            if namespaces & {os.readlink(folder / "ns" / kind) for kind in ("net", "mnt", "uts", "pid")}:
                found.add(int(folder.name))
    return found


def _unshare(*more: str) -> list[Word]:
    return ["unshare", *more, "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]


def _start(words: Sequence[Word], *, stdin: Stream = subprocess.DEVNULL, stdout: Stream = None,
           stderr: Stream = None) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PATH": search_path()}
    return subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, env=environment)


@contextlib.contextmanager
def _children_in(namespace: str) -> Iterator[None]:
    """Lets this thread's next child processes start in a namespace of processes. The nsenter command would have to
    stand between the caller and the program, so that signals would not reach the program."""
    here = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _enter(here)
    finally:
        os.close(here)


def _enter(namespace: int) -> None:
    if _libc.setns(namespace, _CLONE_NEWPID) != 0:
        raise OSError(ctypes.get_errno(), "setns")
