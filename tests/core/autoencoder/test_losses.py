import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace.autoencoder.losses import image_loss, variational, weigh
from cubespace.settings.recipe import LossConfig


def drawn(parts: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits of drawn pictures, and the pictures before and after."""
    torch.manual_seed(0)
    return (torch.randn(parts, 4, 9) * 3).requires_grad_(), torch.rand(2, 4, 9)


@pytest.mark.parametrize("parts", [2, 3])
def test_cross_entropy_and_its_gradient_are_those_of_torch(parts) -> None:
    logits, images = drawn(parts)
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
    logits, images = drawn()
    expected = (torch.sigmoid(logits[2]) - images[1]).square().mean()
    assert image_loss("mse", logits, images)[2].item() == pytest.approx(expected.item())


def test_delayed_terms_do_not_count_before_their_time() -> None:
    config = LossConfig(reconstruction=0.0, direct=1.0, direct_from=0.3, zero_suppress=1.0, zero_suppress_from=0.2)
    assert set(weigh(config, 0.1)) == {"successor"}
    assert set(weigh(config, 0.2)) == {"successor", "zero_suppress"}
    assert set(weigh(config, 0.3)) == {"successor", "zero_suppress", "direct"}


def test_the_variational_loss_is_zero_at_the_prior_and_positive_elsewhere() -> None:
    at_prior = variational(torch.logit(torch.full((2, 3, 4), 0.1)), torch.zeros(3, 5), 0.1)
    assert at_prior.item() == pytest.approx(0.0, abs=1e-6)
    assert variational(torch.randn(2, 3, 4), torch.randn(3, 5), 0.1).item() > 0
