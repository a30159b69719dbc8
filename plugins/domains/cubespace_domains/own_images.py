"""The user's own pictures: pairs, before and after some action, or films, in which each change is a pair."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import attrs
import numpy as np
from attrs.validators import ge, optional

from cubespace.base.errors import UsageError
from cubespace.base.images import Colour
from cubespace.base.options import option
from cubespace.data.domain import Domain, Pairs
from cubespace_domains.episodes import pairs_of, read_folder
from cubespace_domains.pair_files import files_of, pictures_named, pictures_of, read_pairs
from cubespace_domains.sizes import check_size, parse_size
from cubespace_domains.videos import read_videos

FORMATS = (
    "a folder with 0001_a.png, 0001_b.png …, an .npz with arrays 'before' and 'after', or a .csv of two paths per row"
)


@attrs.frozen(kw_only=True)
class PictureOptions:
    """Where the pictures are and how to read them."""

    path: Path | None = option(None, "the folder, .npz or .csv with the pairs")
    frames: Path | None = option(
        None, "instead of pairs: a folder of frames in order, or of one sub-folder per episode"
    )
    video: Path | None = option(None, "instead of pairs: a video file, or a folder of one file per episode")
    still: float | None = option(
        None, "frames that differ by at most this, of 1, show the same; estimated if left out", optional(ge(0.0))
    )
    colour: Colour = option("auto", "grey, rgb, or auto: grey if all pictures are")
    resize: str | None = option(None, "scale all pictures to HEIGHTxWIDTH", check_size)


class OwnImages(Domain):
    """Pairs of pictures without rules: enough to learn and plan, but the plans cannot be judged.

    They are read on first use: a run that has its data set does not need them to plan.
    """

    revision = 1
    Options = PictureOptions

    def __init__(self, options: PictureOptions) -> None:
        given = [path for path in (options.path, options.frames, options.video) if path is not None]
        if len(given) != 1:
            raise UsageError(f"domain 'images' needs one of path=PATH, frames=FOLDER and video=FILE; path is {FORMATS}")
        self.options = options

    @classmethod
    def files_behind(cls, option: str, path: Path) -> list[Path]:
        """Return a file and, if it is a table, the pictures that it names; of a folder, the files that are read."""
        if path.is_dir():
            return files_of(path) if option == "video" else pictures_of(path)
        table = option == "path" and path.suffix.lower() == ".csv" and path.is_file()
        return [path, *pictures_named(path)] if table else [path]

    @cached_property
    def _read(self) -> Pairs:
        """Return all pairs, in the order of the files, and the episode of each where it is known."""
        options, size = self.options, None
        if options.resize is not None:
            size = parse_size(options.resize)
        if options.path is not None:
            return Pairs(*read_pairs(options.path, options.colour, size))
        if options.frames is not None:
            return pairs_of(read_folder(options.frames, options.colour, size), options.still, options.frames)
        assert options.video is not None
        return pairs_of(read_videos(options.video, options.colour, size), options.still, options.video)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape that all pictures have."""
        return self._read.before.shape[1:]

    @property
    def resizes(self) -> bool:
        """Return whether the user gave ``resize``."""
        return self.options.resize is not None

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw ``count`` of the pairs, each at most once; None returns all, in the order of the files."""
        pairs = self._read
        if count is None:
            return pairs
        if count > len(pairs):
            raise UsageError(f"there are only {len(pairs)} pairs of pictures, but {count} were requested")
        return pairs[rng.choice(len(pairs), size=count, replace=False)]
