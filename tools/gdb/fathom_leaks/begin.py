"""Becomes the program to follow: GDB starts this script instead, as its exec-wrapper. It sets the input, output,
process group, environment, signals and arguments of the command, which GDB does not pass on to its programs.

    begin.py SETTING PROGRAM
"""

from __future__ import annotations

import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from fathom_leaks.parent import end_with_parent


def tracer() -> int:
    """The process that traces this one, or 0."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next((int(line.split()[1]) for line in lines if line.startswith("TracerPid:")), 0)


def main() -> None:
    end_with_parent(tracer())  # GDB protects programs only once they have begun, and then lifts this
    with open(sys.argv[1], encoding="utf-8") as file:
        setting = json.load(file)
    os.setpgid(0, setting["group"])
    for own, given in enumerate(setting["descriptors"]):
        os.dup2(given, own)
        os.close(given)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, setting["blocked"])
    os.execve(sys.argv[2], [sys.argv[2], *setting["arguments"]], setting["environment"])


main()
