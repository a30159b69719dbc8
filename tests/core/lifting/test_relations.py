"""Static relations: what was excluded by chance stays possible, what was possible often and never seen does not."""

import numpy as np

from cubespace.lifting.criteria import Criteria
from cubespace.lifting.groundings import Groundings
from cubespace.lifting.relations import find_relations


def groundings(seen: list[list[int]], possible: int) -> Groundings:
    """Two parameters, each with as many values as the table has rows and columns."""
    table = np.array(seen)
    return Groundings(
        arguments=np.argwhere(np.ones_like(table)), seen=table.ravel(), possible=np.full(table.size, possible)
    )


def test_a_relation_is_what_was_seen_where_more_was_to_be_expected():
    found, left = find_relations(groundings([[20, 0], [0, 20]], possible=60), Criteria(level=1e-3))
    (relation,) = found
    assert relation.parameters == (0, 1)
    assert relation.rows == {(0, 0), (1, 1)}
    assert len(left) == 2


def test_what_chance_explains_is_allowed():
    found, left = find_relations(groundings([[2, 0], [1, 2]], possible=6), Criteria(level=1e-3))
    assert not found
    assert len(left) == 4


def test_a_parameter_of_its_own_comes_first():
    found, left = find_relations(groundings([[20, 20], [0, 0]], possible=60), Criteria(level=1e-3))
    (relation,) = found
    assert relation.parameters == (0,)
    assert relation.rows == {(0,)}
    assert len(left) == 2


def test_a_combination_far_too_rare_is_an_accident():
    found, left = find_relations(groundings([[200, 1], [200, 200]], possible=600), Criteria(level=1e-3))
    (relation,) = found
    assert relation.rows == {(0, 0), (1, 0), (1, 1)}
    assert len(left) == 3
