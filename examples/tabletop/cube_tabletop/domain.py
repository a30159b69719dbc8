"""Blocks on a table as a domain: all their pictures, and a judge that reads them from a little elsewhere, too."""

from __future__ import annotations

from functools import lru_cache

import attrs
import numpy as np
from attrs.validators import and_, ge, le
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from cube_tabletop.aligned import aligned
from cube_tabletop.columns import Columns
from cube_tabletop.scene import Scene, places_of
from cubespace.base.arrays import Images, States
from cubespace.base.options import option
from cubespace.data.domain import Placing, Simulator
from cubespace.data.world import CHUNK, OFF, Sight, WorldMap

PARTS = 8  # that are compared, along a side of a picture
MOST_OFF = 0.2 * 255  # levels by which such a part may differ, on average


@attrs.frozen(kw_only=True)
class TabletopOptions:
    """What stands on the table, and how large its picture is."""

    blocks: int = option(4, "number of blocks, each of a colour of its own", and_(ge(1), le(5)))
    columns: int = option(4, "number of columns in which blocks may stand", and_(ge(2), le(5)))
    size: int = option(64, "pixels along a side of a picture", and_(ge(32), le(256)))


@attrs.frozen(eq=False)
class Table:
    """All that can be seen of a table: it is rendered once."""

    columns: Columns
    scene: Scene
    map: WorldMap


@lru_cache(maxsize=2)
def table(options: TabletopOptions) -> Table:
    """Return the table of some options."""
    columns, scene = Columns.of(options.blocks, options.columns), Scene(options.blocks, options.size)
    frames = scene.render(_places(columns.states, options))
    return Table(columns, scene, WorldMap.of(frames, columns.edges, goal=int(columns.number_of(_goal(options))[0])))


def _places(states: States, options: TabletopOptions) -> NDArray[np.float64]:
    cells = states.astype(np.intp)
    return places_of(cells // options.blocks, cells % options.blocks, options.columns)


def _goal(options: TabletopOptions) -> States:
    last = options.blocks * options.columns - 1
    return np.arange(last, last - options.blocks, -1, dtype=np.uint8)[None]


def _worst_part(images: Images, frames: Images) -> NDArray[np.float64]:
    """Return by how much the part of a picture that differs most does, on average: parts are a bit smaller than blocks.

    An edge that is a pixel off is a small share of such a part; a block that is not there is most of one.
    """
    side = max(2, images.shape[1] // PARTS)
    inner = slice(side // 2, -(side // 2))  # what comes in from outside is not known
    apart = np.abs(images.astype(np.float64) - frames).mean(3)[:, inner, inner]
    seen = [uniform_filter(each, side, mode="nearest").max() for each in apart]
    return np.array(seen, dtype=np.float64)


class Tabletop(Simulator, Placing):
    """A state says in which cell each block is: column times the number of blocks, plus the height.

    In the goal all blocks stand in the last column, the first one on top.

    Reading: a picture is brought to where the camera usually stands and into the usual light, as far as shift, gain and
    offset do that; then it shows the frame nearest to it, unless it is on the way to another one, or some part of it is
    unlike the frame.
    """

    revision = 1
    Options = TabletopOptions
    reads_blurred = True

    def __init__(self, options: TabletopOptions) -> None:
        self.options = options

    @property
    def _table(self) -> Table:
        return table(self.options)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture, in three colours."""
        return self.options.size, self.options.size, 3

    @property
    def radices(self) -> tuple[int, ...]:
        """Return the number of cells, for each block."""
        return (self.options.blocks * self.options.columns,) * self.options.blocks

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw states uniformly."""
        states = self._table.columns.states
        return states[rng.integers(len(states), size=count)]

    def goal(self) -> States:
        """Return all blocks in the last column, the first one on top."""
        return _goal(self.options)

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Move the top block of each column onto each other one."""
        columns = self._table.columns
        children, parents = self._table.map.forward.of_states(columns.number_of(states))
        return columns.states[children], parents

    def render(self, states: States) -> Images:
        """Return the frames of states."""
        return self._table.map.frames[self._table.columns.number_of(states)]

    def render_placed(self, states: States, places: NDArray[np.float32]) -> Images:
        """Draw blocks that stand off their places, to the right and nearer, and turned."""
        there, pixel = _places(states, self.options), self._table.scene.pixel
        there[..., 0] += pixel * places[..., 0]
        there[..., 1] -= pixel * places[..., 1]
        there[..., 3] += np.radians(places[..., 2])
        return self._table.scene.render(there)

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the state that each picture shows, by the rule of the class."""
        states, readable = np.zeros((len(images), self.options.blocks), np.uint8), np.zeros(len(images), np.bool_)
        for first in range(0, len(images), CHUNK):
            sight, rows = self._sight(images[first : first + CHUNK]), slice(first, first + CHUNK)
            readable[rows] = sight.clear
            states[rows][sight.clear] = self._table.columns.states[sight.number[sight.clear]]
        return states, readable

    def read_placed(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the state that each picture shows; blocks that stand a little off look most like those that do not."""
        return self.read(images)

    def faults(self, images: Images) -> list[str]:
        """Say what each picture is nearest to, and what is wrong with it."""
        parts = [self._sight(images[first : first + CHUNK]) for first in range(0, len(images), CHUNK)]
        return [fault for sight in parts for fault in sight.faults()]

    def _sight(self, images: Images) -> Sight:
        """Look at pictures twice: as they are, and brought to where the frame that seemed nearest was taken."""
        seen = self._table.map.look(images)
        straight = aligned(images, self._table.map.frames[seen.number])
        seen = self._table.map.look(straight)
        return attrs.evolve(seen, off=_worst_part(straight, self._table.map.frames[seen.number]) * OFF / MOST_OFF)
