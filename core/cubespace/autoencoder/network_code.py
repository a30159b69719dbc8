"""The code of a trained network: pictures to bits and back, and the actions that it learned."""

from __future__ import annotations

import attrs
import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from cubespace.autoencoder.extensions.discriminator import find_discriminator
from cubespace.autoencoder.inference import COLD, as_pixels, batched, decode_pixels, encode_pixels, label_states
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.errors import UsageError
from cubespace.learning.code import Code, LearnedActions, Pictures, SavedCode, Training
from cubespace.settings.recipe import AutoencoderConfig, TrainConfig

ROWS_AT_ONCE = 8192  # transitions judged in one go: they fit into the cache of a core


class NetworkActions(LearnedActions):
    """Labels by the action model, successors by the apply module."""

    def __init__(self, model: SpaceAutoEncoder) -> None:
        self.model = model
        self.count = model.actions
        self.strips = model.apply_module.strips
        self.discriminator = find_discriminator(model)
        self.discriminates = self.discriminator is not None

    def label(self, before: Bits, after: Bits) -> Indices:
        """Return the action that the network sees between states."""
        pairs = torch.from_numpy(np.concatenate((before, after), axis=1)).to(self.model.device)  # (batch, 2 bits)
        labels = batched(self.model, lambda part: label_states(self.model, *part.float().chunk(2, dim=1)), pairs)
        return labels.cpu().numpy().astype(np.intp)

    def successors(self, before: Bits, labels: Indices) -> Bits:
        """Return the successors of states as the network predicts them."""
        numbers = torch.from_numpy(np.asarray(labels, dtype=np.int64))[:, None]
        rows = torch.cat((torch.from_numpy(before), numbers), dim=1).to(self.model.device)  # (batch, bits + 1)

        def successor(part: Tensor) -> Tensor:
            action = one_hot(part[:, -1], self.count).float()
            result: Tensor = self.model.apply_module(part[:, :-1].float(), action, COLD)
            return result > 0.5

        return _array(batched(self.model, successor, rows))

    def effects(self) -> tuple[Bits, Bits]:
        """Return the add and delete masks that the network learned (Theorem 2), each (labels, bits)."""
        with evaluating(self.model):
            add, delete = self.model.apply_module.effects()
        return _array(add), _array(delete)

    def certain_before(self) -> Bits | None:
        """Return what the action model has learned to hold before each label."""
        certain = self.model.action.certain_before()
        return None if certain is None else _array(certain)

    def expand(self, states: Bits) -> tuple[Bits, Indices, Indices]:
        """Return the successors under every label that training transitions have."""
        if self.discriminator is None:
            raise UsageError("the network has no action discriminator: train with --preset ama2")
        used = self.discriminator.used.nonzero()[:, 0]
        before = torch.from_numpy(states).to(self.model.device).float()
        with evaluating(self.model):
            after = self.model.apply_module.successors(before, used)  # (states, labels, bits)
        rows = np.repeat(np.arange(len(states)), len(used))
        labels = np.tile(used.cpu().numpy().astype(np.intp), len(states))
        return _array(after.flatten(0, 1)), rows, labels

    def plausible(self, before: Bits, after: Bits) -> Bits:
        """Return which transitions the discriminator takes for possible."""
        if self.discriminator is None:
            raise UsageError("the network has no action discriminator: train with --preset ama2")
        pairs = [torch.from_numpy(states).to(self.model.device) for states in (before, after)]
        with evaluating(self.model):
            parts = zip(*(states.split(ROWS_AT_ONCE) for states in pairs), strict=True)
            verdicts = [self.discriminator.possible(one.float(), other.float()) for one, other in parts]
        return _array(torch.cat(verdicts)) if verdicts else np.empty(0, dtype=np.bool_)


class NetworkCode(Code):
    """A network in evaluation, on plain arrays."""

    def __init__(
        self,
        model: SpaceAutoEncoder,
        config: AutoencoderConfig,
        train: TrainConfig,
        training: Training | None = None,
    ) -> None:
        self.model = model.eval()
        self.config = config
        self.train = train
        self.training = training
        self.image_shape = model.image_shape
        self.bits = model.bits
        self.actions = NetworkActions(model)

    def encode_pictures(self, images: Images) -> Bits:
        """Return the hard bits."""
        return _array(encode_pixels(self.model, as_pixels(images, self.model.device)))

    def decode(self, bits: Bits) -> Pictures:
        """Return the pictures that the decoder draws."""
        pixels = decode_pixels(self.model, torch.from_numpy(bits).to(self.model.device))
        pictures: Pictures = pixels.float().cpu().numpy().reshape(len(bits), *self.image_shape)
        return pictures

    def saved(self) -> SavedCode:
        """Return the weights and the settings that build the network again."""
        return SavedCode(
            image_shape=self.image_shape,
            bits=self.bits,
            training=self.training,
            details={"autoencoder": attrs.asdict(self.config), "train": attrs.asdict(self.train)},
            arrays={name: tensor.detach().cpu().numpy() for name, tensor in self.model.state_dict().items()},
        )


def _array(bits: Tensor) -> Bits:
    array: Bits = bits.cpu().numpy()
    return array
