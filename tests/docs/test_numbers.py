"""Every figure in the documentation is counted from results/*.json: none is typed, but for those with a reason."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest
from numerals import NUMERAL, allowances, numerals

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import generate  # noqa: E402 - needs the path above
from generator import facts, records, tables, texts  # noqa: E402

RESULTS = ROOT / "results"
CELL = re.compile(r"(?<=\|)[^|\n]*(?=\|)")
COUNTS = re.compile(r"\b(\d+)/(\d+|\?)/(\d+|\?) of (\d+)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT)).removeprefix("docs/")


@pytest.mark.parametrize("page", generate.pages(), ids=name)
def test_no_measurement_is_typed(page) -> None:
    typed = list(numerals(name(page), page.read_text("utf-8")))
    wrong = [str(each) for each in typed if not any(allowed.covers(each) for allowed in allowances())]
    assert not wrong, "write <!-- fact: … -->, or say in tests/docs/numerals.toml why it may be typed"


def test_every_reason_is_needed() -> None:
    typed = [each for page in generate.pages() for each in numerals(name(page), page.read_text("utf-8"))]
    unused = [each.pattern.pattern for each in allowances() if not any(map(each.covers, typed))]
    assert not unused, "tests/docs/numerals.toml has reasons for what no page says"


def test_numerals_are_found_outside_of_code_and_made_parts() -> None:
    text = """Of 30 plans 2,500.5 are `17`, in [it](a-13.md) <!-- fact: some -->14<!-- /fact -->; the 8-puzzle.

    15 lines

```
16
```
<!-- made: some -->
18
<!-- /made -->
"""
    assert [each.text for each in numerals("page", text)] == ["30", "2,500.5", "8"]
    assert NUMERAL.findall("4x4, 2x, .03 and −1.5 or v0.2") == [".03", "−1.5"]


def test_pages_are_made_without_any_result(tmp_path, monkeypatch) -> None:
    """So that a table that is not measured yet, or is measured again, breaks nothing."""
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    for page in generate.pages():
        text = page.read_text("utf-8")
        if "<!-- fact: " in text or page.parent.name == "results":
            assert facts.NOT_YET in re.sub("Not measured", "not measured", generate.filled(text)), page


def test_a_table_of_another_page_may_be_missing(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    assert texts.text("results/some.md") == "Not measured yet.\n"
    with pytest.raises(FileNotFoundError):
        texts.text("docs/some.md")


def test_every_table_has_a_page_and_every_page_a_table() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "results").glob("*.md")}
    assert pages == set(tables.BY_STEM)
    elsewhere = re.findall(r"<!-- made: text results/(\w+)\.md -->", "".join(p.read_text() for p in generate.pages()))
    shown = {*pages, *elsewhere, "README"}
    assert {path.stem for path in RESULTS.glob("*.md")} <= shown, "a table of results/ is on no page"


def test_what_a_page_says_of_an_old_table_goes_with_it() -> None:
    for entry in tables.ENTRIES:
        page = (ROOT / "docs" / "results" / f"{entry.stem}.md").read_text("utf-8")
        if entry.old_preset and isinstance(records.contents(entry.stem), dict):
            assert "version 0.2" not in page, f"{entry.stem} was measured again: read it again, too"


@pytest.mark.parametrize("file", sorted(RESULTS.glob("paper-*.json")), ids=lambda file: file.stem)
def test_every_count_of_plans_in_a_table_is_that_of_a_record(file) -> None:
    found = records.records(file.stem) + records.best(file.stem)
    known = {
        tuple(str("?" if each[key] is None else each[key]) for key in ("found", "valid", "optimal", "instances"))
        for each in found
        if each["measure"].endswith("plans") and each.get("instances")
    }
    shown = [
        counts for cell in CELL.findall(file.with_suffix(".md").read_text("utf-8")) for counts in COUNTS.findall(cell)
    ]
    assert not [counts for counts in shown if counts not in known]
    assert len(shown) >= len(known) > 0 or not known


@pytest.mark.parametrize("file", sorted(RESULTS.glob("paper-*.json")), ids=lambda file: file.stem)
def test_every_mean_of_a_table_is_that_of_a_record(file) -> None:
    found = records.records(file.stem) + records.best(file.stem)
    known = {
        f"{each[part]:.{digits}f}"
        for each in found
        for part in ("mean", "sd", "median", "min", "max")
        if isinstance(each.get(part), int | float)
        for digits in range(6)
    }
    shown = re.findall(r"\| (\d+\.\d+)(?: ± (\d+\.\d+))?(?: \(n=| \|)", file.with_suffix(".md").read_text("utf-8"))
    wrong = [number for pair in shown for number in pair if number and number not in known]
    assert not wrong


def test_the_tables_of_the_recipe_are_those_of_its_records(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    recipe = importlib.import_module("recipe")
    rows = json.loads((RESULTS / "recipe.json").read_text("utf-8"))["rows"]
    assert (RESULTS / "recipe.md").read_text("utf-8").endswith(recipe.table(rows))


def test_facts_are_of_the_records_that_are_meant(tmp_path, monkeypatch) -> None:
    counts = {"measure": "plans", "found": 9, "valid": 8, "optimal": 7, "instances": 10}
    losses = [
        {"domain": name, "measure": "total", "mean": mean, "median": mean, "min": 0.1, "max": 0.9, "sd": 0.2, "runs": 3}
        for name, mean in (("a", 0.25), ("b", 0.5))
    ]
    told = [{**counts, "domain": "a"}, {**counts, "domain": "b", "found": 1, "valid": 1, "optimal": 1}, *losses]
    table = {"cpu_seconds": 7200, "runs": 6, "records": told, "best": [{**counts, "domain": "a", "valid": 10}]}
    (tmp_path / "some.json").write_text(json.dumps(table))
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    assert facts.plans("some", "domain=a") == "9/8/7 of 10"
    assert facts.plans("some") == facts.plans("some", "domain=a,b") == "10/9/8 of 20"
    assert facts.best_plans("some", "domain=a") == "9/10/7 of 10"
    assert facts.share("valid", "some") == "9 of 20"
    assert facts.number("mean", "some", "total", "domain=b", "digits=2") == "0.50"
    assert facts.number("least-median", "some", "total", "digits=2") == "0.25"
    assert facts.number("max", "some", "total", "digits=1") == "0.9"
    assert facts.spread("some", "total", "domain=b", "digits=2") == "0.50 ± 0.20"
    assert facts.spread("some", "exact") == facts.NOT_YET
    assert facts.runs("some") == "3"
    assert facts.in_all("some", "cpu_hours") == "2.0"
    assert (
        facts.plans("other") == facts.number("mean", "some", "exact") == facts.in_all("other", "runs") == facts.NOT_YET
    )
    with pytest.raises(ValueError, match="one record, and there are 2"):
        facts.number("mean", "some", "total")
