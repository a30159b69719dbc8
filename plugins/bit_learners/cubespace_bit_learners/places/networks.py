"""The encoder and the decoder of places: one linear map per place, all places in one batched product."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import torch
from attrs.validators import ge
from numpy.typing import NDArray
from torch import Tensor, nn

from cubespace.autoencoder.encoder import Decoder, Encoder, Layout, Shape
from cubespace.autoencoder.layers import CERTAIN
from cubespace.base.arrays import Images
from cubespace.base.differences import changed_values, number_rows
from cubespace.base.errors import UsageError
from cubespace.base.options import option
from cubespace_bit_learners.places.finder import Places, find_places
from cubespace_bit_learners.places.light import Light, bright_columns, relative_light_of

DARKEST = 1 / 512  # half a grey level: the logit of a black pixel stays finite
OUT_OF_USE = -1e4  # score of a value that a place does not have, since places differ in how many they have


@attrs.frozen(kw_only=True)
class PlacesOptions:
    """How places are found."""

    seed: int = option(0, "of the choice of pixels and pictures that are compared", ge(0))


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


class PlacesEncoder(Encoder):
    """The value of each place is the pattern nearest to what the place shows: one bit per value, exactly one true.

    The logit of a bit is by how much its pattern is nearer than the nearest other one. Bits are final once the encoder
    is built: patterns are the means of clusters of what the training pictures show (see ``finder``).
    """

    revision = 1
    Options = PlacesOptions
    ready = True
    decoder = "places"
    precondition = "values"
    held: Tensor  # (bits,), the logit of a bit that is held, else 0
    usual: Tensor  # (pixels,), the background …
    exogenous: Tensor  # (pixels,), … which is seen where things change by themselves

    def __init__(self, shape: Shape, layout: Layout, options: PlacesOptions) -> None:
        super().__init__(shape, layout, options)
        self.blocks = _blocks(layout)
        places, most_pixels = self.blocks.pixels.shape
        most_values = self.blocks.bits.shape[1]
        self.weight = nn.Parameter(torch.zeros(places, most_pixels, most_values))
        self.bias = nn.Parameter(torch.zeros(places, 1, most_values))
        self.register_buffer("held", torch.zeros(layout.bits))
        self.register_buffer("usual", torch.zeros(int(np.prod(shape))))
        exogenous = torch.zeros(int(np.prod(shape)), dtype=torch.bool)
        exogenous[torch.tensor(layout.details["exogenous"], dtype=torch.long)] = True
        self.register_buffer("exogenous", exogenous, persistent=False)
        self.light = _light(layout)
        if layout.start:
            self._start(layout.start)

    @classmethod
    def plan(cls, before: Images, after: Images, bits: int, options: Any) -> Layout:
        """Find the places; the number of bits is theirs, whatever the settings ask for."""
        del bits
        return layout_of(find_places(before, after, options.seed), before, after)

    @classmethod
    def proposals(cls, image_shape: tuple[int, ...]) -> list[str]:
        """Try it on every kind of picture."""
        del image_shape
        return [""]

    def regions(self) -> NDArray[np.intp] | None:
        """Return the place of each pixel."""
        place = np.array(self.layout.details["places"], dtype=np.intp)
        place[np.asarray(self.layout.details["exogenous"], dtype=np.intp)] = -2
        return place.reshape(self.shape)[:, :, 0]  # the colours of a pixel are in one place

    @torch.no_grad()
    def _start(self, start: Any) -> None:
        blocks = self.blocks
        self.usual.copy_(torch.from_numpy(start["background"]))
        scores = torch.from_numpy(start["weight"])  # (pixels, bits)
        for place in range(len(blocks.pixels)):
            pixels = blocks.pixels[place][blocks.pixel_used[place]]
            bits = blocks.bits[place][blocks.bit_used[place]]
            self.weight[place, : len(pixels), : len(bits)] = scores[pixels][:, bits]
            self.bias[place, 0, : len(bits)] = torch.from_numpy(start["bias"])[bits]

    def normalised(self, pixels: Tensor) -> Tensor:
        """Return pictures as they would be under the usual light, and where nothing changes by itself."""
        if self.light is not None:
            columns = bright_columns(pixels.shape[1], pixels.device)
            pixels = pixels / relative_light_of(pixels[:, columns] * 255.0, self.light)[:, None]
        return torch.where(self.exogenous, self.usual, pixels) if self.layout.details["exogenous"] else pixels

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        blocks = self.blocks
        seen = blocks.gather(self.normalised(pixels), blocks.pixels, blocks.pixel_used)  # (places, batch, pixels)
        scores = torch.baddbmm(self.bias, seen, self.weight)  # (places, batch, values)
        scores = scores.masked_fill(~blocks.bit_used[:, None], OUT_OF_USE)
        best, second = scores.topk(2, dim=2).values.unbind(2)  # (places, batch) each
        rival = torch.where(scores == best[..., None], second[..., None], best[..., None])
        margins = (scores - rival).transpose(0, 1)  # (batch, places, values)
        logits = margins.flatten(1)[:, blocks.bit_slots]  # (batch, bits): bits are in the order of their places
        return torch.where(self.held.ne(0), self.held, logits)

    def hold_bit(self, bit: int, value: bool) -> None:
        """Overrule what the place shows."""
        self.held[bit] = CERTAIN if value else -CERTAIN

    def held_bits(self) -> Tensor:
        """Return the bits that are overruled."""
        return self.held.ne(0)


class PlacesDecoder(Decoder):
    """Every place shows the pattern of its value; what belongs to no place is background."""

    revision = 1
    Options = PlacesOptions
    ready = True

    def __init__(self, shape: Shape, layout: Layout, options: PlacesOptions) -> None:
        super().__init__(shape, layout, options)
        self.blocks = _blocks(layout)
        places, most_pixels = self.blocks.pixels.shape
        self.patterns = nn.Parameter(torch.zeros(places, self.blocks.bits.shape[1], most_pixels))
        self.background = nn.Parameter(torch.zeros(int(np.prod(shape))))
        if layout.start:
            self._start(layout.start)

    @torch.no_grad()
    def _start(self, start: Any) -> None:
        blocks = self.blocks
        self.background.copy_(_logits(start["background"]))
        for place in range(len(blocks.pixels)):
            pixels = blocks.pixels[place][blocks.pixel_used[place]]
            bits = blocks.bits[place][blocks.bit_used[place]]
            shown = _logits(start["patterns"])[bits][:, pixels]  # (values, pixels)
            self.patterns[place, : len(bits), : len(pixels)] = shown - self.background[pixels]

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels)."""
        blocks = self.blocks
        values = blocks.gather(bits, blocks.bits, blocks.bit_used)  # (places, batch, values)
        shown = torch.bmm(values, self.patterns).transpose(0, 1)  # (batch, places, pixels)
        drawn = self.background.expand(len(bits), -1)
        pixels = blocks.pixels.flatten()[blocks.pixel_slots]
        return drawn.index_add(1, pixels, shown.flatten(1)[:, blocks.pixel_slots])


def layout_of(found: Places, before: Images, after: Images) -> Layout:
    """Return the layout of places that were found; places that change by themselves are background."""
    linear = found.linear()
    place_of_pixel = np.full(len(found.background), -1, dtype=np.intp)
    for number, place in enumerate(found.places):
        place_of_pixel[place.pixels] = number
    codes = found.encode(before), found.encode(after)
    details = {
        "places": place_of_pixel.tolist(),
        "values": linear.place.tolist(),
        "light": None if found.light is None else attrs.asdict(found.light),
        "exogenous": [int(pixel) for pixel in found.exogenous_pixels],
        "unexplained": round(found.unexplained, 6),
    }
    start = {
        "weight": linear.weight,
        "bias": linear.bias,
        "patterns": linear.patterns + linear.background,
        "background": found.background,
    }
    labels = len(number_rows(changed_values(*codes)))
    groups = tuple(linear.place.tolist())
    return Layout(bits=len(groups), groups=groups, labels=labels, fits=not found.overflow, details=details, start=start)


def _blocks(layout: Layout) -> Blocks:
    if "places" not in layout.details or "values" not in layout.details:
        raise UsageError("decoder 'places' needs encoder 'places': it draws the places which that one finds")
    return Blocks(*(np.asarray(layout.details[name], dtype=np.intp) for name in ("places", "values")))


def _light(layout: Layout) -> Light | None:
    table = layout.details["light"]
    return None if table is None else Light(quantile=float(table["quantile"]), usual=float(table["usual"]))


def _logits(values: NDArray[np.float32]) -> Tensor:
    return torch.logit(torch.from_numpy(np.clip(values, DARKEST, 1 - DARKEST).astype(np.float32)))
