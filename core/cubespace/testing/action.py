"""What every action model must keep."""

from __future__ import annotations

import torch
from torch import Tensor

from cubespace.autoencoder.action_model import ActionModel, ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings import defaults

BITS, ACTIONS, BATCH = 12, 20, 64
SHAPE = ActionShape(width=24)


def _model(spec: str, seed: int = 0) -> ActionModel:
    torch.manual_seed(seed)
    model = load_plugins().create("action", spec, BITS, ACTIONS, SHAPE)
    assert isinstance(model, ActionModel)
    return model


def _apply() -> ApplyModule:
    """Return the module that the actions are for."""
    torch.manual_seed(7)
    module = load_plugins().create("apply", defaults.APPLY, BITS, ACTIONS)
    assert isinstance(module, ApplyModule)
    return module


def _states() -> tuple[Tensor, Tensor]:
    """Return hard states before and after transitions, each of which toggles one of a few bits."""
    generator = torch.Generator().manual_seed(1)
    before = torch.randint(2, (BATCH, BITS), generator=generator).float()
    flipped = torch.eye(BITS)[torch.arange(BATCH) % 4].bool()
    return before, torch.where(flipped, 1.0 - before, before)


def _trained(spec: str, steps: int = 20) -> tuple[ActionModel, ApplyModule]:
    """Train for a few steps, so that weights and running statistics are not the initial ones."""
    model, apply = _model(spec).train(), _apply().train()
    before, after = _states()
    optimizer = torch.optim.Adam([*model.parameters(), *apply.parameters()], lr=0.01)
    for _ in range(steps):
        _loss(model, apply, before, after).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.eval(), apply.eval()


def _loss(model: ActionModel, apply: ApplyModule, before: Tensor, after: Tensor) -> Tensor:
    """Return the error of the successor that the inferred action leads to."""
    action = model.choose(model(before, after, apply), 1.0)
    successor: Tensor = apply(before, action, 1.0)
    return (successor - after).square().mean()


def logits_are_a_row_of_labels_per_transition(spec: str) -> None:
    """Logits are finite, (batch, actions), in training and in evaluation, where they do not depend on the batch."""
    model, apply = _trained(spec)
    before, after = _states()
    with torch.no_grad():
        together, alone = model(before, after, apply), model(before[:1], after[:1], apply)
        for logits in (together, model.train()(before, after, apply)):
            assert logits.shape == (BATCH, ACTIONS)
            assert logits.isfinite().all()
    torch.testing.assert_close(together[:1], alone, rtol=1e-3, atol=1e-3)


def a_choice_is_relaxed_in_training(spec: str) -> None:
    """While training, a choice is a row of numbers in [0, 1] that sum to one."""
    model, apply = _trained(spec)
    model.train()
    action = model.choose(model(*_states(), apply), 1.0)
    assert action.shape == (BATCH, ACTIONS)
    assert action.min() >= 0
    torch.testing.assert_close(action.sum(1), torch.ones(BATCH))


def a_choice_is_the_likeliest_label_in_evaluation(spec: str) -> None:
    """In evaluation a choice is one-hot, without noise, and its label is the one with the largest logit."""
    model, apply = _trained(spec)
    with torch.no_grad():
        logits = model(*_states(), apply)
        action, again = model.choose(logits, 0.5), model.choose(model(*_states(), apply), 5.0)
    assert ((action == 0) | (action == 1)).all()
    assert (action.sum(1) == 1).all()
    assert (action.argmax(1) == logits.argmax(1)).all()
    assert (action == again).all()


def gradients_reach_all_parameters(spec: str) -> None:
    """The error of the successor teaches the action model, the apply module and the encoder behind the states."""
    model, apply = _model(spec).train(), _apply().train()
    before, after = (states.clone().requires_grad_() for states in _states())
    _loss(model, apply, before, after.detach()).backward()
    for name, parameter in (*model.named_parameters(), *apply.named_parameters()):
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name
    action = model.choose(model(before, after, apply), 1.0)
    (action * torch.randn(action.shape, generator=torch.Generator().manual_seed(2))).sum().backward()
    assert after.grad is not None
    assert after.grad.abs().sum() > 0


def written_effects_are_told_apart(spec: str) -> None:
    """Where effects can be written, a transition gets the label of its own difference."""
    model, apply = _trained(spec)
    if not model.writable:
        return
    before, after = _states()
    difference = (after - before).unique(dim=0)
    model.write_effects(difference > 0, difference < 0)
    with torch.no_grad():
        labels = model(before, after, apply).argmax(1)
    assert (labels < len(difference)).all()
    assert (difference[labels] == after - before).all()


def weights_come_back(spec: str) -> None:
    """A model loaded from the state of another gives the same labels."""
    model, apply = _trained(spec)
    other = _model(spec, seed=1).eval()
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        assert (model(*_states(), apply) == other(*_states(), apply)).all()


def it_goes_to_any_device(spec: str) -> None:
    """No tensor is nailed to the CPU: the model runs on the meta device too."""
    model, apply = _model(spec).to("meta").train(), _apply().to("meta").train()
    before, after = (states.to("meta") for states in _states())
    assert model.choose(model(before, after, apply), 1.0).device.type == "meta"


CHECKS = (
    logits_are_a_row_of_labels_per_transition,
    a_choice_is_relaxed_in_training,
    a_choice_is_the_likeliest_label_in_evaluation,
    gradients_reach_all_parameters,
    written_effects_are_told_apart,
    weights_come_back,
    it_goes_to_any_device,
)
