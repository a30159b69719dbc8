"""What pruning saves is measured on the same trials, with and without."""

import importlib
from pathlib import Path

import pytest

pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def pruning(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("pruning")


def test_epochs_are_counted_with_and_without(pruning, monkeypatch) -> None:
    monkeypatch.setitem(pruning.TINY, "train.epochs", 10)
    rows = pruning.measure("lightsout:size=2", 1, 2)
    assert [row["pruner"] for row in rows] == ["median", "asha"]
    assert all(row["epochs_without"] == 20 for row in rows)
    assert all(row["failed"] == 0 for row in rows)
    median, asha = rows
    assert (median["saved"], median["pruned"], median["same_best"]) == (0, 0, True), "of four trials none is cut"
    assert (median["regret"], median["as_good"]) == (0, True)
    assert asha["as_good"] == (asha["regret"] <= asha["noise"])
    assert asha["noise"] > 0
    assert asha["saved"] == round(1 - asha["epochs"] / 20, 3)
    assert (asha["saved"] > 0) == (asha["pruned"] > 0)
