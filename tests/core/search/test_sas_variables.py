"""The variables of SAS+: which bits share one, which stay alone, and what merging makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from planning_tasks import model_of, sliding, sliding_state

from cubespace.base.arrays import Bits, literals
from cubespace.search.sas.exclusive_variables import Encoding, encode
from cubespace.search.sas.merged_variables import MAX_VALUES, merge
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.strips import StripsModel


def row(*bits: int, size: int) -> Bits:
    mask = np.zeros(size, dtype=np.bool_)
    mask[list(bits)] = True
    return mask


def robot(extra: int = 0) -> StripsModel:
    """A robot in one of three cells, bits 0 to 2, goes to the next one; ``extra`` bits are for others."""
    size = 3 + extra
    steps = [(0, 1), (1, 2), (1, 0), (2, 1)]
    add = np.stack([row(new, size=size) for _, new in steps])
    delete = np.stack([row(old, size=size) for old, _ in steps])
    return model_of(add, delete, delete, np.zeros_like(add))


def encoded(model: StripsModel, states: Bits) -> Encoding:
    return encode(model, find_mutexes(model, states), np.ones(model.bits, dtype=np.bool_))


def start(encoding: Encoding, state: Bits) -> np.ndarray:
    return encoding.values(literals(state[None]))[0]


def test_bits_of_which_one_is_true_are_one_variable_and_actions_change_its_value() -> None:
    encoding = encoded(robot(), np.eye(3, dtype=np.bool_))
    assert [members.tolist() for members in encoding.variables] == [[0, 1, 2]]
    assert encoding.before[:, 0].tolist() == [0, 1, 1, 2]
    assert encoding.after[:, 0].tolist() == [1, 2, 0, 1]
    assert [encoding.fact(0, value) for value in range(4)] == ["Atom z0()", "Atom z1()", "Atom z2()", "<none of those>"]


def test_none_of_them_is_a_value_too() -> None:
    encoding = encoded(robot(), np.eye(3, dtype=np.bool_))
    states = np.array([[True, False, False], [False, False, True], [False, False, False]])
    assert encoding.values(literals(states))[:, 0].tolist() == [0, 2, 3]


def test_bits_that_are_true_together_are_variables_of_their_own() -> None:
    states = np.array([[True, False, False], [False, True, True], [False, False, True]])
    assert len(encoded(robot(), states).variables) > 1


def test_a_bit_that_never_changes_and_one_that_equals_another_vanish() -> None:
    """Bit 3 is always true; bit 4 says what bit 0 says."""
    model = robot(extra=2)
    add, delete = model.add.copy(), model.delete.copy()
    add[:, 4], delete[:, 4] = add[:, 0], delete[:, 0]
    positive = model.positive.copy()
    positive[0, 3] = True
    model = model_of(add, delete, positive, model.negative)
    states = np.eye(3, 5, dtype=np.bool_)
    states[:, 3], states[:, 4] = True, states[:, 0]
    encoding = encoded(model, states)
    assert [members.tolist() for members in encoding.variables] == [[0, 1, 2]]
    assert encoding.constant[[3, 8]].all()
    assert encoding.same[4] == 0
    assert encoding.before[:, 0].tolist() == [0, 1, 1, 2]


def test_an_action_that_needs_what_never_is_is_left_out() -> None:
    model = robot()
    impossible = model_of(
        np.concatenate([model.add, row(2, size=3)[None]]),
        np.concatenate([model.delete, row(0, size=3)[None]]),
        np.concatenate([model.positive, row(0, 1, size=3)[None]]),  # in two cells at once
        np.zeros((5, 3), dtype=np.bool_),
    )
    assert encoded(impossible, np.eye(3, dtype=np.bool_)).names == list(model.names)


def test_a_bit_that_is_only_said_to_be_false_keeps_a_variable_of_its_own() -> None:
    """A door, bit 3, may be shut unless the robot is in cell 1: "not 1" is not a value of its cell."""
    model = robot(extra=1)
    model = model_of(
        np.concatenate([model.add, row(3, size=4)[None]]),
        np.concatenate([model.delete, row(size=4)[None]]),
        np.concatenate([model.positive, row(size=4)[None]]),
        np.concatenate([model.negative, row(1, 3, size=4)[None]]),
    )
    encoding = encoded(
        model, np.concatenate([np.eye(3, 4, dtype=np.bool_), np.eye(3, 4, dtype=np.bool_) | row(3, size=4)])
    )
    mine = [members.tolist() for members in encoding.variables]
    assert [1] in mine
    assert [0, 2] in mine


def test_bits_that_may_not_share_do_not() -> None:
    model = robot()
    mutexes = find_mutexes(model, np.eye(3, dtype=np.bool_))
    encoding = encode(model, mutexes, np.array([True, True, False]))
    assert sorted(members.tolist() for members in encoding.variables) == [[0, 1], [2]]


def test_a_wish_that_no_value_expresses_is_told() -> None:
    encoding = encoded(robot(), np.eye(3, dtype=np.bool_))
    not_one = np.roll(row(1, size=6), 3)  # "not in cell 1", whatever the others
    assert encoding.unsaid(not_one, encoding.values(not_one[None])[0]).tolist() == [False, True, False]
    in_one = row(1, size=6)
    assert not encoding.unsaid(in_one, encoding.values(in_one[None])[0]).any()


def test_the_puzzle_has_a_variable_for_each_tile_or_each_cell() -> None:
    model = sliding(2)
    encoding = encoded(model, sliding_state(np.arange(4))[None])
    assert sorted(len(members) for members in encoding.variables) == [4, 4, 4, 4]
    assert len(encoding.names) == model.actions


def code_of_two_bits() -> tuple[StripsModel, Bits]:
    """A counter from 0 to 2 in two bits: 00, 01, 10; steps up and down. Bit 2 is a lamp that anyone may toggle."""
    codes = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=np.bool_)
    pairs = [(0, 1), (1, 2), (2, 1), (1, 0)]
    before, after = (np.stack([codes[pair[side]] for pair in pairs]) for side in (0, 1))
    lamp = row(2, size=3)
    counted = np.array([True, True, False])
    add = np.concatenate([after & ~before, lamp[None], 0 * lamp[None]]).astype(np.bool_)
    delete = np.concatenate([before & ~after, 0 * lamp[None], lamp[None]]).astype(np.bool_)
    positive = np.concatenate([before, 0 * lamp[None], lamp[None]]).astype(np.bool_)
    negative = np.concatenate([~before & counted, lamp[None], 0 * lamp[None]]).astype(np.bool_)
    return model_of(add, delete, positive, negative), np.concatenate([codes, codes | lamp])


def bits_alone(model: StripsModel) -> Encoding:
    """Every bit is a variable of its own."""
    bits = model.bits
    mutexes = np.zeros((2 * bits, 2 * bits), dtype=np.bool_)
    mutexes[np.arange(bits), np.arange(bits) + bits] = mutexes[np.arange(bits) + bits, np.arange(bits)] = True
    return encode(model, mutexes, np.ones(bits, dtype=np.bool_))


def test_variables_of_one_group_become_one_with_the_combinations_that_can_be_reached() -> None:
    model, states = code_of_two_bits()
    encoding = bits_alone(model)
    merged = merge(encoding, np.array([0, 0, 1]), start(encoding, states[0]))
    sizes = sorted(len(variable.values) for variable in merged.variables)
    assert sizes == [2, 3]  # the lamp, and three of the four combinations
    assert len(merged.names) == model.actions  # no operator is copied: each names both bits
    counter = next(index for index, variable in enumerate(merged.variables) if len(variable.parts) == 2)
    moves = {
        (old, new) for old, new in zip(merged.before[:, counter], merged.after[:, counter], strict=True) if new >= 0
    }
    assert len(moves) == 4


def test_an_operator_that_names_only_a_part_is_copied_for_each_combination() -> None:
    """Two lamps of one group, each toggled by itself: lamp 0 goes on while lamp 1 is on or off."""
    on, off = np.eye(2, dtype=np.bool_), np.zeros((2, 2), dtype=np.bool_)
    model = model_of(
        np.concatenate([on, off]), np.concatenate([off, on]), np.concatenate([off, on]), np.concatenate([on, off])
    )
    encoding = bits_alone(model)
    merged = merge(encoding, np.array([0, 0]), start(encoding, np.zeros(2, dtype=np.bool_)))
    assert [len(variable.values) for variable in merged.variables] == [4]
    assert len(merged.names) == 2 * model.actions
    assert {merged.names.count(name) for name in model.names} == {2}


def test_too_many_combinations_are_left_apart() -> None:
    bits = int(np.log2(MAX_VALUES)) + 1  # so many lamps have more combinations than a variable may have values
    on, off = np.eye(bits, dtype=np.bool_), np.zeros((bits, bits), dtype=np.bool_)
    model = model_of(
        np.concatenate([on, off]), np.concatenate([off, on]), np.concatenate([off, on]), np.concatenate([on, off])
    )
    encoding = bits_alone(model)
    merged = merge(encoding, np.zeros(bits, dtype=np.intp), start(encoding, np.zeros(bits, dtype=np.bool_)))
    assert [len(variable.parts) for variable in merged.variables] == [1] * bits
    assert len(merged.names) == model.actions


@pytest.mark.parametrize("groups", [[0, 0, 1], [0, 1, 2]], ids=["merged", "apart"])
def test_what_does_not_help_to_reach_the_goal_is_not_relevant(groups: list[int]) -> None:
    model, states = code_of_two_bits()
    encoding = bits_alone(model)
    merged = merge(encoding, np.array(groups), start(encoding, states[0]))
    wanted = encoding.values(literals(row(0, size=3)[None], (row(1, size=3))[None]))[0]  # the counter is at 2
    goal, choices = merged.fitting(wanted)
    assert (choices == 1).all()
    relevant = merged.relevant(goal)
    lamp = [2 in encoding.variables[variable.parts[0]] for variable in merged.variables]
    assert relevant.tolist() == [not each for each in lamp]
