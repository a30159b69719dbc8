"""Where effects come from: worked examples of three bits."""

import numpy as np

from cubespace.base.arrays import Bits
from cubespace.symbols.effects import find_effects


def bits(*rows: str) -> Bits:
    return np.array([[character == "1" for character in row] for row in rows])


# label 0 adds bits 0 and 1, label 1 deletes bit 2
ADD, DELETE = bits("110", "000"), bits("000", "001")


def test_effects_of_the_network_are_those_that_transitions_it_predicts_exactly_show() -> None:
    before, after = bits("010", "011", "000", "001"), bits("110", "111", "100", "000")
    found = find_effects("network", before, after, np.array([0, 0, 0, 1]), (ADD, DELETE))
    # 000 -> 100 is not what label 0 does; in the others that it explains, bit 1 was true before
    assert found.add.tolist() == bits("100", "000").tolist()
    assert found.delete.tolist() == bits("000", "001").tolist()
    assert found.action.tolist() == [0, 0, -1, 1]
    assert found.support.tolist() == [2, 1]
    assert found.label is not None
    assert found.label.tolist() == [0, 1]


def test_a_label_that_explains_nothing_has_no_effect() -> None:
    before, after = bits("000", "000"), bits("001", "111")
    found = find_effects("network", before, after, np.array([0, 1]), (ADD, DELETE))
    assert len(found.add) == 0
    assert found.action.tolist() == [-1, -1]


def test_labels_whose_effects_look_alike_are_one_action() -> None:
    add = bits("100", "110")
    before, after = bits("000", "010"), bits("100", "110")  # label 1 is never seen to add bit 1
    found = find_effects("network", before, after, np.array([0, 1]), (add, bits("000", "000")))
    assert found.add.tolist() == bits("100").tolist()
    assert found.action.tolist() == [0, 0]
