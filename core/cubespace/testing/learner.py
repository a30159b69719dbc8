"""What every bit learner must keep, on grey pictures and on pictures in colour.

A learner may refuse pictures that it is not made for, by :class:`cubespace.learning.bit_learner.Unsuitable`, but not
both worlds of the suite: lamps that are toggled, and towers of disks.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cubespace.autoencoder.encoder import Shape
from cubespace.base.errors import InputError
from cubespace.base.options import parse_spec
from cubespace.data.domain import Pairs
from cubespace.learning.bit_learner import BitLearner, Unsuitable
from cubespace.learning.code import EXOGENOUS, Code
from cubespace.learning.code_file import load_code, save_code
from cubespace.learning.contract_check import check_code
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing.pictures import SHAPES, World, lamps, towers
from cubespace.testing.trainings import SHORT, parts, split, work_in


def _learner(spec: str) -> BitLearner:
    learner = load_plugins().create("learner", spec)
    assert isinstance(learner, BitLearner)
    return learner


def _learn(spec: str, training: Pairs, held_out: Pairs) -> Code:
    """Let a learner learn in a folder of its own."""
    learner = _learner(spec)
    with tempfile.TemporaryDirectory(prefix="cube-suite-") as folder:
        code = learner.learn(training, held_out, work_in(Path(folder)))
    return check_code(code, learner, training.before)


@cache
def _understood(spec: str, shape: Shape) -> tuple[World, Code]:
    """Return the first world that a learner does not refuse, and its code."""
    refusals = []
    for make in (lamps, towers):
        world = make(shape)
        try:
            return world, _learn(spec, *split(world))
        except Unsuitable as refusal:
            refusals.append(str(refusal))
    raise AssertionError(f"learner '{spec}' refuses all pictures of the suite: {'; '.join(refusals)}")


def bits_and_pictures_have_the_shape_of_the_world(spec: str) -> None:
    """Bits are bool, (batch, bits); pictures are in [0, 1] and as large as those learned from; none are none."""
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        assert code.bits > 0
        bits = code.encode(world.after)
        drawn = code.draw(bits)
        assert bits.dtype == np.bool_
        assert bits.shape == (len(world.after), code.bits)
        assert drawn.dtype == np.uint8
        assert drawn.shape == world.after.shape
        assert code.normalise(world.after).shape == world.after.shape
        assert code.encode(world.after[:0]).shape == (0, code.bits)
        assert code.decode(bits[:0]).shape == world.after[:0].shape


def a_picture_has_the_same_bits_alone_and_among_others(spec: str) -> None:
    """Neither the batch nor what was encoded before matters."""
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        together = code.encode(world.before)
        assert (code.encode(world.before) == together).all()
        assert (code.encode(world.before[:1]) == together[:1]).all()


def pictures_of_another_kind_are_refused(spec: str) -> None:
    """A picture of another size, or of numbers that are not bytes, is an :class:`InputError`."""
    world, code = _understood(spec, SHAPES[0])
    others: tuple[Any, ...] = (world.before[:, 1:], world.before.astype(np.float32))
    for images in others:
        try:
            code.encode(images)
        except InputError:
            continue
        raise AssertionError(f"it encodes {images.dtype} {images.shape}")


def what_is_drawn_has_the_bits_that_it_was_drawn_from(spec: str) -> None:
    """Encoding a drawn state gives the state again, unless the learner is trained, which takes longer than here."""
    if _learner(spec).trained:
        return
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        for images in (world.before, world.after):
            bits = code.encode(images)
            assert (code.encode(code.draw(bits)) == bits).all()


def exactly_one_bit_of_a_group_is_true(spec: str) -> None:
    """A group is a variable with one value in every state."""
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        if code.groups is None:
            return
        assert len(code.groups) == code.bits
        groups = np.array(code.groups)
        for bits in (code.encode(world.before), code.encode(world.after)):
            for group in np.unique(groups):
                assert (bits[:, groups == group].sum(1) == 1).all(), f"group {group}"


def the_same_seed_gives_the_same_code(spec: str) -> None:
    """Learning again gives the same code, and leaves the pictures as they are."""
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        kept = world.before.copy(), world.after.copy()
        _same(_learn(spec, *split(world)), code)
        assert (world.before == kept[0]).all()
        assert (world.after == kept[1]).all()


def held_out_pairs_teach_nothing(spec: str) -> None:
    """Other held-out pictures give the same code; training by gradient may use them to decide when to stop."""
    if _learner(spec).trained:
        return
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        training, held_out = split(world)
        _same(_learn(spec, training, Pairs(255 - held_out.after, held_out.before[::-1])), code)


def a_saved_code_comes_back(spec: str) -> None:
    """The code that is read from a file has the same bits, pictures, groups and regions."""
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        with tempfile.TemporaryDirectory(prefix="cube-suite-") as folder:
            path = Path(folder, "code.safetensors")
            save_code(path, code, spec)
            again = load_code(path, lambda learner, saved: _learner(learner).read(saved, parts()))
        bits = code.encode(world.before)
        assert (again.encode(world.before) == bits).all()
        assert (again.decode(bits) == code.decode(bits)).all()
        assert (again.groups, again.bits, again.training) == (code.groups, code.bits, code.training)
        assert _equal(again.regions(), code.regions())
        assert (again.actions is None) == (code.actions is None)
        _same(again, code)


def pictures_that_do_not_suit_are_refused_in_one_line(spec: str) -> None:
    """Pictures that never change, and mere noise, give a code or :class:`Unsuitable`, and nothing else."""
    rng = np.random.default_rng(3)
    constant = np.full((100, 12, 12), 77, dtype=np.uint8)
    noise = rng.integers(256, size=(2, 100, 12, 12), dtype=np.uint8)
    for before, after in ((constant, constant), (noise[0], noise[1])):
        pairs = Pairs(before, after)
        reason = "a code"
        try:
            _learn(spec, pairs[20:], pairs[:20])
        except Unsuitable as refusal:
            reason = str(refusal)
        assert reason
        assert "\n" not in reason


def regions_divide_the_picture(spec: str) -> None:
    """Where there are regions, each pixel belongs to a variable, to the background or to what changes on its own."""
    for shape in SHAPES:
        _, code = _understood(spec, shape)
        regions = code.regions()
        if regions is None:
            return
        variables = code.bits if code.groups is None else len(set(code.groups))
        assert regions.shape == code.image_shape[:2]
        assert regions.min() >= EXOGENOUS
        assert regions.max() < variables


def it_says_what_was_trained(spec: str) -> None:
    """A learner that trains counts its updates, one that does not has none to tell; all that it names exists."""
    learner = _learner(spec)
    training = _understood(spec, SHAPES[0])[1].training
    assert (training is not None) == learner.trained
    assert training is None or training.updates > 0
    load_plugins().find("precondition", learner.precondition)
    for kind, part in learner.components(SHORT):
        load_plugins().find(kind, parse_spec(part).name)
    assert "\n" not in learner.method


def learned_actions_do_what_they_say(spec: str) -> None:
    """Labels are numbers below their count; effects are those of the successors; all of it is exact."""
    for shape in SHAPES:
        world, code = _understood(spec, shape)
        source = _learner(spec).effects(SHORT, parts())
        actions = code.actions
        if actions is None:
            assert source == "differences"
            return
        before, after = code.encode(world.before), code.encode(world.after)
        labels = actions.label(before, after)
        assert labels.shape == (len(before),)
        assert labels.min() >= 0
        assert labels.max() < actions.count
        successors = actions.successors(before, labels)
        assert successors.dtype == np.bool_
        assert successors.shape == before.shape
        assert (actions.label(before[:1], after[:1]) == labels[:1]).all()
        assert source != "network" or actions.strips
        if actions.strips:
            add, delete = actions.effects()
            assert add.shape == delete.shape == (actions.count, code.bits)
            assert not (add & delete).any()
            assert (((before & ~delete[labels]) | add[labels]) == successors).all()
        if actions.discriminates:
            states, rows, used = actions.expand(before[:5])
            assert (actions.successors(before[:5][rows], used) == states).all()
            assert actions.plausible(before, after).shape == (len(before),)


def _same(one: Code, other: Code) -> None:
    """Fail unless two codes are the same in all that is saved of them."""
    left, right = one.saved(), other.saved()
    assert left.details == right.details
    assert left.arrays.keys() == right.arrays.keys()
    for name, array in left.arrays.items():
        assert _equal(array, right.arrays[name]), name
    assert (left.training, left.groups) == (right.training, right.groups)


def _equal(one: object, other: object) -> bool:
    return np.array_equal(np.asarray(one), np.asarray(other))


CHECKS = (
    bits_and_pictures_have_the_shape_of_the_world,
    a_picture_has_the_same_bits_alone_and_among_others,
    pictures_of_another_kind_are_refused,
    what_is_drawn_has_the_bits_that_it_was_drawn_from,
    exactly_one_bit_of_a_group_is_true,
    the_same_seed_gives_the_same_code,
    held_out_pairs_teach_nothing,
    a_saved_code_comes_back,
    pictures_that_do_not_suit_are_refused_in_one_line,
    regions_divide_the_picture,
    it_says_what_was_trained,
    learned_actions_do_what_they_say,
)
