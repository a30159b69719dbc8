"""How much pixels vary, and how much of that stays."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace_bit_learners.places.values import SURE, Compared

Floats = NDArray[np.float32]

COMPARED_PAIRS = 1000


@attrs.frozen(eq=False, kw_only=True)
class Variances:
    """How much each pixel varies, and how much of that pictures before and after an action share: (pixels,)."""

    all: Floats
    staying: Floats

    @classmethod
    def of(cls, compared: Compared) -> Variances:
        """Measure both; of what is shared, three standard deviations of chance are taken off."""
        old, new = compared.first(COMPARED_PAIRS).sides()
        parts = [_variances(old.pixels(block), new.pixels(block)) for block in old.blocks()]
        everything, staying = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(all=everything, staying=staying)


def _variances(old: Floats, new: Floats) -> tuple[Floats, Floats]:
    before, after = old - old.mean(0), new - new.mean(0)
    both = (np.square(before).mean(0) + np.square(after).mean(0)) / 2
    by_chance = SURE * before.std(0) * after.std(0) / np.sqrt(len(before))
    return both, np.maximum(np.abs((before * after).mean(0)) - by_chance, 0)
