"""Every domain of the registry, with what it needs to be built: a picture, a folder of pairs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cubespace.data.domain import Simulator
from cubespace.plugins.catalogue import load_plugins


def blotches(seed: int = 0, side: int = 168) -> Image.Image:
    """Draw a picture of which all tiles differ."""
    coarse = np.random.default_rng(seed).integers(256, size=(12, 12), dtype=np.uint8)
    return Image.fromarray(coarse).resize((side, side), Image.Resampling.BICUBIC)


@pytest.fixture(scope="session")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictures") / "blotches.png"
    blotches().save(path)
    return path


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    for number in range(5):
        blotches(number, 20).save(folder / f"{number:04d}_a.png")
        blotches(number + 50, 20).save(folder / f"{number:04d}_b.png")
    return folder


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames that have nothing in common, in a ring, with moves by one forward and by two back."""
    frames = np.stack([np.asarray(blotches(number, 20)) for number in range(30)])
    numbers = np.arange(30)
    edges = np.concatenate([np.stack([numbers, np.roll(numbers, step)], axis=1) for step in (-1, 2)])
    path = tmp_path_factory.mktemp("worlds") / "ring.npz"
    np.savez(path, frames=frames, edges=edges)
    return path


@pytest.fixture(scope="session")
def spec_of(picture: Path, pairs: Path, world: Path) -> Callable[[str], str]:
    """Return the spec by which a domain can be built on any machine."""
    needs = {
        "mandrill": f"mandrill:image={picture}",
        "images": f"images:path={pairs}",
        "frames": f"frames:path={world}",
        "gym": "gym:id=FrozenLake-v1,arguments=is_slippery:false,resize=32x32",
        "gym-walks": "gym-walks:id=FrozenLake-v1,arguments=is_slippery:false",
    }
    return lambda name: needs.get(name, name)


@pytest.fixture(scope="session")
def simulator(spec_of: Callable[[str], str]) -> Callable[[str], Simulator]:
    """Build a simulator; a domain without rules skips the test."""

    def build(name: str) -> Simulator:
        domain = load_plugins().create("domain", spec_of(name))
        if not isinstance(domain, Simulator):
            pytest.skip(f"{name} is not a simulator")
        return domain

    return build
