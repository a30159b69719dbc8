"""The driver of a matrix scales: the first cell of some hundred begins within seconds."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def matrix(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("matrix")


def test_the_first_of_150_cells_that_share_a_model_begins_within_seconds(matrix) -> None:
    matrix.measure_driver("one model", 2)  # imports
    row = matrix.measure_driver("one model", 150)
    assert row["cells"] == 150
    assert row["before_first_cell_cpu_s"] < 4  # a scan of all cells for each would take ten times as long


def test_sizes_are_compared_by_an_exponent(matrix) -> None:
    rows = matrix.driver_rows([2, 4])
    assert [row["cells"] for row in rows] == [2, 4, 2, 4]
    assert [row["exponent"] is None for row in rows] == [True, False] * 2
