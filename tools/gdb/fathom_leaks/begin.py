"""Becomes the program to follow: GDB starts this script instead, as its exec-wrapper. It sets the input, output,
process group, environment and arguments of the command, which GDB does not pass on to its programs.

    begin.py SETTING PROGRAM
"""

from __future__ import annotations

import json
import os
import signal
import sys


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        setting = json.load(file)
    os.setpgid(0, setting["group"])
    for own, given in enumerate(setting["descriptors"]):
        os.dup2(given, own)
        os.close(given)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them
    os.execve(sys.argv[2], [sys.argv[2], *setting["arguments"]], setting["environment"])


main()
