"""LightsOut, straight and swirled."""

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace_domains.lightsout import LightsOut
from cubespace_domains.twisted import TwistedLightsOut


def build(spec: str) -> LightsOut:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, LightsOut)
    return domain


def test_pictures_have_the_sizes_of_the_paper() -> None:
    assert build("lightsout").image_shape == (36, 36)
    assert build("twisted").image_shape == (38, 38)


def test_pressing_a_corner_and_the_middle() -> None:
    domain = build("lightsout:size=3")
    children, _ = domain.successors(domain.goal())
    assert children[0].reshape(3, 3).tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert children[4].reshape(3, 3).tolist() == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]


@pytest.mark.parametrize("size", [2, 3, 5, 7])
@pytest.mark.parametrize("name", ["lightsout", "twisted"])
def test_other_sizes_are_read_back(name: str, size: int) -> None:
    domain = build(f"{name}:size={size}")
    states = domain.random_states(300, np.random.default_rng(0))
    seen, readable = domain.read(domain.render(states))
    assert readable.all()
    np.testing.assert_array_equal(seen, states)


def test_thin_lamps_reach_the_edges_of_their_cells_and_are_read_back() -> None:
    domain = build("lightsout:size=3,lamp=thin")
    lit = domain.render(np.ones((1, 9), dtype=np.uint8))[0] > 0
    assert lit.sum() == 9 * (9 * 2 * 2 - 4)
    assert lit.all(0).nonzero()[0].tolist() == [4, 5, 13, 14, 22, 23]
    states = np.unpackbits(np.arange(512, dtype=">u2").view(np.uint8).reshape(-1, 2), axis=1)[:, -9:]
    seen, readable = domain.read(domain.render(states))
    assert readable.all()
    np.testing.assert_array_equal(seen, states)
    assert not build("lightsout:size=3").read(domain.render(states[1:]))[1].any()


def test_one_wrong_pixel_makes_a_picture_unreadable() -> None:
    domain = build("lightsout")
    image = domain.render(domain.goal())
    image[0, 0, 0] = 255
    assert not domain.read(image)[1].any()


@pytest.mark.parametrize("size", [2, 4, 5])
def test_swirled_lamps_never_overlap(size: int) -> None:
    """So that the sum of the sprites is the swirl of the sum, in eight bits."""
    domain = build(f"twisted:size={size}")
    assert isinstance(domain, TwistedLightsOut)
    alone = domain.render(np.eye(size**2, dtype=np.uint8)).astype(int)
    assert ((alone > 0).sum(0) <= 1).all()
    np.testing.assert_array_equal(domain.render(np.ones((1, size**2), dtype=np.uint8))[0], alone.sum(0))


def test_a_lamp_half_lit_is_unreadable() -> None:
    for name in ("lightsout", "twisted"):
        domain = build(name)
        for lamp in np.eye(16, dtype=np.uint8):
            assert not domain.read(domain.render(lamp[None]) // 2)[1].any()


@pytest.mark.parametrize(
    "spec",
    [
        "lightsout:size=1",
        "twisted:size=0",
        "lightsout:size=2.5",
        "lightsout:width=4",
        "twisted:lamp=thin",
        "lightsout:lamp=3",
    ],
)
def test_bad_options_are_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        build(spec)
