"""A tiny world for tests of learning: nine lamps, each action toggles one."""

import numpy as np

from cubespace.base.arrays import Images
from cubespace.data.domain import Pairs
from cubespace.settings.recipe import AutoencoderConfig, ConsolidationConfig, Execution, Recipe, TrainConfig


def toggles(count: int, seed: int = 0, *, cell: int = 4, colour: bool = False) -> Pairs:
    rng = np.random.default_rng(seed)
    before = rng.integers(2, size=(count, 9), dtype=np.uint8)
    after = before.copy()
    after[np.arange(count), rng.integers(9, size=count)] ^= 1
    return Pairs(*(_draw(states, cell, colour) for states in (before, after)))


def _draw(states: np.ndarray, cell: int, colour: bool) -> Images:
    pictures = np.kron(states.reshape(-1, 3, 3), np.ones((cell, cell), dtype=np.uint8)) * np.uint8(255)
    return np.stack((pictures, pictures // 2, 255 - pictures), axis=-1) if colour else pictures


def tiny_recipe(apply: str = "btl", **train: object) -> Recipe:
    """A short training with the paper's action head and objective, and our steps after it."""
    shape = AutoencoderConfig(
        bits=12,
        actions=16,
        action="head",
        action_width=32,
        objective="paper",
        encoder="mlp:width=32,noise=0.1,dropout=0.05",
        decoder="mlp:width=32",
        apply=apply,
    )
    train = {"extensions": ("consolidate", "rewrite", "decoder")} | train
    settings: dict[str, object] = {"epochs": 3, "decoder_epochs": 1, "action_epochs": 2, "batch": 20} | train
    settings.setdefault("consolidation", ConsolidationConfig(rounds=2, epochs=2))
    return Recipe(autoencoder=shape, train=TrainConfig(**settings))  # type: ignore[arg-type]


ON_THE_CPU = Execution(device="cpu")
EVERY_EPOCH = Execution(device="cpu", checkpoint_seconds=0.0)
