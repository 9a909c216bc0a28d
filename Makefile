# The verbs of daily work; `make help` lists them. Each installs what it needs first (scripts/setup), and builds what is
# out of date (scripts/build).

# What `make run` scans and `make serve` shows, and further flags of the command.
DIR = /usr
ARGS =
# Where `make install` puts things; packagers also give DESTDIR.
PREFIX = /usr/local
DESTDIR =
# What `make lab` runs: --smoke (minutes) or --full (hours).
SIZE = --smoke
export JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help run serve build test check bench go-bench lab install clean
# Several verbs at once run one after the other; each uses all processors itself.
.NOTPARALLEL:

help:
	@echo 'make run [DIR=/path] [ARGS=...]   build Fathom and scan a directory (default: /usr)'
	@echo 'make serve [DIR=/path] [ARGS=...] build Fathom and show a directory in a browser (default: /usr)'
	@echo 'make build                        leave the command at build/release/bin/fathom'
	@echo 'make test                         build and run every test'
	@echo 'make check                        formats, include rules, linters, types, sanitizers, planted bugs, fuzzing, benchmarks'
	@echo 'make bench                        build and run the benchmarks'
	@echo 'make go-bench [ARGS=--smoke]      ask the questions of lab/experiments about the Go module'
	@echo 'make lab [SIZE=--full]            ask every question of lab/experiments, and write a report'
	@echo 'make install [PREFIX=/usr/local]  install the command, the headers and the CMake package'
	@echo 'make clean                        remove build/'

# Exit code 1 means that something was not readable: the scan worked, and its output says so.
run:
	@scripts/setup run
	@scripts/build release
	@build/release/bin/fathom scan $(ARGS) '$(DIR)' || test $$? -eq 1

serve:
	@scripts/setup serve
	@scripts/build release
	@build/release/bin/fathom serve $(ARGS) '$(DIR)'

build:
	@scripts/setup build
	@scripts/build release

# The preset gives a test that ran out of time a second chance, since machines are noisy; one that failed gets none.
test:
	@scripts/setup test
	@go/verify fetch || echo 'make: what the Go tests need could not be fetched: they are left out' >&2
	@scripts/build dev
	@ctest --preset dev --parallel $(JOBS)

check:
	@scripts/setup check
	@go/verify fetch || echo 'make: what the Go tests need could not be fetched: they are left out' >&2
	@scripts/check

bench:
	@scripts/setup bench
	@scripts/build bench
	@set -e; for bench in build/release/bin/bench_*; do "$$bench" $(ARGS); done

go-bench:
	@scripts/setup lab
	@go/verify fetch
	@scripts/lab run $(basename $(notdir $(wildcard lab/experiments/go-*.toml))) --into build/lab/runs $(ARGS)

lab:
	@scripts/setup lab
	@go/verify fetch || echo 'make: what the Go benchmarks need could not be fetched: they are left out' >&2
	@scripts/lab run --all $(SIZE) --into build/lab/runs --report build/lab/report.html $(ARGS)

install:
	@scripts/setup install
	@scripts/build release
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

clean:
	rm -rf build
