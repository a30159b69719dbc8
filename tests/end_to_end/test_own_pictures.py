"""Pairs of pictures without a simulator, from learning to plan: what the tool says although nobody can judge."""

import json
from pathlib import Path

import numpy as np
import pytest
from command import cube
from PIL import Image

from cubespace.plugins.catalogue import load_plugins


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A run on pictures of four lamps, half as large as they were given."""
    made = tmp_path_factory.mktemp("own")
    pairs = load_plugins().create("domain", "lightsout:size=2").sample(400, np.random.default_rng(0))
    large = [images.repeat(2, axis=1).repeat(2, axis=2) for images in (pairs.before, pairs.after)]
    np.savez_compressed(made / "pairs.npz", before=large[0], after=large[1])
    for name, pixels in (("start", large[0][0]), ("goal", large[1][1])):
        Image.fromarray(pixels).save(made / f"{name}.png")
    spec = "images:path=pairs.npz,resize=18x18"
    answer = cube("run", "--domain", spec, "--instances", "4", "-o", "run", cwd=made)
    assert answer.returncode == 0, answer.stderr
    (made / "said.txt").write_text(answer.stdout)
    return made


def test_the_table_says_where_effects_come_from_and_how_many_plans_were_seen_step_by_step(folder) -> None:
    said = (folder / "said.txt").read_text()
    assert "all seen" in said
    assert "effects: differences of encoded bits" in said
    results = json.loads((folder / "run" / "results.json").read_text())
    assert results["effects"] == "differences"
    assert results["known_pictures"] == 1.0  # there are sixteen pictures only
    assert json.loads((folder / "run" / "judgement.json").read_text())["known_pictures"] == 1.0


def test_diagnosis_works_on_pairs_held_out(folder) -> None:
    answer = cube("diagnose", "run", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("40 pairs held out (no simulator), ")
    assert json.loads(cube("diagnose", "run", "--json", cwd=folder).stdout)["recall"] == 1.0


def test_large_pictures_are_scaled_as_in_training_and_an_unjudged_plan_can_be_refused(folder) -> None:
    for words, code in (([], 0), (["--strict"], 6)):
        answer = cube("plan", "--run", "run", "start.png", "goal.png", *words, cwd=folder)
        assert answer.returncode == code, answer.stderr
        assert "validity unknown; " in answer.stderr
        assert " steps seen in training" in answer.stderr
