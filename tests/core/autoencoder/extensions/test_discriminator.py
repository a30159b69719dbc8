"""The action discriminator: learned from observed transitions alone, calibrated, and used to judge a latent graph."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from builders import build_model, code_of, trained_code, training_run
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.extensions.discriminator import ActionDiscriminator
from cubespace.base.errors import UsageError
from cubespace.learning.code_file import save_code
from cubespace.learning.code_metrics import measure
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import read_code
from cubespace.settings.recipe import Recipe


def ama2(apply: str = "blackbox", **train: object) -> Recipe:
    settings = {"extensions": ("states", "actions", "discriminate", "decoder"), "discriminator_width": 32} | train
    return tiny_recipe(apply, **settings)


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
    code = trained_code(tmp_path, split, toggles(20, 1), recipe, EVERY_EPOCH)
    graph = code.actions
    assert graph.discriminates
    assert 0 < float(graph.discriminator.labelled) <= 1
    before, after = code.encode(split.before), code.encode(split.after)
    labels = graph.label(before, after)
    assert set(np.flatnonzero(graph.discriminator.used.numpy())) == set(labels)
    made, rows, used = graph.expand(before[:5])
    assert len(made) == 5 * len(np.unique(labels))
    np.testing.assert_array_equal(made, graph.successors(before[rows], used))
    assert graph.plausible(before, after).mean() > 0.5
    assert graph.plausible(before[:0], after[:0]).shape == (0,)


def test_the_states_and_actions_stay_as_they_were_when_the_discriminator_is_trained(tmp_path) -> None:
    run = training_run(
        tmp_path, toggles(100), toggles(20, 1), ama2(extensions=("states", "actions", "discriminate")), EVERY_EPOCH
    )
    weights: dict[str, torch.Tensor] = {}
    for row in run:
        if row["phase"] == "actions":
            weights = {name: value.clone() for name, value in run.model.state_dict().items()}
    changed = {name for name, value in run.model.state_dict().items() if (value != weights[name]).any()}
    assert changed
    assert all(name.startswith("extras.discriminator.") for name in changed)


def test_it_is_saved_with_the_network_and_measured_on_held_out_pairs(tmp_path) -> None:
    code = trained_code(tmp_path, toggles(100), toggles(20, 1), ama2(), EVERY_EPOCH)
    save_code(tmp_path / "code.safetensors", code, "autoencoder")
    again = read_code(load_plugins(), tmp_path / "code.safetensors", EVERY_EPOCH)
    assert (again.actions.discriminator.used == code.actions.discriminator.used).all()
    assert again.actions.discriminator.labelled == code.actions.discriminator.labelled
    held_out = toggles(50, 2)
    measures = measure(again, held_out.before, held_out.after)
    for value in (measures.possible, measures.possible_random, measures.discriminator_f):
        assert value is not None
        assert 0 <= value <= 1


def test_a_network_without_one_says_how_to_get_it() -> None:
    code, split = code_of(build_model(tiny_recipe().autoencoder, (12, 12))), toggles(20)
    bits = code.encode(split.before)
    assert not code.actions.discriminates
    for ask in (lambda: code.actions.expand(bits), lambda: code.actions.plausible(bits, bits)):
        with pytest.raises(UsageError, match="--preset ama2"):
            ask()
    assert measure(code, split.before, split.after).possible is None
