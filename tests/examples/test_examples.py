"""The examples run, and the world of the rooms keeps its own rules."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import cube, python

from cubespace.evaluation.distances import frontier

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES / "rooms"))

from world import Rooms, photograph  # noqa: E402 - needs the path above


def run(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return python(str(EXAMPLES / script), *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def rooms() -> Rooms:
    return Rooms()


def test_the_interface_example_runs(tmp_path) -> None:
    answer = run("api.py", "out", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "4 plans found, 4 valid, 4 optimal, of 4" in answer.stdout
    for line in answer.stdout.splitlines()[-2:]:
        assert (tmp_path / line).stat().st_size > 0


def test_every_state_of_the_rooms_can_be_reached_and_left_again(rooms) -> None:
    layers = [frontier(rooms, rooms.goal(), distance) for distance in range(40)]
    assert sum(map(len, layers)) == len(rooms.states) == 181
    children, parents = rooms.successors(rooms.states)
    numbers = rooms.row[tuple(children.T)]
    assert (numbers >= 0).all()
    edges = set(zip(parents.tolist(), numbers.tolist(), strict=True))
    assert all((after, before) in edges for before, after in edges)


def test_photographs_of_the_rooms_are_read_and_other_pictures_are_not(rooms) -> None:
    rng = np.random.default_rng(0)
    states, readable = rooms.read(photograph(rooms.pictures, rng))
    assert readable.all()
    assert (states == rooms.states).all()
    two_robots = np.maximum(rooms.pictures[:40], rooms.pictures[-40:])
    assert not rooms.read(two_robots)[1].any()
    assert not rooms.read(np.full_like(rooms.pictures[:3], 128))[1].any()


def test_the_rooms_are_drawn_as_pairs_and_problems(tmp_path) -> None:
    answer = run("rooms/draw.py", "rooms", "--pairs", "20", "--problems", "2", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert len(list((tmp_path / "rooms" / "pairs").iterdir())) == 40
    assert len(list((tmp_path / "rooms" / "problems").iterdir())) == 4


@pytest.mark.slow
def test_plans_in_the_rooms_are_valid(tmp_path) -> None:
    """The whole example with the default recipe: ten minutes or so on one core."""
    assert run("rooms/draw.py", "rooms", cwd=tmp_path).returncode == 0
    learned = cube("run", "--domain", "images:path=rooms/pairs", "-o", "rooms/run", cwd=tmp_path)
    assert learned.returncode == 0, learned.stderr
    answer = run("rooms/judge.py", "rooms/run", "rooms/problems", cwd=tmp_path)
    valid = sum("optimal" in line or ", valid" in line for line in answer.stdout.splitlines() if "_init" in line)
    assert valid >= 27, answer.stdout
