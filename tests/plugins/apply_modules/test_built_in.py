import numpy as np
import pytest
import torch
from builders import training_run
from hypothesis import given, settings
from hypothesis import strategies as st
from toggles import EVERY_EPOCH, tiny_recipe, toggles
from torch.nn.functional import one_hot

from cubespace.autoencoder.action_model import ActionModel, ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing.apply import CHECKS

SPECS = [
    "btl",
    "btl:norm=none",
    "btl:activation=binconcrete",
    "btl:table=glorot",
    "btl:norm=sign",
    "btl:norm=affine",
    "btl:depth=1,width=20",
    "btl:depth=2,width=20,hidden=tanh,dropout=0.4,order=activation-norm,norm=affine",
    "btl:depth=1,width=20,norm=batch,dropout=0.4",
    "minmax:noise=off,first=add,nothing=0",
    "minmax:depth=1,width=20,hidden=tanh,dropout=0.4",
    "smooth:depth=1,width=20,first=add",
    "minmax",
    "smooth",
    "smooth:sharpness=8",
    "blackbox",
    "blackbox:depth=2,dropout=0.4,hidden=tanh,order=activation-norm,reread=on,activation=sigmoid",
]
STRIPS = SPECS[:-2]
SLOW = "smooth:depth=1,width=20,first=add"  # does not learn its effects in the few updates of the test below


def make(spec: str, bits: int, actions: int) -> ApplyModule:
    module = load_plugins().create("apply", spec, bits, actions)
    assert isinstance(module, ApplyModule)
    return module


def make_head(bits: int, actions: int, width: int) -> ActionModel:
    head = load_plugins().create("action", "head", bits, actions, ActionShape(width=width))
    assert isinstance(head, ActionModel)
    return head


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("spec", SPECS)
def test_every_variant_keeps_the_contract(spec, check) -> None:
    check(spec)


@pytest.mark.parametrize("spec", STRIPS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31), steps=st.integers(0, 5), scale=st.sampled_from([0.1, 1.0, 30.0]))
def test_network_and_masks_agree_for_every_action_and_state(spec, seed, steps, scale) -> None:
    torch.manual_seed(seed)
    bits, actions, batch = 7, 5, 16
    module = make(spec, bits, actions)
    optimizer = torch.optim.SGD(module.parameters(), lr=scale)
    for _ in range(steps):
        state, action = torch.rand(batch, bits), torch.softmax(torch.randn(batch, actions), 1)
        loss = (module(state, action, 0.7) - torch.rand(batch, bits)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    add, delete = module.effects()
    assert not (add & delete).any()
    module.eval()
    states = torch.randint(2, (batch, bits)).float().repeat(actions, 1)  # every action meets every state
    labels = torch.arange(actions).repeat_interleave(batch)
    predicted = module(states, one_hot(labels, actions).float(), 0.7)
    assert (predicted.bool() == ((states.bool() & ~delete[labels]) | add[labels])).all()


@pytest.mark.parametrize("spec", SPECS)
def test_the_action_net_learns_through_the_apply_module(spec) -> None:
    torch.manual_seed(0)
    head, module = make_head(6, 8, 300), make(spec, 6, 8)
    before, after = torch.rand(32, 6), torch.rand(32, 6)
    action = head.choose(head(before, after, module), 1.0)
    (module(before, action, 1.0) - after).abs().mean().backward()
    for part in (head, module):
        for name, parameter in part.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize("spec", [spec for spec in STRIPS if spec != SLOW])
def test_training_finds_the_effects_of_known_actions(spec) -> None:
    torch.manual_seed(0)
    bits, actions = 6, 4
    rng = np.random.default_rng(0)
    kind = torch.from_numpy(rng.integers(3, size=(actions, bits)))  # 0 adds, 1 deletes, 2 does nothing
    module = make(spec, bits, actions)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    for _ in range(600):  # initial effects are large: some must be unlearned first
        state = torch.randint(2, (64, bits)).float()
        label = torch.randint(actions, (64,))
        target = torch.where(kind[label] == 2, state, (kind[label] == 0).float())
        loss = (module(state, one_hot(label, actions).float(), 0.5) - target).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    add, delete = module.effects()
    assert (add == (kind == 0)).all()
    assert (delete == (kind == 1)).all()


def test_the_map_of_bits_stays_monotone_whatever_is_learned() -> None:
    module = make("btl:norm=batch", 5, 3)
    with torch.no_grad():
        module.state_logit.scale.fill_(-50.0)
        module.state_logit.norm.running_mean.normal_()
    add, delete = module.effects()
    assert not (add & delete).any()


def test_a_black_box_has_no_effects() -> None:
    module = make("blackbox", 4, 3)
    assert not module.strips
    with pytest.raises(NotImplementedError, match="no STRIPS effects"):
        module.effects()


def test_reading_effects_leaves_training_mode_and_statistics_alone() -> None:
    module = make("btl", 5, 3).train()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    module.effects()
    assert module.training
    assert all((value == before[name]).all() for name, value in module.state_dict().items())


@pytest.mark.parametrize("spec", ["btl", "minmax", "smooth"])
def test_a_joint_training_moves_the_action_head_and_the_effects(spec, tmp_path) -> None:
    """In the paper's released code the naive modules may not have been trained at all; here every weight moves."""
    recipe = tiny_recipe(spec, extensions=())
    run = training_run(tmp_path, toggles(100), toggles(20, 1), recipe, execution=EVERY_EPOCH)
    parts = {"action": run.model.action, "apply": run.model.apply_module}
    start = {part: [value.detach().clone() for value in module.parameters()] for part, module in parts.items()}
    for _ in run:
        pass
    for part, module in parts.items():
        for (name, value), before in zip(module.named_parameters(), start[part], strict=True):
            moved = float((value.detach() - before).abs().max())
            assert moved > 1e-4, f"{part} {name} moved by {moved}"


@pytest.mark.parametrize("spec", ["btl", "minmax", "smooth"])
def test_head_and_effects_learn_together_what_the_actions_do(spec, tmp_path) -> None:
    """On frozen bits the error of the predicted successor falls well below that of predicting no change."""
    torch.manual_seed(0)
    bits, actions = 8, 16
    head, module = make_head(bits, actions, 64), make(spec, bits, actions)
    optimizer = torch.optim.Adam([*head.parameters(), *module.parameters()], lr=0.01)
    kind = torch.randint(3, (6, bits))  # six true actions: 0 adds, 1 deletes, 2 does nothing
    for step in range(600):
        before, true = torch.randint(2, (100, bits)).float(), torch.randint(6, (100,))
        after = torch.where(kind[true] == 2, before, (kind[true] == 0).float())
        temperature = 2.0 * 0.25 ** (step / 600)
        action = head.choose(head(before, after, module), temperature)
        loss = (module(before, action, temperature) - after).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    head.eval()
    module.eval()
    with torch.no_grad():
        predicted = module(before, one_hot(head(before, after, module).argmax(1), actions).float(), 0.5)
    assert (predicted != after).float().mean() < 0.3 * (before != after).float().mean()
