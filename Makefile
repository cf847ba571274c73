# Every target makes .venv and builds what it needs first; a machine needs Python (3.10 or later) and Rust, nothing else.
PYTHON ?= python3
# Build profile of the extension: `release` is what users get, `fastdev` builds in a fraction of its time.
PROFILE ?= release
# Text for `make run`: a file, a folder or a glob; without it the source of the Python standard library.
CORPUS ?=
VOCAB_SIZE ?= 16000
# More arguments for pytest and for the benchmark.
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
TORCH_STAMP := $(VENV)/.installed-torch
BUILD_STAMP := $(VENV)/.built-$(PROFILE)
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)
# `cargo fmt` does not see the modules that a macro names.
RUSTFMT := rustfmt $(filter %.rs,$(RUST_SOURCES))
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
unexport CONDA_PREFIX

.DEFAULT_GOAL := help
.PHONY: help run test test-torch deep bench check fmt lint types build lock clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'
	@echo
	@echo "  Settings: make run CORPUS=path VOCAB_SIZE=n   make test ARGS='-k spans'   PROFILE=fastdev   PYTHON=python3.12"

run: $(BUILD_STAMP) ## Train a tokenizer on real text, save it, show what it does and how fast
	@$(BIN)/python examples/train_tokenizer.py --vocab-size $(VOCAB_SIZE) $(if $(CORPUS),--corpus "$(CORPUS)")

test: $(BUILD_STAMP) $(DEV_STAMP) ## Run the tests of Rust and Python
	cargo test -p piecework-core --locked
	$(BIN)/python -m pytest $(ARGS)

test-torch: $(BUILD_STAMP) $(DEV_STAMP) $(TORCH_STAMP) ## Run the tests that need torch, which is large
	$(BIN)/python -m pytest tests/oracles/test_torch.py tests/unit/test_integrations.py $(ARGS)

deep: $(BUILD_STAMP) $(DEV_STAMP) ## Run the property tests with 20,000 examples each (long)
	PROPTEST_CASES=20000 cargo test -p piecework-core --locked --profile fastdev
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -m hypothesis $(ARGS)

bench: $(BUILD_STAMP) $(DEV_STAMP) ## Measure speed beside the reference
	$(BIN)/python benchmarks/run.py $(ARGS)

check: lint types test ## Everything that must hold: lint, types, tests, documentation
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

fmt: $(DEV_STAMP) ## Format the sources
	@$(RUSTFMT)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix --quiet

lint: $(DEV_STAMP) ## Check format and style
	@$(RUSTFMT) --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(BUILD_STAMP) $(DEV_STAMP) ## Check types, and the stub against the built extension
	$(BIN)/python -m mypy
	MYPYPATH=python $(BIN)/python -m mypy.stubtest piecework._core --allowlist tests/typing/stubtest.txt

build: $(BUILD_STAMP) ## Build the extension into .venv

lock: $(DEV_STAMP) ## Renew the pinned versions in requirements/
	$(PIP) install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-header --upgrade --group run -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-header --upgrade --group all \
		-c requirements/run.txt -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --upgrade --group torch \
		-c requirements/dev.txt -o requirements/torch.txt

clean: ## Remove everything that was built, .venv included
	rm -rf $(VENV) target build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f python/piecework/_core*.so

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo "piecework needs Python 3.10 or later; choose one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
		|| { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual environment (on Debian: apt-get install python3-venv)" >&2; exit 1; }

$(RUN_STAMP): requirements/run.txt | $(BIN)/python
	$(PIP) install --quiet -r requirements/run.txt
	@touch $@

$(DEV_STAMP): requirements/dev.txt | $(BIN)/python
	$(PIP) install --quiet -r requirements/dev.txt
	@touch $@

$(TORCH_STAMP): requirements/torch.txt $(DEV_STAMP)
	$(PIP) install --quiet -r requirements/torch.txt
	@touch $@

$(BUILD_STAMP): $(RUST_SOURCES) pyproject.toml | $(RUN_STAMP)
	@rm -f $(VENV)/.built-*
	$(BIN)/maturin develop --quiet --locked --profile $(PROFILE)
	@touch $@
