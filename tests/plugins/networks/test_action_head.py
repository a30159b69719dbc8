"""The paper's action model: effects can be written into it, whatever its depth and activation."""

import pytest
import torch

from cubespace.autoencoder.action_model import ActionShape
from cubespace.autoencoder.layers import ACTIVATIONS
from cubespace.plugins.catalogue import load_plugins
from cubespace_networks.action_head import ActionHead, HeadOptions


@pytest.mark.parametrize("options", [HeadOptions(), HeadOptions(dropout=0.4, order="activation-norm")], ids=str)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_written_effects_are_told_apart(activation, depth, options) -> None:
    torch.manual_seed(0)
    before = torch.randint(2, (40, 12)).float()
    flips = torch.eye(12)[torch.arange(40) % 4].bool()  # four bits change, each in both directions
    after = torch.where(flips, 1.0 - before, before)
    difference = (after - before).unique(dim=0)
    head = ActionHead(12, 30, ActionShape(width=20, depth=depth, activation=activation), options)
    head.write_effects(difference > 0, difference < 0)
    labels = head.eval()(before, after, load_plugins().create("apply", "btl", 12, 30)).argmax(1)
    assert torch.equal(difference[labels], after - before)
