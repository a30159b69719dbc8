"""The notebook of the examples runs, cell by cell, and shows what it promises."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first-steps.ipynb"
CELLS = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]


def test_it_can_be_read_where_nothing_runs() -> None:
    """Its output is kept: the run, the results, the model and a plan, with a picture, and no error."""
    shown = [output for cell in CELLS if cell["cell_type"] == "code" for output in cell["outputs"]]
    kinds = [set(output.get("data", {})) for output in shown]
    assert sum("text/html" in kind for kind in kinds) >= 4
    assert any("image/png" in kind for kind in kinds)
    assert not any(output["output_type"] == "error" for output in shown), "run: python docs/notebook.py"


def test_every_cell_works_and_shows_what_is_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, source in enumerate(CODE):
        exec(compile(source, f"cell {number}", "exec"), names)
    assert names["plan"].ending == "valid"  # type: ignore[attr-defined]
    scaled = eval(CODE[-1].splitlines()[-1], names)
    assert scaled is True
    for name in ("run", "plan"):
        kept = next(cell for cell in CELLS if "".join(cell["source"]).splitlines()[-1:] == [name])
        assert repr(names[name]) in "".join(kept["outputs"][0]["data"]["text/plain"])


@pytest.mark.slow
def test_a_kernel_shows_runs_results_models_and_plans(tmp_path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: it is in the extra dev")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = [set(output.get("data", {})) for output in shown]
    assert sum("text/html" in kind for kind in kinds) >= 4  # run, results, model, plan
    assert any("image/png" in kind for kind in kinds)
    assert not any(output.output_type == "error" for output in shown)
