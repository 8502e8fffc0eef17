# Two commands set everything up: `make demo` and `make test`.

PYTHON ?= python3
ARGS ?=

# a worker a core; more than a few have no room for their TensorFlow
WORKERS := -n logical --maxprocesses=4 --dist=worksteal

PIP_FLAGS := -qq --disable-pip-version-check

.PHONY: help demo samples test test-fast test-oldest test-newest test-oldest-tf test-storage test-long page screenshots test-browser fuzz check format bench bench-check bench-each docs clean

help:
	@echo "make demo          profile the bundled captures: a U-Net, a slow input (no TensorFlow)"
	@echo "make samples       unpack the captures that the documentation is about into samples/"
	@echo "make test          run the tests, also against TensorFlow's own engine"
	@echo "make test-fast     run the tests that need no TensorFlow: two minutes"
	@echo "make test-oldest   the same with the oldest Python and the lowest versions we allow"
	@echo "make test-newest   the same with the newest Python and the newest versions"
	@echo "make test-storage  run the tests of buckets, on emulators of S3 and Google Cloud"
	@echo "make test-long     run the tests that take minutes, and those of recording on TensorFlow 2.16"
	@echo "make page          bundle the page into the package; an install does it, too"
	@echo "make test-browser  run the tests of the page, in Chromium"
	@echo "make fuzz          ask every command about damaged files (MINUTES=5)"
	@echo "make check         ruff, mypy, import-linter, docs"
	@echo "make format        let ruff format and fix"
	@echo "make bench         speed beside other tools: a table, kept in docs/benchmarks.md (ROWS='scope' SCALE=1)"
	@echo "make bench-check   measure again; fails if a ratio fell by a third"
	@echo "make bench-each    every script in benchmarks/: how right answers are, and more about speed"
	@echo "make clean         remove what these commands made"
	@echo "ARGS='-k name' is passed on to pytest; PYTHON=python3.12 picks the interpreter."

demo: .venv/installed samples
	.venv/bin/tfprof examples/unet
	@echo
	.venv/bin/tfprof steps examples/slow_input
	@echo
	.venv/bin/tfprof report examples/slow_input -o report.html --force
	@echo "All of it on one page: open $(CURDIR)/report.html in a browser, or add --open."

# the commands of the documentation run over these
samples:
	@$(PYTHON) tests/unpack_samples.py samples

test: .venv-test/installed
	.venv-test/bin/python -m pytest $(WORKERS) --session-timeout=1200 $(ARGS)

test-fast: .venv-fast/installed
	.venv-fast/bin/python -m pytest $(WORKERS) --session-timeout=600 $(ARGS)

test-oldest: .venv-oldest/installed
	.venv-oldest/bin/python -m pytest $(WORKERS) --session-timeout=900 $(ARGS)

test-newest: .venv-newest/installed
	.venv-newest/bin/python -m pytest $(WORKERS) --session-timeout=900 $(ARGS)

test-storage: .venv-storage/installed
	.venv-storage/bin/python -m pytest $(WORKERS) tests/storage $(ARGS)

test-long: .venv-test/installed .venv-storage/installed test-oldest-tf
	.venv-test/bin/python -m pytest -m long --timeout=1800 $(ARGS)
	.venv-storage/bin/python -m pytest -m long tests/storage $(ARGS)

# what records a program is the only part of tfprof that TensorFlow's version matters to
RECORDING := test_capture test_cheap_ops test_keras_profiler test_profiler_options test_recording_ends \
	test_run_endings test_run_killed test_run_processes test_run_scripts test_run_training \
	test_session_recording
test-oldest-tf: .venv-oldest-tf/installed
	.venv-oldest-tf/bin/python -m pytest -m "long or not long" --timeout=1800 $(ARGS) $(RECORDING:%=tests/oracle/%.py)

# the Chromium of the system, never a downloaded one
test-browser: .venv-browser/installed
	.venv-browser/bin/python web/build.py check
	.venv-browser/bin/python -m pytest tests/browser --session-timeout=1200 $(ARGS)

page:
	@$(PYTHON) web/build.py

# of the documentation; look at them before they are committed
screenshots: .venv-browser/installed page samples
	.venv-browser/bin/python tests/screenshots.py $(ARGS)

MINUTES ?= 5
fuzz: .venv-fast/installed
	PYTHONPATH=tests .venv-fast/bin/python -m fuzz --minutes $(MINUTES) $(ARGS)

check: .venv-check/installed
	.venv-check/bin/ruff check
	.venv-check/bin/ruff format --check
	.venv-check/bin/mypy
	.venv-check/bin/lint-imports
	NO_MKDOCS_2_WARNING=1 .venv-check/bin/mkdocs build --strict --quiet

format: .venv-check/installed
	.venv-check/bin/ruff format
	.venv-check/bin/ruff check --fix

# half an hour each, with nothing else running; some rows only: ROWS='scope load'
ROWS ?=
bench: .venv-test/installed
	.venv-test/bin/python benchmarks/bench.py --write --rows '$(ROWS)' $(ARGS)
	$(if $(SCALE),SCALE=$(SCALE) .venv-test/bin/python benchmarks/many_hosts.py)

bench-check: .venv-test/installed
	.venv-test/bin/python benchmarks/bench.py --check --rows '$(ROWS)' $(ARGS)

# a leading underscore marks a helper
bench-each: .venv-test/installed .venv-browser/installed
	@set -e; for script in $(filter-out benchmarks/_% benchmarks/bench.py,$(sort $(wildcard benchmarks/*.py))); do \
		echo "== $$script"; .venv-test/bin/python $$script $(ARGS); \
	done

docs: .venv-check/installed
	NO_MKDOCS_2_WARNING=1 .venv-check/bin/mkdocs serve

clean:
	rm -rf samples report.html web/dist web/node_modules .venv .venv-fast .venv-browser .venv-oldest .venv-newest .venv-oldest-tf .venv-storage .venv-test .venv-check site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# One environment a purpose. The stamp is written last, so a broken install is tried again.
.venv/installed: EXTRAS :=
.venv-fast/installed: EXTRAS := [test-fast]
.venv-test/installed: EXTRAS := [test]
.venv-browser/installed: EXTRAS := [test-browser]
.venv-check/installed: EXTRAS := [check,docs]
# Keras 2 asks for a second TensorFlow, over the one for CPUs that is there
.venv-test/installed: ALONE := tf_keras

.venv/installed .venv-fast/installed .venv-test/installed .venv-browser/installed .venv-check/installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install $(PIP_FLAGS) --editable '.$(EXTRAS)'
	$(if $(ALONE),$(@D)/bin/python -m pip install $(PIP_FLAGS) --no-deps $(ALONE))
	@touch $@

# XProf needs a newer protobuf than this TensorFlow can have
.venv-oldest-tf/installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install $(PIP_FLAGS) --editable '.[test-fast]' 'tensorflow-cpu==2.16.1' 'keras==3.0.5'
	$(@D)/bin/python -m pip install $(PIP_FLAGS) --no-deps 'tf_keras==2.16.0'
	@touch $@

# the libraries of stores pin each other's versions: pip takes minutes to find some that agree
.venv-storage/installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install $(PIP_FLAGS) uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --editable '.[test-storage]'
	@touch $@

# pip has no way to ask for the lowest versions
.venv-oldest/installed .venv-newest/installed: pyproject.toml tests/pythons.py
	"$$($(PYTHON) tests/pythons.py $(WHICH))" -m venv --clear $(@D)
	$(@D)/bin/python -m pip install $(PIP_FLAGS) uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --resolution $(VERSIONS) --editable '.[test-fast,plot]'
	@touch $@
.venv-oldest/installed: WHICH := oldest
.venv-oldest/installed: VERSIONS := lowest-direct
.venv-newest/installed: WHICH := newest
.venv-newest/installed: VERSIONS := highest
