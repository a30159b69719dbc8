"""The benchmark of memory: pictures of any size, and a table of what was measured."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "results" / "memory.json"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("memory")


def test_pictures_have_the_size_asked_for_and_show_the_puzzle(memory) -> None:
    before, after = memory.draw_pairs(50, 6)
    assert before.shape == after.shape == (6, 50, 50, 3)
    assert before.dtype == np.uint8
    changed = np.abs(before.astype(int) - after).max(3) > 2 * memory.NOISE
    assert (changed.mean((1, 2)) > 0.05).all()
    assert (changed.mean((1, 2)) < 0.4).all()  # two cells of nine


def test_the_published_figures_say_what_the_documentation_says(memory) -> None:
    known = json.loads(KEPT.read_text("utf-8"))
    largest = known["128x20000"]
    assert largest["peak_gb"] < 4
    assert largest["actions"] == 192  # those of the puzzle
    assert all(case["peak_gb"] < 1.3 * memory.estimated(case["side"], case["pairs"]) for case in known.values())
    assert memory.table(known) == (ROOT / "results" / "memory.md").read_text("utf-8")
