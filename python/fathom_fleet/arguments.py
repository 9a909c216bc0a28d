"""Arguments: the options of `fathom fleet` and their help."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from fathom_fleet import selection
from fathom_fleet.budget import Budget
from fathom_fleet.driver import DEFAULT_BUDGET, DEFAULT_TASK_LIMIT
from fathom_fleet.errors import FleetError, shown
from fathom_fleet.output import put

LOOPBACK = "127.0.0.1"

_EXITS = """\
Exit codes:
    0  complete; the snapshot is kept
    1  something could not be read, so that the sizes are lower bounds, or the
       name of the snapshot could not be printed; the snapshot is kept
    2  wrong usage, or no worker can be used, or a part or the snapshot cannot
       be written; what was scanned stays in FOLDER, for --resume
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
  fathom fleet scan /srv --into /shared/scan --local 16
  fathom fleet scan /data --into /shared/scan --ssh node1,node2,node3
  fathom fleet scan /data --into /shared/scan --slurm --jobs 8
  fathom fleet scan --into /shared/scan --resume --ssh node1,node2

"""
_STATUS = "Shows how far the scan in FOLDER is, whether it runs or not.\n"


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
            put(message)


def _number(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"takes a number from {least} to {most:,}, not '{text}'")
        return int(text)
    return number


def scan_parser() -> argparse.ArgumentParser:
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
                       help=f"show Dask's dashboard, on {LOOPBACK}; it needs bokeh")

    selection.add_to(parser.add_argument_group("Select (as in `fathom scan --help`)"))

    scan = parser.add_argument_group("Scan")
    scan.add_argument("-j", "--threads", metavar="N", type=_number(1, 1024), help="use N threads in each task "
                      "(default: by the number of processors; with --local, 1)")
    scan.add_argument("--nice", action="store_true", help="run at low CPU and I/O priority")
    scan.add_argument("--max-ops", metavar="N", type=_number(1, 10**12), help="limit to N filesystem operations per "
                      "second, all workers together")
    scan.add_argument("--budget", metavar="BUDGET", default=str(DEFAULT_BUDGET), help="a task hands back what is left "
                      f"after about this long (default: {DEFAULT_BUDGET}), or about this many entries: 2s, 100000; or "
                      "earlier while others have no work, and at half of --task-limit at the latest")
    scan.add_argument("--task-limit", metavar="SECONDS", type=_number(1, 10**6), help="end a task that "
                      f"takes longer, because a disk does not answer for example (default: {DEFAULT_TASK_LIMIT}; with "
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


def status_parser() -> argparse.ArgumentParser:
    parser = _Parser("status", "FOLDER [OPTION...]", _STATUS, "Exit codes:\n    0  shown\n    1  it could not "
                     "be printed\n    2  wrong usage, or FOLDER does not hold a scan\n")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    options = parser.add_argument_group("Options")
    options.add_argument("--format", choices=("text", "json"), metavar="FORMAT", default="text",
                         help="text (default) or json")
    options.add_argument("-h", "--help", action="help", help="show this help")
    return parser


def options_to_resume(given: argparse.Namespace) -> list[str]:
    """The options that are not in FOLDER, unless they have their defaults."""
    options = []
    for name, default in vars(scan_parser().parse_args(["--resume", "--into", str(given.into)])).items():
        value = getattr(given, name)
        if value != default and name not in ("paths", "selection", "resume", "into"):
            options.append(f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}"))
    return options


def check_usage(given: argparse.Namespace) -> None:
    """Checks combinations of options of `scan`. Raises FleetError."""
    if not given.resume and not given.paths:
        raise FleetError("no PATH is given; see `fathom fleet scan --help`")
    if (given.jobs is not None or given.slurm_options) and not given.slurm:
        raise FleetError("options '--jobs' and '--slurm-options' need '--slurm'")
    if given.dashboard and (given.scheduler or given.scheduler_file):
        raise FleetError("option '--dashboard' works only with a scheduler of its own; the other one may have one")
    if given.each_host and not (given.ssh or given.slurm):
        raise FleetError("option '--each-host' needs '--ssh HOSTS' or '--slurm'")
    if given.each_host and given.slurm and "SLURM_JOB_ID" not in os.environ:
        raise FleetError("options '--each-host' and '--slurm' work together only inside an allocation")
    if given.each_host and (given.store or given.tag):
        raise FleetError("options '--store' and '--tag' do not work with '--each-host'; the snapshots are in FOLDER")
    if given.each_host and any(flag.kind is selection.Kind.FILE for flag, _ in given.selection.given):
        raise FleetError("option '--exclude-from' does not work with '--each-host'; use '--exclude'")
    Budget.parse(given.budget)
