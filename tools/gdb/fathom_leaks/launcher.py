"""The command: runs a program under GDB with the recorder, then reports the findings of its trace."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import gc
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from fathom_leaks import arguments
from fathom_leaks.man_page import man_page
from fathom_leaks.map_page import map_page
from fathom_leaks.output import CannotRun, check_files, check_trace, write
from fathom_leaks.replay import (
    CANNOT_RUN,
    FOUND,
    INTERRUPTED,
    NOTHING_FOUND,
    check_followed,
    exit_code,
    replay,
    view_of,
)
from fathom_leaks.report import Report, printable, write_json, write_text
from fathom_leaks.signals import Ended, Signals
from fathom_leaks.trace import BadTrace, create_trace, read_trace

_DESCRIPTION = """\
Run CMD under GDB and report memory that it never frees, grouped by the stack
that allocated it, and invalid frees: double frees, and frees of addresses that
malloc did not return. CMD does not need to be rebuilt; with debug information
(-g), stacks show files and lines. CMD keeps its standard input and output.

A block is leaked if it is not freed before the process ends, even if a global
variable still points to it. Blocks that the C library keeps for the lifetime
of the process are excluded (--all includes them). The exit code of CMD is in
the report.

It follows malloc, calloc, realloc, reallocarray, posix_memalign, aligned_alloc,
memalign, valloc, pvalloc and free, and thereby operator new and delete. Forked
children are followed, too, until they become another program. Children of
system, popen, posix_spawn and vfork are not; the report names them.

--trace keeps what was recorded, and --from reports again from it. In a session
of GDB by hand, the script leaks.py in share/fathom/gdb of the installation adds
the commands fathom-leaks begin, report and end (see help fathom-leaks there)."""

_EXITS = {
    NOTHING_FOUND: "nothing found",
    FOUND: "leaks or invalid frees found, or CMD was killed by a signal",
    CANNOT_RUN: "invalid usage, or CMD could not be followed to its end",
    INTERRUPTED: "CMD was ended by Ctrl-C; the report covers everything so far",
}


def main(words: Sequence[str], home: Path) -> int:
    """`home`: the folder that holds this package."""
    parser, recording = _parser()
    chosen = parser.parse_args(words)
    if chosen.generate is not None:
        return _generate(parser, chosen)
    command = chosen.command[1:] if chosen.command[:1] == ["--"] else chosen.command
    if chosen.read is not None:
        _check_reading(parser, recording, chosen, command)
    elif not command:
        parser.error("no command to run: fathom leaks -- CMD [ARGUMENT...]")
    gc.disable()  # a million blocks, none of them in a circle, would be examined again and again
    try:
        report, was_told = (_read(chosen), False) if chosen.read is not None else _run(chosen, command, home)
        _answer(chosen, report, waits=not was_told)
        return exit_code(report)
    except (CannotRun, BadTrace, OSError) as reason:
        with contextlib.suppress(OSError):  # standard error may be what cannot be written
            for line in f"fathom leaks: {reason}".splitlines():
                print(printable(line), file=sys.stderr)
        return reason.code if isinstance(reason, Ended) else CANNOT_RUN
    except Exception:  # a fault of this program: Python's exit code would say that leaks were found
        with contextlib.suppress(OSError):
            traceback.print_exc()
        return CANNOT_RUN


class _Parser(argparse.ArgumentParser):
    """Its errors quote what the user gave."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> tuple[argparse.ArgumentParser, list[argparse.Action]]:
    """The parser, and those of its options that choose what is recorded."""
    parser = _Parser(
        prog="fathom leaks", usage="fathom leaks [OPTION...] -- CMD [ARGUMENT...]\n"
                                   "       fathom leaks [OPTION...] --from TRACE", description=_DESCRIPTION,
        epilog=_epilog(), formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    arguments.add_report(parser, "standard error")
    parser.add_argument("--from", dest="read", metavar="TRACE",
                        help="report again from a trace that --trace has kept, without CMD and GDB; --depth, --all and "
                             "the form of the report may differ")
    parser.add_argument("--depth", type=arguments.positive, metavar="N",
                        help="record at most N frames of each stack (default: 32), but always up to the first of "
                             "the program, or with --from use so many of them; recording fewer is faster")
    recording = [
        *arguments.add_recording(parser),
        parser.add_argument("--start-at", metavar="FUNCTION",
                            help="start following at the first call of FUNCTION"),
        parser.add_argument("--stop-at", metavar="FUNCTION",
                            help="stop following at the first call of FUNCTION, and report the blocks "
                                 "allocated at that point"),
        parser.add_argument("--gdb", metavar="PROGRAM", help="GDB to use (default: $FATHOM_GDB, or gdb)"),
    ]
    parser.add_argument("--generate", nargs=2, metavar=("man", "VERSION"), help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser, recording


def _check_reading(parser: argparse.ArgumentParser, recording: Sequence[argparse.Action], chosen: argparse.Namespace,
                   command: Sequence[str]) -> None:
    if command:
        parser.error("--from reads a trace and runs no command")
    for option in recording:
        if getattr(chosen, option.dest) is not None:
            parser.error(f"{option.option_strings[0]} is for recording: --from only reads a trace")


def _epilog() -> str:
    return "\n".join(["exit codes:", *(f"  {code:<5}{meaning}" for code, meaning in _EXITS.items())])


def _generate(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    """For the build: `fathom-leaks --generate man VERSION`."""
    kind, version = chosen.generate
    if kind != "man":
        parser.error(f"argument --generate: there is no '{kind}'")
    page = man_page(parser, "report memory that a program never frees, and invalid frees", _EXITS, version)
    if chosen.output is None:
        print(page, end="")
    else:
        Path(chosen.output).write_text(page, encoding="ascii")
    return 0


def _read(chosen: argparse.Namespace) -> Report:
    check_files({"the report": chosen.output, "the map": chosen.map}, chosen.read)
    report = replay(chosen.read, chosen.all, chosen.depth or 0, chosen.map is not None)
    if not report.processes:
        raise CannotRun(f"{chosen.read} has no process: the recording ended before the program began")
    check_followed(report)
    return report


def _run(chosen: argparse.Namespace, command: list[str], home: Path) -> tuple[Report, bool]:
    """The report, and whether a signal came."""
    program = _program(command[0])
    gdb = _gdb(chosen.gdb or os.environ.get("FATHOM_GDB", "gdb"))
    check_files({"the report": chosen.output, "the trace": chosen.trace, "the map": chosen.map})
    check_trace(chosen.trace)
    with tempfile.TemporaryDirectory(prefix="fathom-leaks-") as folder:
        trace = os.path.abspath(chosen.trace) if chosen.trace else f"{folder}/trace"
        create_trace(trace, arguments.options_of(chosen, command, chosen.start_at or "", chosen.stop_at or ""))
        log = Path(folder, "gdb.log")
        was_told = _run_gdb(gdb, home, trace, program, command[1:], log)
        report = replay(trace, chosen.all, with_lifetimes=chosen.map is not None)
        _check_ran(report, log)
    return report, was_told


def _answer(chosen: argparse.Namespace, report: Report, *, waits: bool) -> None:
    """`waits`: for a program that reads from a pipe."""
    text = write_json(report) if chosen.json else write_text(report, view_of(_width(chosen), chosen.all_leaks))
    write(chosen.output if chosen.output is not None else sys.stderr.fileno(), text, waits=waits)
    if chosen.map is not None:
        write(chosen.map, map_page(report), waits=waits)


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


def _gdb(name: str) -> str:
    gdb = shutil.which(name)
    if gdb is None:
        raise CannotRun(f"GDB ('{name}') not found; install the package gdb, or specify one with --gdb")
    return gdb


def _run_gdb(gdb: str, home: Path, trace: str, program: str, arguments: list[str], log: Path) -> bool:
    """Runs GDB, whose output goes to `log`. The program inherits descriptors of this command's input and output.
    Returns whether a signal came. Raises Ended if one came before the program began."""
    own = [_spare_copy(number) for number in range(3)]
    signals = Signals()
    setting = log.parent / "setting"
    setting.write_text(json.dumps({"group": os.getpgrp(), "descriptors": own, "arguments": arguments,
                                   "blocked": sorted(signals.before), "environment": dict(os.environ)}),
                       encoding="utf-8")
    wrapper = shlex.join([sys.executable, "-ISB", str(home / "fathom_leaks" / "begin.py"), str(setting)])
    code = (f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(home)!r}); "
            "from fathom_leaks import session; "
            f"session.run({trace!r}, {wrapper!r})")
    with open(log, "wb") as output, subprocess.Popen(
            [gdb, "-nx", "-nh", "-q", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off",
             "-ex", f"python {code}", program],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=dict(os.environ, SHELL="/bin/sh"),
            close_fds=False, preexec_fn=signals.in_gdb) as child:  # noqa: PLW1509 (there is no other thread)
        for number in own:
            os.close(number)
        ended_by = signals.wait(child, lambda: _running(trace))
    signals.restore()
    if ended_by:
        raise Ended(ended_by)
    return signals.came


def _spare_copy(number: int) -> int:
    """A copy of a descriptor that programs inherit, above the descriptors that shells use."""
    return fcntl.fcntl(number, fcntl.F_DUPFD, 10)


def _running(trace: str) -> list[int] | None:
    """The programs that run, or None if none has begun yet."""
    pids: dict[int, int] = {}
    begun = False
    for kind, _, *fields in read_trace(trace)[1]:
        if kind == "process":
            begun = True
            pids[fields[0]] = fields[1]
        elif kind == "end":
            pids.pop(fields[0], None)
    return list(pids.values()) if begun else None


def _check_ran(report: Report, log: Path) -> None:
    output = log.read_text(encoding="utf-8", errors="replace")
    if "Python scripting is not supported" in output:
        raise CannotRun("this GDB does not support Python; install the package gdb (not gdb-minimal), or specify "
                        "another with --gdb")
    if not report.processes:
        raise CannotRun(_why_not_started(output + "\n".join(report.heap.notes)))
    check_followed(report)


def _why_not_started(output: str) -> str:
    if "ptrace" in output or "exited with code 127" in output:  # the exit code of GDB's child
        return ("the kernel refuses ptrace, which GDB needs to follow a program; in a container add "
                "--cap-add=SYS_PTRACE, or set kernel.yama.ptrace_scope to 1 or 0")
    lines = [line for line in output.splitlines() if line.strip() and "while executing Python" not in line]
    last = lines[-1:]
    return "GDB could not start the program" + (f": {last[0]}" if last else "")


def _width(chosen: argparse.Namespace) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if chosen.output is None and sys.stderr.isatty():
        return os.get_terminal_size(sys.stderr.fileno()).columns
    return 80
