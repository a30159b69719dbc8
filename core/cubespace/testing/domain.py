"""The rules that every domain must follow; one that is also a judge or knows its states must follow those rules too."""

from __future__ import annotations

from functools import cache

import numpy as np

from cubespace.base.arrays import Images, States
from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain, Judge, Pairs, StateSpace
from cubespace.plugins.catalogue import load_plugins

SAMPLES = 64


@cache
def _domain(spec: str) -> Domain:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Domain)
    return domain


def _space(spec: str) -> StateSpace | None:
    domain = _domain(spec)
    return domain if isinstance(domain, StateSpace) else None


def _pairs(domain: Domain) -> Pairs:
    """Draw some transitions: all of them, if a collection of pictures has fewer."""
    try:
        return domain.sample(SAMPLES, np.random.default_rng(0))
    except UsageError:
        assert not isinstance(domain, StateSpace), "a domain that knows its states can draw any number of moves"
        return domain.sample(None, np.random.default_rng(0))


def _states(space: StateSpace) -> States:
    return space.random_moves(SAMPLES, np.random.default_rng(0))[0]


def samples_are_pairs_of_pictures(spec: str) -> None:
    """Samples are as many uint8 pictures before as after, of ``image_shape``, the requested number of them."""
    domain = _domain(spec)
    pairs = _pairs(domain)
    assert len(domain.image_shape) == 2 or domain.image_shape[2:] == (3,)
    for images in (pairs.before, pairs.after):
        assert images.dtype == np.uint8
        assert images.shape == (len(pairs), *domain.image_shape)
    if isinstance(domain, StateSpace):
        assert len(pairs) == SAMPLES


def samples_depend_on_the_seed_alone(spec: str) -> None:
    """The same generator gives the same samples, and so does a second instance of the domain."""
    first, again = _pairs(_domain(spec)), _pairs(load_plugins().create("domain", spec))
    np.testing.assert_array_equal(first.before, again.before)
    np.testing.assert_array_equal(first.after, again.after)


def states_belong_to_their_pictures(spec: str) -> None:
    """Where samples have states, they are uint8 rows that render as the pictures; rendering does not change them."""
    pairs, space = _pairs(_domain(spec)), _space(spec)
    for states, images in ((pairs.states_before, pairs.before), (pairs.states_after, pairs.after)):
        if states is None or space is None:
            continue
        assert states.dtype == np.uint8
        assert states.shape == (len(pairs), len(space.radices))
        kept = states.copy()
        np.testing.assert_array_equal(space.render(states), images)
        np.testing.assert_array_equal(states, kept)


def a_picture_is_the_same_alone_and_in_a_batch(spec: str) -> None:
    """Nothing is normalised over a batch."""
    space = _space(spec)
    if space is None:
        return
    states = _states(space)
    together = space.render(states)
    for row in range(0, len(states), 7):
        np.testing.assert_array_equal(space.render(states[row : row + 1])[0], together[row])


def an_empty_batch_is_a_batch(spec: str) -> None:
    """An empty batch of states gives an empty batch of pictures."""
    space = _space(spec)
    if space is not None:
        assert space.render(_states(space)[:0]).shape == (0, *_domain(spec).image_shape)


def samples_are_legal_moves(spec: str) -> None:
    """The second state of a sample is a successor of the first, and states stay within their radices."""
    domain = _space(spec)
    if domain is None:
        return
    before, after = domain.random_moves(SAMPLES, np.random.default_rng(0))
    children, parents = domain.successors(before)
    assert (np.diff(parents) >= 0).all(), "parents must come in ascending order"
    assert (children < np.array(domain.radices)).all()
    legal = np.zeros(len(before), dtype=bool)
    np.logical_or.at(legal, parents, (children == after[parents]).all(1))
    assert legal.all()


def predecessors_invert_successors(spec: str) -> None:
    """Each state is among the predecessors of each of its successors."""
    domain = _space(spec)
    if domain is None:
        return
    states = _states(domain)
    children, parents = domain.successors(states)
    back, origins = domain.predecessors(children)
    found = np.zeros(len(children), dtype=bool)
    np.logical_or.at(found, origins, (back == states[parents][origins]).all(1))
    assert found.all()


def successors_of_a_batch_are_those_of_its_rows(spec: str) -> None:
    """The successors of a state do not depend on the rest of the batch."""
    domain = _space(spec)
    if domain is None:
        return
    states = _states(domain)
    children, parents = domain.successors(states)
    for row in range(0, len(states), 7):
        alone, zeros = domain.successors(states[row : row + 1])
        np.testing.assert_array_equal(alone, children[parents == row])
        assert not zeros.any()


def the_judge_reads_what_was_rendered(spec: str) -> None:
    """``read`` returns the state of a clean picture and of one with a little noise."""
    domain, space = _domain(spec), _space(spec)
    if not isinstance(domain, Judge) or space is None:
        return
    states = np.concatenate([_states(space), space.goal()])
    clean = space.render(states)
    noise = np.random.default_rng(1).normal(0, 0.05 * 255, clean.shape)
    noisy = np.clip(clean + noise, 0, 255).round().astype(np.uint8)
    for images in (clean, noisy):
        seen, readable = domain.read(images)
        assert readable.all()
        np.testing.assert_array_equal(seen, states)


def the_judge_never_guesses(spec: str) -> None:
    """Pictures that show no state are unreadable: noise, and two states blended half and half."""
    domain = _domain(spec)
    if not isinstance(domain, Judge):
        return
    noise = np.random.default_rng(2).integers(256, size=(8, *domain.image_shape), dtype=np.uint8)
    assert not domain.read(noise)[1].any()
    pairs = _pairs(domain)
    blend: Images = ((pairs.before.astype(np.uint16) + pairs.after) // 2).astype(np.uint8)
    assert not domain.read(blend)[1].any()


def the_judge_may_say_what_is_impossible(spec: str) -> None:
    """``faults`` returns a text for each picture: empty if it is readable, not empty for two states blended."""
    domain = _domain(spec)
    if not isinstance(domain, Judge):
        return
    pairs = _pairs(domain)
    assert domain.faults(pairs.before) == [""] * len(pairs)
    assert domain.faults(pairs.before[:0]) == []
    blend: Images = ((pairs.before.astype(np.uint16) + pairs.after) // 2).astype(np.uint8)
    faults = domain.faults(blend)
    assert len(faults) == len(blend)
    assert all(isinstance(fault, str) and "\n" not in fault for fault in faults)
    if type(domain).faults is not Judge.faults:
        assert all(faults), "a judge that names faults must name one for every unreadable picture"


def the_judge_knows_moves(spec: str) -> None:
    """A sampled transition is a move; staying in place, in a world whose moves all change something, is not."""
    domain, space = _domain(spec), _space(spec)
    if not isinstance(domain, Judge) or space is None:
        return
    before, after = space.random_moves(SAMPLES, np.random.default_rng(0))
    assert domain.is_move(before, after).all()
    moved = (before != after).any(1)
    assert not domain.is_move(before[moved], before[moved]).any()


CHECKS = (
    samples_are_pairs_of_pictures,
    samples_depend_on_the_seed_alone,
    states_belong_to_their_pictures,
    a_picture_is_the_same_alone_and_in_a_batch,
    an_empty_batch_is_a_batch,
    samples_are_legal_moves,
    predecessors_invert_successors,
    successors_of_a_batch_are_those_of_its_rows,
    the_judge_reads_what_was_rendered,
    the_judge_never_guesses,
    the_judge_may_say_what_is_impossible,
    the_judge_knows_moves,
)
