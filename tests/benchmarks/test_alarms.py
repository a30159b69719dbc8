"""What is published about warnings: no invalid plan in silence, and hardly a warning on what is right."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "results" / "alarms.json"


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("alarm_tables")


def test_the_published_cases_are_warned_of_where_a_plan_is_invalid_and_hardly_where_all_is_right(tables) -> None:
    records = json.loads(KEPT.read_text("utf-8"))["records"]
    assert len(records) >= 60
    assert 2 * sum(record["spoilt"] for record in records) >= len(records)
    assert all(record["warnings"] for record in records if tables.is_invalid(record))
    right = [record for record in records if tables.is_right(record)]
    assert sum(bool(record["warnings"]) for record in right) <= 0.05 * len(right)


def test_the_page_says_what_the_records_say(tables) -> None:
    kept = json.loads(KEPT.read_text("utf-8"))
    assert (ROOT / "results" / "alarms.md").read_text("utf-8") == tables.page(kept["records"], kept["seeds"])


def test_a_silent_case_stands_in_the_table(tables) -> None:
    record = json.loads(KEPT.read_text("utf-8"))["records"][0]
    silent = record | {"refused": "", "problems": 8, "found": 8, "valid": 7, "warnings": []}
    assert "silent, without any warning: 1 of 1" in tables.page([silent], "0-0")
