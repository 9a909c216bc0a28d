"""The command `fathom fleet`. It imports Dask when a scan begins, so that help does not wait for it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import datetime
import importlib.util
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fathom_fleet import status, task
from fathom_fleet.arguments import LOOPBACK, check_usage, options_to_resume, scan_parser, status_parser
from fathom_fleet.budget import Budget
from fathom_fleet.dask_import import import_dask
from fathom_fleet.driver import DEFAULT_TASK_LIMIT, Driver, Settings, restored
from fathom_fleet.errors import FleetError, Interrupted, shell_word, shown
from fathom_fleet.folder import Finished, Folder
from fathom_fleet.output import OutputError, put
from fathom_fleet.plan import Plan
from fathom_fleet.progress import ProgressLine, several
from fathom_fleet.request import Request, from_here, roots_of

if TYPE_CHECKING:
    from fathom_fleet.place import Place

_Result = TypeVar("_Result")

_COMPLETE = 0
_INCOMPLETE = 1
_WRONG = 2
_INTERRUPTED = 130
_HOST_LIMIT = 86_400  # seconds
_CHECK_LIMIT = 60.0
_REDRAW = 0.1

_MAIN = """\
Splits a scan over many workers, with Dask.

Usage: fathom fleet scan PATH... --into FOLDER [OPTION...]
       fathom fleet status FOLDER

  scan               scan each PATH with many workers, and keep a snapshot
  status             show how far a scan is

`fathom fleet COMMAND --help` describes a command.
"""


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if not words or words[0] in ("-h", "--help"):
            put(_MAIN)
            return _COMPLETE if words else _WRONG
        if words[0] == "scan":
            return _scan(_parsed(words[1:]))
        if words[0] == "status":
            return _show_status(status_parser().parse_args(words[1:]))
        raise FleetError(f"'{shown(words[0])}' is not a command of `fathom fleet`; see `fathom fleet --help`")
    except FleetError as why:
        print(f"fathom: {why}", file=sys.stderr)
        return _WRONG
    except (Interrupted, KeyboardInterrupt):
        print("fathom: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except OutputError as why:
        print(f"fathom: {why}", file=sys.stderr)
        return _INCOMPLETE


def _parsed(words: list[str]) -> argparse.Namespace:
    """The arguments of `scan`. argparse does not mix options and PATHs if a PATH begins with `-`."""
    options, paths = words, []
    if "--" in words:
        end = words.index("--")
        options, paths = words[:end], words[end + 1:]
    given = scan_parser().parse_intermixed_args(options)
    given.paths += paths
    return given


def _show_status(given: argparse.Namespace) -> int:
    shape = status.as_json if given.format == "json" else status.as_text
    put(shape(status.status(_folder(given.folder))) + "\n")
    return _COMPLETE


def _folder(path: Path) -> Folder:
    return Folder(Path(from_here(str(path))))


def _scan(given: argparse.Namespace) -> int:
    folder = _folder(given.into)
    before = folder.request()
    if given.resume and not given.paths and before is not None:
        given.each_host |= before.each_host
    check_usage(given)
    if given.resume and before is None:  # said before the folder is created
        raise FleetError(f"there is no scan to resume in '{folder}'")
    fathom = given.fathom or _fathom_here()
    _check_packages()
    from fathom_fleet.versions import versions

    given.own_fathom = _fathom_here() if given.ssh else fathom
    given.versions = versions(given.own_fathom)
    given.places = _places(given)
    _check_result(given, folder)
    with folder.locked():
        request = _request(given, folder, given.versions["fathom"])
        with _forgotten_if_nothing_was_done(folder):
            return _carry_out(given, folder, request, fathom)


def _check_result(given: argparse.Namespace, folder: Folder) -> None:
    """Raises FleetError if the snapshot cannot be kept at the end, because of a wrong tag for example."""
    command = (given.own_fathom, "snapshot", "--dry-run", f"--parts={folder.path}", *_result_options(given))
    if not given.each_host and (ran := task.run(command, _CHECK_LIMIT)).code == _WRONG:
        raise FleetError(shown(ran.message))


def _result_options(given: argparse.Namespace) -> list[str]:
    return [f"--{name}={value}" for name, value in (("store", given.store), ("tag", given.tag)) if value is not None]


@contextlib.contextmanager
def _forgotten_if_nothing_was_done(folder: Folder) -> Iterator[None]:
    """So that the user can correct the command and run it again."""
    try:
        yield
    except FleetError:
        folder.forget()
        raise


def _carry_out(given: argparse.Namespace, folder: Folder, request: Request, fathom: str) -> int:
    """The scan itself. Returns the exit code."""
    if request.each_host:
        return _scan_hosts(given, folder, request, fathom)
    end = folder.finished()
    complete = end is not None and not end.given_up
    if end is not None and complete and not (given.store or given.tag):
        print(f"fathom: the scan in '{folder}' is finished: {several(end.entries, 'entry', 'entries')} in "
              f"{several(end.parts, 'part', 'parts')}", file=sys.stderr)
        return end.exit_code
    folder.sweep()
    line = ProgressLine(given.progress, given.plain)
    there = folder.there()  # before the plan, because a part appears only after the one that it continues
    plan = restored(folder)
    if complete and not plan.finished:
        raise FleetError(f"the scan in '{folder}' is finished, and parts of it are gone, so that it cannot be kept "
                         "again")
    if not there <= plan.done:  # if what is gone were scanned again, it would be divided differently
        raise FleetError(f"parts of the scan in '{folder}' are gone, and others continue them, so that it has to begin "
                         "again in another directory")
    if not plan.finished:
        if plan.done:
            line.tell(f"{several(plan.entries, 'entry', 'entries')} in {several(len(plan.done), 'part', 'parts')} "
                      "found earlier")
        _run(given, folder, request, fathom, plan, line)
    if not plan.done:
        raise FleetError(f"the scan cannot begin: {next(iter(plan.given_up.values()))}")
    return _join(given, folder, plan, line)


def _check_packages() -> None:
    """Raises FleetError."""
    missing = [name for name in ("distributed", "cryptography") if importlib.util.find_spec(name) is None]
    if missing:
        raise FleetError(f"the Python package {missing[0]} is missing; `pip install {' '.join(missing)}` installs it")


def _fathom_here() -> str:
    """The command beside this program, or in PATH. Raises FleetError."""
    beside = Path(sys.argv[0]).absolute().parent / "fathom"
    found = str(beside) if os.access(beside, os.X_OK) and beside.is_file() else shutil.which("fathom")
    if found is None:
        raise FleetError("the command fathom is not in PATH; name it with '--fathom FILE'")
    return os.path.abspath(found)


def _request(given: argparse.Namespace, folder: Folder, version: str) -> Request:
    """What is asked for, which the folder knows afterwards. Raises FleetError."""
    before = folder.request()
    if before is not None and not given.resume:
        raise FleetError(f"'{folder}' holds a scan already; continue it with '--resume', or choose another folder")
    if before is None and any(folder.parts.iterdir()):
        raise FleetError(f"'{folder}' holds parts of an unknown scan; choose another folder")
    began = before.began if before else None
    if began is None:
        began = datetime.datetime.now().astimezone().replace(microsecond=0)
    if before is not None and not given.selection.given:
        flags = before.flags
    else:
        flags = given.selection.flags(began, folder.path)
    roots = roots_of(given.paths, flags, given.each_host) if given.paths else before.roots if before else ()
    asked = Request(roots, flags, version, given.each_host, began)
    copies = given.selection.copies()
    if before is None:
        folder.begin(asked, copies)
    elif difference := before.difference(asked):
        raise FleetError(f"the scan in '{folder}' was asked for {difference}")
    elif not folder.holds(copies):
        raise FleetError(f"the scan in '{folder}' was asked for with other rules of '--exclude-from'")
    request = before or asked  # their roots may be written in different ways
    if not request.each_host:
        _tell_about_roots(request.roots, folder)
    return request


def _tell_about_roots(roots: Iterable[str], folder: Folder) -> None:
    for root in roots:
        if os.path.islink(root) and os.path.isdir(root):
            print(f"fathom: {shown(root)} is a symbolic link and is not followed; its target is {shown(root)}/",
                  file=sys.stderr)
        elif folder.path.resolve().is_relative_to(os.path.realpath(root)):
            print(f"fathom: '{folder}' is inside '{shown(root)}', so the parts of the scan will be in its result",
                  file=sys.stderr)


def _run(given: argparse.Namespace, folder: Folder, request: Request, fathom: str, plan: Plan,
         line: ProgressLine) -> None:
    """Scans everything that is missing. Raises FleetError and Interrupted."""
    threads = given.threads
    if threads is None and _tasks_here(given) > 1:
        threads = 1
    settings = Settings(fathom, Budget.parse(given.budget), threads, given.max_ops,
                        float(given.task_limit or DEFAULT_TASK_LIMIT))
    arguments = (*request.flags, *(["--nice"] if given.nice else []), "--", *request.roots)

    async def scan() -> None:
        async with _cluster(given, folder, fathom, line.tell) as cluster:
            await Driver(folder, plan, cluster, settings, arguments, line.tell, line.show).run()

    try:
        _until_interrupted(scan(), _how_to_resume(given, folder), line)
    except FleetError as why:
        if not plan.done:
            raise
        raise FleetError(f"{why}; '--resume' continues") from why


def _how_to_resume(given: argparse.Namespace, folder: Folder) -> str:
    words = (str(folder.path), *options_to_resume(given))
    return " ".join(["fathom fleet scan --resume --into", *map(shell_word, words)])


def _until_interrupted(work: Coroutine[Any, Any, _Result], how_to_resume: str, line: ProgressLine) -> _Result:
    """Raises Interrupted."""
    async def run() -> _Result:
        main_task = asyncio.current_task()
        assert main_task is not None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_IGN:  # as nohup does
                continue
            asyncio.get_running_loop().add_signal_handler(number, main_task.cancel)
        return await work

    try:
        return asyncio.run(run())
    except asyncio.CancelledError as why:
        line.tell(f"to continue, run: {how_to_resume}")
        raise Interrupted from why
    finally:
        line.clear()


def _scan_hosts(given: argparse.Namespace, folder: Folder, request: Request, fathom: str) -> int:
    """One snapshot for each host, in the folder. Returns the exit code."""
    import_dask()
    from fathom_fleet.cluster import OwnCluster
    from fathom_fleet.hosts import HostScan, directory_of, entries_of

    line = ProgressLine(given.progress, given.plain)
    argv = [fathom, "snapshot", "--die-with-parent", "--progress=never", *request.flags]
    argv += ["--nice"] if given.nice else []
    argv += [f"--threads={given.threads}"] if given.threads else []
    hosts = [place.name for place in given.places]
    argv += [f"--max-ops={max(1, given.max_ops // len(hosts))}"] if given.max_ops else []
    missing = [place for place in given.places if entries_of(directory_of(folder, place.name)) is None]
    scans: list[HostScan] = []

    async def scan() -> None:
        async with OwnCluster(missing, fathom, given.versions, _listening(given), line.tell,
                              _dashboard(given)) as cluster:
            limit = float(given.task_limit or _HOST_LIMIT)
            scans.append(HostScan(folder, hosts, (*argv, "--", *request.roots), limit, cluster.call, line.tell))
            running = asyncio.create_task(scans[0].run())
            try:
                while not running.done():
                    line.draw(lambda columns: f"{len(scans[0].outcome.done)} of {len(hosts)} hosts done")
                    await asyncio.wait([running], timeout=_REDRAW)
                await running
            finally:
                running.cancel()

    _until_interrupted(scan(), _how_to_resume(given, folder), line)
    outcome = scans[0].outcome
    entries = sum(outcome.done.values())
    if not outcome.done:
        folder.forget()
        return _WRONG
    code = _INCOMPLETE if outcome.failed or outcome.incomplete else _COMPLETE
    folder.finish(Finished(code, entries, len(outcome.done), tuple(outcome.failed)))
    put(f"kept {entries:,} entries of {len(outcome.done)} of {len(hosts)} hosts in {folder}/host=*\n")
    return code


def _tasks_here(given: argparse.Namespace) -> int:
    """How many tasks share this machine's processors."""
    if given.ssh or given.slurm or given.scheduler or given.scheduler_file:
        return 0
    return int(given.local or len(os.sched_getaffinity(0)))


def _cluster(given: argparse.Namespace, folder: Folder, fathom: str, tell: Callable[[str], None]) -> Any:
    """Raises FleetError."""
    import_dask()
    from fathom_fleet.cluster import ForeignCluster, OwnCluster

    if given.scheduler or given.scheduler_file:
        return ForeignCluster(given.scheduler, given.scheduler_file, fathom, given.versions, tell)
    return OwnCluster(given.places, fathom, given.versions, _listening(given), tell, _dashboard(given),
                      str(folder.path))


def _dashboard(given: argparse.Namespace) -> str | None:
    return f"{LOOPBACK}:0" if given.dashboard else None


def _places(given: argparse.Namespace) -> list[Place]:
    """None for a scheduler that has workers already. Raises FleetError."""
    from fathom_fleet import place

    if given.ssh:
        return place.ssh(given.ssh.split(","), given.python, given.tasks)
    if given.slurm:
        return place.slurm(given.jobs, _slurm_options(given.slurm_options), given.python, given.tasks)
    if given.scheduler_file:
        _check_scheduler_file(given.scheduler_file)
    if given.scheduler or given.scheduler_file:
        return []
    return place.local(_tasks_here(given))


def _check_scheduler_file(name: str) -> None:
    """Dask waits for a file that does not exist, and fails on others. Raises FleetError."""
    try:
        json.loads(Path(name).read_bytes())["address"]
    except OSError as why:
        raise FleetError(f"cannot read the scheduler file '{shown(name)}': {why.strerror}") from why
    except (ValueError, TypeError, LookupError) as why:
        raise FleetError(f"'{shown(name)}' is not the file of a scheduler of Dask") from why


def _slurm_options(text: str) -> list[str]:
    """Raises FleetError."""
    try:
        return shlex.split(text)
    except ValueError as why:  # a quote that does not end
        raise FleetError(f"option '--slurm-options' takes words as a shell does, not '{shown(text)}'") from why


def _listening(given: argparse.Namespace) -> str:
    """The address at which this machine listens. Raises FleetError."""
    from fathom_fleet.place import towards_ssh
    from fathom_fleet.worker import own_address_towards

    if given.address:
        return str(given.address)
    if given.ssh:
        return towards_ssh(given.ssh.split(",")[0])
    if not given.slurm:
        return LOOPBACK
    import socket

    try:
        address = socket.gethostbyname(socket.gethostname())
        return own_address_towards("192.0.2.1") if address.startswith("127.") else address
    except OSError as why:
        raise FleetError("cannot find out by which address the workers reach this machine; use '--address IP'") from why


async def _output_of(command: list[str]) -> tuple[int, bytes]:
    """The exit code and the standard output. If this is cancelled, so is the command, unless it has ended well."""
    # Ctrl-C in the terminal is for this process alone, which then ends the command.
    child = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    # Processes of asyncio lose their exit codes if they end while they are killed.
    output = asyncio.create_task(asyncio.to_thread(child.communicate))
    try:
        await asyncio.shield(output)
    except asyncio.CancelledError:
        child.kill()
        await output
        if child.returncode not in (0, 1):
            raise
    return child.returncode, output.result()[0]


def _join(given: argparse.Namespace, folder: Folder, plan: Plan, line: ProgressLine) -> int:
    """Joins the parts into one snapshot in the store. Returns the exit code."""
    command = [given.own_fathom, "snapshot", f"--parts={folder.path}", "--die-with-parent",
               f"--progress={given.progress}"]
    command += ["--partial"] if plan.given_up else []
    command += _result_options(given)
    code, out = _until_interrupted(_output_of(command), _how_to_resume(given, folder), line)
    if code < 0:
        raise FleetError(f"`fathom snapshot` was ended by signal {-code}; '--resume' tries again")
    kept = out.decode(errors="replace").strip()
    if code == _INCOMPLETE and not kept:  # the store has the snapshot already, perhaps of a driver that was killed
        code = _INCOMPLETE if plan.errors or plan.given_up else _COMPLETE
        before = folder.finished()
        kept = before.snapshot if before else ""
    if code in (_COMPLETE, _INCOMPLETE):
        folder.finish(Finished(code, plan.entries, len(plan.done), tuple(plan.given_up), kept))
        put(out)
    else:
        line.tell(f"to continue, run: {_how_to_resume(given, folder)}")
    return code
