"""What learning returns: a code, from pictures to bits and back.

Symbols, search, report and studio see nothing else of learning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.errors import InputError
from cubespace.learning.measures import Measures

Pictures = NDArray[np.float32]  # (batch, height, width) or (batch, height, width, 3), in [0, 1]
Regions = NDArray[np.intp]  # (height, width)

BACKGROUND = -1  # the region of pixels that belong to no variable …
EXOGENOUS = -2  # … and of those that change on their own


@attrs.frozen(kw_only=True)
class Training:
    """The gradient training behind a code."""

    updates: int  # gradient steps, over all phases
    phases: tuple[str, ...]  # in order
    parts: Mapping[str, str]  # the components that were trained, by kind, such as apply: btl
    precision: str = "float32"  # of the arithmetic
    rewritten: bool = False  # whether weights were set after training to what the training pairs show
    before_rewriting: Mapping[str, Measures] | None = None  # by split: the network as it was trained


@attrs.frozen(kw_only=True, eq=False)
class SavedCode:
    """A code as it is kept in a file: arrays, and what else is needed to build it again, as plain JSON."""

    image_shape: tuple[int, ...]
    bits: int
    details: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    groups: tuple[int, ...] | None = None
    training: Training | None = None

    @property
    def registered(self) -> bool:
        """Return whether pictures are registered before the code sees them."""
        return set(self.details) == {"registration", "code"}


class LearnedActions(ABC):
    """The actions that a learner found besides bits: labels of transitions, and what a label does to a state."""

    count: int  # labels that can be given
    strips: bool  # whether the effect of a label is the same in every state
    discriminates: bool = False  # whether it can tell transitions that can happen from those that cannot

    @abstractmethod
    def label(self, before: Bits, after: Bits) -> Indices:
        """Return the label of each transition."""

    @abstractmethod
    def successors(self, before: Bits, labels: Indices) -> Bits:
        """Return the state after each label, one label per state."""

    def effects(self) -> tuple[Bits, Bits]:
        """Return the add and the delete mask of every label, (labels, bits) each; only if ``strips``."""
        raise NotImplementedError(f"{type(self).__name__} has no STRIPS effects")

    def certain_before(self) -> Bits | None:
        """Return the literals that hold before each label whatever holds after it, (labels, 2 bits); None if unknown.

        The first half are bits that are true, the second bits that are false.
        """
        return None

    def expand(self, states: Bits) -> tuple[Bits, Indices, Indices]:
        """Return the successors of states under every label, the row of the state each comes from, and its label."""
        raise NotImplementedError(f"{type(self).__name__} cannot be searched")

    def plausible(self, before: Bits, after: Bits) -> Bits:
        """Return which transitions can happen, bool (transitions,); only if it ``discriminates``."""
        raise NotImplementedError(f"{type(self).__name__} has no discriminator")


class Code(ABC):
    """Pictures to bits and back.

    ``groups`` gives each bit the number of the finite-domain variable that it is a value of: exactly one bit of a group
    is true in every state. It is None where bits are independent of each other.
    """

    image_shape: tuple[int, ...]
    bits: int
    groups: tuple[int, ...] | None = None
    actions: LearnedActions | None = None  # None where only bits were learned
    training: Training | None = None  # None where nothing was trained by gradient
    doubt: str = ""  # why the learner itself thinks that the pictures do not suit it; empty if they do

    def encode(self, images: Images) -> Bits:
        """Return the bits of pictures, (batch, bits)."""
        if images.dtype != np.uint8 or images.shape[1:] != self.image_shape:
            expected, given = ("x".join(map(str, shape)) for shape in (self.image_shape, images.shape[1:]))
            raise InputError(
                f"the model was trained on pictures of {expected} bytes, these are {given} of {images.dtype}"
            )
        return self.encode_pictures(images)

    @abstractmethod
    def encode_pictures(self, images: Images) -> Bits:
        """Return the bits of pictures whose shape and type are right."""

    @abstractmethod
    def decode(self, bits: Bits) -> Pictures:
        """Return the pictures of states, in [0, 1]."""

    def draw(self, bits: Bits) -> Images:
        """Return the pictures of states as bytes."""
        return (self.decode(bits) * 255.0).round().astype(np.uint8)

    def straighten(self, images: Images) -> Images:
        """Return pictures as the code compares them: from where a camera that moves is on average."""
        return images

    def normalise(self, images: Images) -> Pictures:
        """Return pictures in [0, 1] without what the code takes no notice of, such as the light."""
        return np.asarray(images, dtype=np.float32) / np.float32(255)

    def regions(self) -> Regions | None:
        """Return the variable that each pixel belongs to; None where pixels cannot be divided like this.

        ``BACKGROUND`` marks pixels of no variable, ``EXOGENOUS`` those that change on their own.
        """
        return None

    @abstractmethod
    def saved(self) -> SavedCode:
        """Return all that the learner needs to build the code again."""
