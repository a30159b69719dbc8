"""A model that allows too much is refuted by what pairs never showed, a right one is not."""

import attrs
import numpy as np
import pytest
from lifted_worlds import BitWorld, sliding_tiles, stacks

from cubespace.lifting.checks import Checks, Explained, LearnedCheck
from cubespace.lifting.grounding import ground
from cubespace.lifting.lift import lift
from cubespace.lifting.refutation import Refutation, Transitions, refute
from cubespace.symbols.strips import StripsModel


def right_model(world: BitWorld) -> StripsModel:
    found = lift(world.before, world.after, world.groups)
    assert found.model is not None
    return ground(found.model).model


def careless(model: StripsModel) -> StripsModel:
    """The same effects, wherever the old values hold."""
    return attrs.evolve(model, positive=model.delete, negative=model.add & ~model.add)


def without(model: StripsModel, number: int) -> StripsModel:
    return model.select(np.arange(model.actions) >= number)


def against(model: StripsModel, other: StripsModel, world: BitWorld, held_out: int = 200) -> Refutation:
    training = Transitions(world.before[held_out:], world.after[held_out:])
    fresh = Transitions(world.before[:held_out], world.after[:held_out])
    return refute(model, other, training, fresh, level=1e-3, accident_rate=0.02)


@pytest.fixture(scope="module")
def world() -> BitWorld:
    return stacks(3000)


def test_floating_blocks_are_refuted(world: BitWorld) -> None:
    model = right_model(world)
    found = against(careless(model), model, world)
    assert not found.stands
    assert found.number > 20
    assert found.missing_held_out
    assert "should have been seen and never were" in found.words
    assert against(model, careless(model), world).stands


def test_held_out_pairs_refute_what_no_action_shows_alone(world: BitWorld) -> None:
    model = right_model(world)
    few = BitWorld(world.before[:600], world.after[:600], world.groups)
    found = against(careless(model), model, few, held_out=300)
    assert found.missing_held_out
    assert found.held_out == 0


def test_actions_that_the_other_model_lacks_are_no_fault_if_chance_explains_them() -> None:
    world = sliding_tiles(400)
    model = right_model(world)
    shown = model.reproduce(world.before[100:], world.after[100:])
    seen = np.isin(np.arange(model.actions), shown)
    assert not seen.all()
    found = against(model, model.select(seen), world, held_out=100)
    assert found.stands
    assert found.words == ""


def test_failures_name_the_check() -> None:
    model = right_model(world := stacks(1000))
    right, wrong = against(model, careless(model), world), against(careless(model), model, world)
    all_of, most_of = (Explained(transitions=9, explained=number, missed=()) for number in (9, 8))
    none: dict[str, int] = {}
    learned = LearnedCheck(
        states=1, same=1, only_lifted=none, only_learned=none, missing=0, added=0, training=all_of, held_out=all_of
    )
    passing = Checks(training=all_of, held_out=all_of, learned=learned, refutation=right, passed=True)
    assert passing.failures == ()
    failing = attrs.evolve(passing, held_out=most_of, refutation=wrong, passed=False)
    first, second = failing.failures
    assert first == "it explains 8 of 9 held-out transitions, the learned model 9"
    assert second.startswith("it is too general: ")
