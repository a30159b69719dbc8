"""A world given by a file with all its frames and moves."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
from attrs.validators import and_, ge, lt

from cubespace.base.arrays import Images, Indices
from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import option
from cubespace.data.world import MOST_FRAMES, World, WorldMap


@attrs.frozen(kw_only=True)
class FramesOptions:
    """Where the frames are, and how many moves are kept out of training."""

    path: Path | None = option(None, "an .npz with arrays 'frames' (states, height, width[, 3]) and 'edges' (moves, 2)")
    held_out: float = option(0.0, "fraction of the moves that no training pair shows", and_(ge(0.0), lt(1.0)))


class Frames(World):
    """The world of an ``.npz`` file."""

    revision = 1
    Options = FramesOptions

    def __init__(self, options: FramesOptions) -> None:
        if options.path is None:
            raise UsageError("domain 'frames' needs path=FILE.npz with arrays 'frames' and 'edges'")
        self._map = WorldMap.of(*read_world(options.path), options.held_out)

    @property
    def map(self) -> WorldMap:
        """Return the frames and moves of the file."""
        return self._map


def read_world(path: Path) -> tuple[Images, Indices]:
    """Read frames and moves, and refuse what is not a world."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            frames, edges = np.asarray(archive["frames"]), np.asarray(archive["edges"])
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"'{path}' is not an .npz with arrays 'frames' and 'edges' ({error})") from error
    if frames.dtype != np.uint8 or frames.ndim not in (3, 4) or (frames.ndim == 4 and frames.shape[3] != 3):
        raise InputError(f"'{path}': frames must be uint8 (states, height, width) or (states, height, width, 3)")
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer) or len(edges) == 0:
        raise InputError(f"'{path}': edges must be whole numbers (moves, 2)")
    if len(frames) > MOST_FRAMES or edges.min() < 0 or edges.max() >= len(frames):
        raise InputError(f"'{path}': edges must be numbers of frames, of which there may be 65,536")
    return frames, edges.astype(np.intp)
