"""The objective of the paper: every term has its name, its weight and its delay."""

import torch
from builders import build_model
from toggles import tiny_recipe
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace.autoencoder.losses import weigh
from cubespace.autoencoder.model import Transition
from cubespace.autoencoder.objective import Losses
from cubespace.settings.recipe import LossConfig
from cubespace_networks.paper_objective import PaperObjective, PaperOptions

MODEL = build_model(tiny_recipe().autoencoder, (3, 3))


def outputs(parts: int = 3) -> tuple[Transition, torch.Tensor]:
    torch.manual_seed(0)
    states = torch.rand(2, 4, 5, requires_grad=True)
    successor = torch.rand(4, 5, requires_grad=True)
    pixels = (torch.randn(parts, 4, 9) * 3).requires_grad_()
    return Transition(torch.randn(2, 4, 5), states, torch.randn(4, 7), successor, pixels), torch.rand(2, 4, 9)


def losses(weights: LossConfig, transition: Transition, images: torch.Tensor, progress: float) -> Losses:
    objective = PaperObjective(weights, PaperOptions())
    return objective.losses(MODEL, transition, images, objective.weigh(progress))


def test_every_term_has_its_name_and_total_is_the_weighted_sum() -> None:
    transition, images = outputs()
    config = LossConfig(direct=0.3, zero_suppress=0.2, variational=0.1)
    terms = losses(config, transition, images, 1.0)
    assert set(terms) == {"before", "after", "successor", "direct", "zero_suppress", "variational", "total"}
    assert terms["direct"] == (transition.states[1] - transition.successor).abs().mean()
    expected = sum(terms[name] * weight for name, weight in weigh(config, 1.0).items())
    assert torch.allclose(terms["total"], torch.as_tensor(expected))


def test_a_delayed_term_is_reported_but_does_not_push_before_its_time() -> None:
    config = LossConfig(reconstruction=0.0, direct=1.0, direct_from=0.3, zero_suppress=1.0, zero_suppress_from=0.2)
    transition, images = outputs()
    terms = losses(config, transition, images, 0.1)
    terms["total"].backward()
    assert "direct" in terms
    assert transition.successor.grad is None


def test_without_a_successor_picture_its_loss_is_absent() -> None:
    transition, images = outputs(parts=2)
    without = LossConfig(successor=0.0)
    assert "successor" not in losses(without, transition, images, 1.0)
    assert not PaperObjective(without, PaperOptions()).needs_successor()
    assert PaperObjective(LossConfig(), PaperOptions()).needs_successor()


def test_it_has_settled_when_all_delays_are_over() -> None:
    objective = PaperObjective(LossConfig(direct_from=0.3, zero_suppress_from=0.6), PaperOptions())
    assert [objective.settled(progress) for progress in (0.3, 0.59, 0.6, 1.0)] == [False, False, True, True]


def test_without_x1_the_successor_is_compared_with_it_alone() -> None:
    transition, images = outputs(parts=2)  # x0, and x1 by way of the action
    objective = PaperObjective(LossConfig(), PaperOptions(after=False))
    terms = objective.losses(MODEL, transition, images, objective.weigh(1.0))
    assert not objective.needs_after()
    assert "after" not in terms
    expected = binary_cross_entropy_with_logits(transition.pixels[1], images[1])
    assert torch.allclose(terms["successor"], expected)
