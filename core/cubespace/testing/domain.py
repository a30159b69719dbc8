"""What every domain must keep."""

from __future__ import annotations

from functools import cache

import numpy as np

from cubespace.domains import Domain, Simulator, States
from cubespace.plugins import load_plugins

SAMPLES = 64


@cache
def _domain(spec: str) -> Domain:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Domain)
    return domain


def _simulator(spec: str) -> Simulator | None:
    domain = _domain(spec)
    return domain if isinstance(domain, Simulator) else None


def _pairs(domain: Domain) -> tuple[States, States]:
    """Draw some transitions: as many as a small collection of pictures has."""
    count = SAMPLES if isinstance(domain, Simulator) else None
    return domain.sample(count, np.random.default_rng(0))


def samples_are_batches_of_states(spec: str) -> None:
    """Samples are two uint8 matrices of the same shape, the requested number of rows."""
    domain = _domain(spec)
    before, after = _pairs(domain)
    assert before.dtype == after.dtype == np.uint8
    assert before.ndim == 2
    assert before.shape == after.shape
    if isinstance(domain, Simulator):
        assert len(before) == SAMPLES
        assert before.shape[1] == len(domain.radices)


def samples_depend_on_the_seed_alone(spec: str) -> None:
    """The same generator gives the same samples, from a domain built anew too."""
    first = _pairs(_domain(spec))
    again = _pairs(load_plugins().create("domain", spec))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


def pictures_have_the_promised_shape(spec: str) -> None:
    """Pictures are uint8 of ``image_shape``; drawing leaves the states alone."""
    domain = _domain(spec)
    states, _ = _pairs(domain)
    kept = states.copy()
    images = domain.render(states)
    assert images.dtype == np.uint8
    assert images.shape == (len(states), *domain.image_shape)
    assert len(domain.image_shape) == 2 or domain.image_shape[2:] == (3,)
    np.testing.assert_array_equal(states, kept)


def a_picture_is_the_same_alone_and_in_a_batch(spec: str) -> None:
    """Nothing is normalised over a batch."""
    domain = _domain(spec)
    states, _ = _pairs(domain)
    together = domain.render(states)
    for row in range(0, len(states), 7):
        np.testing.assert_array_equal(domain.render(states[row : row + 1])[0], together[row])


def an_empty_batch_is_a_batch(spec: str) -> None:
    """No states give no pictures."""
    domain = _domain(spec)
    states, _ = _pairs(domain)
    assert domain.render(states[:0]).shape == (0, *domain.image_shape)


def samples_are_legal_moves(spec: str) -> None:
    """The second state of a sample is one of the first one's successors, and states stay within their radices."""
    domain = _simulator(spec)
    if domain is None:
        return
    before, after = _pairs(domain)
    children, parents = domain.successors(before)
    assert (np.diff(parents) >= 0).all(), "parents must come in ascending order"
    assert (children < np.array(domain.radices)).all()
    legal = np.zeros(len(before), dtype=bool)
    np.logical_or.at(legal, parents, (children == after[parents]).all(1))
    assert legal.all()


def predecessors_invert_successors(spec: str) -> None:
    """Each state is among the predecessors of each of its successors."""
    domain = _simulator(spec)
    if domain is None:
        return
    states, _ = _pairs(domain)
    children, parents = domain.successors(states)
    back, origins = domain.predecessors(children)
    found = np.zeros(len(children), dtype=bool)
    np.logical_or.at(found, origins, (back == states[parents][origins]).all(1))
    assert found.all()


def successors_of_a_batch_are_those_of_its_rows(spec: str) -> None:
    """A batch is no more than its rows."""
    domain = _simulator(spec)
    if domain is None:
        return
    states, _ = _pairs(domain)
    children, parents = domain.successors(states)
    for row in range(0, len(states), 7):
        alone, zeros = domain.successors(states[row : row + 1])
        np.testing.assert_array_equal(alone, children[parents == row])
        assert not zeros.any()


def the_eye_reads_what_was_drawn(spec: str) -> None:
    """``read`` gives back the state of a clean picture and of one with a little noise."""
    domain = _simulator(spec)
    if domain is None:
        return
    states = np.concatenate([_pairs(domain)[0], domain.goal()])
    clean = domain.render(states)
    noise = np.random.default_rng(1).normal(0, 0.05 * 255, clean.shape)
    noisy = np.clip(clean + noise, 0, 255).round().astype(np.uint8)
    for images in (clean, noisy):
        seen, readable = domain.read(images)
        assert readable.all()
        np.testing.assert_array_equal(seen, states)


def the_eye_never_guesses(spec: str) -> None:
    """Pictures of nothing are unreadable: noise, and two states blended half and half."""
    domain = _simulator(spec)
    if domain is None:
        return
    noise = np.random.default_rng(2).integers(256, size=(8, *domain.image_shape), dtype=np.uint8)
    assert not domain.read(noise)[1].any()
    before, after = (domain.render(states).astype(np.uint16) for states in _pairs(domain))
    assert not domain.read(((before + after) // 2).astype(np.uint8))[1].any()


CHECKS = (
    samples_are_batches_of_states,
    samples_depend_on_the_seed_alone,
    pictures_have_the_promised_shape,
    a_picture_is_the_same_alone_and_in_a_batch,
    an_empty_batch_is_a_batch,
    samples_are_legal_moves,
    predecessors_invert_successors,
    successors_of_a_batch_are_those_of_its_rows,
    the_eye_reads_what_was_drawn,
    the_eye_never_guesses,
)
