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
    pixels: Tensor  # (parts, batch, pixels), logits of x0 and, as far as needed, of x1 and x1 by way of the action


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
        frames_apart: bool = False,
    ) -> None:
        super().__init__()
        self.image_shape = image_shape
        self.frames_apart = frames_apart  # in training: batch norm then sees a frame at a time
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

    def forward(
        self, images: Tensor, temperature: float, *, draw_after: bool = True, draw_successor: bool = True
    ) -> Transition:
        """Encode both pictures, name the action between them, apply it, and decode all three states or some of them."""
        logits, states = self.encode(images, temperature)  # (2, batch, bits)
        labels, successor = self.act(states, temperature)
        drawn = states if draw_after else states[:1]
        drawn = torch.cat((drawn, successor[None])) if draw_successor else drawn  # (1 to 3, batch, bits)
        return Transition(logits, states, labels, successor, self.decode(drawn))

    def encode(self, images: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        """Return the logits and the bits of pictures (parts, batch, pixels)."""
        logits = self._each(self.encoder, images)  # (parts, batch, bits)
        states = self.bin_concrete(logits.flatten(0, 1), temperature)
        return logits, states.unflatten(0, images.shape[:2])

    def act(self, states: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        """Name the action between two states and return its logits and the successor it leads to."""
        before, after = states  # (batch, bits) each
        labels = self.action(before, after, self.apply_module)  # (batch, actions)
        successor = self.apply_module(before, self.action.choose(labels, temperature), temperature)
        return labels, successor

    def decode(self, states: Tensor) -> Tensor:
        """Return the logits of the pixels of states (parts, batch, bits)."""
        return self._each(self.decoder, states)

    def _each(self, network: nn.Module, parts: Tensor) -> Tensor:
        """Return what a network makes of parts (parts, batch, …): all in one pass, or one pass for each in training."""
        if self.frames_apart and network.training:
            return torch.stack([network(part) for part in parts])
        results: Tensor = network(parts.flatten(0, 1)).unflatten(0, parts.shape[:2])
        return results


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
