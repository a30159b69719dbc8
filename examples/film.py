"""Film random walks through a domain: a folder of frames for each walk, or one video.

    python examples/film.py photo --walks 100 --steps 50 -o film
    cube run --domain images:frames=film

    python examples/film.py lightsout:size=3 --walks 1 --steps 600 --hold 4 --scale 4 -o film.mp4
    cube run --domain images:video=film.mp4,resize=18x18

Learning sees only the film: which frames follow each other, not what was done.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from cubespace.base.images import write_png
from cubespace.data.domain import StateSpace
from cubespace.data.spoiling import walk
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import Spoiling


def main() -> None:
    """Walk and film."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", help="a domain that knows its states, such as photo or lightsout:size=3")
    parser.add_argument("--walks", type=int, default=100)
    parser.add_argument("--steps", type=int, default=50, help="of each walk")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hold", type=int, default=1, help="number of frames for which each picture is shown")
    parser.add_argument("--scale", type=int, default=1, help="size of a pixel, in pixels")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder, or a video file such as film.mp4")
    arguments = parser.parse_args()
    films = walks(arguments.domain, arguments.walks, arguments.steps, arguments.seed)
    films = [film.repeat(arguments.hold, 0).repeat(arguments.scale, 1).repeat(arguments.scale, 2) for film in films]
    if arguments.output.suffix:
        write_video(arguments.output, np.concatenate(films))
    else:
        for number, film in enumerate(films):
            for turn, frame in enumerate(film):
                write_png(arguments.output / f"walk{number:03d}" / f"{turn:05d}.png", frame)
    print(f"{sum(map(len, films))} frames of {len(films)} walks in {arguments.output}")


def walks(spec: str, count: int, steps: int, seed: int) -> list[np.ndarray]:
    """Return the frames of each walk, (steps + 1, height, width, …)."""
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, StateSpace), f"{spec} does not know its states"
    before, after, number = walk(domain, count * steps, Spoiling(walks=count), np.random.default_rng(seed))
    rows_of_walks = [np.flatnonzero(number == each) for each in np.unique(number)]
    return [domain.render(np.concatenate([before[rows], after[rows[-1:]]])) for rows in rows_of_walks]


def write_video(file: Path, frames: np.ndarray) -> None:
    """Write one video; a walk that follows another begins with a cut, which looks like a move."""
    try:
        import imageio.v3 as video
        import imageio_ffmpeg  # noqa: F401 - imageio needs it to write videos
    except ImportError:
        raise SystemExit("writing a video needs: pip install 'cubespace[video]'") from None
    colour = frames if frames.ndim == 4 else frames[..., None].repeat(3, axis=3)
    height, width = (-side % 16 for side in colour.shape[1:3])  # most players need multiples of 16
    padded = np.pad(colour, [(0, 0), (0, height), (0, width), (0, 0)], mode="edge")
    video.imwrite(file, padded, plugin="FFMPEG", fps=10, macro_block_size=16, output_params=["-crf", "12"])


if __name__ == "__main__":
    main()
