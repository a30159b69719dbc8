"""The bundles of the repository are small, open and plan, and their plans are what the page says of them."""

from pathlib import Path

import pytest

from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.pictures.opening import open_planning
from cubespace.search.solver import Limits
from cubespace.settings.recipe import Execution
from cubespace.studio.source import open_source

FOLDER = Path(__file__).parents[2] / "examples" / "bundles"
BUNDLES = sorted(FOLDER.glob("*.cube"))
MOST_BYTES = 100_000
UNJUDGED = {"doorkey"}  # its domain names a module


def test_there_are_four() -> None:
    assert [path.stem for path in BUNDLES] == ["blocks", "doorkey", "mnist", "twisted"]
    page = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"`{path.name}`" in page for path in BUNDLES)


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.stem)
def test_a_bundle_plans_between_its_two_pictures(path) -> None:
    assert path.stat().st_size <= MOST_BYTES
    planning = open_planning(path, load_plugins(), Execution(device="cpu"))
    ends = (FOLDER / f"{path.stem}-{end}.png" for end in ("start", "goal"))
    solver = load_plugins().create("planner", "fd-lmcut")
    made = planning.plan(*ends, "fd-lmcut", solver, Limits(seconds=60.0, megabytes=2048))
    record = made.record(strict=False)
    assert (record.found, record.valid) == (True, None if path.stem in UNJUDGED else True)
    assert record.steps > 2
    assert not record.warnings


def test_the_network_of_a_bundle_was_trained_by_gradient() -> None:
    source = open_source(FOLDER / "twisted.cube", load_plugins(), Execution(device="cpu"))
    training = source.planning.code.training
    assert training is not None
    assert training.parts["apply"] == "btl"
