"""The action discriminator: learned from observed transitions alone, calibrated, and used to judge a latent graph."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
import torch
from builders import build_model, load_model, train_run, training_run
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.extensions.discriminator import ActionDiscriminator
from cubespace.autoencoder.extensions.latent_graph import LatentGraph
from cubespace.autoencoder.inference import encode, label, successors
from cubespace.autoencoder.network_metrics import measure
from cubespace.base.errors import UsageError
from cubespace.settings.recipe import Recipe


def ama2(apply: str = "blackbox", **train: object) -> Recipe:
    recipe = tiny_recipe(apply, architecture="two-stage", **train)
    return attrs.evolve(recipe, model=attrs.evolve(recipe.model, discriminator_width=32))


def fit(discriminator: ActionDiscriminator, positive: torch.Tensor, unlabelled: torch.Tensor, steps: int) -> None:
    optimizer = torch.optim.Adam(discriminator.parameters(), lr=0.01)
    target = torch.cat((torch.ones(len(positive)), torch.zeros(len(unlabelled))))
    pairs = torch.cat((positive, unlabelled))
    for _ in range(steps):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(discriminator(*pairs.chunk(2, dim=1)), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    discriminator.eval()


def test_possible_transitions_among_unlabelled_ones_are_recovered() -> None:
    """Elkan and Noto: half of the unlabelled transitions are possible, and must not be taken for impossible."""
    torch.manual_seed(0)
    before = torch.randint(2, (1500, 6)).float()
    possible = before.clone()
    possible[:, 0] = 1 - possible[:, 0]  # only the first bit can change
    impossible = before.clone()
    impossible[:, 3:] = 1 - impossible[:, 3:]
    mixed = torch.where(torch.rand(1500, 1) < 0.5, possible, impossible)
    discriminator = ActionDiscriminator(6, 4, width=32, depth=1)
    fit(discriminator, torch.cat((before, possible), 1)[:1000], torch.cat((before, mixed), 1)[:1000], 300)
    plain = torch.sigmoid(discriminator(before, possible)).mean()
    assert 0.5 < plain < 0.85  # two of three possible ones were observed
    discriminator.calibrate(before[1000:], possible[1000:])
    assert discriminator.possible(before, possible).float().mean() > 0.98
    assert discriminator.possible(before, impossible).float().mean() < 0.02


@pytest.mark.parametrize("apply", ["blackbox", "btl"])
def test_training_makes_a_graph_that_can_be_searched(tmp_path, apply) -> None:
    split = toggles(300)
    recipe = ama2(apply, epochs=10, action_epochs=10, discriminator_epochs=20)
    model = train_run(tmp_path, split, toggles(20, 1), recipe, execution=EVERY_EPOCH)
    assert model.discriminator is not None
    assert 0 < float(model.discriminator.labelled) <= 1
    before, after = encode(model, split.before), encode(model, split.after)
    labels = label(model, before, after)
    assert set(np.flatnonzero(model.discriminator.used.numpy())) == set(labels)
    graph = LatentGraph(model)
    made, rows, used = graph.successors(before[:5])
    assert len(made) == 5 * len(np.unique(labels))
    np.testing.assert_array_equal(made, successors(model, before[rows], used))
    assert graph.plausible(before, after).mean() > 0.5
    assert graph.plausible(before[:0], after[:0]).shape == (0,)


def test_the_states_and_actions_stay_as_they_were_when_the_discriminator_is_trained(tmp_path) -> None:
    run = training_run(tmp_path, toggles(100), toggles(20, 1), ama2(decoder_epochs=0), execution=EVERY_EPOCH)
    weights: dict[str, torch.Tensor] = {}
    for row in run:
        if row["phase"] == "actions":
            weights = {name: value.clone() for name, value in run.model.state_dict().items()}
    changed = {name for name, value in run.model.state_dict().items() if (value != weights[name]).any()}
    assert changed
    assert all(name.startswith("discriminator.") for name in changed)


def test_it_is_saved_with_the_network_and_measured_on_held_out_pairs(tmp_path) -> None:
    model = train_run(tmp_path, toggles(100), toggles(20, 1), ama2(), execution=EVERY_EPOCH)
    again = load_model(tmp_path / "model.safetensors")
    assert (again.discriminator.used == model.discriminator.used).all()
    assert again.discriminator.labelled == model.discriminator.labelled
    held_out = toggles(50, 2)
    measures = measure(again, held_out.before, held_out.after)
    for value in (measures.possible, measures.possible_random, measures.discriminator_f):
        assert value is not None
        assert 0 <= value <= 1


def test_a_network_without_one_says_how_to_get_it(tmp_path) -> None:
    model = build_model(tiny_recipe().model, (12, 12))
    with pytest.raises(UsageError, match="--preset ama2"):
        LatentGraph(model)
    split = toggles(20)
    assert measure(model.eval(), split.before, split.after).possible is None
