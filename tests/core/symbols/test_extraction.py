"""From bits to a STRIPS model."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest
from planning_tasks import eight_puzzle, lights_out, model_of, scattered, sliding

from cubespace.base.arrays import Bits, Indices
from cubespace.base.errors import InputError, UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.planner import Limits, Outcome
from cubespace.search.planner_process import run_planner
from cubespace.symbols.effects import find_effects
from cubespace.symbols.extraction import ExtractionReport, dominated, extract
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.pddl import write_domain
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions
from cubespace.symbols.strips import StripsModel, Task


def transitions(model: StripsModel, start: Bits, count: int) -> tuple[Bits, Bits, Indices]:
    """Return a random walk as transitions, and the action of each."""
    rng = np.random.default_rng(0)
    states, actions = [start], []
    for _ in range(count):
        moves = np.flatnonzero(model.applicable(states[-1][None])[0])
        actions.append(int(rng.choice(moves)))
        states.append(model.apply(states[-1][None], np.array(actions[-1:]))[0])
    return np.array(states[:-1]), np.array(states[1:]), np.array(actions)


def extracted(
    before: Bits, after: Bits, rule: str | PreconditionLearner = "static", **more: Any
) -> tuple[StripsModel, ExtractionReport]:
    """Extract with a network whose pictures are its bits."""
    learner = load_plugins().create("precondition", rule) if isinstance(rule, str) else rule
    return extract(
        before,
        after,
        learner,
        draw=lambda states: states[:, None].astype(np.uint8) * 255,
        look=lambda pictures: pictures[:, 0] > 127,
        **more,
    )


@pytest.fixture(scope="module")
def lamps() -> tuple[Bits, Bits, Indices]:
    return transitions(lights_out(2), np.zeros(4, dtype=np.bool_), 2000)


def test_differences_of_all_transitions_are_the_true_effects(lamps: tuple[Bits, Bits, Indices]) -> None:
    model, report = extracted(lamps[0], lamps[1])
    true = lights_out(2)
    effects = {(a.tobytes(), d.tobytes()) for a, d in zip(true.add, true.delete, strict=True)}
    assert {(a.tobytes(), d.tobytes()) for a, d in zip(model.add, model.delete, strict=True)} == effects
    assert report.differences == report.actions == len(effects) == 32
    assert report.covered == 1
    assert report.labels is None
    assert model.support.sum() == report.transitions == 2000
    assert (np.diff(model.support) <= 0).all()


def test_names_tell_where_an_action_comes_from(lamps: tuple[Bits, Bits, Indices]) -> None:
    before, after, actions = lamps
    model, report = extracted(before, after, labels=actions + 100)
    assert model.names[0] == f"a{_label(model, lights_out(2), 0) + 100}-d0-n{model.support[0]}"
    assert report.labels == 32
    assert extracted(before, after)[0].names[0] == f"d0-n{model.support[0]}"
    assert f"(:action {model.names[0]}" in write_domain(model)


def _label(model: StripsModel, true: StripsModel, row: int) -> int:
    same = (true.add == model.add[row]).all(1) & (true.delete == model.delete[row]).all(1)
    return int(np.flatnonzero(same)[0])


def test_the_extracted_puzzle_can_be_planned_with() -> None:
    true = eight_puzzle()
    before, after, _ = transitions(sliding(3), true.goal, 6000)
    model, report = extracted(before, after, "significant")
    assert report.covered == 1
    planner = load_plugins().create("planner", "fd-lmcut")
    result = run_planner(planner, Task(model, true.init, true.goal), Limits(seconds=300))
    assert result.outcome is Outcome.SOLVED
    assert result.cost == 9


def test_mutexes_hold_in_all_training_states(lamps: tuple[Bits, Bits, Indices]) -> None:
    model, _ = extracted(lamps[0], lamps[1])
    np.testing.assert_array_equal(model.mutexes, find_mutexes(model, np.concatenate(lamps[:2])))


def test_transitions_without_a_change_are_no_action() -> None:
    states = np.array([[True, False], [False, True], [True, False]])
    after = np.array([[True, False], [True, False], [False, True]])
    model, report = extracted(states, after)
    assert report.idle == 1
    assert model.actions == 2
    assert (model.add | model.delete).any(1).all()


def test_rare_effects_are_left_out(lamps: tuple[Bits, Bits, Indices]) -> None:
    everything, _ = extracted(lamps[0], lamps[1])
    least = int(np.median(everything.support))
    model, report = extracted(lamps[0], lamps[1], min_support=least)
    assert (model.support >= least).all()
    assert report.rare == 32 - report.actions > 0
    assert report.covered < 1


def test_a_collapsed_network_is_named() -> None:
    state = np.ones((5, 3), dtype=np.bool_)
    with pytest.raises(InputError, match="collapsed"):
        extracted(state, state)


def test_too_much_support_is_the_users_mistake(lamps: tuple[Bits, Bits, Indices]) -> None:
    with pytest.raises(UsageError, match="min_support"):
        extracted(lamps[0], lamps[1], min_support=1999)


def test_observed_effects_are_the_papers() -> None:
    before = np.array([[False, False, True], [True, False, True], [False, True, False]])
    after = np.array([[True, False, False], [True, False, False], [True, True, False]])
    effects = find_effects("observed", before, after, np.array([7, 7, 7]))
    np.testing.assert_array_equal(effects.add, [[True, False, False]])
    np.testing.assert_array_equal(effects.delete, [[False, False, True]])
    np.testing.assert_array_equal(effects.action, [0, 0, 0])


def test_where_a_label_goes_both_ways_the_majority_decides() -> None:
    before = np.array([[False], [False], [True]])
    effects = find_effects("observed", before, ~before, np.zeros(3, dtype=np.intp))
    assert effects.add.all()
    assert not effects.delete.any()


def test_network_effects_of_equal_labels_are_one_action() -> None:
    before = np.array([[False, False], [False, True], [False, False], [True, True]])
    after = np.array([[True, False], [True, True], [True, False], [True, True]])
    add = np.array([[True, False], [True, False], [False, False]])
    masks = add, np.zeros_like(add)
    labels = np.array([1, 0, 1, 2])
    model, report = extracted(before, after, effects="network", labels=labels, network=masks)
    assert model.actions == 1
    assert model.support.tolist() == [3]
    assert model.names == ("a1-d0-n3",)  # the label of most of its examples
    assert report.labels == 3


def test_predicted_effects_are_those_of_each_label_by_the_successors_of_the_network() -> None:
    before = np.array([[False, False], [False, True], [False, False], [True, True]])
    after = np.array([[False, True], [True, True], [True, False], [True, True]])  # the first is not as predicted
    predicted = np.array([[True, False], [True, True], [True, False], [True, True]])
    labels = np.array([1, 1, 0, 2])
    model, report = extracted(before, after, effects="predicted", labels=labels, predicted=predicted)
    effects = find_effects("predicted", before, predicted, labels)
    assert effects.label.tolist() == [1, 0]  # equal effects stay apart, and label 2 changes nothing
    np.testing.assert_array_equal(effects.add, [[True, False]] * 2)
    np.testing.assert_array_equal(effects.action, [0, 0, 1, -1])
    assert model.names == ("a1-d0-n2",)  # label 0 applies in fewer states and does the same there
    assert report.accidents == 0
    assert report.covered == pytest.approx(0.5)  # of what was seen


@pytest.mark.parametrize("kind", ["differences", "network", "observed", "predicted"])
def test_every_kind_of_effect_plans(kind: str, lamps: tuple[Bits, Bits, Indices]) -> None:
    before, after, actions = lamps
    true = lights_out(2)
    model, _ = extracted(before, after, effects=kind, labels=actions, network=(true.add, true.delete))
    task = Task(model, before[0], after[3])
    assert (
        run_planner(load_plugins().create("planner", "fd-blind"), task, Limits(seconds=200)).outcome is Outcome.SOLVED
    )


@attrs.frozen
class Halves(PreconditionLearner):
    """Gives every action two conjunctions, by the last bit; the first action none if told so."""

    skip: bool = False

    def learn(self, evidence: Evidence) -> Preconditions:
        rows = np.repeat(np.arange(self.skip, len(evidence.add)), 2)
        positive = np.zeros((len(rows), evidence.add.shape[1]), dtype=np.bool_)
        negative = positive.copy()
        positive[::2, -1] = negative[1::2, -1] = True
        return Preconditions(action=rows, positive=positive, negative=negative)


def test_conjunctions_become_actions() -> None:
    before = np.array([[False, False, True], [True, False, False], [False, True, False]])
    after = np.array([[True, False, True], [False, False, False], [False, False, False]])
    model, report = extracted(before, after, Halves())
    assert report.actions == model.actions == 6
    assert [name.split("-")[-1] for name in model.names] == ["n1", "p1"] * 3
    assert report.accidents == 0
    fewer, report = extracted(before, after, Halves(True))
    assert fewer.actions == 4
    assert report.accidents == 1


def test_a_model_without_actions_is_named() -> None:
    before = np.array([[False, False]])
    with pytest.raises(InputError, match="Train it longer"):
        extracted(before, ~before, Halves(True))


def test_dominated_actions_are_left_out() -> None:
    true, false = np.array([[1, 0, 0]] * 4, dtype=np.bool_), np.zeros((4, 3), dtype=np.bool_)
    positive = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 1], [0, 0, 0]], dtype=np.bool_)
    model = model_of(true, false, positive, false)
    np.testing.assert_array_equal(dominated(model), [True, False, True, True])  # the second does it, and first
    dear = attrs.evolve(model, cost=[1, 5, 1, 5])
    np.testing.assert_array_equal(dominated(dear), [False, False, True, True])


def test_an_effect_that_the_precondition_makes_needless_does_not_count() -> None:
    """Adding a bit that is needed true is no effect: the action does what the one without it does."""
    add = np.array([[1, 1], [1, 0]], dtype=np.bool_)
    positive = np.array([[0, 1], [0, 1]], dtype=np.bool_)
    nothing = np.zeros((2, 2), dtype=np.bool_)
    np.testing.assert_array_equal(dominated(model_of(add, nothing, positive, nothing)), [False, True])
    np.testing.assert_array_equal(dominated(model_of(add, nothing, nothing, nothing)), [False, False])


@pytest.mark.parametrize("seed", range(30))
def test_leaving_dominated_actions_out_loses_no_step(seed: int) -> None:
    model = scattered(seed).model
    kept = np.flatnonzero(~dominated(model))
    states = np.random.default_rng(seed).random((200, model.bits)) < 0.5
    rows, actions = np.nonzero(model.applicable(states))
    ours = model.applicable(states)[:, kept]
    for row, action, successor in zip(rows, actions, model.apply(states[rows], actions), strict=True):
        choice = kept[ours[row]]
        reached = model.apply(np.repeat(states[row : row + 1], len(choice), 0), choice)
        assert ((reached == successor).all(1) & (model.cost[choice] <= model.cost[action])).any()
