"""Lift pairs of pictures: read them as values of variables, by the network of a run or without any, and lift them."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images
from cubespace.data.domain import Pairs
from cubespace.evaluation.diagnosis import Encode
from cubespace.learning.code import Code
from cubespace.lifting.checks import find_actions
from cubespace.lifting.grounding import Grounded, ground
from cubespace.lifting.lift import Care, Lifting, lift
from cubespace.lifting.looks import Looks, find_looks
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pixels import find_pixel_variables
from cubespace.lifting.variables import Variables
from cubespace.settings.run_config import LiftConfig
from cubespace.symbols.invariants import find_mutexes


@attrs.frozen(eq=False, kw_only=True)
class Eye:
    """How pictures become bits that are values of variables, and where in the picture each variable is."""

    look: Encode
    groups: tuple[int, ...]
    regions: NDArray[np.intp] | None
    source: str  # encoder: the bits of the run; redrawn: pixels as the network redraws them; pixels: as they are


def code_eye(code: Code, pairs: Pairs) -> Eye:
    """Return the eye of a run: the variables of its encoder or, if it has none, groups of the pixels it redraws."""
    encode = code.encode
    groups = code.groups
    if groups is not None:
        return Eye(look=encode, groups=groups, regions=code.regions(), source="encoder")

    def redraw(images: Images) -> Images:
        return code.draw(encode(images))

    found = find_pixel_variables(redraw(pairs.before), redraw(pairs.after))
    return Eye(
        look=lambda images: found.look(redraw(images)), groups=found.groups, regions=found.regions, source="redrawn"
    )


def plain_eye(pairs: Pairs) -> Eye:
    """Return an eye that knows no network: groups of pixels of the pictures as they are."""
    found = find_pixel_variables(pairs.before, pairs.after)
    return Eye(look=found.look, groups=found.groups, regions=found.regions, source="pixels")


@attrs.frozen(eq=False, kw_only=True)
class LiftedPairs:
    """What came of lifting, with the training pairs as bits."""

    eye: Eye
    before: Bits
    after: Bits
    looks: Looks
    lifting: Lifting
    grounded: Grounded | None

    @property
    def model(self) -> LiftedModel | None:
        """Return the lifted model, None if this world was not lifted."""
        return self.lifting.model


def lift_pairs(eye: Eye, pairs: Pairs, config: LiftConfig) -> LiftedPairs:
    """Lift pairs of pictures as an eye sees them."""
    before, after = eye.look(pairs.before), eye.look(pairs.after)
    variables = Variables.of(eye.groups)
    looks = find_looks(len(variables), eye.regions, pairs.before, variables.values(before))
    care = Care(level=config.level, least_share=config.least_share, most_accidents=config.most_accidents)
    lifting = lift(before, after, eye.groups, looks, care)
    grounded = None
    if lifting.model is not None:
        found = ground(lifting.model)
        actions = find_actions(found.model, before, after)
        model = attrs.evolve(
            found.model,
            support=np.bincount(actions[actions >= 0], minlength=found.model.actions),
            mutexes=find_mutexes(found.model, np.concatenate([before, after])),
            groups=np.asarray(eye.groups, dtype=np.intp),
        )
        grounded = attrs.evolve(found, model=model)
    return LiftedPairs(eye=eye, before=before, after=after, looks=looks, lifting=lifting, grounded=grounded)
