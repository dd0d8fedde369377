# SPDX-License-Identifier: Apache-2.0
# The menu. CMake does the work: CMakePresets.json, cmake/.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
build_preset = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

help:
	@echo 'make build     the command line, static: build/release/tagma'
	@echo 'make demo      what it does, on a small real file (installs what it needs)'
	@echo 'make test      all tests (installs what it needs)'
	@echo 'make hostile   every small file cut and flipped in all planned places; conversions killed'
	@echo 'make fuzz      each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make bench     against real ROOT (docs/BENCHMARKS.md)'
	@echo 'make lint      clang-tidy, clang-format, shellcheck, mandoc'
	@echo 'make coverage  lines of src/ that the tests run, by file'
	@echo 'make install   into PREFIX=$(PREFIX) (DESTDIR is honoured)'
	@echo 'make dist      one static file: build/dist/'

build:
	@tools/install-deps build
	@$(call build_preset,release)

demo: build
	@demo/run build/release/tagma

build-tests:
	@tools/install-deps test
	@$(call build_preset,release)
	@$(call build_preset,asan)

test: build-tests
	@python3 tests/run

hostile: build-tests
	@TAGMA_HOSTILE=all ctest --test-dir build/asan -L hostile --output-on-failure --timeout 36000 -j $(JOBS)
	@TAGMA_HOSTILE=all python3 tests/hostile/test_killed.py
	@TAGMA_HOSTILE=all python3 tests/cli/test_matrix.py

fuzz:
	@tools/install-deps fuzz
	@$(call build_preset,fuzz)
	@tools/run-fuzz build/fuzz $(FUZZ_SECONDS)

bench: build
	@tools/install-deps bench
	@bench/run

lint:
	@tools/install-deps lint
	@cmake --preset debug >/dev/null
	@tools/lint build/debug

coverage: build-tests
	@python3 tests/run --coverage

install: build
	cmake --install build/release --prefix $(PREFIX)

dist: build
	@tools/make-dist build/release

clean:
	rm -rf build

.PHONY: help build build-tests demo test hostile fuzz bench lint coverage install dist clean
