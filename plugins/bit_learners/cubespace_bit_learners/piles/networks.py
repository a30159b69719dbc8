"""The encoder and the decoder of piles: a bit says that a thing lies in a column; things are drawn in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import torch
from attrs.validators import ge, optional
from torch import Tensor, nn

from cubespace.autoencoder.encoder import Decoder, Encoder, Layout, Shape
from cubespace.autoencoder.layers import CERTAIN
from cubespace.base.arrays import Images
from cubespace.base.errors import UsageError
from cubespace.base.options import option
from cubespace_bit_learners.piles.finder import Cut, Piles, find_piles

MARGIN = 10.0  # logits between the two most alike things: a probability of .99995
DARKEST = 1 / 512  # half a grey level: the logit of a black pixel stays finite


@attrs.frozen(kw_only=True)
class PilesOptions:
    """How pictures are divided in which things lie in piles side by side."""

    columns: int | None = option(None, "columns of equal width that the picture is divided into", optional(ge(2)))


class PilesEncoder(Encoder):
    """Each column of a picture is a set of things; a bit says that a thing is in a column, no matter how high.

    Bits are ordered by thing, then by column. Where each thing is always in exactly one column, the thing is a variable
    with the columns as its values.
    """

    revision = 1
    Options = PilesOptions
    ready = True
    decoder = "piles"
    precondition = "values"
    held: Tensor  # (bits,), the logit of a bit that is held, else 0

    def __init__(self, shape: Shape, layout: Layout, options: PilesOptions) -> None:
        super().__init__(shape, layout, options)
        self.cut, things = _cut(layout), int(layout.details["things"])
        self.columns = self.cut.columns
        self.scores = nn.Linear(self.cut.slot * shape[1] // self.columns * shape[2], things + 1)
        self.register_buffer("held", torch.zeros(layout.bits))
        if layout.start:
            with torch.no_grad():
                patterns = torch.from_numpy(layout.start["patterns"])
                apart = torch.cdist(patterns, patterns).square()
                sharpness = MARGIN / float(apart[apart > 0].min())
                self.scores.weight.copy_(2.0 * sharpness * patterns)
                self.scores.bias.copy_(-sharpness * patterns.square().sum(1))

    @classmethod
    def plan(cls, before: Images, after: Images, bits: int, options: Any) -> Layout:
        """Find the piles; the number of bits is theirs, whatever the settings ask for."""
        del bits
        return layout_of(find_piles(before, after, options.columns))

    @classmethod
    def proposals(cls, image_shape: tuple[int, ...]) -> list[str]:
        """Try it on every kind of picture."""
        del image_shape
        return [""]

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        scores = self.scores(split(pixels, self.shape, self.cut))  # (batch, slots, columns, things + 1)
        best, second = scores.topk(2, dim=3).values.split(1, dim=3)
        margins = scores - torch.where(scores == best, second, best)
        seen = margins[..., 1:].amax(1).transpose(1, 2)  # (batch, things, columns)
        return torch.where(self.held.ne(0), self.held, seen.flatten(1))

    def hold_bit(self, bit: int, value: bool) -> None:
        """Overrule what is seen."""
        self.held[bit] = CERTAIN if value else -CERTAIN

    def held_bits(self) -> Tensor:
        """Return the bits that are overruled."""
        return self.held.ne(0)


class PilesDecoder(Decoder):
    """Things of a column are drawn on each other, in the order in which they always lie."""

    revision = 1
    Options = PilesOptions
    ready = True
    below: Tensor

    def __init__(self, shape: Shape, layout: Layout, options: PilesOptions) -> None:
        super().__init__(shape, layout, options)
        self.cut, things = _cut(layout), int(layout.details["things"])
        self.things, self.slots = things, shape[0] // self.cut.slot
        pixels = self.cut.slot * shape[1] // self.cut.columns * shape[2]
        self.patterns = nn.Parameter(torch.zeros(things + 1, pixels))
        below = torch.tensor(layout.details["below"], dtype=torch.float32)
        self.register_buffer("below", below, persistent=False)
        if layout.start:
            start = np.clip(layout.start["patterns"], DARKEST, 1 - DARKEST).astype(np.float32)
            with torch.no_grad():
                self.patterns.copy_(torch.logit(torch.from_numpy(start)))

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels): a thing is as high as things lie below it."""
        there = bits.unflatten(1, (self.things, self.cut.columns)).transpose(1, 2)  # (batch, columns, things)
        height = (there @ self.below.T).round()  # (batch, columns, things)
        levels = torch.arange(self.slots, device=bits.device)
        shown = there[..., None, :] * (height[..., None, :] == levels[:, None])  # (batch, columns, slots, things)
        empty = self.patterns[0]
        drawn = empty + shown @ (self.patterns[1:] - empty)  # (batch, columns, slots, pixels)
        return join(drawn.transpose(1, 2), self.shape, self.cut)


def layout_of(piles: Piles) -> Layout:
    """Return the layout of piles that were found."""
    things, columns = len(piles.patterns) - 1, piles.cut.columns
    groups = tuple(np.repeat(np.arange(things), columns).tolist()) if piles.everywhere else None
    details = {"cut": attrs.asdict(piles.cut), "things": things, "below": piles.below.tolist()}
    return Layout(bits=things * columns, groups=groups, details=details, start={"patterns": piles.patterns})


def split(pixels: Tensor, shape: Shape, cut: Cut) -> Tensor:
    """Return the slots of pictures, (batch, slots from the ground up, columns, pixels of a slot)."""
    height, width, colours = shape
    parts = pixels.view(-1, height // cut.slot, cut.slot, cut.columns, width // cut.columns, colours)
    slots = parts.permute(0, 1, 3, 2, 4, 5).flatten(3)
    return slots if cut.hanging else slots.flip(1)


def join(slots: Tensor, shape: Shape, cut: Cut) -> Tensor:
    """Return the pictures, (batch, pixels), of their slots: the inverse of :func:`split`."""
    height, width, colours = shape
    slots = slots if cut.hanging else slots.flip(1)
    parts = slots.unflatten(3, (cut.slot, width // cut.columns, colours))
    pictures: Tensor = parts.permute(0, 1, 3, 2, 4, 5).reshape(len(slots), height * width * colours)
    return pictures


def _cut(layout: Layout) -> Cut:
    table: Mapping[str, Any] | None = layout.details.get("cut")
    if table is None:
        raise UsageError("decoder 'piles' needs encoder 'piles': it draws the piles which that one finds")
    return Cut(columns=int(table["columns"]), slot=int(table["slot"]), hanging=bool(table["hanging"]))
