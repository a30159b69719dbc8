"""The worlds of DeepCubeAI keep the contract of domains."""

import pytest

from cubespace.plugins.catalogue import load_plugins
from cubespace.testing import conformance

pytest.importorskip("deepcubeai", reason="DeepCubeAI is not installed, see README.md")

test_ice_slider = conformance("domain", "deepcubeai:world=ice-slider")
test_digit_jump = conformance("domain", "deepcubeai:world=digit-jump")


def test_a_level_of_ice_is_small() -> None:
    """A thing on ice stops only at walls, so it never stops in most cells."""
    level = load_plugins().create("domain", "deepcubeai:world=ice-slider,seed=0")
    assert level.image_shape == (64, 64, 3)
    assert 5 < len(level.map.frames) < 100


def test_a_level_that_is_not_there_is_refused() -> None:
    """The message says how many levels there are."""
    with pytest.raises(Exception, match="there is no number 1000000"):
        _ = load_plugins().create("domain", "deepcubeai:world=sokoban,seed=1000000").image_shape
