"""Pictures that look different and have the same bits: what differs between them is lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images

BEYOND_NOISE = 4.0  # times what the noise of both pictures makes: noise of hundreds of pixels never adds up to that


def look_different(bits: Bits, pictures: Images, errors: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return which pictures differ by more than noise from the first picture with the same bits.

    ``errors`` are the mean squared errors with which the pictures are redrawn from their bits, (pictures,). At least
    half of the pictures are taken to be redrawn but for noise: two pictures of one state differ by twice the median.
    """
    packed = np.packbits(bits, axis=1)
    _, first, state = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    bound = BEYOND_NOISE * 2 * float(np.median(errors)) if len(errors) else 0.0
    different = np.zeros(len(pictures), dtype=np.bool_)
    for row, reference in enumerate(first[state.ravel()].tolist()):
        if row != reference:
            apart = pictures[row].astype(np.float32) - pictures[reference]
            different[row] = float(np.square(apart / np.float32(255)).mean()) > bound
    return different
