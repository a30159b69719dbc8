"""Planning between pictures of the user: what is proven, what was seen in training, where it goes, how it ends."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from cubespace.runs.stages.networks import new_network
from PIL import Image

from cubespace.autoencoder import inference
from cubespace.base.observer import Observer
from cubespace.data.domain import Domain, Pairs
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.problems import Problem
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.pictures.plan import Ending, Planning, own_folder
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver
from cubespace.settings.recipe import ModelConfig
from cubespace_domains.lightsout import LampOptions, LightsOut

LIMITS = Limits(seconds=20)


class OneLamp(LightsOut):
    """Only the first lamp can be pressed: from each state there is one other."""

    def successors(self, states):
        return states ^ self._presses[:1], np.arange(len(states))


class OnlyPictures(Domain):
    """A domain that knows no states, and scales pictures as it reads them."""

    image_shape = (18, 18)
    resizes = True

    def sample(self, count, rng) -> Pairs:
        raise NotImplementedError


class Walks(Solver):
    """Goes through states that it was given, and takes its time."""

    def __init__(self, *trace: np.ndarray, seconds: float = 0.0) -> None:
        super().__init__(None)
        self.trace, self.seconds, self.asked = trace, seconds, 0

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:  # noqa: ARG002
        self.asked += 1
        time.sleep(self.seconds)
        if not self.trace:
            return SearchResult(outcome=Outcome.UNSOLVABLE)
        plan = tuple(range(len(self.trace) - 1))
        return SearchResult(outcome=Outcome.SOLVED, plan=plan, trace=np.stack(self.trace), cost=len(plan))


class Notes(Observer):
    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[int, int]] = []
        self.lines: list[str] = []

    def step(self, done: int, total: int, about: str) -> None:  # noqa: ARG002
        self.steps.append((done, total))

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture(scope="module")
def lamps() -> OneLamp:
    return OneLamp(LampOptions(size=2))


@pytest.fixture(scope="module")
def network(lamps):
    pairs = LightsOut(LampOptions(size=2)).sample(400, np.random.default_rng(0))
    return new_network(load_plugins(), ModelConfig(encoder="places", decoder="places"), pairs, 0)


@pytest.fixture(scope="module")
def states(lamps, network):
    """Two states one move apart and one that cannot be reached, as pictures and as bits."""
    start = np.array([[0, 0, 0, 1]], dtype=np.uint8)
    rows = np.concatenate([start, lamps.successors(start)[0], 1 - start])
    pictures = lamps.render(rows)
    return pictures, inference.encode(network, pictures)


def planning(network, domain: Domain, bits: np.ndarray) -> Planning:
    memory = TrainingMemory.of(bits[:1], bits[1:2])
    model = SimpleNamespace(names=["a", "b", "c"])
    return Planning(network, model, domain, memory, redrawing_error=1e-3)  # type: ignore[arg-type]


def test_a_goal_that_the_simulator_proves_unreachable_is_not_searched_for(network, lamps, states) -> None:
    pictures, bits = states
    solver = Walks()
    made = planning(network, lamps, bits).plan(pictures[0], pictures[2], "walks", solver, LIMITS)
    assert (made.ending, made.ending.exit_code, solver.asked) == (Ending.UNREACHABLE, 5, 0)
    record = made.record()
    assert record["simulator"] == {"distance": None, "unreachable": True, "states": 3}
    assert (record["outcome"], record["plan"], record["valid"]) == ("goal cannot be reached", None, False)


def test_it_is_searched_for_all_the_same_if_wanted(network, lamps, states) -> None:
    pictures, bits = states
    plans = planning(network, lamps, bits)
    none = plans.plan(pictures[0], pictures[2], "walks", Walks(), LIMITS, anyway=True)
    assert none.ending is Ending.UNREACHABLE
    assert none.record()["outcome"] == "unsolvable in the learned model"
    wrong = plans.plan(pictures[0], pictures[2], "walks", Walks(bits[0], bits[2]), LIMITS, anyway=True)
    assert (wrong.ending, wrong.ending.exit_code) == (Ending.INVALID, 4)


def test_every_ending_is_told_apart(network, lamps, states) -> None:
    pictures, bits = states
    plans = planning(network, lamps, bits)
    valid = plans.plan(pictures[0], pictures[1], "walks", Walks(bits[0], bits[1]), LIMITS)
    assert (valid.ending, valid.ending.exit_code, valid.record()["optimal"]) == (Ending.VALID, 0, True)
    assert (valid.record()["unseen_steps"], valid.record()["actions"]) == ([], ["a"])
    detour = plans.plan(pictures[0], pictures[1], "walks", Walks(*bits[[0, 1, 0, 1]]), LIMITS).record()
    assert (detour["valid"], detour["optimal"], detour["unseen_steps"]) == (True, False, [2])  # back was never seen
    none = plans.plan(pictures[0], pictures[1], "walks", Walks(), LIMITS)
    assert (none.ending, none.ending.exit_code) == (Ending.NO_PLAN, 1)
    unknown = planning(network, OnlyPictures(), bits).plan(pictures[0], pictures[2], "walks", Walks(*bits), LIMITS)
    assert (unknown.ending, unknown.ending.exit_code, unknown.reach) == (Ending.UNKNOWN, 0, None)
    assert unknown.record()["unseen_steps"] == [2]


def test_a_long_search_shows_how_the_time_goes(network, lamps, states) -> None:
    pictures, bits = states
    notes = Notes()
    solver = Walks(bits[0], bits[1], seconds=1.2)
    planning(network, lamps, bits).plan(pictures[0], pictures[1], "walks", solver, LIMITS, observer=notes)
    *going, last = notes.steps
    assert going
    assert all(1 <= done <= total == 20 for done, total in going)
    assert last == (1, 1), "the bar ends full"


def test_a_strange_picture_is_told_and_recorded(network, lamps, states) -> None:
    pictures, bits = states
    notes = Notes()
    plans = planning(network, lamps, bits)
    made = plans.plan(np.full_like(pictures[0], 128), pictures[1], "walks", Walks(), LIMITS, observer=notes)
    (warning,) = made.record()["warnings"]
    assert warning.startswith("the picture of init does not look like what was trained on")
    assert notes.lines == [f"warning: {warning}"]


def test_a_run_whose_pictures_were_scaled_scales_by_itself(network, states, tmp_path) -> None:
    pictures, bits = states
    Image.fromarray(pictures[0].repeat(2, axis=0).repeat(2, axis=1)).save(tmp_path / "large.png")
    assert planning(network, OnlyPictures(), bits).picture(tmp_path / "large.png").shape == (1, 18, 18)


def test_pictures_of_the_same_name_have_folders_of_their_own(states) -> None:
    pictures, _ = states
    one, other = (Problem(name="own", init=pictures[[row]], goal=pictures[[1]]) for row in (0, 2))
    init, goal = Path("x/003/init.png"), Path("x/003/goal.png")
    folders = {own_folder(init, goal, problem, "fd-lmcut") for problem in (one, other, one)}
    assert len(folders) == 2
    assert all(str(folder).startswith("init-goal-") and folder.name == "fd-lmcut" for folder in folders)
    strange = own_folder(Path("../a b$(x)" + "y" * 300 + ".png"), Path("-.png"), one, "fd-lmcut").parent.name
    assert len(strange) < 80
    assert set(strange) <= set("abcdefghijklmnopqrstuvwxyz0123456789-._")
