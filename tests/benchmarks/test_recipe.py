"""The rows of the default recipe: matrices that hold together, rows from runs, exceptions first."""

import importlib
import json
import tempfile
from functools import cache
from pathlib import Path

import pytest
from tiny_matrix import InProcess, tiny_matrix

from cubespace.base.options import NoOptions
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.matrix import read_matrix
from cubespace.plugins.catalogue import load_plugins

ROOT = Path(__file__).parents[2]
MATRICES = sorted((ROOT / "examples" / "recipe").glob("*.toml"))
PICTURES = ("coins.png", "astronaut.png", "texture.png", "arm.npz", "doorkey5.npz", "doorkey6.npz")


@pytest.fixture
def recipe(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("recipe")


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="cubespace-")
    axes = {"planner": ["fd-lmcut"], "seed": "0-1"}
    assert MatrixRun.of(tiny_matrix(axes), Path(folder.name) / "m").run(InProcess(NoOptions())).done == 2
    return folder


def old(name: str, plans: str, **changes: object) -> dict[str, object]:
    return {
        "section": "towers",
        "name": name,
        "seed": 0,
        "planners": ["fd-lmcut", "fd-lama"],
        "problems": [[]],
        "plans": [plans, "30/30/2"],
        "learner": "places",
        "differences": 24,
        "actions": 24,
        "recall": 1.0,
        "wrong": 0.0,
        "cpu_seconds": 5,
        **changes,
    }


@pytest.mark.parametrize("file", MATRICES, ids=lambda file: file.stem)
def test_a_matrix_of_the_recipe_holds_together(file, recipe, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "worlds").mkdir()
    for name in ("mandrill.png", *(f"worlds/{picture}" for picture in PICTURES)):
        (tmp_path / name).touch()
    matrix = read_matrix(file)
    run = MatrixRun.of(matrix, tmp_path / "matrix", load_plugins())
    assert {cell.config.plan.seed for cell in run.cells} == {60221}
    assert {cell.config.diagnose.seed for cell in run.cells} == {recipe.DIAGNOSIS_SEED}
    assert f"cube matrix examples/recipe/{file.name}" in matrix.about
    assert f"benchmarks/recipe.py {file.stem} runs/recipe/{file.stem}" in matrix.about


def test_rows_are_made_of_runs_and_join_those_that_are_there(recipe, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/recipe.json").write_text(json.dumps({"machine": {}, "rows": [old("hanoi4", "30/30/30")]}))
    monkeypatch.setattr("sys.argv", ["recipe.py", "domains", f"{_made().name}/m"])
    recipe.main()
    table = json.loads(Path("results/recipe.json").read_text())
    assert [(each["section"], each["seed"]) for each in table["rows"]] == [
        ("domains", 0),
        ("domains", 1),
        ("towers", 0),
    ]
    row = table["rows"][0]
    assert (row["plans"], row["problems"]) == (["3/3/3"], [["--length", "2", "--instances", "3"]])
    assert row["cpu_seconds"] > 0
    text = Path("results/recipe.md").read_text()
    assert f"| {row['name']} | 0 | places | {row['differences']} | {row['actions']} | 1.0000 | 0.0000 | 3/3/3 |" in text
    assert text.index("No exceptions") < text.index("## domains")


def test_rows_that_are_made_again_replace_the_old_ones(recipe) -> None:
    both, other = old("hanoi4", "8/8/8 + 30/30/30"), old("hanoi9", "8/8/8 + 30/30/30")
    new = [old("hanoi4-one-goal", "8/8/8"), old("hanoi4-goals", "30/30/30")]
    assert [each["name"] for each in recipe.joined([both, other], new)] == ["hanoi4-goals", "hanoi4-one-goal", "hanoi9"]
    changed = old("hanoi4-goals", "30/30/29")
    assert [each["plans"][0] for each in recipe.joined(new, [changed])] == ["30/30/29", "8/8/8"]


def test_exceptions_come_first_and_are_named(recipe) -> None:
    rows = [
        old("fine", "30/30/30"),
        old("longer", "30/30/29"),
        old("none", "0/0/0"),
        old("missing", "30/30/30", recall=0.98),
    ]
    said = recipe.exceptions(rows)
    assert said.startswith("**Exceptions:** 3 of 4 rows")
    assert "towers longer, seed 0 (fd-lmcut 30/30/29); towers none, seed 0 (fd-lmcut 0/0/0)" in said
    assert "towers missing, seed 0 (recall 0.9800)" in said
    assert "fine" not in said, "LAMA promises no shortest plans"


def test_planners_that_a_row_does_not_have_are_empty_cells(recipe) -> None:
    rows = [old("one", "1/1/1"), {**old("two", "4/4/4"), "planners": ["fd-lama"], "plans": ["4/4/4"]}]
    text = recipe.table(rows)
    assert "| one | 0 | places | 24 | 24 | 1.0000 | 0.0000 | 1/1/1 | 30/30/2 | 5 | – | – |" in text
    assert "| two | 0 | places | 24 | 24 | 1.0000 | 0.0000 |  | 4/4/4 | 5 | – | – |" in text
