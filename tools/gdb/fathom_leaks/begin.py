"""What GDB starts instead of the program, to become it: with the input, output, process group and environment that the
command was given, none of which GDB leaves to what it runs, and with any arguments.

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
