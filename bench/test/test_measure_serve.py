"""measure-serve: what is left of it when it is ended. wrk and nginx are scripts that never end."""

import os
import pathlib
import select
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bench/web/measure-serve"
FATHOM = os.environ.get("FATHOM", f"{ROOT}/build/release/bin/fathom")


@pytest.mark.parametrize("last, question", [
    ("fathom", ["list"]),
    ("wrk", ["list"]),
    ("wrk", ["crowd"]),
    ("nginx", ["list", "nginx"]),
])
def test_servers_end_with_the_measurement(tmp_path, last, question):
    """Each program writes its number to the FIFO `started`. The measurement is ended when the last one has started."""
    started = tmp_path / "started"
    os.mkfifo(started)
    for name in ("fathom", "wrk", "nginx"):
        goes_on = f"exec '{FATHOM}' \"$@\"" if name == "fathom" and last != "fathom" else "exec sleep 1000"
        (tmp_path / name).write_text(f"#!/bin/sh\necho {name} $$ >'{started}'\n{goes_on}\n", encoding="ascii")
        (tmp_path / name).chmod(0o755)
    words = [sys.executable, PROGRAM, *question, "--command", tmp_path / "fathom", "--dir", tmp_path]
    programs = []
    with subprocess.Popen(words, env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}) as measuring:
        name = ""
        while name != last:
            for line in started.read_text(encoding="ascii").splitlines():
                name, number = line.split()
                programs.append(os.pidfd_open(int(number)))
        measuring.terminate()
        measuring.terminate()
    ended = select.select(programs, [], [], 0)[0]
    for program in programs:
        if program not in ended:
            signal.pidfd_send_signal(program, signal.SIGKILL)
        os.close(program)
    assert measuring.returncode == 1
    assert ended == programs
