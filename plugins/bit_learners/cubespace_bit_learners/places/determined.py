"""Values are one if it is left to chance which of them comes about: what an action does to a place is determined.

Where there is little to register pictures by, content that looks like motion leaves them a little off, and so does the
next picture, which shows much the same. So pairs seem to tell how far off a picture is. But whether it is off after an
action follows neither from what was there before nor from what else the action changes.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, gt, le
from numpy.typing import NDArray

from cubespace.base.options import option

Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]
Keys = NDArray[np.int64]

FEWEST_SEEN = 10  # pictures with a value: of fewer it is not known whether they are determined


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class DeterminedOptions:
    """When two values are one by how they come about."""

    most_undetermined: float = option(
        0.2,
        "share of the pictures with a value, the rarer one of two, that might as well show the other one, by what was "
        "there before and by what else changed, if the camera moves; above it the two are one",
        and_(gt(0.0), le(1.0)),
    )


def determined(codes: Numbers, options: DeterminedOptions) -> Numbers:
    """Return codes (2, pairs, groups) in which values between which chance decides are one, those most alike first.

    Worked example: lamp 3 is on, off, or on and seen a little askew. If it was off and lamps 2, 4 and 7 switch, it is
    never off afterwards, so off and on are two values; but it is on or askew, as chance has it: these two are one.
    """
    codes, unsure = codes.copy(), True
    while unsure:  # what else changes is known better after each round
        unsure = False
        for group in range(codes.shape[2]):
            pair = _least_determined(codes, group, options)
            if pair is not None:
                code = codes[:, :, group]
                code[code == pair[1]] = pair[0]
                codes[:, :, group] = code - (code > pair[1])
                unsure = True
    return codes


def _least_determined(codes: Numbers, group: int, options: DeterminedOptions) -> tuple[int, int] | None:
    """Return the two values of a group that are determined least, the more frequent one first; None if all are.

    Of two values, one may be real and the other none, which then changes on its own: that is seen elsewhere.
    """
    size = int(codes[:, :, group].max()) + 1
    if size <= 2:
        return None
    mixed, seen = np.zeros((size, size)), np.zeros(size)
    for before, after in ((codes[0], codes[1]), (codes[1], codes[0])):  # it must be determined backwards, too
        table = _outcomes(before, after, group, size)
        seen += table.sum(0)
        mixed += np.stack([np.minimum(table[:, [value]], table).sum(0) for value in range(size)])
    rarer = np.minimum(seen[:, None], seen)
    share = np.where(rarer >= FEWEST_SEEN, mixed / np.maximum(rarer, 1), 0)
    np.fill_diagonal(share, 0)
    one, other = np.unravel_index(int(share.argmax()), share.shape)
    if share[one, other] <= options.most_undetermined:
        return None
    return (int(one), int(other)) if seen[one] >= seen[other] else (int(other), int(one))


def _outcomes(before: Numbers, after: Numbers, group: int, size: int) -> Doubles:
    """Return how often each value comes about, (situations, values), in situations that are seen more than once.

    A situation is what the group shows before, and what else changes. Where nothing else does, it says nothing: an
    action may change this group alone, or nothing at all.
    """
    changes = _changes(before, after)  # (pairs, groups)
    others = changes.sum(1) - changes[:, group]
    beside = np.delete(before != after, group, axis=1).any(1)
    known = np.stack([others[beside], before[beside, group]], axis=1)
    situation = np.unique(known, axis=0, return_inverse=True)[1].ravel()
    table = np.zeros((int(situation.max(initial=-1)) + 1, size))
    np.add.at(table, (situation, after[beside, group]), 1)
    return np.asarray(table[table.sum(1) > 1])


def _changes(before: Numbers, after: Numbers) -> Keys:
    """Return a number for what each group does, 0 if it does not change; sums of some tell what they do together.

    They are random and have 50 bits, so no two sums are equal by chance.
    """
    size = int(max(before.max(), after.max())) + 1
    numbers = np.random.default_rng(0).integers(1 << 50, size=(before.shape[1], size, size))
    return np.asarray(np.where(before != after, numbers[np.arange(before.shape[1]), before, after], 0), dtype=np.int64)
