"""The rules that every decoder must follow, for grey and for colour pictures.

A decoder is given the layout that the encoder of its own name plans, if there is one: they may be made for each other.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from cubespace.autoencoder.encoder import Decoder, Layout, Shape
from cubespace.base.options import parse_spec
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing.pictures import BITS, PAIRS, SHAPES, World, lamps, understood


def _world(spec: str, shape: Shape) -> tuple[World, Layout]:
    name = parse_spec(spec).name
    return understood(name, shape) if name in load_plugins().names("encoder") else (lamps(shape), Layout(bits=BITS))


def _decoder(spec: str, shape: Shape, seed: int = 0) -> Decoder:
    torch.manual_seed(seed)
    decoder = load_plugins().create("decoder", spec, shape, _world(spec, shape)[1])
    assert isinstance(decoder, Decoder)
    return decoder


def _states(decoder: Decoder) -> Tensor:
    """Return one state for each picture; where bits are in groups, exactly one bit of each group is true."""
    generator = torch.Generator().manual_seed(2)
    values = torch.rand(PAIRS, decoder.layout.bits, generator=generator)
    if decoder.layout.groups is None:
        return values.round()
    groups = torch.tensor(decoder.layout.groups)
    states = torch.zeros_like(values)
    for group in groups.unique():
        members = (groups == group).nonzero()[:, 0]
        states[torch.arange(len(states)), members[values[:, members].argmax(1)]] = 1.0
    return states


def _trained(spec: str, shape: Shape, steps: int = 10) -> Decoder:
    """Prepare and train for a few steps, so that weights and running statistics are not the initial ones."""
    decoder = _decoder(spec, shape)
    pixels, states = _world(spec, shape)[0].inputs, _states(decoder)
    decoder.prepare(pixels, states > 0.5)
    optimizer = torch.optim.Adam(decoder.train().parameters(), lr=0.01)
    for _ in range(steps):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(decoder(states), pixels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return decoder.eval()


@torch.no_grad()
def _logits(decoder: Decoder, states: Tensor) -> Tensor:
    logits: Tensor = decoder(states)
    return logits


def logits_are_a_row_of_pixels_per_state(spec: str) -> None:
    """Logits are finite, (batch, pixels), in training and in evaluation, where they do not depend on the batch."""
    for shape in SHAPES:
        decoder = _trained(spec, shape)
        states = _states(decoder)
        together, alone = _logits(decoder, states), _logits(decoder, states[:1])
        for logits in (together, _logits(decoder.train(), states)):
            assert logits.shape == (len(states), math.prod(shape))
            assert logits.isfinite().all()
        torch.testing.assert_close(together[:1], alone, rtol=1e-3, atol=1e-3)


def evaluation_is_exact(spec: str) -> None:
    """In evaluation there is no noise: the same state is drawn the same."""
    for shape in SHAPES:
        decoder = _trained(spec, shape)
        assert (_logits(decoder, _states(decoder)) == _logits(decoder, _states(decoder))).all()


def gradients_reach_the_bits_and_all_parameters(spec: str) -> None:
    """Both the encoder behind the bits and the decoder itself can learn."""
    for shape in SHAPES:
        decoder = _decoder(spec, shape).train()
        states = _states(decoder).requires_grad_()
        logits = decoder(states)
        (logits * torch.randn(logits.shape, generator=torch.Generator().manual_seed(1))).sum().backward()
        assert states.grad is not None
        assert states.grad.abs().sum() > 0
        for name, parameter in decoder.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name
            assert parameter.grad.abs().sum() > 0, name


def weights_come_back(spec: str) -> None:
    """A decoder loaded from the state of another draws the same."""
    for shape in SHAPES:
        decoder, again = _trained(spec, shape), _decoder(spec, shape, seed=1).eval()
        again.load_state_dict(decoder.state_dict())
        assert (_logits(again, _states(decoder)) == _logits(decoder, _states(decoder))).all()


def preparation_is_deterministic(spec: str) -> None:
    """From the same random weights, the same pictures and bits give the same prepared weights."""
    for shape in SHAPES:
        pair = (_decoder(spec, shape), _decoder(spec, shape))
        for decoder in pair:
            decoder.prepare(_world(spec, shape)[0].inputs, _states(decoder) > 0.5)
        first, again = (decoder.state_dict() for decoder in pair)
        assert first.keys() == again.keys()
        assert all((first[name] == again[name]).all() for name in first)


def it_goes_to_any_device(spec: str) -> None:
    """No tensor is tied to the CPU: the decoder runs on the meta device too."""
    for shape in SHAPES:
        decoder = _decoder(spec, shape).to("meta").train()
        assert decoder(_states(decoder).to("meta")).device.type == "meta"


CHECKS = (
    logits_are_a_row_of_pixels_per_state,
    evaluation_is_exact,
    gradients_reach_the_bits_and_all_parameters,
    weights_come_back,
    preparation_is_deterministic,
    it_goes_to_any_device,
)
