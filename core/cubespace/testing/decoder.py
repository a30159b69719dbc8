"""The rules that every decoder must follow, for grey and for colour pictures."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from cubespace.autoencoder.encoder import Decoder, Shape
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing.pictures import BITS, PAIRS, SHAPES, lamps


def _decoder(spec: str, shape: Shape, seed: int = 0) -> Decoder:
    torch.manual_seed(seed)
    decoder = load_plugins().create("decoder", spec, shape, BITS)
    assert isinstance(decoder, Decoder)
    return decoder


def _states() -> Tensor:
    """Return one random state for each picture."""
    return torch.rand(PAIRS, BITS, generator=torch.Generator().manual_seed(2)).round()


def _trained(spec: str, shape: Shape, steps: int = 10) -> Decoder:
    """Train for a few steps, so that weights and running statistics are not the initial ones."""
    decoder = _decoder(spec, shape)
    pixels, states = lamps(shape).inputs, _states()
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
        states = _states()
        together, alone = _logits(decoder, states), _logits(decoder, states[:1])
        for logits in (together, _logits(decoder.train(), states)):
            assert logits.shape == (len(states), math.prod(shape))
            assert logits.isfinite().all()
        torch.testing.assert_close(together[:1], alone, rtol=1e-3, atol=1e-3)


def evaluation_is_exact(spec: str) -> None:
    """In evaluation there is no noise: the same state is drawn the same."""
    for shape in SHAPES:
        decoder = _trained(spec, shape)
        assert (_logits(decoder, _states()) == _logits(decoder, _states())).all()


def gradients_reach_the_bits_and_all_parameters(spec: str) -> None:
    """Both the encoder behind the bits and the decoder itself can learn."""
    for shape in SHAPES:
        decoder = _decoder(spec, shape).train()
        states = _states().requires_grad_()
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
        assert (_logits(again, _states()) == _logits(decoder, _states())).all()


def it_goes_to_any_device(spec: str) -> None:
    """No tensor is tied to the CPU: the decoder runs on the meta device too."""
    for shape in SHAPES:
        decoder = _decoder(spec, shape).to("meta").train()
        assert decoder(_states().to("meta")).device.type == "meta"


CHECKS = (
    logits_are_a_row_of_pixels_per_state,
    evaluation_is_exact,
    gradients_reach_the_bits_and_all_parameters,
    weights_come_back,
    it_goes_to_any_device,
)
