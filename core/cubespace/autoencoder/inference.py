"""A network in evaluation, as functions on tensors: pictures to bits, bits to pictures, bits to labels.

Hard bits, running batch norm, no noise. Work is done in batches, so that any number of rows fits into memory.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from cubespace.autoencoder.devices import on_threads
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.arrays import Images

BATCH = 1000
FEW = 32  # rows on which a second thread is not worth waking: it takes longer than the work
COLD = 1.0  # the temperature of evaluation, where nothing depends on it


def as_pixels(images: Images, device: torch.device | str = "cpu") -> Tensor:
    """Return pictures as rows of bytes on a device, (batch, pixels)."""
    # torch wants memory that it may write to, and pictures read from files are not
    return torch.from_numpy(np.require(images, requirements=("C", "W"))).flatten(1).to(device)


def mean_picture(images: Tensor) -> Tensor:
    """Return the mean of pictures, bytes (…, pixels), as pixels in [0, 1]; summed in integers, so exact."""
    rows = images.flatten(0, -2)
    return rows.sum(0, dtype=torch.int64).float() / (255.0 * len(rows))  # (pixels,)


def label_states(model: SpaceAutoEncoder, before: Tensor, after: Tensor) -> Tensor:
    """Return the labels of transitions between hard states, given as numbers, (transitions,)."""
    labels: Tensor = model.action(before, after, model.apply_module).argmax(1)
    return labels


def encode_pixels(model: SpaceAutoEncoder, pixels: Tensor) -> Tensor:
    """Return the bits, as bool, of rows of bytes that are on the model's device already."""
    return encode_logits(model, pixels) > 0


def encode_logits(model: SpaceAutoEncoder, pixels: Tensor) -> Tensor:
    """Return the logits of the bits of rows of bytes that are on the model's device already."""
    return batched(model, lambda part: model.encoder(part.float().mul_(1.0 / 255.0)), pixels)


def decode_pixels(model: SpaceAutoEncoder, bits: Tensor) -> Tensor:
    """Return the pictures, as rows of pixels in [0, 1], of states that are on the model's device already."""
    return batched(model, lambda part: model.decoder.paint(model.decode(part[None].float())[0]), bits)


def batched(model: SpaceAutoEncoder, function: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
    """Evaluate a function on batches of rows; an empty batch keeps the shape of the result when there are no rows."""
    threads = torch.get_num_threads() if len(rows) > FEW else 1
    with evaluating(model), on_threads(threads):
        results = torch.cat([function(part) for part in rows.split(BATCH)])
    return results.clone()  # out of inference mode, so that training may use it
