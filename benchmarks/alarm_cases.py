"""The cases of benchmarks/alarms.py: eight kinds of trouble, each spoilt on purpose and, beside it, done right."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from alarm_worlds import NOISE, GraphWorld, bins, board, lift, smooth_tiles
from scipy.ndimage import gaussian_filter

from cubespace.base.arrays import Bits, Images
from cubespace.learning.code import Code, Pictures, Regions, SavedCode
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.strips import StripsModel

Spoil = Callable[[Images, np.random.Generator], Images]


@attrs.frozen(eq=False, kw_only=True)
class Case:
    """A world, what is done to its pictures, and what is broken on purpose after learning."""

    number: int
    kind: str
    spoilt: bool
    world: Callable[[np.random.Generator], GraphWorld]
    spoil: Spoil
    steady: Spoil | None = None  # what the camera does to all pictures alike
    pairs: int = 2000
    misread: Callable[[Code, np.random.Generator], Code] = lambda code, _: code
    overgeneralise: Callable[[StripsModel, Bits, np.random.Generator], StripsModel] = lambda model, *_: model


class MergedCode(Code):
    """Another code with two values of one variable taken for one, which is drawn as a blend of both."""

    def __init__(self, inner: Code, kept: int, lost: int) -> None:
        self.inner, self.kept, self.lost = inner, kept, lost
        self.columns = np.delete(np.arange(inner.bits), lost)
        self.image_shape, self.bits = inner.image_shape, inner.bits - 1
        self.groups = None if inner.groups is None else tuple(np.delete(inner.groups, lost).tolist())

    def encode_pictures(self, images: Images) -> Bits:
        """Read either value as the one that is kept."""
        bits = self.inner.encode_pictures(images)
        bits[:, self.kept] |= bits[:, self.lost]
        return np.ascontiguousarray(bits[:, self.columns])

    def decode(self, bits: Bits) -> Pictures:
        """Draw the mean of the pictures with either value."""
        one = np.zeros((len(bits), self.inner.bits), dtype=np.bool_)
        one[:, self.columns] = bits
        other = one.copy()
        other[:, self.lost] = one[:, self.kept]
        other[:, self.kept] = False
        return np.asarray((self.inner.decode(one) + self.inner.decode(other)) / 2, dtype=np.float32)

    def normalise(self, images: Images) -> Pictures:
        """Leave it to the other code."""
        return self.inner.normalise(images)

    def regions(self) -> Regions | None:
        """Leave it to the other code."""
        return self.inner.regions()

    def saved(self) -> SavedCode:
        """Leave it to the other code."""
        return self.inner.saved()


def merged(code: Code, rng: np.random.Generator) -> Code:
    """Merge two values of a variable that has at least three."""
    groups = np.asarray(code.groups)
    large = [group for group in np.unique(groups) if (groups == group).sum() > 2]
    kept, lost = rng.permutation(np.flatnonzero(groups == rng.choice(large)))[:2]
    return MergedCode(code, int(kept), int(lost))


def without_preconditions(model: StripsModel, states: Bits, rng: np.random.Generator) -> StripsModel:
    """Leave out one precondition of every fifth action."""
    positive, negative = model.positive.copy(), model.negative.copy()
    for action in rng.permutation(model.actions)[: -(-model.actions // 5)]:
        needed = np.flatnonzero(np.concatenate([positive[action], negative[action]]))
        if len(needed):
            literal = int(rng.choice(needed))
            (positive if literal < model.bits else negative)[action, literal % model.bits] = False
    loose = attrs.evolve(model, positive=positive, negative=negative)
    return attrs.evolve(loose, mutexes=find_mutexes(loose, states))


def noisy(sigma: float) -> Spoil:
    """Return a camera with noise, in grey levels."""

    def spoil(images: Images, rng: np.random.Generator) -> Images:
        return _bytes(images + rng.normal(0, sigma, images.shape))

    return spoil


def peppered(share: float) -> Spoil:
    """Return salt and pepper on a share of the pixels."""

    def spoil(images: Images, rng: np.random.Generator) -> Images:
        hit = rng.random(images.shape) < share
        return np.where(hit, np.where(rng.random(images.shape) < 0.5, 0, 255), images).astype(np.uint8)

    return spoil


def pointed(*, moving: bool, sigma: float = NOISE) -> Spoil:
    """Return a cursor of 3 x 3 pixels, anywhere or always in one corner, and a little noise."""

    def spoil(images: Images, rng: np.random.Generator) -> Images:
        height, width = images.shape[1:3]
        shown = images.copy()
        rows, columns = (rng.integers(1 + moving * (side - 3), size=len(images)) for side in (height, width))
        for picture, row, column in zip(shown, rows, columns, strict=True):
            picture[row : row + 3, column : column + 3] = 255
        return noisy(sigma)(shown, rng)

    return spoil


def blurred(sigma: float, noise: float = NOISE) -> Spoil:
    """Return a camera that is out of focus, and a little noise."""

    def spoil(images: Images, rng: np.random.Generator) -> Images:
        wide = (0, sigma, sigma) + (0,) * (images.ndim - 3)
        return noisy(noise)(gaussian_filter(images.astype(np.float32), wide), rng)

    return spoil


def _bytes(pixels: np.ndarray) -> Images:
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def _tiles(similar: float = 0.0) -> Callable[[np.random.Generator], GraphWorld]:
    return lambda rng: board(smooth_tiles(6, rng, similar=similar))


def _cases() -> tuple[Case, ...]:
    camera, photo, grain = noisy(NOISE), _tiles(), noisy(0.2 * 255)
    rows = [
        ("similar tiles", photo, grain, {}, _tiles(0.1), grain, {}),
        ("pepper", photo, camera, {}, photo, peppered(0.01), {}),
        (
            "cursor",
            photo,
            pointed(moving=False),
            {"steady": pointed(moving=False, sigma=0)},
            photo,
            pointed(moving=True),
            {},
        ),
        ("blur", photo, blurred(0.5), {"steady": blurred(0.5, 0)}, photo, blurred(1.2), {"steady": blurred(1.2, 0)}),
        ("few pairs", photo, camera, {}, photo, camera, {"pairs": 100}),
        ("stacks", lambda _: lift(), camera, {}, lambda _: bins(), camera, {"pairs": 2400}),
        ("misread", photo, camera, {}, photo, camera, {"misread": merged}),
        ("over-general", photo, camera, {}, photo, camera, {"overgeneralise": without_preconditions}),
    ]
    cases = []
    for kind, world, spoil, more, bad_world, bad_spoil, bad_more in rows:
        number = len(cases)
        cases.append(Case(number=number, kind=kind, spoilt=False, world=world, spoil=spoil, **more))
        cases.append(Case(number=number + 1, kind=kind, spoilt=True, world=bad_world, spoil=bad_spoil, **bad_more))
    return tuple(cases)


CASES = _cases()
