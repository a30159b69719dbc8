"""Labels by Bayes' rule: the same as counting over all successors by hand, for every module that has effects."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from cubespace.autoencoder.action_model import ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.base.options import NoOptions
from cubespace.plugins.catalogue import load_plugins
from cubespace_networks.posterior import Posterior, PosteriorOptions, log_likelihood

BITS, ACTIONS = 3, 4


class Strangers(ApplyModule):
    """An apply module that says nothing about its logits: they follow from what it returns."""

    def __init__(self, bits: int, actions: int, options: NoOptions) -> None:
        super().__init__(bits, actions, options)
        self.effect = nn.Parameter(torch.randn(actions, bits) * 2.0)

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        del temperature
        logits = 3.0 * (2.0 * state - 1.0) + action @ self.effect
        return torch.sigmoid(logits) if self.training else (logits > 0).to(state.dtype)

    def effects(self) -> tuple[Tensor, Tensor]:
        return self.effect.detach() > 3.0, self.effect.detach() < -3.0


def offered(spec: str) -> Callable[[], ApplyModule]:
    return lambda: load_plugins().create("apply", spec, BITS, ACTIONS)


MODULES: dict[str, Callable[[], ApplyModule]] = {
    **{spec: offered(spec) for spec in ("btl", "minmax", "smooth", "btl:norm=batch", "btl:norm=none")},
    "a stranger's": lambda: Strangers(BITS, ACTIONS, NoOptions()),
}
STATES = torch.tensor(list(itertools.product((0.0, 1.0), repeat=BITS)))
PAIRS = list(itertools.product(range(len(STATES)), repeat=2))  # every state before and every state after
BEFORE, AFTER = (STATES[[pair[side] for pair in PAIRS]] for side in (0, 1))


def posterior(**options: float) -> Posterior:
    torch.manual_seed(1)
    model = Posterior(BITS, ACTIONS, ActionShape(), PosteriorOptions(**options))
    with torch.no_grad():
        model.prior.copy_(torch.randn(ACTIONS))
        model.shift.copy_(torch.randn(BITS))
    return model


def made(name: str) -> ApplyModule:
    torch.manual_seed(0)
    return MODULES[name]()


def probability(given: Tensor, bits: Tensor, false: Tensor, true: Tensor, action: int) -> float:
    """The product over bits, one by one."""
    product = 1.0
    for bit in range(BITS):
        logit = (true if given[bit] else false)[action, bit].double()
        on = float(torch.sigmoid(logit))
        product *= on if bits[bit] else 1.0 - on
    return product


@pytest.mark.parametrize("name", MODULES)
def test_the_posterior_is_that_of_brute_force(name) -> None:
    model, apply = posterior().train(), made(name).train()
    with torch.no_grad():
        logits = model(BEFORE, AFTER, apply)
        chosen = model.choose(logits, 1.0)
        forward, backward = apply.bit_logits(), model.backward_logits()
    prior = torch.softmax(model.prior.detach().double(), 0)
    for row, (before, after) in enumerate(zip(BEFORE, AFTER, strict=True)):
        joint = torch.tensor(
            [
                float(prior[a])
                * probability(before, after, *forward, a)
                * probability(after, before, *backward, a) ** 0.3
                for a in range(ACTIONS)
            ]
        )
        torch.testing.assert_close(logits[row].exp(), joint, rtol=1e-4, atol=1e-12)
        torch.testing.assert_close(chosen[row], joint / joint.sum(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", MODULES)
def test_without_the_backward_term_all_successors_of_a_state_sum_to_one(name) -> None:
    model, apply = posterior(backward=0.0).train(), made(name).train()
    with torch.no_grad():
        joint = model(BEFORE, AFTER, apply).exp().sum(1).view(len(STATES), len(STATES))
    torch.testing.assert_close(joint.sum(1), torch.ones(len(STATES)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", MODULES)
def test_in_evaluation_the_label_is_one_with_the_fewest_wrong_bits(name) -> None:
    model, apply = posterior().eval(), made(name).eval()
    with torch.no_grad():
        labels = model(BEFORE, AFTER, apply).argmax(1)
        every = apply.successors(BEFORE, torch.arange(ACTIONS))  # (pairs, actions, bits)
    wrong = (every != AFTER.bool()[:, None]).sum(2)
    assert (wrong[torch.arange(len(PAIRS)), labels] == wrong.amin(1)).all()


def test_certain_logits_give_finite_logarithms_and_the_right_ones() -> None:
    false, true = torch.tensor([[200.0, -200.0, 0.0]]), torch.tensor([[-200.0, 200.0, 0.0]])
    given = torch.tensor([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    likely, unlikely = (
        torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
        torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]),
    )
    half = torch.full((2, 1), 0.5).log()
    torch.testing.assert_close(log_likelihood(given, likely, false, true), half)
    torch.testing.assert_close(log_likelihood(given, unlikely, false, true), half - 400.0)


def test_labels_that_were_written_are_those_of_their_effects() -> None:
    model, apply = posterior().eval(), made("btl").eval()
    rows = torch.tensor([2, 0])
    add, delete = torch.tensor([[1, 0, 0], [0, 1, 0]]).bool(), torch.tensor([[0, 1, 0], [0, 0, 0]]).bool()
    apply.write_rows(rows, add, delete)
    model.write_rows(rows, add, delete)
    before, after = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]), torch.tensor([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    assert model(before, after, apply).argmax(1).tolist() == [2, 0]
    false, true = model.backward_logits()
    assert (false[2] > 0).tolist() == [False, True, False]  # before label 2, bit 1 holds whatever it is after …
    assert (true[2] > 0).tolist() == [False, True, True]  # … and bit 0 does not
    assert (model.prior[rows] <= model.prior.max()).all()


@pytest.mark.parametrize("name", MODULES)
def test_labels_are_inferred_in_float32_whatever_the_precision(name) -> None:
    model, apply = posterior().train(), made(name).train()
    with torch.no_grad():
        exact = model(BEFORE, AFTER, apply)
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(BEFORE.bfloat16(), AFTER.bfloat16(), apply)
    assert logits.dtype == torch.float32
    torch.testing.assert_close(logits, exact)


def test_a_bit_that_is_held_changes_no_label() -> None:
    for name in ("btl", "minmax", "smooth"):
        model, apply = posterior().eval(), made(name).eval()
        model.leave_bit(1)
        apply.leave_bit(1)
        add, delete = apply.effects()
        assert not (add | delete)[:, 1].any(), name
        assert not model.table[:, 1].any()
