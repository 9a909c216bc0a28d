"""The command `fathom fleet`. It imports Dask when a scan begins, so that help does not wait for it."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from fathom_fleet import selection, status
from fathom_fleet.budget import Budget
from fathom_fleet.driver import DEFAULT_BUDGET, Driver, Settings, restored
from fathom_fleet.errors import FleetError, Interrupted, shown
from fathom_fleet.folder import Finished, Folder
from fathom_fleet.plan import Plan
from fathom_fleet.progress import ProgressLine
from fathom_fleet.request import Request, roots_of

if TYPE_CHECKING:
    from fathom_fleet.place import Place

_COMPLETE = 0
_WRONG = 2
_INTERRUPTED = 130
_LOOPBACK = "127.0.0.1"
_TASK_LIMIT = 600  # seconds
_HOST_LIMIT = 86_400
_REDRAW = 0.1

_EXITS = """\
Exit codes:
    0  complete; the snapshot is kept
    1  something could not be read, so that the sizes are lower bounds; the
       snapshot is kept
    2  wrong usage, or no worker can be used, or the snapshot cannot be
       written; what was scanned stays in FOLDER, for --resume
  130  interrupted by Ctrl-C, SIGTERM or SIGHUP; --resume continues
"""
_SCAN = """\
Splits a scan over many workers, and keeps the result as a snapshot.

Each PATH must be the same on all workers, and FOLDER a directory that all of
them share. Workers scan parts of the PATHs, each for a short time, and hand
back what they did not visit. FOLDER then holds the parts; a scan that was
interrupted, by a power failure for example, continues with --resume.
"""
_EXAMPLES = """\
Examples:
  fathom fleet scan /srv --into /srv/.scan --local 16
  fathom fleet scan /data --into /data/.scan --ssh node1,node2,node3
  fathom fleet scan /data --into /data/.scan --slurm --jobs 8
  fathom fleet scan --into /data/.scan --resume --ssh node1,node2

"""
_STATUS = "Shows how far the scan in FOLDER is, whether it runs or not.\n"
_MAIN = """\
Splits a scan over many workers, with Dask.

Usage: fathom fleet scan PATH... --into FOLDER [OPTION...]
       fathom fleet status FOLDER

  scan               scan each PATH with many workers, and keep a snapshot
  status             show how far a scan is

`fathom fleet COMMAND --help` describes a command.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """As the help of the other commands of Fathom."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=80)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "Usage: ")


class _Parser(argparse.ArgumentParser):
    def __init__(self, command: str, usage: str, description: str, epilog: str) -> None:
        super().__init__(f"fathom fleet {command}", f"fathom fleet {command} {usage}", description, epilog,
                         formatter_class=_Help, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise FleetError(f"{shown(message)}; see `{self.prog} --help`")

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            (file or sys.stdout).write(message)


def _number(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"takes a number from {least} to {most:,}, not '{text}'")
        return int(text)
    return number


def _scan_parser() -> argparse.ArgumentParser:
    parser = _Parser("scan", "PATH... --into FOLDER [OPTION...]", _SCAN, _EXAMPLES + _EXITS)
    parser.set_defaults(selection=selection.Selection())
    parser.add_argument("paths", nargs="*", metavar="PATH", help=argparse.SUPPRESS)

    parts = parser.add_argument_group("Folder")
    parts.add_argument("--into", metavar="FOLDER", type=Path, required=True,
                       help="where the parts of the scan are kept")
    parts.add_argument("--each-host", action="store_true", help="scan the PATHs of each host's own disks, and keep a "
                       "snapshot of each in FOLDER/host=NAME")
    parts.add_argument("--resume", action="store_true", help="continue the scan in FOLDER; PATHs and options that "
                       "select entries may be left out")

    where = parser.add_argument_group("Workers (default: --local with the number of processors)")
    one = where.add_mutually_exclusive_group()
    one.add_argument("--local", metavar="N", type=_number(1, 1024), help="N tasks at a time on this machine")
    one.add_argument("--ssh", metavar="HOSTS", help="workers on these hosts, separated by commas, started by ssh, "
                     "which must not ask for a password")
    one.add_argument("--slurm", action="store_true", help="workers started by srun: on all nodes of this "
                     "allocation, or, outside of one, as jobs (see --jobs)")
    one.add_argument("--scheduler", metavar="ADDRESS", help="the workers of a scheduler of Dask that runs already, "
                     "such as tls://node1:8786")
    one.add_argument("--scheduler-file", metavar="FILE", help="the same, by its scheduler file")
    where.add_argument("--jobs", metavar="N", type=_number(1, 10_000), help="with --slurm, use N jobs or nodes")
    where.add_argument("--slurm-options", metavar="TEXT", default="", help="with --slurm, more options for srun, such "
                       "as '--partition=short --time=60'")
    where.add_argument("--tasks", metavar="N", type=_number(1, 1024), default=2, help="with --ssh and --slurm, N tasks "
                       "at a time on each host (default: 2)")
    where.add_argument("--address", metavar="IP", help="listen on this address of this machine, which the workers "
                       "must reach (default: the one by which this machine reaches them)")
    where.add_argument("--python", metavar="FILE", default=sys.executable, help="the Python of the workers, which has "
                       "the package fathom-fs[fleet] (default: the same path as here)")
    where.add_argument("--fathom", metavar="FILE", help="the command fathom of the workers (default: the same path "
                       "as here)")
    where.add_argument("--dashboard", action="store_true",
                       help=f"show Dask's dashboard, on {_LOOPBACK}; it needs bokeh")

    selection.add_to(parser.add_argument_group("Select (as in `fathom scan --help`)"))

    scan = parser.add_argument_group("Scan")
    scan.add_argument("-j", "--threads", metavar="N", type=_number(1, 1024), help="use N threads in each task "
                      "(default: by the number of processors; with --local, 1)")
    scan.add_argument("--nice", action="store_true", help="run at low CPU and I/O priority")
    scan.add_argument("--max-ops", metavar="N", type=_number(1, 10**12), help="limit to N filesystem operations per "
                      "second, all workers together")
    scan.add_argument("--budget", metavar="BUDGET", default=str(DEFAULT_BUDGET), help="a task hands back what is left "
                      f"after so long (default: {DEFAULT_BUDGET}), or after so many entries: 2s, 100000; shorter "
                      "while there is too little work for all")
    scan.add_argument("--task-limit", metavar="SECONDS", type=_number(1, 10**6), help="end a task that "
                      "takes longer, because a disk does not answer for example (default: 600; with "
                      "--each-host, a day)")

    result = parser.add_argument_group("Result")
    result.add_argument("--store", metavar="DIR", help="keep the snapshot in DIR (default: as `fathom snapshot --help` "
                        "says)")
    result.add_argument("--tag", metavar="TAG", help="give the snapshot a name, as @TAG")
    _add_display(parser)
    return parser


def _add_display(parser: argparse.ArgumentParser) -> None:
    shown_as = parser.add_argument_group("Display")
    shown_as.add_argument("--plain", action="store_true", help="show progress as lines, for screen readers")
    shown_as.add_argument("--progress", metavar="WHEN", choices=("auto", "always", "never"), default="auto",
                          help="show progress: auto (default: on a terminal), always or never")
    shown_as.add_argument("-h", "--help", action="help", help="show this help")


def _status_parser() -> argparse.ArgumentParser:
    parser = _Parser("status", "FOLDER [OPTION...]", _STATUS, "Exit codes:\n    0  shown\n    2  wrong usage, or "
                     "FOLDER does not hold a scan\n")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    options = parser.add_argument_group("Options")
    options.add_argument("--format", choices=("text", "json"), metavar="FORMAT", default="text",
                         help="text (default) or json")
    options.add_argument("-h", "--help", action="help", help="show this help")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if not words or words[0] in ("-h", "--help"):
            print(_MAIN, end="")
            return _COMPLETE if words else _WRONG
        if words[0] == "scan":
            return _scan(_scan_parser().parse_intermixed_args(words[1:]))
        if words[0] == "status":
            return _show_status(_status_parser().parse_args(words[1:]))
        raise FleetError(f"'{shown(words[0])}' is not a command of `fathom fleet`; see `fathom fleet --help`")
    except FleetError as why:
        print(f"fathom: {why}", file=sys.stderr)
        return _WRONG
    except (Interrupted, KeyboardInterrupt):
        print("fathom: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the interpreter can flush
        return _COMPLETE


def _show_status(given: argparse.Namespace) -> int:
    shape = status.as_json if given.format == "json" else status.as_text
    print(shape(status.status(Folder(given.folder.absolute()))))
    return _COMPLETE


def _scan(given: argparse.Namespace) -> int:
    _check_usage(given)
    fathom = given.fathom or _fathom_here()
    _check_packages()
    from fathom_fleet.versions import fathom_version

    version = fathom_version(_fathom_here() if given.ssh else fathom)
    folder = Folder(given.into.absolute())
    _check_resume(given, folder)
    with folder.locked():
        request = _request(given, folder, version)
        if request.each_host:
            return _scan_hosts(given, folder, request, fathom)
        end = folder.finished()
        if end is not None and not end.given_up:
            print(f"fathom: the scan in '{folder}' is finished: {end.entries:,} entries in {end.parts:,} parts",
                  file=sys.stderr)
            return end.exit_code
        folder.sweep()
        line = ProgressLine(given.progress, given.plain)
        plan = restored(folder)
        if not plan.finished:
            if plan.done:
                line.tell(f"{plan.entries:,} entries in {len(plan.done):,} parts are there already")
            _run(given, folder, request, fathom, plan, line)
        return _join(given, folder, plan)


def _check_usage(given: argparse.Namespace) -> None:
    """Raises FleetError."""
    if not given.resume and not given.paths:
        raise FleetError("no PATH is given; see `fathom fleet scan --help`")
    if (given.jobs is not None or given.slurm_options) and not given.slurm:
        raise FleetError("options '--jobs' and '--slurm-options' need '--slurm'")
    if given.dashboard and (given.scheduler or given.scheduler_file):
        raise FleetError("option '--dashboard' works only with a scheduler of its own; the other one may have one")
    if given.each_host and not (given.ssh or given.slurm):
        raise FleetError("option '--each-host' needs '--ssh HOSTS' or '--slurm'")
    if given.each_host and (given.store or given.tag):
        raise FleetError("options '--store' and '--tag' do not work with '--each-host'; the snapshots are in FOLDER")
    if given.each_host and any(flag.kind is selection.Kind.FILE for flag, _ in given.selection.given):
        raise FleetError("option '--exclude-from' does not work with '--each-host'; use '--exclude'")
    Budget.parse(given.budget)


def _check_packages() -> None:
    """Raises FleetError."""
    missing = [name for name in ("distributed", "cryptography") if importlib.util.find_spec(name) is None]
    if missing:
        raise FleetError(f"the Python package {missing[0]} is missing; `pip install 'fathom-fs[fleet]'` installs it")


def _fathom_here() -> str:
    """The command beside this program, or in PATH. Raises FleetError."""
    beside = Path(sys.argv[0]).absolute().parent / "fathom"
    found = str(beside) if os.access(beside, os.X_OK) and beside.is_file() else shutil.which("fathom")
    if found is None:
        raise FleetError("the command fathom is not in PATH; name it with '--fathom FILE'")
    return os.path.abspath(found)


def _check_resume(given: argparse.Namespace, folder: Folder) -> None:
    """Before the folder is created. Raises FleetError."""
    if given.resume and folder.request() is None:
        raise FleetError(f"there is no scan to resume in '{folder}'")


def _request(given: argparse.Namespace, folder: Folder, version: str) -> Request:
    """What is asked for, which the folder knows afterwards. Raises FleetError."""
    before = folder.request()
    if before is not None and not given.resume:
        raise FleetError(f"'{folder}' holds a scan already; continue it with '--resume', or choose another folder")
    if before is None and any(folder.parts.iterdir()):
        raise FleetError(f"'{folder}' holds parts of an unknown scan; choose another folder")
    roots = roots_of(given.paths) if given.paths else before.roots if before else ()
    if before is not None and not given.selection.given:
        flags = before.flags
    else:
        flags = given.selection.flags(datetime.datetime.now().astimezone(), folder.path)
    asked = Request(roots, flags, version, given.each_host or bool(before and not given.paths and before.each_host))
    copies = given.selection.copies()
    if before is None:
        for name, content in copies.items():
            (folder.path / name).write_bytes(content)
        folder.begin(asked)
    elif difference := before.difference(asked):
        raise FleetError(f"the scan in '{folder}' was asked for {difference}")
    elif any((folder.path / name).read_bytes() != content for name, content in copies.items()):
        raise FleetError(f"the scan in '{folder}' was asked for with other rules of '--exclude-from'")
    for root in roots:
        if not asked.each_host and folder.path.is_relative_to(root):
            print(f"fathom: '{folder}' is inside '{shown(root)}', so the parts of the scan will be in its result",
                  file=sys.stderr)
    return asked


def _run(given: argparse.Namespace, folder: Folder, request: Request, fathom: str, plan: Plan,
         line: ProgressLine) -> None:
    """Scans everything that is missing. Raises FleetError and Interrupted."""
    threads = given.threads
    if threads is None and _tasks_here(given) > 1:
        threads = 1
    settings = Settings(fathom, Budget.parse(given.budget), threads, given.max_ops,
                        float(given.task_limit or _TASK_LIMIT))
    arguments = (*request.flags, *(["--nice"] if given.nice else []), "--", *request.roots)

    async def scan() -> None:
        async with _cluster(given, fathom, line.tell) as cluster:
            await Driver(folder, plan, cluster, settings, arguments, line.tell, line.show).run()

    _until_interrupted(scan(), folder, line)


def _until_interrupted(scan: Coroutine[Any, Any, None], folder: Folder, line: ProgressLine) -> None:
    """Raises Interrupted."""
    async def run() -> None:
        main_task = asyncio.current_task()
        assert main_task is not None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, main_task.cancel)
        await scan

    try:
        asyncio.run(run())
    except asyncio.CancelledError as why:
        line.tell(f"'fathom fleet scan --resume --into {folder}' continues")
        raise Interrupted from why
    finally:
        line.clear()


def _scan_hosts(given: argparse.Namespace, folder: Folder, request: Request, fathom: str) -> int:
    """One snapshot for each host, in the folder. Returns the exit code."""
    from fathom_fleet.cluster import OwnCluster
    from fathom_fleet.hosts import HostScan, directory_of, entries_of

    line = ProgressLine(given.progress, given.plain)
    places = _places(given)
    argv = [fathom, "snapshot", "--progress=never", *request.flags, *(["--nice"] if given.nice else [])]
    argv += [f"--threads={given.threads}"] if given.threads else []
    hosts = [place.name for place in places]
    argv += [f"--max-ops={max(1, given.max_ops // len(hosts))}"] if given.max_ops else []
    missing = [place for place in places if entries_of(directory_of(folder, place.name)) is None]
    scans: list[HostScan] = []

    async def scan() -> None:
        async with OwnCluster(missing, fathom, _listening(given), line.tell, _dashboard(given)) as cluster:
            scans.append(HostScan(folder, hosts, (*argv, "--", *request.roots), float(given.task_limit or _HOST_LIMIT),
                                  cluster.call, line.tell))
            running = asyncio.create_task(scans[0].run())
            try:
                while not running.done():
                    line.draw(lambda columns: f"{len(scans[0].outcome.done)} of {len(hosts)} hosts done")
                    await asyncio.wait([running], timeout=_REDRAW)
                await running
            finally:
                running.cancel()

    _until_interrupted(scan(), folder, line)
    outcome = scans[0].outcome
    entries = sum(outcome.done.values())
    print(f"kept {entries:,} entries of {len(outcome.done)} of {len(hosts)} hosts in {folder}/host=*")
    code = 1 if outcome.failed or outcome.incomplete else _COMPLETE
    if not outcome.done:
        return _WRONG
    folder.finish(Finished(code, entries, len(outcome.done), tuple(outcome.failed)))
    return code


def _tasks_here(given: argparse.Namespace) -> int:
    """How many tasks share this machine's processors."""
    if given.ssh or given.slurm or given.scheduler or given.scheduler_file:
        return 0
    return int(given.local or len(os.sched_getaffinity(0)))


def _cluster(given: argparse.Namespace, fathom: str, tell: Callable[[str], None]) -> Any:
    """Raises FleetError."""
    from fathom_fleet.cluster import ForeignCluster, OwnCluster

    if given.scheduler or given.scheduler_file:
        return ForeignCluster(given.scheduler, given.scheduler_file, fathom, tell)
    places = _places(given)
    return OwnCluster(places, fathom, _listening(given), tell, _dashboard(given))


def _dashboard(given: argparse.Namespace) -> str | None:
    return f"{_LOOPBACK}:0" if given.dashboard else None


def _places(given: argparse.Namespace) -> list[Place]:
    import shlex

    from fathom_fleet import place

    if given.ssh:
        return place.ssh(given.ssh.split(","), given.python, given.tasks)
    if given.slurm:
        return place.slurm(given.jobs, shlex.split(given.slurm_options), given.python, given.tasks)
    return place.local(_tasks_here(given))


def _listening(given: argparse.Namespace) -> str:
    """The address at which this machine listens. Raises FleetError."""
    from fathom_fleet.place import towards_ssh
    from fathom_fleet.worker import own_address_towards

    if given.address:
        return str(given.address)
    if given.ssh:
        return towards_ssh(given.ssh.split(",")[0])
    if not given.slurm:
        return _LOOPBACK
    import socket

    try:
        address = socket.gethostbyname(socket.gethostname())
        return own_address_towards("192.0.2.1") if address.startswith("127.") else address
    except OSError as why:
        raise FleetError("cannot find out by which address the workers reach this machine; use '--address IP'") from why


def _join(given: argparse.Namespace, folder: Folder, plan: Plan) -> int:
    """Joins the parts into one snapshot in the store. Returns the exit code."""
    command = [given.fathom if given.fathom and not given.ssh else _fathom_here(), "snapshot", f"--parts={folder.path}",
               f"--progress={given.progress}"]
    command += ["--partial"] if plan.given_up else []
    command += [f"--{name}={value}" for name, value in (("store", given.store), ("tag", given.tag)) if value]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    sys.stdout.buffer.write(ran.stdout)
    sys.stdout.flush()
    if ran.returncode in (0, 1):
        folder.finish(Finished(ran.returncode, plan.entries, len(plan.done), tuple(plan.given_up),
                               ran.stdout.decode(errors="replace").strip()))
    if ran.returncode < 0:
        raise FleetError(f"`fathom snapshot` was ended by signal {-ran.returncode}; '--resume' tries again")
    return ran.returncode
