"""``cube show`` and ``cube data``: the pictures of a domain, and data sets made of them."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.options import parse_spec
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.completion import names
from cubespace.cli.option_groups import grouped
from cubespace.plugins.blame import blame
from cubespace.settings.run_config import Spoiling

if TYPE_CHECKING:
    from cubespace.base.arrays import Images

DomainSpec = Annotated[
    str,
    typer.Argument(
        metavar="DOMAIN",
        autocompletion=names("domain"),
        help="A domain, as NAME or NAME:key=value,…; see `cube plugins domain`.",
    ),
]
DataFile = Annotated[Path | None, typer.Option("-o", "--output", help="The file to write.  [default: NAME.npz]")]
Count = Annotated[
    int | None,
    typer.Option("-n", "--count", min=1, help="How many transitions; the domain's default number if left out."),
]
Seed = Annotated[int, typer.Option(min=0, help="Everything random depends on it alone.")]


@app.command(epilog="Example: `cube show hanoi:disks=4 -o hanoi.png`")
def show(
    domain: DomainSpec,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The PNG to write.  [default: NAME.png]")
    ] = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="How many transitions to show.")] = 24,
    seed: Seed = 0,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Draw a contact sheet of transitions of a domain: before and after, side by side."""
    import numpy as np

    from cubespace.data.domain import StateSpace
    from cubespace.data.memory import check_count
    from cubespace.data.transitions import check_pairs

    source = catalogue(no_plugin).create("domain", domain)
    target = output or Path(f"{parse_spec(domain).name}.png")
    if target.suffix.lower() != ".png":
        raise UsageError(f"-o {target}: contact sheets are PNG files: give it a name that ends in .png")
    sample_size = count if isinstance(source, StateSpace) else None  # a collection may have fewer
    with blame(source):
        check_count(source, sample_size)
        pairs = source.sample(sample_size, np.random.default_rng(seed))
        check_pairs(pairs, source)
    pairs = pairs[:count]
    _write_sheet(target, pairs.before, pairs.after)
    if as_json:
        shape = list(pairs.before.shape[1:])
        typer.echo(json.dumps({"picture": str(target), "domain": domain, "transitions": len(pairs), "shape": shape}))
        return
    typer.echo(str(target))


class Ground(StrEnum):
    """What pictures are laid on."""

    NONE = "none"
    TEXTURED = "textured"
    BLACK = "black"


@attrs.frozen
class Spoiled:
    """What is done to clean data."""

    noise: Annotated[float, typer.Option(min=0, help="Spoil: standard deviation of noise on each pixel, of 1.")] = 0.0
    light: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: darken each picture by up to this.")] = 0.0
    shift: Annotated[int, typer.Option(min=0, max=8, help="Spoil: shift each picture by up to this many pixels.")] = 0
    blink: Annotated[int, typer.Option(min=0, max=8, help="Spoil: add lamps that blink at random.")] = 0
    wrong: Annotated[float, typer.Option(min=0, max=1, help="Spoil: mix up this fraction of the pairs.")] = 0.0
    walks: Annotated[int | None, typer.Option(min=1, help="Spoil: draw pairs from this many random walks.")] = None
    restart: Annotated[int | None, typer.Option(min=1, help="Restart walks after this many steps.")] = None
    from_goal: Annotated[bool, typer.Option("--from-goal", help="Begin walks at the goal.")] = False
    gamma: Annotated[float, typer.Option(min=0, help="Spoil: a random power of pixels, up to 1 + this.")] = 0.0
    contrast: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: reduce contrast by up to this.")] = 0.0
    gradient: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: darken one side by up to this.")] = 0.0
    shadow: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: add a soft shadow of up to this.")] = 0.0
    blur: Annotated[float, typer.Option(min=0, max=16, help="Spoil: blur by up to this many pixels.")] = 0.0
    pepper: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: turn this share of pixels black or white.")] = (
        0.0
    )
    cursor: Annotated[int, typer.Option(min=0, max=32, help="Spoil: draw a pointer of this many pixels.")] = 0
    jpeg: Annotated[int | None, typer.Option(min=1, max=95, help="Spoil: store as JPEG of this quality.")] = None
    ground: Annotated[Ground, typer.Option(help="Spoil: lay pictures on this ground.")] = Ground.NONE
    ground_width: Annotated[int, typer.Option(min=1, max=64, help="Pixels of ground on each side.")] = 8
    move: Annotated[float, typer.Option(min=0, max=64, help="Spoil: move the camera by up to these pixels.")] = 0.0
    turn: Annotated[float, typer.Option(min=0, max=45, help="Spoil: turn the camera by up to these degrees.")] = 0.0
    perspective: Annotated[float, typer.Option(min=0, max=64, help="Spoil: move each corner by up to this.")] = 0.0
    gain: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: brighter or darker by up to this.")] = 0.0
    offset: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: add up to this, of 1, to all pixels.")] = 0.0
    slope: Annotated[float, typer.Option(min=0, max=0.99, help="Spoil: light one side more, the other less.")] = 0.0
    place: Annotated[float, typer.Option(min=0, max=8, help="Spoil: put things down off by up to these pixels.")] = 0.0
    place_turn: Annotated[float, typer.Option(min=0, max=45, help="Spoil: put things down turned by up to this.")] = 0.0


@app.command(epilog="Example: `cube data mnist -n 5000 -o mnist.npz`")
@grouped
def data(
    *,
    domain: DomainSpec,
    output: DataFile = None,
    count: Count = None,
    seed: Seed = 0,
    spoiled: Spoiled,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Make a data set, split 90/5/5 for training, validation and test, with a contact sheet beside it."""
    from cubespace.data import transitions
    from cubespace.data.spoiling import spoil

    clean = catalogue(no_plugin).create("domain", domain)
    with blame(clean):
        made = transitions.make(spoil(clean, Spoiling(**attrs.asdict(spoiled)), seed, 0), domain, count, seed)
    target = output or Path(f"{parse_spec(domain).name}.npz")
    made.save(target)
    sheet = target.with_suffix(".png")
    _write_sheet(sheet, made.train.before[:24], made.train.after[:24])
    counts = {"training": len(made.train), "validation": len(made.validation), "test": len(made.test)}
    if as_json:
        facts = {"file": str(target), "picture": str(sheet), "domain": domain, "transitions": len(made.pairs)}
        typer.echo(json.dumps({**facts, **counts}, indent=2))
        return
    parts = ", ".join(f"{count} for {split}" for split, count in counts.items())
    typer.echo(f"{len(made.pairs)} transitions: {parts}; contact sheet {sheet}", err=True)
    typer.echo(str(target))


def _write_sheet(path: Path, before: Images, after: Images) -> None:
    from cubespace.base.images import contact_sheet, side_by_side, write_png

    write_png(path, contact_sheet(side_by_side(before, after)))
