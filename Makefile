# Needs python3.11 or newer with venv and headers, make and g++; everything else comes from requirements-dev.txt.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
BUILT := .venv/.built
CORE := $(wildcard src/ufodt/core/*.hpp src/ufodt/core/*.cpp src/ufodt/core/bindings/*.hpp)
SANITIZED := build/sanitized

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint types sanitize bench clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

demo: $(BUILT)  ## learn the LED stream next to river's trees, and show one session
	@$(BIN)/ufodt demo

test: lint types sanitize  ## lint, types, the core under sanitizers, then all tests and doctests
	@echo "== tests"
	@$(BIN)/python -m pytest -q

lint: $(READY)  ## ruff: rules and format; clang-format for the core
	@echo "== lint"
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "run: $(BIN)/ruff format"; exit 1; }
	@$(BIN)/clang-format --dry-run --Werror $(CORE) || { echo "run: $(BIN)/clang-format -i $(CORE)"; exit 1; }

types: $(READY)  ## mypy, strict, on src
	@echo "== types"
	@$(BIN)/mypy

# The interpreter is not instrumented, so the runtime is loaded ahead of it, and libstdc++ with it: the sanitizer
# looks up the function behind `throw` when it starts. pytest must not capture what it writes before it aborts.
sanitize: $(BUILT)  ## tests/core once more under the address and undefined-behaviour sanitizers
	@echo "== core under sanitizers"
	@$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja --log-level=WARNING -DUFODT_SANITIZE=ON \
		-DCMAKE_CXX_COMPILER=$(CXX) -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
		-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python > /dev/null
	@MAKEFLAGS= $(BIN)/cmake --build $(SANITIZED) -- --quiet
	@LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		UFODT_CORE=$$(echo $(CURDIR)/$(SANITIZED)/_core_baseline.*) \
		$(BIN)/python -m pytest -q -p no:cacheprovider --capture=sys tests/core

bench: $(BUILT)  ## speed next to river, as ratios
	@$(BIN)/ufodt bench speed

clean:  ## remove what was built (.venv stays)
	@rm -rf build dist $(BUILT) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find src tests -name __pycache__ -prune -exec rm -rf {} +

$(READY): requirements-dev.txt
	@echo "== packages into .venv (a minute or two, once)"
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed"'
	@test -e "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" || \
		{ echo "The headers of Python are missing; on Debian: apt-get install python3-dev"; exit 1; }
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --require-hashes -r $<
	@touch $@

$(BUILT): $(READY) CMakeLists.txt pyproject.toml $(CORE)
	@echo "== build"
	@MAKEFLAGS= CXX=$(CXX) $(BIN)/python -m pip install -qq --no-build-isolation --no-deps -e .
	@touch $@
