#!/usr/bin/env bash
# break_when_test.sh BREAK_WHEN: without a debugger, each limit ends the program by SIGTRAP and says why.
set -euo pipefail

check() {  # PROGRAM LIMIT PATTERN
  local status=0 said
  said=$("$1" "$2" 2>&1) || status=$?
  [[ $status == $((128 + $(kill -l TRAP))) && $said =~ $3 ]] || { echo "$2: $status: $said"; exit 1; }
}

check "$1" memory "break: tag 'tree' has "[0-9]+" live bytes, more than 1048576 "
check "$1" lock "break: lock 'queue' was waited for "[0-9]+" ns, more than 10000000 "
