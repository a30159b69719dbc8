"""The model and its file."""

from pathlib import Path

import attrs
import numpy as np
import pytest
from planning_tasks import eight_puzzle, lights_out, sliding, walk

from cubespace.base.errors import InputError
from cubespace.symbols.strips import StripsModel, Task, load_strips, save_strips


def test_batches_agree_with_single_steps() -> None:
    model = sliding(3)
    task = eight_puzzle()
    states = np.stack([walk(model, task.goal, steps) for steps in range(8)])
    applicable = model.applicable(states)
    for state, row in zip(states, applicable, strict=True):
        for action in range(model.actions):
            assert (model.execute(state, [action]) is not None) == row[action]
    rows, actions = np.nonzero(applicable)
    for row, action, successor in zip(rows, actions, model.apply(states[rows], actions), strict=True):
        trace = model.execute(states[row], [action])
        assert trace is not None
        np.testing.assert_array_equal(trace[-1], successor)


def test_the_gap_has_as_many_moves_as_neighbours() -> None:
    model = sliding(3)
    assert model.applicable(eight_puzzle(0).goal[None]).sum() == 2  # the gap is in a corner


def test_a_goal_cares_for_what_it_cares() -> None:
    model = lights_out(2)
    init, goal = np.array([False, True, False, False]), np.array([False, False, True, True])
    assert not Task(model, init, goal).solved_by([])
    assert Task(model, init, goal, np.array([True, False, False, False])).solved_by([])


def test_a_plan_that_does_not_apply_solves_nothing() -> None:
    task = eight_puzzle()
    blocked = int(np.flatnonzero(~task.model.applicable(task.init[None])[0])[0])
    assert task.model.execute(task.init, [blocked]) is None
    assert not task.solved_by([blocked])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"names": ["a", "a"]}, "unique"),
        ({"names": ["a"]}, "unique"),
        ({"names": ["a", "Move"]}, "Move"),
        ({"names": ["a", "9"]}, "PDDL"),
        ({"delete": [[True, False], [False, False]]}, "adds and deletes"),
        ({"negative": [[True, False], [False, False]]}, "requires and forbids"),
        ({"positive": [[True]]}, "shapes"),
        ({"cost": [1]}, "one number"),
        ({"cost": [1, -1]}, "not negative"),
        ({"mutexes": np.zeros((2, 2), dtype=np.bool_)}, "mutexes"),
    ],
)
def test_contradictions_are_refused(change: dict[str, object], complaint: str) -> None:
    mask, nothing = [[True, False], [False, False]], [[False, False], [False, False]]
    model = StripsModel(
        names=["a", "b"], add=mask, delete=nothing, positive=mask, negative=nothing, support=[1, 1], cost=[1, 1]
    )
    with pytest.raises(ValueError, match=complaint):
        attrs.evolve(model, **change)


def test_states_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="4 bits"):
        Task(lights_out(2), np.zeros(3), np.zeros(4))


@pytest.mark.parametrize("mutexes", [None, np.tri(8, dtype=np.bool_)])
def test_a_saved_model_comes_back(tmp_path: Path, mutexes: np.ndarray | None) -> None:
    model = attrs.evolve(lights_out(2), mutexes=mutexes)
    save_strips(tmp_path / "strips.npz", model)
    again = load_strips(tmp_path / "strips.npz")
    assert again.names == model.names
    for name in ("add", "delete", "positive", "negative", "support", "cost"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert (again.mutexes is None) == (mutexes is None)
    if mutexes is not None:
        np.testing.assert_array_equal(again.mutexes, mutexes)
    assert [path.name for path in tmp_path.iterdir()] == ["strips.npz"]


def test_the_same_model_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one.npz", "two.npz"):
        save_strips(tmp_path / name, lights_out(2))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


@pytest.mark.parametrize("damage", ["absent", "cut", "text", "other"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "strips.npz"
    save_strips(path, lights_out(2))
    content = bytearray(path.read_bytes())
    if damage == "absent":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "text":
        path.write_text("no model")
    else:
        np.savez(path, x=np.arange(3))
    with pytest.raises(InputError, match=r"strips\.npz"):
        load_strips(path)


def test_a_flipped_byte_is_named_or_harmless(tmp_path: Path) -> None:
    path, model = tmp_path / "strips.npz", lights_out(2)
    save_strips(path, model)
    content = path.read_bytes()
    named = 0
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            again = load_strips(path)
        except InputError:
            named += 1
        else:
            np.testing.assert_array_equal(again.add, model.add)
            assert again.names == model.names
    assert named
