"""What the parts of a network return is looked at once, before any training: a wrong shape would fail far from here."""

from __future__ import annotations

import math
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.errors import ContractError

ROWS = 4  # pictures or states that are tried
WARM = 1.0  # a temperature as good as any


def check_parts(network: SpaceAutoEncoder) -> None:
    """Raise a :class:`ContractError` that names the part whose results have the wrong form; nothing is changed."""
    pixels = torch.linspace(0.0, 1.0, ROWS * math.prod(network.image_shape)).reshape(ROWS, -1)
    states = (torch.arange(ROWS * network.bits).reshape(ROWS, -1) % 2).float()
    actions = one_hot(torch.arange(ROWS) % network.actions, network.actions).float()
    encoder, decoder, apply = network.encoder, network.decoder, network.apply_module
    with evaluating(network):
        _check(encoder, "logits of bits", encoder(pixels), (ROWS, network.bits))
        _check(decoder, "logits of pixels", decoder(states), pixels.shape)
        labels = network.action(states, states.flip(0), apply)
        _check(network.action, "logits of labels", labels, actions.shape)
        _check(network.action, "actions", network.action.choose(labels, WARM), actions.shape, finite=True)
        successor = apply(states, actions, WARM)
        _check(apply, "successors", successor, states.shape, finite=True)
        if apply.strips:
            _check_effects(apply, apply.effects(), (network.actions, network.bits))
    with torch.no_grad():
        learning = deepcopy(apply).train()  # a copy: batch norm counts what it sees
        _check(apply, "successors in training", learning(states, actions, WARM), states.shape, finite=True)


def _check(
    part: nn.Module, what: str, result: object, shape: tuple[int, ...] | torch.Size, *, finite: bool = False
) -> None:
    wanted = f"a float32 tensor {tuple(shape)}"
    if not isinstance(result, Tensor) or result.dtype != torch.float32 or result.shape != torch.Size(shape):
        raise ContractError(f"its {what} must be {wanted}, not {_described(result)}", part)
    if finite and not result.isfinite().all():
        raise ContractError(f"its {what} are not all finite numbers, though what it was given was", part)


def _check_effects(apply: nn.Module, effects: object, shape: tuple[int, int]) -> None:
    parts = effects if isinstance(effects, tuple) and len(effects) == 2 else (effects, effects)
    for part in parts:
        if not isinstance(part, Tensor) or part.dtype != torch.bool or part.shape != torch.Size(shape):
            raise ContractError(f"its effects must be two bool tensors {shape}, not {_described(part)}", apply)


def _described(result: object) -> str:
    return f"{result.dtype} {tuple(result.shape)}" if isinstance(result, Tensor) else type(result).__name__
