"""Hostile files in a run folder: damaged, forged together with the manifest, or links out of it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from chaos_cases.harness import Case, Ended
from chaos_cases.mutation import ODD_VALUES, damaged, odd_json, odd_table
from chaos_cases.user_files import Bomb
from chaos_cases.world import World, forge_manifest

JSON_FILES = (
    *("results.json", "measures.json", "extraction.json", "manifest.json", "environment.json", "learner.json"),
    *("metrics.jsonl", "diagnosis.json", "problems/000/fd-lmcut/result.json", "problems/001/pyperplan-bfs/result.json"),
)
USES = (
    ["report", "run"],
    ["report", "run"],
    ["evaluate", "run"],
    ["diagnose", "run", "--states", "5"],
    ["extract", "run"],
)


def model_files(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases with damaged and forged networks and checkpoints."""
    for number in range(count):
        rng = random.Random(f"{seed} model {number}")
        change = (_damage_model, _forge_model, _damage_checkpoint, _forge_checkpoint)[number % 4]

        def prepare(change: Callable[..., list[str]], rng: random.Random, folder: Path) -> Sequence[str]:
            return change(world.copy(folder, "trained"), rng, world)

        yield Case(
            group="model and checkpoint",
            name=f"{change.__name__.strip('_').replace('_', ' ')} {number}",
            prepare=partial(prepare, change, rng),
        )


def _damage_model(run: Path, rng: random.Random, world: World) -> list[str]:
    path = run / "code.safetensors"
    path.write_bytes(damaged(path.read_bytes(), rng))
    forge_manifest(run)
    return _use(rng, world)


def _forge_model(run: Path, rng: random.Random, world: World) -> list[str]:
    """Change the metadata of the network's file, in an undamaged file."""
    path = run / "code.safetensors"
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    head = json.loads(content[8 : 8 + size])
    about = json.loads(head["__metadata__"]["cubespace"])
    if rng.random() < 0.5:
        about["image_shape"] = rng.choice(([], [0, 0], [-1, 5], [10**9, 10**9], [36], ["x"], None, [24, 24, 3]))
    elif rng.random() < 0.5:
        huge = rng.choice((0, -1, 10**6, 10**12, 2**63, "x", None))
        about["details"]["autoencoder"][rng.choice(list(about["details"]["autoencoder"]))] = huge
    else:
        about = odd_table(about, rng)
    head["__metadata__"]["cubespace"] = json.dumps(about)
    new = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(new)) + new + content[8 + size :])
    forge_manifest(run)
    return _use(rng, world)


def _damage_checkpoint(run: Path, rng: random.Random, _: World) -> list[str]:
    path = run / "checkpoint.pt"
    path.write_bytes(damaged(path.read_bytes(), rng))
    (run / "measures.json").unlink()
    return ["train", "run"]


def _forge_checkpoint(run: Path, rng: random.Random, _: World) -> list[str]:
    """Seal a checkpoint that holds nonsense, or code."""
    import torch

    path = run / "checkpoint.pt"
    body = path.read_bytes()[:-72]
    saved = torch.load(io.BytesIO(body), weights_only=False)
    kind = rng.randrange(5)
    if kind == 0:
        saved = Bomb()
    elif kind == 1:
        saved["state"] = Bomb()
    elif kind == 2:
        saved["state"] = rng.choice(ODD_VALUES)
    else:
        saved["state"] = _odd_state(saved["state"], rng)
    buffer = io.BytesIO()
    torch.save(saved, buffer)
    content = buffer.getvalue()
    path.write_bytes(content + b"\nsha256 " + hashlib.sha256(content).hexdigest().encode())
    (run / "measures.json").unlink()
    return ["train", "run"]


def _odd_state(state: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    state = dict(state)
    name = rng.choice(list(state))
    if rng.random() < 0.3:
        del state[name]
    else:
        state[name] = rng.choice(ODD_VALUES)
    return state


def _use(rng: random.Random, world: World) -> list[str]:
    start, goal = world.pictures()
    return rng.choice(([*USES[2]], [*USES[3]], [*USES[0]], ["plan", "--run", "run", start, goal]))


def array_files(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases with damaged and forged arrays: the model, the data set, the bits, the traces of plans."""
    names = ("strips.npz", "data.npz", "bits.npz", "problems/000/fd-lmcut/trace.npz")
    for number in range(count):
        rng = random.Random(f"{seed} array {number}")
        name = names[number % len(names)]

        def prepare(name: str, rng: random.Random, folder: Path) -> Sequence[str]:
            run = world.copy(folder)
            path = run / name
            if path.is_file():
                path.write_bytes(damaged(path.read_bytes(), rng) if rng.random() < 0.6 else _odd_arrays(path, rng))
            forge_manifest(run)
            return _use(rng, world) if rng.random() < 0.8 else [*USES[4]]

        yield Case(group="arrays of a run", name=f"{name} {number}", prepare=partial(prepare, name, rng))


def _odd_arrays(path: Path, rng: random.Random) -> bytes:
    with np.load(path, allow_pickle=False) as archive:
        arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    name = rng.choice(list(arrays))
    array = arrays[name]
    odd = (
        np.atleast_1d(array)[:1],
        np.atleast_1d(array)[..., :1],
        array.astype(np.float64) if array.dtype.kind in "biu" else array,
        np.zeros((0, *array.shape[1:]), array.dtype),
        np.array([Bomb()], dtype=object),
        np.array("text"),
        array[None],
        ~array if array.dtype.kind in "biu" else array,
    )
    arrays[name] = odd[rng.randrange(len(odd))]
    if rng.random() < 0.1:
        del arrays[name]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=True, **arrays)
    return buffer.getvalue()


def json_files(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases with odd tables, some with a manifest that vouches for them."""
    for number in range(count):
        rng = random.Random(f"{seed} json {number}")
        name = JSON_FILES[number % len(JSON_FILES)]

        def prepare(name: str, rng: random.Random, folder: Path) -> Sequence[str]:
            run = world.copy(folder)
            path = run / name
            before = path.read_bytes() if path.is_file() else b"{}"
            path.write_bytes(odd_json(before or b"{}", rng))
            if name != "manifest.json" and rng.random() < 0.7:
                forge_manifest(run)
            if name.endswith("result.json") and rng.random() < 0.7:
                (run / "results.json").unlink()
                return [*USES[2]]
            return _use(rng, world) if rng.random() < 0.5 else [*rng.choice(USES)]

        yield Case(group="tables of a run", name=f"{name} {number}", prepare=partial(prepare, name, rng))


LINKS = (
    *(
        "run.log",
        ".lock",
        "report.html",
        "results.json",
        "manifest.json",
        "config.toml",
        "metrics.jsonl",
        "checkpoint.pt",
    ),
    *("problems", "plans", "problems/000", "problems/000/fd-lmcut", "data.npz", "diagnosis.json", "environment.json"),
)


def links(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases with links out of the run folder: nothing outside may change."""
    for number in range(count):
        rng = random.Random(f"{seed} link {number}")
        name = LINKS[number % len(LINKS)]
        use = (["evaluate", "run"], ["report", "run"], ["diagnose", "run", "--states", "5"])[number // len(LINKS) % 3]

        def prepare(name: str, use: list[str], rng: random.Random, folder: Path) -> Sequence[str]:
            run = world.copy(folder)
            victim = folder / "victim"
            path = run / name
            if "." not in Path(name).name.lstrip(".") and name != ".lock":  # a folder
                shutil.rmtree(path, ignore_errors=True)
                victim.mkdir()
                (victim / "precious").write_text("precious")
            else:
                victim.write_bytes(path.read_bytes() if path.is_file() and rng.random() < 0.5 else b"precious")
                path.unlink(missing_ok=True)
            path.symlink_to(victim)
            _remember(victim)
            if use[0] == "evaluate":
                (run / "results.json").unlink(missing_ok=True)
            return use

        yield Case(group="links", name=f"{name} {use[0]}", prepare=partial(prepare, name, use, rng), check=_untouched)


def _remember(victim: Path) -> None:
    victim.with_name("remembered.txt").write_text(_look(victim))


def _look(victim: Path) -> str:
    if victim.is_dir():
        return json.dumps(sorted(os.listdir(victim)))
    return hashlib.sha256(victim.read_bytes()).hexdigest() if victim.is_file() else "gone"


def _untouched(folder: Path, _: Ended) -> str:
    before = (folder / "remembered.txt").read_text()
    return "" if _look(folder / "victim") == before else "written through a link"
