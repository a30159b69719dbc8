"""The loss terms of the paper, in float32 whatever the precision of the training.

All are means, so that weights mean the same for every picture size and batch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from cubespace.autoencoder.schedules import delayed
from cubespace.settings.recipe import LossConfig

if TYPE_CHECKING:
    from cubespace.autoencoder.objective import Losses

TINY = 1e-37  # changes no sigmoid but 0, whose logarithm is not finite


class _CrossEntropy(torch.autograd.Function):
    """Binary cross-entropy of pixel logits, one mean per part.

    The same as ``binary_cross_entropy_with_logits``, in half the time: one sigmoid serves value and gradient, and
    the target of the last part is shared, not copied. A compiler finds that by itself.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, images: Tensor) -> Tensor:
        probabilities = torch.sigmoid(logits).add_(TINY)  # (parts, batch, pixels)
        # softplus(x) - t x, where softplus(x) = x - log(sigmoid(x))
        shared = logits.flatten(1)
        known = images.flatten(1)  # (2, batch * pixels)
        products = torch.stack([torch.dot(part, known[min(i, 1)]) for i, part in enumerate(shared)])
        values = shared.sum(1) - products - torch.log(probabilities).flatten(1).sum(1)
        for i, part in enumerate(probabilities):
            part.sub_(images[min(i, 1)])
        ctx.save_for_backward(probabilities)
        return values / shared.shape[1]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (error,) = ctx.saved_tensors
        return error.mul_((gradient / error[0].numel()).view(-1, 1, 1)), None  # in place: nobody else has it


def image_loss(kind: str, outputs: Tensor, images: Tensor, *, linear: bool = False) -> Tensor:
    """Return the loss of each part of ``outputs`` (parts, batch, pixels): x0, x1 and, if there is a third, x1 again.

    Outputs are logits or, of a ``linear`` decoder, pixels, whose loss is the squared error whatever the ``kind``.
    """
    outputs = outputs.float()  # half precision is too coarse for a loss
    if kind == "bce" and not linear and not torch.compiler.is_compiling():
        values: Tensor = _CrossEntropy.apply(outputs, images)  # type: ignore[no-untyped-call]
        return values
    target = torch.cat((images, images[1:])) if len(outputs) == 3 else images
    if kind == "bce" and not linear:
        return binary_cross_entropy_with_logits(outputs, target, reduction="none").flatten(1).mean(1)
    pixels = outputs if linear else torch.sigmoid(outputs)
    return (pixels - target).square().flatten(1).mean(1)


def direct(states: Tensor, successor: Tensor) -> Tensor:
    """Return the mean absolute error of the predicted successor state: the direct loss."""
    return (states[1].float() - successor.float()).abs().mean()


def zero_suppress(states: Tensor) -> Tensor:
    """Return the mean of the bits: the fewer true ones, the better."""
    return states.float().mean()


def variational(logits: Tensor, labels: Tensor, prior: float) -> Tensor:
    """Return the KL divergence of the bits from their prior plus that of the action labels from the uniform one.

    Means over bits and labels. A positive weight raises the entropy.
    """
    return variational_bits(logits, prior) + variational_labels(labels)


def variational_bits(logits: Tensor, prior: float) -> Tensor:
    """Return the divergence of the bits alone."""
    logits = logits.float()
    probability = torch.sigmoid(logits)  # (2, batch, bits)
    true = probability * (logsigmoid(logits) - math.log(prior))
    false = (1.0 - probability) * (logsigmoid(-logits) - math.log(1.0 - prior))
    return (true + false).mean()


def variational_labels(labels: Tensor) -> Tensor:
    """Return the divergence of the action labels alone."""
    log_label = torch.log_softmax(labels.float(), dim=-1)  # (batch, actions)
    uniform = -math.log(labels.shape[-1])
    return (log_label.exp() * (log_label - uniform)).mean()


def weigh(config: LossConfig, progress: float) -> dict[str, float]:
    """Return the weight of each term at some moment of a phase; terms of weight 0 are left out."""
    weights = {
        "before": config.reconstruction,
        "after": config.reconstruction,
        "successor": config.successor,
        "direct": delayed(config.direct, config.direct_from, progress),
        "zero_suppress": delayed(config.zero_suppress, config.zero_suppress_from, progress),
        "variational": config.variational,
    }
    return {name: weight for name, weight in weights.items() if weight}


def total(terms: Losses, weights: Mapping[str, float]) -> Losses:
    """Add the weighted sum of the terms under the name ``total``."""
    weighted = [terms[name] * weight for name, weight in weights.items() if name in terms]
    return {**terms, "total": torch.stack(weighted).sum()}
