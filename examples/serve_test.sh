#!/usr/bin/env bash
# serve_test.sh SERVE: starts the server, requests its status with and without the token, and ends it.
set -euo pipefail

# status HEADER: the first line of the answer.
status() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /api/1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n' "$1" >&3
  head -n 1 <&3
  exec 3>&-
}

coproc server { exec "$1" .; }
pid=$!
read -r address <&"${server[0]}"
[[ $address =~ ^http://127\.0\.0\.1:([0-9]+)/\?token=([-_A-Za-z0-9]+)$ ]]
port=${BASH_REMATCH[1]}
token=${BASH_REMATCH[2]}
with=$(status "Authorization: Bearer $token"$'\r\n')
without=$(status '')
kill -INT "$pid"
wait "$pid"
[[ $with == 'HTTP/1.1 200 '* && $without == 'HTTP/1.1 401 '* ]]
