"""A world given by its pictures: all its frames, and which frame one move leads to from which."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import attrs
import numpy as np
from attrs.validators import and_, ge, lt
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices, States
from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import option
from cubespace.data.domain import USUAL_PAIRS, Pairs, Simulator

NEARER = 0.4  # of the distance of the two most alike frames: half-way between them a picture shows neither
CHUNK = 256  # pictures compared with all frames at once


@attrs.frozen(kw_only=True)
class FramesOptions:
    """Where the frames are, and which moves learning may not see."""

    path: Path | None = option(None, "an .npz with arrays 'frames' (states, height, width[, 3]) and 'edges' (moves, 2)")
    held_out: float = option(0.0, "fraction of the moves that no training pair shows", and_(ge(0.0), lt(1.0)))


class World(Simulator):
    """States are numbers of frames, in two bytes; frames that look the same are one state.

    Reading: a picture shows the frame nearest to it, if it is clearly nearer to it than half the distance between the
    two most alike frames: it then cannot be nearer to any other.
    """

    reversible = False

    def __init__(self, frames: Images, edges: Indices, held_out: float = 0.0) -> None:
        self.frames = frames
        chosen = np.random.default_rng(0).random(len(edges)) >= held_out
        self.forward, self.backward = _Moves.of(edges, len(frames)), _Moves.of(edges[:, ::-1], len(frames))
        self.shown = _Moves.of(edges[chosen], len(frames))

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of a frame."""
        return self.frames.shape[1:]

    @property
    def radices(self) -> tuple[int, ...]:
        """Return two bytes."""
        return (256, 256)

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw frames uniformly."""
        return _states(rng.integers(len(self.frames), size=count))

    def goal(self) -> States:
        """Return the frame that was given last: where an episode ends, in most worlds."""
        return _states(np.array([len(self.frames) - 1]))

    def render(self, states: States) -> Images:
        """Return the frames."""
        return self.frames[_numbers(states)]

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return the frames that one move leads to."""
        children, parents = self.forward.of_states(_numbers(states))
        return _states(children), parents

    def predecessors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return the frames from which one move leads there."""
        children, parents = self.backward.of_states(_numbers(states))
        return _states(children), parents

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw frames, each with a random one of those moves that are not held out."""
        able = np.flatnonzero(self.shown.degrees > 0)
        before = able[rng.integers(len(able), size=USUAL_PAIRS if count is None else count)]
        degrees = self.shown.degrees[before]
        after = self.shown.targets[self.shown.starts[before] + rng.integers(degrees)]
        return Pairs(self.frames[before], self.frames[after], _states(before), _states(after))

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the nearest frame by the rule of the class."""
        number, distance = self._seen(images)
        readable = distance <= 1
        return _states(np.where(readable, number, 0)), readable

    def faults(self, images: Images) -> list[str]:
        """Say which frame is nearest, and how much too far it is."""
        return [
            "" if far <= 1 else f"like frame {number}, but {far:.3g} times as far from it as it may be"
            for number, far in zip(*(part.tolist() for part in self._seen(images)), strict=True)
        ]

    def _seen(self, images: Images) -> tuple[Indices, NDArray[np.float64]]:
        """Return the nearest frame of each picture, and how far it is as a multiple of how far it may be."""
        parts = [self._nearest(images[start : start + CHUNK]) for start in range(0, len(images), CHUNK)]
        number = np.concatenate([part[0] for part in parts] or [np.zeros(0, dtype=np.intp)])
        distance = np.concatenate([part[1] for part in parts] or [np.zeros(0)])
        return number, distance / max(NEARER * self._closest, np.finfo(np.float64).tiny)

    def _nearest(self, images: Images) -> tuple[Indices, NDArray[np.float64]]:
        flat, frames = (part.reshape(len(part), -1).astype(np.float64) for part in (images, self.frames))
        square = (flat**2).sum(1)[:, None] + (frames**2).sum(1) - 2 * flat @ frames.T
        nearest = square.argmin(1)
        return nearest, np.sqrt(np.maximum(square[np.arange(len(flat)), nearest], 0))

    @cached_property
    def _closest(self) -> float:
        """Return the distance of the two most alike frames."""
        frames = self.frames.reshape(len(self.frames), -1).astype(np.float64)
        square = (frames**2).sum(1)
        apart = square[:, None] + square - 2 * frames @ frames.T
        np.fill_diagonal(apart, np.inf)
        return float(np.sqrt(max(float(apart.min()), 0.0)))


class Frames(World):
    """The world of an ``.npz`` file."""

    revision = 1
    Options = FramesOptions

    def __init__(self, options: FramesOptions) -> None:
        if options.path is None:
            raise UsageError("domain 'frames' needs path=FILE.npz with arrays 'frames' and 'edges'")
        super().__init__(*read_world(options.path), options.held_out)


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


def read_world(path: Path) -> tuple[Images, Indices]:
    """Read frames and moves, and refuse what is not a world."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            frames, edges = np.asarray(archive["frames"]), np.asarray(archive["edges"])
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error
    except Exception as error:  # a damaged archive raises anything
        raise InputError(f"'{path}' is not an .npz with arrays 'frames' and 'edges' ({error})") from error
    if frames.dtype != np.uint8 or frames.ndim not in (3, 4) or (frames.ndim == 4 and frames.shape[3] != 3):
        raise InputError(f"'{path}': frames must be uint8 (states, height, width) or (states, height, width, 3)")
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer) or len(edges) == 0:
        raise InputError(f"'{path}': edges must be whole numbers (moves, 2)")
    if len(frames) > 1 << 16 or edges.min() < 0 or edges.max() >= len(frames):
        raise InputError(f"'{path}': edges must be numbers of frames, of which there may be 65,536")
    return frames, edges.astype(np.intp)


def _states(numbers: Indices) -> States:
    return np.stack([numbers >> 8, numbers & 255], axis=1).astype(np.uint8)


def _numbers(states: States) -> Indices:
    return states[:, 0].astype(np.intp) << 8 | states[:, 1]
