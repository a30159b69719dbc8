import torch
from torch import nn

from cubespace.autoencoder.rectified_adam import RectifiedAdam, rectification


def test_it_walks_like_torch_radam() -> None:
    torch.manual_seed(0)
    start = [torch.randn(7, 3), torch.randn(3)]
    mine, theirs = ([nn.Parameter(tensor.clone()) for tensor in start] for _ in range(2))
    fast, slow = RectifiedAdam(mine, 0.01), torch.optim.RAdam(theirs, lr=0.01)
    for _ in range(60):
        gradients = [torch.randn_like(tensor) for tensor in start]
        for parameters in (mine, theirs):
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.grad = gradient.clone()
        fast.step()
        slow.step()
        for ours, reference in zip(mine, theirs, strict=True):
            assert torch.allclose(ours, reference, atol=1e-5)


def test_its_state_comes_back_bit_by_bit() -> None:
    torch.manual_seed(0)
    one, other = (nn.Parameter(torch.ones(5)) for _ in range(2))
    first, second = RectifiedAdam([one], 0.1), RectifiedAdam([other], 0.1)
    gradients = torch.randn(20, 5)
    for step, gradient in enumerate(gradients):
        one.grad = gradient.clone()
        first.step()
        if step == 8:
            second.load_state_dict(first.state_dict())
            with torch.no_grad():
                other.copy_(one)
        elif step > 8:
            other.grad = gradient.clone()
            second.step()
    assert (one == other).all()


def test_the_rectification_begins_undefined_and_tends_to_one() -> None:
    assert [rectification(step, 0.999) is None for step in range(1, 8)] == [True] * 5 + [False] * 2
    factors = [rectification(step, 0.999) or 0.0 for step in (6, 100, 10_000)]
    assert factors == sorted(factors)
    assert factors[-1] > 0.99
