"""Relations between literals as Boolean matrices: what follows from which literals exclude each other.

Literal ``f`` says that bit ``f`` is true, literal ``bits + f`` that it is false.
"""

from __future__ import annotations

import numpy as np

from cubespace.base.arrays import Bits


def related(known: Bits, relation: Bits) -> Bits:
    """Return for each row of ``known`` the union of the rows of ``relation`` that it names: a Boolean matrix product.

    It works on words of 64 bits, as the rows are sparse: several times faster than a numeric product, on one core. With
    three columns: a row 101 of ``known`` gives the union of rows 0 and 2 of ``relation``.
    """
    width = relation.shape[1]
    padded = np.zeros((len(relation), -(-width // 64) * 64), dtype=np.bool_)
    padded[:, :width] = relation
    words = np.packbits(padded, axis=1).view(np.uint64)  # (rows, width / 64)
    counts = known.sum(1)
    filled = np.flatnonzero(counts)
    result = np.zeros((len(known), words.shape[1]), dtype=np.uint64)
    if len(filled):
        starts = np.cumsum(counts[filled]) - counts[filled]
        result[filled] = np.bitwise_or.reduceat(words[np.nonzero(known)[1]], starts, axis=0)
    return np.unpackbits(result.view(np.uint8), axis=1, count=width).astype(np.bool_)


def implied(mutexes: Bits, known: Bits) -> Bits:
    """Return all literals that hold where the known ones do, row by row."""
    return known | np.roll(related(known, mutexes), len(mutexes) // 2, axis=1)


def complements(bits: int) -> Bits:
    """Return the pairs that need no proof: a bit is never both true and false."""
    return np.roll(np.eye(2 * bits, dtype=np.bool_), bits, axis=1)


def close(mutexes: Bits) -> Bits:
    """Add the pairs that follow: if a implies b, and b excludes c, then a excludes c."""
    while True:
        implications = np.roll(mutexes, mutexes.shape[0] // 2, axis=1)  # a implies b: a excludes not b
        longer = mutexes | related(implications, mutexes)
        longer |= longer.T
        impossible = longer.diagonal()
        longer |= impossible | impossible[:, None]
        if (longer == mutexes).all():
            return mutexes
        mutexes = longer
