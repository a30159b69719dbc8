"""Who knows whom in ``runs``, imports for type checkers included: the import linter does not look at those."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

from cubespace import runs

ROOT = Path(runs.__path__[0])
PIPELINE = "cubespace.runs.stages.pipeline"


def imports() -> dict[str, set[str]]:
    """Return the modules of runs, each with all modules that it imports from."""
    found = {}
    for file in ROOT.rglob("*.py"):
        name = ".".join(("cubespace.runs", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
        found[name] = {str(node.module) for node in nodes}
    return found


def test_no_modules_import_each_other() -> None:
    TopologicalSorter(imports()).prepare()  # raises CycleError


def test_what_the_pipeline_is_made_of_does_not_know_the_pipeline() -> None:
    assert PIPELINE in imports()
    assert [name for name, modules in imports().items() if PIPELINE in modules] == []
