"""Values whose changes never repeat are none: what an action does, it does again; a nuisance happens beside anything.

Where a picture could not be registered well, all that it shows is a little off. The next picture shows much the same,
so it is off, too, and pairs seem to tell that there is one more value.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, lt
from numpy.typing import NDArray

from cubespace.base.differences import changed_values, number_rows
from cubespace.base.options import option
from cubespace_bit_learners.places.clusters import means
from cubespace_bit_learners.places.values import Compared

Numbers = NDArray[np.intp]

FEWEST_CHANGES = 5  # of a value: of fewer it is not known whether they repeat


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class RepeatingOptions:
    """When a value is one of its own by what happens together with its changes."""

    least_repeated: float = option(
        0.5,
        "share of the changes of a value that must happen again, as a fraction of what others have, if the camera "
        "moves; else it is the value that looks most like it",
        and_(ge(0.0), lt(1.0)),
    )


def repeating(codes: Numbers, compared: Compared, groups: list[Numbers], options: RepeatingOptions) -> Numbers:
    """Return codes (2, pairs, groups) in which values whose changes hardly ever happen again are parts of others.

    Worked example: lamp 3 is on, off, or off and seen a little askew. Pressing it or lamp 2 switches both, again and
    again; but any press may come with a picture that is askew. So the third value is the first or the second.
    """
    codes = codes.copy()
    while (found := _least_repeated(codes, options)) is not None:
        group, value = found
        code = codes[:, :, group]
        patterns = compared.look(groups[group])
        centres = means(patterns, code.ravel())
        apart = ((centres - centres[value]) ** 2).sum(1)
        apart[value] = np.inf
        code[code == value] = int(apart.argmin())
        codes[:, :, group] = code - (code > value)
    return codes


def _least_repeated(codes: Numbers, options: RepeatingOptions) -> tuple[int, int] | None:
    """Return the group and the value whose changes happen again least often; None if all do often enough."""
    before, after = codes
    changed = before != after  # (pairs, groups)
    number = number_rows(changed_values(before, after)).number
    again = np.bincount(number)[number] > 1
    usual = float(again[changed.any(1)].mean()) if changed.any() else 0.0
    least, found = options.least_repeated * usual, None
    for group in range(codes.shape[2]):
        rows = np.flatnonzero(changed[:, group])
        size = int(codes[:, :, group].max()) + 1
        seen, repeated = np.zeros(size), np.zeros(size)
        for side in (before, after):
            np.add.at(seen, side[rows, group], 1)
            np.add.at(repeated, side[rows, group], again[rows])
        share = np.where(seen >= FEWEST_CHANGES, repeated / np.maximum(seen, 1), np.inf)
        if size > 2 and share.min() < least:
            least, found = float(share.min()), (group, int(share.argmin()))
    return found
