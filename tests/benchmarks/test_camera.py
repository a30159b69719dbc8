"""The benchmark of the camera: rows are settings that exist, and records become a page."""

import importlib
from pathlib import Path

import attrs
import pytest

from cubespace.base.options import Text
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.check import resolve_components
from cubespace.settings.run_config import load_config

ROOT = Path(__file__).parents[2]


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("camera")


def test_every_row_has_settings_of_the_program(camera) -> None:
    for world, spec in camera.WORLDS.items():
        for kind in camera.KINDS:
            for name in (f"{world}-{kind}", f"{world}-{kind}-black"):
                row = camera.named(name, 820, 3000)
                typed = {name: Text(value) for name, value in row.settings.items()}
                config = resolve_components(load_plugins(), load_config(None, {"domain": spec, **typed}))
                assert config.data.spoil.camera or kind == "fixed"
                assert config.data.spoil.ground == ("none" if kind == "fixed" else row.ground)


def test_records_become_rows_of_a_page(camera) -> None:
    row = camera.named("mnist-all-black", 820, 3000)
    record = {
        **attrs.asdict(row),
        "name": row.name,
        "learner": "places",
        "registration": {"registered": True, "deviations": {"right": 1.2, "down": 1.1, "turned": 0.0, "gain": 0.1}},
        "actions": 192,
        "plans": [30, 30, 29],
        "recall": 1.0,
        "wrong": 0.0,
        "warnings": [],
        "cpu_seconds": 44.6,
        "date": "2026-11-19",
    }
    page = camera.page({row.key: record, "x": {**record, "registration": None}})
    assert "| mnist-all-black | 3,000 | 820 | places | right 1.20, down 1.10, gain 0.10 | 192 | 30/30/29 |" in page
    assert "| nothing | 192 |" in page
