import math

import pytest
import torch
from torch import nn

from cubespace.autoencoder.noise_pool import Noise, gumbel_, logistic_, refresh_noise
from cubespace.autoencoder.relaxations import (
    BinConcrete,
    Dropout,
    GaussianNoise,
    GumbelSoftmax,
    softplus_inverse,
)


@pytest.mark.parametrize(("fill", "mean", "variance"), [(gumbel_, 0.5772, 1.6449), (logistic_, 0.0, 3.2899)])
def test_noise_has_the_moments_of_its_distribution(fill, mean, variance) -> None:
    torch.manual_seed(0)
    noise = fill(torch.empty(200_000))
    assert noise.isfinite().all()
    assert noise.mean().item() == pytest.approx(mean, abs=0.02)
    assert noise.var().item() == pytest.approx(variance, abs=0.05)


def test_a_pool_is_read_from_different_places_and_drawn_anew_when_refreshed() -> None:
    torch.manual_seed(0)
    source = nn.Sequential(Noise(gumbel_))
    like = torch.empty(10, 10)
    first, second = source(like).clone(), source(like).clone()
    assert (first != second).any()
    torch.manual_seed(0)
    refresh_noise(source)
    assert (source(like) == first).all()


def test_noise_lies_in_memory_as_what_it_is_added_to() -> None:
    like = torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last)
    noise = Noise(gumbel_)(like)
    assert noise.shape == like.shape
    assert noise.stride() == like.stride()


def test_a_mask_keeps_the_precision_of_its_inputs() -> None:
    inputs = torch.ones(200, 200, dtype=torch.bfloat16)
    masked = Dropout(0.4)(inputs)
    assert masked.dtype == torch.bfloat16
    assert masked.float().mean().item() == pytest.approx(1.0, abs=0.02)


def test_relaxations_are_hard_in_evaluation_and_noisy_in_training() -> None:
    logits = torch.randn(50, 6)
    bits, action = BinConcrete(), GumbelSoftmax()
    soft = bits(logits, 1.0)
    assert ((soft > 0) & (soft < 1)).any()
    assert torch.allclose(action(logits, 1.0).sum(1), torch.ones(50))
    bits.eval()
    action.eval()
    assert (bits(logits, 1.0) == (logits > 0)).all()
    assert (action(logits, 1.0).argmax(1) == logits.argmax(1)).all()
    assert (action(logits, 1.0).sort(1).values == torch.tensor([0.0] * 5 + [1.0])).all()


def test_a_low_temperature_comes_close_to_hard_bits() -> None:
    torch.manual_seed(0)
    logits = torch.randn(100, 10)
    relaxation = BinConcrete()
    hardness = [(relaxation(logits, t) - 0.5).abs().mean().item() for t in (5.0, 1.0, 0.1)]
    assert hardness == sorted(hardness)
    assert hardness[-1] > 0.45


def test_picture_noise_and_dropout_are_off_in_evaluation_and_unbiased_in_training() -> None:
    torch.manual_seed(0)
    inputs = torch.ones(200, 200)
    for module in (GaussianNoise(0.2), Dropout(0.2)):
        assert (module(inputs) != inputs).any()
        assert module(inputs).mean().item() == pytest.approx(1.0, abs=0.02)
        assert module.eval()(inputs) is inputs
    assert GaussianNoise(0.0)(inputs) is inputs


def test_softplus_inverse() -> None:
    assert math.log1p(math.exp(softplus_inverse(1.0))) == pytest.approx(1.0)
