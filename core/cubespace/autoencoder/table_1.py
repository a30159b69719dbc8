"""Table 1 of the paper for a network that is still in training: Rec, Succ, Direct and their sum."""

from __future__ import annotations

import torch
from torch import Tensor

from cubespace.autoencoder.inference import BATCH, COLD
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating

COLUMNS = ("reconstruction", "successor", "direct", "exact", "total")


def table_1(model: SpaceAutoEncoder, images: Tensor) -> dict[str, float]:
    """Return Rec, Succ and Direct, the fraction of exact transitions and the total loss.

    ``images`` are bytes, (2, transitions, pixels), on the model's device.
    """
    sums = torch.zeros(len(COLUMNS), device=images.device)
    with evaluating(model):
        for batch in images.split(BATCH, dim=1):
            pictures = batch.float().mul_(1.0 / 255.0)
            outputs = model(pictures, COLD)
            drawn = model.decoder.paint(outputs.pixels)
            wrong = outputs.states[1] != outputs.successor  # (batch, bits)
            before, after, successor = ((drawn[i] - pictures[min(i, 1)]).square().mean(1) for i in range(3))
            direct = wrong.float().mean(1)
            parts = (before, successor, direct, (~wrong.any(1)).float(), before + after + successor + direct)
            sums += torch.stack(parts).sum(1)
    means = (sums / images.shape[1]).tolist()
    return dict(zip(COLUMNS, means, strict=True))
