"""The made parts of the pages are what the program makes now, and leave nothing without a meaning."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import generate  # noqa: E402 - needs the path above
from generator import contracts, results, texts  # noqa: E402

PUBLIC = {"Evidence", "Preconditions", "Task", "StripsModel", "Statistics", "Outcome", "PlannerBackend", "Answer"}


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.name)
def test_a_page_is_up_to_date(page) -> None:
    text = page.read_text("utf-8")
    assert generate.filled(text) == text, "run: python docs/generate.py"


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.name)
def test_a_page_reads_well_without_being_built(page) -> None:
    """Nothing that only Sphinx understands stands where a reader of the repository expects text."""
    if page.name != "python.md":
        assert not re.findall(r"```\{(?:include|literalinclude|eval-rst|image)\}", page.read_text("utf-8"))


def test_every_part_ends() -> None:
    for page in generate.pages():
        text = page.read_text("utf-8")
        assert text.count("<!-- made: ") == text.count("<!-- /made -->"), page


def test_every_setting_and_option_has_a_meaning() -> None:
    rows = [line for line in (ROOT / "docs" / "options.md").read_text().splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert not [row for row in rows if row.split("|")[-2].strip() in ("", "–")]


def test_the_reference_has_what_plugins_are_handed() -> None:
    page = (ROOT / "docs" / "reference.md").read_text()
    assert not [name for name in PUBLIC if f".{name}`" not in page]
    for name in ("write_domain", "write_problem", "read_plan", "static()", "implied()", "of(needed", "UNSUPPORTED"):
        assert name in page


def test_comments_of_fields_are_their_meaning() -> None:
    from cubespace.symbols.precondition_learner import Evidence

    assert contracts.comments(Evidence)["before"] == "(transitions, bits)"


def test_a_file_goes_one_heading_down_and_loses_its_title(tmp_path, monkeypatch) -> None:
    (tmp_path / "some.md").write_text("# Title\n\n## Part\n\ntext\n")
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    assert texts.text("some.md") == "### Part\n\ntext\n"


def plans(domain: str, planner: str, counts: tuple[int, ...], **axes: str) -> dict[str, object]:
    names = ("found", "valid", "optimal", "instances")
    return {"domain": domain, "planner": planner, "measure": "plans", **axes, **dict(zip(names, counts, strict=True))}


def test_the_table_of_the_readme_joins_the_paper_its_method_here_and_ours(tmp_path, monkeypatch) -> None:
    ours = [plans("mnist", p, (9, n, 1, 10)) for p, n in (("fd-lmcut", 8), ("fd-gc", 5), ("fd-lama", 6))]
    whole, cut = (plans("mnist", "fd-lmcut", (3, n, 1, 10), variant=v) for n, v in ((2, "paper-whole"), (0, "paper")))
    for name, records in (("OURS", ours), ("PAPERS", [cut, whole]), ("FAR", [])):
        (tmp_path / name).write_text(json.dumps(records))
        monkeypatch.setattr(results, name, tmp_path / name)
    head, _, first, *others = results.readme().replace("\u00a0", " ").splitlines()
    assert head.count("|") == 6
    assert len(others) <= 7
    assert "| 30/25/24 of 30 | 3/2/1 of 10 | 9/8/1 of 10 | 5, 6 of 10 |" in first
    (tmp_path / "PAPERS").write_text(json.dumps([cut]))
    assert "| 3/0/1 of 10 † |" in results.readme().replace("\u00a0", " ")
    assert results.far().startswith("No run yet")


def test_distances_are_rows(tmp_path, monkeypatch) -> None:
    records = [plans("mnist", "fd-lama", (5, 5, 4, 5), **{"plan.length": "14"})]
    (tmp_path / "far").write_text(json.dumps(records))
    monkeypatch.setattr(results, "FAR", tmp_path / "far")
    assert results.far().replace("\u00a0", " ").splitlines()[-1] == "| 14 | 5/5/4 of 5 |"
