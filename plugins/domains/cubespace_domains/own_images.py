"""The user's own pictures, in pairs: before and after some action."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

import attrs
import numpy as np

from cubespace.base.arrays import Images
from cubespace.base.errors import UsageError
from cubespace.base.images import Colour
from cubespace.base.options import option
from cubespace.data.domain import Domain, Pairs
from cubespace_domains.pair_files import read_pairs

FORMATS = (
    "a folder with 0001_a.png, 0001_b.png …, an .npz with arrays 'before' and 'after', or a .csv of two paths per row"
)


def _check_size(_: object, attribute: attrs.Attribute[str | None], value: str | None) -> None:
    if value is not None and not re.fullmatch(r"[1-9]\d{0,3}x[1-9]\d{0,3}", value):
        raise ValueError(f"'{value}' is not of the form HEIGHTxWIDTH, as in {attribute.name}=42x42")


@attrs.frozen(kw_only=True)
class PictureOptions:
    """Where the pictures are and how to read them."""

    path: Path | None = option(None, "the folder, .npz or .csv with the pairs")
    colour: Colour = option("auto", "grey, rgb, or auto: grey if all pictures are")
    resize: str | None = option(None, "scale all pictures to HEIGHTxWIDTH", _check_size)


class OwnImages(Domain):
    """Pairs of pictures without rules: enough to learn and plan, but the plans cannot be judged.

    They are read on first use: a run that has its data set does not need them to plan.
    """

    revision = 1
    Options = PictureOptions

    def __init__(self, options: PictureOptions) -> None:
        if options.path is None:
            raise UsageError(f"domain 'images' needs path=PATH: {FORMATS}")
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
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape that all pictures have."""
        return self.pictures.shape[1:]

    @property
    def resizes(self) -> bool:
        """Return whether the user asked for it."""
        return self.options.resize is not None

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw ``count`` of the pairs, each at most once; None returns all, in the order of the files."""
        pairs = len(self.pictures) // 2
        if count is not None and count > pairs:
            raise UsageError(f"there are only {pairs} pairs of pictures, but {count} were requested")
        chosen = np.arange(pairs) if count is None else rng.choice(pairs, size=count, replace=False)
        return Pairs(self.pictures[2 * chosen], self.pictures[2 * chosen + 1])
