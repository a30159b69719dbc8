"""Twisted LightsOut: the same lamps, seen through a swirl."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from skimage.transform import swirl

from cubespace.base.arrays import Images, States
from cubespace_domains.faults import unclear
from cubespace_domains.lightsout import LAMP_PIXELS, LampOptions, LightsOut, lamp

PADDING = 1  # pixels around all lamps
SWIRL_STRENGTH = 3
SWIRL_RADIUS = 37.5 / 38  # as a fraction of the picture's side
BLOCK_PIXELS = 3  # along a side
TOLERANCE_FRACTION = 0.45  # of the faintest lamp's brightest block; below a half, so a half-lit lamp is not readable
LAMPS_PER_TABLE = 8  # drawn by one look-up
PICTURES_PER_BATCH = 128  # their parts are added while in the cache


class TwistedLightsOut(LightsOut):
    """LightsOut, swirled around the centre of the picture.

    A swirl is linear, and lamps are two pixels apart so that no interpolated pixel mixes two of them: the picture is
    the sum of its swirled lamps.

    Reading: a lamp counts as lit if the picture, projected on it, is above a half. The state found is drawn, and its
    difference from the given picture is averaged in blocks of 3x3 pixels: readable if no block differs by more than
    ``tolerance``, .45 of the brightest block of the faintest lamp. The pictures of two states differ by more than twice
    that in some block.
    """

    revision = 1
    Options = LampOptions

    def __init__(self, options: LampOptions) -> None:
        super().__init__(options)
        self.side = self.size * LAMP_PIXELS + 2 * PADDING
        self._sprites = self._swirled()  # (lamps, pixels)
        self.tolerance = TOLERANCE_FRACTION * float(self._blocks(self._sprites).max(1).min())
        self._parts = [
            _sums(self._sprites[first : first + LAMPS_PER_TABLE]) for first in range(0, self.size**2, LAMPS_PER_TABLE)
        ]

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture."""
        return self.side, self.side

    def render(self, states: States) -> Images:
        """Add up the lamps that are lit."""
        indices = [
            np.packbits(states[:, first : first + LAMPS_PER_TABLE], axis=1, bitorder="little")[:, 0].astype(np.intp)
            for first in range(0, self.size**2, LAMPS_PER_TABLE)
        ]
        pictures = np.empty((len(states), self.side**2), dtype=np.uint8)
        addend = np.empty((PICTURES_PER_BATCH, self.side**2), dtype=np.uint8)
        for first in range(0, len(states), PICTURES_PER_BATCH):
            rows = slice(first, first + PICTURES_PER_BATCH)
            out = pictures[rows]
            np.take(self._parts[0], indices[0][rows], axis=0, out=out, mode="clip")
            for part, index in zip(self._parts[1:], indices[1:], strict=True):
                out += np.take(part, index[rows], axis=0, out=addend[: len(out)], mode="clip")
        return pictures.reshape(-1, self.side, self.side)

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the lamps that are lit by the rule of the class."""
        states, wrong = self._compared(images)
        readable = np.asarray(~wrong.any(1))
        states[~readable] = 0
        return states, readable

    def faults(self, images: Images) -> list[str]:
        """Name the lamps in whose brighter blocks the picture is wrong."""
        blocks = self._blocks(self._sprites)
        bright = blocks >= blocks.max(1, keepdims=True) / 2  # (lamps, blocks)
        words = []
        for wrong in self._compared(images)[1]:
            lamps = (bright & wrong).any(1).reshape(self.size, self.size)
            other = f"{int(wrong.sum())} blocks of pixels belong to no lamp" if wrong.any() else ""
            words.append(unclear(lamps, "a lamp neither on nor off in") or other)
        return words

    def _compared(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Return the lamps that seem lit, and in which blocks the picture of these lamps differs too much."""
        lamps = self._sprites.astype(np.float32)
        brightness = images.reshape(-1, self.side**2).astype(np.float32) @ lamps.T / (lamps**2).sum(1)
        states = (brightness > 0.5).astype(np.uint8)  # (batch, lamps)
        apart = np.abs(images.astype(np.int16) - self.render(states))
        return states, self._blocks(apart) > self.tolerance

    def _swirled(self) -> NDArray[np.uint8]:
        """Draw each lamp by itself, swirled."""
        flat = np.zeros((self.size**2, self.side, self.side))
        for number in range(self.size**2):
            top, left = (PADDING + LAMP_PIXELS * place for place in divmod(number, self.size))
            flat[number, top : top + LAMP_PIXELS, left : left + LAMP_PIXELS] = lamp()
        how = {"strength": SWIRL_STRENGTH, "radius": SWIRL_RADIUS * self.side, "preserve_range": True}
        twisted = [swirl(one, **how) for one in flat]  # type: ignore[no-untyped-call]
        return np.rint(twisted).astype(np.uint8).reshape(self.size**2, -1)

    def _blocks(self, pixels: NDArray[np.int16] | NDArray[np.uint8]) -> NDArray[np.float64]:
        """Average pictures in blocks, from 0 to 1; blocks at the border may extend beyond it."""
        more = -self.side % BLOCK_PIXELS
        padded = np.pad(pixels.reshape(-1, self.side, self.side), [(0, 0), (0, more), (0, more)])
        across = (self.side + more) // BLOCK_PIXELS
        blocks: NDArray[np.float64] = padded.reshape(-1, across, BLOCK_PIXELS, across, BLOCK_PIXELS).mean((2, 4)) / 255
        return blocks.reshape(-1, across**2)


def _sums(sprites: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Add up the sprites in each of their combinations, sprite i being bit i."""
    combinations = np.arange(1 << len(sprites))[:, None] >> np.arange(len(sprites)) & 1
    return (combinations.astype(np.float32) @ sprites.astype(np.float32)).astype(np.uint8)  # sums stay below 256
