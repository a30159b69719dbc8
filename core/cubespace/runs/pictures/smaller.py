"""A code in half the bytes or less, for a small bundle: only if no training picture gets other bits by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits
from cubespace.base.errors import InputError
from cubespace.data.domain import Pairs
from cubespace.learning.code import Code
from cubespace.learning.code_file import write_saved
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.learners import read_code

NOTHING = 5e-4  # an eighth of a grey level: weights below it move no pixel, and files of zeros are small
GREY_LEVELS = 1  # by which a drawn pixel may differ: what rounding to bytes can do by itself


def write_half(contents: RunContents, target: Path) -> None:
    """Write the code of a run with its numbers in half precision, and refuse if that changes what it sees or draws."""
    saved, learner = contents.code().saved(), contents.learner().learner
    arrays = {name: _halved(array) for name, array in saved.arrays.items()}
    write_saved(target, attrs.evolve(saved, arrays=arrays), learner)
    half = read_code(contents.catalogue, target, contents.execution)
    pairs, bits = contents.transitions().train, contents.bits()["train"]
    changed = _changed(half, pairs, np.concatenate([bits.before, bits.after]))
    if changed:
        raise InputError(
            f"{contents.run.path}: in half precision, {changed} of {2 * len(pairs)} training pictures get other bits; "
            "export it without --half"
        )
    states = np.unique(bits.before, axis=0)
    drawn, drawn_before = half.draw(states).astype(np.int16), contents.code().draw(states)
    worst = int(np.abs(drawn - drawn_before).max(initial=0))
    if worst > GREY_LEVELS:
        raise InputError(f"{contents.run.path}: in half precision, pictures change by {worst} grey levels of 255")


def _halved(array: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers in half precision, those that are next to nothing as 0; anything but floats as it is."""
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < NOTHING, 0, array).astype(np.float16)


def _changed(code: Code, pairs: Pairs, states: Bits) -> int:
    """Return how many pictures of pairs a code gives other bits than the states, (2 pairs, bits)."""
    encoded = code.encode(np.concatenate([pairs.before, pairs.after]))
    return int((encoded != states).any(1).sum())
