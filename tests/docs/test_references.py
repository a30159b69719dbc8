"""What README and the pages name exists: files, folders, pages and their headings, and the commands of an ablation."""

import importlib
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import ablation  # noqa: E402 - needs the path above
import generate  # noqa: E402

PAGES = [*generate.pages(), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("examples/**/*.md")]
LINK = re.compile(r"(?<!\\)\[[^\]]*\]\((?!https?:|mailto:)([^)\s]+)\)")
FILE = re.compile(r"(?<![\w/.])(?:examples|docs|results|benchmarks|core|plugins|tests)/[\w./-]*\w")
BASES = (ROOT, ROOT / "docs", ROOT / "docs" / "results", ROOT / "core" / "cubespace")
INVENTED = {"tests/test_cube_mine.py"}  # of a package that the reader makes
MADE = {"docs/_build/screens", "results/planning", "results/chaos"}  # folders and stems that a command writes
EARLIER = {"benchmarks/chaos.py"}  # as a version before this one called it
PLANNED = {"benchmarks/tuning.py"}  # of a table that is not measured yet


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def headings(page: Path) -> set[str]:
    """Return the anchors of a page, as code hosts and Sphinx make them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in LINK.findall(text):
        file, _, heading = target.partition("#")
        found = (page.parent / file).resolve() if file else page
        assert found.exists(), target
        if heading and found.suffix == ".md":
            assert heading in headings(found), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_is_named_is_there(page) -> None:
    for file in sorted(set(FILE.findall(page.read_text("utf-8"))) - INVENTED - MADE - EARLIER - PLANNED):
        assert any((folder / file).exists() for folder in BASES) or re.search(r"[A-Z]{3}", file), file


def test_every_picture_is_shown_somewhere() -> None:
    shown = "".join(page.read_text("utf-8") for page in PAGES)
    assert not [path.name for path in (ROOT / "docs" / "pictures").iterdir() if path.name not in shown]


def test_what_the_readme_types_in_a_folder_is_there() -> None:
    """After ``cd FOLDER``, every file that a command names is in that folder."""
    blocks = re.findall(r"(?:^    \S.*\n)+", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    (block,) = [each for each in blocks if re.search("^    cd ", each, re.MULTILINE)]
    before, folder, after = re.split(r"^    cd (\S+)$", block, flags=re.MULTILINE)
    assert "activate" in before
    files = re.findall(r"\b[\w-]+\.(?:cube|png)\b", re.sub("#.*", "", after))
    assert len(files) == 4
    assert not [name for name in files if not (ROOT / folder / name).is_file()]


def test_the_ablation_was_typed_as_its_page_has_it() -> None:
    shown = ablation.commands(ablation.PAGE.read_text("utf-8"))
    done = json.loads(ablation.TARGET.read_text("utf-8"))["done"]
    assert [each["command"] for each in done] == shown, "run: python docs/ablation.py"
    assert [each["exit_code"] for each in done] == [2 if "--learner places" in line else 0 for line in shown]


@pytest.mark.parametrize("file", ["failures", "gallery"])
def test_what_a_gallery_shows_is_what_its_script_types(file) -> None:
    cases = importlib.import_module(file).CASES
    kept = json.loads((ROOT / "results" / f"{file}.json").read_text("utf-8"))
    typed = {case.name: ["cube", *case.words] for case in cases}
    assert {key: shlex.split(each["command"]) for key, each in kept.items()} == {key: typed[key] for key in kept}
    assert set(kept) == set(typed), f"run: python docs/{file}.py"
