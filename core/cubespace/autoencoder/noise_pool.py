"""Sources of noise.

On a CPU, drawing fresh numbers costs as much as a matrix product. There, each source of noise draws a pool once per
epoch and every use reads it from a random place. On other devices numbers are drawn afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle

import torch
from torch import Tensor, nn

SPARE = 1 << 18  # numbers of a pool beyond the largest use: so many different places to read it from …
PLACES = 4096  # … of which as many are drawn with the pool, then used in turn
SMALLEST = 1e-7  # keeps logarithms of uniform numbers finite


def gumbel_(buffer: Tensor) -> Tensor:
    """Fill with Gumbel noise, -log(-log u)."""
    # two logarithms of uniform numbers: six times faster than exponential_ on a CPU
    return buffer.uniform_().clamp_(SMALLEST, 1.0 - SMALLEST).log_().neg_().log_().neg_()


def logistic_(buffer: Tensor) -> Tensor:
    """Fill with logistic noise, log u - log(1 - u)."""
    return buffer.uniform_().logit_(SMALLEST)


def normal_(buffer: Tensor, deviation: float) -> Tensor:
    """Fill with normal noise."""
    return buffer.normal_(std=deviation)


def keep_(buffer: Tensor, rate: float) -> Tensor:
    """Fill with 0 for the fraction ``rate`` of numbers, and with what makes up for them for the others."""
    return buffer.uniform_().ge_(rate).div_(1.0 - rate)


class Noise(nn.Module):
    """A source of noise, filled in place by ``fill``."""

    def __init__(self, fill: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.fill = fill
        self.pool: Tensor | None = None  # derived from the random state, so neither saved nor moved
        self.starts: Iterator[int] = iter(())

    def refresh(self) -> None:
        """Forget the pool; the next use draws a new one."""
        self.pool = None

    def forward(self, like: Tensor) -> Tensor:
        """Return noise of the shape and device of ``like``, in float32; to be read only."""
        if like.device.type != "cpu":
            # in float32 whatever the precision: in bf16 the tails are cut off, and logistic noise is lopsided
            return self.fill(torch.empty(like.shape, dtype=torch.float32, device=like.device))
        return self.from_pool(like)

    def from_pool(self, like: Tensor) -> Tensor:
        """Return noise of a shape, read from the pool on the CPU."""
        count = like.numel()
        if self.pool is None or len(self.pool) < count + SPARE:
            self.pool = self.fill(torch.empty(count + SPARE))
            self.starts = cycle(torch.randint(SPARE, (PLACES,)).tolist())
        start = next(self.starts)
        numbers = self.pool[start : start + count]
        # in the memory order of what it is added to: a product of two different orders takes several times as long
        return numbers.as_strided(like.shape, torch.empty_like(like, device="meta").stride(), numbers.storage_offset())


def leave_pools_uncompiled(model: nn.Module) -> None:
    """Let a compiler pass by the pools of a model: they are read from places that are Python numbers, each another."""
    for module in model.modules():
        if isinstance(module, Noise):
            module.from_pool = torch.compiler.disable(module.from_pool)  # type: ignore[method-assign]


def refresh_noise(model: nn.Module) -> None:
    """Let every source of noise in a model draw anew; called before each epoch, so that resuming can begin there."""
    for module in model.modules():
        if isinstance(module, Noise):
            module.refresh()
