"""Places: a code with one linear map per place, all places in one batched product."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cubespace.base.arrays import Images
from cubespace.base.options import structure
from cubespace.learning.bit_learner import BitLearner, Parts, Unsuitable, Work
from cubespace.learning.code import EXOGENOUS, Code, Pictures, Regions, SavedCode
from cubespace_bit_learners.places.camera import find_carried_places, find_steady_places
from cubespace_bit_learners.places.changes import LearnerOptions, simpler
from cubespace_bit_learners.places.finder import Places, find_places
from cubespace_bit_learners.places.light import Light, bright_columns, relative_light_of
from cubespace_bit_learners.tensor_code import TensorCode, as_numbers, in_batches, load_weights, pixel_rows

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs

DARKEST = 1 / 512  # half a grey level: the logit of a black pixel stays finite
LEAST_MARGIN = torch.finfo(torch.float32).tiny  # of two values that are equally near, one is taken
OUT_OF_USE = -1e4  # score of a value that a place does not have, since places differ in how many they have


class PlacesLearner(BitLearner):
    """Each place is a variable; its value is the pattern nearest to what the place shows."""

    revision = 8
    Options = LearnerOptions
    options: LearnerOptions
    quick = True
    precondition = "values"
    method = "a clustering of pixels"

    def learn(self, training: Pairs, held_out: Pairs, work: Work) -> Code:
        """Find the places of the training pictures and the patterns that each shows."""
        del held_out
        find = find_steady_places if work.registered else find_places
        found = find(training.before, training.after, self.options)
        found = self._carried(training, found) or found
        if not work.registered and found.score.coverage < self.options.changed_coverage:
            found = simpler(found, training.before, training.after, self.options)
        if not found.places:
            raise Unsuitable("these pictures show no places: no pixels that vary together")
        return new_code(found, training.before.shape[1:])

    def _carried(self, training: Pairs, found: Places) -> Places | None:
        """Return places whose values are carried from one to another, if those that were found do not suit pictures.

        Where events occur again though something is lost that stays, they must also describe pairs in fewer bits.
        """
        seldom = found.score.coverage < self.options.carried_coverage
        if not seldom and found.lost <= self.options.carried_lost:
            return None
        carried = find_carried_places(training.before, training.after, self.options)
        return carried if carried is not None and (seldom or carried.score.bits < found.score.bits) else None

    def read(self, saved: SavedCode, parts: Parts) -> Code:
        """Build the code of places again."""
        del parts
        return read_code(saved)


class PlacesCode(TensorCode):
    """The value of each place is a group of bits, of which exactly one is true."""

    reader: Reader

    def normalise(self, images: Images) -> Pictures:
        """Return pictures as they would be under the usual light, and where nothing changes on its own."""
        seen = in_batches(lambda part: self.reader.normalise(as_numbers(part)), pixel_rows(images))
        pictures: Pictures = seen.numpy().reshape(images.shape)
        return pictures

    def regions(self) -> Regions:
        """Return the place of each pixel."""
        place = np.array(self.details["places"], dtype=np.intp)
        place[np.asarray(self.details["exogenous"], dtype=np.intp)] = EXOGENOUS
        return place.reshape(*self.image_shape[:2], -1)[:, :, 0]  # the colours of a pixel are in one place


class Blocks(nn.Module):
    """Which pixels and which bits belong to which place, as padded index tables: (places, most) each.

    Slots are the entries of the flattened tables that are used: as an index, since a mask has to be counted first,
    which makes a GPU wait.
    """

    pixels: Tensor
    pixel_used: Tensor
    pixel_slots: Tensor
    bits: Tensor
    bit_used: Tensor
    bit_slots: Tensor

    def __init__(self, place_of_pixel: NDArray[np.intp], place_of_bit: NDArray[np.intp]) -> None:
        super().__init__()
        for name, place_of in (("pixel", place_of_pixel), ("bit", place_of_bit)):
            rows = [np.flatnonzero(place_of == place) for place in range(int(place_of_bit.max(initial=-1)) + 1)]
            most = max((len(row) for row in rows), default=1)
            index, used = np.zeros((len(rows), most), dtype=np.int64), np.zeros((len(rows), most), dtype=np.bool_)
            for number, row in enumerate(rows):
                index[number, : len(row)], used[number, : len(row)] = row, True
            self.register_buffer(f"{name}s", torch.from_numpy(index), persistent=False)
            self.register_buffer(f"{name}_used", torch.from_numpy(used), persistent=False)
            self.register_buffer(f"{name}_slots", torch.from_numpy(np.flatnonzero(used)), persistent=False)

    def gather(self, rows: Tensor, index: Tensor, used: Tensor) -> Tensor:
        """Return the columns of each place, (places, batch, most); what is not used is 0."""
        columns: Tensor = rows[:, index.flatten()].unflatten(1, index.shape) * used
        return columns.transpose(0, 1)


class Reader(nn.Module):
    """From pictures to logits: by how much the pattern of each value is nearer than the nearest other one."""

    usual: Tensor  # (pixels,), the background …
    exogenous: Tensor  # (pixels,), … which is seen where things change on their own

    def __init__(self, details: Mapping[str, Any]) -> None:
        super().__init__()
        self.blocks = Blocks(*_places(details))
        places, most_pixels = self.blocks.pixels.shape
        most_values = self.blocks.bits.shape[1]
        pixels = len(details["places"])
        self.weight = nn.Parameter(torch.zeros(places, most_pixels, most_values), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(places, 1, most_values), requires_grad=False)
        self.register_buffer("usual", torch.zeros(pixels))
        exogenous = torch.zeros(pixels, dtype=torch.bool)
        exogenous[torch.tensor(details["exogenous"], dtype=torch.long)] = True
        self.register_buffer("exogenous", exogenous, persistent=False)
        table = details["light"]
        self.light = None if table is None else structure(Light, table, "light")

    def set_weights(self, weight: NDArray[np.float32], bias: NDArray[np.float32], background: Tensor) -> None:
        """Set the weights to those of one large linear map, (pixels, bits), which is zero outside of the places."""
        blocks = self.blocks
        self.usual.copy_(background)
        scores = torch.from_numpy(weight)
        for place in range(len(blocks.pixels)):
            pixels = blocks.pixels[place][blocks.pixel_used[place]]
            bits = blocks.bits[place][blocks.bit_used[place]]
            self.weight[place, : len(pixels), : len(bits)] = scores[pixels][:, bits]
            self.bias[place, 0, : len(bits)] = torch.from_numpy(bias)[bits]

    def normalise(self, pixels: Tensor) -> Tensor:
        """Return pictures as they would be under the usual light, and where nothing changes on its own."""
        if self.light is not None:
            columns = bright_columns(pixels.shape[1], pixels.device)
            pixels = pixels / relative_light_of(pixels[:, columns] * 255.0, self.light)[:, None]
        return torch.where(self.exogenous, self.usual, pixels) if self.exogenous.any() else pixels

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        blocks = self.blocks
        if not len(blocks.pixels):  # no places
            return pixels[:, :0]
        seen = blocks.gather(self.normalise(pixels), blocks.pixels, blocks.pixel_used)  # (places, batch, pixels)
        scores = torch.baddbmm(self.bias, seen, self.weight)  # (places, batch, values)
        scores = scores.masked_fill(~blocks.bit_used[:, None], OUT_OF_USE)
        best, first = scores.topk(2, dim=2)  # (places, batch, 2) each
        ahead = (best[..., :1] - best[..., 1:]).clamp_min(LEAST_MARGIN)
        winner = torch.arange(scores.shape[2], device=scores.device) == first[..., :1]
        margins = torch.where(winner, ahead, scores - best[..., :1]).transpose(0, 1)  # (batch, places, values)
        return margins.flatten(1)[:, blocks.bit_slots]  # (batch, bits): bits are in the order of their places


class Painter(nn.Module):
    """Every place shows the pattern of its value, and what it shows of others; what is in no place is background."""

    def __init__(self, details: Mapping[str, Any]) -> None:
        super().__init__()
        self.blocks = Blocks(*_places(details))
        places, most_pixels = self.blocks.pixels.shape
        shape = (places, self.blocks.bits.shape[1], most_pixels)
        self.patterns = nn.Parameter(torch.zeros(shape), requires_grad=False)
        self.background = nn.Parameter(torch.zeros(len(details["places"])), requires_grad=False)
        self.context = nn.ModuleList(Shown(self.blocks, *pair) for pair in details.get("context", ()))

    def set_patterns(self, patterns: NDArray[np.float32], background: NDArray[np.float32]) -> None:
        """Set what is shown, in [0, 1]: the patterns of all values, (bits, pixels), and the background, (pixels,)."""
        blocks = self.blocks
        self.background.copy_(_logits(background))
        for place in range(len(blocks.pixels)):
            pixels = blocks.pixels[place][blocks.pixel_used[place]]
            bits = blocks.bits[place][blocks.bit_used[place]]
            shown = _logits(patterns)[bits][:, pixels]  # (values, pixels)
            self.patterns[place, : len(bits), : len(pixels)] = shown - self.background[pixels]

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels)."""
        blocks = self.blocks
        values = blocks.gather(bits, blocks.bits, blocks.bit_used)  # (places, batch, values)
        shown = torch.bmm(values, self.patterns).transpose(0, 1)  # (batch, places, pixels)
        drawn = self.background.expand(len(bits), -1)
        pixels = blocks.pixels.flatten()[blocks.pixel_slots]
        drawn = drawn.index_add(1, pixels, shown.flatten(1)[:, blocks.pixel_slots])
        if not len(self.context):
            return drawn
        seen = torch.sigmoid(drawn)
        for part in self.context:
            seen = part(bits, seen)
        return torch.logit(seen.clamp(DARKEST, 1 - DARKEST))


class Shown(nn.Module):
    """What a place shows of another one: added to its pixels, by the values of both."""

    pixels: Tensor
    own: Tensor
    others: Tensor

    def __init__(self, blocks: Blocks, place: int, other: int) -> None:
        super().__init__()
        pixels = blocks.pixels[place][blocks.pixel_used[place]]
        own, others = (blocks.bits[each][blocks.bit_used[each]] for each in (place, other))
        for name, index in (("pixels", pixels), ("own", own), ("others", others)):
            self.register_buffer(name, index, persistent=False)
        self.shown = nn.Parameter(torch.zeros(len(own), len(others), len(pixels)), requires_grad=False)

    def forward(self, bits: Tensor, seen: Tensor) -> Tensor:
        """Return pictures, (batch, pixels), from 0 to 1, with what this adds."""
        both = bits[:, self.own, None] * bits[:, None, self.others]  # (batch, values, values)
        return seen.index_add(1, self.pixels, both.flatten(1) @ self.shown.flatten(0, 1))


def new_code(found: Places, image_shape: tuple[int, ...]) -> PlacesCode:
    """Return the code of places that were found; places that change on their own are background."""
    linear = found.linear()
    place_of_pixel = np.full(len(found.background), -1, dtype=np.intp)
    for number, place in enumerate(found.places):
        place_of_pixel[place.pixels] = number
    details = {
        "places": place_of_pixel.tolist(),
        "values": linear.place.tolist(),
        "light": None if found.light is None else attrs.asdict(found.light),
        "exogenous": [int(pixel) for pixel in found.exogenous_pixels],
        "unexplained": round(found.unexplained, 6),
        "context": [[each.place, each.other] for each in found.context],
    }
    reader, painter = Reader(details), Painter(details)
    reader.set_weights(linear.weight, linear.bias, torch.from_numpy(found.background))
    painter.set_patterns(linear.patterns + linear.background, found.background)
    for part, context in zip(painter.context, found.context, strict=True):
        assert isinstance(part, Shown)
        part.shown.copy_(torch.from_numpy(context.shown))
    code = _code(image_shape, reader, painter, details)
    code.doubt = "some place has more values than can be learned" if found.overflow else ""
    return code


def read_code(saved: SavedCode) -> PlacesCode:
    """Return the code of places that a file holds."""
    reader, painter = Reader(saved.details), Painter(saved.details)
    load_weights(reader, painter, saved.arrays)
    return _code(saved.image_shape, reader, painter, saved.details)


def _code(image_shape: tuple[int, ...], reader: Reader, painter: Painter, details: Mapping[str, Any]) -> PlacesCode:
    groups = tuple(int(place) for place in details["values"])
    return PlacesCode(image_shape, reader, painter, details, bits=len(groups), groups=groups)


def _places(details: Mapping[str, Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the place of each pixel and the place of each bit."""
    return np.asarray(details["places"], dtype=np.intp), np.asarray(details["values"], dtype=np.intp)


def _logits(values: NDArray[np.float32]) -> Tensor:
    return torch.logit(torch.from_numpy(np.clip(values, DARKEST, 1 - DARKEST).astype(np.float32)))
