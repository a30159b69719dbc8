import math

import attrs
import numpy as np
import pytest
import torch
from toggles import tiny_recipe
from trainers import bayes_recipe, trainer

from cubespace.autoencoder.devices import default_threads, pick_device
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.autoencoder.training import Row, Trainer
from cubespace.base.errors import CubeError, UsageError
from cubespace.settings.recipe import LossConfig, StoppingConfig

OURS = ("consolidate", "rewrite", "decoder")
TWO_STAGES = ("states", "actions", "decoder")


def weights(model: SpaceAutoEncoder) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> set[str]:
    return {name for name in one if torch.equal(one[name], other[name])}


def without_time(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def test_the_same_seed_gives_the_same_training_whatever_else_draws_numbers() -> None:
    first, second = trainer(tiny_recipe()), trainer(tiny_recipe())
    rows = list(first.rows())
    again = []
    for row in second.rows():
        torch.rand(1000)  # the caller's own use of the global generator
        np.random.default_rng().random()
        again.append(row)
    assert without_time(rows) == without_time(again)
    assert len(equal(weights(first.model), weights(second.model))) == len(weights(first.model))


def test_the_callers_random_numbers_are_left_alone() -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    state = torch.get_rng_state()
    run = trainer(tiny_recipe(), seed=7)
    torch.set_rng_state(state)
    list(run.rows())
    assert (torch.rand(3) == expected).all()


def test_another_seed_gives_another_training() -> None:
    one, other = (next(trainer(tiny_recipe(seed=seed)).rows()) for seed in (0, 1))
    assert one["total"] != other["total"]


def test_one_row_per_epoch_names_phase_losses_and_measures() -> None:
    rows = list(trainer(tiny_recipe()).rows())
    names = [row["phase"] for row in rows]
    assert names[:4] == ["joint"] * 3 + ["consolidate"]
    assert names[-2:] == ["consolidate", "decoder"]
    assert [row["epoch"] for row in rows] == list(range(1, len(rows) + 1))
    assert {"before", "after", "successor", "direct", "zero_suppress", "total"} <= set(rows[0])
    assert {"validation_reconstruction", "validation_successor", "validation_direct"} <= set(rows[-1])


def test_training_learns() -> None:
    run = trainer(tiny_recipe(epochs=40, losses=LossConfig(zero_suppress=0.01)), count=400)
    rows = list(run.rows())
    assert rows[39]["total"] < 0.65 * rows[0]["total"]
    assert rows[-1]["validation_reconstruction"] < 0.7 * rows[0]["validation_reconstruction"]
    assert run.finished
    assert not run.model.training


def parts_that_change(run: Trainer, epochs: int) -> set[str]:
    before = weights(run.model)
    rows = run.rows()
    for _ in range(epochs):
        next(rows)
    after = weights(run.model)
    return {name.split(".")[0] for name in before if not torch.equal(before[name], after[name])}


def test_each_phase_trains_its_own_parts_only() -> None:
    joint = trainer(tiny_recipe())
    assert parts_that_change(joint, 3) == {"encoder", "decoder", "action", "apply_module"}
    assert parts_that_change(joint, 1) == {"encoder"}
    while joint.phase.name == "consolidate":
        changed = parts_that_change(joint, 1)
    assert changed == {"encoder", "action", "apply_module"}  # the end of the phase writes the effects
    assert parts_that_change(joint, 1) == {"decoder"}
    staged = trainer(tiny_recipe(extensions=TWO_STAGES))
    assert parts_that_change(staged, 3) == {"encoder", "decoder"}
    assert staged.phase.name == "actions"
    assert parts_that_change(staged, 2) == {"action", "apply_module"}
    assert staged.phase.name == "decoder"
    assert parts_that_change(staged, 1) == {"decoder"}
    assert staged.finished


@pytest.mark.parametrize("apply", ["btl", "minmax", "smooth", "blackbox"])
def test_every_apply_module_trains(apply) -> None:
    changed = parts_that_change(trainer(tiny_recipe(apply)), 1)
    assert changed == {"encoder", "decoder", "action", "apply_module"}


def test_a_joint_training_without_successor_pictures_still_runs() -> None:
    row = next(trainer(tiny_recipe(losses=LossConfig(successor=0.0, direct_from=0.0))).rows())
    assert "successor" not in row
    assert math.isfinite(row["total"])


@pytest.mark.parametrize("extensions", [OURS, TWO_STAGES], ids=["joint", "two stages"])
def test_the_state_between_epochs_continues_bit_by_bit(extensions) -> None:
    whole = trainer(tiny_recipe(extensions=extensions))
    length = len(list(whole.rows()))
    for done in range(1, length + 1):
        source = trainer(tiny_recipe(extensions=extensions))
        rows = source.rows()
        for _ in range(done):
            next(rows)
        continued = trainer(tiny_recipe(extensions=extensions), seed=99)  # other initial weights
        continued.restore(source.state())
        assert [row["epoch"] for row in continued.rows()] == list(range(done + 1, length + 1))
        assert equal(weights(continued.model), weights(whole.model)) == set(weights(whole.model))
        assert (continued.updates, continued.as_trained) == (whole.updates, whole.as_trained)


def test_our_recipe_continues_bit_by_bit_with_the_bits_it_holds_and_the_labels_it_has_given_anew() -> None:
    whole = trainer(bayes_recipe())
    length = len(list(whole.rows()))
    assert whole.model.encoder.held_bits().any()
    for done in range(1, length + 1, 2):
        source = trainer(bayes_recipe())
        rows = source.rows()
        for _ in range(done):
            next(rows)
        torch.rand(done)  # the caller's own use of the global generator
        continued = trainer(bayes_recipe(), seed=99)  # other initial weights
        continued.restore(source.state())
        assert len(continued.optimizer.param_groups) == 2
        assert [row["epoch"] for row in continued.rows()] == list(range(done + 1, length + 1))
        assert equal(weights(continued.model), weights(whole.model)) == set(weights(whole.model))


@pytest.mark.parametrize("apply", ["btl", "btl:norm=batch", "minmax", "smooth"])
def test_our_recipe_trains_every_module_that_has_effects(apply) -> None:
    assert parts_that_change(trainer(bayes_recipe(apply)), 10) == {"encoder", "decoder", "action", "apply_module"}


def test_a_bit_that_is_held_stays_constant_through_further_training() -> None:
    run = trainer(bayes_recipe())
    rows = run.rows()
    next(rows)
    run.model.encoder.hold_bit(3, True)
    list(rows)
    with evaluating(run.model):
        bits = run.model.encoder(run.images.flatten(0, 1).float() / 255.0) > 0
    assert run.model.encoder.held_bits()[3]
    assert bits[:, 3].all()


@pytest.mark.parametrize("apply", ["btl", "btl:norm=batch", "minmax", "smooth"])
def test_losses_of_our_recipe_are_nailed_to_no_device(apply) -> None:
    recipe = bayes_recipe(apply)
    run = trainer(recipe)
    phase = type(run.phase)(run.model.to("meta"), run.images.to("meta"), recipe.train, run.objective)
    losses = phase.losses(torch.arange(20, device="meta"), phase.moment(0.9))
    assert {term.device.type for term in losses.values()} == {"meta"}


def test_in_half_precision_labels_are_inferred_in_float32() -> None:
    rows = list(trainer(bayes_recipe(precision="bf16")).rows())
    assert all(math.isfinite(row["total"]) for row in rows)


def test_patience_ends_a_phase_early_but_never_before_it_has_settled(monkeypatch) -> None:
    constant = dict.fromkeys(("reconstruction", "successor", "direct", "exact"), 0.5)
    monkeypatch.setattr("cubespace.autoencoder.training.table_1", lambda *_: constant)
    run = trainer(tiny_recipe(epochs=20, patience=2, extensions=()))
    totals = [run.epochs for _ in run.rows()]
    assert len(totals) == 18  # the temperature is held from epoch 16 on, two more bring no gain
    assert run.finished
    assert (totals[0], totals[-1]) == (20, 18)  # so that a bar ends full


def test_fixed_batches_are_the_same_in_every_epoch_and_resume(monkeypatch) -> None:
    seen: list[list[int]] = []
    step = Trainer._step
    monkeypatch.setattr(Trainer, "_step", lambda self, rows, p: seen.append(rows.tolist()) or step(self, rows, p))
    recipe = tiny_recipe(extensions=())
    fixed = attrs.evolve(recipe, train=attrs.evolve(recipe.train, batches="fixed", batch=30, epochs=2))
    list(trainer(fixed).rows())
    assert len(seen) == 8
    assert seen[:4] == seen[4:]
    assert sorted(row for rows in seen[:4] for row in rows) == list(range(100))  # the last ten too


def test_the_joint_training_ends_early_by_the_authors_rules() -> None:
    recipe = tiny_recipe(extensions=())
    stopping = StoppingConfig(window=2, rest=0.0, change=10.0)
    losses = attrs.evolve(recipe.train.losses, direct_from=0.5, zero_suppress_from=0.0)
    config = attrs.evolve(recipe.train, stopping=stopping, losses=losses, epochs=8)
    run = trainer(attrs.evolve(recipe, train=config))
    assert len(list(run.rows())) == 5
    assert run.finished


@pytest.mark.parametrize("extensions", [("states", "actions"), ()], ids=str)
def test_the_variational_loss_is_part_of_every_stage(extensions) -> None:
    recipe = tiny_recipe(extensions=extensions)
    losses = attrs.evolve(recipe.train.losses, variational=0.1)
    rows = list(trainer(attrs.evolve(recipe, train=attrs.evolve(recipe.train, losses=losses))).rows())
    assert all(row["variational"] >= 0 for row in rows)
    assert {row["phase"] for row in rows} == {*extensions} or not extensions


def test_divergence_is_said() -> None:
    with attrs.validators.disabled():  # settings allow no rate that is sure to diverge
        recipe = tiny_recipe(learning_rate=1e30, epochs=20)
    with pytest.raises(CubeError, match=r"diverged.*learning_rate"):
        list(trainer(recipe).rows())


def test_fewer_transitions_than_a_batch_are_one_batch() -> None:
    run = trainer(tiny_recipe(batch=64), count=10)
    list(run.rows())
    assert run.finished


def test_half_precision_trains_too() -> None:
    row = next(trainer(tiny_recipe(precision="bf16")).rows())
    assert math.isfinite(row["total"])


def test_devices_are_found_by_name() -> None:
    assert pick_device("cpu").type == "cpu"
    assert pick_device("auto").type in {"cuda", "mps", "cpu"}
    assert default_threads() == 1
    with pytest.raises(UsageError, match="is no device"):
        pick_device("gpu")
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="not available"):
            pick_device("cuda")


def test_updates_are_counted_over_all_phases() -> None:
    run = trainer(tiny_recipe(extensions=TWO_STAGES))  # 100 transitions in batches of 20: five updates an epoch
    rows = list(run.rows())
    assert run.updates == 5 * len(rows) == 5 * (3 + 2 + 1)


def test_the_network_is_measured_as_it_was_trained_before_anything_is_rewritten() -> None:
    run = trainer(tiny_recipe(extensions=OURS))
    joint = [row for row in run.rows() if row["phase"] == "joint"]
    assert run.as_trained["validation"]["direct"] == joint[-1]["validation_direct"]
    assert run.as_trained["validation"]["reconstruction"] == joint[-1]["validation_reconstruction"]


def test_measuring_before_rewriting_changes_nothing() -> None:
    measured, silent = trainer(tiny_recipe(extensions=OURS)), trainer(tiny_recipe(extensions=OURS))
    silent.before_rewriting = dict
    assert without_time(list(measured.rows())) == without_time(list(silent.rows()))
    assert equal(weights(measured.model), weights(silent.model)) == set(weights(silent.model))
    assert (bool(measured.as_trained), bool(silent.as_trained)) == (True, False)


def test_without_rewriting_nothing_is_measured_apart() -> None:
    run = trainer(tiny_recipe(extensions=("decoder",)))
    list(run.rows())
    assert run.as_trained == {}
