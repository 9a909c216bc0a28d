#!/usr/bin/env bash
# echo_test.sh ECHO: starts the server, sends it a line, and ends it like Ctrl-C.
set -euo pipefail

coproc server { exec "$1" 0; }
pid=$!
read -r _ _ _ port <&"${server[0]}"
exec 3<>"/dev/tcp/127.0.0.1/$port"
echo hello >&3
read -r answer <&3
exec 3>&-
kill -INT "$pid"
wait "$pid"
[[ $answer == hello ]]
