"""A split by states: what is held out shows no state of the training split, or it is said why that cannot be."""

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain, Pairs
from cubespace.data.transitions import load, make
from cubespace.plugins.catalogue import load_plugins


class Given(Domain):
    """Pairs as they are given, without states."""

    def __init__(self, before: np.ndarray, after: np.ndarray) -> None:
        self.pairs = Pairs(before, after)

    @property
    def image_shape(self) -> tuple[int, ...]:
        return self.pairs.before.shape[1:]

    def sample(self, count, rng) -> Pairs:  # noqa: ARG002
        return self.pairs


def pictures(numbers: np.ndarray) -> np.ndarray:
    """Return a picture of 2 x 2 pixels for each number."""
    return np.stack([numbers & 255, numbers >> 8, numbers * 0, numbers * 0], 1).astype(np.uint8).reshape(-1, 2, 2)


def chain(states: int, pairs: int) -> Given:
    """Return steps along a line of states."""
    source = np.random.default_rng(0).integers(states - 1, size=pairs)
    return Given(pictures(source), pictures(source + 1))


def shown(part: Pairs, states: bool) -> set[bytes]:
    sides = (part.states_before, part.states_after) if states else (part.before, part.after)
    return {row.tobytes() for side in sides if side is not None for row in side}


@pytest.mark.parametrize("spec", ["mnist", "hanoi:disks=4", "lightsout:size=3"])
def test_parts_of_a_simulator_have_no_state_in_common(spec, tmp_path) -> None:
    data = make(load_plugins().create("domain", spec), spec, 1500, seed=1, split="state")
    data.save(tmp_path / "data.npz")
    data = load(tmp_path / "data.npz")
    parts = [shown(part, states=True) for part in (data.train, data.validation, data.test)]
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    assert len(data.train) >= 750
    assert min(len(data.validation), len(data.test)) >= 70
    assert "split by states" in data.note


def test_pictures_without_states_are_kept_apart_byte_by_byte() -> None:
    data = make(chain(300, 2000), "mine", None, seed=0, split="state")
    parts = [shown(part, states=False) for part in (data.train, data.validation, data.test)]
    assert not parts[0] & (parts[1] | parts[2])
    assert "split by pictures" in data.note
    assert "no two pictures" not in data.note


def test_pictures_that_all_differ_are_kept_apart_but_perhaps_not_their_states() -> None:
    numbers = np.arange(400)
    data = make(Given(pictures(numbers[::2]), pictures(numbers[1::2])), "mine", None, seed=0, split="state")
    assert (len(data.train), len(data.validation), len(data.test)) == (180, 10, 10)
    assert "no two pictures are equal" in data.note


def test_it_is_said_why_states_cannot_be_kept_apart() -> None:
    with pytest.raises(UsageError, match=r"split=state is not possible: of 600 pairs, which link 16 states"):
        make(load_plugins().create("domain", "lightsout:size=2"), "lightsout", 600, seed=0, split="state")
    with pytest.raises(UsageError, match="not possible"):
        make(chain(2, 50), "mine", None, seed=0, split="state")


def test_the_seed_decides() -> None:
    one, same, other = (make(chain(300, 900), "mine", None, seed=seed, split="state") for seed in (3, 3, 4))
    assert (one.pairs.before == same.pairs.before).all()
    assert one.sizes == same.sizes
    assert one.sizes != other.sizes or (one.pairs.before != other.pairs.before).any()
