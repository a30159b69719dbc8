import pytest
import torch
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.consolidation import agree, differences, frequent_differences
from cubespace.errors import UsageError
from cubespace.inference import effects, encode, label, progress
from cubespace.recipe import ModelConfig, Recipe, TrainConfig
from cubespace.training_run import TrainingRun


def transitions(*rows: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Read ``"0110>0100"`` as logits: 1 for a true bit, -1 for a false one."""
    sides = zip(*(row.split(">") for row in rows), strict=True)
    before, after = (torch.tensor([[2.0 * int(bit) - 1.0 for bit in bits] for bits in side]) for side in sides)
    return before, after


def test_differences_are_grouped_and_sorted_by_number() -> None:
    before, after = (logits > 0 for logits in transitions("000>100", "001>101", "100>000", "011>111"))
    distinct, counts, member = differences(before, after)
    assert distinct.tolist() == [[-1, 0, 0], [1, 0, 0]]
    assert counts.tolist() == [1, 3]
    assert member.tolist() == [1, 1, 0, 1]
    add, delete = frequent_differences(before, after, 1)
    assert add.tolist() == [[True, False, False]]
    assert not delete.any()


def test_a_stray_transition_takes_the_nearest_frequent_difference() -> None:
    before, after = transitions("000>100", "001>101", "010>110", "001>100")  # the last loses its third bit as well
    before[3, 2] = 0.1  # of which it was unsure
    agreed = agree(before, after, frequent=3, flips=1)
    assert agreed[0][3].tolist() == [False, False, False]
    assert agreed[1][3].tolist() == [True, False, False]
    assert all((bits[:3] == (logits[:3] > 0)).all() for bits, logits in zip(agreed, (before, after), strict=True))


@pytest.mark.parametrize(("frequent", "flips"), [(3, 0), (9, 5)])
def test_nothing_changes_where_it_costs_too_much_or_nothing_is_frequent(frequent, flips) -> None:
    logits = transitions("000>100", "001>101", "010>110", "001>100")
    agreed = agree(*logits, frequent=frequent, flips=flips)
    assert all((bits == (side > 0)).all() for bits, side in zip(agreed, logits, strict=True))


@pytest.mark.parametrize("apply", ["btl", "btl:bn=off", "minmax", "smooth"])
def test_written_effects_reproduce_every_training_transition(tmp_path, apply) -> None:
    split = toggles(100)
    recipe = Recipe(model=tiny_recipe(apply).model, train=TrainConfig(epochs=2, decoder_epochs=1, batch=20))
    wide = Recipe(model=_with_actions(recipe.model, 100), train=recipe.train)  # room for every difference
    run = TrainingRun(tmp_path, split, toggles(20, 1), wide, execution=EVERY_EPOCH)
    rows = list(run)
    assert [row["phase"] for row in rows[2:]] == ["consolidate"] * 18 + ["decoder"]
    before, after = encode(run.model, split.before), encode(run.model, split.after)
    labels = label(run.model, before, after)
    assert (progress(run.model, before, labels) == after).all()
    add, delete = effects(run.model)
    assert (((before & ~delete[labels]) | add[labels]) == after).all()


def test_a_black_box_is_left_as_it_was_learned(tmp_path) -> None:
    run = TrainingRun(tmp_path, toggles(40), toggles(20, 1), tiny_recipe("blackbox"), execution=EVERY_EPOCH)
    assert list(run)[-1]["phase"] == "decoder"


def test_a_head_that_is_too_narrow_is_refused_at_once() -> None:
    model = ModelConfig(bits=50, action_width=20)
    with pytest.raises(UsageError, match=r"model\.action_width"):
        Recipe(model=model)
    Recipe(model=model, train=TrainConfig(rewrite=False))


def _with_actions(model: ModelConfig, actions: int) -> ModelConfig:
    import attrs

    return attrs.evolve(model, actions=actions)
