# shellcheck shell=bash
# What the tests of packages share.

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# equal WHAT WANTED GOT
equal() {
  [[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"
  echo "passed: $1"
}

# has WHAT PATTERN TEXT: the text contains the extended regular expression.
has() {
  grep -qE -- "$2" <<<"$3" || fail "$1: no line matches '$2': $3"
  echo "passed: $1"
}

# Prints a number from the JSON on standard input: json totals files
json() {
  python3 -c 'import functools, json, sys; print(functools.reduce(dict.__getitem__, sys.argv[1:], json.load(sys.stdin)))' "$@"
}
