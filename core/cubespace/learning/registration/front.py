"""Registration in front of a learner: what it learns from is straight, and so is what its code sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Images
from cubespace.learning.code import Code, Pictures, Regions, SavedCode
from cubespace.learning.registration.motion import find_motion
from cubespace.learning.registration.record import RegistrationRecord
from cubespace.learning.registration.registration import Registration, learn_registration, read_registration
from cubespace.learning.registration.warp import WARPS
from cubespace.settings.registration import RegistrationConfig

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs

REGISTRATION, INNER = "registration.", "code."  # what the names of their arrays begin with
MOST_NUMBERS = 1 << 25  # of the pictures from which a registration is learned: 134 MB, of which a few copies are made
SMALLEST = 16  # pixels, of the sides of pictures that are registered


@attrs.frozen(eq=False)
class Front:
    """What comes before the learner: a registration or, where nothing moves, nothing."""

    registration: Registration | None
    record: RegistrationRecord | None  # None if it was not asked whether anything moves

    def pairs(self, pairs: Pairs) -> Pairs:
        """Return pairs as learners are to see them."""
        if self.registration is None:
            return pairs
        straighten = self.registration.straighten
        return attrs.evolve(pairs, before=straighten(pairs.before), after=straighten(pairs.after))

    def code(self, code: Code) -> Code:
        """Return a code of straight pictures as one of pictures as they are taken."""
        return code if self.registration is None else RegisteredCode(code, self.registration)


def find_front(training: Pairs, config: RegistrationConfig) -> Front:
    """Look whether the camera moves in training pairs and, if it does, learn how."""
    before, after = training.before, training.after
    if config.when == "off" or min(before.shape[1:3]) < SMALLEST:
        return Front(None, None)
    motion = find_motion(before, after, config.explained)
    record = RegistrationRecord(registered=False, moving_share=round(motion.share, 4), pixels=round(motion.pixels, 4))
    still = motion.share < config.moving_share or motion.pixels < config.least_motion
    if config.when == "auto" and still:
        return Front(None, record)
    count = max(10, min(config.pairs, MOST_NUMBERS // (2 * before[0].size)))
    rows = np.linspace(0, len(before) - 1, min(count, len(before))).astype(np.intp)
    registration = learn_registration(before[rows], after[rows], motion.most)
    found = {name: round(value, 4) for name, value in registration.deviations.items()}
    record = attrs.evolve(record, registered=True, deviations=found)
    if config.when == "auto" and max(list(found.values())[:WARPS]) < config.least_motion:
        return Front(None, attrs.evolve(record, registered=False))
    return Front(registration, record)


class RegisteredCode(Code):
    """A code of straight pictures, and the registration that makes pictures straight before it sees them.

    What it draws is straight, too.
    """

    def __init__(self, inner: Code, registration: Registration) -> None:
        self.inner, self.registration = inner, registration
        self.image_shape, self.bits, self.groups = inner.image_shape, inner.bits, inner.groups
        self.actions, self.training, self.doubt = inner.actions, inner.training, inner.doubt

    def straighten(self, images: Images) -> Images:
        """Return pictures as the code compares them."""
        return self.inner.straighten(self.registration.straighten(images))

    def encode_pictures(self, images: Images) -> Bits:
        """Return the bits of what pictures show when they are straight."""
        return self.inner.encode_pictures(self.registration.straighten(images))

    def decode(self, bits: Bits) -> Pictures:
        """Return straight pictures of states."""
        return self.inner.decode(bits)

    def normalise(self, images: Images) -> Pictures:
        """Return straight pictures, without what the code takes no notice of."""
        return self.inner.normalise(self.registration.straighten(images))

    def regions(self) -> Regions | None:
        """Return the variable of each pixel of a straight picture."""
        return self.inner.regions()

    def saved(self) -> SavedCode:
        """Return the code and the registration, under names of their own."""
        saved = self.inner.saved()
        details, arrays = self.registration.saved()
        return attrs.evolve(
            saved,
            details={"registration": details, "code": saved.details},
            arrays={
                **{f"{REGISTRATION}{name}": array for name, array in arrays.items()},
                **{f"{INNER}{name}": array for name, array in saved.arrays.items()},
            },
        )


T = TypeVar("T")


def _named(arrays: dict[str, T], prefix: str) -> dict[str, T]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def taken_apart(saved: SavedCode) -> tuple[SavedCode, Registration]:
    """Return the inner code of a registered one, as it was saved, and the registration."""
    arrays = dict(saved.arrays)
    registration = read_registration(saved.details["registration"], _named(arrays, REGISTRATION))
    if tuple(registration.picture.shape[1:]) != saved.image_shape[:2]:
        raise ValueError("the registration is of pictures of another size")
    return attrs.evolve(saved, details=saved.details["code"], arrays=_named(arrays, INNER)), registration
