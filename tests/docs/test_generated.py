"""The made parts of the pages are what the program makes now, and leave nothing without a meaning."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import generate  # noqa: E402 - needs the path above
from generator import comparison, contracts, galleries, records, results, texts  # noqa: E402
from generator.sentences import one_per_line  # noqa: E402

PUBLIC = {"Evidence", "Preconditions", "Task", "StripsModel", "Statistics", "Outcome", "PlannerBackend", "Answer"}


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.name)
def test_a_page_is_up_to_date(page) -> None:
    text = page.read_text("utf-8")
    assert generate.filled(text) == text, "run: python docs/generate.py"


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.name)
def test_a_page_reads_well_without_being_built(page) -> None:
    """Nothing that only Sphinx understands stands where a reader of the repository expects text."""
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


def test_every_sentence_has_a_line_and_nothing_else_is_touched() -> None:
    page = """One. Two, which
goes on; see e.g. Three. `Four` ends.

- An item. It has two sentences.
  And goes on. Here.

    code. Not split.

```
code. Not split.
```
| a table. Not split. |
<!-- made: some -->
Made. Not split.
<!-- /made -->
"""
    shown = one_per_line(page)
    assert shown.startswith("One.\nTwo, which goes on; see e.g. Three.\n`Four` ends.\n\n- An item.\n  It has two")
    assert shown.partition("sentences.\n")[2] == page.partition("sentences.\n")[2]
    assert one_per_line(shown) == shown


def plans(domain: str, counts: tuple[int, ...], **axes: object) -> dict[str, object]:
    names = ("found", "valid", "optimal", "instances")
    return {"domain": domain, "measure": "plans", **axes, **dict(zip(names, counts, strict=True))}


def written(folder: Path, **files: object) -> None:
    for name, contents in files.items():
        (folder / f"{name.replace('_', '-')}.json").write_text(json.dumps(contents))


def recipe_row(section: str, name: str, seed: int, learner: str, text: str) -> dict[str, object]:
    facts = {"planners": ["fd-ff", "fd-lmcut"], "plans": ["1/1/1", text], "problems": [["cube", "run"]]}
    return {"section": section, "name": name, "seed": seed, "learner": learner, **facts}


def test_the_table_of_the_readme_joins_the_paper_its_method_here_and_ours(tmp_path, monkeypatch) -> None:
    of_network = {"planner": "fd-lmcut", "summary": "median", "runs": 5}
    written(
        tmp_path,
        paper_network=[
            plans("mnist", (30, 29, 28, 30), variant="paper-rules", **of_network),
            plans("mnist", (30, 30, 29, 30), variant="ours", **of_network),
            plans("mnist", (9, 9, 9, 30), variant="ours", planner="fd-lama", summary="median", runs=5),
        ],
        recipe={
            "rows": {
                "a": recipe_row("domains", "mnist", 0, "places", "30/28/27"),
                "b": recipe_row("domains", "mnist", 1, "places", "30/26/25"),
                "c": recipe_row("domains", "mnist", 2, "places", "30/27/26"),
                "d": recipe_row("robustness", "mnist-shift-1", 0, "autoencoder, btl", "0/0/0"),
            }
        },
    )
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    head, _, first, *others = results.readme().splitlines()
    assert head.count("|") == 6
    assert len(others) <= 7
    assert first == "| 8-puzzle, MNIST digits | 30/25/24 | 30/29/28 (5) | 30/30/29 (5) | 30/27/26 (3) |"
    assert [line for line in others if "shifted" in line] == [
        "| 8-puzzle, digits shifted by a pixel | – | – | – | 0/0/0 \\* |"
    ]


def test_the_table_of_the_readme_has_one_denominator(tmp_path, monkeypatch) -> None:
    counts = plans("mnist", (9, 9, 9, 10), variant="ours", planner="fd-lmcut", summary="median", runs=5)
    written(tmp_path, paper_network=[counts])
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    with pytest.raises(ValueError, match="one denominator: 30, not 10"):
        results.readme()


def test_distances_are_rows(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    assert results.far().startswith("Not measured yet")
    written(tmp_path, paper_distances=[plans("mnist", (5, 5, 4, 5), planner="fd-lama", **{"plan.length": "14"})])
    assert results.far().replace("\u00a0", " ").splitlines()[-1] == "| 14 | 5/5/4 of 5 |"


def test_the_figure_shows_every_count_with_what_it_is_of(tmp_path, monkeypatch) -> None:
    shown = comparison.drawn()
    assert comparison.FIGURE.read_text("utf-8") == shown, "run: python docs/generate.py"
    assert "MNIST, the paper: 25 of 30 valid" in shown  # the paper's Table 2
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    without = comparison.drawn()
    assert "cube run, nothing trained (not measured yet)" in without
    assert "MNIST, the paper: 25 of 30 valid" in without


def test_a_failure_is_shown_with_its_words_or_with_their_absence(tmp_path, monkeypatch) -> None:
    told = {"title": "A", "why": "B.", "command": "cube run", "exit_code": 1, "said": ["warning: C"]}
    silent = {**told, "title": "D", "exit_code": 0, "said": []}
    judged = {"instances": 10, "found": 9, "valid": 8, "optimal": 7, "picture": "fail-d.png"}
    written(tmp_path, failures={"a": told, "d": {**silent, **judged}})
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    first, second = galleries.failures().split("### D")
    assert "> warning: C" in first
    assert "It ends with exit code 1." in first
    assert "**No warning.**" in second
    assert "Of 10 problems: 9 plans found, 8 valid, 7 shortest; exit code 0." in second
    assert "(pictures/fail-d.png)" in second
