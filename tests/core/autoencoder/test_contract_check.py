"""A part of the network that returns something of the wrong form is named before any training."""

import pytest
import torch
from builders import build_model
from toggles import tiny_recipe
from torch import Tensor, nn

from cubespace.autoencoder.contract_check import check_parts
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.base.errors import ContractError


@pytest.fixture
def network() -> SpaceAutoEncoder:
    return build_model(tiny_recipe().autoencoder, (8, 9))


def test_good_parts_pass_and_are_left_as_they_were(network) -> None:
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    modes = [module.training for module in network.modules()]
    check_parts(network)
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())
    assert [module.training for module in network.modules()] == modes


@pytest.mark.parametrize("part", ["encoder", "decoder", "action", "apply_module"])
@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "not NoneType"),
        (torch.zeros(4, 3), r"not torch.float32 \(4, 3\)"),
        (torch.zeros(4, dtype=torch.int64), "not torch.int64"),
    ],
    ids=["nothing", "shape", "integers"],
)
def test_a_part_that_returns_the_wrong_thing_is_named(network, monkeypatch, part, result, words) -> None:
    module: nn.Module = getattr(network, part)
    monkeypatch.setattr(module, "forward", lambda *_: result)
    with pytest.raises(ContractError, match=words) as caught:
        check_parts(network)
    assert caught.value.component is module


@pytest.mark.parametrize("training", [False, True])
def test_numbers_that_are_none_are_blamed_on_the_apply_module_that_made_them(network, monkeypatch, training) -> None:
    apply = network.apply_module
    good = type(apply).forward

    def forward(module: nn.Module, *given: Tensor) -> Tensor:
        return good(module, *given) * (float("nan") if module.training is training else 1.0)

    monkeypatch.setattr(type(apply), "forward", forward)
    with pytest.raises(ContractError, match="not all finite") as caught:
        check_parts(network)
    assert caught.value.component is apply


@pytest.mark.parametrize("effects", [None, (torch.zeros(16, 12),) * 2, (torch.zeros(3, 3, dtype=torch.bool),) * 2])
def test_wrong_effects_are_named(network, monkeypatch, effects) -> None:
    monkeypatch.setattr(network.apply_module, "effects", lambda: effects)
    with pytest.raises(ContractError, match="effects") as caught:
        check_parts(network)
    assert caught.value.component is network.apply_module
