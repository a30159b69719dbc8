"""A matrix from Python: axes are lists, and what comes back has runs and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.options import Spec, parse_spec
from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.driver import MatrixRun, Outcome
from cubespace.experiments.executor import Executor, JobResult
from cubespace.experiments.matrix import SEED, Matrix
from cubespace.experiments.tables.rows import read_runs
from cubespace.experiments.tables.table import DEFAULT_COLUMNS, Problems, Table, make_table
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings import defaults


@attrs.frozen(kw_only=True)
class Sweep:
    """A matrix that was run: its folder, and how its cells ended."""

    folder: Path
    outcome: Outcome

    def table(
        self,
        rows: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        values: Sequence[str] = DEFAULT_COLUMNS,
        problems: Problems = "common",
    ) -> Table:
        """Return a table of its results, as :func:`cubespace.table` does."""
        return make_table(read_runs([self.folder]), rows, columns, values, problems)


def matrix(
    folder: Path | str,
    axes: Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
    *,
    preset: str | None = None,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    exclude: Sequence[Mapping[str, Any]] = (),
    diagnose: bool = True,
    executor: Executor | str = defaults.EXECUTOR,
    jobs: int | None = None,
    observers: Sequence[str] = (),
    call: CellCall | None = None,
    told: Callable[[JobResult], None] = lambda _: None,
) -> Sweep:
    """Run every combination of some settings, as ``cube matrix`` does; what is done is kept.

    ``axes`` are the values of settings by short or full name, such as ``{"apply": ["btl", "minmax"], "seed":
    range(5)}``; ``settings`` are those of all cells. Cells are processes of their own, so ``observers`` are named as on
    the command line; ``call`` says what else every cell is told, ``told`` hears of each job that ends. A cell that
    fails stops no other: see ``outcome.failures``.
    """
    loaded = load_plugins()
    for observer in observers:
        loaded.create("observer", observer)  # a bad name is refused here
    requested = Matrix(
        preset=preset,
        settings=_plain(settings or {}),
        axes={name: _values(name, values) for name, values in axes.items()},
        variants={name: _plain(table) for name, table in (variants or {}).items()},
        exclude=tuple(_plain(rule) for rule in exclude),
        diagnose=diagnose,
    )
    by = _executor(executor, jobs)
    how = attrs.evolve(call or CellCall(), observers=(*(call.observers if call else ()), *observers))
    outcome = MatrixRun.of(requested, Path(folder), loaded).run(by, call=how, told=told)
    return Sweep(folder=Path(folder), outcome=outcome)


def _executor(given: Executor | str, jobs: int | None) -> Executor:
    if isinstance(given, Executor):
        return given
    spec = parse_spec(given)
    found: Executor = load_plugins().create(
        "executor", spec if jobs is None else Spec(spec.name, {**spec.options, "jobs": jobs})
    )
    missing = found.missing()
    if missing:
        raise UsageError(f"executor '{spec.name}' is not installed: {missing}")
    return found


def _values(name: str, given: Any) -> list[Any]:
    """Return the values of an axis as a matrix file has them; any iterable but a text is several."""
    several = [given] if isinstance(given, str | int | float | bool | Path) else list(given)
    plain = [_value(value) for value in several]
    return [str(value) for value in plain] if name == SEED or name.endswith(".seed") else plain


def _plain(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(value) for key, value in table.items()}


def _value(value: Any) -> Any:
    """Return a value that TOML can hold: paths and numbers of numpy become plain."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return _plain(value)
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    return value.item() if hasattr(value, "item") else value
