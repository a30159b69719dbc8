"""Execute the notebook of the examples and keep its output, so that it can be read where nothing runs.

python docs/notebook.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "examples" / "first-steps.ipynb"


def main() -> None:
    """Run every cell in an empty folder."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of the day
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
