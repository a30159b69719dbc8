"""LightsOut: pressing a lamp toggles it and the lamps beside, above and below it."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from attrs.validators import and_, ge, in_, le
from numpy.typing import NDArray

from cubespace.base.arrays import Images, States
from cubespace.base.options import option
from cubespace.data.domain import Simulator
from cubespace_domains.faults import unclear
from cubespace_domains.mosaic import Mosaic

LAMP_PIXELS = 9  # along a side
WIDE, THIN = "wide", "thin"
UNCLEAR_RANGE = 0.1  # a pixel this close to the middle, between .4 and .6, is neither lit nor dark


@attrs.frozen(kw_only=True)
class LampOptions:
    """The number of lamps along a side."""

    size: int = option(4, "lamps along a side", and_(ge(2), le(64)))


@attrs.frozen(kw_only=True)
class CrossOptions(LampOptions):
    """The number of lamps along a side, and their look."""

    lamp: str = option(
        WIDE,
        "the cross of a lit lamp: wide (arms of 3 pixels and a dark pixel around them), or thin, as the paper's "
        "authors drew it (arms of 2 pixels, to the edges of the cell)",
        in_((WIDE, THIN)),
    )


def lamp(cross: str = WIDE) -> NDArray[np.uint8]:
    """Draw a lit lamp: a white cross on a dark cell."""
    picture = np.zeros((LAMP_PIXELS, LAMP_PIXELS), dtype=np.uint8)
    if cross == WIDE:
        picture[3:6, 1:-1] = picture[1:-1, 3:6] = 255
    else:
        picture[4:6] = picture[:, 4:6] = 255
    return picture


class LightsOut(Simulator):
    """A square of lamps. A state says which are lit, row by row; in the goal, all are off.

    Reading: a pixel above .6 is lit, one below .4 dark. A picture is readable if in each cell the lit pixels are
    exactly those of the lamp, or none, and no pixel is in between.
    """

    revision = 1
    closed = True
    Options: ClassVar[type[LampOptions]] = CrossOptions

    def __init__(self, options: LampOptions) -> None:
        self.size = options.size
        self._lit = lamp(options.lamp if isinstance(options, CrossOptions) else WIDE)  # (9, 9)
        self._lamps = Mosaic(np.stack([np.zeros_like(self._lit), self._lit]), self.size, self.size)
        self._presses = _presses(self.size)  # (lamps, lamps)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture."""
        return self._lamps.image_shape

    @property
    def radices(self) -> tuple[int, ...]:
        """Return two, for each lamp."""
        return (2,) * self.size**2

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw every lamp at random; from some of these states, not all lamps can be switched off."""
        return rng.integers(2, size=(count, self.size**2), dtype=np.uint8)

    def goal(self) -> States:
        """Return all lamps off."""
        return np.zeros((1, self.size**2), dtype=np.uint8)

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Press each lamp."""
        children = states[:, None] ^ self._presses  # (batch, presses, lamps)
        return children.reshape(-1, self.size**2), np.arange(len(states)).repeat(self.size**2)

    def render(self, states: States) -> Images:
        """Draw the lamps."""
        return self._lamps.draw(states.reshape(-1, self.size, self.size))

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Return which lamps are lit, by the rule that the docstring of the class states."""
        on, clear = self._seen(images)
        readable = np.asarray(clear.all((1, 2)))
        states = on.reshape(-1, self.size**2).astype(np.uint8)
        states[~readable] = 0
        return states, readable

    def faults(self, images: Images) -> list[str]:
        """Name the lamps that are neither on nor off."""
        return [unclear(~clear, "a lamp neither on nor off in") for clear in self._seen(images)[1]]

    def _seen(self, images: Images) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which lamps are lit, and which are clearly lit or dark: ``(batch, row, column)`` each."""
        lit = images > (0.5 + UNCLEAR_RANGE) * 255
        sharp = lit | (images < (0.5 - UNCLEAR_RANGE) * 255)
        cells, clear = (
            pixels.reshape(-1, self.size, LAMP_PIXELS, self.size, LAMP_PIXELS).swapaxes(2, 3) for pixels in (lit, sharp)
        )  # (batch, row, column, 9, 9)
        on = (cells == (self._lit > 0)).all((3, 4))
        off = ~cells.any((3, 4))
        return on, (on | off) & clear.all((3, 4))


def _presses(size: int) -> NDArray[np.uint8]:
    """Return which lamps each press toggles."""
    row, column = np.divmod(np.arange(size**2), size)
    away = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
    presses: NDArray[np.uint8] = (away <= 1).astype(np.uint8)
    return presses
