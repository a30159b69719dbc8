"""What a domain is: a source of pictures before and after an action, and, if it is a simulator, the judge of plans.

States are rows of small non-negative integers, always in batches: ``uint8[N, variables]``. Pictures are
``uint8[N, H, W]`` or, in colour, ``uint8[N, H, W, 3]``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cubespace.options import NoOptions

States = NDArray[np.uint8]  # (batch, variables)
Images = NDArray[np.uint8]  # (batch, height, width) or (batch, height, width, 3)


class Domain(ABC):
    """A source of transitions, as pictures; all that learning needs.

    A subclass is built from its ``Options``, a frozen attrs class.
    """

    Options: ClassVar[type[Any]] = NoOptions

    @property
    @abstractmethod
    def image_shape(self) -> tuple[int, ...]:
        """Return ``(height, width)`` or ``(height, width, 3)``."""

    @abstractmethod
    def sample(self, count: int | None, rng: np.random.Generator) -> tuple[States, States]:
        """Draw ``count`` transitions and return the states before and after; None draws the domain's usual number."""

    @abstractmethod
    def render(self, states: States) -> Images:
        """Draw each state; a state looks the same alone and in any batch."""


class Simulator(Domain):
    """A domain that knows its own rules: it makes instances and judges plans. Learning never sees any of this."""

    reversible: ClassVar[bool] = True  # whether every move can be undone by one move

    @property
    @abstractmethod
    def radices(self) -> tuple[int, ...]:
        """Return how many values each variable of a state can take."""

    @abstractmethod
    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw states uniformly from the whole state space."""

    @abstractmethod
    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return all successors of all states, and for each the row of the state it came from, in ascending order."""

    @abstractmethod
    def goal(self) -> States:
        """Return the goal of the domain's instances, as a batch of one."""

    @abstractmethod
    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Read the state off each picture; the mask says which pictures show a state at all.

        The rule is fixed: exact on clean pictures, tolerant to blur, never a guess. The states of unreadable pictures
        are zeros.
        """

    def predecessors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return all states that have one of ``states`` as successor, and for each the row it leads to."""
        if not self.reversible:
            raise NotImplementedError(f"{type(self).__name__} must define predecessors: its moves cannot all be undone")
        return self.successors(states)

    def sample(self, count: int | None, rng: np.random.Generator) -> tuple[States, States]:
        """Draw uniform states and for each a uniform one of its successors; states without any are drawn again."""
        before = self.random_states(5000 if count is None else count, rng)
        while True:
            children, parents = self.successors(before)
            degrees = np.bincount(parents, minlength=len(before))  # (batch,)
            stuck = np.flatnonzero(degrees == 0)
            if len(stuck) == 0:
                first = np.cumsum(degrees) - degrees
                return before, children[first + rng.integers(degrees)]
            before[stuck] = self.random_states(len(stuck), rng)
