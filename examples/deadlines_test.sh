#!/usr/bin/env bash
# deadlines_test.sh DEADLINES: a client that sends lines is answered, and one that never ends its line is too late.
set -euo pipefail

# answer MILLISECONDS TEXT LINES: that many lines that a server with this limit sends back.
answer() {
  coproc server { exec "$program" 0 "$1"; }
  pid=$!
  read -r _ _ _ port <&"${server[0]}"
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%b' "$2" >&3
  head -n "$3" <&3
  exec 3>&-
  kill -INT "$pid"
  wait "$pid"
}

program=$1
patient=$(answer 3600000 'hello\n\n' 2)
strict=$(answer 20 'hel' 1)
[[ $patient == $'5\n0' && $strict == 'too late' ]]
