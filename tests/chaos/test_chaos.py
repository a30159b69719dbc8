"""A small piece of the kills, hostile files and faults; all of them take half an hour."""

import json
import sys
from pathlib import Path

import pytest
from command import python

PROGRAM = Path(__file__).parent / "chaos.py"
QUICK = (
    "killed search",
    "pictures",
    "npz of the user",
    "settings",
    "arrays of a run",
    "tables of a run",
    "links",
    "HTML",
    "bundles",
    "studio",
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes as Linux shows them")


def chaos(folder: Path, *words: str) -> dict:
    python(str(PROGRAM), *words, "--work", str(folder / "work"), "--output", str(folder / "chaos"))
    return json.loads((folder / "chaos.json").read_text())


def test_no_promise_is_broken_in_a_few_cases(tmp_path) -> None:
    result = chaos(tmp_path, "--scale", "0.015", *(word for group in QUICK for word in ("--only", group)))
    assert result["failures"] == []
    assert not any(result["promises"].values())
    assert sum(row["cases"] for row in result["classes"]) > 25
    assert "| promise | broken |" in (tmp_path / "chaos.md").read_text()


@pytest.mark.slow
def test_no_promise_is_broken_in_a_tenth_of_the_cases(tmp_path) -> None:
    assert chaos(tmp_path, "--scale", "0.1", "--seed", "7")["failures"] == []
