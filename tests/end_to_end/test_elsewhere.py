"""A run is used from any folder, whatever relative paths it was started with."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from command import cube
from PIL import Image

from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import RunFolder


def start(domain: str, folder: Path, *words: str) -> None:
    """Start a run in a folder, as its user would."""
    answer = cube("run", "--domain", domain, *words, "--instances", "2", "--length", "2", "-o", "runs/one", cwd=folder)
    assert answer.returncode == 0, answer.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with some data and a picture."""
    project = tmp_path / "project"
    project.mkdir()
    lamps = load_plugins().create("domain", "lightsout:size=2")
    pairs = lamps.sample(600, np.random.default_rng(0))
    np.savez(project / "pairs.npz", before=pairs.before, after=pairs.after)
    pixels = np.random.default_rng(0).integers(256, size=(4, 4), dtype=np.uint8)
    Image.fromarray(pixels).resize((64, 64)).save(project / "picture.png")
    return project


def test_own_pictures_are_not_needed_any_more(project: Path, tmp_path: Path) -> None:
    start("images:path=pairs.npz", project)
    run = shutil.move(project / "runs" / "one", tmp_path / "moved")
    shutil.rmtree(project)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    problem = Path("..", "moved", "problems", "000")
    answer = cube("plan", "--run", "../moved", f"{problem}/init.png", f"{problem}/goal.png", cwd=elsewhere)
    assert answer.returncode == 0, answer.stderr
    assert "validity unknown" in answer.stderr
    for command in (["evaluate", str(run), "--planner", "fd-blind"], ["report", str(run)]):
        answer = cube(*command, cwd=elsewhere)
        assert answer.returncode == 0, answer.stderr
    assert RunFolder.load(run).config.domain == "images:path=pairs.npz"


def test_a_simulators_picture_is_found_from_elsewhere_and_after_a_move(project: Path, tmp_path: Path) -> None:
    start("photo:size=2,image=picture.png", project, "--set", "data.transitions=200")
    for place in (project.name, "renamed"):
        project = project.rename(tmp_path / place)
        answer = cube("diagnose", f"{place}/runs/one", "--states", "20", "--json", cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr
        assert json.loads(answer.stdout)["states"] == 20
