"""``bits.npz``: the latent states of all pictures of a data set, made once, by the stage that trains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.errors import InputError
from cubespace.base.files import replacing

SPLITS = ("train", "validation", "test")


@attrs.frozen(eq=False)
class BitPairs:
    """The states before and after each transition of a split, (transitions, bits) each."""

    before: Bits
    after: Bits


def joined(splits: Iterable[BitPairs]) -> BitPairs:
    """Return the transitions of several splits, one after the other."""
    parts = list(splits)
    return BitPairs(
        before=np.concatenate([part.before for part in parts]), after=np.concatenate([part.after for part in parts])
    )


def save_bits(path: Path, splits: Mapping[str, BitPairs]) -> None:
    """Write the bits of every split, eight to a byte."""
    arrays = {
        f"{name}_{side}": np.packbits(getattr(pairs, side), axis=1)
        for name, pairs in splits.items()
        for side in ("before", "after")
    }
    width = next(iter(splits.values())).before.shape[1]
    with replacing(path) as file:
        np.savez_compressed(file, allow_pickle=False, bits=np.array(width), **arrays)


def load_bits(path: Path) -> dict[str, BitPairs]:
    """Read the bits of every split."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            width = int(archive["bits"])
            return {
                name: BitPairs(
                    *(
                        np.unpackbits(archive[f"{name}_{side}"], axis=1, count=width).astype(np.bool_)
                        for side in ("before", "after")
                    )
                )
                for name in SPLITS
            }
    except Exception as error:  # a damaged archive raises anything: zlib.error, BadZipFile, KeyError …
        raise InputError(f"'{path}' is damaged, or not a file of bits ({error}): train again") from error
