"""The benchmark of spoilt pictures: how a row ends, and the similar tiles that it draws."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]


@pytest.fixture
def spoilt(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("spoilt")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "exact"),
        ({"learner": None}, "refused"),
        ({"wrong": 0.002, "exact_if_read_often": True}, "misread"),
        ({"wrong": 0.03, "warnings": ["merged values"]}, "warned"),
        ({"recall": 0.98, "warnings": ["coverage"]}, "lacking"),
        ({"recall": 0.98}, "SILENT"),
        ({"wrong": 0.03}, "SILENT"),
    ],
)
def test_a_row_ends_in_one_of_six_ways(spoilt, changes: dict, word: str) -> None:
    record = {"learner": "places", "recall": 1.0, "wrong": 0.0, "exact_if_read_often": False, "warnings": []}
    assert spoilt.verdict(record | changes) == word


def test_the_page_counts_how_rows_end(spoilt) -> None:
    record = {"section": "lens", "pictures": "digits", "recall": 0.99, "wrong": 0.05}
    rows = [record | {"name": name, "verdict": name} for name in ("exact", "exact", "SILENT")]
    text = spoilt.page(rows, "800")
    assert "Of 3: 2 exact, 1 SILENT." in text
    assert "SILENT: recall 0.9900, wrong 0.0500" in text
    assert "exact (false alarm: merged values)" in spoilt.page([rows[0] | {"warnings": ["merged values"]}], "800")


def test_similar_tiles_differ_in_a_spot_only(spoilt, tmp_path: Path) -> None:
    picture = np.asarray(Image.open(spoilt.photograph(tmp_path / "similar.png", np.random.default_rng(0))))
    side = spoilt.SIDE
    differs = picture[2 * side :, side : 2 * side] != picture[2 * side :, 2 * side :]
    assert 0 < differs.sum() <= spoilt.SPOT**2
