"""The towers of Hanoi: the top disk of a peg moves onto a larger one or onto an empty peg."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import attrs
import numpy as np
from attrs.validators import and_, ge, le
from numpy.typing import NDArray

from cubespace.base.arrays import Images, States
from cubespace.base.options import option
from cubespace.data.domain import Simulator
from cubespace_domains.faults import joined, miscounted, unclear
from cubespace_domains.mosaic import Mosaic

SLOT_HEIGHT = 4  # pixels: a disk and the gap above it
WIDTH_STEP = 4  # pixels by which the next larger disk is wider
MAX_WRONG_PIXELS = 1  # per slot
UNCLEAR_RANGE = 0.1  # a pixel this close to the middle, between .4 and .6, counts as neither lit nor dark
MAX_TABLE_STATES = 1 << 18


@attrs.frozen(kw_only=True)
class TowerOptions:
    """The numbers of disks and pegs."""

    disks: int = option(9, "number of disks", and_(ge(1), le(64)))
    pegs: int = option(3, "number of pegs", and_(ge(3), le(16)))


class Hanoi(Simulator):
    """A state says on which peg each disk is, the smallest disk first; the goal has all disks on the last peg.

    Reading: a slot is one disk high and one peg wide. It shows a disk, or nothing, if at most one of its pixels is
    wrong: not above .6 where the disk is, or not below .4 where it is not. A picture is readable if every slot shows a
    disk or nothing, every disk appears once, and every stack stands on the ground, without gaps, larger disks below.
    """

    revision = 1
    closed = True
    Options = TowerOptions
    usual_pairs = 20_000  # large disks can move in few states: fewer pairs rarely show such moves

    def __init__(self, options: TowerOptions) -> None:
        self.disks, self.pegs = options.disks, options.pegs
        self._mosaic = Mosaic(_slots(self.disks), self.disks, self.pegs)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture."""
        return self._mosaic.image_shape

    @property
    def radices(self) -> tuple[int, ...]:
        """Return the number of pegs, for each disk."""
        return (self.pegs,) * self.disks

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Put each disk on a random peg, which determines the order within each stack."""
        return rng.integers(self.pegs, size=(count, self.disks), dtype=np.uint8)

    def goal(self) -> States:
        """Return all disks on the last peg."""
        return np.full((1, self.disks), self.pegs - 1, dtype=np.uint8)

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Move the top disk of each peg to each peg whose top disk is larger."""
        top = np.full((len(states), self.pegs), self.disks, dtype=np.intp)  # an empty peg counts as the largest disk
        rows = np.arange(len(states))
        for disk in reversed(range(self.disks)):
            top[rows, states[:, disk]] = disk
        parents, source, target = np.nonzero(top[:, :, None] < top[:, None, :])
        children = states[parents]
        children[np.arange(len(children)), top[parents, source]] = target
        return children, parents

    def render(self, states: States) -> Images:
        """Draw the stacks."""
        if self.pegs**self.disks > MAX_TABLE_STATES:
            return self._mosaic.draw(self._stack(states))
        weights = self.pegs ** np.arange(self.disks - 1, -1, -1, dtype=np.float32)
        index = (states.astype(np.float32) @ weights).astype(np.intp)  # exact: below 2^24
        return self._mosaic.draw(self._stacks[index])

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the disk in each slot by the rule of the class."""
        cells, clear = self._seen(images)
        pegs = np.stack([(cells == disk).any(1).argmax(1) for disk in range(1, self.disks + 1)], axis=1)
        states = pegs.astype(np.uint8)  # (batch, disks), correct if they describe the stacks that are seen
        readable = clear.all((1, 2)) & (self._stack(states) == cells).all((1, 2))
        states[~readable] = 0
        return states, readable

    def faults(self, images: Images) -> list[str]:
        """Name unclear slots, else disks that appear twice or are missing, else disks in an impossible position."""
        return [self._fault(*seen) for seen in zip(*self._seen(images), strict=True)]

    def _fault(self, cells: NDArray[np.uint8], clear: NDArray[np.bool_]) -> str:
        if not clear.all():
            return unclear(~clear, "neither a disk nor nothing in")
        disks = range(1, self.disks + 1)
        counted = miscounted(cells[cells > 0].tolist(), disks, "disk ")
        return counted or joined(_misplaced(column.tolist()) for column in cells.T)

    def _seen(self, images: Images) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return which disk is in each slot, and which slots show a disk or nothing: ``(batch, slots, pegs)`` each."""
        width = self.image_shape[1] // self.pegs
        slots = (
            images.reshape(-1, self.disks, SLOT_HEIGHT, self.pegs, width)
            .swapaxes(2, 3)
            .reshape(-1, SLOT_HEIGHT * width)
        )
        not_lit = (slots <= (0.5 + UNCLEAR_RANGE) * 255).astype(np.float32)  # (slots, pixels)
        not_dark = (slots >= (0.5 - UNCLEAR_RANGE) * 255).astype(np.float32)
        drawn = (self._mosaic.sprites.reshape(self.disks + 1, -1) > 0).astype(np.float32)
        shown = not_lit @ drawn.T + not_dark @ (1 - drawn).T <= MAX_WRONG_PIXELS  # (slots, disks + 1)
        cells = shown.argmax(1).astype(np.uint8).reshape(len(images), self.disks, self.pegs)
        return cells, shown.any(1).reshape(cells.shape)

    @cached_property
    def _stacks(self) -> NDArray[np.uint8]:
        """Return the stacks of every state."""
        numbers = np.arange(self.pegs**self.disks)[:, None]
        weights = self.pegs ** np.arange(self.disks - 1, -1, -1)
        return self._stack((numbers // weights % self.pegs).astype(np.uint8))

    def _stack(self, states: States) -> NDArray[np.uint8]:
        """Return which disk is in each slot, counted from 1, the top slots first: ``(batch, slots, pegs)``."""
        cells = np.zeros((len(states), self.disks, self.pegs), dtype=np.uint8)
        height = np.zeros((len(states), self.pegs), dtype=np.intp)
        rows = np.arange(len(states))
        for disk in reversed(range(self.disks)):
            peg = states[:, disk]
            cells[rows, self.disks - 1 - height[rows, peg], peg] = disk + 1
            height[rows, peg] += 1
        return cells


def _misplaced(column: list[int]) -> str:
    """Say what is wrong with a peg, given the disks in its slots from the top; 0 is an empty slot."""
    for above, below in pairwise(column):
        if above and not below:
            return f"disk {above} stands on nothing"
        if above > below:
            return f"disk {above} lies on disk {below}"
    return ""


def _slots(disks: int) -> NDArray[np.uint8]:
    """Draw an empty slot and then a slot with each disk, the smallest first."""
    width = WIDTH_STEP * (disks + 1)
    slots = np.zeros((disks + 1, SLOT_HEIGHT, width), dtype=np.uint8)
    for disk in range(1, disks + 1):
        edge = (width - WIDTH_STEP * disk) // 2
        slots[disk, 1:, edge : width - edge] = 255
    return slots
