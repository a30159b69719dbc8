"""The trained network as plain functions on arrays: pictures to bits, bits to pictures, bits to actions.

Always in evaluation: hard bits, running batch norm, no noise. Work is done in batches, so any number of rows fits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import one_hot

from cubespace.autoencoder.devices import on_threads
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.errors import InputError

BATCH = 1000
FEW = 32  # rows on which a second thread is not worth waking: it takes longer than the work
COLD = 1.0  # the temperature of evaluation, where nothing depends on it


def as_pixels(images: Images, device: torch.device | str = "cpu") -> Tensor:
    """Return pictures as rows of bytes on a device, (batch, pixels)."""
    # torch wants memory that it may write to, and pictures read from files are not
    return torch.from_numpy(np.require(images, requirements=("C", "W"))).flatten(1).to(device)


def encode(model: SpaceAutoEncoder, images: Images) -> Bits:
    """Return the bits of pictures."""
    if images.dtype != np.uint8 or images.shape[1:] != model.image_shape:
        wanted = "x".join(map(str, model.image_shape))
        given = "x".join(map(str, images.shape[1:]))
        raise InputError(f"the model was trained on pictures of {wanted} bytes, these are {given} of {images.dtype}")
    return _array(encode_pixels(model, as_pixels(images, model.device)))


def decode(model: SpaceAutoEncoder, bits: Bits) -> NDArray[np.float32]:
    """Return the pictures of states, in [0, 1]."""
    rows = torch.from_numpy(bits).to(model.device)
    pixels = decode_pixels(model, rows)
    pictures: NDArray[np.float32] = pixels.float().cpu().numpy().reshape(len(bits), *model.image_shape)
    return pictures


def draw(model: SpaceAutoEncoder, bits: Bits) -> Images:
    """Return the pictures of states as bytes."""
    return (decode(model, bits) * 255.0).round().astype(np.uint8)


def normalised(model: SpaceAutoEncoder, images: Images) -> NDArray[np.float32]:
    """Return pictures as the encoder takes them, (batch, pixels): in [0, 1], under the usual light if it knows one."""
    pixels = as_pixels(images, model.device)
    rows = _batched(model, lambda part: model.encoder.normalised(part.float().mul_(1.0 / 255.0)), pixels)
    return np.asarray(rows.cpu().numpy(), dtype=np.float32)


def label(model: SpaceAutoEncoder, before: Bits, after: Bits) -> Indices:
    """Return the action that the network sees between states."""
    pairs = torch.from_numpy(np.concatenate((before, after), axis=1)).to(model.device)  # (batch, 2 bits)
    labels = _batched(model, lambda part: model.action(*part.float().chunk(2, dim=1)).argmax(1), pairs)
    return labels.cpu().numpy().astype(np.intp)


def successors(model: SpaceAutoEncoder, before: Bits, actions: Indices) -> Bits:
    """Return the successors of states as the network predicts them."""
    labels = torch.from_numpy(np.asarray(actions, dtype=np.int64))[:, None]
    rows = torch.cat((torch.from_numpy(before), labels), dim=1).to(model.device)  # (batch, bits + 1)

    def successor(part: Tensor) -> Tensor:
        action = one_hot(part[:, -1], model.actions).float()
        result: Tensor = model.apply_module(part[:, :-1].float(), action, COLD)
        return result > 0.5

    return _array(_batched(model, successor, rows))


def effects(model: SpaceAutoEncoder) -> tuple[Bits, Bits]:
    """Return the add and delete masks that the network learned, each (actions, bits)."""
    with evaluating(model):
        add, delete = model.apply_module.effects()
    return _array(add), _array(delete)


def encode_pixels(model: SpaceAutoEncoder, pixels: Tensor) -> Tensor:
    """Return the bits, as bool, of rows of bytes that are on the model's device already."""
    return encode_logits(model, pixels) > 0


def encode_logits(model: SpaceAutoEncoder, pixels: Tensor) -> Tensor:
    """Return the logits of the bits of rows of bytes that are on the model's device already."""
    return _batched(model, lambda part: model.encoder(part.float().mul_(1.0 / 255.0)), pixels)


def decode_pixels(model: SpaceAutoEncoder, bits: Tensor) -> Tensor:
    """Return the pictures, as rows of pixels in [0, 1], of states that are on the model's device already."""
    return _batched(model, lambda part: torch.sigmoid(model.decode(part[None].float())[0]), bits)


def _batched(model: SpaceAutoEncoder, function: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
    """Evaluate a function on batches of rows; an empty batch keeps the shape of the result when there are no rows."""
    threads = torch.get_num_threads() if len(rows) > FEW else 1
    with evaluating(model), on_threads(threads):
        results = torch.cat([function(part) for part in rows.split(BATCH)])
    return results.clone()  # out of inference mode, so that training may use it


def _array(bits: Tensor) -> Bits:
    array: Bits = bits.cpu().numpy()
    return array
