"""Worlds of others and films, from beginning to end, by the commands that the documentation has."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command import cube, python
from tiny_run import copy_run

from cubespace import Run
from cubespace.data.domain import Simulator
from cubespace.evaluation.distances import draw
from cubespace.plugins.catalogue import load_plugins

FILM = Path(__file__).parents[2] / "examples" / "film.py"
LAKE = "gym:id=FrozenLake-v1,arguments=is_slippery:false,resize=32x32"


def film(folder: Path, *arguments: str) -> None:
    answer = python(str(FILM), *arguments, cwd=folder)
    assert answer.returncode == 0, answer.stderr


def judged(run: Run, spec: str, distance: int, count: int, **how: bool) -> int:
    """Return how many plans between pictures of a simulator are valid by its own rules, in pictures of its size."""
    world = load_plugins().create("domain", spec)
    assert isinstance(world, Simulator)
    problems = draw(world, distance, count, 0, random_goals=True)
    valid = 0
    for init, goal in zip(problems.inits, problems.goals, strict=True):
        plan = run.plan(world.render(init[None])[0], world.render(goal[None])[0], **how)
        if plan.frames is None:
            continue
        states, readable = world.read(np.ascontiguousarray(plan.frames))
        ends = (states[0] == init).all() and (states[-1] == goal).all()
        valid += bool(readable.all() and ends and world.is_move(states[:-1], states[1:]).all())
    return valid


def test_a_world_of_others_is_learned_judged_and_acted_in(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium", reason="the extra [gym] is not installed")
    options = ("--set", "data.transitions=600", "--set", "plan.random_goals=on", "--length", "3", "--instances", "4")
    answer = cube("run", "--domain", LAKE, *options, "-o", "run", "--json", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    row = json.loads(answer.stdout)["planners"]["fd-lmcut"]
    assert (row["found"], row["valid"], row["optimal"]) == (4, 4, 4)
    answer = cube("act", "--run", "run", "--labels", "150", "--json", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    done = json.loads(answer.stdout)
    assert (done["starts"], done["reached"]) == (4, 4)
    assert len(list((tmp_path / "run" / "acts").glob("*.png"))) == 4


def test_a_slippery_world_is_refused_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium", reason="the extra [gym] is not installed")
    answer = cube("run", "--domain", "gym:id=FrozenLake-v1", "-o", "run", cwd=tmp_path)
    assert answer.returncode == 3
    assert "leads to two different frames" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_acting_needs_an_environment(tmp_path: Path) -> None:
    copy_run(tmp_path, "default")
    answer = cube("act", "--run", "run", cwd=tmp_path)
    assert answer.returncode == 2
    assert "acting needs an environment" in answer.stderr


def test_lamps_are_learned_from_a_folder_of_frames(tmp_path: Path) -> None:
    film(tmp_path, "lightsout:size=2", "--walks", "20", "--steps", "30", "--hold", "2", "-o", "film")
    answer = cube("run", "--domain", "images:frames=film", "--instances", "3", "-o", "run", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert judged(Run.load(tmp_path / "run"), "lightsout:size=2", 2, 4) == 4


def test_lamps_are_learned_from_a_video(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="the extra [video] is not installed")
    film(tmp_path, "lightsout:size=2", "--walks", "1", "--steps", "400", "--hold", "3", "--scale", "4", "-o", "a.mp4")
    spec = "images:video=a.mp4"
    answer = cube("run", "--domain", spec, "--instances", "3", "-o", "run", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    run = Run.load(tmp_path / "run")
    problem = tmp_path / "run" / "problems" / "000"
    assert run.plan(problem / "init.png", problem / "goal.png").found


@pytest.mark.slow
def test_the_puzzle_is_learned_from_a_folder_of_frames(tmp_path: Path) -> None:
    film(tmp_path, "photo", "--walks", "100", "--steps", "50", "-o", "film")
    # problems of its own lie between any two pictures, so that the search may be long: two are enough
    answer = cube("run", "--domain", "images:frames=film", "--instances", "2", "-o", "run", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert judged(Run.load(tmp_path / "run"), "photo", 7, 30) >= 27
