"""Own pictures without a simulator: which plans to doubt, and the warnings that are due."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "own_pictures.py"
KEPT = ROOT / "results" / "own_pictures.json"


def check(results: dict) -> None:
    for case in results.values():
        assert case["all_seen_right"] == case["all_seen"]  # every wrong plan has a step that training never showed
    for name, case in results.items():
        if name.startswith("200 pairs"):
            assert {"coverage", "examples"} <= set(case["warnings"])
            assert "pairs would help" in case["judgement"]
        if "lamp" in name:
            assert "own changes" in case["warnings"]
            assert "rows 1–3, columns 1–3" in case["judgement"]


def test_the_published_figures_say_what_the_documentation_says() -> None:
    results = json.loads(KEPT.read_text("utf-8"))
    assert len(results) == 5
    check(results)
    assert any(case["unseen_right"] < case["unseen"] for case in results.values())  # there are wrong plans


@pytest.mark.slow
@pytest.mark.parametrize("name", ["3000 pairs", "200 pairs", "3000 pairs, a lamp blinks"])
def test_an_arm_is_learned_from_its_pictures_and_judged_by_itself(name, tmp_path) -> None:
    command = [
        sys.executable,
        str(SCRIPT),
        "--work",
        str(tmp_path),
        "--only",
        name,
        "--output",
        str(tmp_path / "r.json"),
    ]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    results = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert set(results) == {name}
    check(results)
