"""Pages made of records, and those in results/, which the same code prints from their JSON."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("record_pages")


def test_records_and_page_are_written_together(pages, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks/some.py", "--fast"])
    columns = {"name": ("world", "s"), "speed": ("per second", ",.1f")}
    pages.write_records(tmp_path / "some", "Some speed", columns, [{"name": "mnist", "speed": 1234.56, "unseen": 1}])
    written = (tmp_path / "some.md").read_text()
    assert "| world | per second |\n|---|---|\n| mnist | 1,234.6 |\n" in written
    assert "`python benchmarks/some.py --fast`" in written
    assert written.strip() == capsys.readouterr().out.strip()
    kept = json.loads((tmp_path / "some.json").read_text())
    assert kept["records"] == [{"name": "mnist", "speed": 1234.56, "unseen": 1}]
    assert kept["machine"]["processor"]


@pytest.mark.parametrize("name", ["render", "latent_search"])
def test_pages_in_results_are_of_their_records(name, pages, monkeypatch) -> None:
    columns = importlib.import_module(name).COLUMNS
    written = (ROOT / "results" / f"{name}.md").read_text()
    title, _, made, *_ = written.splitlines()
    records = json.loads((ROOT / "results" / f"{name}.json").read_text())["records"]
    assert written == pages.page(title.removeprefix("# "), columns, records, made)
