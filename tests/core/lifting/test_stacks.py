"""Worlds in which what matters is elsewhere: on top of what moves, or below where it goes."""

import numpy as np
import pytest
from lifted_worlds import BitWorld, sliding_tiles, stacks, towers

from cubespace.lifting.checks import explain
from cubespace.lifting.grounding import ground
from cubespace.lifting.lift import lift
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pddl import write_lifted_domain
from cubespace.symbols.strips import StripsModel


def model_of(world: BitWorld) -> LiftedModel:
    found = lift(world.before, world.after, world.groups)
    assert found.model is not None, found.reasons
    return found.model


def steps(model: StripsModel, states: np.ndarray) -> int:
    row, action = np.nonzero(model.applicable(states))
    reached = np.concatenate([row[:, None], model.apply(states[row], action)], axis=1)
    return len(np.unique(reached, axis=0))


@pytest.fixture(scope="module")
def world() -> BitWorld:
    return stacks(3000)


def test_one_static_relation_says_what_is_on_what(world: BitWorld) -> None:
    model = model_of(world)
    (swap,) = model.schemas
    clear, supported = swap.forbidden
    assert [atom.predicate for atom in (*clear.given, *supported.given)] == ["on", "on"]
    assert clear.present
    assert not clear.absent
    assert supported.absent
    assert not supported.present
    assert sum(fact.predicate == "on" for fact in model.facts) == 6  # two of the three cells of each column
    assert len(model.objects_of("piece")) == 3
    assert "(imply (on ?p0 ?p) (at ?y ?p0))" in write_lifted_domain(model)


def test_it_allows_exactly_the_moves_of_all_states(world: BitWorld) -> None:
    model = ground(model_of(world)).model
    assert model.actions == 108
    assert explain(model, world.before, world.after).passed
    seen = np.concatenate([world.before, world.after], axis=1)
    states = np.unique(world.before, axis=0)
    assert len(states) == 60
    assert steps(model, states) == len(np.unique(seen, axis=0))  # each of the 216 moves was seen


def test_few_transitions_and_wrong_pairs_are_enough() -> None:
    world = stacks(700, seed=1).spoiled(0.02)
    assert ground(model_of(world)).model.actions == 108


@pytest.mark.parametrize("world", [sliding_tiles(1500), towers(1500)], ids=["tiles", "towers"])
def test_nothing_elsewhere_matters_where_nothing_stacks(world: BitWorld) -> None:
    predicates = {predicate.name for predicate in model_of(world).predicates}
    assert not predicates & {"on", "covers", "carries"}
