"""The cases of benchmarks/alarms.py: kinds of trouble, each spoilt on purpose and, beside it, done right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import attrs
import numpy as np
from alarm_worlds import NOISE, GraphWorld, bins, board, lift, smooth_tiles
from scipy.ndimage import gaussian_filter

from cubespace.base.arrays import Bits, Images
from cubespace.learning.code import Code, Pictures, Regions, SavedCode
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.strips import StripsModel

Spoil = Callable[[Images, np.random.Generator], Images]
World = Callable[[np.random.Generator], GraphWorld]


@attrs.frozen(eq=False, kw_only=True)
class Case:
    """A world, what is done to its pictures, and what is broken on purpose after learning."""

    number: int
    kind: str
    about: str  # what is special about it
    spoilt: bool
    world: World
    spoil: Spoil
    steady: Spoil | None = None  # what the camera does to all pictures alike
    pairs: int = 2000
    misread: Callable[[Code, np.random.Generator], Code] = lambda code, _: code
    precondition: str = "values"
    lifted: bool = False  # whether plans are made with the lifted model, whatever its checks say
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


class FlickeringCode(Code):
    """Another code that reads some pictures as if one variable had another value."""

    def __init__(self, inner: Code, share: float, seed: int) -> None:
        self.inner, self.share, self.seed = inner, share, seed
        self.image_shape, self.bits, self.groups = inner.image_shape, inner.bits, inner.groups

    def encode_pictures(self, images: Images) -> Bits:
        """Misread a share of the pictures."""
        bits = self.inner.encode_pictures(images)
        rng = np.random.default_rng([self.seed, *images.tobytes()[:64]])
        groups = np.asarray(self.groups)
        for row in np.flatnonzero(rng.random(len(bits)) < self.share):
            mine = np.flatnonzero(groups == rng.choice(groups))
            bits[row, mine] = False
            bits[row, rng.choice(mine)] = True
        return bits

    def decode(self, bits: Bits) -> Pictures:
        """Leave it to the other code."""
        return self.inner.decode(bits)

    def normalise(self, images: Images) -> Pictures:
        """Leave it to the other code."""
        return self.inner.normalise(images)

    def regions(self) -> Regions | None:
        """Leave it to the other code."""
        return self.inner.regions()

    def saved(self) -> SavedCode:
        """Leave it to the other code."""
        return self.inner.saved()


def flickering(code: Code, rng: np.random.Generator) -> Code:
    """Misread ten of a hundred pictures."""
    return FlickeringCode(code, 0.1, int(rng.integers(1 << 31)))


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


def only_old_values(model: StripsModel, states: Bits, _: np.random.Generator) -> StripsModel:
    """Leave out every precondition but the old values of what changes, as if nothing else mattered."""
    loose = attrs.evolve(model, positive=model.positive & model.delete, negative=model.negative & model.add)
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


def _tiles(similar: float = 0.0, side: int = 8) -> World:
    return lambda rng: board(smooth_tiles(6, rng, side=side, similar=similar))


def _cases() -> tuple[Case, ...]:
    camera, photo, grain = noisy(NOISE), _tiles(), noisy(0.2 * 255)
    stacks, cabin = (lambda _: bins()), (lambda _: lift())
    right = partial(Case, spoilt=False, spoil=camera)
    wrong = partial(Case, spoilt=True, spoil=camera)
    corner, edge = pointed(moving=False, sigma=0), blurred(0.5, 0)
    make: tuple[Callable[..., Case], ...] = (
        partial(right, kind="similar tiles", about="photograph, noise .2", world=_tiles(side=12), spoil=grain),
        partial(wrong, kind="similar tiles", about="tiles .1 apart, noise .2", world=_tiles(0.1), spoil=grain),
        partial(wrong, kind="similar tiles", about="tiles .05 apart, noise .2", world=_tiles(0.05), spoil=grain),
        partial(
            wrong,
            kind="similar tiles",
            about="tiles .05 apart, of 12 x 12, noise .2",
            world=_tiles(0.05, side=12),
            spoil=grain,
        ),
        partial(right, kind="pepper", about="photograph", world=photo),
        partial(wrong, kind="pepper", about="photograph, 1 % of pixels", world=photo, spoil=peppered(0.01)),
        partial(
            right,
            kind="cursor",
            about="photograph, in a corner",
            world=photo,
            spoil=pointed(moving=False),
            steady=corner,
        ),
        partial(wrong, kind="cursor", about="photograph, anywhere", world=photo, spoil=pointed(moving=True)),
        partial(right, kind="blur", about="photograph, .5 pixels", world=photo, spoil=blurred(0.5), steady=edge),
        partial(
            wrong, kind="blur", about="photograph, 1.2 pixels", world=photo, spoil=blurred(1.2), steady=blurred(1.2, 0)
        ),
        partial(right, kind="few pairs", about="photograph", world=photo),
        partial(wrong, kind="few pairs", about="photograph, 100", world=photo, pairs=100),
        partial(wrong, kind="few pairs", about="bins, 500", world=stacks, pairs=500),
        partial(wrong, kind="few pairs", about="lift, 60", world=cabin, pairs=60),
        partial(right, kind="stacks", about="lift", world=cabin),
        partial(right, kind="stacks", about="bins", world=stacks, pairs=2400),
        partial(
            wrong, kind="stacks", about="bins, `values:families=off`", world=stacks, precondition="values:families=off"
        ),
        partial(wrong, kind="stacks", about="bins, `significant`", world=stacks, precondition="significant"),
        partial(
            wrong,
            kind="stacks",
            about="bins, `values:families=off`, 1,000 pairs",
            world=stacks,
            precondition="values:families=off",
            pairs=1000,
        ),
        partial(right, kind="misread", about="photograph", world=photo),
        partial(right, kind="misread", about="lift", world=cabin),
        partial(wrong, kind="misread", about="photograph, two values as one", world=photo, misread=merged),
        partial(wrong, kind="misread", about="lift, two values as one", world=cabin, misread=merged),
        partial(wrong, kind="misread", about="bins, two values as one", world=stacks, misread=merged),
        partial(wrong, kind="misread", about="photograph, one picture of ten", world=photo, misread=flickering),
        partial(right, kind="lifted", about="photograph", world=photo, lifted=True),
        partial(right, kind="lifted", about="bins", world=stacks, pairs=2400, lifted=True),
        partial(wrong, kind="lifted", about="lift", world=cabin, lifted=True),
        partial(
            wrong,
            kind="lifted",
            about="bins, all but old values",
            world=stacks,
            lifted=True,
            overgeneralise=only_old_values,
        ),
        partial(
            wrong,
            kind="lifted",
            about="photograph, a fifth of the actions",
            world=photo,
            lifted=True,
            overgeneralise=without_preconditions,
        ),
        partial(right, kind="over-general", about="photograph", world=photo),
        partial(
            wrong,
            kind="over-general",
            about="photograph, a fifth of the actions",
            world=photo,
            overgeneralise=without_preconditions,
        ),
        partial(
            wrong,
            kind="over-general",
            about="bins, a fifth of the actions",
            world=stacks,
            overgeneralise=without_preconditions,
        ),
        partial(
            wrong,
            kind="over-general",
            about="lift, a fifth of the actions",
            world=cabin,
            overgeneralise=without_preconditions,
        ),
        partial(
            wrong, kind="over-general", about="bins, all but old values", world=stacks, overgeneralise=only_old_values
        ),
        partial(
            wrong, kind="over-general", about="lift, all but old values", world=cabin, overgeneralise=only_old_values
        ),
    )
    return tuple(each(number=number) for number, each in enumerate(make))


CASES = _cases()
