"""Pictures that look different and have the same bits: what differs between them is lost."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits
from cubespace.base.differences import number_rows

Pixels = NDArray[np.float32]  # (pictures, pixels), from 0 to 1

BEYOND_NOISE = 4.0  # times what the noise of both pictures makes: noise of hundreds of pixels never adds up to that


@attrs.frozen(eq=False, kw_only=True)
class SameCodes:
    """Pictures compared with the first one that has the same bits: (pictures,) each."""

    compared: Bits  # which are not that first one themselves
    unlike: Bits  # which of them differ by more than noise


def look_different(bits: Bits, seen: Pixels, drawn: Pixels) -> SameCodes:
    """Return which pictures differ by more than noise from the first picture with the same bits.

    Pictures are given as they are ``seen`` and as they are ``drawn`` from their bits, (pictures, pixels) each. At least
    half of them are taken to be redrawn but for noise: two pictures of one state differ by twice the median error.
    """
    states = number_rows(np.packbits(bits, axis=1))
    errors = [float(np.square(shown - one).mean()) for one, shown in zip(seen, drawn, strict=True)]
    bound = BEYOND_NOISE * 2 * float(np.median(errors)) if errors else 0.0
    reference = states.first[states.number]
    apart = [float(np.square(one - seen[row]).mean()) for one, row in zip(seen, reference.tolist(), strict=True)]
    return SameCodes(compared=reference != np.arange(len(reference)), unlike=np.array(apart) > bound)
