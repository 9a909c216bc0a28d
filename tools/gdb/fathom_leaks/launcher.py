"""The command: runs a program under GDB with the recorder, then reports the findings of its trace."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fathom_leaks.findings import findings
from fathom_leaks.heap import Heap
from fathom_leaks.options import Options
from fathom_leaks.report import Report, View, write_json, write_text
from fathom_leaks.trace import read_trace

NOTHING_FOUND = 0
FOUND = 1
CANNOT_RUN = 2
INTERRUPTED = 130

_DESCRIPTION = """\
Run CMD under GDB and report memory that it never frees, grouped by the stack
that allocated it, and invalid frees: double frees, and frees of addresses that
malloc did not return. CMD does not need to be rebuilt; with debug information
(-g), stacks show files and lines. CMD keeps its standard input and output.

A block is leaked if it is not freed before the process ends, even if a global
variable still points to it. Blocks that the C library keeps for the lifetime
of the process are excluded (--all includes them).

It follows malloc, calloc, realloc, reallocarray, posix_memalign, aligned_alloc,
memalign, valloc, pvalloc and free, and thereby operator new and delete."""

_EPILOG = """\
exit codes:
  0    nothing found
  1    leaks or invalid frees found, or CMD was killed by a signal
  2    invalid usage, or CMD could not be followed to its end
  130  CMD was ended by Ctrl-C; the report covers everything so far
The exit code of CMD is in the report."""


class CannotRun(Exception):
    """One sentence that says what is missing and how to fix it."""


def main(arguments: Sequence[str], home: Path) -> int:
    """`home`: the folder that holds this package."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    command = chosen.command[1:] if chosen.command[:1] == ["--"] else chosen.command
    if not command:
        parser.error("no command to run: fathom leaks -- CMD [ARGUMENT...]")
    try:
        return _run(chosen, command, home)
    except (CannotRun, OSError) as reason:
        print(f"fathom leaks: {reason}", file=sys.stderr)
        return CANNOT_RUN


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fathom leaks", usage="fathom leaks [OPTION...] -- CMD [ARGUMENT...]", description=_DESCRIPTION,
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="write the report as JSON (schema fathom.leaks/1)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to FILE instead of standard error")
    parser.add_argument("--all", action="store_true", help="include blocks that the C library keeps for itself")
    parser.add_argument("--all-leaks", action="store_true",
                        help="show all leaks and complete stacks in the text report")
    parser.add_argument("--depth", type=_positive, default=32, metavar="N",
                        help="record at most N frames of each stack (default: 32); fewer are faster")
    parser.add_argument("--sample", type=_positive, default=1, metavar="N",
                        help="follow only every Nth allocation; faster")
    parser.add_argument("--sample-bytes", type=_positive, default=0, metavar="N",
                        help="follow one allocation per N requested bytes")
    parser.add_argument("--start-at", default="", metavar="FUNCTION",
                        help="start following at the first call of FUNCTION")
    parser.add_argument("--stop-at", default="", metavar="FUNCTION",
                        help="stop following at the first call of FUNCTION, and report the blocks "
                             "allocated at that point")
    parser.add_argument("--trace", metavar="FILE", help="keep the trace of all calls in FILE")
    parser.add_argument("--gdb", default=os.environ.get("FATHOM_GDB", "gdb"), metavar="PROGRAM",
                        help="GDB to use (default: $FATHOM_GDB, or gdb)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive integer")
    return int(text)


def _run(chosen: argparse.Namespace, command: list[str], home: Path) -> int:
    program = _program(command[0])
    gdb = _gdb(chosen.gdb)
    _check_files(chosen.output, chosen.trace)
    with tempfile.TemporaryDirectory(prefix="fathom-leaks-") as folder:
        trace = Path(os.path.abspath(chosen.trace)) if chosen.trace else Path(folder, "trace")
        options = Options(str(trace), chosen.depth, chosen.sample, chosen.sample_bytes, chosen.start_at, chosen.stop_at)
        log = Path(folder, "gdb.log")
        _run_gdb(gdb, home, options, program, command[1:], log)
        report = _report(command, options, trace, log, chosen.all)
    text = write_json(report) if chosen.json else write_text(report, _view(chosen))
    _write(chosen.output, text)
    return _exit_code(report)


def _program(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        if os.path.exists(name) and "/" in name:
            raise CannotRun(f"{name} is not executable; check its permissions")
        raise CannotRun(f"program '{name}' not found; check its path, or PATH")
    with open(program, "rb") as file:
        start = file.read(5)
    if start[:2] == b"#!":
        raise CannotRun(f"{program} is a script; run its interpreter, as in: fathom leaks -- sh {program}")
    if start[:4] != b"\x7fELF":
        raise CannotRun(f"{program} is not an ELF program")
    if start[4] != 2:
        raise CannotRun(f"{program} is a 32-bit program; only x86-64 is supported")
    return program


def _check_files(output: str | None, trace: str | None) -> None:
    """Checks the files before the program runs, not after it."""
    if output is not None and trace is not None and os.path.realpath(output) == os.path.realpath(trace):
        raise CannotRun(f"the report and the trace cannot both be {output}")
    for path in (output, trace):
        if path is not None:
            _check_writable(path)
    if trace is not None and not os.path.isfile(trace):
        raise CannotRun(f"cannot keep the trace in {trace}: it must be a regular file")


def _check_writable(path: str) -> None:
    """Existing files that are not regular are not opened: the reader of a pipe would see that as its end."""
    try:
        if not os.path.exists(path) or os.path.isfile(path):
            open(path, "ab").close()
        elif os.path.isdir(path):
            raise CannotRun(f"cannot write {path}: it is a directory")
        elif not os.access(path, os.W_OK):
            raise CannotRun(f"cannot write {path}: Permission denied")
    except OSError as error:
        raise CannotRun(f"cannot write {path}: {error.strerror}") from error


def _write(path: str | None, text: str) -> None:
    try:
        with open(path if path is not None else sys.stderr.fileno(), "w", encoding="utf-8", errors="backslashreplace",
                  closefd=path is not None) as file:
            file.write(text)
    except OSError as error:
        raise CannotRun(f"cannot write {path or 'the report'}: {error.strerror}") from error


def _gdb(name: str) -> str:
    gdb = shutil.which(name)
    if gdb is None:
        raise CannotRun(f"GDB ('{name}') not found; install the package gdb, or specify one with --gdb")
    return gdb


def _run_gdb(gdb: str, home: Path, options: Options, program: str, arguments: list[str], log: Path) -> None:
    """Runs GDB, whose output goes to `log`. The program inherits descriptors of this command's input and output."""
    own = [_spare_copy(number) for number in range(3)]
    setting = log.parent / "setting"
    setting.write_text(json.dumps({"group": os.getpgrp(), "descriptors": own, "arguments": arguments,
                                   "environment": dict(os.environ)}),
                       encoding="utf-8")
    wrapper = shlex.join([sys.executable, "-ISB", str(home / "fathom_leaks" / "begin.py"), str(setting)])
    code = (f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(home)!r}); "
            "from fathom_leaks import options, session; "
            f"session.run(options.{options!r}, {wrapper!r})")
    with open(log, "wb") as output, subprocess.Popen(
            [gdb, "-nx", "-nh", "-q", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off",
             "-ex", f"python {code}", program],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=dict(os.environ, SHELL="/bin/sh"),
            close_fds=False) as child:
        for number in own:
            os.close(number)
        _wait(child, Path(options.trace))


def _spare_copy(number: int) -> int:
    """A copy of a descriptor that programs inherit, above the descriptors that shells use."""
    return fcntl.fcntl(number, fcntl.F_DUPFD, 10)


def _wait(child: subprocess.Popen[bytes], trace: Path) -> None:
    """Waits for GDB. Ctrl-C reaches all processes, and the program decides what it means; SIGTERM, which may reach only
    this process, is forwarded. Signals that are ignored here, as with nohup or in a shell's background, stay ignored
    in the program, too."""
    def hand_on(number: int, _frame: object) -> None:
        for pid in _running(trace):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    before = {number: signal.signal(number, handler)
              for number, handler in ((signal.SIGINT, lambda *_: None), (signal.SIGTERM, hand_on))
              if signal.getsignal(number) != signal.SIG_IGN}
    child.wait()
    for number, handler in before.items():
        signal.signal(number, handler)


def _running(trace: Path) -> list[int]:
    pids: dict[int, int] = {}
    if trace.exists():
        for kind, *fields in read_trace(trace):
            if kind == "process":
                pids[fields[0]] = fields[1]
            elif kind == "end":
                pids.pop(fields[0], None)
    return list(pids.values())


def _report(command: list[str], options: Options, trace: Path, log: Path, with_own: bool) -> Report:
    heap = Heap(knows_all=options.follows_all and not options.start_at)
    if trace.exists():
        heap.replay(read_trace(trace))
    output = log.read_text(encoding="utf-8", errors="replace")
    if "Python scripting is not supported" in output:
        raise CannotRun("this GDB does not support Python; install the package gdb (not gdb-minimal), or specify "
                        "another with --gdb")
    if not heap.processes:
        raise CannotRun(_why_not_started(output + "\n".join(heap.notes)))
    if not any(process.allocator for process in heap.processes):
        raise CannotRun("malloc was not found in the program: it is statically linked and stripped, or ended before "
                        "its libraries were loaded; link it dynamically, or keep its symbols")
    return Report(tuple(command), heap, tuple(findings(heap, with_own)), options.sample, options.sample_bytes,
                  options.start_at, options.stop_at)


def _why_not_started(output: str) -> str:
    if "ptrace" in output or "exited with code 127" in output:  # the exit code of GDB's child
        return ("the kernel refuses ptrace, which GDB needs to follow a program; in a container add "
                "--cap-add=SYS_PTRACE, or set kernel.yama.ptrace_scope to 1 or 0")
    lines = [line for line in output.splitlines() if line.strip() and "while executing Python" not in line]
    last = lines[-1:]
    return "GDB could not start the program" + (f": {last[0]}" if last else "")


def _view(chosen: argparse.Namespace) -> View:
    width = 80
    if chosen.output is None and sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        width = int(columns)
    return View(width, 0, 0) if chosen.all_leaks else View(width, 5, 6)


def _exit_code(report: Report) -> int:
    processes = [found.process for found in report.processes]
    if any(process.ended == "signal" and process.code == signal.SIGINT for process in processes):
        return INTERRUPTED
    if any(process.ended in ("", "left") for process in processes):
        return CANNOT_RUN
    return FOUND if report.found or report.crashed else NOTHING_FOUND
