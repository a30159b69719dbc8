"""Lift pairs of pictures: read them as values of variables, by the network of a run or without one, and lift them."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images
from cubespace.data.domain import Pairs
from cubespace.evaluation.diagnosis import Encode
from cubespace.learning.code import Code
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.grounding import Grounded, ground
from cubespace.lifting.lift import Lifting, lift
from cubespace.lifting.looks import find_looks
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pixels import find_pixel_variables
from cubespace.lifting.variables import Variables
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.runs.folder.lifting_file import Source
from cubespace.settings.run_config import LiftConfig
from cubespace.symbols.invariants import find_mutexes


@attrs.frozen(eq=False, kw_only=True)
class Eye:
    """How pictures become bits that are values of variables, and where in the picture each variable is."""

    look: Encode
    groups: tuple[int, ...]
    regions: NDArray[np.intp] | None
    source: Source

    def read(self, pairs: Pairs) -> BitPairs:
        """Return the bits of both pictures of each pair."""
        return BitPairs(self.look(pairs.before), self.look(pairs.after))


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


def straightened(code: Code, pairs: Pairs) -> Pairs:
    """Return pairs as the code compares them: what lies where is seen in straight pictures."""
    before, after = code.straighten(pairs.before), code.straighten(pairs.after)
    unchanged = before is pairs.before and after is pairs.after
    return pairs if unchanged else attrs.evolve(pairs, before=before, after=after)


def plain_eye(pairs: Pairs) -> Eye:
    """Return an eye that uses no network: groups of pixels of the pictures as they are."""
    found = find_pixel_variables(pairs.before, pairs.after)
    return Eye(look=found.look, groups=found.groups, regions=found.regions, source="pixels")


@attrs.frozen(eq=False, kw_only=True)
class LiftedPairs:
    """The result of lifting, with the training pairs as bits."""

    eye: Eye
    states: BitPairs
    lifting: Lifting
    grounded: Grounded | None

    @property
    def model(self) -> LiftedModel | None:
        """Return the lifted model, None if this world was not lifted."""
        return self.lifting.model


def lift_pairs(eye: Eye, pairs: Pairs, states: BitPairs, config: LiftConfig) -> LiftedPairs:
    """Lift pairs of pictures, given the states in which an eye sees them."""
    variables = Variables.of(eye.groups)
    looks = find_looks(len(variables), eye.regions, pairs.before, variables.values(states.before))
    criteria = Criteria(
        level=config.level,
        least_share=config.least_share,
        most_accidents=config.most_accidents,
        accident_rate=config.accident_rate,
        least_states=config.least_states,
    )
    lifting = lift(states.before, states.after, eye.groups, looks, criteria)
    grounded = None if lifting.model is None else _grounded(lifting.model, eye, states)
    return LiftedPairs(eye=eye, states=states, lifting=lifting, grounded=grounded)


def _grounded(model: LiftedModel, eye: Eye, states: BitPairs) -> Grounded:
    """Ground a lifted model, and count the transitions that show each action."""
    grounded = ground(model)
    actions = grounded.model.reproduce(states.before, states.after)
    strips = attrs.evolve(
        grounded.model,
        support=np.bincount(actions[actions >= 0], minlength=grounded.model.actions),
        mutexes=find_mutexes(grounded.model, np.concatenate([states.before, states.after])),
        groups=np.asarray(eye.groups, dtype=np.intp),
    )
    return attrs.evolve(grounded, model=strips)
