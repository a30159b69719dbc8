"""Networks for things that lie in piles: they tell what is there, not how high, and draw each column by itself."""

import attrs
import numpy as np
import pytest
import torch
from builders import build_model

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.recipe import ModelConfig
from cubespace.settings.run_config import load_config, parse_settings

PILES = ModelConfig(bits=18, actions=5, action_width=18, encoder="piles:columns=3,noise=0", decoder="mlp:width=16")


def towers(disks: int) -> tuple[np.ndarray, torch.Tensor, tuple[int, ...]]:
    """Return random states and their pictures as rows of pixels."""
    domain = load_plugins().create("domain", f"hanoi:disks={disks}")
    states = domain.random_states(200, np.random.default_rng(0))
    return states, torch.from_numpy(domain.render(states)).flatten(1) / 255.0, domain.image_shape


def test_what_it_has_looked_at_it_tells_apart_wherever_it_lies() -> None:
    states, pixels, shape = towers(4)
    model = build_model(PILES, shape).eval()
    model.encoder.prepare(pixels)
    bits = (model.encoder(pixels) > 0).numpy()
    on = np.stack([states == peg for peg in range(3)], axis=1).reshape(200, -1)  # (states, pegs * disks)
    columns = {column.tobytes() for column in bits.T}
    assert all(column.tobytes() in columns for column in on.T)  # every disk on every peg is a bit
    assert len({*columns} - {column.tobytes() for column in on.T}) <= 2  # the rest are constant


def test_rows_are_a_set() -> None:
    _, pixels, shape = towers(3)
    model = build_model(attrs.evolve(PILES, bits=12), shape).eval()
    shuffled = pixels.unflatten(1, shape)[:, torch.randperm(shape[0])].flatten(1)
    torch.testing.assert_close(model.encoder(shuffled), model.encoder(pixels))


@pytest.mark.parametrize("shape", [(6, 9), (4, 6, 3)], ids=str)
def test_columns_are_drawn_each_by_itself_and_alike(shape: tuple[int, ...]) -> None:
    model = build_model(attrs.evolve(PILES, decoder="piles:columns=3"), shape).eval()
    bits = (torch.rand(5, 18) < 0.5).float()
    turned = bits.unflatten(1, (3, 6)).roll(1, dims=1).flatten(1)
    pictures, others = (model.decoder(each).unflatten(1, shape) for each in (bits, turned))
    torch.testing.assert_close(others, pictures.roll(shape[1] // 3, dims=2))


def test_a_bit_can_be_held_constant() -> None:
    _, pixels, shape = towers(3)
    model = build_model(PILES, shape).eval()
    model.encoder.hold_bit(4, True)
    assert (model.encoder(pixels)[:, 4] == 10.0).all()
    assert model.encoder.held_bits().nonzero().tolist() == [[4]]


def test_gradients_reach_every_part_and_no_device_is_assumed() -> None:
    _, pixels, shape = towers(3)
    model = build_model(PILES, shape)
    model.encoder(pixels).square().mean().backward()
    assert all(parameter.grad is not None for parameter in model.encoder.parameters())
    assert model.to("meta").encoder(pixels.to("meta")).device.type == "meta"
    drawing = build_model(attrs.evolve(PILES, decoder="piles:columns=3"), shape).to("meta")
    assert drawing.decoder(torch.rand(2, 18, device="meta")).shape == (2, pixels.shape[1])


@pytest.mark.parametrize(
    ("encoder", "words"),
    [("pile", "'pile' is not one of mlp, conv, piles"), ("piles:rows=3", "unknown option 'rows'"), ("mlp:a=1", "a")],
)
def test_a_wrong_name_or_option_is_told(encoder: str, words: str) -> None:
    for part in ("encoder", "decoder"):
        with pytest.raises(UsageError, match=rf"model\.{part}: .*{words}"):
            load_config(None, parse_settings([f"model.{part}={encoder}"]))


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be divided among 3 columns"):
        build_model(PILES, (9, 10))
    with pytest.raises(UsageError, match="20 bits cannot be divided"):
        build_model(attrs.evolve(PILES, bits=20), (9, 9))
