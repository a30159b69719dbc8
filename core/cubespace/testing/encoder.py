"""The rules that every encoder must follow, on grey and on colour pictures."""

from __future__ import annotations

import torch
from torch import Tensor

from cubespace.autoencoder.encoder import Encoder, Shape
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing.pictures import BITS, SHAPES, lamps, noise

GLARING = 1000.0  # far brighter than any picture, so that no bit seems constant because its weights are small


def _encoder(spec: str, shape: Shape) -> Encoder:
    torch.manual_seed(0)
    encoder = load_plugins().create("encoder", spec, shape, BITS)
    assert isinstance(encoder, Encoder)
    return encoder


def _pixels(shape: Shape) -> Tensor:
    return lamps(shape).inputs


def _trained(spec: str, shape: Shape, steps: int = 10) -> Encoder:
    """Train for a few steps, so that weights and running statistics are not the initial ones."""
    encoder = _encoder(spec, shape).train()
    optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
    pixels = _pixels(shape)
    for _ in range(steps):
        loss = (encoder(pixels).sigmoid() - 0.5).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return encoder.eval()


@torch.no_grad()
def _logits(encoder: Encoder, pixels: Tensor) -> Tensor:
    logits: Tensor = encoder(pixels)
    return logits


def logits_are_a_row_of_bits_per_picture(spec: str) -> None:
    """Logits are finite, (batch, bits), in training and in evaluation, where they do not depend on the batch."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(shape)
        together, alone = _logits(encoder, pixels), _logits(encoder, pixels[:1])
        for logits in (together, _logits(encoder.train(), pixels)):
            assert logits.shape == (len(pixels), encoder.bits)
            assert logits.isfinite().all()
        torch.testing.assert_close(together[:1], alone, rtol=1e-3, atol=1e-3)


def evaluation_is_exact(spec: str) -> None:
    """In evaluation there is no noise: the same picture has the same logits."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(shape)
        assert (_logits(encoder, pixels) == _logits(encoder, pixels)).all()


def gradients_reach_all_parameters(spec: str) -> None:
    """Every parameter can learn."""
    for shape in SHAPES:
        encoder = _encoder(spec, shape).train()
        logits = encoder(_pixels(shape))
        (logits * torch.randn(logits.shape, generator=torch.Generator().manual_seed(1))).sum().backward()
        for name, parameter in encoder.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name
            assert parameter.grad.abs().sum() > 0, name


def no_bit_is_held_at_first(spec: str) -> None:
    """No bit is held unless ``hold_bit`` was called."""
    for shape in SHAPES:
        encoder = _encoder(spec, shape)
        held = encoder.held_bits()
        assert held.shape == (encoder.bits,)
        assert held.dtype == torch.bool
        assert not held.any()


def a_held_bit_has_one_value_for_every_picture(spec: str) -> None:
    """It keeps its value on pictures of the world and on noise, and ``held_bits`` reports it."""
    for shape in SHAPES:
        for value in (False, True):
            encoder = _trained(spec, shape)
            bits = encoder.bits
            for bit in (0, bits - 1) if value is False else (bits // 2,):
                encoder.hold_bit(bit, value)
                assert encoder.held_bits()[bit]
                for pixels in (_pixels(shape), noise(shape), GLARING * noise(shape)):
                    assert ((_logits(encoder, pixels)[:, bit] > 0) == value).all()
            others = [bit for bit in range(bits) if bit not in (0, bits - 1, bits // 2)]
            assert not encoder.held_bits()[others].any(), "bits are held that were not asked for"


def held_bits_leave_the_others_alone(spec: str) -> None:
    """The logits of the other bits stay as they were."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(shape)
        before = _logits(encoder, pixels)
        encoder.hold_bit(1, True)
        others = torch.arange(encoder.bits) != 1
        torch.testing.assert_close(_logits(encoder, pixels)[:, others], before[:, others])


def weights_come_back(spec: str) -> None:
    """An encoder that takes the weights of another gives the same logits and holds the same bits."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(shape)
        encoder.hold_bit(0, True)
        torch.manual_seed(1)
        again = load_plugins().create("encoder", spec, shape, BITS).eval()
        again.load_state_dict(encoder.state_dict())
        assert (_logits(again, pixels) == _logits(encoder, pixels)).all()
        assert (again.held_bits() == encoder.held_bits()).all()


def it_goes_to_any_device(spec: str) -> None:
    """No tensor is tied to the CPU: the encoder runs on the meta device too."""
    for shape in SHAPES:
        encoder = _encoder(spec, shape).to("meta").train()
        assert encoder(noise(shape).to("meta")).device.type == "meta"
        assert encoder.held_bits().device.type == "meta"


CHECKS = (
    logits_are_a_row_of_bits_per_picture,
    evaluation_is_exact,
    gradients_reach_all_parameters,
    no_bit_is_held_at_first,
    a_held_bit_has_one_value_for_every_picture,
    held_bits_leave_the_others_alone,
    weights_come_back,
    it_goes_to_any_device,
)
