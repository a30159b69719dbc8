"""A stranger's bit learner: it knows that there are four cells in a row, and that tiles differ in their mean."""

from types import ModuleType

import numpy as np

from cubespace import hookimpl
from cubespace.base.arrays import Bits, Images
from cubespace.data.domain import Pairs
from cubespace.learning.bit_learner import BitLearner, Parts, Unsuitable, Work
from cubespace.learning.code import Code, Pictures, SavedCode
from cubespace.plugins.catalogue import Catalogue, collect
from cubespace.plugins.entry_points import installed

CELLS = 4


class TileCode(Code):
    """A bit for each cell and each tile."""

    def __init__(self, image_shape: tuple[int, ...], means: np.ndarray, looks: np.ndarray) -> None:
        self.image_shape = image_shape
        self.means, self.looks = means, looks  # (tiles,) and (bits, pixels)
        self.bits = CELLS * len(means)
        self.groups = tuple(np.repeat(np.arange(CELLS), len(means)).tolist())

    def encode_pictures(self, images: Images) -> Bits:
        nearest = np.abs(cell_means(images)[..., None] - self.means).argmin(2)  # (batch, cells)
        return (nearest[..., None] == np.arange(len(self.means))).reshape(len(images), -1)

    def decode(self, bits: Bits) -> Pictures:
        pixels = bits.astype(np.float32) @ self.looks
        return pixels.clip(0, 1).reshape(len(bits), *self.image_shape)

    def saved(self) -> SavedCode:
        arrays = {"means": self.means, "looks": self.looks}
        return SavedCode(
            image_shape=self.image_shape, bits=self.bits, groups=self.groups, details={"cells": CELLS}, arrays=arrays
        )


class TileLearner(BitLearner):
    """Four cells in a row."""

    quick = True
    precondition = "values"
    method = "four cells in a row"

    def learn(self, training: Pairs, held_out: Pairs, work: Work) -> Code:
        del held_out, work
        images = training.before
        if images.ndim != 3:
            raise Unsuitable("these tiles are in colour")
        means = np.unique(cell_means(images).round(4))
        code = TileCode(images.shape[1:], means, np.zeros((CELLS * len(means), images[0].size), dtype=np.float32))
        bits = code.encode(images).astype(np.float32)
        code.looks = np.linalg.lstsq(bits, images.reshape(len(images), -1) / 255, rcond=None)[0].astype(np.float32)
        return code

    def read(self, saved: SavedCode, parts: Parts) -> Code:
        del parts
        return TileCode(saved.image_shape, saved.arrays["means"], saved.arrays["looks"])


def cell_means(images: Images) -> np.ndarray:
    """Return how bright each cell is, (batch, cells)."""
    return (images[:, 1:-1, 1:-1] / 255).reshape(len(images), 5, CELLS, 5).mean((1, 3))


def with_a_stranger(learner: type) -> Catalogue:
    """Return what is built in, and the learner ``stranger`` of somebody else."""

    @hookimpl
    def cube_bit_learners(registry):
        registry.add("stranger", learner, "knows four tiles")

    plugin = ModuleType("stranger")
    vars(plugin).update(cube_bit_learners=cube_bit_learners)
    own = [(entry.name, source, entry.load) for entry, source in installed() if source.split()[0] == "cubespace"]
    return collect([*own, ("stranger", "stranger 1.0", lambda: plugin)])
