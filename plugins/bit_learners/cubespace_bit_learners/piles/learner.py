"""Piles: a code in which a bit says that a thing lies in a column; things are drawn in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cubespace.learning.bit_learner import BitLearner, Parts, Work
from cubespace.learning.code import Code, SavedCode
from cubespace_bit_learners.piles.finder import Cut, Piles, PilesOptions, find_piles
from cubespace_bit_learners.tensor_code import TensorCode, load_weights

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs

Shape = tuple[int, int, int]  # height, width, colours

MARGIN = 10.0  # logits between the two most alike things: a probability of .99995
DARKEST = 1 / 512  # half a grey level: the logit of a black pixel stays finite


class PilesLearner(BitLearner):
    """Each column of a picture is a set of things; a bit says that a thing is in a column, no matter how high.

    Bits are ordered by thing, then by column. Where each thing is always in exactly one column, the thing is a variable
    with the columns as its values.
    """

    revision = 1
    Options = PilesOptions
    options: PilesOptions
    quick = True
    precondition = "values"
    method = "a cut of pictures into columns of things"

    def learn(self, training: Pairs, held_out: Pairs, work: Work) -> Code:
        """Find the piles of the training pictures."""
        del held_out, work
        return new_code(find_piles(training.before, training.after, self.options), training.before.shape[1:])

    def read(self, saved: SavedCode, parts: Parts) -> Code:
        """Build the code of piles again."""
        del parts
        return read_code(saved)


class Reader(nn.Module):
    """From pictures to logits: how clearly the best slot of each column shows each thing."""

    def __init__(self, shape: Shape, details: Mapping[str, Any]) -> None:
        super().__init__()
        self.shape, self.cut, things = shape, _cut(details), int(details["things"])
        self.scores = nn.Linear(self.cut.slot * shape[1] // self.cut.columns * shape[2], things + 1)
        self.scores.requires_grad_(False)

    def set_patterns(self, patterns: Tensor) -> None:
        """Let the score of a thing be highest where its pattern, of (things + 1, pixels), is nearest."""
        apart = torch.cdist(patterns, patterns).square()
        sharpness = MARGIN / float(apart[apart > 0].min())
        self.scores.weight.copy_(2.0 * sharpness * patterns)
        self.scores.bias.copy_(-sharpness * patterns.square().sum(1))

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        scores = self.scores(split(pixels, self.shape, self.cut))  # (batch, slots, columns, things + 1)
        best, second = scores.topk(2, dim=3).values.split(1, dim=3)
        margins = scores - torch.where(scores == best, second, best)
        seen: Tensor = margins[..., 1:].amax(1).transpose(1, 2)  # (batch, things, columns)
        return seen.flatten(1)


class Painter(nn.Module):
    """Things of a column are drawn on each other, in the order in which they always lie."""

    below: Tensor

    def __init__(self, shape: Shape, details: Mapping[str, Any]) -> None:
        super().__init__()
        self.shape, self.cut, self.things = shape, _cut(details), int(details["things"])
        self.slots = shape[0] // self.cut.slot
        pixels = self.cut.slot * shape[1] // self.cut.columns * shape[2]
        self.patterns = nn.Parameter(torch.zeros(self.things + 1, pixels), requires_grad=False)
        self.register_buffer("below", torch.tensor(details["below"], dtype=torch.float32), persistent=False)

    def set_patterns(self, patterns: NDArray[np.float32]) -> None:
        """Set what things look like, in [0, 1], (things + 1, pixels); the first is an empty slot."""
        shown = np.clip(patterns, DARKEST, 1 - DARKEST).astype(np.float32)
        self.patterns.copy_(torch.logit(torch.from_numpy(shown)))

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels): a thing is as high as things lie below it."""
        there = bits.unflatten(1, (self.things, self.cut.columns)).transpose(1, 2)  # (batch, columns, things)
        height = (there @ self.below.T).round()  # (batch, columns, things)
        levels = torch.arange(self.slots, device=bits.device)
        shown = there[..., None, :] * (height[..., None, :] == levels[:, None])  # (batch, columns, slots, things)
        empty = self.patterns[0]
        drawn = empty + shown @ (self.patterns[1:] - empty)  # (batch, columns, slots, pixels)
        return join(drawn.transpose(1, 2), self.shape, self.cut)


def new_code(piles: Piles, image_shape: tuple[int, ...]) -> TensorCode:
    """Return the code of piles that were found."""
    things = len(piles.patterns) - 1
    details = {
        "cut": attrs.asdict(piles.cut),
        "things": things,
        "below": piles.below.tolist(),
        "everywhere": bool(piles.everywhere),
    }
    shape = _shape(image_shape)
    reader, painter = Reader(shape, details), Painter(shape, details)
    reader.set_patterns(torch.from_numpy(piles.patterns))
    painter.set_patterns(piles.patterns)
    return _code(image_shape, reader, painter, details)


def read_code(saved: SavedCode) -> TensorCode:
    """Return the code of piles that a file holds."""
    shape = _shape(saved.image_shape)
    reader, painter = Reader(shape, saved.details), Painter(shape, saved.details)
    load_weights(reader, painter, saved.arrays)
    return _code(saved.image_shape, reader, painter, saved.details)


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


def _code(image_shape: tuple[int, ...], reader: Reader, painter: Painter, details: Mapping[str, Any]) -> TensorCode:
    things, columns = int(details["things"]), _cut(details).columns
    groups = tuple(np.repeat(np.arange(things), columns).tolist()) if details["everywhere"] else None
    return TensorCode(image_shape, reader, painter, details, bits=things * columns, groups=groups)


def _shape(image_shape: tuple[int, ...]) -> Shape:
    height, width, *colours = image_shape
    return height, width, colours[0] if colours else 1


def _cut(details: Mapping[str, Any]) -> Cut:
    table: Mapping[str, Any] = details["cut"]
    return Cut(columns=int(table["columns"]), slot=int(table["slot"]), hanging=bool(table["hanging"]))
