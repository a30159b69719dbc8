"""A level of a third-party environment: the contract needed to explore it and to act in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]  # (height, width) or (height, width, 3)
Snapshot = Any  # the whole environment at one moment; no step ever changes a snapshot


@attrs.frozen(eq=False)
class Step:
    """The result of an action: the environment after it, its picture, whether the episode is over, and the reward."""

    snapshot: Snapshot
    picture: Picture
    over: bool = False
    reward: float = 0.0


class Level(ABC):
    """One level: where it begins, and what an action does to a snapshot."""

    name: str  # used in error messages
    actions: tuple[str, ...]  # their names; an action is given by its index here
    start: Snapshot
    picture: Picture  # of the start

    @abstractmethod
    def step(self, snapshot: Snapshot, action: int, luck: int | None = None) -> Step:
        """Do an action, from a copy of a snapshot; with ``luck``, using other random numbers than its own."""

    def draws(self, snapshot: Snapshot, step: Step) -> bool:  # noqa: ARG002 - for environments that can say so
        """Return whether a step from a snapshot has used random numbers."""
        return False
