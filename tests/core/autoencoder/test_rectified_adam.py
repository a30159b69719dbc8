import torch
from torch import nn

from cubespace.autoencoder.rectified_adam import RectifiedAdam, rectification


def test_it_walks_like_torch_radam() -> None:
    torch.manual_seed(0)
    start = [torch.randn(7, 3), torch.randn(3)]
    mine, theirs = ([nn.Parameter(tensor.clone()) for tensor in start] for _ in range(2))
    fast, slow = RectifiedAdam([(1.0, mine)], 0.01), torch.optim.RAdam(theirs, lr=0.01)
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
    first, second = (RectifiedAdam([(1.0, [parameter])], 0.1) for parameter in (one, other))
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


def test_a_group_has_its_own_multiple_of_the_learning_rate() -> None:
    torch.manual_seed(0)
    slow, fast, reference = (nn.Parameter(torch.ones(5)) for _ in range(3))
    grouped, alone = RectifiedAdam([(1.0, [slow]), (10.0, [fast])], 0.01), RectifiedAdam([(1.0, [reference])], 0.1)
    for gradient in torch.randn(20, 5):  # the first five of which are steps of momentum
        for parameter in (slow, fast, reference):
            parameter.grad = gradient.clone()
        grouped.step()
        alone.step()
    assert torch.allclose(fast, reference)
    assert not torch.allclose(slow, reference)


def test_rows_that_were_set_anew_are_forgotten_and_others_are_not() -> None:
    table = nn.Parameter(torch.zeros(3, 2))
    optimizer = RectifiedAdam([(1.0, [table])], 0.1)
    table.grad = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    optimizer.step()
    moments = {name: tensor.clone() for name, tensor in optimizer.state[table].items()}
    optimizer.forget(table, torch.tensor([1]))
    first, second = optimizer.state[table]["exp_avg"], optimizer.state[table]["exp_avg_sq"]
    assert not first[1].any()
    assert torch.allclose(second[1], moments["exp_avg_sq"].mean())  # not 0: the first step would be enormous
    for row in (0, 2):
        assert (first[row] == moments["exp_avg"][row]).all()
        assert (second[row] == moments["exp_avg_sq"][row]).all()


def test_the_rectification_begins_undefined_and_tends_to_one() -> None:
    assert [rectification(step, 0.999) is None for step in range(1, 8)] == [True] * 5 + [False] * 2
    factors = [rectification(step, 0.999) or 0.0 for step in (6, 100, 10_000)]
    assert factors == sorted(factors)
    assert factors[-1] > 0.99
