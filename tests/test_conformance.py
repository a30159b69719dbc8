"""Every component of the registry, the day it appears, against the suite that third parties run too."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cubespace.cli.option_types import option_rows
from cubespace.plugins.catalogue import load_plugins
from cubespace.plugins.component import KINDS
from cubespace.testing import checks, conformance

FOLDER = Path(os.environ["CUBESPACE_TEST_RUNS"]) / "conformance"  # which is removed at the end of the tests
FOLDER.mkdir(exist_ok=True)


def own_pairs() -> str:
    """Save some pairs of pictures and return the spec of the domain made of them."""
    pictures = np.random.default_rng(0).integers(256, size=(2, 5, 8, 6, 3), dtype=np.uint8)
    np.savez(FOLDER / "pairs.npz", before=pictures[0], after=pictures[1])
    return f"images:path={FOLDER / 'pairs.npz'}"


def own_picture() -> str:
    """Save a picture whose tiles all differ and return the spec of a puzzle made of it."""
    noise = np.random.default_rng(0).integers(256, size=(12, 12), dtype=np.uint8)
    Image.fromarray(noise).resize((126, 126), Image.Resampling.NEAREST).save(FOLDER / "picture.png")
    return f"mandrill:image={FOLDER / 'picture.png'}"


def own_world() -> str:
    """Save a world of frames in a ring, with a few short cuts, and return the spec of the domain made of it."""
    cells = np.random.default_rng(0).integers(2, size=(20, 5, 5), dtype=np.uint8)
    frames = np.kron(cells, np.ones((3, 3), dtype=np.uint8)) * np.uint8(255)
    numbers = np.arange(20)
    edges = np.concatenate([np.stack([numbers, (numbers + step) % 20], axis=1) for step in (1, 7)])
    np.savez(FOLDER / "world.npz", frames=frames, edges=edges)
    return f"frames:path={FOLDER / 'world.npz'}"


# what needs more than its name, and what deserves a second look
LAKE = "id=FrozenLake-v1,arguments=is_slippery:false"
ENGINES = ("fast-downward-opt", "symk-opt", "pyperplan-opt", "enhsp-opt", "tamer")
SPECS = {
    "gym": [f"gym:{LAKE}"],
    "gym-walks": [f"gym-walks:{LAKE},steps=10"],
    "up": ["up", *(f"up:engine={engine}" for engine in ENGINES)],
    "lapkt": ["lapkt", *(f"lapkt:search={search}" for search in ("k-bfws", "iw", "siw"))],
    "images": [own_pairs()],
    "frames": [own_world()],
    "mandrill": [own_picture()],
    "mnist": ["mnist", "mnist:size=2", "mnist:size=4"],
    "lightsout": ["lightsout", "lightsout:size=3"],
    "twisted": ["twisted", "twisted:size=5"],
    "hanoi": ["hanoi", "hanoi:disks=3,pegs=4"],
    "places": ["places", "places:seed=5"],
    "piles": ["piles", "piles:columns=3"],
    "btl": ["btl", "btl:norm=batch", "btl:norm=none", "btl:activation=binconcrete"],
    "ray": [],  # tests/plugins/executors/test_ray.py: one cluster for all checks, if Ray is there
    "local": ["local", "local:jobs=3,retries=0"],
    "fd": ['fd:search="astar(blind())"'],
}


def all_specs(kind: str) -> list[str]:
    return [spec for name in load_plugins().names(kind) for spec in SPECS.get(name, [name])]


def missing(kind: str, spec: str) -> str | None:
    """Return what an optional component needs that is not here."""
    if spec.startswith("gym"):
        return None if importlib.util.find_spec("gymnasium") else "the extra [gym] is not installed"
    return load_plugins().create("planner", spec).missing() if kind == "planner" else None


def specs(kind: str) -> list[str]:
    return [spec for spec in all_specs(kind) if missing(kind, spec) is None]


OPTIONAL = [(kind, spec) for kind in ("domain", "planner") for spec in all_specs(kind)]


@pytest.mark.parametrize(("kind", "spec"), [case for case in OPTIONAL if missing(*case)])
def test_what_is_not_installed_says_how_to_install_it(kind: str, spec: str) -> None:
    reason = missing(kind, spec)
    assert reason is not None
    assert "install" in reason
    pytest.skip(f"{kind} {spec}: {reason}")


test_domains = conformance("domain", *specs("domain"))
test_bit_learners = conformance("learner", *specs("learner"))
test_apply_modules = conformance("apply", *specs("apply"))
test_action_models = conformance("action", *specs("action"))
test_objectives = conformance("objective", *specs("objective"))
test_training_steps = conformance("extension", *specs("extension"))
test_precondition_learners = conformance("precondition", *specs("precondition"))
test_planners = conformance("planner", *specs("planner"))
test_encoders = conformance("encoder", *specs("encoder"))
test_decoders = conformance("decoder", *specs("decoder"))
test_observers = conformance("observer", *specs("observer"))
test_executors = conformance("executor", *specs("executor"))


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_something_of_each_kind(kind: str) -> None:
    assert specs(kind) or kind == "observer"  # of observers there are none built in


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_suite_that_is_run_here(kind: str) -> None:
    assert checks(kind)
    assert f'conformance("{kind}", *specs("{kind}"))' in Path(__file__).read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_of_every_component_has_a_sentence_of_help(kind: str) -> None:
    for name in load_plugins().names(kind):
        for row in option_rows(load_plugins().find(kind, name)):
            assert len(row["help"].split()) > 1, f"{kind} {name}: option {row['option']} has no help"
            assert not row["help"].endswith("."), f"{kind} {name}: {row['option']}"
