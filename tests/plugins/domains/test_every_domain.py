"""What holds for every domain of the registry, ours or not, beyond the suite of tests/test_conformance.py."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubespace.base.arrays import Images
from cubespace.data.domain import Simulator
from cubespace.plugins.catalogue import load_plugins

NEEDS = {"gym": "gymnasium", "gym-walks": "gymnasium"}
NAMES = [name for name in load_plugins().names("domain") if name not in NEEDS or importlib.util.find_spec(NEEDS[name])]
BATCH = 2000  # states at a time, so that memory stays small

Build = Callable[[str], Simulator]


def noisy(images: Images, rng: np.random.Generator, sigma: float = 0.05) -> Images:
    noise = rng.standard_normal(images.shape, dtype=np.float32) * (255 * sigma)
    return np.clip(images + noise, 0, 255).round().astype(np.uint8)


@pytest.mark.parametrize("batches", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_thousands_of_states_are_read_back_clean_and_noisy(name: str, batches: int, simulator: Build) -> None:
    domain, rng = simulator(name), np.random.default_rng(0)
    for _ in range(batches):
        states = domain.random_states(BATCH, rng)
        clean = domain.render(states)
        for images in (clean, noisy(clean, rng)):
            seen, readable = domain.read(images)
            assert readable.all()
            np.testing.assert_array_equal(seen, states)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_the_same_alone_and_in_any_batch(name: str, simulator: Build) -> None:
    domain = simulator(name)
    states = domain.random_states(300, np.random.default_rng(1))
    together = domain.render(states)

    @settings(max_examples=25, deadline=None, database=None)
    @given(rows=st.lists(st.integers(0, len(states) - 1), min_size=1, max_size=9))
    def check(rows: list[int]) -> None:
        np.testing.assert_array_equal(domain.render(states[rows]), together[rows])

    check()


@pytest.mark.parametrize("name", NAMES)
def test_moves_of_reversible_domains_can_be_undone(name: str, simulator: Build) -> None:
    domain = simulator(name)
    if not domain.reversible:
        pytest.skip(f"{name} has moves that cannot be undone")
    states = domain.random_states(50, np.random.default_rng(2))
    children, parents = domain.successors(states)
    back, origins = domain.successors(children)
    undone = np.zeros(len(children), dtype=bool)
    np.logical_or.at(undone, origins, (back == states[parents[origins]]).all(1))
    assert undone.all()
    assert (children != states[parents]).any(1).all()


@pytest.mark.parametrize("name", NAMES)
def test_successors_are_distinct_states_with_distinct_pictures(name: str, simulator: Build) -> None:
    domain = simulator(name)
    children, _ = domain.successors(domain.goal())
    if not len(children):  # a level ends at its goal
        children, _ = domain.successors(domain.random_moves(1, np.random.default_rng(0))[0])
    assert len(np.unique(children, axis=0)) == len(children) > 0
    assert len(np.unique(domain.render(children), axis=0)) == len(children)


@pytest.mark.parametrize("name", NAMES)
def test_garbage_is_unreadable(name: str, simulator: Build) -> None:
    domain, rng = simulator(name), np.random.default_rng(3)
    pairs = domain.sample(500, rng)
    before, after = pairs.before.astype(np.uint16), pairs.after.astype(np.uint16)
    garbage = {
        "uniform noise": rng.integers(256, size=(100, *domain.image_shape), dtype=np.uint8),
        "mid-grey": np.full((1, *domain.image_shape), 128, dtype=np.uint8),
        "two states blended, rounded down": ((before + after) // 2).astype(np.uint8),
        "two states blended, rounded up": ((before + after + 1) // 2).astype(np.uint8),
        "inverted": 255 - domain.render(domain.random_states(100, rng)),
        "upside down": domain.render(domain.random_states(100, rng))[:, ::-1] // 2,
    }
    for kind, images in garbage.items():
        states, readable = domain.read(images)
        assert not readable.any(), kind
        assert not states.any(), kind


@pytest.mark.parametrize("name", NAMES)
def test_an_unreadable_picture_does_not_spoil_its_batch(name: str, simulator: Build) -> None:
    domain = simulator(name)
    states = domain.random_states(3, np.random.default_rng(4))
    images = domain.render(states)
    images[1] = 128
    seen, readable = domain.read(images)
    assert readable.tolist() == [True, False, True]
    np.testing.assert_array_equal(seen[[0, 2]], states[[0, 2]])


@pytest.mark.parametrize("name", NAMES)
def test_reading_nothing_reads_nothing(name: str, simulator: Build) -> None:
    domain = simulator(name)
    states, readable = domain.read(domain.render(domain.goal()[:0]))
    assert states.shape == (0, len(domain.radices))
    assert readable.shape == (0,)


def test_plugins_survive_the_import_of_the_modules_they_name() -> None:
    """A submodule named like a plugin would replace it on the package."""
    code = (
        "from cubespace.plugins.catalogue import load_plugins\n"
        "first = load_plugins()\n"
        "for name in first.names('domain'): first.find('domain', name).load()\n"
        "load_plugins.cache_clear()\n"
        "assert load_plugins().names('domain') == first.names('domain'), load_plugins().failures\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
