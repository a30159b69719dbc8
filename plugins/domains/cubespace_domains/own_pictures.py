"""The user's own pictures, in pairs: before and after an action, whatever it was."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.domains import Domain, Images, States
from cubespace.errors import UsageError
from cubespace.pictures import Colour
from cubespace_domains.collections import read_pairs

WAYS = (
    "a folder with 0001_a.png, 0001_b.png …, an .npz with arrays 'before' and 'after', or a .csv of two paths per row"
)


def _check_size(_: object, attribute: attrs.Attribute[str | None], value: str | None) -> None:
    if value is not None and not re.fullmatch(r"[1-9]\d{0,3}x[1-9]\d{0,3}", value):
        raise ValueError(f"'{value}' is not of the form HEIGHTxWIDTH, as in {attribute.name}=42x42")


@attrs.frozen(kw_only=True)
class PictureOptions:
    """Where the pictures are and what to make of them."""

    path: Path | None = None
    colour: Colour = "auto"  # grey if all pictures are
    resize: str | None = attrs.field(default=None, validator=_check_size)


class OwnPictures(Domain):
    """Pairs of pictures without rules: one can learn and plan from them, but nobody can judge the plans.

    They are read on first use, for a run that has its data set plans without them. A state is the number of a picture,
    in bytes, the highest first; picture 2i is the one before, 2i + 1 after pair i.
    """

    Options = PictureOptions

    def __init__(self, options: PictureOptions) -> None:
        if options.path is None:
            raise UsageError(f"domain 'images' needs path=PATH: {WAYS}")
        self.path, self.options = options.path, options

    @cached_property
    def pictures(self) -> Images:
        """Return all pictures, (2 pairs, height, width, …)."""
        size = None
        if self.options.resize is not None:
            height, width = map(int, self.options.resize.split("x"))
            size = height, width
        return read_pairs(self.path, self.options.colour, size)

    @property
    def _bytes(self) -> int:
        return max(1, ((len(self.pictures) - 1).bit_length() + 7) // 8)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape that all pictures have."""
        return self.pictures.shape[1:]

    def sample(self, count: int | None, rng: np.random.Generator) -> tuple[States, States]:
        """Draw ``count`` of the pairs, each at most once; None gives all, in the order of the files."""
        pairs = len(self.pictures) // 2
        if count is not None and count > pairs:
            raise UsageError(f"there are only {pairs} pairs of pictures, {count} were asked for")
        chosen = np.arange(pairs) if count is None else rng.choice(pairs, size=count, replace=False)
        return self._states(2 * chosen), self._states(2 * chosen + 1)

    def render(self, states: States) -> Images:
        """Return the pictures."""
        numbers = np.zeros(len(states), dtype=np.intp)
        for column in range(self._bytes):
            numbers = numbers << 8 | states[:, column]
        return self.pictures[numbers]

    def _states(self, numbers: NDArray[np.intp]) -> States:
        """Return picture numbers as states."""
        shifts = 8 * np.arange(self._bytes - 1, -1, -1)
        return (numbers[:, None] >> shifts & 255).astype(np.uint8)
