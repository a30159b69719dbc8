"""What a learner returns is looked at once, as soon as it is there: a wrong shape would fail far from here."""

from __future__ import annotations

from typing import Any

import numpy as np

from cubespace.base.arrays import Images
from cubespace.base.errors import ContractError
from cubespace.learning.code import Code

LOOKED_AT = 8  # pictures that are encoded and drawn again


def check_code(code: object, learner: object, images: Images) -> Code:
    """Return the code of training pictures, or raise a :class:`ContractError` that names the learner."""
    if not isinstance(code, Code):
        raise ContractError(f"it returned {type(code).__name__}, not a Code", learner)
    if tuple(code.image_shape) != images.shape[1:]:
        raise ContractError(f"its code is of pictures {code.image_shape}, not {images.shape[1:]}", learner)
    if code.groups is not None and len(code.groups) != code.bits:
        raise ContractError(f"its code has {code.bits} bits, and groups of {len(code.groups)}", learner)
    few = images[:LOOKED_AT]
    bits = code.encode(few)
    _check_array(learner, "bits", bits, np.dtype(np.bool_), (len(few), code.bits))
    _check_array(learner, "drawn pictures", code.decode(bits), np.dtype(np.float32), few.shape)
    return code


def _check_array(learner: object, what: str, array: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ContractError(f"the {what} of its code must be {dtype} {shape}, not {found}", learner)
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1):
        raise ContractError(f"the {what} of its code are not all from 0 to 1", learner)
