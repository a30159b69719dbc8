"""What a result belongs to: pictures that change in place are noticed, and what does not matter changes nothing."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PIL import Image, ImageOps

from chaos_cases.harness import Case, Ended
from chaos_cases.world import World

DONE = "data: done already"


def changed_sources(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases in which the pictures of a finished run are changed, or only touched."""
    changes = (_invert, _invert_and_reset_time, _swap, _damage, _rename, _remove, _touch, _add_notes, _move, _precision)
    for number in range(count):
        rng = random.Random(f"{seed} identity {number}")
        change = changes[number % len(changes)]
        source = ("pairs", "pairs.csv")[number // len(changes) % 2]
        if source == "pairs.csv" and change in (_rename, _remove):
            change = _invert  # of a table, files that are gone do not count

        def prepare(change: Callable[..., str], source: str, rng: random.Random, folder: Path) -> Sequence[str]:
            shutil.copytree(world.sources(source), folder, dirs_exist_ok=True)
            words = change(folder, rng)
            run = "moved" if (folder / "moved").exists() else "run"
            return ["train", run, *words.split()] if words else ["train", run]

        yield Case(
            group="identity",
            name=f"{change.__name__.strip('_').replace('_', ' ')} {source} {number}",
            prepare=partial(prepare, change, source, rng),
            codes=frozenset({0, 1, 2, 3}),  # what was changed may be unreadable, or not suit the learner any more
            check=_kept if change in (_touch, _add_notes, _move, _precision) else _noticed,
        )


def _kept(_: Path, ended: Ended) -> str:
    return "" if DONE in ended.errors else "changed: the data set was drawn again, though its pictures are the same"


def _noticed(_: Path, ended: Ended) -> str:
    return "lost: other pictures, and the old data set" if DONE in ended.errors else ""


def _some(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted((folder / "pairs").glob("*.bmp")))


def _invert(folder: Path, rng: random.Random) -> str:
    """Invert pictures in place: the sizes stay."""
    for path in {_some(folder, rng) for _ in range(rng.choice((1, 5, 200)))}:
        with Image.open(path) as image:
            inverted = ImageOps.invert(image.convert("L"))
        size = path.stat().st_size
        inverted.save(path)
        assert path.stat().st_size == size
    return ""


def _invert_and_reset_time(folder: Path, rng: random.Random) -> str:
    times = {path: path.stat() for path in (folder / "pairs").glob("*.bmp")}
    _invert(folder, rng)
    for path, before in times.items():
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return ""


def _swap(folder: Path, rng: random.Random) -> str:
    """Let two different pictures change places."""
    one = _some(folder, rng)
    other = rng.choice(
        [path for path in sorted((folder / "pairs").glob("*.bmp")) if path.read_bytes() != one.read_bytes()]
    )
    spare = folder / "spare"
    one.rename(spare)
    other.rename(one)
    spare.rename(other)
    return ""


def _damage(folder: Path, rng: random.Random) -> str:
    path = _some(folder, rng)
    content = bytearray(path.read_bytes())
    content[-rng.randrange(1, 20)] ^= 0xFF
    path.write_bytes(content)
    return ""


def _rename(folder: Path, rng: random.Random) -> str:
    """Put a pair at the end of the order."""
    name = _some(folder, rng).stem.rpartition("_")[0]
    for half in "ab":
        (folder / "pairs" / f"{name}_{half}.bmp").rename(folder / "pairs" / f"zz_{half}.bmp")
    return ""


def _remove(folder: Path, rng: random.Random) -> str:
    name = _some(folder, rng).stem.rpartition("_")[0]
    for half in "ab":
        (folder / "pairs" / f"{name}_{half}.bmp").unlink()
    return ""


def _touch(folder: Path, rng: random.Random) -> str:
    os.utime(_some(folder, rng))
    return ""


def _add_notes(folder: Path, _: random.Random) -> str:
    (folder / "pairs" / "notes.txt").write_text("no picture")
    return ""


def _move(folder: Path, _: random.Random) -> str:
    """Give the run folder another name."""
    (folder / "run").rename(folder / "moved")
    return ""


def _precision(_: Path, __: random.Random) -> str:
    """Ask for another precision where nothing is trained by gradient: the run is the same."""
    return "--precision bf16"
