# Two commands do everything on a machine that has only Python and make: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: run test slow format clean

run: $(VENV)/.ready
	$(BIN)/cube run

test: $(VENV)/.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest

slow: $(VENV)/.ready
	$(BIN)/pytest --slow

format: $(VENV)/.ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache

# Made again when the dependencies change; the mark is written last, so a broken-off set-up starts over.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,docs]'
	touch $@
