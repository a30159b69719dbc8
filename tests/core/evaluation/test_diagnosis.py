"""The diagnosis against models whose faults are known: LightsOut 2x2 with one bit per lamp, read off the picture."""

import attrs
import numpy as np
import pytest

from cubespace.data.domain import Simulator
from cubespace.evaluation.diagnosis import Encode, diagnose, explain
from cubespace.evaluation.distances import frontier, shortest_moves
from cubespace.plugins.catalogue import load_plugins
from cubespace.symbols.strips import StripsModel

LAMPS = 4


@pytest.fixture
def domain() -> Simulator:
    return load_plugins().create("domain", "lightsout:size=2")


@pytest.fixture
def encode(domain) -> Encode:
    """A perfect encoder in the place of a trained one."""
    return lambda images: domain.read(images)[0].astype(bool)


@pytest.fixture
def model(domain) -> StripsModel:
    """Every press in every state, as a STRIPS action whose preconditions are what its effect asks for."""
    states = np.stack(np.meshgrid(*[[0, 1]] * LAMPS), -1).reshape(-1, LAMPS).astype(np.uint8)
    children, parents = domain.successors(states)
    change = np.unique(children.astype(np.int8) - states[parents].astype(np.int8), axis=0)
    add, delete = change > 0, change < 0
    return StripsModel(
        names=[f"a{row}" for row in range(len(change))],
        add=add,
        delete=delete,
        positive=delete,
        negative=add,
        support=np.ones(len(change), dtype=np.intp),
        cost=np.ones(len(change), dtype=np.intp),
    )


def without(model: StripsModel, row: int) -> StripsModel:
    rows = np.arange(model.actions) != row
    masks = {name: getattr(model, name)[rows] for name in ("add", "delete", "positive", "negative", "support", "cost")}
    return attrs.evolve(model, names=[model.names[index] for index in np.flatnonzero(rows)], **masks)


def test_a_perfect_model_has_all_moves_and_no_others(domain, encode, model) -> None:
    result = diagnose(domain, encode, model, 200)
    assert (result.recall, result.wrong, result.aliases) == (1.0, 0.0, 0)
    assert result.branching == LAMPS


def test_a_missing_effect_is_found(domain, encode, model) -> None:
    result = diagnose(domain, encode, without(model, 3), 400)
    assert 0 < result.no_effect < 0.1
    assert result.recall == pytest.approx(1 - result.no_effect)
    assert (result.blocked, result.unstable, result.wrong) == (0, 0, 0)


def test_a_precondition_too_many_blocks(domain, encode, model) -> None:
    untouched = int(np.flatnonzero(~(model.add[0] | model.delete[0]))[0])
    positive = model.positive.copy()
    positive[0, untouched] = True
    result = diagnose(domain, encode, attrs.evolve(model, positive=positive), 400)
    assert result.blocked > 0
    assert result.no_effect == 0


def test_a_precondition_too_few_makes_wrong_successors(domain, encode, model) -> None:
    positive, negative = model.positive.copy(), model.negative.copy()
    positive[0], negative[0] = False, False
    result = diagnose(domain, encode, attrs.evolve(model, positive=positive, negative=negative), 400)
    assert result.recall == 1
    assert result.wrong > 0


def test_why_there_is_no_shortest_way_is_said_with_the_step(domain, encode, model) -> None:
    init = frontier(domain, domain.goal(), 3)[:1]
    assert explain(domain, encode, model, init, domain.goal(), 3) == "the model has a shortest path"
    bare = without(model, 0)
    while bare.actions > 1:
        bare = without(bare, 0)
    told = explain(domain, encode, bare, init, domain.goal(), 3)
    assert told.startswith("step ")
    assert "no such effect" in told


def test_all_shortest_ways_are_walked(domain) -> None:
    init = frontier(domain, domain.goal(), 3)[:1]
    steps = list(shortest_moves(domain, init, domain.goal(), 3))
    assert [len(sources) for sources, _ in steps] == [3, 6, 3]  # three presses, in any order
    assert (steps[-1][1] == domain.goal()).all()
