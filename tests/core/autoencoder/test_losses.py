import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace.autoencoder.losses import image_loss, transition_losses, variational, weigh
from cubespace.autoencoder.model import Transition
from cubespace.settings.recipe import LossConfig


def outputs(parts: int = 3) -> tuple[Transition, torch.Tensor]:
    torch.manual_seed(0)
    states = torch.rand(2, 4, 5, requires_grad=True)
    successor = torch.rand(4, 5, requires_grad=True)
    pixels = (torch.randn(parts, 4, 9) * 3).requires_grad_()
    return Transition(torch.randn(2, 4, 5), states, torch.randn(4, 7), successor, pixels), torch.rand(2, 4, 9)


@pytest.mark.parametrize("parts", [2, 3])
def test_cross_entropy_and_its_gradient_are_those_of_torch(parts) -> None:
    (*_, logits), images = outputs(parts)
    target = torch.cat((images, images[1:]))[:parts]
    weights = torch.tensor([1.0, 2.0, 0.5])[:parts]
    expected = binary_cross_entropy_with_logits(logits, target, reduction="none").mean((1, 2))
    (wanted,) = torch.autograd.grad((expected * weights).sum(), logits)
    values = image_loss("bce", logits, images)
    (gradient,) = torch.autograd.grad((values * weights).sum(), logits)
    assert torch.allclose(values, expected, atol=1e-6)
    assert torch.allclose(gradient, wanted, atol=1e-7)


def test_cross_entropy_is_finite_for_extreme_logits() -> None:
    logits = torch.tensor([-1e4, -100.0, 0.0, 100.0, 1e4]).view(1, 1, 5).repeat(2, 1, 1).requires_grad_()
    values = image_loss("bce", logits, torch.zeros(2, 1, 5))
    values.sum().backward()
    assert values.isfinite().all()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()


def test_squared_error_is_of_probabilities() -> None:
    (*_, logits), images = outputs()
    expected = (torch.sigmoid(logits[2]) - images[1]).square().mean()
    assert image_loss("mse", logits, images)[2].item() == pytest.approx(expected.item())


def test_every_term_has_its_name_and_total_is_the_weighted_sum() -> None:
    transition, images = outputs()
    config = LossConfig(direct=0.3, zero_suppress=0.2, variational=0.1)
    terms = transition_losses(config, transition, images, 1.0)
    assert set(terms) == {"before", "after", "successor", "direct", "zero_suppress", "variational", "total"}
    assert terms["direct"] == (transition.states[1] - transition.successor).abs().mean()
    expected = sum(terms[name] * weight for name, weight in weigh(config, 1.0).items())
    assert torch.allclose(terms["total"], torch.as_tensor(expected))


def test_delayed_terms_neither_count_nor_push_before_their_time() -> None:
    config = LossConfig(reconstruction=0.0, direct=1.0, direct_from=0.3, zero_suppress=1.0, zero_suppress_from=0.2)
    assert set(weigh(config, 0.1)) == {"successor"}
    assert set(weigh(config, 0.2)) == {"successor", "zero_suppress"}
    assert set(weigh(config, 0.3)) == {"successor", "zero_suppress", "direct"}
    transition, images = outputs()
    transition_losses(config, transition, images, 0.1)["total"].backward()
    assert transition.successor.grad is None  # the direct loss was still reported


def test_without_a_successor_picture_its_loss_is_absent() -> None:
    transition, images = outputs(parts=2)
    assert "successor" not in transition_losses(LossConfig(successor=0.0), transition, images, 1.0)


def test_the_variational_loss_is_zero_at_the_prior_and_positive_elsewhere() -> None:
    at_prior = variational(torch.logit(torch.full((2, 3, 4), 0.1)), torch.zeros(3, 5), 0.1)
    assert at_prior.item() == pytest.approx(0.0, abs=1e-6)
    assert variational(torch.randn(2, 3, 4), torch.randn(3, 5), 0.1).item() > 0
