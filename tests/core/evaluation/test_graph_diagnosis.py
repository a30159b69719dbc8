"""The graph of a network against the true one: with perfect codes the numbers are known."""

import numpy as np
import pytest

from cubespace.base.arrays import Bits, Images, Indices
from cubespace.evaluation.graph_diagnosis import diagnose_graph
from cubespace.plugins.catalogue import load_plugins

LAMPS = 4


@pytest.fixture(scope="module")
def domain():
    return load_plugins().create("domain", "lightsout:size=2")


def encode(pictures: Images) -> Bits:
    """Read each of the four lamps."""
    height, width = pictures.shape[1] // 2, pictures.shape[2] // 2
    corners = [pictures[:, y : y + height, x : x + width] for y in (0, height) for x in (0, width)]
    return np.stack([corner.reshape(len(pictures), -1).max(1) > 127 for corner in corners], axis=1)


def press(states: Bits) -> tuple[Bits, Indices, Indices]:
    """Toggle a lamp and its neighbours; label 4 toggles all, which is no move; label 5 changes nothing."""
    crosses = np.array([[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]], np.bool_)
    rows, labels = np.repeat(np.arange(len(states)), 6), np.tile(np.arange(6), len(states))
    return states[rows] ^ crosses[labels], rows, labels


def three_change(before: Bits, after: Bits) -> Bits:
    return (before ^ after).sum(1) == 3


def test_the_numbers_of_a_graph_that_is_known(domain) -> None:
    found = diagnose_graph(domain, encode, press, lambda before, _: np.ones(len(before), np.bool_), 150)
    assert (found.graph_recall, found.graph_wrong) == (found.made_recall, found.made_wrong) == (1.0, 1.0)
    exact = diagnose_graph(domain, encode, press, three_change, 150)
    assert (exact.graph_recall, exact.graph_wrong, exact.made_wrong) == (1.0, 0.0, 1.0)
    nothing = diagnose_graph(domain, encode, press, lambda before, after: ~three_change(before, after), 150)
    assert (nothing.graph_recall, nothing.graph_wrong) == (0.0, 1.0)
