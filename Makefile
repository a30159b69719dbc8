# Two commands do everything on a machine that has only Python and make: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SIDE_BY_SIDE := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not wall_clock"
ALONE = $(BIN)/pytest -m wall_clock $(shell grep -rl mark.wall_clock --include="test_*.py" tests)

unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of processes, each of which would compile our modules

.PHONY: run test types tests coverage slow format clean docs browser screenshots

run: $(VENV)/.ready
	$(BIN)/cube run --apply btl --planner fd-lmcut

test: $(VENV)/.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory -j2 types tests
	$(ALONE) -rs

# mypy keeps one core busy: beside the tests, it costs half the time by the clock.
types: $(VENV)/.ready
	$(BIN)/mypy

tests: $(VENV)/.ready
	$(SIDE_BY_SIDE) -rs --durations=10 --durations-min=5

# Apart from the tests, of which it takes a fifth more time of the processor.
coverage: $(VENV)/.ready
	$(SIDE_BY_SIDE) --cov=core --cov=plugins --cov-report=
	$(ALONE) --cov=core --cov=plugins --cov-append --cov-report=term:skip-covered --cov-report=xml

slow: $(VENV)/.ready
	$(BIN)/pytest --slow -rs

docs: $(VENV)/.ready
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

# Debian's Chromium is what the pages are tested in; elsewhere, install one by hand.
browser: $(VENV)/.ready
	command -v chromium || { apt-get update && apt-get install -y --no-install-recommends chromium; }
	$(BIN)/pytest --slow tests/browser

# Every picture of the documentation, from real runs: about five minutes the first time.
screenshots: $(VENV)/.ready
	$(BIN)/pip install --quiet --disable-pip-version-check imageio-ffmpeg
	$(BIN)/python docs/all_screenshots.py

format: $(VENV)/.ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage* coverage.xml

# Made again when the dependencies change; the mark is written last, so a broken-off set-up starts over.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,docs]'
	touch $@
