"""Odd sizes and numbers, and runs that must be equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from chaos_cases.harness import Case, Ended
from chaos_cases.world import INSTANCES, TRAINED, World, difference, settings

QUICK = {**TRAINED, "train.epochs": 3}
SETTINGS: dict[str, dict[str, object]] = {
    "3 transitions": {"data.transitions": 3},
    "4 transitions": {"data.transitions": 4},
    "21 transitions": {"data.transitions": 21},
    "10^12 transitions": {"data.transitions": 10**12},
    "1 bit": {"autoencoder.bits": 1},
    "10^7 bits": {"autoencoder.bits": 10**7},
    "1 action": {"autoencoder.actions": 1},
    "1 neuron": {"autoencoder.encoder": "mlp:width=1", "autoencoder.decoder": "mlp:width=1"},
    "10^9 neurons": {"autoencoder.encoder": "mlp:width=1000000000"},
    "10^6 layers": {"autoencoder.encoder": "mlp:depth=1000000"},
    "batch of 1": {"train.batch": 1},
    "batch of 2": {"train.batch": 2},
    "batch of 10^9": {"train.batch": 10**9},
    "learning rate 1e38": {"train.learning_rate": 1e38},
    "learning rate 1e308": {"train.learning_rate": 1e308},
    "learning rate 10": {"train.learning_rate": 10},
    "learning rate 1e-300": {"train.learning_rate": 1e-300},
    "1 epoch": {"train.epochs": 1},
    "0 epochs": {"train.epochs": 0},
    "seed 2^64": {"train.seed": 2**64},
    "data seed 2^200": {"data.seed": 2**200},
    "seed 2^63": {"train.seed": 2**63},
    "plan seed 2^64": {"plan.seed": 2**64},
    "noise of 100": {"data.spoil.noise": 100},
    "10^6 instances": {"plan.instances": 10**6},
    "length 10^6": {"plan.length": 10**6},
    "length 0": {"plan.length": 0},
    "time limit 0.001": {"plan.time_limit": 0.001},
    "time limit 1e300": {"plan.time_limit": 1e300},
    "support 10^9": {"extract.min_support": 10**9},
}
SIZES = (
    "lightsout:size=1",
    "lightsout:size=0",
    "lightsout:size=100000",
    "hanoi:disks=1",
    "hanoi:disks=10000",
    "mnist:size=1",
)


def odd_numbers(count: int) -> Iterator[Case]:
    """Yield cases with odd settings, sizes and data."""
    cases = []
    for name, table in SETTINGS.items():
        words = ["run", *INSTANCES, "--planner", "fd-lmcut", *settings({**QUICK, **table}), "-o", "run"]
        cases.append(_plain(name, words))
    cases += [_plain(size, ["data", size, "-n", "5", "-o", "out.npz"]) for size in SIZES]
    cases.append(_plain("10^23 pairs", ["data", "lightsout:size=2", "-n", str(10**23), "-o", "out.npz"]))
    for device in ("meta", "cuda:99", "no-such", "cpu:7", ""):
        words = ["run", *INSTANCES, *settings(QUICK), "--device", device, "-o", "run"]
        cases.append(_plain(f"device {device!r}", words))
    for name in ("constant", "no change", "one pixel", "noise"):
        words = [
            "run",
            "--domain",
            "images:path=pairs.npz",
            "--instances",
            "1",
            *settings({**QUICK, "data.transitions": 40}),
        ]
        cases.append(
            Case(group="numbers", name=f"pictures: {name}", prepare=partial(_pairs, name, [*words, "-o", "run"]))
        )
    yield from cases[:: max(1, len(cases) // count)] if count < len(cases) else cases


def _plain(name: str, words: Sequence[str]) -> Case:
    return Case(group="numbers", name=name, prepare=lambda _: words, inside=_bound_memory, seconds=120)


def _bound_memory() -> None:
    """Limit memory: a wrong number must not exhaust the machine's."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))


def _pairs(name: str, words: Sequence[str], folder: Path) -> Sequence[str]:
    rng = np.random.default_rng(0)
    before = rng.integers(0, 2, (40, 12, 12), dtype=np.uint8) * 200
    after = rng.integers(0, 2, (40, 12, 12), dtype=np.uint8) * 200
    if name == "constant":
        before[:] = after[:] = 90
    elif name == "no change":
        after = before.copy()
    elif name == "one pixel":
        before, after = before[:, :1, :1], after[:, :1, :1]
    np.savez(folder / "pairs.npz", before=before, after=after)
    return words


def repeated(world: World, count: int) -> Iterator[Case]:
    """Yield cases that do the undisturbed run once more."""
    for number in range(count):
        which = ("trained", "chosen")[number % 2]

        def check(which: str, folder: Path, ended: Ended) -> str:
            return difference(folder / "run", world.folder / which) if ended.code == 0 else "it failed"

        yield Case(
            group="reproducibility",
            name=f"{which} {number}",
            prepare=partial(lambda which, _: world.words(which), which),
            check=partial(check, which),
            seconds=300,
        )
