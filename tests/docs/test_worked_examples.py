"""The three-bit examples in the docstrings of dense array code are true."""

import numpy as np
import torch

from cubespace.autoencoder.extensions.bit_consolidation import _unstable_bits
from cubespace.base.arrays import Bits, literals
from cubespace.search.sas.exclusive_variables import encode
from cubespace.search.sas.merged_variables import merge
from cubespace.symbols.bit_groups import dependent_bits
from cubespace.symbols.invariants import complements, find_mutexes, related
from cubespace.symbols.strips import StripsModel
from cubespace_precondition.rules import Rule
from cubespace_precondition.significance import SignificanceOptions, add_unlikely


def rows(*texts: str) -> Bits:
    return np.array([[letter == "1" for letter in text] for text in texts])


def actions(add: Bits, delete: Bits, positive: Bits, negative: Bits) -> StripsModel:
    ones = np.ones(len(add), dtype=np.intp)
    names = [f"a{number}" for number in range(len(add))]
    return StripsModel(
        names=names, add=add, delete=delete, positive=positive, negative=negative, support=ones, cost=ones
    )


def walking_robot() -> StripsModel:
    return actions(rows("010", "001"), rows("100", "010"), rows("100", "010"), rows("000", "000"))


def test_a_robot_in_one_of_three_cells_is_one_variable() -> None:
    mutexes = find_mutexes(walking_robot(), rows("100", "010", "001"))
    assert np.argwhere(np.triu(mutexes[:3, :3])).tolist() == [[0, 1], [0, 2], [1, 2]]
    encoding = encode(walking_robot(), mutexes, np.ones(3, dtype=np.bool_))
    assert [members.tolist() for members in encoding.variables] == [[0, 1, 2]]
    assert encoding.before.tolist() == [[0], [1]]
    assert encoding.after.tolist() == [[1], [2]]
    assert encoding.fact(0, 3) == "<none of those>"


def test_operators_are_copied_for_the_combinations_that_agree() -> None:
    model = actions(rows("010", "001", "100"), rows(*["000"] * 3), rows("000", "100", "000"), rows("010", "001", "100"))
    encoding = encode(model, complements(3), np.ones(3, dtype=np.bool_))
    init = encoding.values(literals(rows("000")))[0]
    merged = merge(encoding, np.array([0, 0, 1]), init)
    alone, pair = merged.variables
    assert alone.parts.tolist() == [2]
    assert pair.values.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert merged.names == ["a0", "a0", "a1", "a1", "a2", "a2"]
    assert merged.before[:4].tolist() == [[-1, 1], [-1, 3], [1, 0], [1, 1]]
    assert merged.after[:4].tolist() == [[-1, 0], [-1, 2], [0, -1], [0, -1]]


def test_the_odd_bit_of_twins_is_unstable() -> None:
    after = torch.tensor([[True, False, False]] * 90 + [[True, False, True]] * 3)
    assert list(_unstable_bits(torch.stack([torch.zeros_like(after), after]))) == [2]


def test_bits_that_are_always_equal_are_a_group() -> None:
    assert dependent_bits(rows("000", "110", "001", "111")).tolist() == [0, 0, 1]


def test_a_row_is_the_union_of_the_rows_it_names() -> None:
    assert (related(rows("101"), rows("100", "010", "001")) == rows("101")).all()


def test_a_literal_is_added_where_two_rules_together_make_chance_unlikely() -> None:
    held = literals(rows("100", "101", "110", "111"))  # bit 1 is true in half of them
    made = literals(rows("000"), rows("100"))  # deletes bit 0

    def rule() -> Rule:
        examples = literals(rows("110", "110", "111", "110"))
        needed = literals(rows("100"), rows("000"))[0]
        return Rule(0, needed, examples, np.arange(4), np.zeros(4, dtype=np.bool_), 0)

    options = SignificanceOptions(own=0.01, pooled=0.01)
    alone, pair = [rule()], [rule(), rule()]
    add_unlikely(alone, made, held, options)
    assert not alone[0].needed[1]
    add_unlikely(pair, made, held, options)
    assert all(each.needed[1] for each in pair)
