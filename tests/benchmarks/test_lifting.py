"""The benchmark of lifted models with commands that only pretend: what is asked of them, kept and printed."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOUND = {
    "lifted": True,
    "schemas": {"swap": 192},
    "objects": {"piece": 8},
    "actions": 192,
    "never_seen": 0,
    "score": {"recall": 1.0, "wrong": 0.0},
}
REFUSED = {"lifted": False, "reasons": ["these pictures show no variables"], "score": None}


@pytest.fixture
def lifting(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("lifting")


def pretended(run: Path, command: str, *arguments: str) -> dict:
    run.mkdir(parents=True, exist_ok=True)
    (run / "extraction.json").write_text(json.dumps({"actions": 190}))
    (run / "manifest.json").write_text(json.dumps({"stages": {"lift": {"cpu_seconds": 0.5}}}))
    if command == "lift":
        return {
            **FOUND,
            "run": str(run),
            "baseline": REFUSED if "--baseline" in arguments else None,
            "cpu_seconds": 2.0,
        }
    if command == "evaluate":
        records = [{"plan": [1, 2]}, {"plan": None}]
        return {"planners": {"fd-lmcut": {"instances": 2, "found": 1, "valid": 1, "optimal": 1, "records": records}}}
    return {"cpu_seconds": 3.0}


def test_rows_are_run_once_and_printed_with_their_baseline(lifting, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []

    def cube(run: Path, command: str, *arguments: str) -> dict:
        asked.append(command)
        return pretended(run, command, *arguments)

    monkeypatch.setattr(lifting, "cube", cube)
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["lifting.py", "planning", "--only", "hanoi9"])
        lifting.main()
    assert asked == ["train", "lift", "evaluate", "evaluate", "evaluate"]
    text = (tmp_path / "results/lifting.md").read_text()
    assert "| hanoi9 | 0 | 190 | swap | 8 piece | 192 | 0 | 1.0000 | 0.0000 | 3.0 | 0.5 |" in text
    assert "| hanoi9 | fd-lmcut | 1/1/1 | 1/1/1 | 1/1/1 | 2 of 2 | 0 |" in text


def test_rows_have_keys_of_their_own(lifting) -> None:
    rows = lifting.rows(("worlds", "noise", "planning", "few"), [0, 1, 2], None)
    assert len({row.key for row in rows}) == len(rows)
