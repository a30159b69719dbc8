"""The benchmark of rendered blocks: rows are settings that exist, and records become a page."""

import importlib
from pathlib import Path

import pytest

from cubespace.base.options import Text
from cubespace.settings.run_config import load_config

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tabletop(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("tabletop")


def test_every_row_has_settings_of_the_program(tabletop) -> None:
    for kind in tabletop.KINDS:
        typed = {name: Text(value) for name, value in tabletop.settings_of(kind, 5000).items()}
        config = load_config(None, {"domain": "tabletop", **typed})
        assert config.data.spoil.any == (kind != "clean")
        assert config.plan.instances == 30


def test_records_become_rows_of_a_page(tabletop) -> None:
    record = {
        "kind": "fixed",
        "seed": 840,
        "pairs": 5000,
        "learner": "places",
        "variables": 16,
        "bits": 80,
        "actions": 480,
        "plans": [30, 30, 29],
        "recall": 1.0,
        "wrong": 0.0,
        "warnings": [],
        "cpu_seconds": 70.4,
        "date": "2026-11-19",
    }
    page = tabletop.page({"a": record})
    assert "| fixed | 5,000 | 840 | places | 16 | 80 | 480 | 30/30/29 | 1.0000 | 0.0000 |" in page
    assert "| none | 70 | 2026-11-19 |" in page
