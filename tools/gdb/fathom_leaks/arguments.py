"""The options of the command and of the commands in GDB."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from fathom_leaks.options import Options


def add_recording(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Options of what is recorded. None: not given."""
    return [
        parser.add_argument("--sample", type=positive, metavar="N", help="follow only every Nth allocation; faster"),
        parser.add_argument("--sample-bytes", type=positive, metavar="N",
                            help="follow one allocation per N requested bytes"),
        parser.add_argument("--trace", metavar="FILE", help="keep the trace of all calls in FILE, for --from"),
    ]


def add_report(parser: argparse.ArgumentParser, instead_of: str) -> None:
    """Options of the report, which otherwise goes to `instead_of`."""
    parser.add_argument("--json", action="store_true", help="write the report as JSON (schema fathom.leaks/1)")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help=f"write the report to FILE instead of {instead_of}; - is standard output")
    parser.add_argument("--map", metavar="FILE",
                        help="also write a map of addresses by time, with the fragmentation of the heap, as an HTML "
                             "page to FILE; - is standard output")
    parser.add_argument("--all", action="store_true",
                        help="include every block that was not freed, also those that the C library keeps for itself")
    parser.add_argument("--all-leaks", action="store_true",
                        help="show all leaks and complete stacks in the text report")


def options_of(chosen: argparse.Namespace, command: Sequence[str], start_at: str, stop_at: str) -> Options:
    known = Options()
    return Options(tuple(command), chosen.depth or known.depth, chosen.sample or known.sample,
                   chosen.sample_bytes or known.sample_bytes, start_at, stop_at)


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive integer")
    return int(text)
