# Needs make and Python 3.11 or newer. `make` alone lists the targets.
PYTHON ?= python3
VENV ?= .venv

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMP := $(VENV)/.dev-installed
PEERS_STAMP := $(VENV)/.peers-installed
DOCS_STAMP := $(VENV)/.docs-installed
SPARK_STAMP := $(VENV)/.spark-installed
# One process by default: two gave no clear gain for the quick tests. `make test-all JOBS=2` runs two.
PYTEST := $(if $(JOBS),OPENBLAS_NUM_THREADS=1 )$(BIN)/python -m pytest$(if $(JOBS), -n $(JOBS))

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all test-spark coverage lint types layers docstrings check docs pictures package bench reproduce clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) ## create the virtual environment and install the package with its tools

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "twosample needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@if [ ! -x $(BIN)/python ]; then echo "setting up $(VENV) ..."; $(PYTHON) -m venv $(VENV); fi
	@echo "setting up twosample and its tools in $(VENV) (about a minute the first time) ..."
	@$(PIP) install -qq -c constraints.txt -e '.[dev]'
	@touch $@

$(PEERS_STAMP): $(STAMP)
	@echo "setting up the peers that the benchmarks compare with ..."
	@$(PIP) install -qq -c constraints.txt -e '.[peers]'
	@touch $@

demo: $(STAMP) ## run the demonstration
	@$(BIN)/python -m twosample demo

test: $(STAMP) ## run the tests and doctests that take seconds
	$(PYTEST) -m "not slow and not spark"

test-all: $(STAMP) ## run all tests, the slow statistical suites included
	$(PYTEST) -m "not spark"

$(SPARK_STAMP): $(STAMP)
	@echo "setting up pyspark (about half a gigabyte) ..."
	@$(PIP) install -qq -c constraints.txt -e '.[spark]'
	@touch $@

test-spark: $(SPARK_STAMP) ## run the tests of Spark, which needs Java 17 or newer
	@command -v java > /dev/null || { echo "Spark needs Java: install openjdk-17-jre-headless, or what your system calls it" >&2; exit 1; }
	$(PYTEST) -m "spark and not slow" tests/sources/test_spark.py

coverage: $(STAMP) ## run the quick tests under coverage and write docs/coverage.md
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -m "not slow and not spark"
	$(BIN)/python -m coverage combine -q
	$(BIN)/python tools/coverage_page.py

lint: $(STAMP) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy, strict: the package, and the README as a user's script
	$(BIN)/mypy
	$(BIN)/python tools/check_user_types.py

layers: $(STAMP) ## the import contracts
	$(BIN)/lint-imports

docstrings: $(STAMP) ## docstrings of the public names against their signatures
	$(BIN)/python tools/check_docstrings.py

check: lint types layers docstrings ## all static checks

$(DOCS_STAMP): $(STAMP)
	@echo "setting up what makes the site ..."
	@$(PIP) install -qq -c constraints.txt -e '.[docs]'
	@touch $@

docs: $(DOCS_STAMP) ## make the site in build/site, offline; a warning or a link that leads nowhere is an error
	$(BIN)/sphinx-build -W --keep-going -q -d build/doctrees docs build/site
	$(BIN)/python tools/check_site.py build/site

pictures: $(STAMP) ## make the pictures of the README again (needs Chromium)
	$(BIN)/python tools/pictures.py

package: $(STAMP) ## build the wheel and the source archive into dist, and check what an index would show of them
	@$(PIP) install -qq build twine
	rm -rf dist
	$(BIN)/python -m build -o dist
	$(BIN)/twine check --strict dist/*

bench: $(if $(TWOSAMPLE_PEERS_PYTHON),$(STAMP),$(PEERS_STAMP)) ## run the benchmarks against the peers
	$(BIN)/python -m benchmarks

reproduce: $(STAMP) ## re-run the figures and tables of the paper, in full (more than an hour of processor time; resumes)
	$(BIN)/python -m experiments all
	$(BIN)/python -m experiments all --variants

clean: ## remove caches and build products; keeps the virtual environment
	rm -rf build dist docs/reference docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
