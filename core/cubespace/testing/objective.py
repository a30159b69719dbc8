"""What every objective must keep."""

from __future__ import annotations

import torch
from torch import Tensor

from cubespace.autoencoder.building import new_network
from cubespace.autoencoder.model import SpaceAutoEncoder, Transition
from cubespace.autoencoder.objective import Losses, Objective, check_losses
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.recipe import LossConfig
from cubespace.testing.pictures import SHAPES, as_inputs, lamps
from cubespace.testing.trainings import SHORT, parts

MOMENTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the training


def _objective(spec: str, weights: LossConfig | None = None) -> Objective:
    objective = load_plugins().create("objective", spec, weights or LossConfig())
    assert isinstance(objective, Objective)
    return objective


def _network() -> SpaceAutoEncoder:
    return new_network(SHORT.autoencoder, SHORT.train, SHAPES[0][:2], parts()).train()


def _images() -> Tensor:
    world = lamps(SHAPES[0])
    return torch.stack([as_inputs(world.before), as_inputs(world.after)])


def _outputs(objective: Objective, model: SpaceAutoEncoder) -> Transition:
    """Return what the network makes of a batch, with the pictures that the objective needs."""
    outputs: Transition = model(
        _images(), 1.0, draw_after=objective.needs_after(), draw_successor=objective.needs_successor()
    )
    return outputs


def _losses(objective: Objective, model: SpaceAutoEncoder, progress: float) -> Losses:
    """Return the losses of a batch."""
    outputs = _outputs(objective, model)
    return objective.losses(model, outputs, _images(), objective.weigh(progress))


def terms_are_finite_numbers_and_have_a_total(spec: str) -> None:
    """Each term is one finite number, and the total depends on what is trained, at every moment."""
    objective, model = _objective(spec), _network()
    for progress in MOMENTS:
        losses = check_losses(_losses(objective, model, progress), objective)
        for name, term in losses.items():
            assert term.ndim == 0, name
            assert term.isfinite(), name


def terms_are_the_same_at_every_moment(spec: str) -> None:
    """A term that does not count yet is reported all the same: the means of an epoch are taken by name."""
    objective, model = _objective(spec), _network()
    names = [list(_losses(objective, model, progress)) for progress in MOMENTS]
    assert all(each == names[0] for each in names)


def the_same_outputs_have_the_same_losses(spec: str) -> None:
    """The losses depend on what they are given, and on nothing else."""
    model, objective = _network(), _objective(spec)
    outputs = _outputs(objective, model)
    for progress in MOMENTS:
        one, other = (_objective(spec).losses(model, outputs, _images(), objective.weigh(progress)) for _ in range(2))
        assert all(torch.equal(one[name], other[name]) for name in one)


def in_the_end_it_teaches_every_part(spec: str) -> None:
    """With positive weights of all terms, every parameter of the network has a gradient at the end of the training."""
    weights = LossConfig(direct=0.5, zero_suppress=0.5, variational=0.1)
    model = _network()
    _losses(_objective(spec, weights), model, 1.0)["total"].backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


def once_settled_it_stays_so(spec: str) -> None:
    """Weights stop changing at some moment, at the end at the latest."""
    objective = _objective(spec)
    verdicts = [objective.settled(progress) for progress in MOMENTS]
    assert verdicts == sorted(verdicts)
    assert verdicts[-1]


CHECKS = (
    terms_are_finite_numbers_and_have_a_total,
    terms_are_the_same_at_every_moment,
    the_same_outputs_have_the_same_losses,
    in_the_end_it_teaches_every_part,
    once_settled_it_stays_so,
)
