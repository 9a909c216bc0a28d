# The targets of daily work; `make help` lists them. Each installs what it needs (scripts/setup), and builds what is out
# of date (scripts/build).

# The directory that `make run` scans and `make serve` shows, and further flags of the command.
DIR = /usr
ARGS =
# The prefix of `make install`; packagers also set DESTDIR.
PREFIX = /usr/local
DESTDIR =
# The size of `make lab`: --smoke (minutes) or --full (hours).
SIZE = --smoke
# For `make go-bench`: processors (2,3), a nice value (-10, as root) and profiles (cpu memory trace). Go reads GOMAXPROCS
# itself; make passes it on.
CPUS =
NICE =
PROFILE =
export JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help run serve build test check bench go-bench lab wheel dist deb rpm site install clean
# Several targets run one after the other, because each uses all processors.
.NOTPARALLEL:

help:
	@echo 'make run [DIR=/path] [ARGS=...]   build Fathom and scan a directory (default: /usr)'
	@echo 'make serve [DIR=/path] [ARGS=...] build Fathom and show a directory in a browser (default: /usr)'
	@echo 'make build                        build the command: build/release/bin/fathom'
	@echo 'make test                         build and run every test'
	@echo 'make check                        check formats, includes, lint, types, sanitizers, planted bugs, fuzzing, benchmarks'
	@echo 'make bench                        build and run the benchmarks'
	@echo 'make go-bench [ARGS=--smoke]      run the experiments about the Go module [CPUS=2,3] [GOMAXPROCS=1] [NICE=-10] [PROFILE=cpu]'
	@echo 'make lab [SIZE=--full]            run all experiments of lab/experiments and write a report'
	@echo 'make wheel                        build the Python package: build/dist/*.whl'
	@echo 'make dist [TAG=v1.0.0]            build the files of a release, as root: build/fathom-VERSION'
	@echo 'make deb                          build the Debian packages: build/dist/*.deb'
	@echo 'make rpm                          build the RPM packages: build/dist/*.rpm'
	@echo 'make site                         build the documentation as a web site: build/site'
	@echo 'make install [PREFIX=/usr/local]  install the command, manual pages, headers and libraries'
	@echo 'make clean                        remove build/'

# Exit code 1 means that some entries could not be read; the scan worked, and its output says so.
run:
	@scripts/setup run
	@scripts/build release fathom_cli
	@build/release/bin/fathom scan $(ARGS) '$(DIR)' || test $$? -eq 1

serve:
	@scripts/setup serve
	@scripts/build release fathom_cli
	@build/release/bin/fathom serve $(ARGS) '$(DIR)'

build:
	@scripts/setup build
	@scripts/build release fathom_cli

# The preset repeats tests that exceed their time limit, because machines are noisy; it does not repeat failed tests.
test:
	@scripts/setup test
	@scripts/python_tools.py || echo 'make: cannot install the programs of scripts/python-tools.txt; skipping what needs them' >&2
	@go/verify fetch || echo 'make: cannot fetch the modules that the Go tests need; skipping these tests' >&2
	@scripts/build dev
	@ctest --preset dev --parallel $$(($(JOBS) + 2))

check:
	@scripts/setup check
	@scripts/python_tools.py || echo 'make: cannot install the programs of scripts/python-tools.txt; skipping what needs them' >&2
	@go/verify fetch || echo 'make: cannot fetch the modules that the Go tests need; skipping these tests' >&2
	@scripts/check

bench:
	@scripts/setup bench
	@scripts/build bench
	@set -e; for bench in build/release/bin/bench_*; do "$$bench" $(ARGS); done

go-bench:
	@scripts/setup lab
	@go/verify fetch
	@scripts/lab run $(basename $(notdir $(wildcard lab/experiments/go-*.toml))) --into build/lab/runs \
		$(if $(CPUS),--pin '$(CPUS)') $(if $(NICE),--nice '$(NICE)') $(PROFILE:%=--profile %) $(ARGS)

lab:
	@scripts/setup lab
	@go/verify fetch || echo 'make: cannot fetch the modules that the Go benchmarks need; skipping these benchmarks' >&2
	@mkdir -p build/lab
	@scripts/lab run --all $(SIZE) --into build/lab/runs --report build/lab/report.html $(ARGS)

wheel:
	@scripts/setup wheel
	@scripts/wheel

dist:
	@scripts/setup dist
	@scripts/dist $(TAG)

deb:
	@scripts/setup deb
	@packaging/deb

rpm:
	@scripts/setup rpm
	@packaging/rpm

site:
	@scripts/setup site
	@scripts/build release fathom_cli
	@site/build build/release/bin/fathom

install:
	@scripts/setup install
	@scripts/build release product
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

# rm would empty the volumes of experiments (bench/volumes/mount-volume).
clean:
	@for volume in build/lab/volume-*/; do \
		if mountpoint -q "$$volume" 2>/dev/null; then umount "$$volume" || exit 1; fi; done
	rm -rf build
