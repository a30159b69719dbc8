"""A world that is known by its pictures: all its frames, and the moves between them."""

from __future__ import annotations

from abc import abstractmethod

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices, States
from cubespace.data.domain import Pairs, Simulator

MOST_FRAMES = 1 << 16  # a state is the number of its frame, in two bytes
PART_OF_THE_WAY = 0.4  # from one frame to another: half-way between them, a picture shows neither
OFF = 0.15 * 255  # levels by which a block of a picture may differ from the frame, on average: that is noise
BLOCK = 4  # pixels along its side
CHUNK = 256  # frames that pictures are compared with at a time


@attrs.frozen(eq=False)
class Sight:
    """Which frame each picture shows, and how clearly."""

    number: Indices  # of the nearest frame
    other: Indices  # of the frame that the picture has moved furthest towards
    part: NDArray[np.float64]  # of the way to it
    off: NDArray[np.float64]  # levels by which the worst block differs from the nearest frame, on average

    @property
    def clear(self) -> NDArray[np.bool_]:
        """Return which pictures clearly show their frame."""
        return np.asarray((self.part <= PART_OF_THE_WAY) & (self.off <= OFF))

    def faults(self) -> list[str]:
        """Return what is wrong with each picture; "" if it is clear."""
        return [
            ""
            if clear
            else f"like frame {number}, but {100 * part:.0f} % on the way to frame {other}"
            if part > PART_OF_THE_WAY
            else f"like frame {number}, but a block of it is off by {off / 255:.2f}"
            for number, other, part, off, clear in zip(
                self.number, self.other, self.part, self.off, self.clear, strict=True
            )
        ]


@attrs.frozen(eq=False)
class WorldMap:
    """All frames of a world and the moves between them: forward, backward, and those used in training."""

    frames: Images
    forward: _Moves
    backward: _Moves
    shown: _Moves
    goal: int

    @classmethod
    def of(cls, frames: Images, edges: Indices, held_out: float = 0.0, goal: int | None = None) -> WorldMap:
        """Sort the moves, (moves, 2), and hold some of them out; the goal is the last frame unless it is given."""
        chosen = np.random.default_rng(0).random(len(edges)) >= held_out
        return cls(
            frames=frames,
            forward=_Moves.of(edges, len(frames)),
            backward=_Moves.of(edges[:, ::-1], len(frames)),
            shown=_Moves.of(edges[chosen], len(frames)),
            goal=len(frames) - 1 if goal is None else goal,
        )

    def look(self, images: Images) -> Sight:
        """Return the frame nearest to each picture, and how clearly the picture shows it.

        How far a picture x lies on the way from its frame f to another one g follows from three distances: the part is
        (|x - f|² + |g - f|² - |x - g|²) / 2 |g - f|². Noise does not move a picture along such a way.
        """
        square, rows = self._squares(images), np.arange(len(images))
        number = square.argmin(1)
        frames = self.frames[number]
        apart = np.maximum(self._squares(frames), 1.0)  # frames that look the same are one, so that none is 0 apart
        part = (square[rows, number][:, None] + apart - square) / (2 * apart)
        part[rows, number] = 0
        return Sight(number, part.argmax(1), part.max(1, initial=0), _worst_block(images, frames))

    def _squares(self, images: Images) -> NDArray[np.float64]:
        """Return the squared distance of each picture from each frame, (pictures, frames)."""
        flat = images.reshape(len(images), -1).astype(np.float64)
        parts = []
        for start in range(0, len(self.frames), CHUNK):
            frames = self.frames[start : start + CHUNK]
            frames = frames.reshape(len(frames), -1).astype(np.float64)
            parts.append((flat**2).sum(1)[:, None] + (frames**2).sum(1) - 2 * flat @ frames.T)
        return np.concatenate(parts, axis=1)


class World(Simulator):
    """States are numbers of frames, in two bytes; frames that look the same are one state.

    Reading: a picture shows the frame nearest to it, if it is not on the way from there to any other frame and no
    block of it is off: noise over the whole picture is tolerated; an extra, missing or half-drawn object is not.
    """

    reversible = False

    @property
    @abstractmethod
    def map(self) -> WorldMap:
        """Return what is known about the world; it may be explored when it is first needed."""

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of a frame."""
        return self.map.frames.shape[1:]

    @property
    def radices(self) -> tuple[int, ...]:
        """Return the radices of two bytes."""
        return (256, 256)

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw frames uniformly."""
        return states_of(rng.integers(len(self.map.frames), size=count))

    def goal(self) -> States:
        """Return where an episode ends: in most worlds, the frame that was given last."""
        return states_of(np.array([self.map.goal]))

    def render(self, states: States) -> Images:
        """Return the frames."""
        return self.map.frames[numbers_of(states)]

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return the frames that one move leads to."""
        children, parents = self.map.forward.of_states(numbers_of(states))
        return states_of(children), parents

    def predecessors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return the frames from which one move leads to the given ones."""
        children, parents = self.map.backward.of_states(numbers_of(states))
        return states_of(children), parents

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw frames, and for each a random move that is not held out."""
        shown, frames = self.map.shown, self.map.frames
        able = np.flatnonzero(shown.degrees > 0)
        before = able[rng.integers(len(able), size=self.usual_pairs if count is None else count)]
        after = shown.targets[shown.starts[before] + rng.integers(shown.degrees[before])]
        return Pairs(frames[before], frames[after], states_of(before), states_of(after))

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the nearest frame by the rule of the class."""
        parts = [self.map.look(images[start : start + CHUNK]) for start in range(0, len(images), CHUNK)]
        number = np.concatenate([part.number for part in parts] or [np.zeros(0, dtype=np.intp)])
        readable = np.concatenate([part.clear for part in parts] or [np.zeros(0, dtype=np.bool_)])
        return states_of(np.where(readable, number, 0)), readable

    def faults(self, images: Images) -> list[str]:
        """Say which frame is nearest, and what is wrong with it."""
        sights = [self.map.look(images[start : start + CHUNK]) for start in range(0, len(images), CHUNK)]
        return [fault for sight in sights for fault in sight.faults()]


@attrs.frozen(eq=False)
class _Moves:
    """The targets of all moves, sorted by their source."""

    targets: Indices
    starts: Indices  # (states,)
    degrees: Indices  # (states,)

    @classmethod
    def of(cls, edges: Indices, states: int) -> _Moves:
        """Sort the moves."""
        order = np.lexsort((edges[:, 1], edges[:, 0]))
        degrees = np.bincount(edges[:, 0], minlength=states)
        return cls(edges[order, 1], np.cumsum(degrees) - degrees, degrees)

    def of_states(self, numbers: Indices) -> tuple[Indices, Indices]:
        """Return the targets from some states, and for each the row of its source."""
        parents = np.repeat(np.arange(len(numbers)), self.degrees[numbers])
        first = np.cumsum(self.degrees[numbers]) - self.degrees[numbers]
        turn = np.arange(len(parents)) - first[parents]
        return self.targets[self.starts[numbers][parents] + turn], parents


def _worst_block(images: Images, frames: Images) -> NDArray[np.float64]:
    """Return the average difference of the block that differs most, (pictures,)."""
    apart = np.abs(images.astype(np.float32) - frames).reshape(*images.shape[:3], -1).mean(3)  # over colours
    height, width = (-(-side // BLOCK) * BLOCK for side in apart.shape[1:])
    spare = [(0, 0), (0, height - apart.shape[1]), (0, width - apart.shape[2])]
    blocks = np.pad(apart, spare, mode="edge").reshape(len(apart), height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    return np.asarray(blocks.mean((2, 4)).max((1, 2), initial=0), dtype=np.float64)


def states_of(numbers: Indices) -> States:
    """Return numbers of frames as states."""
    return np.stack([numbers >> 8, numbers & 255], axis=1).astype(np.uint8)


def numbers_of(states: States) -> Indices:
    """Return states as numbers of frames."""
    return states[:, 0].astype(np.intp) << 8 | states[:, 1]
