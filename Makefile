# Déjà Vu. `make run` shows it at work, `make test` proves it. Both need Python 3.11+ and make, no more.
#
#   make run                    the bundled demo agent inside dejavu-run, then what was captured
#   make run AGENT=claude ARGS='--model opus'   the same around a real agent
#   make test | check           tests | ruff, mypy, pyright, import-linter
#   make test-without-proc      the part of the tests that macOS needs, with /proc hidden (ARGS=tests/capsule)
#   make bench | figures        one run of every benchmark as a table, recorded | README's figures from the record
#   make conform                terminal conformance (needs ../shared)
#   make soak | e2e             long fuzzing and kill tests | real agent CLIs on a scripted model (needs ../shared)
#   make package                wheel, sdist, .deb, formula, list of parts in dist/, each tried in a clean place
#   make onefile | release      one file that runs with only a Python | a folder with that, install.sh and checksums
#   make docs                   write docs/reference.md, docs/man and the table of agents
#   make plugins                write packaging/plugins from the agents' folders
#   make site                   docs/ as a site with search in build/site
#   make tui-pictures           draw the browser's golden pictures anew (tests/interfaces/tui/pictures)
#   make pictures               draw the README's pictures anew from the program
#   make golden-update CASE=demo/tour   rewrite one golden case and show the difference

SHELL  := /bin/bash
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v $$p; break; }; done)
VENV   := .venv
BIN    := $(VENV)/bin
AGENT  ?= demo
ARGS   ?=
CASE   ?=
WORKERS ?= 5
WITHOUT_PROC = tests/capsule tests/config
MINUTES ?= 10

.PHONY: run test test-without-proc check bench figures conform soak e2e golden-update docs plugins site package onefile release tui-pictures pictures format clean dev

$(VENV)/.base: pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "Déjà Vu needs Python 3.11 or newer: install it, or say 'make $(MAKECMDGOALS) PYTHON=/path/to/python3'" >&2; exit 1; }
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV) || { echo "making $(VENV) failed: on Debian and Ubuntu, 'apt install python3-venv' first" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.base

dev: $(VENV)/.dev

run: $(VENV)/.base
	@$(BIN)/python examples/first_run.py $(AGENT) $(ARGS)

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not soak and not e2e" $(ARGS)

test-without-proc: $(VENV)/.dev
	@tools/without_proc.sh $(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not soak and not e2e" \
		$(or $(ARGS),$(WITHOUT_PROC)) || { code=$$?; [ $$code = 77 ] || exit $$code; }

check: $(VENV)/.dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff check --quiet --select TID251 src/dejavu/*/
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy
	@$(BIN)/mypy --platform darwin --no-warn-unreachable --cache-dir .mypy_cache/darwin
	@$(BIN)/pyright
	@$(BIN)/pyright --pythonplatform Darwin

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench: $(VENV)/.dev
	@$(BIN)/python -m benchmarks.all $(ARGS)

figures: $(VENV)/.dev
	@$(BIN)/python -m benchmarks.write_figures $(ARGS)

conform: $(VENV)/.dev
	@$(BIN)/python -m benchmarks.terminal.conform $(ARGS)

soak: $(VENV)/.dev
	@$(BIN)/python -m tests.drills --minutes $(MINUTES) $(ARGS)

e2e: $(VENV)/.dev
	@$(BIN)/python -m pytest -m e2e -s $(ARGS)

golden-update: $(VENV)/.dev
	@$(BIN)/python -m tests.golden $(CASE) $(ARGS)

docs: $(VENV)/.base
	@$(BIN)/python tools/reference.py > docs/reference.md
	@$(BIN)/python tools/manual.py docs/man
	@$(BIN)/python tools/mcp_tools.py
	@$(BIN)/python tools/agents_table.py
	@$(BIN)/python tools/typescript_client.py
	@$(BIN)/python tools/json_schema.py
	@$(BIN)/python tools/instructions.py

plugins: $(VENV)/.base
	@$(BIN)/python -m tools.plugins

$(VENV)/.site: pyproject.toml | $(VENV)/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

site: $(VENV)/.site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "build/site/index.html"

package: $(VENV)/.dev
	@PYTHON=$(CURDIR)/$(BIN)/python packaging/build.sh

onefile: $(VENV)/.dev
	@$(BIN)/python -m build --wheel --outdir dist . >/dev/null
	@$(BIN)/python packaging/onefile.py dist/*.whl dist/dejavu.pyz
	@ls -l dist/dejavu.pyz

release: $(VENV)/.dev
	@PYTHON=$(CURDIR)/$(BIN)/python packaging/release.sh

tui-pictures: $(VENV)/.dev
	@$(BIN)/python -m tests.interfaces.tui.pictures

pictures: $(VENV)/.dev
	@$(BIN)/python docs/pictures/make.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
