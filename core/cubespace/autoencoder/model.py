"""The Space AutoEncoder: a State AutoEncoder and an Action AutoEncoder joined in one network.

With a STRIPS-like apply module it is the paper's Cube-Space AutoEncoder, with a black box the vanilla one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, nn

from cubespace.autoencoder.action_model import ActionModel
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.encoder import Decoder, Encoder
from cubespace.autoencoder.relaxations import BinConcrete


class Transition(NamedTuple):
    """All that one forward pass makes of a batch of transitions."""

    logits: Tensor  # (2, batch, bits), of z0 and z1
    states: Tensor  # (2, batch, bits), z0 and z1
    labels: Tensor  # (batch, actions), logits
    successor: Tensor  # (batch, bits), z1 as predicted from z0 and the action
    pixels: Tensor  # (3, batch, pixels), logits of x0, x1 and, if it is needed, x1 by way of the action


class SpaceAutoEncoder(nn.Module):
    """Pictures to bits and back, and the actions between them.

    In training all is relaxed and noisy. In evaluation all is exact: hard bits, one-hot actions, running batch norm.
    """

    def __init__(
        self,
        image_shape: tuple[int, ...],
        *,
        encoder: Encoder,
        decoder: Decoder,
        action: ActionModel,
        apply: ApplyModule,
    ) -> None:
        super().__init__()
        self.image_shape = image_shape
        self.encoder = encoder
        self.decoder = decoder
        self.action = action
        self.apply_module = apply
        self.bits, self.actions = encoder.bits, apply.actions
        self.bin_concrete = BinConcrete()
        self.extras = nn.ModuleDict()  # parts that extensions have added, by name

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        return next(self.parameters()).device

    def forward(self, images: Tensor, temperature: float, *, draw_successor: bool = True) -> Transition:
        """Encode both pictures, name the action between them, apply it, and decode all three states."""
        logits, states = self.encode(images, temperature)  # (2, batch, bits)
        labels, successor = self.act(states, temperature)
        drawn = torch.cat((states, successor[None])) if draw_successor else states  # (3 or 2, batch, bits)
        return Transition(logits, states, labels, successor, self.decode(drawn))

    def encode(self, images: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        """Return the logits and the bits of pictures (parts, batch, pixels), all in one pass."""
        logits = self.encoder(images.flatten(0, 1))  # (parts * batch, bits)
        states = self.bin_concrete(logits, temperature)
        return logits.unflatten(0, images.shape[:2]), states.unflatten(0, images.shape[:2])

    def act(self, states: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        """Name the action between two states and return its logits and the successor it leads to."""
        before, after = states  # (batch, bits) each
        labels = self.action(before, after, self.apply_module)  # (batch, actions)
        successor = self.apply_module(before, self.action.choose(labels, temperature), temperature)
        return labels, successor

    def decode(self, states: Tensor) -> Tensor:
        """Return the logits of the pixels of states (parts, batch, bits), all in one pass."""
        pixels: Tensor = self.decoder(states.flatten(0, 1)).unflatten(0, states.shape[:2])
        return pixels


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluate inside the block, without gradients; then restore the mode of every part."""
    in_training = [module for module in model.modules() if module.training]
    for module in in_training:
        module.training = False
    try:
        with torch.inference_mode():
            yield
    finally:
        for module in in_training:
            module.training = True
