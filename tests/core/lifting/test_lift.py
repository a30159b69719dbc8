"""Lifting of worlds whose objects are known: schemas, types, relations, what was never seen, and honest refusals."""

import numpy as np
import pytest
from lifted_worlds import BitWorld, counters, lamps, sliding_tiles, towers

from cubespace.lifting.checks import explain
from cubespace.lifting.grounding import ground
from cubespace.lifting.lift import Lifting, lift
from cubespace.lifting.model import LiftedModel


def lifted(world: BitWorld) -> Lifting:
    return lift(world.before, world.after, world.groups)


def model_of(world: BitWorld) -> LiftedModel:
    found = lifted(world)
    assert found.model is not None, found.reasons
    return found.model


class TestThingsThatChangePlaces:
    def test_one_schema_with_types_and_a_static_relation(self):
        model = model_of(sliding_tiles(1500))
        (swap,) = model.schemas
        assert swap.name == "swap"
        assert [parameter.type for parameter in swap.parameters] == ["piece", "pivot", "place", "place"]
        assert [atom.predicate for atom in swap.given] == ["near"]
        assert len(model.objects_of("piece")) == 5
        assert len(model.objects_of("pivot")) == 1
        assert len(model.objects_of("place")) == 6
        assert len(model.facts) == 14  # both ways of the 7 borders between cells

    def test_moves_that_no_transition_showed(self):
        world = sliding_tiles(200)
        found = lifted(world)
        assert found.model is not None
        grounded = ground(found.model).model
        assert found.events < 70
        assert grounded.actions == 70  # 5 tiles, 14 borders
        assert explain(grounded, world.before, world.after).passed
        other = sliding_tiles(2000, seed=9)
        # the values of another sample are numbered in other orders, so its own model has to be as good
        assert ground(model_of(other)).model.actions == 70

    def test_wrong_pairs_are_told_as_accidents(self):
        found = lifted(sliding_tiles(2000).spoiled(0.04))
        assert found.model is not None
        assert ground(found.model).model.actions == 70
        assert any("accidents" in note for note in found.notes)


class TestSwitches:
    def test_buttons_and_what_they_turn_over(self):
        world = lamps(600, size=4)
        model = model_of(world)
        assert [schema.name for schema in model.schemas] == ["press"]
        assert len(model.objects_of("button")) == len(model.objects_of("place")) == 4
        assert len(model.facts) == 10
        grounded = ground(model).model
        assert grounded.actions == 4 + 8 + 8 + 4  # one for each combination of the lamps that are turned over
        assert explain(grounded, world.before, world.after).passed


class TestThingsThatAreMoved:
    def test_what_blocks_what_is_an_order(self):
        world = towers(2000, disks=4)
        model = model_of(world)
        (move,) = model.schemas
        assert move.name == "move"
        blocks = {fact.terms for fact in model.facts}
        assert blocks == {(f"o{one}", f"o{other}") for other in range(1, 5) for one in range(1, other)}
        grounded = ground(model).model
        assert grounded.actions == 4 * 6
        assert explain(grounded, world.before, world.after).passed

    def test_successors_are_the_true_ones(self):
        world = towers(2000, disks=3)
        grounded = ground(model_of(world)).model
        states = np.unique(world.before, axis=0)
        moves = {(b.tobytes(), a.tobytes()) for b, a in zip(world.before, world.after, strict=True)}
        row, action = np.nonzero(grounded.applicable(states))
        after = grounded.apply(states[row], action)
        assert {(states[r].tobytes(), a.tobytes()) for r, a in zip(row, after, strict=True)} == moves


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (counters(500), "not switches"),
        (BitWorld(np.eye(2, dtype=np.bool_), np.eye(2, dtype=np.bool_), (0, 0)), "no transition changes"),
    ],
)
def test_what_does_not_lift_says_why(world, words):
    found = lifted(world)
    assert found.model is None
    assert any(words in reason for reason in found.reasons)


def test_transitions_that_cannot_be_read_are_counted():
    world = sliding_tiles(1500)
    before = world.before.copy()
    before[:3] = False
    found = lift(before, world.after, world.groups)
    assert found.model is not None
    assert any(note.startswith("3 transitions") for note in found.notes)
