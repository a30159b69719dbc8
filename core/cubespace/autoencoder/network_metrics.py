"""What a network is worth, on any split: Table 1 of the paper and the health of its bits and actions."""

from __future__ import annotations

import attrs
import numpy as np
import torch
from torch import Tensor

from cubespace.autoencoder.extensions.latent_graph import LatentGraph
from cubespace.autoencoder.inference import BATCH, COLD, as_pixels, encode_pixels, label, successors
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.arrays import Bits, Images
from cubespace.base.differences import coverage, number_rows, packed_differences

NOISE = 0.1  # standard deviation of the pixel noise under which stability is measured
COLUMNS = ("reconstruction", "successor", "direct", "exact", "total")


@attrs.frozen(kw_only=True)
class Measures:
    """Measures of one split; rates are from 0 to 1."""

    transitions: int
    reconstruction: float  # Rec: mean squared error of x0
    successor: float  # Succ: mean squared error of x1 by way of the action
    direct: float  # Direct: mean absolute error of the predicted bits
    exact: float  # rate of transitions whose bits the network predicts without any error
    total: float  # the paper's total loss: mean squared errors of x0, x1 and x1 by way of the action, and Direct
    differences: int  # |D|: distinct pairs (z1 - z0, z0 - z1)
    actions: int  # distinct labels that the network gives
    live_bits: int  # bits that are neither always true nor always false
    stable_bits: float  # rate of bits that pixel noise leaves as they are
    stable_states: float  # rate of states of which it leaves every bit as it is
    covered: float | None  # rate of transitions whose difference occurs in the training split
    possible: float | None = None  # rate of transitions that the discriminator takes for possible …
    possible_random: float | None = None  # … and of those made by random actions from the same states
    discriminator_f: float | None = None  # F measure of telling the two apart; some random ones are possible


def measure(
    model: SpaceAutoEncoder, before: Images, after: Images, training: tuple[Images, Images] | None = None, seed: int = 0
) -> Measures:
    """Measure a split; ``training`` is the split whose differences should cover it."""
    images = torch.stack([as_pixels(part, model.device) for part in (before, after)])  # (2, transitions, pixels)
    bits = encode_split(model, images)
    effects = packed_differences(*bits)
    covered = None
    if training is not None:
        known = torch.stack([as_pixels(part, model.device) for part in training])
        covered = coverage(effects, packed_differences(*encode_split(model, known)))
    stable_bits, stable_states = stability(model, images, seed)
    return Measures(
        transitions=len(before),
        **table_1(model, images),
        differences=len(number_rows(effects)),
        actions=len(np.unique(label(model, *bits))),
        live_bits=int((bits.any((0, 1)) & ~bits.all((0, 1))).sum()),
        stable_bits=stable_bits,
        stable_states=stable_states,
        covered=covered,
        **judgement(model, bits, seed),
    )


def judgement(model: SpaceAutoEncoder, bits: Bits, seed: int) -> dict[str, float]:
    """Return how well the discriminator, if there is one, tells transitions from those that random actions make."""
    if model.discriminator is None:
        return {}
    graph = LatentGraph(model)
    labels = np.random.default_rng(seed).choice(graph.labels.cpu().numpy(), size=bits.shape[1])
    observed = float(graph.plausible(*bits).mean())
    random = float(graph.plausible(bits[0], successors(model, bits[0], labels)).mean())
    precision = observed / max(observed + random, 1e-9)
    f_measure = 2 * precision * observed / max(precision + observed, 1e-9)
    return {"possible": observed, "possible_random": random, "discriminator_f": f_measure}


def table_1(model: SpaceAutoEncoder, images: Tensor) -> dict[str, float]:
    """Return Rec, Succ, Direct as in Table 1, the rate of exact transitions and the total loss.

    ``images`` are bytes, (2, transitions, pixels).
    """
    sums = torch.zeros(len(COLUMNS), device=images.device)
    with evaluating(model):
        for batch in images.split(BATCH, dim=1):
            pictures = batch.float().mul_(1.0 / 255.0)
            outputs = model(pictures, COLD)
            drawn = torch.sigmoid(outputs.pixels)
            wrong = outputs.states[1] != outputs.successor  # (batch, bits)
            before, after, successor = ((drawn[i] - pictures[min(i, 1)]).square().mean(1) for i in range(3))
            direct = wrong.float().mean(1)
            parts = (before, successor, direct, (~wrong.any(1)).float(), before + after + successor + direct)
            sums += torch.stack(parts).sum(1)
    means = (sums / images.shape[1]).tolist()
    return dict(zip(COLUMNS, means, strict=True))


def stability(model: SpaceAutoEncoder, images: Tensor, seed: int) -> tuple[float, float]:
    """Return the rates of bits and of whole states that do not change when the pixels are noisy."""
    generator = torch.Generator(images.device).manual_seed(seed)
    same_bits, same_states, count = 0.0, 0.0, 0
    for batch in images.flatten(0, 1).split(BATCH):
        noise = torch.randn(batch.shape, generator=generator, device=batch.device) * (NOISE * 255.0)
        noisy = (batch + noise).round_().clamp_(0.0, 255.0).byte()
        same = encode_pixels(model, batch) == encode_pixels(model, noisy)  # (batch, bits)
        same_bits += float(same.float().mean(1).sum())
        same_states += float(same.all(1).sum())
        count += len(batch)
    return same_bits / count, same_states / count


def encode_split(model: SpaceAutoEncoder, images: Tensor) -> Bits:
    """Return the bits of both pictures of transitions, (2, transitions, bits)."""
    bits: Bits = torch.stack([encode_pixels(model, part) for part in images]).cpu().numpy()
    return bits
