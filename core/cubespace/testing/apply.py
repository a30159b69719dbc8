"""The rules that every apply module must follow."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.plugins.catalogue import load_plugins

BITS, ACTIONS, BATCH = 12, 7, 64


def _module(spec: str) -> ApplyModule:
    torch.manual_seed(0)
    module = load_plugins().create("apply", spec, BITS, ACTIONS)
    assert isinstance(module, ApplyModule)
    return module


def _batch() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    state = torch.randint(2, (BATCH, BITS), generator=generator).float()
    action = one_hot(torch.randint(ACTIONS, (BATCH,), generator=generator), ACTIONS).float()
    return state, action


def _trained(spec: str, steps: int = 30) -> ApplyModule:
    """Train towards random effects for a few steps, so that weights and running statistics are not the initial ones."""
    module = _module(spec)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.1)
    state, action = _batch()
    target = torch.rand(ACTIONS, BITS, generator=torch.Generator().manual_seed(2)).round()
    for _ in range(steps):
        loss = (module(state, action, 1.0) - action @ target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return module.eval()


def the_successor_is_relaxed_in_training(spec: str) -> None:
    """While training the successor has the shape of the state and stays in [0, 1]."""
    module = _module(spec).train()
    successor = module(*_batch(), 1.0)
    assert successor.shape == (BATCH, BITS)
    assert successor.min() >= 0
    assert successor.max() <= 1


def gradients_reach_the_action_and_all_parameters(spec: str) -> None:
    """Both the network that chooses the action and the module itself can learn."""
    module = _module(spec).train()
    state, action = _batch()
    action.requires_grad_()
    state.requires_grad_()
    module(state, action, 1.0).square().sum().backward()
    assert action.grad is not None
    assert action.grad.abs().sum() > 0
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def the_successor_is_exact_in_evaluation(spec: str) -> None:
    """In evaluation there are bits and no noise."""
    module = _trained(spec)
    state, action = _batch()
    with torch.no_grad():
        first, again = module(state, action, 0.5), module(state, action, 0.5)
    assert ((first == 0) | (first == 1)).all()
    assert (first == again).all()


def effects_agree_with_the_network(spec: str) -> None:
    """For every action and many states, add and delete masks give exactly the network's successor (Theorem 2)."""
    module = _trained(spec)
    if not module.strips:
        return
    with torch.no_grad():
        add, delete = module.effects()
        assert add.shape == delete.shape == (ACTIONS, BITS)
        assert add.dtype == delete.dtype == torch.bool
        assert not (add & delete).any()
        state = torch.randint(2, (BATCH, BITS), generator=torch.Generator().manual_seed(3)).float()
        for action in range(ACTIONS):
            label = one_hot(torch.full((BATCH,), action), ACTIONS).float()
            expected = (state.bool() & ~delete[action]) | add[action]
            assert (module(state, label, 0.5).bool() == expected).all()


def an_action_sets_a_bit_in_all_states_or_in_none(spec: str) -> None:
    """Theorem 2 of the paper: a bit that an action has once turned on is always on after it, and likewise for off."""
    module = _trained(spec)
    if not module.strips:
        return
    generator = torch.Generator().manual_seed(5)
    before = torch.randint(2, (BATCH, BITS), generator=generator).float()
    for action in range(ACTIONS):
        label = one_hot(torch.full((BATCH,), action), ACTIONS).float()
        with torch.no_grad():
            after = module(before, label, 0.5).bool()  # (batch, bits)
        turned_on, turned_off = (~before.bool() & after).any(0), (before.bool() & ~after).any(0)
        assert after[:, turned_on].all()
        assert not after[:, turned_off].any()


def successors_under_all_actions_are_those_of_each(spec: str) -> None:
    """The successors under several actions at once equal those under one action after the other."""
    module = _trained(spec)
    state, _ = _batch()
    labels = torch.tensor([3, 0, 5])
    with torch.no_grad():
        together = module.successors(state, labels)
        assert together.shape == (BATCH, len(labels), BITS)
        assert together.dtype == torch.bool
        for place, label in enumerate(labels.tolist()):
            action = one_hot(torch.full((BATCH,), label), ACTIONS).float()
            assert (together[:, place] == module(state, action, 0.5).bool()).all()


def written_effects_are_its_effects(spec: str) -> None:
    """Where effects can be written, they are then exactly those of the network, and further actions have none."""
    module = _trained(spec)
    if not module.writable:
        return
    kind = torch.randint(3, (ACTIONS - 2, BITS), generator=torch.Generator().manual_seed(4))
    module.write_effects(kind == 1, kind == 2)
    add, delete = module.effects()
    assert (add[:-2] == (kind == 1)).all()
    assert (delete[:-2] == (kind == 2)).all()
    assert not (add[-2:] | delete[-2:]).any()


def the_logits_of_bits_can_be_learned_from(spec: str) -> None:
    """In training the logits after each action are finite, and gradients reach all that an action has of its own."""
    module = _module(spec).train()
    if not module.strips:
        return
    false, true = module.bit_logits()
    assert false.shape == true.shape == (ACTIONS, BITS)
    assert torch.isfinite(false).all()
    assert torch.isfinite(true).all()
    (false.square().sum() + true.sum()).backward()
    for table in module.tables():
        assert table.grad is not None
        assert (table.grad.flatten(1).abs().sum(1) > 0).all(), "the effects of every action"


def the_logits_of_bits_have_the_signs_of_effects(spec: str) -> None:
    """In evaluation a bit is likely after an action if the action adds it, or if it was true and is not deleted."""
    module = _trained(spec)
    if not module.strips:
        return
    with torch.no_grad():
        false, true = module.bit_logits()
        add, delete = module.effects()
    assert ((false > 0) == add).all()
    assert ((true > 0) == ~delete).all()


def a_bit_can_be_left_alone(spec: str) -> None:
    """A bit that the module is told to leave is changed by no action, if it has tables; effects on others stay."""
    module = _trained(spec)
    if not (module.strips and module.tables()):
        return
    before = module.effects()
    module.leave_bit(2)
    after = module.effects()
    others = torch.arange(BITS) != 2
    for mask, former in zip(after, before, strict=True):
        assert not mask[:, 2].any()
        assert (mask[:, others] == former[:, others]).all()


def rows_can_be_written(spec: str) -> None:
    """Where effects can be written, some actions get new ones and the others keep theirs."""
    module = _trained(spec)
    if not module.writable:
        return
    before = module.effects()
    kind = torch.randint(3, (2, BITS), generator=torch.Generator().manual_seed(6))
    rows = torch.tensor([4, 1])
    module.write_rows(rows, kind == 1, kind == 2)
    others = torch.ones(ACTIONS, dtype=torch.bool).index_fill(0, rows, False)
    for mask, former, written in zip(module.effects(), before, (kind == 1, kind == 2), strict=True):
        assert (mask[rows] == written).all()
        assert (mask[others] == former[others]).all()


def weights_come_back(spec: str) -> None:
    """A module loaded from the state of another behaves the same."""
    module = _trained(spec)
    other = _module(spec).eval()
    other.load_state_dict(module.state_dict())
    with torch.no_grad():
        assert (module(*_batch(), 0.5) == other(*_batch(), 0.5)).all()


def it_goes_to_any_device(spec: str) -> None:
    """No tensor is tied to the CPU: the module runs on the meta device too."""
    module = _module(spec).to("meta").train()
    state, action = _batch()
    assert module(state.to("meta"), action.to("meta"), 1.0).device.type == "meta"


CHECKS = (
    the_successor_is_relaxed_in_training,
    gradients_reach_the_action_and_all_parameters,
    the_successor_is_exact_in_evaluation,
    effects_agree_with_the_network,
    an_action_sets_a_bit_in_all_states_or_in_none,
    successors_under_all_actions_are_those_of_each,
    written_effects_are_its_effects,
    the_logits_of_bits_can_be_learned_from,
    the_logits_of_bits_have_the_signs_of_effects,
    a_bit_can_be_left_alone,
    rows_can_be_written,
    weights_come_back,
    it_goes_to_any_device,
)
