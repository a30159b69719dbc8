"""Bundles of strangers: damaged, forged with hashes that fit, or naming what would be imported, read or explored."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from chaos_cases.harness import CANARY, Case, Ended
from chaos_cases.mutation import damaged, odd_table
from chaos_cases.world import World

Content = dict[str, bytes]
CARD = "card.json"
EVIL = f"import os\nopen(os.environ[{CANARY!r}], 'w').close()\n"  # a module that nothing may import
DOMAINS = (
    *("gym:id=evilmod:X-v0", "gym-walks:id=evilmod:X-v0", "gym:id=antigravity:X-v0", "gym:id=Taxi-v4", "gym"),
    *("gym:id=CartPole-v1,arguments=entry_point:evilmod", "frames:path=/etc/passwd", "images:path=/etc"),
    *("images:video=/etc/passwd", "photo:image=/etc/passwd", "evilmod", "evilmod:X", "../evilmod", "lightsout:size=5"),
    *("lightsout:size=1000000", "hanoi:disks=64,pegs=16", "mnist:size=16", "spider", ""),
)
WHOLE = frozenset({0, 1, 4, 5, 6})  # of a bundle that plans, whatever the plan is worth


def forged_bundles(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases of planning with a bundle that was changed."""
    changes = (_damage, _domain, _swap, _table, _arrays, _members, _inflate)
    for number in range(count):
        rng = random.Random(f"{seed} bundle {number}")
        change = changes[number % len(changes)]

        def prepare(change: Callable[..., None], rng: random.Random, folder: Path) -> Sequence[str]:
            (folder / "evilmod.py").write_text(EVIL)
            forged = folder / "forged.cube"
            forged.write_bytes(world.bundle.read_bytes())
            change(forged, rng)
            return ["plan", "--run", "forged.cube", *world.pictures(), "--time-limit", "5"]

        yield Case(
            group="bundles",
            name=f"{change.__name__.strip('_')} {number}",
            prepare=partial(prepare, change, rng),
            inside=_import_from_here,
            codes=WHOLE | {2, 3},
            check=_blamed,
        )


def _import_from_here() -> None:
    """Let Python find modules beside the bundle, as it does where somebody has set PYTHONPATH to the folder."""
    sys.path.insert(0, os.getcwd())


def _blamed(_: Path, ended: Ended) -> str:
    """Return what is wrong with a refusal: it must name the bundle, not a temporary folder."""
    last = ended.errors.strip().splitlines()[-1:] or [""]
    if ended.code == 3 and "forged.cube" not in last[0]:
        return f"wrong culprit: {last[0][:120]}"
    return ""


def _damage(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    for _ in range(rng.choice((1, 1, 4))):
        content = damaged(content, rng)
    path.write_bytes(content)


def _domain(path: Path, rng: random.Random) -> None:
    spec = rng.choice(DOMAINS)

    def change(content: Content) -> None:
        lines = content["config.toml"].decode().splitlines()
        lines = [f"domain = {json.dumps(spec)}" if line.startswith("domain =") else line for line in lines]
        content["config.toml"] = "\n".join(lines).encode()

    _forge(path, change)


def _swap(path: Path, rng: random.Random) -> None:
    """Put one part in the place of another, or a part of a model of another size."""

    def change(content: Content) -> None:
        one, other = rng.sample(sorted(content), 2)
        content[one] = content[other]

    _forge(path, change)


def _table(path: Path, rng: random.Random) -> None:
    name = rng.choice(("extraction.json", "learner.json", "measures.json"))

    def change(content: Content) -> None:
        table: Any = odd_table(json.loads(content[name]), rng)
        if name == "extraction.json" and rng.random() < 0.5:
            table = {**json.loads(content[name]), "redrawing_error": rng.choice((float("nan"), float("inf"), -1, "x"))}
        content[name] = json.dumps(table).encode()

    _forge(path, change)


def _arrays(path: Path, rng: random.Random) -> None:
    """Change the number of bits of a part, or what its arrays hold."""
    name = rng.choice(("bits.npz", "strips.npz"))

    def change(content: Content) -> None:
        with np.load(io.BytesIO(content[name]), allow_pickle=False) as archive:
            arrays: dict[str, Any] = {each: archive[each] for each in archive.files}
        if rng.random() < 0.5:
            arrays["bits"] = np.array(rng.choice((0, 1, 7, 24, 10**6, -1)))
        else:
            one = rng.choice(sorted(arrays))
            old = np.atleast_1d(arrays[one])  # some are numbers
            arrays[one] = rng.choice((old[..., :1], old.astype(float), np.zeros((3, 3))))
        file = io.BytesIO()
        np.savez(file, **arrays)
        content[name] = file.getvalue()

    _forge(path, change)


def _members(path: Path, rng: random.Random) -> None:
    """Add a member that no bundle has, or leave one out."""

    def change(content: Content) -> None:
        if rng.random() < 0.3:
            del content[rng.choice(sorted(content))]
        else:
            name = rng.choice(("../evilmod.py", "/tmp/evilmod.py", "evilmod.py", "config.toml/x", "a\0b", "code.pkl"))
            content[name] = EVIL.encode()

    _forge(path, change)


def _inflate(path: Path, rng: random.Random) -> None:
    """Let a part be far larger than it need be."""
    name = rng.choice(("domain.pddl", "learner.json", "config.toml", "bits.npz"))

    def change(content: Content) -> None:
        content[name] = content[name] + bytes(rng.choice((5, 70, 300)) << 20)

    _forge(path, change)


def _forge(path: Path, change: Callable[[Content], None]) -> None:
    """Change the contents of a bundle; the hashes fit."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    card = json.loads(content.pop(CARD))
    change(content)
    card["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(CARD, json.dumps(card))
        for name, data in content.items():
            archive.writestr(name, data)
