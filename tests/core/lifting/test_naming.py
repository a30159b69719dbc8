"""Names of values: votes of events, matches along the strongest links, agreement round the cycles."""

import numpy as np
from lifted_worlds import lamps, sliding_tiles, towers

from cubespace.lifting.criteria import Criteria
from cubespace.lifting.naming import blocking_votes, moving_votes, name_values
from cubespace.lifting.variables import Observed, Variables, observe


def observed(world) -> Observed:
    return observe(world.before, world.after, Variables.of(world.groups))


def test_an_event_of_two_variables_votes_for_two_pairs_of_values():
    groups = (0, 0, 1, 1)  # variable 0 goes from value 0 to 1, variable 1 from value 1 to 0
    before, after = np.array([[1, 0, 0, 1]], dtype=bool), np.array([[0, 1, 1, 0]], dtype=bool)
    votes = moving_votes(observe(before, after, Variables.of(groups)))
    assert votes[0, 1].tolist() == [[1, 0], [0, 1]]


def test_tiles_have_one_name_in_every_cell():
    seen = observed(sliding_tiles(1500))
    naming = name_values(seen, moving_votes(seen), Criteria())
    assert naming.linked
    assert naming.agreement == 1
    assert naming.count == 6
    named = naming.of(seen.before)
    assert (np.sort(named, axis=1) == np.arange(6)).all()  # every tile once in every state


def test_pegs_have_one_name_for_every_disk():
    seen = observed(towers(2000))
    naming = name_values(seen, blocking_votes(seen, Criteria()), Criteria())
    assert naming.linked
    assert naming.agreement == 1
    assert naming.count == 3


def test_lamps_have_no_common_names():
    seen = observed(lamps(500, size=5))
    assert name_values(seen, moving_votes(seen), Criteria()).agreement < 0.9


def test_values_of_a_variable_without_a_true_bit_are_unclear():
    states = np.array([[1, 0, 0], [0, 0, 1], [1, 1, 0]], dtype=bool)
    assert Variables.of((0, 0, 1)).values(states).tolist() == [[0, -1], [-1, 0], [-1, -1]]


def test_events_that_are_seen_once_are_accidents_if_most_are_seen_again():
    world = sliding_tiles(2000).spoiled(0.05)
    seen = observed(world)
    assert seen.counts[seen.steady].min() >= 2
    few = observed(sliding_tiles(20))
    assert few.steady.all()
