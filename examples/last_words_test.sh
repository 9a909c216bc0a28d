#!/usr/bin/env bash
# last_words_test.sh LAST_WORDS: a socket stands for /dev/log, and receives what is printed on standard error.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$1" "$folder/log" <<'END'
import signal
import socket
import subprocess
import sys

program, path = sys.argv[1:]
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind(path)
ended = subprocess.run([program, path], capture_output=True, text=True)
assert ended.returncode == -signal.SIGABRT, ended
for line in ended.stderr.splitlines():
    logged = log.recv(2048, socket.MSG_DONTWAIT).decode()
    assert logged.startswith("<10>") and logged.endswith("]: " + line), logged
assert "std::runtime_error: cannot load the map" in ended.stderr, ended
END
