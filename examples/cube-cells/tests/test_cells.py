"""Both components keep the contracts of their kinds; and cells are what they are said to be."""

import numpy as np
import pytest

from cubespace.learning.bit_learner import Unsuitable
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing import conformance
from cubespace.testing.trainings import work_in

test_learner = conformance("learner", "cells", "cells:error=0.001")
test_action_model = conformance("action", "difference")


def learn(spec, pairs, folder):
    """Return the code of some pairs."""
    return load_plugins().create("learner", spec).learn(pairs, pairs, work_in(folder))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_lamp_is_a_bit(size, tmp_path):
    """The grid is that of the lamps, and different states have different bits."""
    domain = load_plugins().create("domain", f"lightsout:size={size}")
    pairs = domain.sample(300, np.random.default_rng(0))
    code = learn("cells", pairs, tmp_path)
    assert code.bits == size**2
    assert len(np.unique(code.encode(pairs.before), axis=0)) == len(np.unique(pairs.states_before, axis=0))


def test_digits_are_more_than_two_looks(tmp_path):
    """What does not suit is refused."""
    pairs = load_plugins().create("domain", "mnist").sample(100, np.random.default_rng(0))
    with pytest.raises(Unsuitable, match="no grid"):
        learn("cells", pairs, tmp_path)
