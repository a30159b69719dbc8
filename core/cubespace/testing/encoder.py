"""The rules that every encoder must follow, on grey and on colour pictures.

An encoder may refuse unsuitable pictures with a :class:`UsageError`, but not all worlds of the suite.
"""

from __future__ import annotations

import json

import torch
from torch import Tensor

from cubespace.autoencoder.encoder import Encoder, Layout, Shape
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing.pictures import SHAPES, noise, planned, understood

GLARING = 1000.0  # far brighter than any picture, so that no bit seems constant because its weights are small


def _encoder(spec: str, shape: Shape) -> Encoder:
    torch.manual_seed(0)
    encoder = load_plugins().create("encoder", spec, shape, understood(spec, shape)[1])
    assert isinstance(encoder, Encoder)
    return encoder


def _pixels(spec: str, shape: Shape) -> Tensor:
    return understood(spec, shape)[0].inputs


def _prepared(spec: str, shape: Shape) -> Encoder:
    encoder = _encoder(spec, shape)
    encoder.prepare(_pixels(spec, shape))
    return encoder


def _trained(spec: str, shape: Shape, steps: int = 10) -> Encoder:
    """Prepare and train for a few steps, so that weights and running statistics are not the initial ones."""
    encoder = _prepared(spec, shape).train()
    optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
    pixels = _pixels(spec, shape)
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
        encoder, pixels = _trained(spec, shape), _pixels(spec, shape)
        together, alone = _logits(encoder, pixels), _logits(encoder, pixels[:1])
        for logits in (together, _logits(encoder.train(), pixels)):
            assert logits.shape == (len(pixels), encoder.layout.bits)
            assert logits.isfinite().all()
        torch.testing.assert_close(together[:1], alone, rtol=1e-3, atol=1e-3)


def evaluation_is_exact(spec: str) -> None:
    """In evaluation there is no noise: the same picture has the same logits."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(spec, shape)
        assert (_logits(encoder, pixels) == _logits(encoder, pixels)).all()


def gradients_reach_all_parameters(spec: str) -> None:
    """Every parameter can learn."""
    for shape in SHAPES:
        encoder = _encoder(spec, shape).train()
        logits = encoder(_pixels(spec, shape))
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
        assert held.shape == (encoder.layout.bits,)
        assert held.dtype == torch.bool
        assert not held.any()


def a_held_bit_has_one_value_for_every_picture(spec: str) -> None:
    """It keeps its value on pictures of the world and on noise, and ``held_bits`` reports it."""
    for shape in SHAPES:
        for value in (False, True):
            encoder = _trained(spec, shape)
            bits = encoder.layout.bits
            groups = encoder.layout.groups or tuple(range(bits))
            for bit in (0, bits - 1) if value is False else (bits // 2,):
                encoder.hold_bit(bit, value)
                assert encoder.held_bits()[bit]
                for pixels in (_pixels(spec, shape), noise(shape), GLARING * noise(shape)):
                    assert ((_logits(encoder, pixels)[:, bit] > 0) == value).all()
            touched = {groups[bit] for bit in (0, bits - 1, bits // 2)}
            others = torch.tensor([group not in touched for group in groups])
            assert not encoder.held_bits()[others].any(), "bits are held that were not asked for"


def held_bits_leave_the_others_alone(spec: str) -> None:
    """Where bits are independent of each other, the logits of the others stay as they were."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(spec, shape)
        if encoder.layout.groups is not None:
            return
        before = _logits(encoder, pixels)
        encoder.hold_bit(1, True)
        others = torch.arange(encoder.layout.bits) != 1
        torch.testing.assert_close(_logits(encoder, pixels)[:, others], before[:, others])


def the_layout_is_plain_json(spec: str) -> None:
    """The layout survives JSON; an encoder built from it again takes the weights and gives the same logits."""
    for shape in SHAPES:
        encoder, pixels = _trained(spec, shape), _pixels(spec, shape)
        encoder.hold_bit(0, True)
        table = json.loads(json.dumps(encoder.layout.record()))
        groups = None if table["groups"] is None else tuple(table["groups"])
        assert groups is None or len(groups) == table["bits"]
        layout = Layout(**{**table, "groups": groups})
        torch.manual_seed(1)
        again = load_plugins().create("encoder", spec, shape, layout).eval()
        again.load_state_dict(encoder.state_dict())
        assert (_logits(again, pixels) == _logits(encoder, pixels)).all()
        assert (again.held_bits() == encoder.held_bits()).all()


def planning_depends_on_the_pictures_alone(spec: str) -> None:
    """The same pictures give the same layout."""
    for shape in SHAPES:
        world, layout = understood(spec, shape)
        again = planned(spec, world)
        assert again == layout
        assert again.start.keys() == layout.start.keys()
        assert all((again.start[name] == layout.start[name]).all() for name in layout.start)


def preparation_is_deterministic(spec: str) -> None:
    """From the same random weights, the same pictures give the same prepared weights."""
    for shape in SHAPES:
        first, again = _prepared(spec, shape).state_dict(), _prepared(spec, shape).state_dict()
        assert first.keys() == again.keys()
        assert all((first[name] == again[name]).all() for name in first)


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
    the_layout_is_plain_json,
    planning_depends_on_the_pictures_alone,
    preparation_is_deterministic,
    it_goes_to_any_device,
)
